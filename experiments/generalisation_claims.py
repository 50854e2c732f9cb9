"""The paper says, we get: every claim of section 6 of Shao and Ong, judged by the figures.

*confirmed*, *refuted* and *chance* mean what they mean in ``thesis_judging``: a difference counts if its 95 % interval
over data sets and samples does not cover 0. A claim that something does not change is confirmed if the whole interval
lies within 0.05 of 0, refuted if all of it lies outside.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from experiments.generalisation_data import OHSUMED, WIKI
from experiments.generalisation_figures import exponent
from experiments.thesis_figures import Estimate, Series, estimate
from experiments.thesis_judging import CONFIRMED, REFUTED, UNDECIDED, Claim, judged, together

if TYPE_CHECKING:
    from collections.abc import Iterable

    from experiments.generalisation_figures import Figures

SAME = 0.05
K = 5


def claims(figures: Figures) -> list[Claim]:
    """All claims in the order of the paper."""
    return [
        _headline(figures),
        _eighty(figures),
        _random(figures),
        _maximum(figures),
        _careful(figures),
        _superior(figures),
        _domains(figures),
        _precision_by_density(figures),
        _recall_by_density(figures),
        _consistent_lower(figures),
        _consistent_same(figures),
        _fastest(figures),
        _growth(figures),
    ]


def unchanged(found: Estimate, room: float = SAME) -> str:
    """Verdict on a difference that should be none.

    >>> unchanged(Estimate(0.01, -0.02, 0.04, 9)), unchanged(Estimate(0.2, 0.1, 0.3, 9))
    ('confirmed', 'refuted')
    """
    if -room < found.low and found.high < room:
        return CONFIRMED
    return REFUTED if found.low > room or found.high < -room else UNDECIDED


def percent(value: float) -> str:
    """As tables print it."""
    return f"{100 * value:.0f} %"


def _range(values: Iterable[float]) -> str:
    listed = list(values)
    return f"{percent(min(listed))} to {percent(max(listed))}"


def _listed(values: Iterable[float]) -> str:
    return ", ".join(percent(value) for value in values)


def _mean(series: Series) -> float:
    return series.estimate.mean


def _headline(figures: Figures) -> Claim:
    settings = [(data, k) for data in figures.data for k in figures.places("k", data)]
    reached = []
    for data, k in settings:
        for attack in ("gba", "rba"):
            recall, precision = (
                _mean(figures.at("k", k, attack, name, data=data)) for name in ("recall", "precision")
            )
            if recall >= 0.7 and precision > 0.8:
                chance = _mean(figures.at("k", k, attack, "precision", "chance", data))
                reached.append((recall, precision, chance, data, k, attack))
    get = "In none of our settings."
    why = "-"
    if reached:
        recall, precision, chance, data, k, attack = max(reached)
        places = len({one[3:5] for one in reached})
        get = (
            f"In {places} of {len(settings)} settings of data set and k; most, picked afterwards, on {data}, k={k:g}:"
            f" {attack.upper()} finds {percent(recall)} at {percent(precision)}."
        )
        one = [_mean(figures.at("k", k, "rba", name, "one", data)) for name in ("recall", "precision")]
        why = (
            f"There, random elimination of as many items has a precision of {percent(chance)} already, and eliminating"
            f" all but one random item finds {percent(one[0])} at {percent(one[1])}. Over these settings random"
            f" elimination has a precision of {_range(found[2] for found in reached)}."
        )
    says = "Up to 70 % of the added items can be detected, with a precision over 80 %."
    return Claim("abstract, 7", says, get, CONFIRMED if reached else REFUTED, why)


def _eighty(figures: Figures) -> Claim:
    found = [_mean(figures.at("k", k, "rba", "f", data=WIKI)) for k in figures.places("k", WIKI)]
    one = [_mean(figures.at("k", k, "rba", "f", "one", WIKI)) for k in figures.places("k", WIKI)]
    verdict = CONFIRMED if found and all(0.75 <= value <= 0.85 for value in found) else REFUTED
    return Claim(
        "Fig. 13",
        "RBA has an F of about 80 % on AOL, for all k.",
        f"On {WIKI}, our data of several domains and about that length: {_listed(found)} (k = 2 to 6; 75 % to 85 %"
        " would be about 80 %).",
        verdict,
        f"F follows the base rate, which rises with k. All but one random item has {_listed(one)}.",
    )


def _random(figures: Figures) -> Claim:
    precision = figures.at("k", K, "random", "precision")
    recall = figures.at("k", K, "random", "recall")
    base = figures.at("k", K, "random", "precision", "chance")
    gap = (precision - base).estimate
    return Claim(
        "6.2.1",
        "RA has a precision of 70 % on AOL, because of its density, but a very low recall.",
        f"At k={K} its precision is {percent(_mean(precision))}, its recall {percent(_mean(recall))}: one item of each"
        " table.",
        together((unchanged(gap, 0.1), CONFIRMED if _mean(recall) < 0.1 else REFUTED)),
        "Its precision is the base rate, as that of any attack without knowledge; so 70 % is where precision starts.",
    )


def _maximum(figures: Figures) -> Claim:
    gap = (figures.at("k", K, "mda", "precision") - figures.at("k", K, "mda", "precision", "chance")).estimate
    recall = _mean(figures.at("k", K, "mda", "recall"))
    return Claim(
        "6.2.1",
        "MDA has a low recall and a high precision.",
        f"Recall {percent(recall)}, precision {percent(_mean(figures.at('k', K, 'mda', 'precision')))}; beside random"
        f" elimination {gap.signed}.",
        together((judged(gap, 1), CONFIRMED if recall < 0.2 else REFUTED)),
        "One item of a table is eliminated, the one furthest from its context: precision gains most over guessing"
        " where least is eliminated.",
    )


def _careful(figures: Figures) -> Claim:
    recalls, precisions = [], []
    for name in ("tba", "wba"):
        recalls.append((figures.at("k", K, name, "recall") - figures.at("k", K, "rba", "recall")).estimate)
        precisions.append(
            (figures.at("k", K, name, "precision") - figures.at("k", K, "rba", "precision")).estimate
        )
    ranked = {name: _mean(figures.at("k", K, name, "auc")) for name in ("tba", "wba", "gba", "rba")}
    return Claim(
        "6.2.1",
        "TBA and WBA have a high precision but eliminate few added items.",
        f"Beside RBA, recall: TBA {recalls[0].signed}, WBA {recalls[1].signed}; precision: TBA {precisions[0].signed},"
        f" WBA {precisions[1].signed}.",
        together([*(judged(one, -1) for one in recalls), *(judged(one, 1) for one in precisions)]),
        "How much is eliminated is a choice, and precision falls with it. By ranking, which does not depend on it, they"
        f" are close: link AUC {', '.join(f'{name.upper()} {ranked[name]:.2f}' for name in ranked)}.",
    )


def _superior(figures: Figures) -> Claim:
    best = {
        name: _least(figures, name, [other for other in ("random", "mda", "tba", "wba") if other != name])
        for name in ("gba", "rba")
    }
    beside = {
        data: (
            figures.at("k", K, "rba", "f", data=data) - figures.at("k", K, "rba", "f", "one", data)
        ).estimate
        for data in figures.data
    }
    worse = [data for data, one in beside.items() if judged(one, -1) == CONFIRMED]
    return Claim(
        "6.2.1",
        "The F of GBA and RBA is superior to that of the other methods.",
        f"F minus that of the best of RA, MDA, TBA and WBA at k={K}: GBA {best['gba'].signed}, RBA"
        f" {best['rba'].signed}.",
        together(judged(one, 1) for one in best.values()),
        "F rewards eliminating much where most items are added. The method that eliminates most, all but one random"
        f" item, was not compared: RBA is below it on {len(worse)} of {len(beside)} data sets"
        + (f" ({', '.join(worse)})." if worse else "."),
    )


def _least(figures: Figures, name: str, others: list[str]) -> Estimate:
    """F of a method minus the largest of some others, sample by sample."""
    mine = figures.at("k", K, name, "f")
    theirs = [figures.at("k", K, other, "f") for other in others]
    return estimate(value - max(one[pair] for one in theirs if pair in one) for pair, value in mine.items())


def _domains(figures: Figures) -> Claim:
    several, single = (
        [figures.at("k", K, "rba", name, data=data) for name in ("f", "auc", "precision")]
        for data in (WIKI, OHSUMED)
    )
    gaps = [
        estimate(value - b[OHSUMED, seed] for (_, seed), value in a.items() if (OHSUMED, seed) in b)
        for a, b in zip(several, single, strict=True)
    ]
    bases, ones = (
        [percent(value) for value in values]
        for values in (
            [figures.described("k", K, data, "base_rate").mean for data in (WIKI, OHSUMED)],
            [_mean(figures.at("k", K, "rba", "f", "one", data)) for data in (WIKI, OHSUMED)],
        )
    )
    return Claim(
        "6.2.1",
        "Data of several domains (AOL) is easier than data of one (I2B2) of a similar density.",
        f"F on {WIKI} minus F on {OHSUMED}: {gaps[0].signed}; link AUC: {gaps[1].signed}.",
        together((judged(gaps[0], 1), judged(gaps[1], 1))),
        f"The base rates are {bases[0]} and {bases[1]}, and all but one random item has an F of {ones[0]} and"
        f" {ones[1]}: F compares densities. One data set of each kind cannot tell domains from whatever else differs.",
    )


def _by_density(
    figures: Figures, measure: str, beside: str | None = None, only: str | None = None
) -> Estimate:
    """Change of a measure of RBA from the lowest to the highest density of each sample."""
    gaps = []
    for data in figures.data if only is None else (only,):
        places = figures.places("density", data)
        found = {x: figures.at("density", x, "rba", measure, data=data) for x in places}
        if beside is not None:
            found = {x: found[x] - figures.at("density", x, "rba", measure, beside, data) for x in places}
        for pair in {pair for one in found.values() for pair in one}:
            here = [found[x][pair] for x in places if pair in found[x]]
            if len(here) > 1:
                gaps.append(here[-1] - here[0])
    return estimate(gaps)


def _precision_by_density(figures: Figures) -> Claim:
    change, above = _by_density(figures, "precision"), _by_density(figures, "precision", "chance")
    return Claim(
        "Fig. 14",
        "Precision falls when density rises.",
        f"From the lowest to the highest density, RBA: {change.signed}.",
        judged(change, -1),
        f"So does the base rate, by definition. Precision minus that of random elimination changes by {above.signed}.",
    )


def _recall_by_density(figures: Figures) -> Claim:
    change = _by_density(figures, "recall")
    each = ", ".join(
        f"{data} {_by_density(figures, 'recall', only=data).mean:+.2f}"
        for data in figures.data
        if figures.places("density", data)
    )
    return Claim(
        "Fig. 14",
        "Recall is not affected by density.",
        f"From the lowest to the highest density, RBA: {change.signed}.",
        unchanged(change, 2 * SAME),
        f"By data set: {each}. Recall says mostly how much is eliminated, which the shape of the tables decides; here"
        " k changes with density too.",
    )


def _between(figures: Figures, measure: str) -> Estimate:
    """Consistent minus general utility constraints: a mean over k, TBA and RBA for each sample."""
    gaps: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for x in figures.places("consistent"):
        for attack in ("tba", "rba"):
            general = figures.at("k", x, attack, measure)
            for pair, gap in (figures.at("consistent", x, attack, measure) - general).items():
                gaps[pair].append(gap)
    return estimate(sum(each) / len(each) for each in gaps.values())


def _consistent_lower(figures: Figures) -> Claim:
    gaps = [_between(figures, name) for name in ("recall", "precision")]
    return Claim(
        "Fig. 15",
        "With semantically consistent utility constraints recall and precision are slightly lower.",
        f"Consistent minus general, TBA and RBA: recall {gaps[0].signed}, precision {gaps[1].signed}.",
        together(judged(one, -1) for one in gaps),
        "What WordNet finds alike need not occur together: as the knowledge of RBA it has a link AUC of"
        f" {_mean(figures.at('knowledge', K, 'rba WordNet', 'auc')):.2f}. The tables are others, too: many items may"
        " not be merged.",
    )


def _consistent_same(figures: Figures) -> Claim:
    gap, auc = _between(figures, "f"), _between(figures, "auc")
    return Claim(
        "Fig. 15",
        "F is not significantly affected by the utility constraints.",
        f"F: {gap.signed}; link AUC: {auc.signed}.",
        unchanged(gap),
        "By AUC, which does not depend on how much is eliminated, merging similar items alone is no protection"
        f" {'here' if auc.low > -SAME else 'that could be ruled out'}.",
    )


def _fastest(figures: Figures) -> Claim:
    largest = max(row["size"] for row in figures.times)
    seconds = {row["method"]: row["seconds"] for row in figures.times if row["size"] == largest}
    in_order = seconds["tba"] < seconds["wba"] < min(seconds["gba"], seconds["rba"])
    return Claim(
        "Fig. 16",
        "TBA is fastest, and WBA is faster than GBA and RBA, which cluster.",
        f"Seconds at {largest} x {largest}: "
        + ", ".join(f"{name.upper()} {one:.2f}" for name, one in seconds.items())
        + ".",
        CONFIRMED if in_order else REFUTED,
        "Single runs on random distances, on one machine.",
    )


def _growth(figures: Figures) -> Claim:
    powers = {name: exponent(figures.times, name) for name in ("tba", "wba", "gba", "rba")}
    squares = all(1.8 <= powers[name] <= 2.2 for name in ("wba", "gba", "rba"))
    return Claim(
        "Fig. 16",
        "TBA takes time in proportion to the cells of a table; WBA, GBA and RBA to their square.",
        "Powers of the number of cells, over the three largest tables: "
        + ", ".join(f"{name.upper()} {power:.1f}" for name, power in powers.items())
        + ".",
        CONFIRMED if squares and powers["tba"] < 1.3 else REFUTED,
        "A verdict on the methods, not on the paper's program: our loops update what an elimination changes instead of"
        " starting over.",
    )
