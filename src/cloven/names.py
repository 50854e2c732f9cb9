"""Public names that are loaded when they are first used, so that importing a package is quick.

``cloven``, ``cloven.attacks`` and ``cloven.relatedness`` are lists of such names.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def homes(names: Mapping[str, str]) -> dict[str, str]:
    """Where each name is defined, from module -> names."""
    return {name: module for module, those in names.items() for name in those.split()}


def loader(package: str, home: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package whose names have these homes."""

    def load(name: str) -> Any:
        if name not in home:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        return getattr(import_module(home[name]), name)

    return load


def lazily(package: str, home: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package that shows nothing else."""
    return loader(package, home), lambda: sorted(home)
