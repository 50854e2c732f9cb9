"""The one way functions are compiled here: cached on disk, without the interpreter lock, types kept for checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable

Flags: TypeAlias = NDArray[np.bool_]
Ints: TypeAlias = NDArray[Any]
"""Whole numbers; a function is compiled for each width it meets."""

F = TypeVar("F", bound="Callable[..., Any]")


def compiled(function: F) -> F:
    """Compile a function over arrays and numbers when it is first called; later runs load it from the cache.

    Where no folder for the cache can be written, it is compiled anew in every process. No recursion: a self-recursive
    function that comes from the cache crashes.
    """
    try:
        return cast("F", njit(cache=True, nogil=True)(function))
    except RuntimeError:
        return cast("F", njit(nogil=True)(function))
