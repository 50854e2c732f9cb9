"""Turn labelled occurrences into the published release and the owner's key, in canonical order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.anonymise.disassociation.canonical import (
    Rows,
    canonical_numbers,
    cluster_tails,
    list_tail,
    tokens,
)
from cloven.anonymise.disassociation.ordering import lexicographic_order, take_rows
from cloven.compiled import compiled
from cloven.model.arrays import distinct
from cloven.model.disassociated import Disassociated, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from cloven.compiled import Ints


class Labels(NamedTuple):
    """Where every occurrence of the data goes.

    Attributes:
        cluster_of: cluster of each record, -1 when it is left out.
        joint: joint of each occurrence in a shared chunk, -1 otherwise.
        chunk: chunk of each occurrence in its joint or cluster, -1 for the term chunk (of its cluster, or the list of
            the root), below that if it is not published.
        cluster_joint: innermost joint of each cluster, -1 for none.
        joint_parent: parent of each joint, -1 for none.
    """

    cluster_of: NDArray[np.int64]
    joint: NDArray[np.int64]
    chunk: NDArray[np.int32]
    cluster_joint: NDArray[np.int64]
    joint_parent: NDArray[np.int64]


class Parts(NamedTuple):
    """What each record contributes to each published row; parts are sorted by record."""

    record: NDArray[np.int64]
    release_row: NDArray[np.int64]
    offsets: NDArray[np.int64]
    items: NDArray[np.int32]


@compiled
def _cut(
    offsets: Ints, items: Ints, cluster_of: Ints, joint: Ints, chunk: Ints
) -> tuple[Ints, Ints, Ints, Ints, Any]:
    """Cut every record into parts: one for each chunk it appears in, term chunk included (chunk -1).

    Occurrences that are not published (chunk below -1) are left out.
    """
    n = len(items)
    record, owner, number = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    start, out = np.zeros(n + 1, np.int64), np.empty(n, np.int32)
    parts, at = 0, 0
    for r in range(len(offsets) - 1):
        if cluster_of[r] < 0:
            continue
        first, last = offsets[r], offsets[r + 1]
        order = np.argsort(joint[first:last] * (1 << 31) + chunk[first:last], kind="mergesort")
        before = -1
        for i in range(last - first):
            e = first + order[i]
            if chunk[e] < -1:
                continue
            if before < 0 or joint[before] != joint[e] or chunk[before] != chunk[e]:
                record[parts], owner[parts], number[parts] = r, joint[e], chunk[e]
                start[parts] = at
                parts += 1
            out[at] = items[e]
            at += 1
            before = e
    start[parts] = at
    return record[:parts], owner[:parts], number[:parts], start[: parts + 1], out[:at]


def _grouped(
    owner: NDArray[np.int64], chunk: NDArray[np.int64], sorted_by_items: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Order of rows by owner, chunk and items, given their order by items."""
    keys = (owner[sorted_by_items] << 32) | chunk[sorted_by_items]
    return sorted_by_items[np.argsort(keys, kind="stable")]


def _rows(
    select: NDArray[np.int64],
    owner: NDArray[np.int64],
    chunk: NDArray[np.int64],
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
) -> tuple[Rows, NDArray[np.int64]]:
    """The selected parts as rows grouped by owner; and which part each row is."""
    bounds, values = take_rows(offsets, items, select)
    order = _grouped(owner[select], chunk[select], lexicographic_order(bounds, values))
    row_offsets, row_items = take_rows(bounds, values, order)
    part = select[order]
    return Rows(owner[part], chunk[part], row_offsets, row_items), part


def _renumbered(
    rows: Rows, part: NDArray[np.int64], number: NDArray[np.int64]
) -> tuple[Rows, NDArray[np.int64]]:
    """Rows with owners renumbered and sorted by the new numbers; chunks and items keep their order."""
    owner = number[rows.owner]
    order = np.argsort(owner, kind="stable")
    offsets, items = take_rows(rows.offsets, rows.items, order)
    return Rows(owner[order], rows.chunk[order], offsets, items), part[order]


