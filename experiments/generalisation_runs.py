"""Runs of the experiments on set-based generalisation (Figures 13 to 16 of Shao and Ong): what is made, what is tried.

Privacy constraints are a random share of the items, each on its own, and COAT satisfies them (section 6.1.4).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.generalised.attack.methods import eliminated
from cloven.kinds.generalised.methods.by_policy import Coat
from cloven.kinds.generalised.policy import Policy, random_items, related_groups
from cloven.relatedness.counts_index import ClosedIndex
from cloven.relatedness.ngd import GoogleDistance, MutualInformation
from cloven.relatedness.vectors import Vectors
from cloven.relatedness.wordnet import WordNet
from cloven.verification import verify
from experiments.generalisation_data import COOKING, MEDQUAD, OHSUMED, PATIENTS, WIKI, Source
from experiments.generalisation_trial import NEAREST, Bout, Found
from experiments.generalised_description import GeneralisedDescription, describe_generalised
from experiments.public_data import PublicData
from experiments.thesis_runs import VECTORS
from experiments.thesis_trial import Remembered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from cloven.data.transactions import Transactions
    from cloven.kinds.generalised.key import Generalised
    from cloven.protocols import Relatedness

WORDNET = PublicData("text/wordnet-3.0-dict.tar.gz")
KS = (2, 3, 4, 5, 6)
K = 5
METHODS = ("random", "mda", "tba", "wba", "gba", "rba")
BY_DENSITY = ("tba", "wba", "gba", "rba")
DENSITIES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
CHOICES = tuple((k, least) for k in (3, 4, 5, 6, 8, 12, 20) for least in (1, 2, 3) if least < k)
"""k and the records that an item needs in the sample, among which the density nearest to the wanted one is looked for.

COAT gives a density of little more than 1 / k where it has items of one record to merge, whatever the documents are.
"""
LEAST_TABLES, NEAR = 8, 0.05
"""Generalised items that a release must have, and how near its density must be, to stand for a density."""
CLOSE = 0.5
"""Wu and Palmer's similarity above which two items may be merged (section 6.2.3)."""
SIZES = (25, 50, 100, 200, 300)
SEEDS = 5


