"""``cloven reproduce likely-counts``: does the interval of a likely count hold the true one as often as it says?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.kinds.counts import COVERED
from cloven.kinds.disassociated.counts import Expected, expected
from cloven.kinds.disassociated.likely import SHAPES, SIZES, Shape, Tails, hidden_part, spread
from cloven.kinds.disassociated.measured_tails import by_support, from_records, tails_on, truth
from cloven.kinds.disassociated.methods import Disassociation
from cloven.reconstruction import reconstruct_many
from experiments.harness.data import PEOPLE, PUBLIC_DATA, first
from experiments.harness.page import filled, grid, percent, section
from experiments.harness.runs import SEED, Report, as_json, files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from cloven.compiled import Flags, Floats, Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.release import Disassociated

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
    "left out": "the distribution, fitted to the other data sets",
    "release": "the distribution as it is in the program",
    "owner": "the same with tails that the owner measured",
}


class Asked(NamedTuple):
    """Sets of items that were asked for, and their true counts."""

    sets: Longs
    found: Expected
    true: Longs
    recorded: Flags


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
    found: list[Coverage] = []
    for number, name in enumerate(names):
        report(f"{name}: releases", number / len(names) / 2)
        data = sources[name].load(folder)
        data = first(data, 2_000) if quick else data
        for k in KS:
            release = Disassociation(k=k).anonymise(data).release
            for size in SIZES:
                asked = ask(data, release, size, min(sets, FITTED), np.random.default_rng(SEED))
                fitted.setdefault((name, size), []).append(asked)
    shapes: dict[str, list[float]] = {}
    for size in SIZES:
        shapes[str(size)] = list(
            fit([one for (_, z), each in fitted.items() if z == size for one in each], size)
        )
    for number, name in enumerate(tested):
        report(f"{name}: coverage", (number / len(tested) + 1) / 2)
        data = sources[name].load(folder)
        data = first(data, 2_000) if quick else data
        for size in SIZES:
            others = [
                one for (other, z), each in fitted.items() if other != name and z == size for one in each
            ]
            found += measured(name, data, size, fit(others, size), sets)
    return shown(found, shapes, quick=quick)


def ask(data: Transactions, release: Disassociated, size: int, sets: int, rng: np.random.Generator) -> Asked:
    """Draw sets of items both ways, and count them in the data."""
    drawn = [draw(data, release, size, sets // 2, rng) for draw in DESIGNS.values()]
    together = np.concatenate(drawn)
    recorded = np.arange(len(together)) < len(drawn[0])
    return Asked(together, expected(release.shown, together), truth(data, release, together), recorded)


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


def measured(name: str, data: Transactions, size: int, others: Shape, sets: int) -> list[Coverage]:
    """One data set with the default setting: how often each way covers, on sets that no way has seen."""
    rng = np.random.default_rng(SEED + 1)
    release = Disassociation().anonymise(data).release
    own = Tails(size, *tails_on(data, release, size, np.random.default_rng(SEED + 2), sets))
    asked = ask(data, release, size, sets, rng)
    ends = {
        "draws": spread_of_draws(release, asked.sets, rng),
        "left out": spread(asked.found, Tails(size), others)[1:],
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
    inside = (low <= asked.true) & (asked.true <= high)
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


def shown(found: Sequence[Coverage], shapes: Mapping[str, list[float]], *, quick: bool) -> dict[str, str]:
    """What was measured as files."""
    figures = {"coverage": [asdict(one) for one in found], "shapes": dict(shapes)}
    return files("likely-counts", page(found, shapes, quick=quick), as_json(figures), {})


def page(found: Sequence[Coverage], shapes: Mapping[str, list[float]], *, quick: bool = False) -> str:
    """The page."""
    low, high = BAND
    parts = [
        "# Do likely counts hold what they say?\n",
        filled(
            f"""Made by `cloven reproduce likely-counts`; the figures are in `likely-counts.json`. `release.count`
            gives an interval that is to hold the true count of a set of items {percent(COVERED, 0)} of the time.
            Every data set was disassociated with the defaults, and {1_000 if quick else SETS:,} pairs and as many
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
            sets, each with k = 5 and k = 10. *left out* shows what it does on data that it has not seen. *owner* takes
            tails that were measured on other sets of items of the same data, and are published with the release."""
        ),
        "",
        section(
            "The answer",
            filled(f"A share between {percent(low, 0)} and {percent(high, 0)} is called *as it says*."),
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
        good = sum(low <= one.all <= high for one in mine)
        few, many = min(mine, key=lambda one: one.all), max(mine, key=lambda one: one.all)
        lines.append(
            filled(
                f"- *{way}*: as it says in {good} of {len(mine)} cases; from {percent(few.all)} ({few.data}, sets of"
                f" {few.size}) to {percent(many.all)} ({many.data}, sets of {many.size}).",
                "  ",
            )
        )
    return lines
