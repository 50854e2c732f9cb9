"""Who knows some items of one person: how many candidate records does a disassociated release leave?

This is the attacker of k^m-anonymity (Terrovitis, Mamoulis and Kalnis, PVLDB 2008; for disassociation: Terrovitis et
al., PVLDB 2012, section 4). The release alone is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Floats, Longs, compiled
from cloven.data.arrays import distinct, run_starts
from cloven.figures import many
from cloven.kinds.disassociated.counts import together
from cloven.kinds.disassociated.evidence import evidence, total_below_root
from cloven.kinds.disassociated.release import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cloven.kinds.disassociated.release import Disassociated


@dataclass(frozen=True)
class Link:
    """How far a release narrows down a person of whom these items are known.

    Attributes:
        items: the items known, ascending, without repeats.
        candidates: at most so many records hold them all, in any data set that agrees with the release.
        certain: at least so many records hold them all.
        clusters: clusters in which they can all be in one record.
        unknown: those of the items that the release does not contain; if there is one, there is no candidate.
    """

    items: tuple[str, ...]
    candidates: int
    certain: int
    clusters: int
    unknown: tuple[str, ...]


def linked(release: Disassociated, known: tuple[str, ...]) -> Link:
    """Count the candidate records of somebody who knows these items of one person; see ``candidates``.

    For each cluster: the least number of sub-records with the known items of a chunk, over the chunks that
    they fall into; a term-chunk item may be in every record, and a shared sub-record counts where it may
    belong to the cluster. The sum over clusters counts a shared sub-record once.
    """
    code_of = {name: code for code, name in enumerate(release.vocabulary)}
    unknown = tuple(item for item in known if item not in code_of)
    if unknown:
        return Link(known, 0, 0, 0, unknown)
    found = evidence(release, np.array([code_of[item] for item in known], np.int64))
    return Link(known, found.total_at_most, found.total_at_least, int((found.at_most > 0).sum()), unknown)


def told(release: Disassociated, found: Link) -> Iterator[str]:
    """What was found, in sentences."""
    if found.unknown:
        yield f"not in the release: {', '.join(found.unknown)}; so no record of it can be meant"
        return
    yield (
        f"at most {many(found.candidates, 'candidate record')} in {many(found.clusters, 'cluster')};"
        f" {found.certain:,} certainly hold all of them"
    )
    if release.parameters.get("supports") == "lower bounds":
        yield (
            "covers were repaired in this release: occurrences are missing, so there may be more candidates than that"
        )
    if not found.candidates:
        yield "nobody in the release has all of these together"
    elif len(found.items) <= release.m:
        yield f"the release promises at least k = {release.k} for up to m = {release.m} items that somebody has"
    else:
        yield f"the release promises nothing for more than m = {release.m} items"


def looker(release: Disassociated) -> Callable[[list[int]], tuple[int, float]]:
    """Looks up somebody who knows these published items: candidates, and how often the likeliest one is right.

    A cluster of so many expected records with the set, and so many candidates for them, has the person with its part of
    all expected records; each of its candidates is as likely as the others.
    """
    plain = Plain.of(release)
    if plain is None and release.vocabulary:
        release.rows_with(0)  # arranged here, before several ask at once

    def look(codes: list[int]) -> tuple[int, float]:
        known = np.array(sorted(codes), np.int64)
        if plain is not None and 0 < len(codes) <= MOST_LOOKED_UP:
            total, at_most, expected = plain.looked(known)
        else:
            found = evidence(release, known)
            total, at_most, expected = found.total_at_most, found.at_most, found.expected
        each = expected / np.maximum(1, at_most)
        # Fewer than one expected record does not make the person more likely to be there.
        picked = each.max(initial=0.0) / max(1.0, float(expected.sum()))
        return total, float(picked)

    return look


# Evidence in one go over the clusters that show an item, for releases whose clusters share nothing but single items.


MOST_LOOKED_UP = 8
"""Items of a set that is looked up so: of more, not every two are counted together."""


class Shown(NamedTuple):
    """The clusters that show each item; see ``counts.Shown``."""

    starts: Longs
    cluster: Longs
    chunk: Longs
    places: Longs
    rows: Longs


@dataclass(frozen=True, eq=False)
class Plain:
    """A release of clusters below one root that shares single items, without lists of terms.

    Attributes:
        size: records of each cluster.
        shown: the clusters that show each item.
        copies: rows of the root with each item.
        order: where the chunk of each item stands at the root.
        drawn: share of the records of the other clusters that hold the item.
    """

    size: Longs
    shown: Shown
    copies: Longs
    order: Longs
    drawn: Floats

    @classmethod
    def of(cls, release: Disassociated) -> Plain | None:
        """Arrange a release, if it is such a one."""
        shared = np.flatnonzero(release.row_kind == Kind.SHARED)
        offsets, items = release.items_of(shared)
        if (
            release.joints != 1
            or release.root < 0
            or (release.cluster_joint != release.root).any()
            or (release.row_kind == Kind.TERM).any()
            or (np.diff(offsets) != 1).any()
        ):
            return None
        chunk, width = release.row_chunk[shared], len(release.vocabulary)
        first = run_starts(chunk, items)
        if any(len(distinct(each[first])) < len(first) for each in (chunk, items)):
            return None
        shown, size = release.shown, np.asarray(release.cluster_size, np.int64)
        copies = np.bincount(items, minlength=width).astype(np.int64)
        order = np.full(width, len(first), np.int64)
        order[items[first]] = np.arange(len(first))
        item = np.repeat(np.arange(width), np.diff(shown.starts))
        open_size = size.sum() - np.bincount(item, size[shown.cluster], width)
        return cls(
            size,
            Shown(shown.starts, shown.cluster, shown.chunk, shown.places, shown.rows),
            copies,
            order,
            copies / np.maximum(open_size, 1.0),
        )

    def looked(self, codes: Longs) -> tuple[int, Longs, Floats]:
        """As ``evidence`` has it: candidates in all, and of each cluster; records expected in each cluster."""
        known = codes[np.argsort(self.order[codes], kind="stable")]
        at_most, share, drawing = candidates(known, self.size, self.shown, self.copies, self.drawn)
        return total_below_root(drawing, self.copies[known]), at_most, share * self.size


@compiled
def candidates(
    known: Longs, size: Longs, shown: Shown, copies: Longs, drawn: Floats
) -> tuple[Longs, Floats, Longs]:
    """Of each cluster the candidates and the share of records with all items; candidates by what is drawn (bits)."""
    many, clusters, place = len(known), len(size), shown.starts[known]
    at_most, share, drawing = np.empty(clusters, np.int64), np.empty(clusters), np.zeros(1 << many, np.int64)
    entry, starts, ends = np.empty(many, np.int64), np.empty(many, np.int64), np.empty(many, np.int64)
    usual, supply = 1.0, size.max()
    for j in range(many):
        usual *= drawn[known[j]]
        supply = min(supply, copies[known[j]])
    following = _following(known, shown, place, clusters)
    for cluster in range(clusters):
        if cluster < following:
            at_most[cluster] = min(size[cluster], supply)
            share[cluster] = usual if supply > 0 else 0.0
            drawing[-1] += at_most[cluster]
            continue
        for j in range(many):
            here = place[j] < shown.starts[known[j] + 1] and shown.cluster[place[j]] == cluster
            entry[j] = place[j] if here else -1
            place[j] += here
        at_most[cluster], share[cluster], bits = _here(
            known, entry, size[cluster], shown, copies, drawn, starts, ends
        )
        drawing[bits] += at_most[cluster]
        following = _following(known, shown, place, clusters)
    return at_most, share, drawing


@compiled
def _following(known: Longs, shown: Shown, place: Longs, clusters: int) -> int:
    """The next cluster that shows an item."""
    found = clusters
    for j in range(len(known)):
        if place[j] < shown.starts[known[j] + 1]:
            found = min(found, shown.cluster[place[j]])
    return found


@compiled
def _here(
    known: Longs,
    entry: Longs,
    size: int,
    shown: Shown,
    copies: Longs,
    drawn: Floats,
    starts: Longs,
    ends: Longs,
) -> tuple[int, float, int]:
    """Candidates of one cluster, share of its records with all items, and what it draws from the root (bits)."""
    at_most, share, bits, last = size, 1.0, 0, -1
    while True:
        chunk = -1
        for at in entry:
            if at >= 0 and shown.chunk[at] > last and (chunk < 0 or shown.chunk[at] < chunk):
                chunk = shown.chunk[at]
        if chunk < 0:
            break
        same = 0
        for at in entry:
            if at >= 0 and shown.chunk[at] == chunk:
                starts[same], ends[same] = shown.places[at], shown.places[at + 1]
                same += 1
        support = ends[0] - starts[0] if same == 1 else together(starts[:same], ends[:same], shown.rows)
        at_most = min(at_most, support)
        share *= support / max(size, 1)  # a damaged one may say 0
        last = chunk
    for j in range(len(known)):
        if entry[j] < 0:
            bits |= 1 << j
            at_most = min(at_most, copies[known[j]])
            share *= drawn[known[j]]
    return at_most, share, bits
