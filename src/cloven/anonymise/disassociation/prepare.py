"""Bring data into an order that is a function of content alone, so that the order of the input reaches no result."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.anonymise.disassociation.ordering import lexicographic_order, take_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.transactions import Transactions


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
