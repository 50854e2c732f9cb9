"""By what data is recognised when it comes again: all of it spelt out, and those of its people who stand out.

``Transactions`` and ``Table`` answer by these functions; ``cloven.storage.fingerprint`` makes of the answers what the
owner keeps.

Records are hashed by their content alone, not by their order, nor by the codes of items. Only those that *stand out*
count: with at least three items, and the content held by one record (one person, where persons are told). Others are
shared by chance: random halves of a data set have nobody in common, yet up to 18 % of all contents are in both
(BMS-WebView-1); of those that stand out at most 3.4 % are (groceries, BMS-WebView-2, T10I4D100K, mushroom and ICD-9
records have fewer).

Two tables about the same people compose by their quasi-identifiers, whatever else they show, so these alone are hashed,
by name and value. A row stands out if no other one of its table looks like it, and the table has at least three
quasi-identifiers. Quasi-identifiers take few values, so other people look the same by chance: of random halves of Adult
(8 quasi-identifiers), 13 % of what stands out in one stands out in the other, and larger tables have more in common.
How much two tables of different people have is estimated from parts of one of them, and only what clearly exceeds it
counts.
"""

from __future__ import annotations

from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.data.table import Table
    from cloven.data.transactions import Transactions

LEAST_ITEMS = 3
CLEARLY = 1.25
"""Times that rows in common must exceed what is expected by chance."""
DIVISIONS = 8
"""Divisions of a table into parts that its own chance is measured on."""
SMALLEST_PART = 0.2
"""Share of the rows that the smaller part has at least."""
_BLOCK = 1 << 18  # records hashed at once


class Recognisable(Protocol):
    """What data of any kind answers, so that nobody has to ask which kind it is."""

    def __len__(self) -> int: ...

    @property
    def read_counts(self) -> Mapping[str, int]:
        """How much was read; the owner's alone."""
        ...

    def spelt(self) -> Iterator[bytes]:
        """All that was read as bytes, the same on every machine."""
        ...

    def standing_out(self) -> NDArray[np.uint64]:
        """Hashes of the people who stand out, ascending."""
        ...

    def alike_by_chance(self, others: int) -> Chance:
        """Shares of those who stand out that data of so many other people has too, as far as this data can tell."""
        ...


def spelt_records(data: Transactions) -> Iterator[bytes]:
    """Offsets, codes, persons and vocabulary; every part preceded by its length, so that no two run together."""
    persons = () if data.persons is None else (data.persons,)
    return spelt_pieces((data.offsets,), (data.codes,), persons, data.vocabulary, len(data), len(data.codes))


def spelt_pieces(
    offsets: Iterable[NDArray[Any]],
    codes: Iterable[NDArray[Any]],
    persons: Iterable[NDArray[Any]],
    vocabulary: Sequence[str],
    records: int,
    occurrences: int,
) -> Iterator[bytes]:
    """The same of records that come in pieces, each kind of number after the other; nobody holds them all.

    >>> from cloven.data.transactions import Transactions
    >>> data = Transactions.from_records([["flu"], ["cough", "flu"]])
    >>> pieces = spelt_pieces([data.offsets[:2], data.offsets[2:]], [data.codes], [], data.vocabulary, 2, 3)
    >>> b"".join(pieces) == b"".join(data.spelt())
    True
    """
    for many, numbers in ((records + 1, offsets), (occurrences, codes), (records, persons)):
        pieces = iter(numbers)
        first = next(pieces, None)
        yield b"\0" if first is None else spelt_head(8 * many)
        if first is not None:
            for piece in chain((first,), pieces):
                yield np.ascontiguousarray(piece, "<i8").tobytes()
    yield from spelt_names(vocabulary)


def spelt_head(size: int) -> bytes:
    """What stands before numbers that take so many bytes."""
    return b"\1" + size.to_bytes(8, "big")


def spelt_names(vocabulary: Sequence[str]) -> Iterator[bytes]:
    """How many names there are, and each of them."""
    yield len(vocabulary).to_bytes(8, "big")
    for name in vocabulary:
        yield from _of_length(_encoded(name))


def spelt_table(table: Table) -> Iterator[bytes]:
    """Roles, domains and rows; how values are generalised is a choice, and no data."""
    yield from _of_length(b"table")
    for attribute in table.attributes:
        yield from _of_length(len(attribute).to_bytes(8, "big"))
        for text in (attribute.name, attribute.role, *attribute.values):
            yield from _of_length(_encoded(text))
    yield from _of_length(np.ascontiguousarray(table.codes, "<i4").tobytes())
    yield from _of_length(np.ascontiguousarray(table.source_rows, "<i8").tobytes())


def records_standing_out(data: Transactions) -> NDArray[np.uint64]:
    """Hashes of all records that stand out, ascending."""
    long = data.lengths >= LEAST_ITEMS
    hashes = content_hashes(data.offsets, data.codes, item_hashes(data.vocabulary))[long]
    if not len(hashes):
        return hashes
    person = np.arange(len(hashes)) if data.persons is None else data.persons[long]
    order = np.argsort(hashes)
    hashes, person = hashes[order], person[order]
    starts = np.flatnonzero(np.concatenate(([True], hashes[1:] != hashes[:-1])))
    alone = np.minimum.reduceat(person, starts) == np.maximum.reduceat(person, starts)
    kept: NDArray[np.uint64] = hashes[starts[alone]]
    return kept


