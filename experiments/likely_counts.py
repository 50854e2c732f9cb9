"""``cloven reproduce likely-counts``: does the interval of a likely count hold the true one as often as it says?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.kinds.counts import COVERED
from cloven.kinds.disassociated.counts import Expected, told
from cloven.kinds.disassociated.likely import SHAPES, SIZES, WAY, Shape, Tails, hidden_part, spread
from cloven.kinds.disassociated.measured_tails import by_support, from_records, tails_on, truth
from cloven.kinds.disassociated.methods import Disassociation
from cloven.reconstruction import reconstruct_many
from experiments.harness.data import PEOPLE, PUBLIC_DATA, first
from experiments.harness.page import filled, grid, percent, section
from experiments.harness.runs import SEED, Report, as_json, files
from experiments.likely_sizes import (
    INVENTED,
    REAL,
    STEP,
    Asked,
    Sized,
    covers,
    gone,
    needed,
    resized,
    sized,
    sizes_section,
    way_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from cloven.compiled import Floats, Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.release import Disassociated
    from experiments.likely_sizes import Growth

TESTED = ("BMS-WebView-1", "BMS-WebView-2", "T10I4D100K", "groceries", "What's Cooking", "ICD-9", "mushroom")
SETS = 10_000
"""Sets of items of each size: half drawn from records, half item by item."""
FITTED = 1_400
"""Sets of each size and release that the distribution is fitted to."""
KS = (5, 10)
DRAWS = 5
BAND = (0.93, 0.97)
DESIGNS = {"from records": from_records, "by support": by_support}
WAYS = {
    "draws": f"the spread of {DRAWS} reconstructions",
    "spread": "the distribution alone, as it is in the program, with equal tails",
    "left out": "what the program does, with the distribution and the way of the other data sets",
    "release": "what the program does",
    "owner": "the distribution with tails that the owner measured",
}


@dataclass(frozen=True)
class Coverage:
    """How often intervals hold the truth.

    Attributes:
        data: name of the data.
        size: items of a set.
        way: how the interval is made.
        all: share of all sets whose true count lies in the interval.
        recorded: the same of the sets that were drawn from records.
        supported: the same of the sets drawn item by item.
        width: mean width of the interval.
        mean: mean true count.
    """

    data: str
    size: int
    way: str
    all: float
    recorded: float
    supported: float
    width: float
    mean: float


def likely_counts(folder: Path, report: Report, *, quick: bool = False) -> dict[str, str]:
    """Files: the page, and the figures behind it."""
    sources = {**PUBLIC_DATA, **PEOPLE}
    tested = ("groceries", "mushroom") if quick else TESTED
    names = tested if quick else tuple(sources)
    sets = 1_000 if quick else SETS
    fitted: dict[tuple[str, int], list[Asked]] = {}
    for number, name in enumerate(names):
        report(f"{name}: releases", number / len(names) / 4)
        data = sources[name].load(folder)
        data = first(data, 2_000) if quick else data
        for k in KS:
            release = Disassociation(k=k).anonymise(data).release
            for size in SIZES:
                asked = ask(data, release, size, min(sets, FITTED), np.random.default_rng(SEED))
                fitted.setdefault((name, size), []).append(asked)
    grown = _grown(folder, report, ("groceries",) if quick else REAL, {} if quick else INVENTED, quick=quick)
    for one in grown:
        fitted.setdefault((one.name, one.asked.size), []).append(one.asked)
    shapes = {
        str(size): list(fit([one for name in names for one in fitted[name, size][: len(KS)]], size))
        for size in SIZES
    }
    found: list[Coverage] = []
    for number, name in enumerate(tested):
        report(f"{name}: coverage", 0.6 + 0.4 * number / len(tested))
        data = sources[name].load(folder)
        data = first(data, 2_000) if quick else data
        way = way_of(one for (other, _), each in fitted.items() if other != name for one in each)
        for size in SIZES:
            others = [one for other in names if other != name for one in fitted[other, size][: len(KS)]]
            found += measured(name, data, size, fit(others, size), way, sets)
    return shown(found, shapes, sized(grown, fitted), needed(fitted), quick=quick)


def _grown(
    folder: Path, report: Report, real: Sequence[str], invented: Mapping[str, Sequence[float]], *, quick: bool
) -> list[Sized]:
    """Sets of items of data of several sizes, each with the tails that the owner would publish."""
    found: list[Sized] = []
    every = list(resized(folder, real, invented, 2_000 if quick else None))
    for number, (name, records, make) in enumerate(every):
        report(f"{name}: {records:,} records", 0.25 + 0.35 * number / len(every))
        data = make()
        release = Disassociation().anonymise(data).release
        for size in SIZES:
            own = Tails(
                size, *tails_on(data, release, size, np.random.default_rng(SEED + 2), FITTED), measured=True
            )
            asked = ask(data, release, size, FITTED, np.random.default_rng(SEED + 1))
            found.append(Sized(name, len(data), asked, own))
    return found


def ask(data: Transactions, release: Disassociated, size: int, sets: int, rng: np.random.Generator) -> Asked:
    """Draw sets of items both ways, and count them in the data."""
    drawn = [draw(data, release, size, sets // 2, rng) for draw in DESIGNS.values()]
    together = np.concatenate(drawn)
    recorded = np.arange(len(together)) < len(drawn[0])
    return Asked(together, told(release, together), truth(data, release, together), recorded)


def fit(asked: Sequence[Asked], size: int) -> Shape:
    """The five numbers that make the true counts most probable, each release weighing the same."""
    from scipy.optimize import minimize
    from scipy.special import betaln

    found = Expected(*(np.concatenate(parts) for parts in zip(*(one.found for one in asked), strict=True)))
    hidden = np.concatenate([one.true - np.rint(one.found.exact) for one in asked]).clip(0)
    usual = np.array([0.0, 1.0, 0.0, -1.0, 0.0])
    doubt = np.array([2.0, 0.5, 1.0, 2.0, 0.5])

    def surprise(numbers: Floats) -> float:
        _, shape, chance = hidden_part(found, size, Shape(*numbers))
        logged = shape * np.log(chance) + hidden * np.log1p(-chance)
        logged -= betaln(shape, hidden + 1) + np.log(shape + hidden)
        return float(-logged.sum() + (((numbers - usual) / doubt) ** 2).sum() / 2)

    return Shape(*(round(float(each), 2) for each in minimize(surprise, usual, method="L-BFGS-B").x))


def measured(
    name: str, data: Transactions, size: int, others: Shape, way: float, sets: int
) -> list[Coverage]:
    """One data set with the default setting: how often each way covers, on sets that no way has seen."""
    rng = np.random.default_rng(SEED + 1)
    release = Disassociation().anonymise(data).release
    own = Tails(size, *tails_on(data, release, size, np.random.default_rng(SEED + 2), sets), measured=True)
    asked = ask(data, release, size, sets, rng)
    ends = {
        "draws": spread_of_draws(release, asked.sets, rng),
        "spread": spread(asked.found, Tails(size, measured=True))[1:],
        "left out": spread(asked.found, Tails(size), others, way)[1:],
        "release": spread(asked.found, Tails(size))[1:],
        "owner": spread(asked.found, own)[1:],
    }
    return [covered(name, size, way, asked, low, high) for way, (low, high) in ends.items()]


def spread_of_draws(release: Disassociated, sets: Longs, rng: np.random.Generator) -> tuple[Longs, Longs]:
    """Least and most of a few reconstructions: what one would take without knowing better."""
    counts = np.array([truth(world, release, sets) for world in reconstruct_many(release, DRAWS, rng)])
    return counts.min(axis=0), counts.max(axis=0)


def covered(name: str, size: int, way: str, asked: Asked, low: Longs, high: Longs) -> Coverage:
    """How often an interval holds the truth."""
    inside = covers(asked, low, high)
    return Coverage(
        name,
        size,
        way,
        float(inside.mean()),
        float(inside[asked.recorded].mean()),
        float(inside[~asked.recorded].mean()),
        float((high - low).mean()),
        float(asked.true.mean()),
    )


def shown(
    found: Sequence[Coverage],
    shapes: Mapping[str, list[float]],
    grown: Sequence[Growth],
    ways: Mapping[str, float],
    *,
    quick: bool,
) -> dict[str, str]:
    """What was measured as files."""
    figures = {
        "coverage": [asdict(one) for one in found],
        "shapes": dict(shapes),
        "sizes": [asdict(one) for one in grown],
        "ways": dict(ways),
    }
    return files("likely-counts", page(found, shapes, grown, ways, quick=quick), as_json(figures), {})


def page(
    found: Sequence[Coverage],
    shapes: Mapping[str, list[float]],
    grown: Sequence[Growth],
    ways: Mapping[str, float],
    *,
    quick: bool = False,
) -> str:
    """The page."""
    low, high = BAND
    parts = [
        "# Do likely counts hold what they say?\n",
        filled(
            f"""Made by `cloven reproduce likely-counts`; the figures are in `likely-counts.json`. `release.count`
            gives an interval that is to hold the true count of a set of items at least {percent(COVERED, 0)} of the
            time. Every data set was disassociated with the defaults, and {1_000 if quick else SETS:,} pairs and as many
            triples of published items were asked for. Half were drawn *from records*: a random record, then random
            items of it, so that they occur, and frequent sets come often. Half were drawn *by support*: items one by
            one, each as often as people hold it; many of those sets nobody holds. The true count is that of the
            data. Intervals are of whole numbers, and where counts are small they cannot but cover more often than
            they say."""
        ),
        "",
        *(filled(f"- *{way}*: {about}", "  ") for way, about in WAYS.items()),
        "",
        filled(
            """The distribution has five numbers for pairs and five for larger sets, which were fitted to ten data
            sets, each with k = 5 and k = 10. Without measured tails the program begins an interval at what is certain,
            and ends it so far on the way from what chance expects to what is possible at most, in logarithms. *left
            out* shows what this does on data that neither the distribution nor the way has seen. *owner* takes tails
            that were measured on other sets of items of the same data, and are published with the release."""
        ),
        "",
        section(
            "The answer",
            filled(
                f"A share between {percent(low, 0)} and {percent(high, 0)} is called *as it says*; below it the truth"
                " is held less often, above it more often."
            ),
            "",
            *_answer(found),
            "",
        ),
    ]
    for size in SIZES:
        rows = [
            (
                one.data,
                one.way,
                percent(one.all),
                percent(one.recorded),
                percent(one.supported),
                f"{one.width:,.1f}",
                f"{one.mean:,.1f}",
            )
            for one in found
            if one.size == size
        ]
        heads = ("data", "way", "covered", "from records", "by support", "mean width", "mean true count")
        parts.append(section({2: "Pairs", 3: "Triples"}[size], grid(heads, rows)))
    parts += [sizes_section(grown), _way_section(ways)]
    lines = [
        f"sets of {size}: fitted here {', '.join(f'{each:.2f}' for each in numbers)}; in the program"
        f" {', '.join(f'{each:.2f}' for each in SHAPES[int(size)])}"
        for size, numbers in shapes.items()
    ]
    parts.append(section("The five numbers", *(filled(f"- {line}", "  ") for line in lines), ""))
    return "\n".join(parts)


def _answer(found: Sequence[Coverage]) -> list[str]:
    low, high = BAND
    lines = []
    for way in WAYS:
        mine = [one for one in found if one.way == way]
        good, more = sum(low <= one.all <= high for one in mine), sum(one.all > high for one in mine)
        few, many = min(mine, key=lambda one: one.all), max(mine, key=lambda one: one.all)
        lines.append(
            filled(
                f"- *{way}*: of {len(mine)} cases less often in {len(mine) - good - more}, as it says in {good}, more"
                f" often in {more}; from {percent(few.all)} ({few.data}, sets of"
                f" {few.size}) to {percent(many.all)} ({many.data}, sets of {many.size}).",
                "  ",
            )
        )
    return lines


def _way_section(ways: Mapping[str, float]) -> str:
    most = max(ways, key=lambda name: ways[name])
    return section(
        "The way",
        filled(
            f"""How far the interval of each data set must go so that it holds {percent(COVERED, 0)} of the true counts
            of every release of it that was made here, pairs and triples. The most is {ways[most]:.2f} ({most}).
            With {STEP:.2f} more for data that nobody has seen, rounded to {STEP:.2f}, this makes
            {gone(ways[most]):.2f}; in the program it is {WAY:.2f}. Where data is left out, the way is found likewise
            from the rest; invented
            data is left out together, as it is made in one way."""
        ),
        "",
        grid(("data", "way"), [(name, f"{way:.2f}") for name, way in ways.items()]),
    )
