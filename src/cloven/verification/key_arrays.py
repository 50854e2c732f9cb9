"""Are the arrays of a key sound, and does it speak of this release and this original?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.arrays import among, distinct
from cloven.verification.faults import Fault, conclude, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.key import Key
    from cloven.model.transactions import Transactions
    from cloven.verification.verdict import Check


def check_key_arrays(release: Disassociated, original: Transactions, key: Key) -> Check:
    """Lengths and ranges of the key; every record it names is in the original, and is published once."""
    faults = _lengths(key)
    if not any(fault.count for fault in faults):
        faults = [*_ranges(release, key), *_records(original, key)]
    count = len(key.record)
    return conclude("key arrays", "key", count, faults, f"{count:,} parts of {len(key.records):,} records")


def _lengths(key: Key) -> list[Fault]:
    expected = {
        "release_row": (key.release_row, len(key.record)),
        "offsets": (key.offsets, len(key.record) + 1),
        "record_cluster": (key.record_cluster, len(key.records)),
        "persons": (key.records if key.persons is None else key.persons, len(key.records)),
        "suppressed_reason": (key.suppressed_reason, len(key.suppressed_record)),
        "suppressed_items": (key.suppressed_items, len(key.suppressed_record)),
    }
    return [
        Fault(
            int(len(values) != length), f"the key's {name} has {len(values):,} entries instead of {length:,}"
        )
        for name, (values, length) in expected.items()
    ]


def _ranges(release: Disassociated, key: Key) -> list[Fault]:
    offsets, row, cluster, items = key.offsets, key.release_row, key.record_cluster, key.items
    ends = int(offsets[0]) != 0 or int(offsets[-1]) != len(items)
    return [
        Fault(int(ends), f"the key's offsets do not run from 0 to {len(items):,}"),
        spot(np.diff(offsets) < 1, lambda at: f"part {at} of the key is empty"),
        spot((row < 0) | (row >= release.rows), lambda at: f"part {at} of the key is in row {row[at]}"),
        spot((items < 0) | (items >= len(release.vocabulary)), lambda at: f"the key names item {items[at]}"),
        spot(
            (cluster < 0) | (cluster >= release.clusters),
            lambda at: f"record {key.records[at]} is in cluster {cluster[at]}, which is not published",
        ),
    ]


def _records(original: Transactions, key: Key) -> list[Fault]:
    source = original.source_rows
    twice = len(source) - len(distinct(source))
    return [
        Fault(int(twice), "two records of the original have the same source position"),
        spot(np.diff(key.records) <= 0, lambda at: f"record {key.records[at + 1]} is out of order or twice"),
        _unknown(key.records, source, "published record", "the original"),
        _unknown(key.record, key.records, "record of a part", "the published records"),
        _unknown(key.suppressed_record, source, "suppressed record", "the original"),
    ]


def _unknown(values: NDArray[np.int64], known: NDArray[np.int64], what: str, where: str) -> Fault:
    return spot(~among(values, known), lambda at: f"{what} {values[at]} is not among {where}")
