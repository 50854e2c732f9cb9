"""``cloven reproduce likely-counts``: does the interval of a likely count hold the true one as often as it says?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.counts import COVERED
from cloven.kinds.disassociated.counts import Expected, told
from cloven.kinds.disassociated.likely import SHAPES, SIZES, WAY, Shape, Tails, hidden_part, spread
from cloven.kinds.disassociated.measured_tails import by_support, from_records, tails_on, truth
from cloven.kinds.disassociated.methods import Disassociation
from cloven.reconstruction import reconstruct_many
from experiments.harness.charts import coloured, library, seen
from experiments.harness.claims import Claim, each, judged, near, sentence, within
from experiments.harness.claims import measured as figures_of
from experiments.harness.data import PEOPLE, PUBLIC_DATA, first
from experiments.harness.figures import Estimate, number
from experiments.harness.page import Experiment, Page, percent
from experiments.harness.runs import SEED, Report
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
    way_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from cloven.compiled import Floats, Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.release import Disassociated
    from experiments.harness.claims import Named
    from experiments.harness.figures import Row, Table, Tables

TESTED = ("BMS-WebView-1", "BMS-WebView-2", "T10I4D100K", "groceries", "What's Cooking", "ICD-9", "mushroom")
SETS = 10_000
"""Sets of items of each size: half drawn from records, half item by item."""
FITTED = 1_400
"""Sets of each size and release that the distribution is fitted to."""
KS = (5, 10)
DRAWS = 5
BAND = (0.93, 0.97)
DESIGNS = {"from records": from_records, "by support": by_support}


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


def run(folder: Path, report: Report, *, quick: bool = False) -> Tables:
    """How often each way covers, by data and by number of records, and what the distribution and the way need."""
    sources = {**PUBLIC_DATA, **PEOPLE}
    tested = ("groceries", "mushroom") if quick else TESTED
    names = tested if quick else tuple(sources)
    sets = 1_000 if quick else SETS
    fitted: dict[tuple[str, int], list[Asked]] = {}
    for place, name in enumerate(names):
        report(f"{name}: releases", place / len(names) / 4)
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
    shapes: Table = []
    for size in SIZES:
        numbers = fit([one for name in names for one in fitted[name, size][: len(KS)]], size)
        shapes.append({"items": size, **numbers._asdict()})
    found: list[Coverage] = []
    for place, name in enumerate(tested):
        report(f"{name}: coverage", 0.6 + 0.4 * place / len(tested))
        data = sources[name].load(folder)
        data = first(data, 2_000) if quick else data
        way = way_of(one for (other, _), each in fitted.items() if other != name for one in each)
        for size in SIZES:
            others = [one for other in names if other != name for one in fitted[other, size][: len(KS)]]
            found += measured(name, data, size, fit(others, size), way, sets)
    kept: Tables = {
        "coverage": [asdict(one) for one in found],
        "sizes": [asdict(one) for one in sized(grown, fitted)],
        "ways": [{"data": name, "way": way} for name, way in needed(fitted).items()],
        "shapes": shapes,
    }
    return kept | {"claims": figures_of(CLAIMS, kept)}


def _grown(
    folder: Path, report: Report, real: Sequence[str], invented: Mapping[str, Sequence[float]], *, quick: bool
) -> list[Sized]:
    """Sets of items of data of several sizes, each with the tails that the owner would publish."""
    found: list[Sized] = []
    every = list(resized(folder, real, invented, 2_000 if quick else None))
    for place, (name, records, make) in enumerate(every):
        report(f"{name}: {records:,} records", 0.25 + 0.35 * place / len(every))
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


def _least(way: str) -> Callable[[Tables], Named]:
    return lambda kept: _end(kept, way, "least")


def _most(way: str) -> Callable[[Tables], Named]:
    return lambda kept: _end(kept, way, "most")


def _end(kept: Tables, way: str, word: str) -> Named:
    """The least or the most of the true counts that one way holds, over all data that was asked."""
    rows = [(row, number(row["all"])) for row in kept["coverage"] if row["way"] == way]
    if way in COLOURS:
        rows += [(row, number(row[way.replace(" ", "_")])) for row in kept["sizes"]]
    row, held = (min if word == "least" else max)(rows, key=lambda one: one[1])
    return {f"{word}, {_place(row)},": Estimate.exact(held)}


def _place(row: Row) -> str:
    records = f", {row['records']:,} records" if "records" in row else ""
    return f"{row['data']}{records}, {'pairs' if row['size'] == SIZES[0] else 'triples'}"


def _needed(kept: Tables) -> Named:
    """The way that is needed at most, with what is added for data that nobody has seen, beside that of the program."""
    return {"gone here minus in the program": Estimate.exact(gone(_most_needed(kept)[1]) - WAY)}


def _most_needed(kept: Tables) -> tuple[str, float]:
    return max(((str(row["data"]), number(row["way"])) for row in kept["ways"]), key=lambda one: one[1])


LEAST, MOST = BAND
CLAIMS: tuple[Claim[Tables], ...] = (
    Claim(
        "release", "what the program does", f"an interval holds at least {percent(COVERED, 0)} of the true counts",
        _least("release"), each(within(COVERED, 1)), _most("release"), ".1%",
    ),
    Claim(
        "left out", "the same", "it does so on data that neither its distribution nor its way has seen",
        _least("left out"), each(within(COVERED, 1)), _most("left out"), ".1%",
    ),
    Claim(
        "owner", "tails that the owner measured", f"an interval holds at least {percent(LEAST, 0)}",
        _least("owner"), each(within(LEAST, 1)), _most("owner"), ".1%",
        f"where it holds more than {percent(MOST, 0)} it errs on the safe side",
    ),
    Claim(
        "spread", "the distribution alone, with equal tails", f"an interval holds at least {percent(LEAST, 0)}",
        _least("spread"), each(within(LEAST, 1)), _most("spread"), ".1%",
        "an error in proportion to the counts outgrows a spread that grows like their root",
    ),
    Claim(
        "draws", f"the spread of {DRAWS} reconstructions", f"it holds at least {percent(LEAST, 0)}",
        _least("draws"), each(within(LEAST, 1)), _most("draws"), ".1%",
        "do not take the spread of a few reconstructions for what is not known",
    ),
    Claim(
        "way", "the way of the program", "it is as far as data needs, and a step more",
        _needed, each(near(STEP / 2)), form="+.2f",
    ),
)  # fmt: skip
CLAIM = f"""`release.count` gives an interval that is to hold the true count of a set of items at least
{percent(COVERED, 0)} of the time. Every data set was disassociated with the defaults, and {SETS:,} pairs and as many
triples of published items were asked for: half drawn from records, half item by item as often as people hold them. The
true count is that of the data.

