"""The page on covers: whether breaches grow with the cluster size, where they come from, and what repair costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.cover.runs import AOL, COPIES, DATA, DRAWS, TIMES
from experiments.harness.charts import coloured, library, seen
from experiments.harness.figures import number
from experiments.harness.page import Page, listed, percent, spanned

if TYPE_CHECKING:
    from experiments.harness.figures import Row, Table, Tables

SHOWN = (5, 10, 30, 100)
"""Sizes in the table."""
UNITS = ("records", "covers", "score", "pairs")
"""What is judged against the size: vulnerable records, in which the paper gives its result, and three other counts."""
STRAIGHT, LEVEL = 0.9, 0.5
"""A series grows linearly: a line explains this share of its variance, and it grows this much as fast as the size."""
MOSTLY = 2 / 3
"""Share of the score without associations from which on covers are said to come mostly from supports."""
STABLE = 2
"""How many times as long the slowest detection may take and the time still be called stable."""
LITTLE = 0.02
"""Share of the occurrences, and of the pairs, up to which the page calls the price of repair little."""


def linear(table: Table, unit: str) -> dict[str, bool]:
    """For each data set whether a count grows linearly with the size, from the smallest to the largest."""
    out = {}
    for name in _names(table):
        size, value = (np.array(_column(table, name, column)) for column in ("size", unit))
        fit = np.polyval(np.polyfit(size, value, 1), size)
        spread = float(((value - value.mean()) ** 2).sum())
        straight = not spread or 1 - float(((value - fit) ** 2).sum()) / spread >= STRAIGHT
        out[name] = straight and value[-1] / value[0] >= LEVEL * size[-1] / size[0]
    return out


def _names(table: Table) -> list[str]:
    """The real data sets of a table."""
    return [str(name) for name in dict.fromkeys(row["data"] for row in table) if name != AOL]


def _column(table: Table, name: str, column: str) -> list[float]:
    return [number(row[column]) for row in table if row["data"] == name]


def exchanged_score(kept: Tables, name: str) -> dict[int, Row]:
    """Score of Algorithm 1 by size, where items were exchanged."""
    rows = (row for row in kept["exchanged"] if row["data"] == name and row["measure"] == "score")
    return {int(number(row["size"])): row for row in rows}


def verdict(kept: Tables) -> list[str]:
    """What was found, a point for each."""
    return [_growth(kept), _associations(kept), _attackers(kept), _time(kept), _price(kept), _proved(kept)]


def _growth(kept: Tables) -> str:
    table = kept["sizes"]
    grow = {unit: linear(table, unit) for unit in UNITS}
    straight = [unit for unit, found in grow.items() if all(found.values())]
    bent = [unit for unit, found in grow.items() if not any(found.values())]
    held = "holds" if UNITS[0] in straight else "does not hold"
    ends = listed(
        [
            f"{column[0]:,.0f} to {column[-1]:,.0f} on {name}"
            for name in _names(table)
            for column in (_column(table, name, "score"),)
        ]
    )
    return (
        f"**Breaches grow linearly with the cluster size: {held} for vulnerable records**, which grow almost by"
        " construction: all records of a cluster that a cover touches are counted, and clusters grow. It"
        f" {'does not hold for ' + listed(bent) if bent else 'holds for other counts, too'}: the score goes from {ends}"
        " while clusters grow twentyfold."
    )


def _associations(kept: Tables) -> str:
    """What is left of the score where nothing goes together: that much comes from supports and sizes alone."""
    parts = []
    for name in _names(kept["sizes"]):
        found = exchanged_score(kept, name)
        sizes, scores = (_column(kept["sizes"], name, column) for column in ("size", "score"))
        shares = [number(found[int(size)]["mean"]) / score for size, score in zip(sizes, scores, strict=True)]
        middle = sum(shares) / len(shares)
        source = (
            "mostly from supports"
            if middle >= MOSTLY
            else "from both"
            if middle > 1 - MOSTLY
            else "mostly from associations"
        )
        parts.append(f"{spanned(shares)} on {name} ({source})")
    return (
        "**Associations or supports alone: that depends on the data.** Where items were exchanged between records, so"
        " that nothing goes together but supports and record sizes are kept, the score is still this share of that of"
        f" the data: {listed(parts)}."
    )


def _attackers(kept: Tables) -> str:
    rows = [row for row in kept["sizes"] if row["data"] != AOL]
    shares = {
        name: [number(row[name]) / number(row["score"]) for row in rows] for name in ("moderate", "weak")
    }
    most = all(share < 1 for found in shares.values() for share in found)
    return (
        f"**The strong attacker breaches most: {'holds' if most else 'does not hold'}.** Somebody who knows two random"
        f" items of a tenth of the records has {spanned(shares['moderate'])} of the strong attacker's score; ten random"
        f" items and ten words of WordNet give {spanned(shares['weak'])}."
    )


def _time(kept: Tables) -> str:
    name = DATA[0]
    seconds = _column(kept["sizes"], name, "detection_seconds")
    stable = "holds" if max(seconds) <= STABLE * min(seconds) else "does not hold"
    return (
        f"**The time of the detection is stable in the cluster size (Figure 5): {stable}.** It is"
        f" {1000 * min(seconds):.1f} to {1000 * max(seconds):.1f} ms on {name}."
    )


def _price(kept: Tables) -> str:
    before = {(row["data"], row["size"]): row for row in kept["repair"] if row["safe"] == "no"}
    after = [row for row in kept["repair"] if row["safe"] == "cover"]
    left = sum(int(number(row["covers"])) for row in after)
    worst = max(number(row["share_suppressed"]) for row in after)
    lost = max(
        number(before[row["data"], row["size"]]["pairs_kept"]) - number(row["pairs_kept"]) for row in after
    )
    done = "removes every cover" if not left else f"leaves {left:,} covers"
    return (
        f"**Repair costs {'little' if max(worst, lost) <= LITTLE else 'much'}.** `--safe cover` {done}, for at most"
        f" {percent(worst, 2)} of the occurrences and {100 * lost:.1f} points of the pairs kept together."
    )


def _proved(kept: Tables) -> str:
    """How far the proof reached: clusters too large to enumerate are not proved to hold, whatever the table says."""
    parts = []
    for safe in ("cover", "exact"):
        mine = [row for row in kept["repair"] if row["safe"] == safe]
        looked, several, broken = (
            sum(int(number(row[name])) for row in mine)
            for name in ("enumerated", "several_chunks", "broken_pairs")
        )
        parts.append(
            f"after `--safe {safe}` {broken:,} pairs are broken in the {looked:,} of {several:,} clusters with several"
            " record chunks that can be enumerated"
        )
    return (
        f"**A release without covers can still break its promise:** {'; '.join(parts)}. The others are too large, and"
        " nothing is proved of them."
    )


CLAIM = """Barakat, Al Bouna, Nassar and Guyeux, *On the evaluation of the privacy breach in disassociated set-valued
datasets* (2016): where the supports of a cluster's chunks leave only few ways to put records together, a pair of items
can stand in fewer than k of them, against the promise. Their Figure 4 shows for k=3, m=2 how many records are
vulnerable by maximum cluster size, for a strong attacker (who knows every pair), a moderate and a weak one, and says
that the breach of the strong one increases linearly. What the words mean:
[the cover problem](../explanation/cover-problem.md).

