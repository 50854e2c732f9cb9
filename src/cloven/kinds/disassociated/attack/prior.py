"""What can be said before any meaning is looked at: expected copies, and scores for want of a score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.kinds.disassociated.guesses import Answer
from cloven.kinds.disassociated.release import Kind, climb

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Floats, Longs
    from cloven.kinds.disassociated.guesses import Questions
    from cloven.kinds.disassociated.release import Disassociated


def expected_copies(asked: Questions, release: Disassociated) -> Floats:
    """How many slots hold each target: its copies; for an item of a term chunk an estimate (see ``term_copies``).

    More than k - 1 can hold a sensitive item, or one that the lemma moved there, or, if k counts persons, any.
    """
    expected = asked.target_copies.astype(np.float64)
    term = asked.target_kind == Kind.TERM
    if term.any():
        cluster, item = asked.target_cluster[term], asked.target_item[term]
        expected[term] = term_copies(release, cluster.astype(np.int64), item.astype(np.int64))
    return expected


def answers(asked: Questions, score: Floats) -> NDArray[np.int8]:
    """Which targets could be answered; ``score`` is NaN where a candidate has none."""
    target, shows = asked.pair_target, asked.slot_anchor[asked.slots] >= 0
    found = np.full(len(asked), Answer.NO_ANCHOR, np.int8)
    found[target[shows]] = Answer.NO_SCORE
    found[target[shows & ~np.isnan(score)]] = Answer.INFORMED
    return found


# What stands in for the score of a candidate that has none.


SCALE = 1e9
"""Scores that differ by less than its inverse are equal, so that ties stay ties."""


def fill(asked: Questions, score: Floats) -> Floats:
    """Scores rounded so that ties are exact, with the mean of a target's scores (0 if it has none) where one lacks."""
    target, lacks = asked.pair_target, np.isnan(score)
    total = np.bincount(target, np.where(lacks, 0.0, score), len(asked))
    mean = total / np.maximum(1, np.bincount(target, ~lacks, len(asked)))
    return np.round(np.where(lacks, mean[target], score) * SCALE) / SCALE


# How many records of a cluster hold an item of its term chunk, as far as a release lets anybody estimate it.
#
# A term chunk tells that an item is there, not how often. It is there because fewer than k records of the cluster hold
# it, so it has 1 to k - 1 copies; but low counts are not equally common. How often items have c copies in a cluster
# falls like a power of c (G. K. Zipf, Human Behavior and the Principle of Least Effort, 1949). The power is fitted to
# what the release shows: how many items have k to 2k - 1 copies in a cluster, counted in record chunks, against how
# many have fewer, which are those of term chunks and those that went from there to shared chunks. What is listed in
# several clusters that are joined and was not shared has fewer than k copies in all of them together, so the more
# clusters list it, the fewer copies each has.


STEEPEST = 12.0
"""Beyond this power nearly every item has one copy."""
TYPICAL = 2.0
"""The power where a release shows no counts that one could be fitted to."""
BISECTIONS = 50
MOST_LISTS = 64
"""Clusters that list an item together, as many as are told apart."""


@dataclass(frozen=True)
class Listed:
    """What a release tells about low counts.

    Attributes:
        cluster, item: the items of term chunks, one entry for each cluster that lists an item.
        together: how many clusters below the same outermost joint list the item.
        shared: occurrences of items in shared chunks.
        above: items with k to 2k - 1 copies in record chunks, counted in each cluster.
        fitted: whether record chunks show any counts at all.
    """

    cluster: Longs
    item: Longs
    together: Longs
    shared: int
    above: int
    fitted: bool


def term_copies(release: Disassociated, cluster: Longs, item: Longs) -> Floats:
    """Expected copies of items (codes) that the term chunks of these clusters list."""
    found, words = _listed(release), max(1, len(release.vocabulary))
    power = _power(found, release.k)
    many = np.minimum(found.together, min(MOST_LISTS, max(1, release.k - 1)))
    mean = means(release.k, power, int(many.max(initial=1)))[many]
    at = np.searchsorted(found.cluster * words + found.item, cluster * words + item)
    return np.asarray(mean[at], np.float64)


def means(k: int, power: float, most: int) -> Floats:
    """Mean copies of an item in a cluster if so many joined clusters list it (0 has no meaning).

    Counts of 1 to k - 1, each as common as its negative power; those of several clusters add up to k - 1 at most.

    >>> means(5, 1.0, 2).round(2).tolist()
    [1.0, 1.92, 1.49]
    """
    counts = np.arange(1, k, dtype=float)
    shares = counts**-power
    if not len(counts):
        return np.ones(most + 1)
    shares /= shares.sum()
    others = np.zeros(k)  # chance of each sum of the other clusters
    others[0] = 1.0
    found = np.ones(most + 1)
    for lists in range(1, most + 1):
        room = np.cumsum(others)[k - 1 - np.arange(1, k)]
        weight = shares * room
        found[lists] = float((weight * counts).sum() / weight.sum()) if weight.sum() > 0 else 1.0
        others = np.convolve(others, np.append(0.0, shares))[:k]
    return found


def _listed(release: Disassociated) -> Listed:
    words = max(1, len(release.vocabulary))
    row = np.repeat(np.arange(len(release.row_kind)), np.diff(release.row_offsets))
    kind, cluster, item = (
        release.row_kind[row],
        release.row_cluster[row].astype(np.int64),
        release.row_items.astype(np.int64),
    )
    listed = np.unique((cluster * words + item)[kind == Kind.TERM])
    _, copies = np.unique((cluster * words + item)[kind == Kind.RECORD], return_counts=True)
    group = _outermost(release)[listed // words] * words + listed % words
    _, inverse, together = np.unique(group, return_inverse=True, return_counts=True)
    return Listed(
        listed // words,
        listed % words,
        together[inverse],
        int((kind == Kind.SHARED).sum()),
        int(((copies >= release.k) & (copies < 2 * release.k)).sum()),
        len(copies) > 0,
    )


def _outermost(release: Disassociated) -> Longs:
    """A number for each cluster, the same below the same outermost joint."""
    found = np.arange(release.clusters)
    for cluster, joint in climb(release.cluster_joint, release.joint_parent):
        found[cluster] = release.clusters + joint
    return found


def _power(found: Listed, k: int) -> float:
    """The power at which low and higher counts stand in the proportion that the release shows.

    How many clusters gave the occurrences of shared chunks is not told: as many as the mean of low counts says.
    """
    if not found.fitted or k < 3:
        return TYPICAL
    low, high = np.arange(1, k, dtype=float), np.arange(k, 2 * k, dtype=float)

    def too_flat(power: float) -> bool:
        mean = (low ** (1 - power)).sum() / (low**-power).sum()
        seen = (len(found.item) + found.shared / mean) / max(0.5, found.above)
        return bool(seen > (low**-power).sum() / (high**-power).sum())

    flat, steep = 0.0, STEEPEST
    for _ in range(BISECTIONS):
        middle = (flat + steep) / 2
        flat, steep = (middle, steep) if too_flat(middle) else (flat, middle)
    return (flat + steep) / 2
