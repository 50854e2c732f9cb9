"""Release against original: is every row the image of a record, and how many items are suppressed? Needs no key."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING

import numpy as np

from cloven.data.arrays import distinct, positions
from cloven.figures import counted
from cloven.verification.verdict import Fault, conclude, named, spot

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cloven.compiled import Flags, Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.generalised.key import GeneralisedKey
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.verification.verdict import Check


def check_original(release: SetGeneralised, original: Transactions) -> list[Check]:
    """Items, suppressed items, and rows."""
    return [_items(release, original), _suppressed(release, original), _rows(release, original)]


def _items(release: SetGeneralised, original: Transactions) -> Check:
    invented = sorted(set(release.vocabulary).difference(original.vocabulary))
    fault = Fault(
        len(invented), f"published but not in the original: {named(invented, range(len(invented)))}"
    )
    said = f"{len(release.vocabulary):,} of {len(original.vocabulary):,} items published"
    return conclude("items", "original", len(original.vocabulary), [fault], said)


def _suppressed(release: SetGeneralised, original: Transactions) -> Check:
    """No more items are suppressed than the parameters allow; none, if they do not say."""
    lost = sorted(set(original.vocabulary).difference(release.vocabulary))
    share = release.parameters.get("max_suppressed", 0.0)
    allowed = int(share * len(original.vocabulary) + 1e-9) if isinstance(share, int | float) else 0
    said = (
        f"{counted(len(lost), 'items are suppressed')}, {allowed:,} may be: {named(lost, range(len(lost)))}"
    )
    empty = int((np.diff(release.row_offsets) == 0).sum())
    otherwise = (
        f"{len(lost):,} of at most {allowed:,} items suppressed; {counted(empty, 'records are left empty')}"
    )
    fault = Fault(int(len(lost) > allowed), said)
    return conclude("suppressed items", "original", len(original.vocabulary), [fault], otherwise)


def _rows(release: SetGeneralised, original: Transactions) -> Check:
    """A row shows a block if and only if its record holds one of the block's items."""
    shown, true = _counted(published(release)), _counted(images(release, original))
    invented, missing = shown - true, true - shown
    faults = [
        Fault(sum(found.values()), f"{what}: {_blocks(release, next(iter(found), b''))}")
        for found, what in ((invented, "no record gives the row"), (missing, "no row shows the record"))
    ]
    otherwise = f"{release.records:,} rows, each the image of a record"
    return conclude("rows", "original", len(original), faults, otherwise)


def _counted(rows: Rows) -> Counter[bytes]:
    blocks, offsets = rows.blocks.astype(np.int64), rows.offsets.tolist()
    return Counter(blocks[start:end].tobytes() for start, end in pairwise(offsets))


def _blocks(release: SetGeneralised, row: bytes) -> str:
    numbers = np.frombuffer(row, np.int64).tolist()
    return (
        " ".join(named(release.block(number), range(len(release.block(number)))) for number in numbers)
        or "empty"
    )


# Key against release and original: which record each row is, what it really holds, and what it lost.


def check_key(release: SetGeneralised, original: Transactions, key: GeneralisedKey) -> list[Check]:
    """Arrays of the key; then its records, their items and rows, and what was suppressed."""
    arrays = _arrays(release, original, key)
    if not arrays.passed:
        return [arrays]
    order = np.argsort(original.source_rows)
    record = order[np.searchsorted(original.source_rows[order], key.records)]
    return [
        arrays,
        _key_items(release, original, key, record),
        _key_rows(release, key),
        _key_suppressed(release, original, key),
        _persons(original, key, record),
    ]


