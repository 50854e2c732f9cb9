"""Are the arrays of a release sound: lengths, ranges, kinds? Every other check relies on it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import among, distinct
from cloven.errors import shorten
from cloven.kinds.disassociated.release import Kind, most_records
from cloven.verification.verdict import Fault, conclude, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.key import Key
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.verify.layout import Layout
    from cloven.verification.verdict import Check

_MOST = int(np.iinfo(np.int32).max)
# Of k and m: nobody has so many records, and products of such numbers are still numbers. Of chunks: one fewer.
_TERM, _SHARED = int(Kind.TERM), int(Kind.SHARED)


def check_arrays(release: Disassociated) -> Check:
    """Lengths, types and ranges of everything in the release; rows are not empty."""
    faults = _promise(release) + _shapes(release)
    if not any(fault.count for fault in faults):
        faults = [*_clusters(release), *_rows(release)]
    examined = len(release.row_kind)
    return conclude("arrays", "release", examined, faults, f"{examined:,} rows, all lengths and ranges sound")


def _promise(release: Disassociated) -> list[Fault]:
    faults = []
    for name, value in (("k", release.k), ("m", release.m)):
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        sound = whole and 1 <= value <= _MOST
        faults.append(Fault(int(not sound), f"{name} is {value!r}, not a whole number from 1 to {_MOST:,}"))
    return faults


def _shapes(release: Disassociated) -> list[Fault]:
    faults = [_listed(name, getattr(release, name)) for name in release.ARRAYS]
    rows, clusters = len(release.row_kind), len(release.cluster_size)
    expected = {
        "cluster_joint": clusters,
        "row_cluster": rows,
        "row_joint": rows,
        "row_chunk": rows,
        "row_offsets": rows + 1,
    }
    for name, length in expected.items():
        found = len(getattr(release, name))
        faults.append(Fault(int(found != length), f"{name} has {found:,} entries instead of {length:,}"))
    faults.append(Fault(int(clusters == 0), "there is no cluster"))
    strange = [name for name in release.vocabulary if not isinstance(name, str)]
    faults.append(Fault(len(strange), f"an item is not a string but {strange[:1]!r}"))
    return faults


def _listed(name: str, array: NDArray[Any]) -> Fault:
    sound = array.ndim == 1 and np.issubdtype(array.dtype, np.signedinteger)
    return Fault(int(not sound), f"{name} is not a list of whole numbers")


def _clusters(release: Disassociated) -> list[Fault]:
    size, joints = release.cluster_size, len(release.joint_parent)
    return [
        spot(size < 1, lambda at: f"cluster {at} has size {size[at]}"),
        _records(release),
        _range("cluster", "joint", release.cluster_joint, -1, joints),
        _range("joint", "parent", release.joint_parent, -1, joints),
    ]


def _records(release: Disassociated) -> Fault:
    records = sum(release.cluster_size.tolist())  # they may be more than 64 bits can count
    strange = records > most_records(release.rows)
    return Fault(int(strange), f"the clusters have {records:,} records, and there are {release.rows:,} rows")


def _rows(release: Disassociated) -> list[Fault]:
    kind, offsets, items = release.row_kind, release.row_offsets, release.row_items
    listed = (kind == Kind.TERM) & (release.row_cluster < 0) & (release.rare_items == "list")
    outside = (kind == Kind.SHARED) | listed
    ends = int(offsets[0]) != 0 or int(offsets[-1]) != len(items)
    clusters, joints = len(release.cluster_size), len(release.joint_parent)
    return [
        Fault(int(ends), f"row_offsets run from {offsets[0]} to {offsets[-1]}, not from 0 to {len(items)}"),
        spot(_falls(offsets), lambda at: f"row {at} is empty"),
        _range("item", "code", items, 0, len(release.vocabulary)),
        _range("row", "kind", kind, 0, len(Kind)),
        _range("row", "chunk", release.row_chunk, 0, _MOST),
        _range("row", "cluster", release.row_cluster, -1, clusters, outside),
        _range("row", "joint", release.row_joint, -1, joints, ~outside),
    ]


def _falls(offsets: NDArray[np.signedinteger]) -> Flags:
    """Where offsets do not ascend; differences of numbers from one end to the other would have no room."""
    falls: Flags = offsets[1:] <= offsets[:-1]
    return falls


def _range(
    thing: str,
    what: str,
    values: NDArray[np.signedinteger],
    low: int,
    end: int,
    none: Flags | None = None,
) -> Fault:
    """Values must lie in ``low <= value < end``; where it is told which are none, these are -1 and no others."""
    sound = not len(values) or (values.min() >= low and values.max() < end)
    stray = None if none is None else (values < 0) != none
    if sound and (stray is None or not stray.any()):
        return Fault(0, "")
    bad = (values < low) | (values >= end)
    return spot(
        bad if stray is None else bad | stray,
        lambda at: f"{thing} {at} has {what} {values[at]}: out of range",
    )


def check_vocabulary(release: Disassociated, layout: Layout) -> Check:
    """The vocabulary ascends strictly, and every entry is published somewhere."""
    words = release.vocabulary
    used = np.bincount(layout.pair_item, minlength=len(words)) > 0
    fallen = np.fromiter((after <= before for before, after in pairwise(words)), bool, max(0, len(words) - 1))
    faults = [
        spot(fallen, lambda at: f"item {shorten(words[at + 1])} does not come after {shorten(words[at])}"),
        spot(~used, lambda at: f"item {shorten(words[at])} is in the vocabulary but in no row"),
    ]
    return conclude(
        "vocabulary", "release", len(words), faults, f"{len(words):,} items, ascending, all published"
    )


# Are the arrays of a key sound, and does it speak of this release and this original?


def check_key_arrays(release: Disassociated, original: Transactions, key: Key) -> Check:
    """Lengths and ranges of the key; every record it names is in the original, and is published once."""
    faults = _lengths(key)
    if not any(fault.count for fault in faults):
        faults = [*_ranges(release, key), *_records_of_key(original, key)]
    count = len(key.record)
    return conclude("key arrays", "key", count, faults, f"{count:,} parts of {len(key.records):,} records")


def _lengths(key: Key) -> list[Fault]:
    numbers = ["record", "release_row", "offsets", "items", "records", "record_cluster", "suppressed_record"]
    numbers += ["persons"] if key.persons is not None else []
    expected = {
        "release_row": (key.release_row, len(key.record)),
        "offsets": (key.offsets, len(key.record) + 1),
        "record_cluster": (key.record_cluster, len(key.records)),
        "persons": (key.records if key.persons is None else key.persons, len(key.records)),
        "suppressed_reason": (key.suppressed_reason, len(key.suppressed_record)),
        "suppressed_items": (key.suppressed_items, len(key.suppressed_record)),
    }
    return [_listed(f"the key's {name}", getattr(key, name)) for name in numbers] + [
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
        spot(_falls(offsets), lambda at: f"part {at} of the key is empty"),
        spot((row < 0) | (row >= release.rows), lambda at: f"part {at} of the key is in row {row[at]}"),
        spot((items < 0) | (items >= len(release.vocabulary)), lambda at: f"the key names item {items[at]}"),
        spot(
            (cluster < 0) | (cluster >= release.clusters),
            lambda at: f"record {key.records[at]} is in cluster {cluster[at]}, which is not published",
        ),
    ]


def _records_of_key(original: Transactions, key: Key) -> list[Fault]:
    source = original.source_rows
    twice = len(source) - len(distinct(source))
    return [
        Fault(int(twice), "two records of the original have the same source position"),
        spot(_falls(key.records), lambda at: f"record {key.records[at + 1]} is out of order or twice"),
        _unknown(key.records, source, "published record", "the original"),
        _unknown(key.record, key.records, "record of a part", "the published records"),
        _unknown(key.suppressed_record, source, "suppressed record", "the original"),
    ]


def _unknown(values: Longs, known: Longs, what: str, where: str) -> Fault:
    whole = len(values) > 0 and len(known) > 0 and values.dtype == known.dtype == np.int64
    if whole and values.min() >= known[0] and values.max() <= known[-1] and (np.diff(known) == 1).all():
        return Fault(0, "")  # nothing is missing between the first and the last, as mostly
    return spot(~among(values, known), lambda at: f"{what} {values[at]} is not among {where}")
