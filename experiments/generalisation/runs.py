"""Runs of the experiments on set-based generalisation (Figures 13 to 16 of Shao and Ong): what is made, what is tried.

Every data set is cut in two: records to publish, and the attacker's own, which stand in for the web that the paper
counted. Privacy constraints are a random share of the items, each on its own, and COAT satisfies them (section 6.1.4).
Every measure of an attack has up to four sides: ``value``; ``chance``, random elimination with the same budget in each
table; ``control``, the same attack with shuffled words; ``one``, all but one random item of each generalised item.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np

from cloven.data.transactions import Transactions
from cloven.kinds.generalised.attack.elimination import elimination_named
from cloven.kinds.generalised.attack.methods import eliminated
from cloven.kinds.generalised.guesses import Cells
from cloven.kinds.generalised.methods.by_policy import Coat
from cloven.kinds.generalised.policy import Policy, random_items, related_groups
from cloven.kinds.generalised.score.score import score_eliminations
from cloven.kinds.generalised.words import BESIDE
from cloven.relatedness.combination import Shuffled
from cloven.relatedness.counts_index import ClosedIndex
from cloven.relatedness.ngd import GoogleDistance, MutualInformation
from cloven.relatedness.vectors import Vectors
from cloven.relatedness.wordnet import WordNet
from cloven.verification import verify
from experiments.generalisation.described import GeneralisedDescription, describe_generalised
from experiments.harness.data import PEOPLE, PUBLIC_DATA, SPLIT_SEED, VECTORS, WORDNET, PublicData, corpus
from experiments.harness.runs import Found, Plain, Remembered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from cloven.kinds.generalised.guesses import Eliminations
    from cloven.kinds.generalised.key import Generalised
    from cloven.protocols import Relatedness
    from cloven.statistics.findings import Findings

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
TERMS, LEAST_TERMS, LEAST_DOCUMENTS = 60, 40, 8
"""A text becomes its terms of highest TF-IDF, among those in enough documents; shorter texts are left out."""
ROOT_DEPTHS = (1, 0)
"""Depth of WordNet's root. Cloven counts synsets, which gives it 1; the paper measures distances from it: 0."""
NOTHING = 1e-9
"""In place of a depth of 0, so that the root is still as similar to itself as anything is."""
LINKS = PublicData("named/wikispeedia_links.tsv.gz")
COOKING, WIKI, OHSUMED, MEDQUAD, PATIENTS = "What's Cooking", "wikispeedia", "ohsumed", "MedQuAD", "Synthea"


@dataclass(frozen=True, eq=False)
class Source:
    """One data set.

    Attributes:
        name: what tables call it.
        format: of what it is made, as in Table I of the paper.
        quality: whether there are many typing errors and abbreviations (T&A).
        domain: its field, or several.
        victims: records that samples are drawn from.
        own: the attacker's records.
        records: records of a sample.
        protected: share of the items that are protected.
    """

    name: str
    format: str
    quality: str
    domain: str
    victims: Transactions
    own: Transactions
    records: int
    protected: float = 0.1

    def sample(self, rng: np.random.Generator) -> Transactions:
        """Records at random."""
        many = min(self.records, len(self.victims))
        return self.victims.take(np.sort(rng.choice(len(self.victims), many, replace=False)))