def _arrays(release: SetGeneralised, original: Transactions, key: GeneralisedKey) -> Check:
    lengths = {
        "records": (len(key.records), release.records),
        "offsets": (len(key.offsets), release.records + 1),
        "suppressed_items": (len(key.suppressed_items), len(key.suppressed_record)),
        "persons": (release.records if key.persons is None else len(key.persons), release.records),
    }
    faults = [
        Fault(int(found != wanted), f"the key's {name} has {found:,} entries instead of {wanted:,}")
        for name, (found, wanted) in lengths.items()
    ]
    if not any(fault.count for fault in faults):
        items, offsets = key.items, key.offsets
        ends = int(offsets[0]) != 0 or int(offsets[-1]) != len(items)
        same = np.array_equal(np.sort(key.records), np.sort(original.source_rows))
        faults = [
            Fault(int(ends), f"the key's offsets do not run from 0 to {len(items):,}"),
            spot(np.diff(offsets) < 0, lambda at: f"the key's offsets fall at row {at}"),
            spot(
                (items < 0) | (items >= len(release.vocabulary)), lambda at: f"the key names item {items[at]}"
            ),
            Fault(int(not same), "the key's records are not those of the original, each once"),
        ]
    return conclude(
        "key arrays", "key", release.records, faults, f"{len(key.records):,} records, each in one row"
    )


def _key_items(release: SetGeneralised, original: Transactions, key: GeneralisedKey, record: Longs) -> Check:
    """The items that the key gives to a row are those of its record that are published."""
    code_of = {item: code for code, item in enumerate(release.vocabulary)}
    code = np.array([code_of.get(item, -1) for item in original.vocabulary], np.int64)
    lengths = original.lengths[record]
    found = code[original.codes[positions(original.offsets[:-1][record], lengths)]]
    row = np.repeat(np.arange(len(record)), lengths)[found >= 0]
    wrong = _differing((row, found[found >= 0]), _entries(key), len(record))
    faults = [spot(wrong, lambda at: f"row {at}: the key's items are not those of record {key.records[at]}")]
    return conclude(
        "items of records", "key", len(record), faults, f"{len(key.items):,} items as in the original"
    )


