"""How many rows meet some conditions, as far as a published table tells.

A cell is a set of values: it meets a condition for certain if it has no other value, and possibly if it has that value
among others. Inside a bucket the parts of different columns may belong to any of its rows. Parts that n1 .. nr rows of
a bucket of s meet come together in at least n1 + .. + nr - (r - 1) s rows and in at most the least of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError, shorten
from cloven.kinds.counts import POSSIBLE, Count, near

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.compiled import Flags, Floats, Longs
    from cloven.kinds.tables.release import CellDomain, TableRelease

AS_THEY_ARE = ("mondrian", "slicing", "anatomy")
"""Methods that hide values and change none; what others publish bounds nothing."""


def asked(words: list[str]) -> dict[str, str]:
    """What words of a command line ask for: conditions.

    >>> asked(["sex=Female", "age=31"])
    {'sex': 'Female', 'age': '31'}
    """
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            message = f"this release is a table; ask for NAME=VALUE, such as sex=Female, not {shorten(word)}"
            raise ParameterError(message)
        if name in found:
            message = f"{shorten(name)} is named twice; name it once"
            raise ParameterError(message)
        found[name] = value
    return found


def count(release: TableRelease, conditions: Mapping[str, object]) -> Count:
    """How many rows meet all conditions; likely is that every value of a cell has its even share."""
    if not hasattr(conditions, "items") or not conditions:
        message = (
            'a table is asked for conditions, such as {"sex": "Female"}; name an attribute and its value'
        )
        raise ParameterError(message)
    wanted = {_place(release, name): str(value) for name, value in conditions.items()}
    offsets = getattr(release, "bucket_offsets", np.array([0, release.records]))
    size = np.diff(offsets).astype(np.float64)
    surely, least, most = size.copy(), size.copy(), size.copy()
    for column in release.columns:
        mine = {place: wanted[place] for place in column if place in wanted}
        if not mine:
            continue
        sure, possible, share = (_summed(rows, offsets) for rows in _fits(release, mine))
        least += sure - size
        most = np.minimum(most, possible)
        surely *= share / np.maximum(size, 1)
    certain, at_most = int(np.maximum(least, 0).sum()), int(most.sum())
    likely = round(float(surely.sum()))
    if release.parameters.get("method") not in AS_THEY_ARE:
        certain, at_most = 0, release.records
    names = tuple(f"{name}={value}" for name, value in conditions.items())
    return Count(names, certain, likely, certain, at_most, at_most, POSSIBLE)


def _fits(release: TableRelease, wanted: Mapping[int, str]) -> tuple[Floats, Floats, Floats]:
    """Of each row, whether it meets the conditions for certain, possibly, and with which share of its values."""
    sure, possible, share = (np.ones(release.records) for _ in range(3))
    for place, value in wanted.items():
        has, values = _cells(release.domains[place], value)
        cells = release.cells[:, place]
        sure *= (has & (values == 1))[cells]
        possible *= has[cells]
        share *= (has / values)[cells]
    return sure, possible, share


def _cells(domain: CellDomain, value: str) -> tuple[Flags, Floats]:
    """Of each cell, whether it has a value, and how many values it has; of numbers it has all between its ends."""
    lengths = np.diff(domain.member_offsets)
    if domain.numbers is not None:
        try:
            wanted = float(value)
        except ValueError:
            message = f"{domain.name} is a number; got {shorten(value)}: ask for a number"
            raise ParameterError(message) from None
        numbers = domain.numbers[domain.members]
        low = np.minimum.reduceat(numbers, domain.member_offsets[:-1])
        high = np.maximum.reduceat(numbers, domain.member_offsets[:-1])
        whole = bool((domain.numbers == np.rint(domain.numbers)).all())
        return (low <= wanted) & (wanted <= high), np.where(
            low == high, 1.0, high - low + 1 if whole else np.inf
        )
    owner = np.repeat(np.arange(len(lengths)), lengths)
    has = np.bincount(owner[domain.members == _value(domain, value)], minlength=len(lengths)) > 0
    return has, np.maximum(lengths, 1).astype(np.float64)


def _summed(rows: Floats, offsets: Longs) -> Floats:
    """Sum over each bucket."""
    total = np.concatenate(([0.0], np.cumsum(rows)))
    found: Floats = total[offsets[1:]] - total[offsets[:-1]]
    return found


def _place(release: TableRelease, name: str) -> int:
    names = [domain.name for domain in release.domains]
    if name in names:
        return names.index(name)
    advice = near(str(name), names, f"it has {', '.join(names)}")
    message = f"no attribute {shorten(str(name))} in this release; {advice}"
    raise ParameterError(message)


def _value(domain: CellDomain, value: str) -> int:
    if value in domain.values:
        return domain.values.index(value)
    known = ", ".join(domain.values[:5])
    advice = near(value, domain.values, f"some that it has: {known}")
    message = f"{domain.name} has no value {shorten(value)}; {advice}"
    raise ParameterError(message)
