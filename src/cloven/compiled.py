"""The one way functions are compiled here: when first called, cached on disk, without the interpreter lock.

The compiler takes long to load, so it is loaded by the first call, not by the import of a module that has kernels.
"""

from __future__ import annotations

from functools import cache, cached_property, update_wrapper
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable

Longs: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]
Ints: TypeAlias = NDArray[Any]
"""Whole numbers; a function is compiled for each width it meets."""

F = TypeVar("F", bound="Callable[..., Any]")


def compiled(function: F) -> F:
    """Compile a function over arrays and numbers when it is first called; later runs load it from the cache.

    Where no folder for the cache can be written, it is compiled anew in every process. No recursion: a self-recursive
    function that comes from the cache crashes.
    """
    return cast("F", Kernel(function))


class Kernel:
    """A function that is compiled when it is first called, by us or by another kernel."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        update_wrapper(self, function)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run it compiled."""
        return self.dispatcher(*arguments, **named)

    @cached_property
    def dispatcher(self) -> Any:
        """What Numba makes of the function."""
        from numba import njit

        _teach_numba()
        try:
            return njit(cache=True, nogil=True)(self.function)
        except RuntimeError:  # no place for the cache
            return njit(nogil=True)(self.function)


@cache
def _teach_numba() -> None:
    """Where a kernel names another one, Numba sees what it made of that one."""
    from numba.extending import typeof_impl

    @typeof_impl.register(Kernel)
    def _(kernel: Kernel, context: Any) -> Any:
        return typeof_impl(kernel.dispatcher, context)
