"""What section 6 of Shao and Ong says, as claims on the figures of the experiment."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.generalisation.runs import OHSUMED, WIKI, K, from_root
from experiments.harness.claims import (
    FAILS,
    HOLDS,
    NEAR,
    Claim,
    above,
    below,
    each,
    in_turn,
    near,
    within,
)
from experiments.harness.figures import Estimate, Series, estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from experiments.generalisation.figures import Figures
    from experiments.harness.claims import Named
    from experiments.harness.figures import Pair

RANKED = ("tba", "wba", "gba", "rba")


def at_k(
    figures: Figures, attack: str, measure: str, side: str = "value", data: str | None = None
) -> Estimate:
    """A figure at the k that is looked at most."""
    return figures.at("k", K, attack, measure, side, data).estimate


def minus(figures: Figures, one: str, other: str, measure: str) -> Estimate:
    """One attack minus another."""
    return (figures.at("k", K, one, measure) - figures.at("k", K, other, measure)).estimate


def exact(figures: Named) -> Named:
    """The figures without their intervals."""
    return {name: Estimate.exact(figure.mean) for name, figure in figures.items()}


def reached(figures: Figures) -> list[tuple[float, float, str, float, str]]:
    """Settings with at least 70 % of the added items at more than 80 %: recall, precision, data, k and attack."""
    found = []
    for data, k, attack in _settings(figures):
        recall, precision = (
            figures.at("k", k, attack, name, data=data).estimate.mean for name in ("recall", "precision")
        )
        if recall >= 0.7 and precision > 0.8:
            found.append((recall, precision, data, k, attack))
    return found


def _settings(figures: Figures) -> list[tuple[str, float, str]]:
    return [
        (data, k, attack)
        for data in figures.data
        for k in figures.places("k", data)
        for attack in ("gba", "rba")
    ]


def _headline(figures: Figures) -> Named:
    places = {one[2:4] for one in reached(figures)}
    every = {one[:2] for one in _settings(figures)}
    return {"share of data sets and k": Estimate.exact(len(places) / len(every))}


def _headline_beside(figures: Figures) -> Named:
    if not reached(figures):
        return {}
    _, _, data, k, attack = max(reached(figures))
    shown = {
        f"most, recall ({data}, k={k:g})": ("recall", "value"),
        "its precision": ("precision", "value"),
        "of random elimination": ("precision", "chance"),
        "recall of all but one random item": ("recall", "one"),
    }
    return exact(
        {
            name: figures.at("k", k, attack, measure, side, data).estimate
            for name, (measure, side) in shown.items()
        }
    )


def _by_k(figures: Figures) -> Named:
    found = {k: figures.at("k", k, "rba", "f", data=WIKI).estimate for k in figures.places("k", WIKI)}
    return exact({f"k={k:g}": one for k, one in found.items()})


def _one_by_k(figures: Figures) -> Named:
    """All but one random item, at the smallest and the largest k."""
    ends = dict.fromkeys((figures.places("k", WIKI)[0], figures.places("k", WIKI)[-1]))
    found = {k: figures.at("k", k, "rba", "f", "one", WIKI).estimate for k in ends}
    return exact({f"all but one random item, k={k:g}": one for k, one in found.items()})


def _best_of_others(figures: Figures, name: str) -> Estimate:
    """F of a method minus the largest of the four simple ones, sample by sample."""
    theirs = [figures.at("k", K, other, "f") for other in ("random", "mda", "tba", "wba")]
    mine = figures.at("k", K, name, "f")
    return estimate(value - max(one[pair] for one in theirs if pair in one) for pair, value in mine.items())


def _domains(figures: Figures, measure: str, side: str = "value") -> Estimate:
    """RBA on data of several domains minus RBA on data of one."""
    several, single = (figures.at("k", K, "rba", measure, side, data) for data in (WIKI, OHSUMED))
    return estimate(
        value - single[OHSUMED, seed] for (_, seed), value in several.items() if (OHSUMED, seed) in single
    )


def by_density(
    figures: Figures, measure: str, beside: str | None = None, only: str | None = None
) -> Estimate:
    """Change of a measure of RBA from the lowest to the highest density of each sample."""
    changes = []
    for data in figures.data if only is None else (only,):
        places = figures.places("density", data)
        found = {x: figures.at("density", x, "rba", measure, data=data) for x in places}
        if beside is not None:
            found = {x: found[x] - figures.at("density", x, "rba", measure, beside, data) for x in places}
        for pair in {pair for one in found.values() for pair in one}:
            here = [found[x][pair] for x in places if pair in found[x]]
            if len(here) > 1:
                changes.append(here[-1] - here[0])
    return estimate(changes)


def consistent(figures: Figures, measure: str, root_depth: int = 1) -> Estimate:
    """Consistent minus general utility constraints: a mean over k, TBA and RBA for each sample."""
    sweep = from_root("consistent", root_depth)
    changes: defaultdict[Pair, list[float]] = defaultdict(list)
    for x in figures.places(sweep):
        for attack in ("tba", "rba"):
            general: Series = figures.at("k", x, attack, measure)
            for pair, gap in (figures.at(sweep, x, attack, measure) - general).items():
                changes[pair].append(gap)
    return estimate(sum(one) / len(one) for one in changes.values())


def exponent(times: Sequence[Mapping[str, Any]], method: str) -> float:
    """Power of the number of cells with which the time of a method grows, over the three largest tables.

    >>> round(exponent([{"method": "x", "size": n, "seconds": n**4} for n in (10, 20, 30)], "x"), 2)
    2.0
    """
    mine = sorted((row["size"] ** 2, row["seconds"]) for row in times if row["method"] == method)[-3:]
    cells, seconds = (np.log(np.array(column, float)) for column in zip(*mine, strict=True))
    return float(np.polyfit(cells, seconds, 1)[0])


def _seconds(figures: Figures) -> Named:
    largest = max(row["size"] for row in figures.times)
    seconds = {row["method"]: row["seconds"] for row in figures.times if row["size"] == largest}
    return {name.upper(): Estimate.exact(seconds[name]) for name in RANKED}


def _in_order(figures: Sequence[Estimate]) -> str:
    tba, wba, gba, rba = (figure.mean for figure in figures)
    return HOLDS if tba < wba < min(gba, rba) else FAILS


CLAIMS: tuple[Claim[Figures], ...] = (
    Claim(
        "headline",
        "abstract, 7",
        "up to 70 % of the added items can be detected, with a precision over 80 %",
        _headline,
        each(within(0.001, 1)),
        _headline_beside,
        form=".0%",
        why="guessing is right nearly as often there",
    ),
    Claim(
        "about 80",
        "Fig. 13",
        "RBA has an F of about 80 % on AOL for all k",
        _by_k,
        each(within(0.75, 0.85)),
        _one_by_k,
        form=".0%",
        why=f"on {WIKI}, our data of several domains and about that length",
    ),
    Claim(
        "random",
        "6.2.1",
        "RA has a precision of 70 % on AOL, because of its density, but a very low recall",
        lambda figures: {
            "precision minus the base rate": figures.beside("random", "precision", "chance"),
            "recall": at_k(figures, "random", "recall"),
        },
        in_turn(near(2 * NEAR), below(0.1)),
        lambda figures: exact({"precision": at_k(figures, "random", "precision")}),
        form=".0%",
        why="precision starts at the base rate",
    ),
    Claim(
        "maximum",
        "6.2.1",
        "MDA has a low recall and a high precision",
        lambda figures: {
            "precision above random": figures.beside("mda", "precision", "chance"),
            "recall": at_k(figures, "mda", "recall"),
        },
        in_turn(above(0), below(0.2)),
        form=".3f",
        why="it eliminates one item of each table",
    ),
    Claim(
        "careful",
        "6.2.1",
        "TBA and WBA have a higher precision than RBA but eliminate fewer added items",
        lambda figures: {
            f"{measure}, {name.upper()} minus RBA": minus(figures, name, "rba", measure)
            for measure in ("precision", "recall")
            for name in ("tba", "wba")
        },
        in_turn(above(0), above(0), below(0), below(0)),
        form=".2f",
        why="how much is eliminated is a choice",
    ),
    Claim(
        "superior",
        "6.2.1",
        "the F of GBA and RBA is superior to that of RA, MDA, TBA and WBA",
        lambda figures: {
            f"{name.upper()} minus the best of these": _best_of_others(figures, name)
            for name in ("gba", "rba")
        },
        each(above(0)),
        form="+.3f",
        why="F rewards eliminating much where most items are added",
    ),
    Claim(
        "domains",
        "6.2.1",
        "data of several domains (AOL) is easier than data of one (I2B2)",
        lambda figures: {f"F on {WIKI} minus on {OHSUMED}": _domains(figures, "f")},
        each(above(0)),
        lambda figures: {
            "link AUC": _domains(figures, "auc"),
            "F of all but one random item": Estimate.exact(_domains(figures, "f", "one").mean),
        },
        form="+.3f",
        why="one data set of each kind cannot tell domains from what else differs",
    ),
    Claim(
        "precision by density",
        "Fig. 14",
        "precision falls when density rises",
        lambda figures: {"lowest to highest density": by_density(figures, "precision")},
        each(below(0)),
        lambda figures: {"precision above random": by_density(figures, "precision", "chance")},
        form="+.2f",
        why="the base rate falls, too, by definition",
    ),
    Claim(
        "recall by density",
        "Fig. 14",
        "recall is not affected by density",
        lambda figures: {"lowest to highest density": by_density(figures, "recall")},
        each(near(2 * NEAR)),
        lambda figures: exact(
            {
                data: by_density(figures, "recall", only=data)
                for data in figures.data
                if figures.places("density", data)
            }
        ),
        form="+.2f",
        why="*k* changes with density here",
    ),
    Claim(
        "consistent, lower",
        "Fig. 15",
        "where only similar items are merged, recall and precision are slightly lower",
        lambda figures: {name: consistent(figures, name) for name in ("recall", "precision")},
        each(below(0)),
        lambda figures: {
            f"{name}, root at 0": consistent(figures, name, 0) for name in ("recall", "precision")
        },
        form="+.3f",
        why="what WordNet finds similar need not occur together",
    ),
    Claim(
        "consistent, same",
        "Fig. 15",
        "F is not significantly affected by it",
        lambda figures: {"F": consistent(figures, "f")},
        each(near()),
        lambda figures: {"F, root at 0": consistent(figures, "f", 0), "link AUC": consistent(figures, "auc")},
        form="+.3f",
        why="merging similar items alone is no protection here",
    ),
    Claim(
        "fastest",
        "Fig. 16",
        "TBA is fastest, and WBA is faster than GBA and RBA",
        _seconds,
        _in_order,
        form=".2f",
        why="seconds for 300 x 300 random distances, single runs",
    ),
    Claim(
        "growth",
        "Fig. 16",
        "the time of TBA grows with the cells of a table, that of WBA, GBA and RBA with their square",
        lambda figures: {name.upper(): Estimate.exact(exponent(figures.times, name)) for name in RANKED},
        in_turn(within(0.7, 1.3), *3 * (within(1.8, 2.2),)),
        form=".1f",
        why="powers of the number of cells; our loops update only what an elimination changes",
    ),
)
