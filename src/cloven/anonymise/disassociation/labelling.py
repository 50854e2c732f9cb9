"""Run the three steps block by block and say where every occurrence of the data goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.anonymise.disassociation.assemble import Labels
from cloven.anonymise.disassociation.blocks import blocks
from cloven.anonymise.disassociation.holding import holders_of_clusters
from cloven.anonymise.disassociation.horizontal import Part, horizontal_step
from cloven.anonymise.disassociation.lots import Lots, lots_of
from cloven.anonymise.disassociation.ordering import take_rows
from cloven.anonymise.disassociation.prepare import tie_order_of
from cloven.anonymise.disassociation.refine import refine
from cloven.anonymise.disassociation.root import Promise, rooted
from cloven.anonymise.disassociation.safety import without_covers
from cloven.anonymise.disassociation.vertical import Vertical, verpart
from cloven.compiled import Ints, compiled
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.anonymise.disassociation.method import Disassociation
    from cloven.anonymise.disassociation.prepare import Prepared
    from cloven.model.transactions import Transactions


class Terms(NamedTuple):
    """What the parameters say of each term, in tie order: its utility group, and whether it is barred from chunks."""

    group: NDArray[np.int64]
    barred: NDArray[np.bool_]


class Records(NamedTuple):
    """Records of one block as compressed rows of terms, with their persons (or none)."""

    offsets: NDArray[np.int64]
    terms: NDArray[np.int32]
    person: NDArray[np.int64]


def label(
    method: Disassociation, data: Transactions, prepared: Prepared, report: Callable[[str, float], None]
) -> Labels:
    """Labels of all occurrences; clusters and joints are numbered through the blocks."""
    terms, n_terms = _terms(method, data), len(data.vocabulary)
    lots = lots_of(method.seed)
    cluster_of = np.full(len(data), -1, np.int64)
    joint, chunk = np.full(len(prepared.terms), -1, np.int64), np.full(len(prepared.terms), -1, np.int32)
    cluster_joint: list[NDArray[np.int64]] = []
    joint_parent: list[NDArray[np.int64]] = []
    clusters = joints = 0
    found = blocks(
        *_without(prepared.offsets, prepared.terms, terms.barred),
        n_terms,
        prepared.person,
        method.k,
        method.block_records,
    )
    for number, block in enumerate(found):
        report("split", number / len(found))
        records = _records(prepared, block.records)
        here = _label_block(method, records, terms, block.spent, lots)
        cluster_of[block.records] = _shifted(here.cluster_of, clusters)
        _scatter(
            records.offsets, here.joint, here.chunk, joints, prepared.offsets[block.records], joint, chunk
        )
        cluster_joint.append(_shifted(here.cluster_joint, joints))
        joint_parent.append(_shifted(here.joint_parent, joints))
        clusters += len(here.cluster_joint)
        joints += len(here.joint_parent)
    if clusters == 0:
        message = (
            f"every cluster is below k = {method.k}: suppressing them leaves nothing to publish; use 'add'"
        )
        raise ParameterError(message)
    labels = Labels(cluster_of, joint, chunk, np.concatenate(cluster_joint), np.concatenate(joint_parent))
    if method.rare_items == "cluster":
        return labels
    report("root", 0.0)
    return rooted(
        labels, prepared.offsets, prepared.terms, prepared.person, terms.group, terms.barred,
        Promise(method.k, method.m, method.reading == "strict"), method.rare_items,
        several=method.root_chunks == "several",
    )  # fmt: skip


@compiled
def _scatter(
    offsets: Ints, joint: Ints, chunk: Ints, first: int, places: Ints, all_joint: Ints, all_chunk: Ints
) -> None:
    """Copy the labels of a block to where its records stand in the data; joints are numbered from ``first``."""
    for row in range(len(offsets) - 1):
        place = places[row] - offsets[row]
        for e in range(offsets[row], offsets[row + 1]):
            all_joint[place + e] = joint[e] + first if joint[e] >= 0 else -1
            all_chunk[place + e] = chunk[e]


def _shifted(numbers: NDArray[np.int64], first: int) -> NDArray[np.int64]:
    """Numbers moved up by ``first``; -1 stays."""
    return np.where(numbers >= 0, numbers + first, -1)


def _terms(method: Disassociation, data: Transactions) -> Terms:
    """Utility group of each term: the first that names it; terms in no group come last, together."""
    place, code_of = tie_order_of(data, method.tie_order), data.code_of()
    group = np.full(len(data.vocabulary), len(method.utility_groups), np.int64)
    for number, names in reversed(list(enumerate(method.utility_groups))):
        group[place[[code_of[name] for name in names if name in code_of]]] = number
    barred = np.zeros(len(data.vocabulary), bool)
    barred[place[[code_of[name] for name in method.sensitive if name in code_of]]] = True
    return Terms(group, barred)


def _records(prepared: Prepared, records: NDArray[np.int64]) -> Records:
    if len(records) == len(prepared.offsets) - 1:
        return Records(prepared.offsets, prepared.terms, prepared.person)
    offsets, terms = take_rows(prepared.offsets, prepared.terms, records)
    return Records(offsets, terms, prepared.person[records] if len(prepared.person) else prepared.person)


def _without(
    offsets: NDArray[np.int64], terms: NDArray[np.int32], unwanted: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Rows without some terms; they may become empty."""
    if not unwanted.any():
        return offsets, terms
    keep = ~unwanted[terms]
    return np.concatenate(([0], np.cumsum(keep)))[offsets], terms[keep]


