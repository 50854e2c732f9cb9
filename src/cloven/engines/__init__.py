"""Where the work is done, if not in the memory of one machine: ``Spark``; the same content either way."""

from cloven.engines.engine import Engine
from cloven.engines.spark import Spark

__all__ = ["Engine", "Spark"]