def _key_rows(release: SetGeneralised, key: GeneralisedKey) -> Check:
    """The blocks of the items that the key gives to a row are the row."""
    row, item = _entries(key)
    width = max(1, release.blocks)
    pairs = distinct(np.sort(row * width + block_of_items(release)[item]))
    rows = published(release)
    shown = np.repeat(np.arange(release.records), np.diff(rows.offsets)), rows.blocks
    wrong = _differing((pairs // width, pairs % width), shown, release.records)
    faults = [spot(wrong, lambda at: f"row {at} does not show the blocks of record {key.records[at]}")]
    return conclude(
        "rows of records", "key", release.records, faults, f"{release.records:,} rows as by the key"
    )


def _entries(key: GeneralisedKey) -> tuple[Longs, Longs]:
    row = np.repeat(np.arange(len(key.records)), np.diff(key.offsets))
    return row, key.items.astype(np.int64)


def _differing(one: tuple[Longs, Longs], other: tuple[Longs, Longs], rows: int) -> Flags:
    """Rows whose lists of values are not equal; entries are in order of their rows."""
    lengths, other_lengths = (np.bincount(entries[0], minlength=rows) for entries in (one, other))
    wrong: Flags = lengths != other_lengths
    first, second = ~wrong[one[0]], ~wrong[other[0]]
    wrong[one[0][first][one[1][first] != other[1][second]]] = True
    return wrong


def _key_suppressed(release: SetGeneralised, original: Transactions, key: GeneralisedKey) -> Check:
    """Every record that lost items is listed with all of them, in the order of the records."""
    kept = set(release.vocabulary)
    gone = np.array([item not in kept for item in original.vocabulary], bool)[original.codes]
    source = np.repeat(original.source_rows, original.lengths)[gone]
    code, lost = original.codes[gone], dict[int, list[str]]()
    for at in np.argsort(source, kind="stable").tolist():
        lost.setdefault(int(source[at]), []).append(original.vocabulary[code[at]])
    expected = [(record, tuple(names)) for record, names in lost.items()]
    told = list(zip(key.suppressed_record.tolist(), key.suppressed_items, strict=True))
    wrong = [mine or yours for mine, yours in zip_longest(told, expected) if mine != yours]
    faults = (
        [Fault(len(wrong), f"record {wrong[0][0]}: the key is wrong about what it lost")] if wrong else []
    )
    said = f"{counted(len(expected), 'records')} lost items"
    return conclude("suppressed by record", "key", len(expected), faults, said)


def _persons(original: Transactions, key: GeneralisedKey, record: Longs) -> Check:
    told = (original.persons is None) == (key.persons is None)
    faults = [Fault(int(not told), "key and original do not agree whether persons are told")]
    if original.persons is not None and key.persons is not None:
        wrong = original.persons[record] != key.persons
        faults.append(spot(wrong, lambda at: f"row {at}: the key names another person than the original"))
    return conclude("persons", "key", len(record), faults, "as in the original")


# Rows to count in: as published, or as they should be by the original.


@dataclass(frozen=True)
class Rows:
    """Blocks of each row, ascending, and who stands behind it.

    Attributes:
        offsets: where each row starts in ``blocks``.
        blocks: numbers of blocks.
        owner: number of the person behind each row, ascending; the row itself, if each is somebody else's.
        count: number of blocks of the release.
        noun: what is counted.
    """

    offsets: Longs
    blocks: Longs
    owner: Longs
    count: int
    noun: str

    @cached_property
    def _holding(self) -> tuple[Longs, Longs]:
        """Rows of each block, one block after the other."""
        row = np.repeat(np.arange(len(self.owner)), np.diff(self.offsets))
        order = np.argsort(self.blocks, kind="stable")
        starts = np.searchsorted(self.blocks[order], np.arange(self.count + 1))
        return starts, row[order]

    def showing(self, block: int) -> Longs:
        """Rows that show a block, ascending."""
        starts, rows = self._holding
        return rows[starts[block] : starts[block + 1]]

    def showing_all(self, blocks: Iterable[int]) -> Longs:
        """Rows that show all of some blocks, ascending; there is at least one block."""
        lists = sorted((self.showing(block) for block in blocks), key=len)
        found = lists[0]
        for rows in lists[1:]:
            found = np.intersect1d(found, rows, assume_unique=True)
        return found

    def owners(self, rows: Longs) -> int:
        """Number of persons behind some rows."""
        return len(distinct(self.owner[rows]))


def block_of_items(release: SetGeneralised) -> Longs:
    """Block of each item of the vocabulary."""
    block = np.empty(len(release.vocabulary), np.int64)
    block[release.block_items] = np.repeat(np.arange(release.blocks), release.block_sizes)
    return block


def blocks_by_original(release: SetGeneralised, original: Transactions) -> Longs:
    """Block of each item of the original; -1 for items that are not published."""
    block = block_of_items(release)
    code_of = {item: code for code, item in enumerate(release.vocabulary)}
    found = [block[code_of[item]] if item in code_of else -1 for item in original.vocabulary]
    return np.array(found, np.int64)


def published(release: SetGeneralised) -> Rows:
    """The rows of a release."""
    row = np.repeat(np.arange(release.records), np.diff(release.row_offsets))
    order = np.lexsort((release.row_blocks, row))
    blocks = release.row_blocks[order].astype(np.int64)
    return Rows(release.row_offsets, blocks, np.arange(release.records), release.blocks, "row")


def images(release: SetGeneralised, original: Transactions) -> Rows:
    """The rows that records of the original should become, in the order of their persons."""
    owner = np.arange(len(original)) if original.persons is None else original.persons
    order = np.argsort(owner, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    block = blocks_by_original(release, original)[original.codes]
    row = np.repeat(place, original.lengths)
    pairs = distinct(np.sort((row * max(1, release.blocks) + block)[block >= 0]))
    row, block = np.divmod(pairs, max(1, release.blocks))
    offsets = np.searchsorted(row, np.arange(len(original) + 1))
    _, number = np.unique(owner[order], return_inverse=True)
    noun = "record" if original.persons is None else "person"
    return Rows(offsets, block, number.astype(np.int64), release.blocks, noun)
