"""Bring data into an order that is a function of content alone, so that the order of the input reaches no result."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from cloven.data.arrays import distinct, lexicographic_order, take_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.data.transactions import Transactions


class Prepared(NamedTuple):
    """Records sorted by content, terms numbered by tie order.

    Attributes:
        source: number in the input of each record.
        offsets: row starts.
        codes: item codes, ascending in each record.
        terms: term numbers in tie order, aligned with ``codes``.
        person: person of each record numbered by content, or empty.
    """

    source: NDArray[np.int64]
    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    terms: NDArray[np.int32]
    person: NDArray[np.int64]


def _same_as_before(offsets: NDArray[np.int64], codes: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which record equals the one before it (records are sorted)."""
    lengths = np.diff(offsets)
    same = np.zeros(len(lengths), bool)
    candidates = np.flatnonzero(lengths[1:] == lengths[:-1]) + 1
    for length in np.unique(lengths[candidates]).tolist():
        rows = candidates[lengths[candidates] == length]
        here = offsets[rows][:, None] + np.arange(length)
        same[rows] = (codes[here] == codes[here - length]).all(axis=1)
    return same


def _person_by_content(persons: NDArray[np.int64], content: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number persons by the contents of their records; persons with equal records are interchangeable."""
    order = np.lexsort((content, persons))
    bounds = np.flatnonzero(np.diff(persons[order])) + 1
    contents = np.split(content[order], bounds)
    offsets = np.concatenate(([0], np.cumsum([len(part) for part in contents])))
    ranked = lexicographic_order(offsets, content[order])
    number = np.empty(len(contents), np.int64)
    number[ranked] = np.arange(len(contents))
    _, group = np.unique(persons, return_inverse=True)
    return number[group]


def prepare(data: Transactions, tie_order: NDArray[np.int32]) -> Prepared:
    """Sort records by content; ``tie_order[code]`` is the place of an item among equally frequent ones."""
    # Copies, because kernels are compiled once more for arrays that must not be written to.
    all_offsets, all_codes = np.array(data.offsets), np.array(data.codes)
    source = lexicographic_order(all_offsets, all_codes)
    offsets, codes = take_rows(all_offsets, all_codes, source)
    person = np.empty(0, np.int64)
    if data.persons is not None:
        content = np.cumsum(~_same_as_before(offsets, codes)).astype(np.int64)
        person = _person_by_content(data.persons[source], content)
        again = np.lexsort((person, content))
        source, person = source[again], person[again]
        offsets, codes = take_rows(all_offsets, all_codes, source)
    by_text = np.array_equal(tie_order, np.arange(len(tie_order)))
    return Prepared(source, offsets, codes, codes if by_text else tie_order[codes], person)


def tie_order_of(data: Transactions, order: str | tuple[str, ...]) -> NDArray[np.int32]:
    """Place of each item among equally frequent ones.

    ``"text"``: by code point; ``"first-seen"``: by first appearance in the input (the thesis); a tuple of names: those
    first, in that order, then the rest by code point.
    """
    n = len(data.vocabulary)
    ranked = np.arange(n)
    if order == "first-seen":
        first = np.full(n, len(data.codes))
        np.minimum.at(first, data.codes, np.arange(len(data.codes)))
        ranked = np.argsort(first, kind="stable")
    elif not isinstance(order, str):
        code_of = data.code_of()
        named = [code_of[name] for name in dict.fromkeys(order) if name in code_of]
        ranked = np.concatenate((np.array(named, np.int64), np.setdiff1d(ranked, named)))
    place = np.empty(n, np.int32)
    place[ranked] = np.arange(n, dtype=np.int32)
    return place


# Lots that protect people: drawn from the operating system, or, marked as such, from a seed.


class Lots(Protocol):
    """Draws lots."""

    def below(self, limit: int) -> int:
        """A number from 0 to below ``limit``, all equally likely."""
        ...


@dataclass(frozen=True)
class SystemLots:
    """From the operating system: nobody can draw them again."""

    def below(self, limit: int) -> int:
        """A number from 0 to below ``limit``."""
        return secrets.randbelow(limit)


@dataclass(frozen=True)
class SeededLots:
    """From a generator that was started with a seed: for experiments, which must be repeatable."""

    rng: np.random.Generator

    def below(self, limit: int) -> int:
        """A number from 0 to below ``limit``."""
        return int(self.rng.integers(limit))


def lots_of(seed: int | None) -> Lots:
    """Lots of the operating system, or of a seed if there is one."""
    return SystemLots() if seed is None else SeededLots(np.random.default_rng(seed))


# How many stand behind something: records, or distinct persons where they are told (else ``person`` is empty).


def holders(person: NDArray[np.int64], records: NDArray[np.int64]) -> int:
    """Holders behind some records.

    >>> holders(np.array([7, 7, 8]), np.array([0, 1])), holders(np.empty(0, int), np.array([0, 1]))
    (1, 2)
    """
    return len(distinct(person[records])) if len(person) else len(records)


def holders_of_clusters(person: NDArray[np.int64], clusters: NDArray[np.int64]) -> NDArray[np.int64]:
    """Holders of each cluster 0, 1, ...; ``clusters`` is the cluster of each record, -1 for none.

    >>> holders_of_clusters(np.array([7, 7, 8, 9]), np.array([0, 0, 1, -1])).tolist()
    [1, 1]
    """
    inside = np.flatnonzero(clusters >= 0)
    if not len(person):
        return np.bincount(clusters[inside]).astype(np.int64)
    width = int(person.max()) + 1
    pairs = distinct(clusters[inside] * width + person[inside])
    return np.bincount(pairs // width).astype(np.int64)
