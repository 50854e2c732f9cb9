"""Key against release and original: which record each row is, what it really holds, and what it lost."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from cloven.model.arrays import distinct, positions
from cloven.model.counted import counted
from cloven.verification.faults import Fault, conclude, spot
from cloven.verification.generalisation.rows import block_of_items, published

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.key_generalised import GeneralisedKey
    from cloven.model.set_generalised import SetGeneralised
    from cloven.model.transactions import Transactions
    from cloven.verification.verdict import Check


def check_key(release: SetGeneralised, original: Transactions, key: GeneralisedKey) -> list[Check]:
    """Arrays of the key; then its records, their items and rows, and what was suppressed."""
    arrays = _arrays(release, original, key)
    if not arrays.passed:
        return [arrays]
    order = np.argsort(original.source_rows)
    record = order[np.searchsorted(original.source_rows[order], key.records)]
    return [
        arrays,
        _items(release, original, key, record),
        _rows(release, key),
        _suppressed(release, original, key),
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


def _items(
    release: SetGeneralised, original: Transactions, key: GeneralisedKey, record: NDArray[np.int64]
) -> Check:
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


def _rows(release: SetGeneralised, key: GeneralisedKey) -> Check:
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


def _entries(key: GeneralisedKey) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    row = np.repeat(np.arange(len(key.records)), np.diff(key.offsets))
    return row, key.items.astype(np.int64)


def _differing(
    one: tuple[NDArray[np.int64], NDArray[np.int64]],
    other: tuple[NDArray[np.int64], NDArray[np.int64]],
    rows: int,
) -> NDArray[np.bool_]:
    """Rows whose lists of values are not equal; entries are in order of their rows."""
    lengths, other_lengths = (np.bincount(entries[0], minlength=rows) for entries in (one, other))
    wrong: NDArray[np.bool_] = lengths != other_lengths
    first, second = ~wrong[one[0]], ~wrong[other[0]]
    wrong[one[0][first][one[1][first] != other[1][second]]] = True
    return wrong


def _suppressed(release: SetGeneralised, original: Transactions, key: GeneralisedKey) -> Check:
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


def _persons(original: Transactions, key: GeneralisedKey, record: NDArray[np.int64]) -> Check:
    told = (original.persons is None) == (key.persons is None)
    faults = [Fault(int(not told), "key and original do not agree whether persons are told")]
    if original.persons is not None and key.persons is not None:
        wrong = original.persons[record] != key.persons
        faults.append(spot(wrong, lambda at: f"row {at}: the key names another person than the original"))
    return conclude("persons", "key", len(record), faults, "as in the original")
