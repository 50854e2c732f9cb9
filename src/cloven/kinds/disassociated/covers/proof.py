"""The possible worlds of all clusters of a release, and what they prove, in bounded time.

Small clusters are enumerated, others sampled, as far as the budget goes. What is proven in an
enumerated cluster is certain. In a sampled cluster a pair that some world joins k times is certainly safe; one that no
sampled world joins may be broken, or be joined in so few worlds that none was drawn (at 95 %: in at most about 3 of n).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import Longs, compiled
from cloven.errors import ParameterError
from cloven.kinds.disassociated.covers.covers import covers as find_covers
from cloven.kinds.disassociated.covers.worlds import how_many_arrangements, possible_worlds
from cloven.kinds.disassociated.methods.growth import popcount
from cloven.statistics.intervals import wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Ints
    from cloven.kinds.disassociated.covers.covers import Covers
    from cloven.kinds.disassociated.covers.worlds import Ties, Worlds
    from cloven.kinds.disassociated.release import Cluster, Disassociated

    Names = tuple[str, str]
    Bits = NDArray[np.uint64]


SHARED = "items of shared chunks"
STRICT = "clusters made by the strict reading"
FEWEST = 20
"""With fewer arrangements a sample says nothing worth telling."""


@dataclass(frozen=True)
class Proof:
    """What is certain about a release, for a reader who knows the method.

    Attributes:
        proofs: one for each cluster that was looked at.
        alone: clusters with at most one record chunk: nothing is hidden there.
        too_large: clusters for which the budget did not suffice.
        undecided: why nothing is proven, and about how many clusters.
        sure: the probability above which links are counted.
    """

    proofs: tuple[ClusterProof, ...]
    alone: int
    too_large: int
    undecided: dict[str, int]
    sure: float

    @property
    def exact(self) -> int:
        """Clusters of which all arrangements were looked at."""
        return sum(proof.exact for proof in self.proofs)

    @property
    def sampled(self) -> int:
        """Clusters of which a sample was looked at."""
        return len(self.proofs) - self.exact

    @property
    def impossible(self) -> int:
        """Enumerated clusters that no world explains: the method did not make them."""
        return sum(proof.exact and not proof.worlds for proof in self.proofs)

    @property
    def blank(self) -> int:
        """Sampled clusters in which no arrangement drawn was a world: nothing is learnt about their pairs."""
        return sum(not proof.exact and not proof.worlds for proof in self.proofs)

    @property
    def error(self) -> float:
        """Share of worlds that may join an unseen pair, at 95 %: the median over the sampled clusters."""
        return median([proof.error for proof in self.proofs if not proof.exact] or [0.0])

    def total(self, name: str, *, exact: bool = True) -> int:
        """Sum of a field of ``ClusterProof`` over the enumerated, or the sampled, clusters."""
        return sum(
            len(value) if isinstance(value := getattr(proof, name), tuple) else int(value)
            for proof in self.proofs
            if proof.exact == exact
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        names = ("pairs", "broken", "by_cover", "linked", "linked_records", "found", "found_records", "links")
        return {
            "clusters": {
                "exact": self.exact,
                "sampled": self.sampled,
                "too_large": self.too_large,
                "one_chunk": self.alone,
                "impossible": self.impossible,
            },
            "undecided": dict(self.undecided),
            "exact": {name: self.total(name) for name in names},
            "sampled": {
                **{name: self.total(name, exact=False) for name in ("pairs", "by_cover", "unseen", "links")},
                "without_worlds": self.blank,
                "error": self.error,
            },
            "sure": self.sure,
        }


def prove(
    release: Disassociated,
    covers: Covers | None = None,
    *,
    limit: int = 2_000,
    budget: int = 20_000_000,
    sure: float = 0.9,
    ties: Ties | None = None,
    rng: np.random.Generator | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Proof:
    """Look at the worlds of every cluster with two or more record chunks.

    ``limit`` is the number of arrangements up to which a cluster is enumerated, and the size of a sample; ``budget``
    bounds the work over all clusters: arrangements times pairs of items. ``ties`` is the order of equal supports that
    the reader knows; None for what the release says of itself.

    >>> import cloven as cv
    >>> data = cv.Transactions.from_records([["a", "b", "c"], ["a", "b", "c", "e"], ["a", "e"], ["b"]])
    >>> proof = prove(cv.Disassociation(k=2, m=2, refine=False).anonymise(data).release)
    >>> proof.exact, proof.total("broken"), proof.total("by_cover")
    (1, 1, 1)
    """
    if limit < FEWEST or budget < 1 or not 0 < sure <= 1:
        message = (
            f"limit must be at least {FEWEST}, budget at least 1 and sure above 0 and at most 1"
            f" (got limit={limit}, budget={budget}, sure={sure})"
        )
        raise ParameterError(message)
    covers = find_covers(release) if covers is None else covers
    several = _several(release)
    undecided = {reason: many for reason, many in covers.undecided.items() if reason != SHARED}
    if release.parameters.get("reading") == "strict":
        undecided[STRICT] = len(several)
    alone = release.clusters - len(several)
    if undecided:
        return Proof((), alone, 0, undecided, sure)
    rng = np.random.default_rng() if rng is None else rng
    ties = ties or ("text" if release.parameters.get("tie_order") == "text" else "some")
    leaked = _leaked(covers)
    proofs = []
    for number, cluster, runs in _affordable(release, several, limit, budget, progress):
        worlds = possible_worlds(cluster, release.k, release.m, ties=ties, limit=runs, rng=rng)
        anchors = len(cluster.record_chunks[0])
        known = leaked.get(number, set())
        proofs.append(prove_cluster(number, worlds, release.k, release.m, known, anchors, sure))
    proofs.sort(key=lambda proof: proof.cluster)
    return Proof(tuple(proofs), alone, len(several) - len(proofs), {}, sure)


def _several(release: Disassociated) -> list[int]:
    """Clusters with two or more record chunks."""
    several: list[int] = np.unique(
        release.row_cluster[(release.row_chunk > 0) & (release.row_cluster >= 0)]
    ).tolist()
    return several


def _leaked(covers: Covers) -> dict[int, set[tuple[str, str]]]:
    """Pairs that covers leak in each cluster, that of the earlier chunk first."""
    leaked: dict[int, set[tuple[str, str]]] = {}
    names = covers.release.vocabulary
    for cluster, item, covered in zip(*(column.tolist() for column in covers.pairs()), strict=True):
        leaked.setdefault(cluster, set()).add((names[covered], names[item]))
    return leaked


def _affordable(
    release: Disassociated,
    clusters: list[int],
    limit: int,
    budget: int,
    progress: Callable[[str, float], None] | None,
) -> Iterator[tuple[int, Cluster, int]]:
    """Clusters from cheap to dear, those to sample last, each with the number of arrangements that it is allowed."""
    costs = []
    for number in clusters:
        total, pairs = _size(release.cluster(number))
        costs.append((total > limit, min(total, limit) * pairs, pairs, number, total))
    left = budget
    for done, (large, cost, pairs, number, total) in enumerate(sorted(costs)):
        if progress is not None:
            progress("possible worlds", done / len(costs))
        # A sample must leave an equal share to all that come after; who needs less leaves more.
        runs = left // (len(costs) - done) // pairs if large else limit if cost <= left else 0
        runs = min(limit, runs)
        if runs < min(total, FEWEST):
            continue
        left -= min(total, runs) * pairs
        yield number, release.cluster(number), runs


def _size(cluster: Cluster) -> tuple[int, int]:
    """Arrangements of a cluster, and what looking at one costs: pairs of items of different chunks, sub-records."""
    pairs, before = 0, 0
    for chunk in cluster.record_chunks:
        items = len({item for row in chunk for item in row})
        pairs += before * items
        before += items
    return how_many_arrangements(cluster), pairs + sum(map(len, cluster.record_chunks))


# What the possible worlds of one cluster prove, all pairs at once .


@dataclass(frozen=True)
class ClusterProof:
    """What follows about a cluster; about a sampled one only ``by_cover``, ``unseen`` and ``links``.

    Attributes:
        cluster: its number.
        exact: whether all its arrangements were looked at.
        arrangements: how many there are.
        worlds: those looked at that agree with the release and the method.
        pairs: pairs of items of different record chunks.
        broken: pairs that no world joins in k records, that of the earlier chunk first.
        by_cover: how many of them the cover detector finds; of a sampled cluster, all that it finds.
        linked: broken pairs of which more than m items are certain.
        linked_records: records that hold one of these, in every world.
        found: broken pairs that leave only one content of the record chunks.
        found_records: records that hold one of these, in every world.
        unseen: pairs without a cover that no sampled world joins in k records; they may be broken or not.
        links: records (of the first chunk) and items that belong together with probability p or more, because of the
            method; if sampled, those whose 95 % interval lies above p.
    """

    cluster: int
    exact: bool
    arrangements: int
    worlds: int
    pairs: int
    broken: tuple[Names, ...] = ()
    by_cover: int = 0
    linked: int = 0
    linked_records: int = 0
    found: int = 0
    found_records: int = 0
    unseen: int = 0
    links: int = 0

    @property
    def error(self) -> float:
        """Largest share of worlds that may join an unseen pair, at 95 %: 1 - 0.05^(1/n), about 3/n."""
        return 0.0 if self.exact else 1 - 0.05 ** (1 / self.worlds) if self.worlds else 1.0


def prove_cluster(
    number: int, worlds: Worlds, k: int, m: int, covered: AbstractSet[Names], anchors: int, sure: float
) -> ClusterProof:
    """Draw the conclusions.

    ``covered`` are the pairs that covers leak, ``anchors`` the slots that the first chunk fills.
    """
    items = [item for chunk in worlds.chunks for item in sorted(chunk)]
    first, second = _pairs(worlds)
    bits = _bits(worlds, items)
    most = most_met(bits, first, second)
    never = (most < k) & bool(len(worlds) or not worlds.exact)
    names = [(items[a], items[b]) for a, b in zip(first[never].tolist(), second[never].tolist(), strict=True)]
    told = ClusterProof(
        number,
        worlds.exact,
        worlds.arrangements,
        len(worlds),
        len(first),
        by_cover=sum(pair in covered for pair in names),
        links=_links(worlds, bits, anchors, sure),
    )
    if not worlds.exact:
        return replace(told, unseen=len(names) - told.by_cover)
    meet = never & (most > 0)
    first, second = first[meet], second[meet]
    certain, possible = certainties(bits, first, second)
    linked = certain.sum(axis=1) > m
    found = (certain == possible).all(axis=1)
    return replace(
        told,
        broken=tuple(names),
        linked=int(linked.sum()),
        linked_records=_records(bits, first[linked], second[linked]),
        found=int(found.sum()),
        found_records=_records(bits, first[found], second[found]),
    )


def _records(bits: NDArray[np.uint64], first: Longs, second: Longs) -> int:
    return fewest_records(bits, first, second) if len(first) else 0


def _pairs(worlds: Worlds) -> tuple[Longs, Longs]:
    """Pairs of items of different chunks, by position."""
    ends = np.cumsum([0, *map(len, worlds.chunks)]).tolist()
    parts = [range(a, b) for a, b in pairwise(ends)]
    both = [pair for one, two in combinations(parts, 2) for pair in product(one, two)]
    table = np.array(both, np.int64).reshape(-1, 2)
    return table[:, 0].copy(), table[:, 1].copy()


def _bits(worlds: Worlds, items: list[str]) -> NDArray[np.uint64]:
    """Worlds x items x words of 64 slots."""
    words = max(1, -(-worlds.slots // 64))
    packed = b"".join(world[item].to_bytes(8 * words, "little") for world in worlds.worlds for item in items)
    return np.frombuffer(packed, "<u8").astype(np.uint64).reshape(len(worlds), len(items), words)


def _links(worlds: Worlds, bits: NDArray[np.uint64], anchors: int, sure: float) -> int:
    """Links that hold with this probability, though the support of the item alone would not say so."""
    if not len(worlds) or len(worlds.chunks) < 2:
        return 0
    later = np.arange(len(worlds.chunks[0]), bits.shape[1])
    slots = np.unpackbits(bits[:, later].astype("<u8").view(np.uint8), axis=2, bitorder="little")
    held = slots[:, :, :anchors].sum(axis=0, dtype=np.int64)
    support = np.bitwise_count(bits[0, later]).sum(axis=1)
    told = support < sure * worlds.slots
    if worlds.exact:
        return int((held[told] >= sure * len(worlds)).sum())
    values, counts = np.unique(held[told], return_counts=True)
    return sum(
        many
        for value, many in zip(values.tolist(), counts.tolist(), strict=True)
        if wilson(value, len(worlds))[0] >= sure
    )


# Compiled passes over the possible worlds of a cluster; a world is one row of bits (its slots) for each item.


@compiled
def most_met(bits: Bits, first: Ints, second: Ints) -> Ints:
    """Most records in which each pair meets, over the worlds."""
    most = np.zeros(len(first), np.int64)
    for world in range(bits.shape[0]):
        for at in range(len(first)):
            met = 0
            for word in range(bits.shape[2]):
                met += popcount(bits[world, first[at], word] & bits[world, second[at], word])
            most[at] = max(most[at], met)
    return most


@compiled
def certainties(bits: Bits, first: Ints, second: Ints) -> tuple[Flags, Flags]:
    """For each pair: items that every record with both holds in every world, and items that some such record holds."""
    pairs, items = len(first), bits.shape[1]
    certain, possible = np.ones((pairs, items), np.bool_), np.zeros((pairs, items), np.bool_)
    for world in range(bits.shape[0]):
        for at in range(pairs):
            for word in range(bits.shape[2]):
                both = bits[world, first[at], word] & bits[world, second[at], word]
                if both == 0:
                    continue
                for item in range(items):
                    held = bits[world, item, word]
                    if both & ~held:
                        certain[at, item] = False
                    if both & held:
                        possible[at, item] = True
    return certain, possible


@compiled
def fewest_records(bits: Bits, first: Ints, second: Ints) -> int:
    """Fewest records, over the worlds, that hold one of these pairs."""
    fewest = 2**62
    for world in range(bits.shape[0]):
        many = 0
        for word in range(bits.shape[2]):
            held = np.uint64(0)
            for at in range(len(first)):
                held |= bits[world, first[at], word] & bits[world, second[at], word]
            many += popcount(held)
        fewest = min(fewest, many)
    return fewest
