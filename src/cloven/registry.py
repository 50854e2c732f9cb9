"""Which anonymisers there are, by name: for plug-ins, for tests of laws that all must keep, and for tools on top.

A package joins by an entry point of group ``cloven.anonymisers`` whose value is a class with keyword parameters. A
plug-in that cannot be loaded raises: an anonymiser that vanishes silently would be worse than none.

>>> sorted(anonymisers())[:1]
['disassociation']
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

_BUILT_IN = {"disassociation": ("cloven.anonymise.disassociation", "Disassociation")}


def anonymisers() -> dict[str, Callable[..., Any]]:
    """All anonymisers by name: the built-in ones and those of other packages."""
    found: dict[str, Callable[..., Any]] = {
        name: getattr(import_module(module), attribute) for name, (module, attribute) in _BUILT_IN.items()
    }
    for point in entry_points(group="cloven.anonymisers"):
        if point.name in found:
            message = f"two anonymisers are called {point.name!r}; uninstall the package {point.value!r} or rename it"
            raise ParameterError(message)
        found[point.name] = point.load()
    return found


def anonymiser(name: str, **parameters: Any) -> Any:
    """Make the anonymiser of this name."""
    known = anonymisers()
    if name not in known:
        message = f"unknown method {name!r}; known are {', '.join(sorted(known))}"
        raise ParameterError(message)
    return known[name](**parameters)
