"""Where the work is done: on this machine (``Local``), or on many (``Spark``); the same content either way."""

from cloven.engines.engine import Engine
from cloven.engines.local import Local
from cloven.engines.spark import Spark

__all__ = ["Engine", "Local", "Spark"]