We run it without REFINE, as they do. Their AOL log identifies private persons; *AOL shape* has its numbers of records
and items from a generator. The paper has no control: we add the same data with items exchanged between records."""
CAPTION = """*records*: of all clusters that a cover touches. *score*: Algorithm 1, corrected. *exchanged*: the score
where two records at a time exchanged an item each, tried {times} times for each occurrence; mean of {copies} such
copies, ± half of the 95 % interval. *moderate*: knows two random items of a tenth of the records; mean over {draws}
draws."""


def page(kept: Tables) -> Page:
    """Whether breaches grow with the size, where they come from, and what repair costs."""
    rows = [row for row in kept["sizes"] if row["size"] in SHOWN]
    return Page(
        title="The cover problem: how much leaks, and what its repair costs",
        claim=CLAIM,
        verdict=verdict(kept),
        caption=CAPTION.format(copies=COPIES, draws=DRAWS, times=TIMES),
        heads=(
            "data",
            "largest cluster",
            "records",
            "covers",
            "leaked pairs",
            "score",
            "exchanged",
            "moderate",
        ),
        rows=[_line(kept, row) for row in rows],
        picture="Score of Algorithm 1 against cluster size: three attackers, and the strong one with items exchanged",
        notes=NOTES,
    )


NOTES = (
    "It takes about ten minutes. Repair was measured with REFINE, as one would publish (`repair.csv`); random choices"
    " were drawn from a seed, so that the table can be made again.",
)


def _line(kept: Tables, row: Row) -> tuple[str, ...]:
    control = exchanged_score(kept, str(row["data"])).get(int(number(row["size"])))
    return (
        str(row["data"]),
        str(row["size"]),
        *(f"{row[name]:,}" for name in ("records", "covers", "pairs", "score")),
        "-" if control is None else _spread(control["mean"], control["low"], control["high"]),
        _spread(row["moderate"], row["moderate_low"], row["moderate_high"]),
    )


def _spread(mean: Any, low: Any, high: Any) -> str:
    return f"{mean:,.0f}" + ("" if low is None else f" ±{(high - low) / 2:.0f}")


COLOURS = {
    "strong": "#d95f02",
    "strong, items exchanged": "#222222",
    "moderate": "#1f77b4",
    "weak": "#7b4fa3",
}


def picture(kept: Tables) -> Any:
    """Score against the maximum cluster size, one panel for each data set."""
    altair = library()
    panels = []
    for name in dict.fromkeys(str(row["data"]) for row in kept["sizes"]):
        rows = [
            {
                "series": series,
                "size": row["size"],
                "mean": row[field],
                "low": row.get(f"{field}_low"),
                "high": row.get(f"{field}_high"),
            }
            for row in kept["sizes"]
            if row["data"] == name
            for series, field in (("strong", "score"), ("moderate", "moderate"), ("weak", "weak"))
        ]
        rows += [{"series": "strong, items exchanged", **row} for row in exchanged_score(kept, name).values()]
        shown = seen(rows)
        colour = coloured("series", COLOURS)
        x, y = altair.X("size:Q", title="largest cluster"), altair.Y("mean:Q", title="score of Algorithm 1")
        area = shown.mark_area(opacity=0.2).encode(x=x, y="low:Q", y2="high:Q", color=colour)
        line = shown.mark_line(point=True).encode(x=x, y=y, color=colour)
        panels.append((area + line).properties(width=220, height=180, title=name))
    return altair.hconcat(*panels)
