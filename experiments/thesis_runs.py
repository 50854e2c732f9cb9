"""Runs of the thesis's experiments: what is anonymised how, and which attacks are tried on it (section 5.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.disassociated.score.movers import Vectors as MoversVectors
from cloven.relatedness.corpus import Corpus
from cloven.relatedness.counts_index import ClosedIndex
from cloven.relatedness.learned import Learned
from cloven.relatedness.ngd import CentredDistance, GoogleDistance, MutualInformation
from cloven.relatedness.vectors import Vectors
from experiments.public_data import PublicData
from experiments.thesis_data import Halves, density
from experiments.thesis_trial import Bout, Found, Remembered, Tried, release_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from cloven.data.transactions import Transactions
    from cloven.protocols import Relatedness

VECTORS = PublicData("vectors/glove_6b_100d_150k.npy")
DENSITIES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
KS = (2, 3, 4, 5)
SIZES = (4, 8, 16, 32, 64, 100, None)
LARGE_SIZES = (100, 1000, None)
ATTACKS = (
    *(
        Tried("aba", term, name, movers=term == "aba")
        for name in ("WE", "NGD")
        for term in ("aba", "rga", "mra")
    ),
    *(Tried("aba", "aba", name) for name in ("NPMI", "SVD", "learned")),
    Tried("vpa", "random", movers=True),
)
LARGE_ATTACKS = tuple(Tried("aba", "aba", name) for name in ("WE", "NGD", "NPMI", "SVD"))


@dataclass(frozen=True)
class Setting:
    """One release to make: the sweep it belongs to, its place there, the sample, and the parameters."""

    sweep: str
    x: float
    sample: str
    k: int = 2
    max_cluster_size: int | None = 25
    refine: bool = False
    attacks: Sequence[Tried] = ATTACKS


@dataclass(frozen=True)
class Scale:
    """How much is run: seeds, documents read of each corpus, and sizes of the samples."""

    seeds: int = 3
    limit: int | None = None
    records: int = 200
    topics: int = 35
    per_topic: int = 6
    many_per_topic: int = 15
    large: int = 1500
    chance_runs: int = 10
    dimensions: int = 100


QUICK = Scale(1, 900, 60, 6, 10, 20, 150, 2, 20)


@dataclass(frozen=True)
class Run:
    """One attack on one release: where it belongs, and ``value``, ``chance`` and ``control`` of every measure."""

    corpus: str
    seed: int
    sweep: str
    x: float
    tried: Tried
    found: Mapping[str, Found] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, rounded: a measure as value, chance, control."""
        names = self.found["value"]
        sides = [self.found.get(side, {}) for side in ("value", "chance", "control")]
        return {
            "corpus": self.corpus,
            "seed": self.seed,
            "sweep": self.sweep,
            "x": self.x,
            "attack": self.tried.label,
            "selection": self.tried.selection,
            "grow_anchors": self.tried.grow_anchors,
            "found": {name: [rounded(side.get(name)) for side in sides] for name in names},
        }


def rounded(value: float | None) -> float | None:
    """Four decimals, for files; None where there is no number."""
    return None if value is None or not np.isfinite(value) else round(value, 4)


def settings(scale: Scale) -> list[Setting]:
    """All releases of the sweeps. Every one is possible: no maximum is below 2k - 1."""
    dense = "density 0.3"
    records = scale.topics * scale.many_per_topic
    return [
        *(Setting("k", k, dense, k=k) for k in KS),
        *(Setting("density", ttr, f"density {ttr}") for ttr in DENSITIES),
        *(Setting("size", size or records, "many", max_cluster_size=size) for size in SIZES),
        *(
            Setting("large", size or scale.large, "large", max_cluster_size=size, attacks=LARGE_ATTACKS)
            for size in LARGE_SIZES
            if size is None or size < scale.large
        ),
        Setting("refine", 0, "base"),
        Setting("refine", 1, "base", refine=True),
        Setting("clear", 0, "clear", attacks=LARGE_ATTACKS),
    ]


def own_measures(halves: Halves, glove: Relatedness, scale: Scale) -> dict[str, Relatedness]:
    """What an attacker knows who owns a corpus of the same domain; ``learned`` is added for each release."""
    documents = halves.own_documents
    index = ClosedIndex.build(documents, source=f"{halves.name}, the attacker's half")
    return {
        "WE": glove,
        "NGD": Remembered(GoogleDistance(index)),
        "NPMI": Remembered(MutualInformation(index)),
        "centred NGD": Remembered(CentredDistance(index)),
        "NGD, gaps open": Remembered(GoogleDistance(index, never="unknown")),
        "SVD": Remembered(Corpus.train(documents, dimensions=scale.dimensions)),
    }


@dataclass(frozen=True, eq=False)
class Arena:
    """One corpus with everything known about it.

    Attributes:
        halves: the documents.
        measures: measures of relatedness.
        glove: word vectors, for word mover's distance.
        scale: how much is run.
    """

    halves: Halves
    measures: dict[str, Relatedness]
    glove: Vectors
    scale: Scale

    @classmethod
    def open(cls, folder: Path, name: str, scale: Scale) -> Arena:
        """Read a corpus and let the attacker study the own half."""
        glove = Vectors(VECTORS.path(folder))
        halves = Halves.read(folder, name, scale.limit)
        return cls(halves, own_measures(halves, Remembered(glove), scale), glove, scale)

    def sample(self, name: str, seed: int) -> Transactions:
        """A sample by name, drawn with a seed."""
        rng, scale = np.random.default_rng(seed), self.scale
        if name == "base":
            return self.halves.topic_sample(rng, scale.per_topic, scale.topics)
        if name == "many":
            return self.halves.topic_sample(rng, scale.many_per_topic, scale.topics)
        if name == "clear":
            return self.halves.clear_sample(rng, scale.per_topic, scale.topics)
        if name == "large":
            return self.halves.plain_sample(rng, scale.large)
        return self.halves.density_sample(float(name.split()[1]), rng, scale.records)

    def bout(self, data: Transactions, setting: Setting, seed: int) -> Bout:
        """Anonymise, and let the attacker study the release."""
        made = Disassociation(
            k=setting.k,
            m=2,
            max_cluster_size=setting.max_cluster_size,
            refine=setting.refine,
            rare_items="cluster",
        ).anonymise(data)
        measures = dict(self.measures)
        if any(tried.relatedness == "learned" for tried in setting.attacks):
            measures["learned"] = Remembered(Learned.of_release(made.release))
        vectors = MoversVectors(*self.glove.table(made.release.vocabulary))
        return Bout(made, measures, vectors, seed, self.scale.chance_runs)

    def runs(
        self, plan: Sequence[Setting], report: Callable[[str, float], None]
    ) -> Iterator[tuple[list[Run], dict[str, Any]]]:
        """Runs of every setting and seed, and facts about the release."""
        for seed in range(1, self.scale.seeds + 1):
            samples = {name: self.sample(name, seed) for name in dict.fromkeys(one.sample for one in plan)}
            for number, setting in enumerate(plan):
                report(setting.sweep, ((seed - 1) * len(plan) + number) / (self.scale.seeds * len(plan)))
                data = samples[setting.sample]
                bout = self.bout(data, setting, seed)
                place = (self.halves.name, seed, setting.sweep, setting.x)
                runs = [Run(*place, tried, found) for tried, found in bout.fight(setting.attacks)]
                known = {name: self.measures[name] for name in ("WE", "NGD", "SVD")}
                facts = {"type_token_ratio": density(data), **release_facts(bout.made, known)}
                yield runs, dict(zip(("corpus", "seed", "sweep", "x"), place, strict=True)) | facts
