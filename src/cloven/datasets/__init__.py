"""Data that come with the package: a clinic of invented patients, and sparse data of any shape."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from cloven.datasets.baskets import SHAPES, Shape, shaped, sparse
from cloven.datasets.clinic import clinic
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from cloven.data.transactions import Transactions


__all__ = ["SHAPES", "Shape", "clinic", "sample", "shaped", "sparse"]


# Samples that come with the package, by name.


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
