"""Are the arrays of a release sound: lengths, ranges, kinds? Every other check relies on it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import shorten
from cloven.model.disassociated import Kind
from cloven.verification.faults import Fault, conclude, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.verification.verdict import Check


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
        faults.append(
            Fault(int(not (whole and value >= 1)), f"{name} is {value!r}, not a whole number from 1")
        )
    return faults


def _shapes(release: Disassociated) -> list[Fault]:
    faults = []
    for name in release.ARRAYS:
        array = getattr(release, name)
        sound = array.ndim == 1 and np.issubdtype(array.dtype, np.signedinteger)
        faults.append(Fault(int(not sound), f"{name} is not a list of whole numbers"))
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


def _clusters(release: Disassociated) -> list[Fault]:
    size, joints = release.cluster_size, len(release.joint_parent)
    return [
        spot(size < 1, lambda at: f"cluster {at} has size {size[at]}"),
        _range("cluster", "joint", release.cluster_joint, -1, joints),
        _range("joint", "parent", release.joint_parent, -1, joints),
    ]


def _rows(release: Disassociated) -> list[Fault]:
    kind, offsets, items = release.row_kind, release.row_offsets, release.row_items
    listed = (kind == Kind.TERM) & (release.row_cluster < 0) & (release.rare_items == "list")
    outside = (kind == Kind.SHARED) | listed
    lengths = np.diff(offsets)
    ends = int(offsets[0]) != 0 or int(offsets[-1]) != len(items)
    clusters, joints = len(release.cluster_size), len(release.joint_parent)
    return [
        Fault(int(ends), f"row_offsets run from {offsets[0]} to {offsets[-1]}, not from 0 to {len(items)}"),
        spot(lengths < 1, lambda at: f"row {at} is empty"),
        _range("item", "code", items, 0, len(release.vocabulary)),
        _range("row", "kind", kind, 0, len(Kind)),
        _range("row", "chunk", release.row_chunk, 0, np.iinfo(np.int32).max),
        _range(
            "row", "cluster", release.row_cluster, np.where(outside, -1, 0), np.where(outside, 0, clusters)
        ),
        _range("row", "joint", release.row_joint, np.where(outside, 0, -1), np.where(outside, joints, 0)),
    ]


def _range(
    thing: str,
    what: str,
    values: NDArray[np.signedinteger],
    low: int | NDArray[np.int64],
    end: int | NDArray[np.int64],
) -> Fault:
    """Values must lie in ``low <= value < end``."""
    return spot(
        (values < low) | (values >= end), lambda at: f"{thing} {at} has {what} {values[at]}: out of range"
    )


def check_vocabulary(release: Disassociated) -> Check:
    """The vocabulary ascends strictly, and every entry is published somewhere."""
    words = release.vocabulary
    used = np.bincount(release.row_items, minlength=len(words)) > 0
    fallen = np.fromiter((after <= before for before, after in pairwise(words)), bool, max(0, len(words) - 1))
    faults = [
        spot(fallen, lambda at: f"item {shorten(words[at + 1])} does not come after {shorten(words[at])}"),
        spot(~used, lambda at: f"item {shorten(words[at])} is in the vocabulary but in no row"),
    ]
    return conclude(
        "vocabulary", "release", len(words), faults, f"{len(words):,} items, ascending, all published"
    )
