"""All attacks of the thesis on one release, with chance and control beside each.

Like ``cloven.kinds.disassociated.score.score``, but what all attacks on a release have in common (truth, protected
itemsets, runs of the random attack) is computed once. No interval is taken inside a release: the page has intervals
over corpora and seeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.disassociated.attack.named import Guesswork, attack_named, guesswork_of
from cloven.kinds.disassociated.release import Kind
from cloven.kinds.disassociated.score.breakage import LIMIT
from cloven.kinds.disassociated.score.definitions import SCOPES as KINDS
from cloven.kinds.disassociated.score.movers import Vectors, movers_distances
from cloven.kinds.disassociated.score.rebuilt import anchors, attached
from cloven.kinds.disassociated.score.score import Bench
from cloven.kinds.disassociated.score.truth import truth
from cloven.relatedness.combination import Shuffled
from cloven.statistics.findings import rank_targets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.kinds.disassociated.guesses import Guesses
    from cloven.kinds.disassociated.key import Anonymised
    from cloven.protocols import Related, Relatedness
    from cloven.statistics.tally import Tallies

MEASURES = ("auc", "hit", "precision", "accuracy", "accuracy_best", "broken", "km_any", "km_own")
SCOPES = ("all", "record", "term")
Found = dict[str, "float | None"]
"""Values by ``measure:scope``."""


@dataclass
class Remembered:
    """A measure of relatedness that looks the same vocabulary up only once; several attacks ask for it in turn."""

    measure: Relatedness
    _items: tuple[str, ...] | None = None
    _related: Related | None = None

    @property
    def name(self) -> str:
        """One word for tables."""
        return self.measure.name

    def relate(self, items: Sequence[str]) -> Related:
        """Look the items up, unless they are those of the last time."""
        if self._related is None or self._items != tuple(items):
            self._items, self._related = tuple(items), self.measure.relate(items)
        return self._related


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
    vectors: Vectors | None
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
        answers = truth(guesses.questions, release, self.made.key)
        rng = np.random.default_rng(self.seed)
        return Bench.of(guesses, release, answers, ("ranking", "rebuilt", "km"), None, rng, LIMIT)

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
        found = _read(bench.measured(guesses).tallies)
        found["auc_shown:all"] = auc_among_anchors(bench, guesses)
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
        shown = anchors(bench.truth.questions, self.made.release)
        kinds, sides = KINDS["all"], []
        for cells in (attached(guesses, self.made.release), bench.true):
            numbers = np.union1d(shown.numbers(kinds), cells.numbers(kinds))
            edges = np.searchsorted(numbers, np.arange(1, cells.slots) * cells.width)
            sides.append(np.split(numbers % max(1, cells.width), edges))
        return float(np.nanmean(movers_distances(sides[0], sides[1], self.vectors).distance))


def auc_among_anchors(bench: Bench, guesses: Guesses) -> float | None:
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
