"""Runs of the thesis's experiments: samples, releases, attacks with chance and control beside each, and what helps.

Corpora are cut in two (``experiments.harness.data``): the victims' half becomes transactions, the other is what the
attacker owns. What all attacks on a release have in common (truth, protected itemsets, runs of the random attack) is
computed once. No interval is taken inside a release: the page has intervals over corpora and seeds.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.disassociated.attack.named import Guesswork, attack_named, guesswork_of
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.disassociated.release import Kind
from cloven.kinds.disassociated.score.definitions import SCOPES as KINDS
from cloven.kinds.disassociated.score.precision import attached
from cloven.kinds.disassociated.score.truth import truth
from cloven.kinds.disassociated.utility import terms_lost
from cloven.relatedness.combination import BackFilled, Combined, Shuffled
from cloven.relatedness.corpus import Corpus
from cloven.relatedness.counts_index import ClosedIndex
from cloven.relatedness.evaluation import by_frequency, read_benchmark
from cloven.relatedness.learned import Learned
from cloven.relatedness.ngd import CentredDistance, GoogleDistance, MutualInformation
from cloven.relatedness.vectors import Vectors
from cloven.statistics.findings import rank_targets
from cloven.text.samples import Topics, choose_documents, density_sample, find_topics
from experiments.harness.data import PUBLIC_DATA, VECTORS, PublicData, corpus
from experiments.harness.runs import Remembered, Report
from experiments.table_4_1 import PRINTED, ROWS, thesis_table_4_1
from experiments.thesis.bench import Bench
from experiments.thesis.movers import Vectors as MoversVectors
from experiments.thesis.movers import movers_distances
from experiments.thesis.rebuilt import anchors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.guesses import Guesses
    from cloven.kinds.disassociated.key import Anonymised
    from cloven.kinds.disassociated.methods.horizontal import SmallClusters
    from cloven.kinds.disassociated.score.score import Bench as Ranked
    from cloven.protocols import Relatedness
    from cloven.relatedness.evaluation import Correlation
    from cloven.statistics.tally import Tallies
    from cloven.text.counts import TermCounts
    from experiments.harness.figures import Row, Table

DENSITIES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
KS = (2, 3, 4, 5)
SIZES = (4, 8, 16, 32, 64, 100, None)
LARGE_SIZES = (100, 1000, None)
TOPICS, TERMS, RECORDS = 35, 20, 200
LEAST_DOCUMENTS = 8
"""Documents of the half that must hold a term of a topic sample (as ``topic_sample``)."""
LEAST_DENSITY_DOCUMENTS = 3
"""The same for samples of a wanted density: sparse ones need rare words."""
_WIDER = (1.0, 1.5, 2.5, 4.0)
MEASURES = ("auc", "hit", "precision", "accuracy", "accuracy_best", "broken", "km_any", "km_own")
SCOPES = ("all", "record", "term")
Found = dict[str, "float | None"]
"""Values by ``measure:scope``."""
BENCHMARK = PublicData("wordsim/EN-MEN-TR-3k.txt")
KNOWLEDGE = ("WE", "NGD", "NGD | WE", "NPMI", "NPMI + WE", "centred NGD", "SVD", "SVD + NPMI", "learned")
STRATEGIES: tuple[SmallClusters, ...] = ("abandon", "suppress", "add", "remaining")


@dataclass(frozen=True, eq=False)
class Halves:
    """A corpus cut in two.

    Attributes:
        name: name of the corpus.
        victims: documents that transactions are made of.
        own: documents of the attacker.
    """

    name: str
    victims: TermCounts
    own: TermCounts

    @classmethod
    def read(cls, folder: Path, name: str, limit: int | None = None) -> Halves:
        """Read a corpus cut in two, ``limit`` documents of it at random if given."""
        return cls(name, *corpus(folder, name, limit))

    @cached_property
    def own_documents(self) -> Transactions:
        """The attacker's documents as sets of lemmas."""
        return self.own.transactions()

    @cached_property
    def _of_topics(self) -> TermCounts:
        return _frequent(self.victims, LEAST_DOCUMENTS)

    @cached_property
    def _of_density(self) -> Transactions:
        return _frequent(self.victims, LEAST_DENSITY_DOCUMENTS).transactions()

    @cached_property
    def _topics(self) -> dict[int, Topics]:
        return {}

    def topic_sample(self, rng: np.random.Generator, per_topic: int, topics: int = TOPICS) -> Transactions:
        """As ``cloven.text.samples.topic_sample``, but topics are found once for all draws."""
        counts = self._of_topics
        long_enough = self._long_enough
        for wider in _WIDER:
            try:
                chosen = choose_documents(
                    self._found_topics(round(topics * wider)), topics * per_topic, topics, rng, long_enough
                )
                break
            except ParameterError:
                if wider == _WIDER[-1]:
                    raise
        return counts.where(counts.best(TERMS)).take(chosen).transactions()

    def clear_sample(self, rng: np.random.Generator, per_topic: int, topics: int = TOPICS) -> Transactions:
        """The same from documents that show their topic most clearly: the best half as many again of each topic."""
        counts, found = self._of_topics, self._found_topics(topics)
        chosen = []
        for topic in range(topics):
            here = np.flatnonzero(self._long_enough & (found.of_document == topic))
            clearest = here[np.argsort(-found.weights[here], kind="stable")][: per_topic * 3 // 2]
            chosen.append(rng.choice(clearest, min(per_topic, len(clearest)), replace=False))
        return counts.where(counts.best(TERMS)).take(np.sort(np.concatenate(chosen))).transactions()

    @cached_property
    def _long_enough(self) -> NDArray[np.bool_]:
        return np.diff(self._of_topics.offsets) >= TERMS

    def _found_topics(self, number: int) -> Topics:
        if number not in self._topics:
            self._topics[number] = find_topics(self._of_topics, number)
        return self._topics[number]

    def density_sample(self, wanted: float, rng: np.random.Generator, records: int = RECORDS) -> Transactions:
        """So many transactions of 20 terms with the wanted type-token ratio."""
        return density_sample(self._of_density, wanted, rng, records=records, mean_length=TERMS).transactions

    def plain_sample(self, rng: np.random.Generator, records: int) -> Transactions:
        """Documents drawn without regard to topics, 20 terms of highest TF-IDF of each."""
        counts = self._of_topics
        eligible = np.flatnonzero(self._long_enough)
        chosen = np.sort(rng.choice(eligible, min(records, len(eligible)), replace=False))
        return counts.where(counts.best(TERMS)).take(chosen).transactions()


def _frequent(counts: TermCounts, documents: int) -> TermCounts:
    return counts.where((counts.document_frequencies >= documents)[counts.codes])


def density(data: Transactions) -> float:
    """Type-token ratio: different items per occurrence (equation 5.1)."""
    return len(data.vocabulary) / max(1, len(data.codes))


@dataclass(frozen=True)
class Tried:
    """An attack to try: methods for record and term chunks, relatedness by name, selection rule."""

    record: str = "aba"
    term: str = "aba"
    relatedness: str = ""
    selection: str = "best"
    grow_anchors: bool = False
    movers: bool = False

    @property
    def label(self) -> str:
        """How tables and claims call it."""
        rule = "" if self.selection == "best" else f", {self.selection}"
        return f"{self.record}/{self.term} {self.relatedness}".strip() + rule + ", grown" * self.grow_anchors


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
TRIED = (
    *(Tried("aba", "aba", name) for name in KNOWLEDGE),
    *(Tried("aba", term, "SVD") for term in ("rga", "mra")),
    *(Tried("aba", "aba", name, rule) for name in ("WE", "SVD") for rule in ("one-per-row", "optimal")),
    *(Tried("aba", "aba", name, grow_anchors=True) for name in ("WE", "SVD")),
    Tried("aba", "aba", "SVD", "optimal", grow_anchors=True),
)


@dataclass(frozen=True, eq=False)
class Bout:
    """One release under attack.

    Attributes:
        made: release and key.
        measures: measures of relatedness by name.
        vectors: word vectors of the vocabulary, for word mover's distance.
        seed: seed of chance, control and attacks that draw lots.
        chance_runs: runs of the random attack.
    """

    made: Anonymised
    measures: dict[str, Relatedness]
    vectors: MoversVectors | None
    seed: int
    chance_runs: int = 10

    def fight(self, tries: Sequence[Tried]) -> list[tuple[Tried, dict[str, Found]]]:
        """What each attack reached: ``value``, ``chance`` and ``control``."""
        bench, found = self._bench(), []
        chances: dict[str, tuple[Found, float | None]] = {}
        for tried in tries:
            guesses = self._guess(tried, self.measures)
            selection = guesswork_of(guesses.attack).selection
            if selection not in chances:
                chances[selection] = self._chance(bench, selection)
            chance, movers = chances[selection]
            result = {"value": self._values(bench, guesses), "chance": dict(chance)}
            if tried.relatedness:
                result["control"] = self._values(bench, self._guess(tried, self._shuffled(tried)))
            if tried.movers:
                result["value"]["movers:all"] = self._moved(bench, guesses)
                result["chance"]["movers:all"] = movers
            found.append((tried, result))
        return found

    def _bench(self) -> Bench:
        release = self.made.release
        guesses = Guesswork().guess(release, np.random.default_rng(self.seed))
        return Bench.of(guesses, release, self.made.key)

    def _guess(self, tried: Tried, measures: dict[str, Relatedness]) -> Guesses:
        attack = attack_named(
            tried.record,
            tried.term,
            measures.get(tried.relatedness),
            selection=tried.selection,
            grow_anchors=tried.grow_anchors,
            tries=50,
        )
        return attack.guess(self.made.release, np.random.default_rng(self.seed))

    def _shuffled(self, tried: Tried) -> dict[str, Relatedness]:
        return {tried.relatedness: Shuffled(self.measures[tried.relatedness], self.seed)}

    def _values(self, bench: Bench, guesses: Guesses) -> Found:
        found = _read(bench.measured(guesses))
        found["auc_shown:all"] = auc_among_anchors(bench.ranked, guesses)
        return found

    def _chance(self, bench: Bench, selection: str) -> tuple[Found, float | None]:
        """Chance of everything, and the mean word mover's distance of two of the runs."""
        rng = np.random.default_rng(self.seed + 1)
        runs = [Guesswork(selection).guess(self.made.release, rng) for _ in range(self.chance_runs)]
        found = _read(bench.chance(runs))
        found["auc_shown:all"] = 0.5
        moved = [one for one in (self._moved(bench, run) for run in runs[:2]) if one is not None]
        return found, float(np.mean(moved)) if moved else None

    def _moved(self, bench: Bench, guesses: Guesses) -> float | None:
        """Mean word mover's distance between original and rebuilt transactions, anchors included."""
        if self.vectors is None:
            return None
        shown = anchors(bench.ranked.truth.questions, self.made.release)
        kinds, sides = KINDS["all"], []
        for cells in (attached(guesses, self.made.release), bench.true):
            numbers = np.union1d(shown.numbers(kinds), cells.numbers(kinds))
            edges = np.searchsorted(numbers, np.arange(1, len(bench.ranked.units.of_slot)) * cells.width)
            sides.append(np.split(numbers % max(1, cells.width), edges))
        return float(np.nanmean(movers_distances(sides[0], sides[1], self.vectors)))


def auc_among_anchors(bench: Ranked, guesses: Guesses) -> float | None:
    """Link AUC over slots with an anchor alone, as the quick trial measured it; the others are ties by nature."""
    asked = bench.truth.questions
    shown: NDArray[np.bool_] = asked.slot_anchor[asked.slots] >= 0
    kept = np.bincount(asked.pair_target[shown], minlength=len(asked))
    offsets = np.concatenate(([0], np.cumsum(kept))).astype(np.int64)
    table = rank_targets(
        offsets, guesses.score[shown], guesses.confidence[shown], bench.truth.holds[shown], bench.asked
    )
    rivalled, outranked = table[:, 1].sum(), table[:, 2].sum()
    return float(outranked / rivalled) if rivalled else None


def _read(tallies: Tallies) -> Found:
    return {f"{name}:{scope}": tallies[name, scope].value for name in MEASURES for scope in SCOPES}


def release_facts(made: Anonymised, measures: dict[str, Relatedness]) -> dict[str, Any]:
    """What the release looks like, and how many of its items each measure knows."""
    release, key = made.release, made.key
    guesses = Guesswork().guess(release, np.random.default_rng(0))
    held = truth(guesses.questions, release, key).held
    bare = guesses.questions.slot_anchor < 0
    away = ~held.anchor
    return {
        "records": release.records,
        "items": len(release.vocabulary),
        "clusters": release.clusters,
        "mean_cluster": release.records / release.clusters,
        "disassociated": float(away.mean()),
        "in_term_chunks": float((held.kind == Kind.TERM).mean()),
        "without_anchor": float(bare.mean()),
        "unknown": {
            name: len(measure.relate(release.vocabulary).coverage.unknown) / len(release.vocabulary)
            for name, measure in measures.items()
        },
    }


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


HELPED = Setting("helped", 0, "base", attacks=TRIED)
"""What makes the attack better, at the setting of the quick trial: knowledge, selection, context."""


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

    def runs(self, plan: Sequence[Setting], report: Report) -> Iterator[tuple[list[Run], dict[str, Any]]]:
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


def with_mixtures(measures: dict[str, Relatedness]) -> dict[str, Relatedness]:
    """Measures, and what can be made of two of them."""
    glove = measures["WE"]
    return measures | {
        "NPMI + WE": Remembered(Combined((measures["NPMI"], glove))),
        "SVD + NPMI": Remembered(Combined((measures["SVD"], measures["NPMI"]))),
        "NGD | WE": Remembered(BackFilled(measures["NGD, gaps open"], glove)),
    }


@dataclass(frozen=True)
class ByFrequency:
    """Errors of one measure on pairs whose rarer word is in so many documents."""

    measure: str
    low: float
    high: float
    pairs: int
    unscored: int
    error: float
    error_half: float
    bias: float
    bias_half: float


def counting_measures(
    own: Sequence[Transactions], words: Sequence[str]
) -> tuple[ClosedIndex, list[Relatedness]]:
    """The three measures that count documents, over all attackers' halves together."""
    index = ClosedIndex.build(
        (document for half in own for document in half), words, source="all three attackers' halves"
    )
    return index, [GoogleDistance(index), MutualInformation(index), CentredDistance(index)]


def errors_by_frequency(folder: Path, own: Sequence[Transactions]) -> list[ByFrequency]:
    """Relatedness error by word frequency, on pairs that people judged."""
    pairs = read_benchmark(BENCHMARK.path(folder))
    words = sorted({word for pair in pairs.pairs for word in pair})
    index, measures = counting_measures(own, words)
    frequency = dict(zip(words, index.count(words).single.tolist(), strict=True))
    return [
        ByFrequency(measure.name, **asdict(one))
        for measure in measures
        for one in by_frequency(measure, pairs, frequency, bins=4)
    ]


def table_4_1(own: Sequence[Transactions], glove: Relatedness) -> Table:
    """Table 4.1 with our measures below the printed ones."""
    words = sorted({word for row in ROWS for word in row[:2]})
    measures = [glove, *counting_measures(own, words)[1][:2]]
    _, found = thesis_table_4_1(measures, np.random.default_rng(1))
    printed = [*PRINTED, *[None] * len(measures)]
    return [
        {
            "measure": one.measure,
            "pairs": one.scored,
            "printed": value,
            **_interval("pearson", one.pearson),
            **_interval("spearman", one.spearman),
            "covariance": one.covariance,
            "exceptions": one.below,
            "level": one.level,
        }
        for one, value in zip(found, printed, strict=True)
    ]


def _interval(name: str, found: Correlation) -> Row:
    low, high = found.bootstrap
    return {name: found.value, f"{name}_low": low, f"{name}_high": high}


def lost_terms(folder: Path) -> Table:
    """Fig. 3.2: tlost of the horizontal strategies, not refined, at most 30 records in a cluster."""
    rows: Table = []
    for name in ("BMS-WebView-1", "BMS-WebView-2"):
        data = PUBLIC_DATA[name].load(folder)
        for strategy in STRATEGIES:
            for k in KS:
                method = Disassociation(
                    k=k, m=2, max_cluster_size=30, small_clusters=strategy, rare_items="cluster", refine=False
                )
                lost = terms_lost(data, method.anonymise(data).release)
                rows.append({"data": name, "strategy": strategy, "k": k, "only": lost.only, "any": lost.any})
    return rows