def _clusters(
    method: Disassociation, records: Records, terms: Terms, spent: frozenset[int]
) -> NDArray[np.int64]:
    """The horizontal step; terms that made the block are not split by again.

    Barred terms are not split by at all: a cluster of those who hold a sensitive item would tell it of each of them.
    """
    step = horizontal_step(method.horizontal) if isinstance(method.horizontal, str) else method.horizontal
    unwanted = terms.barred.copy()
    unwanted[list(spent)] = True
    offsets, codes = _without(records.offsets, records.terms, unwanted)
    maximum = method.max_cluster_size or len(offsets) - 1
    part = Part(
        offsets, codes, len(unwanted), records.person, method.k, method.m, maximum, method.small_clusters
    )
    return _checked(step.partition(part), part, type(step).__name__)


def _checked(found: NDArray[np.int64], part: Part, name: str) -> NDArray[np.int64]:
    """Clusters as a horizontal step must give them: one number for each record, without gaps, k holders each."""
    n = len(part.offsets) - 1
    clusters = np.asarray(found)
    if clusters.shape != (n,) or not np.issubdtype(clusters.dtype, np.integer):
        got = f"{clusters.dtype} of shape {clusters.shape}"
        message = f"{name}.partition must give one whole number for each of {n:,} records, got {got}"
        raise ParameterError(message)
    clusters = clusters.astype(np.int64)
    left = np.count_nonzero(clusters < 0)
    if left and part.small != "suppress":
        message = f"{name}.partition left {left:,} records out, which only small_clusters='suppress' allows"
        raise ParameterError(message)
    behind = holders_of_clusters(part.person, clusters)
    least = 1 if part.small == "keep" else part.k
    if len(behind) and behind.min() < least:
        cluster = int(behind.argmin())
        message = f"{name}.partition gave cluster {cluster} to {behind[cluster]} holders, fewer than {least}"
        raise ParameterError(message)
    return clusters


def _label_block(
    method: Disassociation, records: Records, terms: Terms, spent: frozenset[int], lots: Lots
) -> Labels:
    """The three steps on one block."""
    offsets, codes, person = records
    strict = method.reading == "strict"
    lemma = method.rare_items != "withhold"  # else any record may be empty, as far as readers know
    cluster_of = _clusters(method, records, terms, spent)
    count = int(cluster_of.max(initial=-1)) + 1
    published = np.flatnonzero(cluster_of >= 0)
    keys = (person[published],) if len(person) else ()
    members = published[np.lexsort((*keys, cluster_of[published]))]
    start = np.concatenate(([0], np.cumsum(np.bincount(cluster_of[published], minlength=count)))).astype(
        np.int64
    )
    vertical = Vertical(
        *verpart(
            offsets,
            codes,
            members,
            start,
            terms.group,
            terms.barred,
            person,
            method.k,
            method.m,
            strict,
            lemma,
        )
    )
    if method.safe != "no":
        vertical = without_covers(
            vertical, (offsets, codes), (members, start), terms.group,
            k=method.k, m=method.m, exact=method.safe == "exact", may_be_empty=not lemma, lots=lots,
        )  # fmt: skip
    if not method.refine:
        nothing, alone = np.full(len(codes), -1, np.int64), np.full(count, -1, np.int64)
        return Labels(cluster_of, nothing, vertical.chunk, alone, np.empty(0, np.int64))
    record_of = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    refined = refine(
        vertical, record_of, cluster_of, codes, terms.group, terms.barred, person,
        k=method.k, m=method.m, strict=strict, listed_too=method.join_terms == "listed", lemma=lemma,
    )  # fmt: skip
    return Labels(cluster_of, *refined)
