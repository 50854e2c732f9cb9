"""Read off a disassociated release what it leaves open: which slots may hold each target (see ``guesses``).

How many candidates there are is known before any of them is written down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import Longs, compiled
from cloven.data.arrays import offsets_of, positions
from cloven.errors import ParameterError, ReleaseError
from cloven.kinds.disassociated.guesses import Questions
from cloven.kinds.disassociated.reconstruction import Layout, check_sizes
from cloven.kinds.disassociated.release import Disassociated, Kind, first_of_equal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int32]
    Inner = tuple[Longs, Longs, Longs, Ints]
    Rows = tuple[Longs, Ints]
    Told = tuple[Longs, Longs]


MOST_CANDIDATES = 400_000_000
"""About 7 GB of answers; beyond it an attack works on a sample, or on a part of the release."""


def questions(
    release: Disassociated,
    most: int | None = None,
    rng: np.random.Generator | None = None,
    *,
    most_targets: int | None = None,
) -> Questions:
    """The targets of a release and their candidate slots; all of them, or a random sample.

    A sub-record of a later record chunk, and an item of a term chunk, may belong to every slot of its cluster. A
    shared sub-record may belong to every slot below its joint, but not where the cluster already shows one of its
    items: in its own record chunks, or in a joint further in.

    Args:
        release: what is asked about.
        most: candidates to expect at most. Above it, targets are drawn at random, all equally likely, so that their
            candidates are as many on average; each keeps all its candidates.
        rng: random numbers for the draw.
        most_targets: targets at most, for attacks whose time depends on them.

    >>> import cloven as cv
    >>> data = cv.Transactions.from_records([["a", "b"], ["a", "b", "c"], ["a", "d"], ["b", "d", "e"]])
    >>> release = cv.Disassociation(k=2, m=2, rare_items="cluster").anonymise(data).release
    >>> asked = questions(release)
    >>> len(asked), asked.slots[: asked.offsets[1]].tolist()
    (3, [0, 1, 2, 3])
    >>> questions(release, most=8)
    Questions(2 of 3 targets, 8 of 12 candidates)
    """
    published_only(release)
    every = Candidates.of(release)
    return every.questions(drawn(every, most, rng, most_targets=most_targets))


def drawn(
    every: Candidates,
    most: int | None = None,
    rng: np.random.Generator | None = None,
    *,
    most_targets: int | None = None,
) -> Longs:
    """Targets to ask about, ascending: all, or a simple random sample; see ``questions``."""
    _check_limits(most, most_targets)
    if most is None and most_targets is None and every.total > MOST_CANDIDATES:
        message = (
            f"the release leaves {every.total:,} candidate links open, more than {MOST_CANDIDATES:,}; ask about a"
            " sample, questions(release, most=...), or attack a release with a smaller maximum cluster size"
        )
        raise ParameterError(message)
    most = most or MOST_CANDIDATES
    many = len(every) if every.total <= most else most * len(every) // every.total
    many = many if most_targets is None else min(many, most_targets)
    if many == len(every):
        return np.arange(len(every))
    if many < 1:
        message = (
            f"{most:,} candidates are not even one target, which has {every.total // len(every):,} on average;"
            " allow more"
        )
        raise ParameterError(message)
    rng = rng or np.random.default_rng()
    return np.sort(rng.choice(len(every), many, replace=False, shuffle=False)).astype(np.int64)


def _check_limits(most: int | None, most_targets: int | None) -> None:
    if most is not None and not 1 <= most <= MOST_CANDIDATES:
        message = f"most must lie between 1 and {MOST_CANDIDATES:,} candidates (got {most:,})"
        raise ParameterError(message)
    if most_targets is not None and most_targets < 1:
        message = f"most_targets must be at least 1 (got {most_targets:,})"
        raise ParameterError(message)


def given_or_all(release: Disassociated, asked: Questions | None) -> Questions:
    """What an attack has to answer: the questions given, if they are about this release, or all."""
    if asked is None:
        return questions(release)
    published_only(release)
    if not np.array_equal(np.diff(asked.slot_offsets), release.cluster_size):
        message = (
            f"the questions are about another release than {release!r}; ask this one: questions(release)"
        )
        raise ReleaseError(message)
    return asked


def published_only(release: object) -> None:
    """Refuse everything that is not a published release, above all a key."""
    if not isinstance(release, Disassociated):
        message = (
            f"an attack works on a published disassociated release alone (got {type(release).__name__});"
            " give it `result.release`, or what `read_release` returns"
        )
        raise ReleaseError(message)


@dataclass(frozen=True)
class Candidates:
    """All targets of a release, ready to be asked about.

    Attributes:
        release: what is asked about.
        row: published row of each target; the first of equal ones.
        item: item code for targets of term chunks, -1 for sub-records.
        copies: how many slots hold it, 0 for items of term chunks.
        joined: who may hold what joints share; None if no target is shared, for it takes longest.
        many: number of candidate slots of each target.
    """

    release: Disassociated
    row: Longs
    item: NDArray[np.int32]
    copies: Longs
    joined: _Joined | None
    many: Longs

    @classmethod
    def of(cls, release: Disassociated) -> Candidates:
        """List the targets, and count their candidates."""
        check_sizes(release)
        row, item, copies = targets_of(release)
        shared = release.row_kind[row] == Kind.SHARED
        many = np.where(shared, 0, release.cluster_size[release.row_cluster[row]])
        joined = _Joined.of(release) if shared.any() else None
        if joined is not None:
            many[shared] = joined.slots_of(row[shared])
        return cls(release, row, item, copies, joined, many)

    def __len__(self) -> int:
        return len(self.row)

    @property
    def total(self) -> int:
        """Candidates of all targets."""
        return int(self.many.sum())

    def questions(self, targets: Longs) -> Questions:
        """Ask about some targets (ascending); all others are never written down."""
        release, bounds = self.release, offsets_of(self.release.cluster_size)
        row = self.row[targets]
        offsets = offsets_of(self.many[targets])
        slots = np.empty(int(offsets[-1]), np.int32)
        shared = release.row_kind[row] == Kind.SHARED
        own, starts = release.row_cluster[row[~shared]], offsets[:-1]
        sizes = release.cluster_size[own]
        slots[positions(starts[~shared], sizes)] = positions(bounds[own], sizes)
        if self.joined is not None:
            self.joined.slots_of(row[shared], starts[shared], slots)
        whole = len(targets) == len(self)
        return Questions(
            slot_offsets=bounds,
            slot_anchor=_anchors(release, bounds),
            target_row=row,
            target_item=self.item[targets],
            target_copies=self.copies[targets],
            target_kind=release.row_kind[row],
            target_cluster=release.row_cluster[row],
            offsets=offsets,
            slots=slots,
            targets_in_all=None if whole else len(self),
            candidates_in_all=None if whole else self.total,
        )


def targets_of(release: Disassociated) -> tuple[Longs, NDArray[np.int32], Longs]:
    """Published row, item (-1 for sub-records) and copies (0 for items of term chunks) of each target.

    What stands at the root was split off from no cluster: nearly everybody may have it, and asking would only thin out
    what is asked about clusters. What it tells of somebody is for the attack on a known person.
    """
    kind = release.row_kind
    asked = ((kind != Kind.RECORD) | (release.row_chunk > 0)) & ~release.at_root
    first = np.flatnonzero(asked & (first_of_equal(release) == np.arange(release.rows)))
    # Equal rows stand together, so the copies reach up to the next different row.
    following = np.append(first[1:], release.rows)
    anchors = np.concatenate(([0], np.cumsum(~asked)))
    copies = following - first - (anchors[following] - anchors[first])
    lengths = np.where(kind[first] == Kind.TERM, np.diff(release.row_offsets)[first], 1)
    row = np.repeat(first, lengths)
    inside = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    term = kind[row] == Kind.TERM
    item = np.full(len(row), -1, np.int32)
    item[term] = release.row_items[(release.row_offsets[row] + inside)[term]]
    return row, item, np.where(term, 0, np.repeat(copies, lengths))


@dataclass(frozen=True)
class _Joined:
    """Clusters below joints, and who tells further in what each joint shares; see the kernels below."""

    layout: Layout
    told: Told

    @classmethod
    def of(cls, release: Disassociated) -> _Joined:
        """Tellers of each item that a joint shares: where they start, and who they are."""
        layout = Layout.of(release)
        place, teller = told_further_in(layout.shown, layout.inner)
        place, teller = place[place >= 0], teller[place >= 0]
        order = np.argsort(place, kind="stable")
        edges = np.arange(len(layout.inner[3]) + 1)
        return cls(layout, (np.searchsorted(place[order], edges).astype(np.int64), teller[order]))

    def slots_of(self, rows: Longs, starts: Longs | None = None, slots: Ints | None = None) -> Longs:
        """How many slots may hold each row of a shared chunk; they are written to ``slots``, if that is given."""
        layout, nowhere = self.layout, np.empty(0, np.int64)
        release = layout.release
        # Copies, because kernels are compiled once more for arrays that must not be written to.
        table = np.array(release.row_offsets), np.array(release.row_items)
        return find_slots(
            rows, release.row_joint[rows], table, layout.inner, self.told, layout.members, layout.bounds,
            nowhere if starts is None else starts, np.empty(0, np.int32) if slots is None else slots,
        )  # fmt: skip


def _anchors(release: Disassociated, bounds: Longs) -> Longs:
    """Row of record chunk 0 that each slot shows, -1 for none."""
    anchor = np.full(release.records, -1, np.int64)
    rows = np.flatnonzero((release.row_kind == Kind.RECORD) & (release.row_chunk == 0))
    cluster = release.row_cluster[rows]
    starts = np.searchsorted(cluster, np.arange(release.clusters))
    anchor[bounds[cluster] + np.arange(len(rows)) - starts[cluster]] = rows
    return anchor


# Compiled search for the slots that may hold a shared sub-record.
#
# It may belong to every cluster below its joint J, but not to one that tells an item of it further in: in its own
# record chunks, or in a joint between the two. ``told_further_in`` lists who does, once for each item that J shares, so
# that no cluster has to be asked about every sub-record. An item told by a cluster, or by a joint, is noted at the
# first joint above that shares it; joints further up see that joint instead, with all clusters below it.


@compiled
def _place(item: int, joint: int, offsets: Longs, items: Ints) -> int:
    """Where a joint lists an item that it shares; -1 if it shares it not."""
    first, last = offsets[joint], offsets[joint + 1]
    at = first + np.searchsorted(items[first:last], item)
    return int(at) if at < last and items[at] == item else -1


@compiled
def _noted(item: int, joint: int, inner: Inner) -> int:
    """Where the first joint, from this one upwards, lists an item; -1 if none does."""
    while joint >= 0:
        at = _place(item, joint, inner[2], inner[3])
        if at >= 0:
            return at
        joint = inner[1][joint]
    return -1


@compiled
def told_further_in(shown: Rows, inner: Inner) -> tuple[Longs, Longs]:
    """Place in the lists of the joints (-1 for none) and teller: a cluster, or -1 - joint.

    ``shown`` is what the record chunks of each cluster show; ``inner`` the innermost joint of each cluster, the parent
    of each joint, and what each joint shares.
    """
    many = len(shown[1]) + len(inner[3])
    place, teller, found = np.empty(many, np.int64), np.empty(many, np.int64), 0
    for cluster in range(len(inner[0])):
        for at in range(shown[0][cluster], shown[0][cluster + 1]):
            place[found] = _noted(shown[1][at], inner[0][cluster], inner)
            teller[found] = cluster
            found += 1
    for joint in range(len(inner[1])):
        for at in range(inner[2][joint], inner[2][joint + 1]):
            place[found] = _noted(inner[3][at], inner[1][joint], inner)
            teller[found] = -1 - joint
            found += 1
    return place, teller


@compiled
def _bar(
    row: int,
    joint: int,
    table: Rows,
    inner: Inner,
    told: Told,
    members: tuple[Longs, Longs],
    barred: Longs,
    mark: int,
) -> None:
    """Mark the clusters below a joint that cannot hold a row of it."""
    for at in range(table[0][row], table[0][row + 1]):
        place = _place(table[1][at], joint, inner[2], inner[3])
        for teller in told[1][told[0][place] : told[0][place + 1]]:
            if teller >= 0:
                barred[teller] = mark
            else:
                for cluster in members[1][members[0][-1 - teller] : members[0][-teller]]:
                    barred[cluster] = mark


@compiled
def find_slots(
    rows: Longs,
    joints: Longs,
    table: Rows,
    inner: Inner,
    told: Told,
    members: tuple[Longs, Longs],
    bounds: Longs,
    starts: Longs,
    slots: Ints,
) -> Longs:
    """How many slots may hold each row of a shared chunk; cluster c has the slots from ``bounds[c]``.

    With starts, they are written too: those of each row ascending, from its start on.
    """
    found = np.zeros(len(rows), np.int64)
    barred = np.full(len(bounds) - 1, -1, np.int64)
    for i in range(len(rows)):
        _bar(rows[i], joints[i], table, inner, told, members, barred, i)
        for cluster in members[1][members[0][joints[i]] : members[0][joints[i] + 1]]:
            if barred[cluster] == i:
                continue
            if len(starts) > 0:
                at = starts[i] + found[i]
                for slot in range(bounds[cluster], bounds[cluster + 1]):
                    slots[at + slot - bounds[cluster]] = slot
            found[i] += bounds[cluster + 1] - bounds[cluster]
    return found