A distribution of five numbers for pairs and five for larger sets, fitted to ten data sets with k = 5 and k = 10, says
what chance expects. Without measured tails the program begins an interval at what is certain, and ends it so far on the
way from what chance expects to what is possible at most, in logarithms; the *way* is what the worst data set needs.
*Owner* takes tails that were measured on other sets of the same data, and are published with the release."""
CAPTION = """\
Shares of the true counts of pairs that are held, and mean widths, by number of records: a tenth of a public
data set, all of it, and ten times as many records, drawn with repetition; and invented data of published shapes.
*Possible* is the mean distance of what is certain and what is possible at most."""


def page(kept: Tables) -> Page:
    """How often intervals hold the truth."""
    name, most = _most_needed(kept)
    numbers = [
        f"sets of {row['items']}: {_listed([number(row[field]) for field in Shape._fields])} (in the program"
        f" {_listed(SHAPES[int(number(row['items']))])})"
        for row in kept["shapes"]
    ]
    return Page(
        title="Do likely counts hold what they say?",
        claim=CLAIM,
        verdict=list(map(sentence, judged(CLAIMS, kept["claims"]))),
        caption=CAPTION,
        heads=("data", "records", "spread", "left out", "release", "owner", "width, spread", "width, release",
               "width, owner", "possible", "mean count"),
        rows=[_line(row) for row in kept["sizes"] if row["size"] == SIZES[0]],
        picture="Shares of the true counts that are held, by number of records; 95 % is the promise",
        notes=(
            f"The most that is needed of the way is {most:.2f} ({name}); {STEP:.2f} more for data that nobody has seen"
            f" and rounded to {STEP:.2f} makes {gone(most):.2f}. In the program it is {WAY:.2f}. Data is left out with"
            " all that is made in the same way.",
            f"The five numbers, fitted here: {'; '.join(numbers)}.",
            "Intervals are of whole numbers, so that they cannot but cover more often where counts are small. Triples,"
            " and how often each way holds counts of sets from records and by support, are in the kept figures. It"
            " takes about a quarter of an hour.",
        ),
    )  # fmt: skip


def _listed(numbers: Iterable[float]) -> str:
    return ", ".join(f"{each:.2f}" for each in numbers)


def _line(row: Row) -> tuple[str, ...]:
    held = (percent(number(row[name])) for name in ("spread", "left_out", "release", "owner"))
    widths = ("width_spread", "width", "width_owner", "possible", "mean")
    return (str(row["data"]), f"{row['records']:,}", *held, *(f"{row[name]:,.1f}" for name in widths))


COLOURS = {"spread": "#d95f02", "left out": "#7570b3", "release": "#1f77b4", "owner": "#1b9e77"}


def picture(kept: Tables) -> Any:
    """Shares that are held against the number of records."""
    altair = library()
    panels = []
    for size, title in zip(SIZES, ("pairs", "triples"), strict=True):
        rows = [
            {"way": way, "records": row["records"], "held": row[way.replace(" ", "_")]}
            for row in kept["sizes"]
            for way in COLOURS
            if row["size"] == size
        ]
        x = altair.X("records:Q", title="records", scale=altair.Scale(type="log"))
        y = altair.Y("held:Q", title="held of the true counts").axis(format="%")
        shown = seen(rows).mark_point(filled=True, size=50, opacity=0.8)
        promise = seen([{"held": COVERED}]).mark_rule(strokeDash=[4, 3], color="#555555").encode(y="held:Q")
        points = shown.encode(x=x, y=y, color=coloured("way", COLOURS))
        panels.append((promise + points).properties(width=320, height=220, title=title))
    return altair.hconcat(*panels)


EXPERIMENT = Experiment("likely-counts", run, page, picture)
