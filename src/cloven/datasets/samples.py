"""Samples that come with the package, by name."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from cloven.datasets.patients import clinic
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from cloven.model.transactions import Transactions

_SAMPLES = MappingProxyType({"clinic": clinic})


def sample(name: str) -> Transactions:
    """Make the sample of this name.

    >>> len(sample("clinic"))
    1000
    """
    if name not in _SAMPLES:
        message = f"no sample is called {name!r}; the known samples are {', '.join(sorted(_SAMPLES))}"
        raise ParameterError(message)
    return _SAMPLES[name]()
