"""The page on slicing and the upper/lower-level method: what protects, what a second release adds, and the claims."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from experiments.harness.charts import GUESSING, coloured, library, seen
from experiments.harness.claims import judged, sentence
from experiments.harness.figures import number
from experiments.harness.page import Page, listed, percent
from experiments.slicing.claims import CLAIMS
from experiments.slicing.data import (
    ADULT,
    ANATOMY,
    COMPOSITION,
    DIFFGEN,
    EDUCATION,
    HYBRID,
    MERGING,
    MONDRIAN,
    MONDRIAN_L,
    MUSHROOM,
    NO_SWAP,
    ORIGINAL,
    PROBABILISTIC,
    REPLAY,
    SLICING,
    UL_ADAPTIVE,
    UL_MAIN,
    swapped,
)

if TYPE_CHECKING:
    from experiments.harness.claims import Named
    from experiments.harness.figures import Tables

ROWS = (
    ORIGINAL, UL_MAIN, NO_SWAP, UL_ADAPTIVE, SLICING, ANATOMY, MONDRIAN, MONDRIAN_L, MERGING, COMPOSITION,
    PROBABILISTIC, HYBRID, DIFFGEN,
)  # fmt: skip


def mean(kept: Tables, method: str, column: str, data: str | tuple[str, ...] = ADULT) -> float:
    """A kept figure of a method; of several data sets, its mean."""
    wanted = (data,) if isinstance(data, str) else data
    rows = [row for row in kept["methods"] if row["method"] == method and row["data"] in wanted]
    return sum(number(row[column]) for row in rows) / len(rows)


def verdict(kept: Tables) -> list[str]:
    """What was found, a point for each, then the claims of the paper."""
    found = judged(CLAIMS, kept["claims"])
    points = [_protection(kept), _cut(kept), _second(kept), _elsewhere(kept)]
    return [
        *points,
        *(sentence(replace(one, figures=ends(one.figures), beside=ends(one.beside))) for one in found),
    ]


def ends(figures: Named) -> Named:
    """Of many figures the smallest and the largest; `claims.csv` has all."""
    if len(figures) < MANY:
        return figures
    names = sorted(figures, key=lambda name: figures[name].mean)
    return {name: figures[name] for name in (names[0], names[-1])}


def _protection(kept: Tables) -> str:
    mondrian, bare, mine, most = (
        mean(kept, name, "confidence") for name in (MONDRIAN, NO_SWAP, UL_MAIN, swapped(0.15))
    )
    guess = mean(kept, NO_SWAP, "confidence_chance")
    alone = mondrian - bare >= DOES * (mondrian - mine)
    who = "the buckets protect, not the swapping" if alone else "buckets and swapping protect together"
    return (
        f"**Of the upper/lower-level method (UL), {who}.** Of people in two releases an attacker gives the true value a"
        f" mean confidence of {mondrian:.2f} with Mondrian, {bare:.3f} with the buckets of UL before any swap,"
        f" {mine:.3f} and {most:.3f} where 5 % and 15 % are swapped; guessing has {guess:.3f}. At 5 %"
        f" {percent(mean(kept, UL_MAIN, 'exchanged'), 0)} of the rows hold somebody else's value."
    )


MANY = 4
"""Figures of a claim from which on the page shows only the smallest and the largest."""
DOES = 0.9
"""Share of the protection above that of Mondrian from which on the page says that buckets alone do it."""


def _cut(kept: Tables) -> str:
    data = list(dict.fromkeys(str(row["data"]) for row in kept["methods"]))
    found = {
        name: [mean(kept, method, "confidence", name) for method in (UL_MAIN, UL_ADAPTIVE, UL_MAIN + REPLAY)]
        for name in data
    }
    shown = listed(
        [f"{name} {one:.2f}, {two:.2f} and {three:.2f}" for name, (one, two, three) in found.items()]
    )
    higher = sum(two > one for one, two, _ in found.values())
    return (
        "**How buckets are cut matters.** Confidence where they are cut proportionally, as Mondrian cuts (*adaptive*,"
        " as in the paper) and by the default for one sensitive column (*replay-proof*):"
        f" {shown}. Adaptive is highest on {higher} of {len(data)}."
    )


def _second(kept: Tables) -> str:
    shown = listed(
        [
            f"{name} {mean(kept, name, 'confidence_alone'):.2f} and {mean(kept, name, 'confidence'):.2f}"
            for name in (MONDRIAN, ANATOMY, SLICING, UL_MAIN)
        ]
    )
    l = next(int(number(row["l"])) for row in kept["data"] if row["data"] == EDUCATION)
    left = mean(kept, ANATOMY, "confidence", EDUCATION)
    return (
        f"**A promise of one release is none for two.** Confidence with one release and with both: {shown}. Anatomy"
        f" with l={l} promises at most {1 / l:.2f}, and {'leaves' if left > 1 / l else 'keeps it, with'} {left:.2f} on"
        f" {EDUCATION}."
    )


def _elsewhere(kept: Tables) -> str:
    ul, bare, mondrian = (mean(kept, name, "confidence", MUSHROOM) for name in (UL_MAIN, NO_SWAP, MONDRIAN))
    errors = [mean(kept, name, "query with", MUSHROOM) for name in (UL_MAIN, MONDRIAN)]
    invalid = [percent(mean(kept, name, "invalid", MUSHROOM), 0) for name in (UL_MAIN, MONDRIAN)]
    return (
        f"**On {MUSHROOM}**, whose attributes hang together more, UL leaves {ul:.2f} ({bare:.2f} before swaps, Mondrian"
        f" {mondrian:.2f}), but its counts err by {errors[0]:.2f} (Mondrian {errors[1]:.2f}), and {invalid[0]} of its"
        f" rows as read hold values that never meet (Mondrian {invalid[1]})."
    )


HEADS = (
    "method",
    "confidence: Education",
    "Occupation",
    "soft ratio",
    "utility",
    "error with / without",
    "invalid",
)


def _line(kept: Tables, method: str) -> tuple[str, ...]:
    return (
        method,
        *(f"{mean(kept, method, 'confidence', data):.2f}" for data in ADULT),
        f"{mean(kept, method, 'drr_soft'):.3f}",
        percent(mean(kept, method, "utility")),
        f"{mean(kept, method, 'query with'):.2f} / {mean(kept, method, 'query without'):.2f}",
        percent(mean(kept, method, "invalid")),
    )


def page(kept: Tables) -> Page:
    """What protects, what the paper says, and risk and worth by method."""
    samples = max(int(number(row["samples"])) for row in kept["methods"])
    return Page(
        title="Slicing and the upper/lower-level method, run again",
        claim=CLAIM.format(samples=samples),
        verdict=verdict(kept),
        caption=CAPTION.format(guessing=mean(kept, UL_MAIN, "confidence_chance")),
        heads=HEADS,
        rows=[_line(kept, method) for method in ROWS],
        picture="Confidence of the attacker against the error of counts; left and low is best, dashed is guessing",
        notes=NOTES,
    )


CLAIM = """BinJubier, Ismail, Ahmed and Sadiq, *Slicing-based enhanced method for privacy-preserving in publishing big
data* (2022): the upper/lower-level method (UL) slices a table and exchanges rare and common cells between rows, which
shall protect better where two releases share people, and keep more. How to use it: [anonymise a
table](../how-to/anonymise-a-table.md).