def rows_standing_out(table: Table) -> NDArray[np.uint64]:
    """Hashes of all rows that stand out, ascending.

    >>> from cloven.data.table import Attribute, Table
    >>> attributes = tuple(Attribute(name, "quasi-identifier", ("0", "1")) for name in ("age", "sex", "town"))
    >>> codes = np.array([[0, 1, 0], [1, 1, 1], [1, 1, 1]], np.int32)
    >>> len(rows_standing_out(Table(attributes, codes, np.arange(3))))
    1
    """
    return _alone(_looks(table))


class Chance(NamedTuple):
    """Shares of those who stand out, up to which two data sets of different people have them in common.

    Attributes:
        of_data: of those of the data at hand.
        of_earlier: of those of the earlier data.
    """

    of_data: float
    of_earlier: float


def chance_of_rows(table: Table, others: int) -> Chance:
    """What a table has in common with one of so many other people.

    Parts of the table itself that share nobody are compared, as different in size as both tables if they can be; and
    parts of half their sizes. By how much the share grows from these to those, it grows on to the sizes of both tables,
    or by less: what two tables have in common grows at most as their sizes do.
    """
    looks = _looks(table)
    if not len(looks) or not others:
        return Chance(0.0, 0.0)
    part = min(max(len(looks) / (len(looks) + others), SMALLEST_PART), 1 - SMALLEST_PART)
    whole, half = np.zeros((2, 2)), np.zeros((2, 2))
    for turn in range(DIVISIONS):
        one, two = _by_lot(len(looks), 2 * turn) < part, _by_lot(len(looks), 2 * turn + 1) < 0.5
        whole += _in_common(looks[one], looks[~one])
        half += _in_common(looks[one & two], looks[~one & two])
    (found, alone), (found_half, alone_half) = whole, half
    share, before = found / np.maximum(alone, 1), found_half / np.maximum(alone_half, 1)
    doubling = np.where(before > 0, np.clip(share / np.where(before > 0, before, 1), 1, 2), 2.0)
    wanted = np.array([others / ((1 - part) * len(looks)), 1 / part])
    expected = share * doubling ** np.log2(wanted)
    # As many stand out as in the parts, or more.
    noise = 3 * np.sqrt(expected * DIVISIONS / np.maximum(alone, 1))
    of_data, of_earlier = np.minimum(1.0, CLEARLY * expected + noise).tolist()
    return Chance(of_data, of_earlier)


def _by_lot(count: int, turn: int) -> NDArray[np.float64]:
    """A number from 0 to 1 for each row, the same every time."""
    start = np.uint64(turn) << np.uint64(40)
    return mixed(start + np.arange(1, count + 1, dtype=np.uint64)).astype(np.float64) / 2.0**64


def _in_common(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Those who stand out in both parts, and in each: two rows for the two sides."""
    left, right = _alone(one), _alone(other)
    both = float(np.isin(left, right, assume_unique=True).sum())
    return np.array([[both, both], [len(left), len(right)]])


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread sums over all 64-bit numbers, one to one (the finaliser of SplitMix64; Steele, Lea, Flood 2014)."""
    mixed = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _of_length(part: bytes) -> tuple[bytes, bytes]:
    return len(part).to_bytes(8, "big"), part


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _hash(text: str, what: bytes) -> int:
    return int.from_bytes(blake2b(_encoded(text), digest_size=8, person=what).digest(), "little")


def content_hashes(
    offsets: NDArray[np.int64], codes: NDArray[np.int32], of_item: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """One hash for each record, none of which is empty: the sum of the hashes of its items, mixed."""
    many = len(offsets) - 1
    sums = np.zeros(many, np.uint64)
    for start in range(0, many, _BLOCK):
        here = offsets[start : start + _BLOCK + 1]
        sums[start : start + _BLOCK] = content_sums(here - here[0], codes[here[0] : here[-1]], of_item)
    return mixed(sums)


def item_hashes(vocabulary: Sequence[str]) -> NDArray[np.uint64]:
    """A hash for each item."""
    return np.fromiter((_hash(name, b"cloven item") for name in vocabulary), np.uint64, len(vocabulary))


def content_sums(
    offsets: NDArray[np.int64], codes: NDArray[np.int32], of_item: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """The sum of the hashes of the items of each record; ``mixed`` makes the hash of the record of it."""
    sums: NDArray[np.uint64] = np.add.reduceat(of_item[codes], offsets[:-1])
    return sums


def _looks(table: Table) -> NDArray[np.uint64]:
    """One hash for each row: the sum of the hashes of its quasi-identifiers, mixed; none for rows with few of them."""
    places = table.positions("quasi-identifier")
    if len(places) < LEAST_ITEMS:
        return np.empty(0, np.uint64)
    sums = np.zeros(len(table), np.uint64)
    for place in places:
        name, values = table.attributes[place].name, table.attributes[place].values
        cells = (_hash(f"{len(name)}:{name}={value}", b"cloven cell") for value in values)
        # The last entry serves the code of a missing value.
        of_value = np.array([*cells, 0], np.uint64)
        sums += of_value[table.codes[:, place]]
    return mixed(sums)


def _alone(looks: NDArray[np.uint64]) -> NDArray[np.uint64]:
    found, times = np.unique(looks, return_counts=True)
    alone: NDArray[np.uint64] = found[times == 1]
    return alone
