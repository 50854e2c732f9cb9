"""Set-valued data: one record is a set of items.

Stored as compressed rows: record ``i`` holds the item codes ``codes[offsets[i]:offsets[i + 1]]``, ascending, and
``vocabulary[code]`` is the item's name. The vocabulary is sorted by code point and holds exactly the items that
occur, so comparing codes is comparing names, and two equal data sets have equal arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cloven.data import recognition
from cloven.data.arrays import ascend, distinct, take_rows
from cloven.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, repr=False)
class Transactions:
    """Records, each a non-empty set of items; immutable.

    Attributes:
        offsets: where each record starts in ``codes``; one longer than the number of records.
        codes: item codes, strictly ascending inside a record.
        vocabulary: item names, strictly ascending by code point; every one occurs.
        persons: number of the person behind each record, when one person may have several records.
        source_rows: position of each record in its source, counting records that were dropped as empty.
        empty_records: how many empty records were dropped; private, never published.

    >>> data = Transactions.from_records([["flu", "fever"], ["flu"], []])
    >>> len(data), data.vocabulary, data.empty_records
    (2, ('fever', 'flu'), 1)
    >>> [sorted(record) for record in data]
    [['fever', 'flu'], ['flu']]
    """

    noun: ClassVar = "record"
    at_a_glance: ClassVar = 4_000_000
    """Item occurrences above which a quick look takes a sample."""
    methods: ClassVar = "cloven.anonymisers"
    """Group of entry points of the anonymisers that take such data."""

    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    vocabulary: tuple[str, ...]
    persons: NDArray[np.int64] | None = None
    source_rows: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    empty_records: int = 0

    def __post_init__(self) -> None:
        if len(self.source_rows) == 0:
            object.__setattr__(self, "source_rows", np.arange(len(self), dtype=np.int64))
        for name in ("offsets", "codes", "persons", "source_rows"):
            array = getattr(self, name)
            if array is not None:
                # A view, so that the caller's own array stays as it is.
                frozen = array.view()
                frozen.setflags(write=False)
                object.__setattr__(self, name, frozen)
        self._check()

    def _check(self) -> None:
        """Everything else rests on this: sorted records over a sorted vocabulary."""
        names, codes, offsets = self.vocabulary, self.codes, self.offsets
        faults = {
            "vocabulary must ascend by code point": any(a >= b for a, b in pairwise(names)),
            "codes must lie in the vocabulary": len(codes) > 0
            and not 0 <= codes.min() <= codes.max() < len(names),
            "offsets must rise from 0 to the number of codes": (
                len(offsets) == 0
                or offsets[0] != 0
                or offsets[-1] != len(codes)
                or (np.diff(offsets) < 1).any()
            ),
            "source_rows must have one entry for each record": len(self.source_rows) != len(self),
            "persons must have one entry for each record": (
                self.persons is not None and len(self.persons) != len(self)
            ),
        }
        message = next((message for message, broken in faults.items() if broken), None)
        if message is None and len(codes) > 1:
            message = None if ascend(np.diff(offsets), codes) else "codes must ascend inside a record"
        if message is not None:
            message = f"{message}; build the data with from_records or from_arrays"
            raise InputError(message)

    @classmethod
    def from_records(cls, records: Iterable[Iterable[str]]) -> Transactions:
        """Build from any iterable of iterables of strings; repeated items in a record collapse."""
        sets: list[set[str]] = []
        for number, record in enumerate(records):
            if isinstance(record, str):
                message = "a record must be a collection of strings, not one string; wrap it in a list"
                raise InputError(message, source=f"record {number}", value=record)
            items = set(record)
            for item in items:
                if not isinstance(item, str) or not item.strip():
                    message = "an item must be a string that is not blank"
                    raise InputError(message, source=f"record {number}", value=repr(item))
            sets.append(items)
        code_of = {name: code for code, name in enumerate(sorted(set().union(*sets)))}
        lengths = np.fromiter((len(items) for items in sets), np.int64, len(sets))
        codes = np.fromiter((code_of[i] for items in sets for i in items), np.int32, int(lengths.sum()))
        return cls.from_arrays(lengths, codes, tuple(code_of))

    @classmethod
    def from_arrays(
        cls,
        lengths: NDArray[np.int64],
        codes: NDArray[np.int32],
        vocabulary: tuple[str, ...],
        *,
        persons: NDArray[np.int64] | None = None,
        source_rows: NDArray[np.int64] | None = None,
        empty_records: int = 0,
    ) -> Transactions:
        """Build from record lengths and item codes in any order: sort, collapse repeats, drop empty records.

        ``vocabulary`` must be sorted by code point without repeats; items that do not occur are left out.
        """
        kept = np.asarray(lengths).astype(np.int64, casting="same_kind")
        if kept.sum() != len(codes):
            message = (
                f"lengths of records must add up to the number of codes, {len(codes):,}, got {kept.sum():,}"
            )
            raise InputError(message)
        if not ascend(kept, codes):
            rows = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
            rows, codes = np.divmod(distinct(rows * max(1, len(vocabulary)) + codes), max(1, len(vocabulary)))
            kept = np.bincount(rows, minlength=len(lengths)).astype(np.int64)
        alive = kept > 0
        codes, vocabulary = _occurring(codes, vocabulary)
        source = np.arange(len(lengths), dtype=np.int64) if source_rows is None else source_rows
        return cls(
            np.concatenate(([0], np.cumsum(kept[alive]))),
            codes,
            vocabulary,
            None if persons is None else persons[alive],
            source[alive],
            empty_records + int((~alive).sum()),
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[frozenset[str]]:
        names = self.vocabulary
        for start, end in zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True):
            yield frozenset(names[code] for code in self.codes[start:end].tolist())

    def __getitem__(self, record: int) -> frozenset[str]:
        if not -len(self) <= record < len(self):
            message = f"record {record} of {len(self)}"
            raise IndexError(message)
        start, end = self.offsets[record % len(self)], self.offsets[record % len(self) + 1]
        return frozenset(self.vocabulary[code] for code in self.codes[start:end].tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Transactions):
            return NotImplemented
        same_persons = (self.persons is None) == (other.persons is None) and (
            self.persons is None or np.array_equal(self.persons, other.persons)  # type: ignore[arg-type]
        )
        return (
            self.vocabulary == other.vocabulary
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.codes, other.codes)
            and same_persons
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Transactions({len(self):,} records, {len(self.vocabulary):,} items, {len(self.codes):,} occurrences)"

    def _repr_html_(self) -> str:
        from cloven.data.cards import card

        return card(
            "Sets of items",
            {"records": len(self), "items": len(self.vocabulary), "occurrences": len(self.codes)},
        )

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of items of each record."""
        return np.diff(self.offsets)

    @property
    def supports(self) -> NDArray[np.int64]:
        """Number of records that hold each item of the vocabulary."""
        return np.bincount(self.codes, minlength=len(self.vocabulary)).astype(np.int64)

    @property
    def holders(self) -> NDArray[np.int64]:
        """Number of persons that hold each item of the vocabulary; of records, if persons are not told."""
        if self.persons is None:
            return self.supports
        width = max(1, len(self.vocabulary))
        _, person = np.unique(self.persons, return_inverse=True)
        pairs = distinct(np.repeat(person, self.lengths) * width + self.codes)
        return np.bincount(pairs % width, minlength=len(self.vocabulary)).astype(np.int64)

    def code_of(self) -> dict[str, int]:
        """Map each item name to its code."""
        return {name: code for code, name in enumerate(self.vocabulary)}

    def take(self, records: NDArray[Any]) -> Transactions:
        """Pick records by number (or boolean mask), in the order given; the vocabulary shrinks to what occurs."""
        index = np.flatnonzero(records) if records.dtype == bool else np.asarray(records, np.int64)
        if index.min(initial=0) < 0 or index.max(initial=-1) >= len(self):
            message = f"there are {len(self):,} records, numbered from 0"
            raise IndexError(message)
        offsets, codes = take_rows(self.offsets, self.codes, index)
        codes, vocabulary = _occurring(codes, self.vocabulary)
        persons = None if self.persons is None else self.persons[index]
        return Transactions(offsets, codes, vocabulary, persons, self.source_rows[index])

    def without_items(self, codes: NDArray[Any]) -> Transactions:
        """Remove the items with these codes everywhere; records left empty go, and are counted."""
        keep = ~np.isin(self.codes, codes)
        lengths = np.add.reduceat(keep, self.offsets[:-1]).astype(np.int64) if len(self) else self.lengths
        return Transactions.from_arrays(
            lengths,
            self.codes[keep],
            self.vocabulary,
            persons=self.persons,
            source_rows=self.source_rows,
            empty_records=self.empty_records,
        )

    @property
    def read_counts(self) -> dict[str, int]:
        """How much was read; the owner's alone."""
        return {"read_records": len(self), "empty_records": self.empty_records}

    def spelt(self) -> Iterator[bytes]:
        """All that was read as bytes, the same on every machine."""
        return recognition.spelt_records(self)

    def standing_out(self) -> NDArray[np.uint64]:
        """Hashes of the records that stand out, ascending: by them a later data set is recognised."""
        return recognition.records_standing_out(self)

    def alike_by_chance(self, others: int) -> recognition.Chance:  # noqa: ARG002
        """Shares of them that data of others has too: not measured, as they are small whatever the data are."""
        return recognition.Chance(0.0, 0.0)


def _occurring(codes: NDArray[Any], vocabulary: tuple[str, ...]) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """The same codes over the items that occur."""
    present = np.zeros(len(vocabulary), bool)
    present[codes] = True
    if not present.all():
        codes = (np.cumsum(present) - 1).astype(np.int32)[codes]
        vocabulary = tuple(name for name, here in zip(vocabulary, present, strict=True) if here)
    return np.asarray(codes, np.int32), vocabulary