def _term_chunks(
    cluster: NDArray[np.int64], items: NDArray[np.int32], n_clusters: int, n_items: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Items of the term chunk of each cluster, as compressed rows."""
    keys = distinct(cluster * n_items + items)
    bounds = np.searchsorted(keys, np.arange(n_clusters + 1, dtype=np.int64) * n_items)
    return bounds.astype(np.int64), (keys % n_items).astype(np.int32)


def _publish(
    records: Rows,
    terms: tuple[NDArray[np.int64], NDArray[np.int32]],
    shared: Rows,
    root: tuple[int, NDArray[np.int32]],
) -> tuple[dict[str, NDArray[Any]], NDArray[np.int64], NDArray[np.int64]]:
    """Interleave term chunks with record chunks, append shared chunks; the list of the root stands before its chunks.

    Returns the row arrays of a release, the place of each record row, and the place of each cluster's term row, and
    last that of the list.
    """
    term_offsets, term_items = terms
    joint_of_list, listed = root
    has_term = np.flatnonzero(np.diff(term_offsets))
    counts = (len(records.owner), len(has_term), min(1, len(listed)), len(shared.owner))
    lengths = np.concatenate(
        (
            np.diff(records.offsets),
            np.diff(term_offsets)[has_term],
            np.full(counts[2], len(listed)),
            np.diff(shared.offsets),
        )
    ).astype(np.int64)
    flat = np.concatenate((records.items, term_items, listed, shared.items))
    starts = np.concatenate(([0], np.cumsum(lengths)))
    inside, every = counts[0] + counts[1], sum(counts)
    cluster = np.concatenate((records.owner, has_term, np.full(every - inside, -1)))
    joint = np.concatenate((np.full(inside, -1), np.full(counts[2], joint_of_list), shared.owner))
    kind = np.repeat(np.array([Kind.RECORD, Kind.TERM, Kind.TERM, Kind.SHARED], np.int8), counts)
    chunk = np.concatenate((records.chunk, np.zeros(counts[1] + counts[2], np.int64), shared.chunk))
    inner = np.argsort(cluster[:inside] * 2 + kind[:inside], kind="stable")
    outer = inside + np.argsort(joint[inside:], kind="stable")
    order = np.concatenate((inner, outer))
    place = np.empty(every, np.int64)
    place[order] = np.arange(every)
    offsets, items = take_rows(starts, flat, order)
    arrays: dict[str, NDArray[Any]] = {
        "row_cluster": cluster[order].astype(np.int64),
        "row_joint": joint[order].astype(np.int64),
        "row_chunk": chunk[order].astype(np.int32),
        "row_kind": kind[order],
        "row_offsets": offsets,
        "row_items": items,
    }
    term_place = np.full(len(term_offsets), -1, np.int64)
    term_place[has_term] = place[counts[0] : inside]
    term_place[-1] = place[inside] if counts[2] else -1
    return arrays, np.concatenate((place[: counts[0]], place[inside + counts[2] :])), term_place


def assemble(
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    vocabulary: tuple[str, ...],
    labels: Labels,
    *,
    k: int,
    m: int,
    parameters: Mapping[str, Any],
) -> tuple[Disassociated, Parts, NDArray[np.int64]]:
    """Build release, parts of the key, and the published cluster of each record (-1 when left out)."""
    cluster_of, n_clusters, n_joints = labels.cluster_of, len(labels.cluster_joint), len(labels.joint_parent)
    published = np.repeat(cluster_of >= 0, np.diff(offsets)) & (labels.chunk >= -1)
    present = np.zeros(len(vocabulary), bool)
    present[codes[published]] = True
    # An unpublished occurrence of an item that is published nowhere has no number; nothing reads it.
    items = (np.cumsum(present) - 1).astype(np.int32)[codes]
    names = tuple(name for name, here in zip(vocabulary, present, strict=True) if here)

    record, owner, chunk, start, part_items = _cut(offsets, items, cluster_of, labels.joint, labels.chunk)
    in_shared, in_list = (owner >= 0) & (chunk >= 0), (owner >= 0) & (chunk < 0)
    in_term = (owner < 0) & (chunk < 0)
    listed = distinct(part_items[np.repeat(in_list, np.diff(start))])
    owner = np.where(in_shared, owner, cluster_of[record])
    rows, row_part = _rows(np.flatnonzero(~in_shared & (chunk >= 0)), owner, chunk, start, part_items)
    shared, shared_part = _rows(np.flatnonzero(in_shared), owner, chunk, start, part_items)
    term_part = np.repeat(in_term, np.diff(start))
    term_owner = np.repeat(owner, np.diff(start))[term_part]
    terms = _term_chunks(term_owner, part_items[term_part], n_clusters, max(1, len(names)))
    sizes = np.bincount(cluster_of[cluster_of >= 0], minlength=n_clusters).astype(np.int64)

    number, joint_number = canonical_numbers(
        tokens(n_clusters, rows, *cluster_tails(sizes, *terms)),
        tokens(n_joints, shared, *list_tail(n_joints, listed)),
        labels.cluster_joint,
        labels.joint_parent,
    )
    back = np.argsort(number)
    rows, row_part = _renumbered(rows, row_part, number)
    shared, shared_part = _renumbered(shared, shared_part, joint_number)
    root = joint_number[-1] if len(listed) else -1  # the root is the last joint that is made
    arrays, place, term_place = _publish(rows, take_rows(*terms, back), shared, (int(root), listed))
    above = np.append(joint_number, -1)
    release = Disassociated(
        k=k,
        m=m,
        parameters=parameters,
        vocabulary=names,
        cluster_size=sizes[back],
        cluster_joint=above[labels.cluster_joint][back],
        joint_parent=above[labels.joint_parent][np.argsort(joint_number)],
        **arrays,
    )
    where = np.empty(len(record), np.int64)
    where[np.concatenate((row_part, shared_part))] = place
    where[in_term] = term_place[number[owner[in_term]]]
    where[in_list] = term_place[-1]
    final = np.where(cluster_of >= 0, number[np.maximum(cluster_of, 0)], -1)
    return release, Parts(record, where, start, part_items), final