@dataclass(frozen=True)
class Run:
    """One attack on one release: where it belongs, what the release is like, and what the attack reached."""

    data: str
    seed: int
    sweep: str
    x: float
    attack: str
    description: GeneralisedDescription
    k: int
    found: Found

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Arena:
    """A data set with everything that attackers and publishers know about its words."""

    source: Source
    knowledge: dict[str, Relatedness]
    wordnet: WordNet

    @classmethod
    def open(cls, folder: Path, source: Source) -> Arena:
        """Let the attacker count the own records."""
        index = ClosedIndex.build(source.own, source=f"{source.name}, the attacker's half")
        wordnet = WordNet(WORDNET.path(folder))
        measures: dict[str, Relatedness] = {
            "NGD": GoogleDistance(index),
            "NPMI": MutualInformation(index),
            "vectors": Vectors(VECTORS.path(folder)),
            "WordNet": wordnet,
        }
        return cls(source, {name: Remembered(one) for name, one in measures.items()}, wordnet)

    def runs(self, seed: int, *, quick: bool = False) -> Iterator[Run]:
        """Everything that is tried on one sample."""
        name = self.source.name
        data = self.source.sample(np.random.default_rng(seed))
        policy = self._policy(data, seed)
        grouped = self._consistent(data, policy) if name in (MEDQUAD, OHSUMED, COOKING) else None
        for k in KS[::3] if quick else KS:
            made = self._made(data, policy, k)
            yield from self._tried(data, made, seed, "k", k, (*METHODS, NEAREST))
            if k == K:
                yield from self._known(data, made, seed)
            if grouped is not None and (k == K or name == MEDQUAD):
                yield from self._tried(data, self._made(data, grouped, k), seed, "consistent", k, BY_DENSITY)
        if name in (MEDQUAD, COOKING):
            for wanted, some, made in self._dense(data, DENSITIES[1::3] if quick else DENSITIES, seed):
                yield from self._tried(some, made, seed, "density", wanted, BY_DENSITY)
        if name in (COOKING, WIKI, PATIENTS):
            yield from self._pairs(data, seed)

    def _policy(self, data: Transactions, seed: int) -> Policy:
        return random_items(data, self.source.protected, np.random.default_rng(seed))

    def _consistent(self, data: Transactions, policy: Policy) -> Policy:
        """Section 6.2.3: an item may be merged with what WordNet has close to it, and with nothing else."""
        related = self.wordnet.relate(data.vocabulary)
        return replace(policy, groups=related_groups(data.vocabulary, related, CLOSE, policy.protected))

    @staticmethod
    def _made(data: Transactions, policy: Policy, k: int) -> Generalised:
        free = policy.groups is None
        made = Coat(k=k, policy=policy, max_suppressed=0.0 if free else 1.0, seeded=True).anonymise(data)
        verify(made.release, original=data, key=made.key, policy=policy, allow_seeded=True).raise_if_broken()
        return made

    def _tried(
        self, data: Transactions, made: Generalised, seed: int, sweep: str, x: float, methods: Sequence[str]
    ) -> Iterator[Run]:
        description = describe_generalised(made.release, data)
        if not description.generalised_items:
            return
        bout = Bout(made, self.knowledge["NGD"], seed)
        for method in methods:
            yield Run(
                self.source.name, seed, sweep, x, method, description, made.release.k, bout.tried(method)
            )

    def _known(self, data: Transactions, made: Generalised, seed: int) -> Iterator[Run]:
        """RBA with other knowledge."""
        description = describe_generalised(made.release, data)
        for name, measure in self.knowledge.items():
            found = Bout(made, measure, seed).tried("rba")
            yield Run(self.source.name, seed, "knowledge", K, f"rba {name}", description, K, found)

    def _pairs(self, data: Transactions, seed: int) -> Iterator[Run]:
        """RBA where all combinations of two items are protected, with and without use of other generalised items."""
        made = self._made(data, Policy(all_up_to=2), K)
        description = describe_generalised(made.release, data)
        for option in ("no-answer", "generalised"):
            found = Bout(made, self.knowledge["NGD"], seed, option).tried("rba")
            yield Run(self.source.name, seed, "pairs", K, f"rba, {option}", description, K, found)

    def _dense(
        self, data: Transactions, wanted: Sequence[float], seed: int
    ) -> Iterator[tuple[float, Transactions, Generalised]]:
        """For each density the release that comes near with fewest items left out, and of these the nearest."""
        made = []
        for k, least in CHOICES:
            some = data.without_items(np.flatnonzero(data.supports < least))
            one = Coat(k=k, policy=self._policy(some, seed), seeded=True).anonymise(some)
            found = describe_generalised(one.release, some)
            if found.density is not None and found.generalised_items >= LEAST_TABLES:
                made.append((least, found.density, some, one))
        for density in wanted:
            near = [
                (least, abs(got - density), some, one)
                for least, got, some, one in made
                if abs(got - density) < NEAR
            ]
            if near:
                yield density, *min(near, key=lambda one: one[:2])[2:]


def timed(sizes: Sequence[int] = SIZES) -> list[dict[str, Any]]:
    """Seconds for one table of random distances, by method and size (Figure 16); small ones are the best of three."""
    rng = np.random.default_rng(1)
    for method in BY_DENSITY:
        eliminated(rng.random((5, 5)), method)  # compiles
    rows = []
    for size in sizes:
        table = rng.random((size, size))
        for method in BY_DENSITY:
            seconds = []
            for _ in range(3 if size <= 200 else 1):
                start = perf_counter()
                eliminated(table, method)
                seconds.append(perf_counter() - start)
            rows.append({"size": size, "method": method, "seconds": min(seconds)})
    return rows
