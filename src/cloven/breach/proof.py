"""The possible worlds of all clusters of a release, and what they prove, in bounded time.

Small clusters are enumerated, others sampled, as far as the budget goes. What is proven in an
enumerated cluster is certain. In a sampled cluster a pair that some world joins k times is certainly safe; one that no
sampled world joins may be broken, or be joined in so few worlds that none was drawn (at 95 %: in at most about 3 of n).
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.breach.covers import covers as find_covers
from cloven.breach.proof_cluster import ClusterProof, prove_cluster
from cloven.breach.worlds import how_many_arrangements, possible_worlds
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cloven.breach.covers import Covers
    from cloven.breach.worlds import Ties
    from cloven.model.disassociated import Cluster, Disassociated

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