def sources(folder: Path, *, quick: bool = False) -> Iterator[Source]:
    """All data sets, one after the other; the sizes of three are those of the paper's."""
    part = 4 if quick else 1
    cooking = PUBLIC_DATA[COOKING].load(folder)
    yield Source(COOKING, "transaction", "few T&A", "food", *_halves(cooking), 758 // part)
    yield Source(WIKI, "transaction", "few T&A", "multiple", *_halves(_links(folder)), 758 // part)
    limit = 2_000 if quick else None
    yield Source(OHSUMED, "text", "few T&A", "healthcare", *_texts(folder, OHSUMED, limit), 643 // part)
    yield Source(MEDQUAD, "text", "few T&A", "healthcare", *_texts(folder, MEDQUAD, limit), 263 // part)
    patients = PEOPLE[PATIENTS].load(folder)
    yield Source(PATIENTS, "transaction", "few T&A", "healthcare", *_halves(patients), 263, protected=1.0)


def _halves(data: Transactions) -> tuple[Transactions, Transactions]:
    order = np.random.default_rng(SPLIT_SEED).permutation(len(data))
    middle = len(data) // 2
    return data.take(np.sort(order[:middle])), data.take(np.sort(order[middle:]))


def _links(folder: Path) -> Transactions:
    """Articles of an encyclopaedia as the sets of articles that they link to."""
    linked: defaultdict[str, set[str]] = defaultdict(set)
    with gzip.open(LINKS.path(folder), "rt", encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("#") and "\t" in line:
                article, other = line.rstrip("\n").split("\t")
                linked[article].add(unquote(other).replace("_", " ").lower())
    return Transactions.from_records(linked.values())


def _texts(folder: Path, name: str, limit: int | None) -> tuple[Transactions, Transactions]:
    victims, own = corpus(folder, name, limit)
    known = victims.where((victims.document_frequencies >= LEAST_DOCUMENTS)[victims.codes])
    long_enough = np.flatnonzero(np.diff(known.offsets) >= LEAST_TERMS)
    return known.where(known.best(TERMS)).take(long_enough).transactions(), own.transactions()


NEAREST = "nearest"
"""Not in the paper: all but the one item of each row that RBA trusts most. Its budget is that of ``one``."""
MEASURES = ("recall", "precision", "f", "auc", "auc_row", "rebuilt", "unique", "unique_again")
RANKED = ("auc", "auc_row")


@dataclass(frozen=True, eq=False)
class Bout:
    """One release under attack with one kind of knowledge about words.

    Attributes:
        made: release and key.
        knowledge: how related words are.
        seed: seed of chance and control.
        without_context: what rows that show no item for certain get, as in ``Elimination``.
    """

    made: Generalised
    knowledge: Relatedness
    seed: int
    without_context: str = "no-answer"

    @cached_property
    def _shuffled(self) -> Relatedness:
        return Remembered(Shuffled(self.knowledge, self.seed))

    def tried(self, method: str) -> Found:
        """What an attack reached: ``random``, a method of the paper, or ``nearest``."""
        eliminations = self._guess(method, self.knowledge)
        shuffled = None if method == "random" else self._guess(method, self._shuffled)
        findings = score_eliminations(
            eliminations,
            self.made.release,
            self.made.key,
            rng=np.random.default_rng(self.seed),
            control=shuffled,
            draws=2,  # intervals are over samples, not inside one
        )
        counts = findings.notes["counts"]
        return _read(findings) | {
            "hidden": {"value": counts["records_no_longer_unique"]},
            "were_unique": {"value": counts["records_unique_in_the_original"]},
        }

    def _guess(self, method: str, knowledge: Relatedness) -> Eliminations:
        name = "rba" if method == NEAREST else method
        options: dict[str, Any] = {} if name == "random" else {"without_context": self.without_context}
        attack = elimination_named(name, knowledge, **options)
        found = attack.guess(self.made.release, np.random.default_rng(self.seed))
        return all_but_nearest(found) if method == NEAREST else found


def all_but_nearest(found: Eliminations) -> Eliminations:
    """Keep only the item of each row that the attack takes least for added; the first of equal ones."""
    cells = Cells.of(found.tables)
    order = np.lexsort((np.arange(found.tables.cells), found.confidence, cells.line))
    eliminated = np.ones(found.tables.cells, bool)
    eliminated[order[cells.line_offsets[:-1]]] = False
    return replace(found, eliminated=eliminated)


def _read(findings: Findings) -> Found:
    found: Found = {}
    for name in MEASURES:
        one = findings.get(name)
        found[name] = {"value": one.value, "chance": one.chance, "control": one.control}
        if name not in RANKED:
            found[name]["one"] = findings.get(name + BESIDE).chance
    return found


@dataclass(frozen=True)
class RootedWordNet(WordNet):
    """WordNet with its root at a given depth. At 0, nouns that only the root joins have nothing in common."""

    root_depth: int = 1

    @cached_property
    def _depths(self) -> Any:
        return np.maximum(super()._depths + self.root_depth - 1, NOTHING)


def from_root(name: str, root_depth: int) -> str:
    """What a sweep or a measure is called whose WordNet has its root at a depth.

    >>> from_root("consistent", 1), from_root("consistent", 0)
    ('consistent', 'consistent, root at 0')
    """
    return name if root_depth == 1 else f"{name}, root at {root_depth}"


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


@dataclass(frozen=True, eq=False)
class Arena:
    """A data set with everything that attackers and publishers know about its words."""

    source: Source
    knowledge: dict[str, Relatedness]
    wordnets: dict[int, WordNet]

    @classmethod
    def open(cls, folder: Path, source: Source) -> Arena:
        """Let the attacker count the own records."""
        index = ClosedIndex.build(source.own, source=f"{source.name}, the attacker's half")
        path = WORDNET.path(folder)
        wordnets: dict[int, WordNet] = {depth: RootedWordNet(path, depth) for depth in ROOT_DEPTHS}
        measures: dict[str, Relatedness] = {
            "NGD": GoogleDistance(index),
            "NPMI": MutualInformation(index),
            "vectors": Vectors(VECTORS.path(folder)),
        }
        measures |= {from_root("WordNet", depth): one for depth, one in wordnets.items()}
        return cls(source, {name: Remembered(one) for name, one in measures.items()}, wordnets)

    def runs(self, seed: int, *, quick: bool = False) -> Iterator[Run]:
        """Everything that is tried on one sample."""
        name = self.source.name
        data = self.source.sample(np.random.default_rng(seed))
        policy = self._policy(data, seed)
        grouped = self._consistent(data, policy) if name in (MEDQUAD, OHSUMED, COOKING) else {}
        for k in KS[::3] if quick else KS:
            made = self._made(data, policy, k)
            yield from self._tried(data, made, seed, "k", k, (*METHODS, NEAREST))
            if k == K:
                yield from self._known(data, made, seed)
            if k == K or name == MEDQUAD:
                for sweep, close in grouped.items():
                    yield from self._tried(data, self._made(data, close, k), seed, sweep, k, BY_DENSITY)
        if name in (MEDQUAD, COOKING):
            for wanted, some, made in self._dense(data, DENSITIES[1::3] if quick else DENSITIES, seed):
                yield from self._tried(some, made, seed, "density", wanted, BY_DENSITY)
        if name in (COOKING, WIKI, PATIENTS):
            yield from self._pairs(data, seed)

    def _policy(self, data: Transactions, seed: int) -> Policy:
        return random_items(data, self.source.protected, np.random.default_rng(seed))

    def _consistent(self, data: Transactions, policy: Policy) -> dict[str, Policy]:
        """Section 6.2.3: an item may be merged with what WordNet has close to it, and with nothing else."""
        found = {}
        for depth, wordnet in self.wordnets.items():
            related = wordnet.relate(data.vocabulary)
            groups = related_groups(data.vocabulary, related, CLOSE, policy.protected)
            found[from_root("consistent", depth)] = replace(policy, groups=groups)
        return found

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


def timed(sizes: Sequence[int] = SIZES) -> list[Plain]:
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
