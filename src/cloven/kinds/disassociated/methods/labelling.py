"""Run the three steps block by block and say where every occurrence of the data goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.data.arrays import (
    lexicographic_order,
    offsets_of,
    positions,
    repeats,
    stable_order,
    take_rows,
)
from cloven.errors import ParameterError
from cloven.kinds.disassociated.methods.assembly import Labels
from cloven.kinds.disassociated.methods.blocks import blocks
from cloven.kinds.disassociated.methods.horizontal import Part, holders_of_clusters
from cloven.kinds.disassociated.methods.refinement import Grouped, refine
from cloven.kinds.disassociated.methods.repair import SUPPRESSED, Chunks, Lots, lots_of, make_exact
from cloven.kinds.disassociated.methods.root import Promise, rooted
from cloven.kinds.disassociated.methods.vertical import Vertical, verpart

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.methods.disassociation import Disassociation


class Terms(NamedTuple):
    """What the parameters say of each term, in tie order: its utility group, and whether it is barred from chunks."""

    group: Longs
    barred: Flags


class Records(NamedTuple):
    """Records of one block as compressed rows of terms, with their persons (or none)."""

    offsets: Longs
    terms: NDArray[np.int32]
    person: Longs


def label(
    method: Disassociation, data: Transactions, prepared: Prepared, report: Callable[[str, float], None]
) -> Labels:
    """Labels of all occurrences; clusters and joints are numbered through the blocks."""
    terms = terms_of(method, data.vocabulary, tie_order_of(data, method.tie_order))
    lots = lots_of(method.seed)
    cluster_of = np.full(len(data), -1, np.int64)
    joint, chunk = np.full((2, len(prepared.terms)), -1, np.int32)
    cluster_joint: list[Longs] = []
    joint_parent: list[Longs] = []
    clusters = joints = 0
    found = blocks(
        prepared.offsets, prepared.terms, terms.barred, prepared.person, method.k, method.block_records
    )
    for number, block in enumerate(found):
        report("split", number / len(found))
        records = _records(prepared, block)
        here = label_block(method, records, terms, lots)
        cluster_of[block] = _shifted(here.cluster_of, clusters)
        at = positions(prepared.offsets[block], np.diff(records.offsets))
        joint[at], chunk[at] = _shifted(here.joint, joints), here.chunk
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


def _shifted(numbers: Longs, first: int) -> Longs:
    """Numbers moved up by ``first``; -1 stays."""
    return np.where(numbers >= 0, numbers + first, -1)


def terms_of(method: Disassociation, vocabulary: tuple[str, ...], place: NDArray[np.int32]) -> Terms:
    """Utility group of each term: the first that names it; terms in no group come last, together.

    ``place`` gives the place of each item among equally frequent ones.
    """
    code_of = {name: code for code, name in enumerate(vocabulary)}
    group = np.full(len(vocabulary), len(method.utility_groups), np.int64)
    for number, names in reversed(list(enumerate(method.utility_groups))):
        group[place[[code_of[name] for name in names if name in code_of]]] = number
    barred = np.zeros(len(vocabulary), bool)
    barred[place[[code_of[name] for name in method.sensitive if name in code_of]]] = True
    return Terms(group, barred)


def _records(prepared: Prepared, records: Longs) -> Records:
    if len(records) == len(prepared.offsets) - 1:
        return Records(prepared.offsets, prepared.terms, prepared.person)
    offsets, terms = take_rows(prepared.offsets, prepared.terms, records)
    return Records(offsets, terms, prepared.person[records] if len(prepared.person) else prepared.person)


def _without(offsets: Longs, terms: NDArray[np.int32], unwanted: Flags) -> tuple[Longs, NDArray[np.int32]]:
    """Rows without some terms; they may become empty."""
    if not unwanted.any():
        return offsets, terms
    keep = ~unwanted[terms]
    return np.concatenate(([0], np.cumsum(keep)))[offsets], terms[keep]


def _clusters(method: Disassociation, records: Records, terms: Terms) -> Longs:
    """The horizontal step.

    Barred terms are not split by: a cluster of those who hold a sensitive item would tell it of each of them.
    """
    offsets, codes = _without(records.offsets, records.terms, terms.barred)
    maximum = method.max_cluster_size or len(offsets) - 1
    part = Part(
        offsets, codes, len(terms.barred), records.person, method.k, method.m, maximum, method.small_clusters
    )
    return _checked(method.horizontal.partition(part), part, type(method.horizontal).__name__)


def _checked(found: Longs, part: Part, name: str) -> Longs:
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


def label_block(method: Disassociation, records: Records, terms: Terms, lots: Lots) -> Labels:
    """The three steps on one block."""
    offsets, codes, person = records
    strict = method.reading == "strict"
    lemma = method.rare_items != "withhold"  # else any record may be empty, as far as readers know
    cluster_of = _clusters(method, records, terms)
    count = int(cluster_of.max(initial=-1)) + 1
    published = np.flatnonzero(cluster_of >= 0)
    by_person = published[stable_order(person[published])] if len(person) else published
    members = by_person[stable_order(cluster_of[by_person])]
    start = offsets_of(np.bincount(cluster_of[published], minlength=count))
    vertical = verpart(
        offsets, codes, members, start, terms.group, terms.barred, person, method.k, method.m, strict, lemma
    )
    if method.safe != "no":
        vertical = without_covers(
            vertical, (offsets, codes), (members, start), terms.group,
            k=method.k, m=method.m, exact=method.safe == "exact", may_be_empty=not lemma, lots=lots,
        )  # fmt: skip
    if not method.refine:
        nothing, alone = np.full(len(codes), -1, np.int32), np.full(count, -1, np.int64)
        return Labels(cluster_of, nothing, vertical.chunk, alone, np.empty(0, np.int64))
    refined = refine(
        vertical, Grouped(offsets, codes, members, start), terms.group, terms.barred, person,
        k=method.k, m=method.m, strict=strict, listed_too=method.join_terms == "listed", lemma=lemma,
    )  # fmt: skip
    return Labels(cluster_of, *refined)


# Run the repair of cover problems over all clusters of a block, between the vertical step and refining.


def without_covers(
    vertical: Vertical,
    records: tuple[Longs, NDArray[np.int32]],
    members: tuple[Longs, Longs],
    group: Longs,
    *,
    k: int,
    m: int,
    exact: bool,
    may_be_empty: bool,
    lots: Lots,
) -> Vertical:
    """Labels with the covers repaired.

    Args:
        vertical: result of the vertical step.
        records: row starts and terms.
        members: records, cluster by cluster, and where each cluster starts among them.
        group: utility group of each term.
        k: least support.
        m: size of the combinations that must have it.
        exact: also repair what exact worlds break.
        may_be_empty: readers know that a record may have nothing published.
        lots: decide between equally good suppressions.
    """
    chunk, chunks, subrecords = vertical.chunk.copy(), vertical.chunks.copy(), vertical.subrecords.copy()
    for cluster in np.flatnonzero(chunks > 1).tolist():
        rows = members[0][members[1][cluster] : members[1][cluster + 1]].tolist()
        at = [np.arange(records[0][row], records[0][row + 1]) for row in rows]
        repaired = _read(at, records[1], chunk, int(chunks[cluster]), group, k, m)
        repaired.make_safe(lots)
        if exact:
            listed = may_be_empty or any((chunk[places] == -1).any() for places in at)
            make_exact(repaired, len(rows), listed, lots)
        if repaired.moved or repaired.removed:
            _write(at, records[1], chunk, repaired)
            chunks[cluster] = len(repaired.masks)
            subrecords[cluster] = sum(_rows(masks).bit_count() for masks in repaired.masks)
    return Vertical(chunk, chunks, subrecords)


def _read(
    at: list[Longs],
    terms: NDArray[np.int32],
    chunk: NDArray[np.int32],
    many: int,
    group: Longs,
    k: int,
    m: int,
) -> Chunks:
    """The record chunks of one cluster as bits."""
    masks: list[dict[int, int]] = [{} for _ in range(many)]
    for row, places in enumerate(at):
        for term, number in zip(terms[places].tolist(), chunk[places].tolist(), strict=True):
            if number >= 0:
                masks[number][term] = masks[number].get(term, 0) | 1 << row
    return Chunks(k, m, masks, [int(group[next(iter(items))]) for items in masks])


def _write(at: list[Longs], terms: NDArray[np.int32], chunk: NDArray[np.int32], repaired: Chunks) -> None:
    """Label the occurrences of one cluster anew."""
    number = {term: c for c, masks in enumerate(repaired.masks) for term in masks}
    number |= dict.fromkeys(repaired.moved, -1)
    gone = set(repaired.removed)
    moved = set(repaired.moved)
    for row, places in enumerate(at):
        for place, term in zip(places.tolist(), terms[places].tolist(), strict=True):
            if chunk[place] >= 0:
                # What was suppressed before its item moved to the term chunk stands there again: it is named anyway.
                hidden = (row, term) in gone and term not in moved
                chunk[place] = SUPPRESSED if hidden else number[term]


def _rows(masks: dict[int, int]) -> int:
    rows = 0
    for mask in masks.values():
        rows |= mask
    return rows


# Data in an order that is a function of content alone, so that the order of the input reaches no result.


class Prepared(NamedTuple):
    """Records sorted by content, terms numbered by tie order.

    Attributes:
        source: number in the input of each record.
        offsets: row starts.
        codes: item codes, ascending in each record.
        terms: term numbers in tie order, aligned with ``codes``.
        person: person of each record numbered by content, or empty.
    """

    source: Longs
    offsets: Longs
    codes: NDArray[np.int32]
    terms: NDArray[np.int32]
    person: Longs


def _person_by_content(persons: Longs, content: Longs) -> Longs:
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
    source = lexicographic_order(data.offsets, data.codes)
    offsets, codes = take_rows(data.offsets, data.codes, source)
    person = np.empty(0, np.int64)
    if data.persons is not None:
        content = np.cumsum(~repeats(offsets, codes)).astype(np.int64)
        person = _person_by_content(data.persons[source], content)
        again = np.lexsort((person, content))
        source, person = source[again], person[again]
        offsets, codes = take_rows(data.offsets, data.codes, source)
    by_text = np.array_equal(tie_order, np.arange(len(tie_order)))
    return Prepared(source, offsets, codes, codes if by_text else tie_order[codes], person)


def tie_order_of(data: Transactions, order: str | tuple[str, ...]) -> NDArray[np.int32]:
    """Place of each item among equally frequent ones.

    ``"text"``: by code point; ``"first-seen"``: by first appearance in the input (the thesis); a tuple of names: those
    first, in that order, then the rest by code point.
    """
    if order != "first-seen":
        return tie_order_of_names(data.vocabulary, order)
    first = np.full(len(data.vocabulary), len(data.codes))
    np.minimum.at(first, data.codes, np.arange(len(data.codes)))
    return _places(np.argsort(first, kind="stable"))


def tie_order_of_names(vocabulary: tuple[str, ...], order: str | tuple[str, ...]) -> NDArray[np.int32]:
    """The same for an order that no record has a part in: by code point, or names that come first."""
    ranked = np.arange(len(vocabulary))
    if not isinstance(order, str):
        code_of = {name: code for code, name in enumerate(vocabulary)}
        named = [code_of[name] for name in dict.fromkeys(order) if name in code_of]
        ranked = np.concatenate((np.array(named, np.int64), np.setdiff1d(ranked, named)))
    return _places(ranked)


def _places(ranked: Longs) -> NDArray[np.int32]:
    place = np.empty(len(ranked), np.int32)
    place[ranked] = np.arange(len(ranked), dtype=np.int32)
    return place