{samples} samples of UCI Adult with education or occupation as the sensitive attribute, and of Mushroom: pairs of tables
of 4,000 rows (3,000) that share 100 to 500. The attacker knows all quasi-identifiers of the shared people and has both
releases. The paper's figures are pictures without numbers, so its text is judged, by the soft ratio; of many
differences the smallest and the largest are shown."""
CAPTION = """500 shared people; means over Education and Occupation but for *confidence*, that of the attacker in the
true value (guessing: {guessing:.2f}). *soft ratio*: 1 / values left in both releases, 0 without the true one.
*utility*: as printed. *error*: of counts with / without the sensitive value. *invalid*: rows as read with values that
never meet."""
NOTES = (
    """Both tables of a pair have the same sensitive attribute: one that publishes what the other hides leaves nothing
    to find out. The paper does not say how it did it.""",
    """Education is published with l=2, Occupation with 6 as printed, Mushroom (gill colour) with 4: the largest that
    all samples allow. k=6, eps=0.3. Methods called "-like" are approximations from short descriptions.""",
    """Samples overlap, so intervals speak of Adult, not of all tables. It takes ten minutes or more.""",
)
TICKS = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]
COLOURS = {
    UL_MAIN: "#d95f02", UL_ADAPTIVE: "#8c2d04", SLICING: "#f2a65a", ANATOMY: "#b8860b", MERGING: "#7b4fa3",
    PROBABILISTIC: "#1b9e77", COMPOSITION: "#66c2a5", MONDRIAN: "#1f77b4", HYBRID: "#9ecae1",
    DIFFGEN: "#d62728", GUESSING: "#555555",
}  # fmt: skip
SHAPES = ("circle", "square", "diamond", "triangle-up", "triangle-down")


def picture(kept: Tables) -> Any:
    """Risk against utility, all methods at once: bottom left is best."""
    altair = library()
    shown = [name for name in COLOURS if name != GUESSING]
    shape = altair.Shape(
        "series:N",
        scale=altair.Scale(domain=shown, range=[SHAPES[place % len(SHAPES)] for place in range(len(shown))]),
        legend=altair.Legend(title=None, orient="top", columns=6),
    )
    colour = coloured("series", {name: COLOURS[name] for name in shown}, columns=6)
    ticks = altair.Axis(values=TICKS)
    x = altair.X(
        "x:Q",
        title="error of counts (log)",
        scale=altair.Scale(type="log", nice=False, padding=12),
        axis=ticks,
    )
    y = altair.Y(
        "y:Q", title="mean confidence in the true value", scale=altair.Scale(zero=True),
        axis=altair.Axis(labelFlush=True, tickCount=6),
    )  # fmt: skip
    panels = []
    for data in (*ADULT, MUSHROOM):
        rows = [
            {
                "series": method,
                "x": mean(kept, method, "query with", data),
                "y": mean(kept, method, "confidence", data),
            }
            for method in reversed(shown)  # the first is drawn last, over the others
        ]
        points = seen(rows).mark_point(filled=True, size=90, opacity=1)
        guess = seen([{"y": mean(kept, UL_MAIN, "confidence_chance", data)}])
        rule = guess.mark_rule(strokeDash=[4, 3], color=COLOURS[GUESSING]).encode(y=y)
        both = rule + points.encode(x=x, y=y, color=colour, shape=shape)
        panels.append(both.properties(width=215, height=190, title=data))
    return altair.hconcat(*panels, spacing=62, bounds="flush")
