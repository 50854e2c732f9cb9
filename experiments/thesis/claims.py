"""What the thesis draws from its figures, and the figures here that decide it.

A claim about several attacks holds if all agree, and does not hold if one disagrees. A printed number without a setting
is not decided where shuffled words reach it as well. How large a change is ("slightly", "greatly") is not judged.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.harness.claims import FAILS, HOLDS, OPEN, Claim, above, below, within
from experiments.harness.figures import Estimate, Series, by_place, mean_of, slope_of, spread_of
from experiments.thesis.runs import DENSITIES, KS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from experiments.harness.claims import Named, Rule
    from experiments.thesis.runs import Run

SEMANTIC = tuple(f"aba/{term} {name}" for name in ("WE", "NGD") for term in ("aba", "rga", "mra"))
WE, NGD = ABA = ("aba/aba WE", "aba/aba NGD")
VPA = "vpa/random"
PRINTED_SIZES = 64
"""The thesis stops at k^6."""
SPARSE, DENSE = (0.6, 0.7), (0.2, 0.3)
LARGE, SMALL = (32, 64), (4, 8)
ABA_FIRST = tuple(
    (f"aba/aba {name}", f"aba/{term} {name}") for name in ("WE", "NGD") for term in ("rga", "mra")
)
OTHERS_FIRST = tuple((other, one) for one, other in reversed(ABA_FIRST))
COUNTS_FIRST = tuple((f"aba/{term} NGD", f"aba/{term} WE") for term in ("aba", "rga", "mra"))
MRA_FIRST = tuple(
    (f"aba/mra {name}", f"aba/{term} {name}") for name in ("WE", "NGD") for term in ("aba", "rga")
)
BEST = "aba/mra NGD"
RECALL = "recall alone is counted, and k-1 copies of each item are put down: more copies, more of them right"
ANY_RECORD = "sets that meet in any rebuilt record count, and MRA piles items on few rows"


@dataclass(frozen=True, eq=False)
class Figures:
    """All runs, found by sweep, place, attack, measure and scope."""

    runs: Sequence[Run]

    @cached_property
    def _found(self) -> Mapping[tuple[Any, ...], Series]:
        return by_place(
            ((run.sweep, run.x, run.tried.label, side, name), (run.corpus, run.seed), value)
            for run in self.runs
            for side, values in run.found.items()
            for name, value in values.items()
        )

    @cached_property
    def places(self) -> Mapping[str, tuple[float, ...]]:
        """Places of each sweep, ascending."""
        return {
            sweep: tuple(sorted({run.x for run in self.runs if run.sweep == sweep}))
            for sweep in dict.fromkeys(run.sweep for run in self.runs)
        }

    def at(
        self, sweep: str, x: float, attack: str, measure: str, scope: str = "all", side: str = "value"
    ) -> Series:
        """One figure: a number for each pair. The attack ``random`` is chance itself."""
        if attack == "random":
            attack, side = "aba/aba WE", "chance"
        return self._found.get((sweep, x, attack, side, f"{measure}:{scope}"), Series())

    def along(
        self, sweep: str, attack: str, measure: str, scope: str = "all", side: str = "value"
    ) -> list[Series]:
        """The figure at all places of a sweep that the thesis has."""
        most = PRINTED_SIZES if sweep == "size" else np.inf
        places = [x for x in self.places[sweep] if x <= most]
        return [self.at(sweep, x, attack, measure, scope, side) for x in places]

    def over(self, sweep: str, attack: str, measure: str, scope: str = "all") -> list[Series]:
        """Value minus chance at all places of a sweep."""
        values, chances = (self.along(sweep, attack, measure, scope, side) for side in ("value", "chance"))
        return [value - chance for value, chance in zip(values, chances, strict=True)]

    def gap(
        self, sweep: str, places: Sequence[float], one: str, other: str, measure: str, scope: str = "all"
    ) -> Estimate:
        """Mean of one attack minus another over some places of a sweep."""
        gaps = [
            self.at(sweep, x, one, measure, scope) - self.at(sweep, x, other, measure, scope) for x in places
        ]
        return mean_of(gaps).estimate

    def best(self, measure: str, places: Sequence[tuple[str, float]]) -> tuple[str, float, str]:
        """Setting and semantic attack that reach most, over some settings."""
        tried = [(sweep, x, attack) for sweep, x in places for attack in SEMANTIC]
        return max(tried, key=lambda one: self.at(one[0], one[1], one[2], measure).estimate.mean)


OfThesis = Claim[Figures]


def every(*verdicts: Callable[[Estimate], str]) -> Rule:
    """All must agree: one rule for all figures, or one for each."""

    def rule(figures: Sequence[Estimate]) -> str:
        rules = verdicts * len(figures) if len(verdicts) == 1 else verdicts
        parts = {verdict(figure) for verdict, figure in zip(rules, figures, strict=True)}
        return FAILS if FAILS in parts else HOLDS if parts == {HOLDS} else OPEN

    return rule


UP, DOWN = every(above(0)), every(below(0))


# Trends: slopes of a measure along a sweep.


def ends(
    figures: Figures, sweep: str, measure: str, scope: str, attacks: Sequence[str]
) -> dict[str, Estimate]:
    """The least and the most that a step changes it, over attacks."""
    slopes = {one: slope_of(figures.along(sweep, one, measure, scope)).estimate for one in attacks}
    ranked = sorted(slopes, key=lambda one: slopes[one].mean)
    return {f"a step, {one}": slopes[one] for one in dict.fromkeys((ranked[0], ranked[-1]))}


def beside_trend(figures: Figures, sweep: str, measure: str, scope: str) -> dict[str, Estimate]:
    """What guessing changes by, and what the attacks change by above guessing."""
    guessing = slope_of(figures.along(sweep, "random", measure, scope)).estimate
    over = {
        f"above guessing, {one}": slope_of(figures.over(sweep, one, measure, scope)).estimate for one in ABA
    }
    return {GUESSING: guessing, **over}


GUESSING = "guessing"


def goes(
    where: str, says: str, sweep: str, measure: str, scope: str = "all", *,
    rule: Rule = UP, attacks: Sequence[str] = (*SEMANTIC, VPA), why: str = "",
) -> OfThesis:  # fmt: skip
    """The claim that some attacks all rise (or fall) along a sweep."""
    return Claim(
        says, where, says,
        partial(ends, sweep=sweep, measure=measure, scope=scope, attacks=attacks), rule,
        partial(beside_trend, sweep=sweep, measure=measure, scope=scope), why=why,
    )  # fmt: skip


def flat(slope: Estimate) -> str:
    """Whether a change cannot be told from none."""
    return HOLDS if slope.low <= 0 <= slope.high else FAILS


# Differences between attacks.


def gaps(
    figures: Figures, sweep: str, places: Sequence[float], pairs: Sequence[tuple[str, str]], measure: str,
    scope: str = "all",
) -> dict[str, Estimate]:  # fmt: skip
    """How far the first attack of each pair is above the second, over some places of a sweep."""
    return {
        f"{one} minus {other}": figures.gap(sweep, places, one, other, measure, scope) for one, other in pairs
    }


def beats(
    where: str, says: str, sweep: str, places: Sequence[float], pairs: Sequence[tuple[str, str]], measure: str,
    scope: str = "all", *, rule: Rule = UP, why: str = "",
) -> OfThesis:  # fmt: skip
    """The claim that the first attack of each pair is above (below) the second, over some places of a sweep."""
    measured = partial(gaps, sweep=sweep, places=places, pairs=pairs, measure=measure, scope=scope)
    return Claim(says, where, says, measured, rule, why=why)


def spread(figures: Figures, sweep: str, measure: str, scope: str) -> Named:
    """By how much the distance of the six semantic attacks changes."""
    steps = [
        spread_of([figures.at(sweep, x, one, measure, scope) for one in SEMANTIC])
        for x in figures.places[sweep]
    ]
    return {"a step": slope_of(steps).estimate}


# Printed numbers, and claims of their own.


def headline(says: str, measure: str, least: float, why: str) -> OfThesis:
    """A printed number without a setting; what shuffled words reach as well is no work of meaning."""

    def found(figures: Figures) -> Named:
        everywhere = [(sweep, x) for sweep in ("k", "density") for x in figures.places[sweep]]
        everywhere += [("size", x) for x in figures.places["size"] if x <= PRINTED_SIZES]
        main, best = (figures.best(measure, places) for places in ([("k", 2.0)], everywhere))
        return {
            f"at k=2, {main[2]}": mean_at(figures, main, measure),
            f"at best, {best[2]}, {best[0]} {best[1]:g}": mean_at(figures, best, measure),
            "the same, shuffled": mean_at(figures, best, measure, "control"),
            "guessing at k=2": mean_at(figures, main, measure, "chance"),
            "shuffled at k=2": mean_at(figures, main, measure, "control"),
            "guessing at best": mean_at(figures, best, measure, "chance"),
        }

    def rule(figures: Sequence[Estimate]) -> str:
        _, best, shuffled, *_ = figures
        return FAILS if best.mean < least else OPEN if shuffled.mean >= least else HOLDS

    return Claim(says, "abstract, 6.1", says, found, rule, form=".3f", why=why)


def mean_at(figures: Figures, place: tuple[str, float, str], measure: str, side: str = "value") -> Estimate:
    """A mean as a number."""
    return Estimate.exact(figures.at(*place, measure, side=side).estimate.mean)


def _ninety(figures: Figures) -> Named:
    best = figures.best("accuracy", [("k", 5.0)])
    return {best[2]: figures.at(*best, "accuracy").estimate}


def _above_guessing(figures: Figures) -> Named:
    return {one: slope_of(figures.over("k", one, "accuracy")).estimate for one in ABA}


def _after_four(figures: Figures) -> Named:
    return {
        one: (figures.at("k", 5, one, "movers") - figures.at("k", 4, one, "movers")).estimate for one in ABA
    }


def _broken(figures: Figures) -> Named:
    return {f"k={k}": mean_of([figures.at("k", k, one, "broken") for one in SEMANTIC]).estimate for k in KS}


def _record_itemsets(figures: Figures) -> Named:
    return {one: figures.at("k", 5, one, "km_any", "record").estimate for one in (*ABA, "random")}


def _meaning(figures: Figures) -> Named:
    places = {"k=5": ("k", 5.0), "TTR 0.7": ("density", 0.7)}
    return {
        f"{one}, {words}": (
            figures.at(*place, one, "auc") - figures.at(*place, one, "auc", side="control")
        ).estimate
        for one in ABA
        for words, place in places.items()
    }


def _movers_stay(figures: Figures) -> Named:
    means = [
        mean_of([figures.at("density", x, one, "movers") for one in ABA]).estimate.mean for x in DENSITIES
    ]
    return {"least": Estimate.exact(min(means)), "most": Estimate.exact(max(means))}


def _peak(figures: Figures, scope: str) -> Named:
    def minus(one: str, x: float) -> Estimate:
        top, end = (figures.at("density", place, one, "broken", scope) for place in (0.5, x))
        return (top - end).estimate

    return {f"{one} 0.5 minus {x}": minus(one, x) for one in (*ABA, VPA) for x in (0.2, 0.7)}


def peaks(where: str, says: str, scope: str) -> OfThesis:
    """The claim that breakage at 0.5 is above both ends."""
    return Claim(says, where, says, partial(_peak, scope=scope), UP)


def _turns(figures: Figures) -> Named:
    found: dict[str, Estimate] = {}
    for one in ABA:
        values = figures.along("density", one, "accuracy", "record")
        found[f"a step after 0.5, {one}"] = slope_of(values[3:]).estimate
        found[f"a step up to it, {one}"] = slope_of(values[:4]).estimate
    return found


def _slopes(figures: Figures) -> Named:
    return {
        f"a step, aba/{term} {name}": slope_of(
            figures.along("density", f"aba/{term} {name}", "accuracy", "term")
        ).estimate
        for name in ("WE", "NGD")
        for term in ("aba", "rga", "mra")
    }


def _parted(figures: Sequence[Estimate]) -> str:
    """The thesis says some methods: one of each is enough."""
    halves = (set(map(below(0), figures[:3])), set(map(above(0), figures[3:])))
    if all(HOLDS in half for half in halves):
        return HOLDS
    return FAILS if {FAILS} in halves else OPEN


def _hits_above(figures: Figures) -> Named:
    value, chance = (figures.at("size", 4, VPA, "hit", "record", side) for side in ("value", "chance"))
    return {"record chunks": (value - chance).estimate}


def _sparse_and_small(figures: Figures) -> Named:
    def over(sweep: str, x: float, one: str) -> Series:
        return figures.at(sweep, x, one, "hit") - figures.at(sweep, x, one, "hit", side="chance")

    found: dict[str, Estimate] = {}
    for one in ABA:
        found[f"{one}, TTR 0.7 minus 0.2"] = (over("density", 0.7, one) - over("density", 0.2, one)).estimate
        found[f"{one}, size 4 minus 64"] = (over("size", 4, one) - over("size", 64, one)).estimate
    return found


CLAIMS: tuple[OfThesis, ...] = (
    headline("about 60 % of the disassociated items are re-associated", "accuracy", 0.55, "no setting is named"),
    headline("nearly 70 % of the protected itemsets are broken", "km_any", 0.65,
             "no setting is named; an itemset counts that shows up in any rebuilt record of its cluster, and piling"
             " items on few rows makes most sets meet"),
    goes("Fig. 5.1, 5.4", "accuracy rises with k, even for a random attack", "k", "accuracy",
         attacks=(*SEMANTIC, VPA, "random"), why=RECALL),
    Claim("90 %", "Fig. 5.1", "accuracy reaches over 90 % (k=5)", _ninety, every(within(0.9, 1)), form=".3f"),
    Claim("gap", "Fig. 5.1", "the gap to the random attack becomes smaller with k", _above_guessing, DOWN),
    beats("Fig. 5.1, 5.4", "on dense data (0.30) ABA is the most accurate, with NGD and with WE", "k", KS, ABA_FIRST,
          "accuracy", why="mean over k = 2 to 5"),
    beats("Fig. 5.2", "semantic attacks keep a lower WMD than the random attack", "k", KS,
          [(attack, "random") for attack in ABA], "movers", rule=DOWN,
          why="the best rows attract most items: some rebuilt records are crowded, others bare"),
    goes("Fig. 5.2", "WMD rises with k for VPA and random", "k", "movers", attacks=(VPA, "random")),
    Claim("after 4", "Fig. 5.2", "WMD of semantic attacks falls slightly after k=4", _after_four, DOWN),
    Claim("quarter", "Fig. 5.3", "transaction breakage is around 25 % for all k", _broken, every(within(0.2, 0.3)),
          form=".3f",
          why="one right item breaks a record: guessing evenly breaks more than attacks that crowd on the best rows"),
    goes("Fig. 5.4", "k^m breakage rises with k", "k", "km_any", why=RECALL),
    goes("Fig. 5.5", "record chunks: accuracy rises with k", "k", "accuracy", "record"),
    goes("Fig. 5.6", "record chunks: transaction breakage falls with k", "k", "broken", "record", rule=DOWN),
    Claim("all itemsets", "Fig. 5.7",
          "record chunks: even at high k almost all protected itemsets are found, also by guessing",
          _record_itemsets, every(within(0.9, 1)), form=".3f"),
    goes("Fig. 5.8", "term chunks: accuracy rises with k", "k", "accuracy", "term", why=RECALL),
    Claim("meet", "Fig. 5.8", "term chunks: methods differ less as k grows",
          partial(spread, sweep="k", measure="accuracy", scope="term"), DOWN),
    beats("Fig. 5.8", "term chunks: ABA is best for all k, with NGD and with WE", "k", KS, ABA_FIRST, "accuracy",
          "term", why="mean over k = 2 to 5"),
    goes("Fig. 5.9", "term chunks: transaction breakage rises with k", "k", "broken", "term"),
    goes("Fig. 5.10", "term chunks: k^m breakage rises with k", "k", "km_any", "term"),
    Claim("meaning", "5.4", "even with sparse data or high k, meaning helps", _meaning, UP,
          why="link AUC above that of shuffled words"),
    beats("4.4, 5.4", "ABA is the better one on dense data (TTR 0.2, 0.3)", "density", DENSE, ABA_FIRST, "accuracy"),
    beats("4.4", "MRA and RGA are the better ones on sparse data (TTR 0.6, 0.7)", "density", SPARSE, OTHERS_FIRST,
          "accuracy", why="one best anchor term is a noisier witness than the mean of all, sparse or dense"),
    goes("Fig. 5.11", "accuracy rises greatly with TTR", "density", "accuracy", attacks=SEMANTIC),
    beats("Fig. 5.11, 5.4", "at high TTR, NGD is above WE", "density", SPARSE, COUNTS_FIRST, "accuracy"),
    Claim("2.5 to 3", "Fig. 5.12", "WMD of semantic attacks stays between 2.5 and 3", _movers_stay,
          every(within(2.5, 3)), form=".2f",
          why="the scale is that of the vectors (theirs are not named; here GloVe, 100 dimensions)"),
    peaks("Fig. 5.13", "transaction breakage peaks at TTR 0.5", "all"),
    Claim("part", "Fig. 5.14", "methods differ more in k^m breakage as TTR grows",
          partial(spread, sweep="density", measure="km_any", scope="all"), UP,
          why="the thesis calls high ratios dense here, but sparse elsewhere: a slip"),
    Claim("turns", "Fig. 5.15", "record chunks: accuracy of semantic attacks rises up to TTR 0.5, then falls", _turns,
          every(below(0), above(0), below(0), above(0))),
    goes("Fig. 5.15", "record chunks: accuracy of VPA keeps rising with TTR", "density", "accuracy", "record",
         attacks=(VPA,)),
    peaks("Fig. 5.16", "record chunks: transaction breakage peaks at TTR 0.5", "record"),
    beats("Fig. 5.16", "record chunks: VPA breaks more transactions than the semantic attacks", "density", DENSITIES,
          [(VPA, attack) for attack in ABA], "broken", "record"),
    goes("Fig. 5.17", "record chunks: k^m breakage does not change significantly with TTR", "density", "km_any",
         "record", rule=every(flat)),
    Claim("parted", "Fig. 5.18",
          "term chunks: accuracy rises with TTR for some methods with NGD and falls for some with WE", _slopes, _parted,
          why="clusters shrink as data gets sparse"),
    peaks("Fig. 5.19", "term chunks: transaction breakage peaks at TTR 0.5", "term"),
    beats("Fig. 5.20", "term chunks: MRA with NGD has the best k^m breakage at most densities", "density", DENSITIES,
          [(BEST, other) for other in SEMANTIC if other != BEST], "km_any", "term", why=ANY_RECORD),
    goes("Fig. 5.21", "accuracy falls for all attacks as clusters grow", "size", "accuracy", rule=DOWN),
    goes("Fig. 5.22", "WMD rises as clusters grow", "size", "movers", attacks=(*ABA, VPA)),
    goes("Fig. 5.24", "k^m breakage falls slightly as clusters grow", "size", "km_any", rule=DOWN),
    goes("Fig. 5.25", "record chunks: accuracy falls as clusters grow", "size", "accuracy", "record", rule=DOWN),
    goes("Fig. 5.26", "record chunks: transaction breakage rises as clusters grow", "size", "broken", "record"),
    goes("Fig. 5.27", "record chunks: k^m breakage falls slightly as clusters grow", "size", "km_any", "record",
         rule=DOWN),
    goes("Fig. 5.28", "term chunks: accuracy falls as clusters grow", "size", "accuracy", "term", rule=DOWN),
    beats("Fig. 5.28", "term chunks: NGD is above WE in large clusters (32, 64)", "size", LARGE, COUNTS_FIRST,
          "accuracy", "term"),
    goes("Fig. 5.29", "term chunks: transaction breakage falls as clusters grow", "size", "broken", "term", rule=DOWN),
    beats("Fig. 5.30", "term chunks: NGD breaks more itemsets than WE in large clusters (32, 64)", "size", LARGE,
          COUNTS_FIRST, "km_any", "term"),
    beats("Fig. 5.30", "term chunks: MRA is outstanding in large clusters (32, 64), with NGD and with WE", "size",
          LARGE, MRA_FIRST, "km_any", "term", why=ANY_RECORD),
    beats("4.4, 5.4", "record chunks: VPA is best in small clusters (4, 8)", "size", SMALL,
          [(VPA, attack) for attack in (*ABA, "random")], "accuracy", "record",
          why="it does know something there, but the first arrangement that passes is a poor use of it"),
    Claim("VPA for records", "5.4", "VPA is effective on record chunks only",
          _hits_above, UP,
          why="hits above guessing in clusters of at most 4; terms are put down at random by definition"),
    Claim("sparse and small", "5.4", "the attack is very effective on sparse data and small clusters",
          _sparse_and_small, UP,
          why="hits above guessing: guesses are right more often in small clusters, but so are blind ones"),
)  # fmt: skip
"""In the order of the thesis: printed numbers, against k, against type-token ratio (TTR), against cluster size."""
