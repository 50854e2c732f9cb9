"""The libraries of the extra ``cloven[text]``, loaded when they are first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from cloven.errors import ParameterError


def text_library(module: str) -> Any:
    """Import a module of the extra, or say how to install it.

    >>> text_library("simplemma").__name__
    'simplemma'
    """
    try:
        return import_module(module)
    except ImportError as error:
        name = module.partition(".")[0]
        message = f'{name} is not installed, and this needs it; run pip install "cloven[text]"'
        raise ParameterError(message) from error
