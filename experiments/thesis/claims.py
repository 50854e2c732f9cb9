"""One row for each claim that the thesis draws from its figures: confirmed, refuted, or not to be told from chance.

A printed number for which the thesis names no setting is *chance* where shuffled words reach it as well. A claim about
several attacks is confirmed if all agree, refuted if one disagrees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.harness.figures import Estimate, Series, by_place, mean_of, slope_of, spread_of
from experiments.harness.former import (
    CONFIRMED,
    REFUTED,
    UNDECIDED,
    Claim,
    in_range,
    judged,
    said,
    together,
)
from experiments.thesis.runs import DENSITIES, KS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from experiments.thesis.runs import Run

SEMANTIC = tuple(f"aba/{term} {name}" for name in ("WE", "NGD") for term in ("aba", "rga", "mra"))
ABA = ("aba/aba WE", "aba/aba NGD")
VPA = "vpa/random"
PRINTED_SIZES = 64
"""The thesis stops at k^6."""
SPARSE, DENSE = (0.6, 0.7), (0.2, 0.3)
LARGE, SMALL = (32, 64), (4, 8)
ABA_FIRST = tuple(
    (f"aba/aba {name}", f"aba/{term} {name}") for name in ("WE", "NGD") for term in ("rga", "mra")
)
COUNTS_FIRST = tuple((f"aba/{term} NGD", f"aba/{term} WE") for term in ("aba", "rga", "mra"))
MRA_FIRST = tuple(
    (f"aba/mra {name}", f"aba/{term} {name}") for name in ("WE", "NGD") for term in ("aba", "rga")
)
_RECALL = "recall alone is counted, and k-1 copies of each term are put down"


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

    @cached_property
    def pairs(self) -> int:
        """Number of corpora times seeds."""
        return len({(run.corpus, run.seed) for run in self.runs})

    def at(
        self, sweep: str, x: float, attack: str, measure: str, scope: str = "all", side: str = "value"
    ) -> Series:
        """One figure: a number for each pair. The attack ``random`` is chance itself."""
        if attack == "random":
            attack, side = "aba/aba WE", "chance"
        return self._found.get((sweep, x, attack, side, f"{measure}:{scope}"), Series())

    def mean(self, sweep: str, x: float, attack: str, measure: str, scope: str = "all") -> float:
        """Mean of one figure over the pairs."""
        return self.at(sweep, x, attack, measure, scope).estimate.mean

    def along(
        self,
        sweep: str,
        attack: str,
        measure: str,
        scope: str = "all",
        side: str = "value",
        most: float = np.inf,
    ) -> list[Series]:
        """The figure at all places of a sweep, up to ``most``."""
        places = [x for x in self.places[sweep] if x <= most]
        return [self.at(sweep, x, attack, measure, scope, side) for x in places]

    def over(
        self, sweep: str, attack: str, measure: str, scope: str = "all", most: float = np.inf
    ) -> list[Series]:
        """Value minus chance at all places of a sweep, up to ``most``."""
        sides = (self.along(sweep, attack, measure, scope, side, most) for side in ("value", "chance"))
        return [value - chance for value, chance in zip(*sides, strict=True)]

    def gap(
        self,
        sweep: str,
        places: Sequence[float],
        one: str,
        other: str,
        measure: str,
        scope: str = "all",
    ) -> Estimate:
        """Mean of one attack minus another over some places of a sweep."""
        return mean_of(
            [
                self.at(sweep, x, one, measure, scope) - self.at(sweep, x, other, measure, scope)
                for x in places
            ]
        ).estimate

    def change(
        self,
        sweep: str,
        attack: str,
        measure: str,
        places: tuple[float, float],
        scope: str = "all",
        *,
        above: bool = False,
    ) -> Estimate:
        """A figure at the second place minus that at the first; ``above`` guessing, or as it is."""
        ends = []
        for x in places:
            value = self.at(sweep, x, attack, measure, scope)
            ends.append(value - self.at(sweep, x, attack, measure, scope, "chance") if above else value)
        return (ends[1] - ends[0]).estimate


Judge = Callable[[Figures], Claim]


@dataclass(frozen=True)
class Trend:
    """Slopes of one measure along a sweep, for several attacks."""

    figures: Figures
    sweep: str
    measure: str
    scope: str = "all"
    attacks: Sequence[str] = (*SEMANTIC, VPA)

    @property
    def _most(self) -> float:
        return PRINTED_SIZES if self.sweep == "size" else np.inf

    def slope(self, attack: str) -> Estimate:
        """Change for each step."""
        return slope_of(
            self.figures.along(self.sweep, attack, self.measure, self.scope, most=self._most)
        ).estimate

    def above(self, attack: str) -> Estimate:
        """Change of what is above chance."""
        return slope_of(self.figures.over(self.sweep, attack, self.measure, self.scope, self._most)).estimate

    def verdict(self, sign: int) -> str:
        """Whether all attacks go this way."""
        return together(judged(self.slope(attack), sign) for attack in self.attacks)

    @property
    def get(self) -> str:
        """Slopes in words."""
        slopes = sorted(
            ((self.slope(attack), attack) for attack in self.attacks), key=lambda one: one[0].mean
        )
        (least, first), (most, last) = slopes[0], slopes[-1]
        if len(slopes) == 1:
            return f"a step changes it by {least.signed}"
        return f"a step changes it by {least.signed} ({first}) to {most.signed} ({last})"

    @property
    def why(self) -> str:
        """What chance does on the same releases."""
        rest = ", ".join(f"{attack} {self.above(attack).signed}" for attack in ABA)
        return f"guessing changes by {self.slope('random').signed}; above guessing: {rest}"


def goes(
    where: str,
    says: str,
    sweep: str,
    measure: str,
    scope: str = "all",
    *,
    sign: int = 1,
    attacks: Sequence[str] = (*SEMANTIC, VPA),
    note: str = "",
    why: Callable[[Trend], str] = lambda trend: trend.why,
) -> Judge:
    """The claim that some attacks all rise (or fall) along a sweep, and whether guessing alone does."""

    def judge(figures: Figures) -> Claim:
        trend = Trend(figures, sweep, measure, scope, attacks)
        guessing = judged(trend.slope("random"), sign)
        return Claim(where, says, trend.get, trend.verdict(sign), note + why(trend), guessing)

    return judge


def differences(
    figures: Figures,
    sweep: str,
    places: Sequence[float],
    pairs: Sequence[tuple[str, str]],
    measure: str,
    scope: str = "all",
    sign: int = 1,
) -> tuple[str, str]:
    """What we get and the verdict, where the first attack of each pair should be above (below) the second."""
    found = {pair: figures.gap(sweep, places, *pair, measure, scope) for pair in pairs}
    words = "; ".join(f"{one} minus {other}: {gap.signed}" for (one, other), gap in found.items())
    return words, together(judged(gap, sign) for gap in found.values())


def beats(
    where: str,
    says: str,
    sweep: str,
    places: Sequence[float],
    pairs: Sequence[tuple[str, str]],
    measure: str,
    scope: str = "all",
    *,
    sign: int = 1,
    why: str | Callable[[Figures], str],
) -> Judge:
    """The claim that the first attack of each pair is above (below) the second, over some places of a sweep."""

    def judge(figures: Figures) -> Claim:
        get, verdict = differences(figures, sweep, places, pairs, measure, scope, sign)
        return Claim(where, says, get, verdict, why if isinstance(why, str) else why(figures))

    return judge


def _in_own_record(
    sweep: str, places: Sequence[float], pairs: Sequence[tuple[str, str]], note: str = ""
) -> Callable[[Figures], str]:
    """The same of itemsets in the record that really holds them."""
    return lambda figures: (
        f"{note}in their own record: {differences(figures, sweep, places, pairs, 'km_own', 'term')[0]}"
    )


def level(figures: Figures, sweep: str, x: float, attack: str, measure: str) -> str:
    """A value with chance and control beside it."""
    value, chance, control = (
        figures.at(sweep, x, attack, measure, side=side).estimate for side in ("value", "chance", "control")
    )
    return f"{attack} {value}; guessing {chance.mean:.3f}, shuffled {control.mean:.3f}"


def printed_places(figures: Figures) -> list[tuple[str, float]]:
    """All settings that the thesis has."""
    return [
        (sweep, x)
        for sweep in ("k", "density", "size")
        for x in figures.places[sweep]
        if sweep != "size" or x <= PRINTED_SIZES
    ]


def most_at(figures: Figures, measure: str, places: Sequence[tuple[str, float]]) -> tuple[str, float, str]:
    """Setting and semantic attack that reach most, over some settings."""
    return max(
        ((sweep, x, attack) for sweep, x in places for attack in SEMANTIC),
        key=lambda one: figures.mean(one[0], one[1], one[2], measure),
    )


# The headline numbers of the abstract and of chapter 6.


def headline(where: str, says: str, measure: str, least: float) -> Judge:
    """A printed number without a setting: what is got at the main setting, and at the best one.

    What shuffled words reach as well is no work of meaning, which the thesis says it is.
    """

    def judge(figures: Figures) -> Claim:
        main, best = (most_at(figures, measure, places) for places in ([("k", 2)], printed_places(figures)))
        values, chances, controls = (
            [figures.at(*place, measure, side=side).estimate.mean for place in (main, best)]
            for side in ("value", "chance", "control")
        )
        get = (
            f"k=2, max 25, TTR 0.30: at best {values[0]:.3f} ({main[2]}), guessing {chances[0]:.3f}; anywhere: at best"
            f" {values[1]:.3f} ({best[2]}, {best[0]} {best[1]:g}), guessing {chances[1]:.3f}"
        )
        why = (
            f"no setting is named; above guessing {values[0] - chances[0]:+.3f} and {values[1] - chances[1]:+.3f},"
            f" above shuffled words {values[0] - controls[0]:+.3f} and {values[1] - controls[1]:+.3f}"
        )
        if measure == "km_any":
            own = [figures.mean("k", 2, attack, "km_own") for attack in ("aba/aba NGD", "random")]
            why += f"; in their own record {own[0]:.3f} (aba/aba NGD), guessing {own[1]:.3f}"
        reached = UNDECIDED if controls[1] >= least else CONFIRMED
        return Claim(where, says, get, REFUTED if values[1] < least else reached, why)

    return judge


# Claims about k (Figs. 5.1-5.10): maximum 25, type-token ratio 0.30.


def accuracy_reaches_ninety(figures: Figures) -> Claim:
    """Fig. 5.1."""
    best = max(SEMANTIC, key=lambda one: figures.mean("k", 5, one, "accuracy"))
    verdict = in_range(figures.at("k", 5, best, "accuracy").estimate, 0.9, 1.0)
    matched, chance = (figures.mean("k", 5, name, "accuracy_best") for name in (best, "random"))
    why = (
        f"the text counts any row with the same anchor as right: then {matched:.3f}, guessing {chance:.3f};"
        f" precision is {figures.mean('k', 5, best, 'precision'):.3f}"
    )
    get = level(figures, "k", 5, best, "accuracy")
    return Claim("Fig. 5.1", "accuracy reaches over 90 % (k=5)", get, verdict, why)


def gap_shrinks(figures: Figures) -> Claim:
    """Fig. 5.1."""
    trend, auc = (Trend(figures, "k", measure, attacks=ABA) for measure in ("accuracy", "auc"))
    get = "; ".join(
        f"{attack} above guessing changes by {trend.above(attack).signed} a step" for attack in ABA
    )
    verdict = together(judged(trend.above(attack), -1) for attack in ABA)
    why = "link AUC, which does not count copies, changes by " + ", ".join(
        f"{attack} {auc.slope(attack).signed}" for attack in ABA
    )
    says = "the gap to the random attack becomes smaller with k"
    return Claim("Fig. 5.1", says, get, verdict, f"{why} a step")


def movers_of_semantic_fall(figures: Figures) -> Claim:
    """Fig. 5.2."""
    found = {attack: figures.change("k", attack, "movers", (4, 5)) for attack in ABA}
    get = "; ".join(f"{attack}: {step.signed} from k=4 to 5" for attack, step in found.items())
    slopes = ", ".join(f"{a} {slope_of(figures.along('k', a, 'movers')).estimate.signed}" for a in ABA)
    verdict = together(judged(step, -1) for step in found.values())
    says = "WMD of semantic attacks falls slightly after k=4"
    return Claim("Fig. 5.2", says, get, verdict, f"over all k: {slopes} a step")


def a_quarter_is_broken(figures: Figures) -> Claim:
    """Fig. 5.3."""
    found = [mean_of([figures.at("k", k, attack, "broken") for attack in SEMANTIC]).estimate for k in KS]
    chance = [figures.mean("k", k, "random", "broken") for k in KS]
    get = ", ".join(f"k={k}: {one}" for k, one in zip(KS, found, strict=True))
    verdict = together(in_range(one, 0.2, 0.3) for one in found)
    more = sum(one.mean < blind for one, blind in zip(found, chance, strict=True))
    why = (
        f"one right item breaks a record; guessing alone breaks {', '.join(f'{one:.3f}' for one in chance)}, more than"
        f" the attacks at {more} of {len(KS)} values of k"
    )
    return Claim("Fig. 5.3", "transaction breakage is around 25 % for all k", get, verdict, why)


def record_itemsets_nearly_all(figures: Figures) -> Claim:
    """Fig. 5.7."""
    found = {a: figures.at("k", 5, a, "km_any", "record").estimate for a in (*ABA, "random")}
    get = "; ".join(f"{attack} {value}" for attack, value in found.items()) + " at k=5"
    own = ", ".join(f"{a} {figures.mean('k', 5, a, 'km_own', 'record'):.3f}" for a in found)
    verdict = together(in_range(value, 0.9, 1.0) for value in found.values())
    says = "record chunks: even at high k almost all protected itemsets are found, also by guessing"
    why = f"an itemset in any rebuilt record counts; in its own record: {own}"
    return Claim("Fig. 5.7", says, get, verdict, why)


def _spread(figures: Figures, sweep: str, places: Sequence[float], measure: str, scope: str) -> list[Series]:
    """How far the six semantic attacks lie apart at each place."""
    return [spread_of([figures.at(sweep, x, a, measure, scope) for a in SEMANTIC]) for x in places]


def term_methods_meet(figures: Figures) -> Claim:
    """Fig. 5.8."""
    steps = _spread(figures, "k", KS, "accuracy", "term")
    slope, means = slope_of(steps).estimate, [step.estimate.mean for step in steps]
    get = f"spread of the six attacks {means[0]:.3f} at k=2, {means[-1]:.3f} at k=5; {slope.signed} a step"
    says = "term chunks: methods differ less as k grows"
    return Claim("Fig. 5.8", says, get, judged(slope, -1), f"at most {max(means):.3f} apart at any k")


def meaning_helps_at_high_k(figures: Figures) -> Claim:
    """Section 5.4."""
    places = {"k=5": ("k", 5), "TTR 0.7": ("density", 0.7)}
    found = {
        f"{a}, {words}": (
            figures.at(*place, a, "auc") - figures.at(*place, a, "auc", side="control")
        ).estimate
        for a in ABA
        for words, place in places.items()
    }
    get = "link AUC above control: " + "; ".join(f"{words} {gap.signed}" for words, gap in found.items())
    verdict = together(judged(gap, 1) for gap in found.values())
    top = figures.gap("k", (5,), "aba/aba NGD", "random", "hit")
    says = "even with sparse data or high k, meaning helps"
    return Claim("5.4", says, get, verdict, f"hit above guessing at k=5, NGD: {top.signed}")


def _movers_means(figures: Figures) -> str:
    means = [
        f"{attack} {mean_of(figures.along('k', attack, 'movers')).estimate.mean:.2f}"
        for attack in (*ABA, "random")
    ]
    return f"means over k: {', '.join(means)}"


OF_K: tuple[Judge, ...] = (
    goes("Fig. 5.1, 5.4", "accuracy rises with k, even for a random attack", "k", "accuracy",
         attacks=(*SEMANTIC, VPA, "random"), note=f"{_RECALL}; "),
    accuracy_reaches_ninety,
    gap_shrinks,
    beats("Fig. 5.1, 5.4", "on dense data (0.30) ABA is the most accurate, with NGD and with WE", "k", KS, ABA_FIRST,
          "accuracy",
          why="mean over k = 2 to 5; record chunks are attacked by ABA in all of them, so only term chunks differ"),
    beats("Fig. 5.2", "semantic attacks keep a lower WMD than the random attack", "k", KS,
          [(attack, "random") for attack in ABA], "movers", sign=-1, why=_movers_means),
    goes("Fig. 5.2", "WMD rises with k for VPA and random", "k", "movers", attacks=(VPA, "random"),
         note="k-1 copies of each item outside the anchors are put down; "),
    movers_of_semantic_fall,
    a_quarter_is_broken,
    goes("Fig. 5.4", "k^m breakage rises with k", "k", "km_any", note=f"{_RECALL}; "),
    goes("Fig. 5.5", "record chunks: accuracy rises with k", "k", "accuracy", "record"),
    goes("Fig. 5.6", "record chunks: transaction breakage falls with k", "k", "broken", "record", sign=-1),
    record_itemsets_nearly_all,
    goes("Fig. 5.8", "term chunks: accuracy rises with k", "k", "accuracy", "term", note=f"{_RECALL}; "),
    term_methods_meet,
    beats("Fig. 5.8", "term chunks: ABA is best for all k, with NGD and with WE", "k", KS, ABA_FIRST, "accuracy",
          "term", why="mean over k = 2 to 5"),
    goes("Fig. 5.9", "term chunks: transaction breakage rises with k", "k", "broken", "term"),
    goes("Fig. 5.10", "term chunks: k^m breakage rises with k", "k", "km_any", "term"),
    meaning_helps_at_high_k,
)  # fmt: skip


# Claims about density (4.4, Figs. 5.11-5.20): k=2, maximum 25; a high type-token ratio is sparse.


def _on_dense(pairs: Sequence[tuple[str, str]]) -> Callable[[Figures], str]:
    """The same difference on dense data."""

    def why(figures: Figures) -> str:
        words, verdict = differences(figures, "density", DENSE, pairs, "accuracy")
        return f"on dense data (TTR 0.2, 0.3) the same is {verdict}: {words}"

    return why


def movers_stay(figures: Figures) -> Claim:
    """Fig. 5.12."""
    found = [mean_of([figures.at("density", x, a, "movers") for a in ABA]).estimate for x in DENSITIES]
    means, chance = (
        [one.mean for one in found],
        [figures.mean("density", x, "random", "movers") for x in DENSITIES],
    )
    get = f"{min(means):.2f} to {max(means):.2f} over the densities (mean of ABA with WE and NGD)"
    why = (
        f"the scale is that of the vector space (theirs is not named; here GloVe, 100 dimensions); guessing gives"
        f" {min(chance):.2f} to {max(chance):.2f}"
    )
    verdict = together(in_range(one, 2.5, 3.0) for one in found)
    return Claim("Fig. 5.12", "WMD of semantic attacks stays between 2.5 and 3", get, verdict, why)


def peaks(where: str, says: str, scope: str) -> Judge:
    """The claim that breakage at 0.5 is above both ends."""

    def judge(figures: Figures) -> Claim:
        found = {
            f"{attack} 0.5 minus {x}": figures.change("density", attack, "broken", (x, 0.5), scope)
            for attack in (*ABA, VPA)
            for x in (0.2, 0.7)
        }
        chance = ", ".join(f"{figures.mean('density', x, 'random', 'broken', scope):.3f}" for x in DENSITIES)
        get = "; ".join(f"{words}: {gap.signed}" for words, gap in found.items())
        verdict = together(judged(gap, 1) for gap in found.values())
        return Claim(where, says, get, verdict, f"guessing breaks {chance} (TTR 0.2 to 0.7)")

    return judge


def methods_part(figures: Figures) -> Claim:
    """Fig. 5.14."""
    steps = _spread(figures, "density", DENSITIES, "km_any", "all")
    slope, ends = slope_of(steps).estimate, [steps[place].estimate.mean for place in (0, -1)]
    get = f"spread of the six attacks {ends[0]:.3f} at 0.2, {ends[1]:.3f} at 0.7; {slope.signed} a step"
    says = "methods differ more in k^m breakage as TTR grows"
    why = "the thesis calls high ratios dense here, but sparse elsewhere"
    return Claim("Fig. 5.14", says, get, judged(slope, 1), why)


def record_accuracy_turns(figures: Figures) -> Claim:
    """Fig. 5.15."""
    words, verdicts = [], []
    for attack in ABA:
        values = figures.along("density", attack, "accuracy", "record")
        up, down = slope_of(values[:4]).estimate, slope_of(values[3:]).estimate
        words.append(f"{attack}: {up.signed} a step up to 0.5, {down.signed} after")
        verdicts += [judged(up, 1), judged(down, -1)]
    guess = slope_of(figures.along("density", "random", "accuracy", "record")).estimate
    says = "record chunks: accuracy of semantic attacks rises up to TTR 0.5, then falls"
    return Claim("Fig. 5.15", says, "; ".join(words), together(verdicts), f"guessing: {guess.signed} a step")


def _vpa_above(trend: Trend) -> str:
    above = mean_of(trend.figures.over("density", VPA, "accuracy", "record")).estimate
    return f"guessing: {trend.slope('random').signed} a step; VPA above guessing, mean over densities: {above.signed}"


def _broken_above(figures: Figures) -> str:
    above = [
        f"{attack} {mean_of(figures.over('density', attack, 'broken', 'record')).estimate.signed}"
        for attack in (VPA, *ABA)
    ]
    return f"above guessing: {', '.join(above)}"


def record_itemsets_stay(figures: Figures) -> Claim:
    """Fig. 5.17."""
    trend = Trend(figures, "density", "km_any", "record")
    flat = [judged(trend.slope(attack), 1) == UNDECIDED for attack in trend.attacks]
    says = "record chunks: k^m breakage does not change significantly with TTR"
    return Claim("Fig. 5.17", says, trend.get, CONFIRMED if all(flat) else REFUTED, trend.why)


def term_accuracy_parts(figures: Figures) -> Claim:
    """Fig. 5.18. The thesis says some methods: one of each is enough."""
    words, halves = [], []
    trend = Trend(figures, "density", "accuracy", "term")
    for name, sign in (("NGD", 1), ("WE", -1)):
        slopes = {term: trend.slope(f"aba/{term} {name}") for term in ("aba", "rga", "mra")}
        words += [f"aba/{term} {name} {slope.signed}" for term, slope in slopes.items()]
        halves.append({judged(slope, sign) for slope in slopes.values()})
    against = REFUTED if {REFUTED} in halves else UNDECIDED
    verdict = CONFIRMED if all(CONFIRMED in half for half in halves) else against
    says = "term chunks: accuracy rises with TTR for some methods with NGD and falls for some with WE"
    get = "a step changes it by " + "; ".join(words)
    return Claim("Fig. 5.18", says, get, verdict, f"guessing: {trend.slope('random').signed}")


_BEST = "aba/mra NGD"
OF_DENSITY: tuple[Judge, ...] = (
    beats("4.4, 5.4", "ABA is the better one on dense data (TTR 0.2, 0.3)", "density", DENSE, ABA_FIRST, "accuracy",
          why="accuracy, k=2"),
    beats("4.4", "MRA and RGA are the better ones on sparse data (TTR 0.6, 0.7)", "density", SPARSE,
          [(other, one) for one, other in ABA_FIRST], "accuracy",
          why=_on_dense([(other, one) for one, other in ABA_FIRST])),
    goes("Fig. 5.11", "accuracy rises greatly with TTR", "density", "accuracy", attacks=SEMANTIC),
    beats("Fig. 5.11, 5.4", "at high TTR, NGD is above WE", "density", SPARSE, COUNTS_FIRST, "accuracy",
          why=_on_dense(COUNTS_FIRST[:1])),
    movers_stay,
    peaks("Fig. 5.13", "transaction breakage peaks at TTR 0.5", "all"),
    methods_part,
    record_accuracy_turns,
    goes("Fig. 5.15", "record chunks: accuracy of VPA keeps rising with TTR", "density", "accuracy", "record",
         attacks=(VPA,), why=_vpa_above),
    peaks("Fig. 5.16", "record chunks: transaction breakage peaks at TTR 0.5", "record"),
    beats("Fig. 5.16", "record chunks: VPA breaks more transactions than the semantic attacks", "density", DENSITIES,
          [(VPA, attack) for attack in ABA], "broken", "record", why=_broken_above),
    record_itemsets_stay,
    term_accuracy_parts,
    peaks("Fig. 5.19", "term chunks: transaction breakage peaks at TTR 0.5", "term"),
    beats("Fig. 5.20", "term chunks: MRA with NGD has the best k^m breakage at most densities", "density", DENSITIES,
          [(_BEST, other) for other in SEMANTIC if other != _BEST], "km_any", "term",
          why=_in_own_record("density", DENSITIES, [(_BEST, "aba/aba NGD")], "sets that meet in any record count; ")),
)  # fmt: skip


# Claims about the maximum cluster size (4.4, 5.4, Figs. 5.21-5.30).


def _ranking(trend: Trend) -> str:
    """What guessing does as clusters grow, and whether the attacks rank better then."""
    guess, auc = trend.slope("random"), Trend(trend.figures, "size", "auc")
    slopes = {attack: auc.slope(attack) for attack in ABA}
    verdict = together(judged(slope, 1) for slope in slopes.values())
    ranking = {CONFIRMED: "the ranking gets better", REFUTED: "the ranking does not get better with both"}
    return (
        f"guessing {said(guess, 'rises', 'does not change for certain', 'falls as well')}, by {guess.signed};"
        f" {ranking.get(verdict, 'the ranking may get better, or not')}: link AUC"
        f" {', '.join(f'{attack} {slope.signed}' for attack, slope in slopes.items())} a step"
    )


def _vpa_auc(figures: Figures) -> str:
    auc = [f"{figures.mean('size', x, VPA, 'auc', 'record'):.3f}" for x in (*SMALL, *LARGE)]
    return f"link AUC in clusters of at most 4, 8, 32, 64: {', '.join(auc)}; 0.5 is no information"


def vpa_is_for_record_chunks(figures: Figures) -> Claim:
    """Section 5.4."""
    record, term = (
        (
            figures.at("size", 4, VPA, "hit", scope) - figures.at("size", 4, VPA, "hit", scope, "chance")
        ).estimate
        for scope in ("record", "term")
    )
    get = f"hit above guessing at 4: record chunks {record.signed}, term chunks {term.signed}"
    says = "VPA is effective on record chunks only"
    return Claim("5.4", says, get, judged(record, 1), "terms are put down at random by definition")


def sparse_and_small_is_worst(figures: Figures) -> Claim:
    """Section 5.4."""
    words, verdicts = [], []
    for attack in ABA:
        sparse = figures.change("density", attack, "hit", (0.2, 0.7), above=True)
        small = figures.change("size", attack, "hit", (64, 4), above=True)
        words.append(f"{attack}: TTR 0.7 minus 0.2 {sparse.signed}, size 4 minus 64 {small.signed}")
        verdicts += [judged(sparse, 1), judged(small, 1)]
    hits = [
        f"{attack} {figures.mean('size', 4, attack, 'hit'):.3f} and {figures.mean('size', 64, attack, 'hit'):.3f}"
        for attack in (*ABA, "random")
    ]
    why = f"what meaning adds is what counts here; all hits at size 4 and 64: {', '.join(hits)}"
    says = "the attack is very effective on sparse data and small clusters"
    return Claim("5.4", says, "hit above guessing, " + "; ".join(words), together(verdicts), why)


OF_SIZE: tuple[Judge, ...] = (
    goes("Fig. 5.21", "accuracy falls for all attacks as clusters grow", "size", "accuracy", sign=-1, why=_ranking),
    goes("Fig. 5.22", "WMD rises as clusters grow", "size", "movers", attacks=(*ABA, VPA)),
    goes("Fig. 5.24", "k^m breakage falls slightly as clusters grow", "size", "km_any", sign=-1),
    goes("Fig. 5.25", "record chunks: accuracy falls as clusters grow", "size", "accuracy", "record", sign=-1),
    goes("Fig. 5.26", "record chunks: transaction breakage rises as clusters grow", "size", "broken", "record"),
    goes("Fig. 5.27", "record chunks: k^m breakage falls slightly as clusters grow", "size", "km_any", "record",
         sign=-1),
    goes("Fig. 5.28", "term chunks: accuracy falls as clusters grow", "size", "accuracy", "term", sign=-1),
    beats("Fig. 5.28", "term chunks: NGD is above WE in large clusters (32, 64)", "size", LARGE, COUNTS_FIRST,
          "accuracy", "term",
          why=lambda figures: "in small ones (4, 8): "
          + differences(figures, "size", SMALL, COUNTS_FIRST[:1], "accuracy", "term")[0]),
    goes("Fig. 5.29", "term chunks: transaction breakage falls as clusters grow", "size", "broken", "term", sign=-1),
    beats("Fig. 5.30", "term chunks: NGD breaks more itemsets than WE in large clusters (32, 64)", "size", LARGE,
          COUNTS_FIRST, "km_any", "term", why=_in_own_record("size", LARGE, COUNTS_FIRST[:1])),
    beats("Fig. 5.30", "term chunks: MRA is outstanding in large clusters (32, 64), with NGD and with WE", "size",
          LARGE, MRA_FIRST, "km_any", "term",
          why=_in_own_record("size", LARGE, [MRA_FIRST[0], MRA_FIRST[2]], "sets that meet in any record; ")),
    beats("4.4, 5.4", "record chunks: VPA is best in small clusters (4, 8)", "size", SMALL,
          [(VPA, attack) for attack in (*ABA, "random")], "accuracy", "record", why=_vpa_auc),
    vpa_is_for_record_chunks,
    sparse_and_small_is_worst,
)  # fmt: skip

CLAIMS: tuple[Judge, ...] = (
    headline("abstract, 6.1", "about 60 % of the disassociated items are re-associated", "accuracy", 0.55),
    headline("abstract, 6.1", "nearly 70 % of the protected itemsets are broken", "km_any", 0.65),
    *OF_K,
    *OF_DENSITY,
    *OF_SIZE,
)


def claims(figures: Figures) -> list[Claim]:
    """All claims, judged."""
    return [claim(figures) for claim in CLAIMS]
