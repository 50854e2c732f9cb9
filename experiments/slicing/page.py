"""The page of ``cloven reproduce slicing``: answer, claims, data, charts, tables, all from the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.harness.former import SAME, judgements, side, told
from experiments.harness.page import filled, grid, number, percent, picture, points, section
from experiments.slicing.claims import NEAR, SIZES, in_points, printed
from experiments.slicing.data import (
    ADAPTIVE,
    ADULT,
    ANATOMY,
    COMPOSITION,
    DIFFGEN,
    EDUCATION,
    EVERY,
    HYBRID,
    MAIN_RATES,
    MERGING,
    MONDRIAN,
    MONDRIAN_L,
    NO_SWAP,
    OCCUPATION,
    ORIGINAL,
    PROBABILISTIC,
    RATES,
    REPLAY,
    SLICING,
    UL_ADAPTIVE,
    UL_MAIN,
    L,
    swapped,
)
from experiments.slicing.runs import DIMENSIONS, NEAREST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.harness.figures import Estimate
    from experiments.harness.former import Claim
    from experiments.slicing.runs import Figures

MAIN = (
    ORIGINAL, *map(swapped, RATES), UL_ADAPTIVE, SLICING, ANATOMY, MERGING, PROBABILISTIC, COMPOSITION, MONDRIAN,
    HYBRID, DIFFGEN,
)  # fmt: skip


def page(figures: Figures, claims: Sequence[Claim]) -> str:
    """The whole page."""
    parts = [
        filled(HEAD.format(samples=figures.samples)),
        "\n## In short\n",
        *points(answer(figures)),
        f"\n{_picture('trade', 'Confidence of the attacker against the error of counts; left and low is best')}",
        "The dashed line is guessing.\n",
        judgements(claims, RULE, "paper", "why, and what guessing does"),
        _data(figures),
        _cells(figures),
        _worth(figures),
        _sizes(figures),
        _risk(figures),
        _rate(figures),
        _query(figures),
        _variants(figures),
        "## What is different here\n",
        *points(DIFFERENT),
    ]
    return "# Slicing and the upper/lower-level method, run again\n\n" + "\n".join(parts) + "\n"


def _picture(name: str, title: str) -> str:
    return picture(f"slicing/{name}", title)


def _share(found: Estimate, digits: int = 1) -> str:
    if not found.pairs:
        return "-"
    half = f" ±{50 * (found.high - found.low):.{digits}f}" if found.pairs > 1 else ""
    return f"{100 * found.mean:.{digits}f}{half} %"


def _data(figures: Figures) -> str:
    rows = [
        [
            one.name,
            f"{one.all_rows:,}",
            f"{one.rows:,} + {figures.overlaps[0]} to {figures.overlaps[-1]}",
            f"{one.sensitive} ({one.values} values)",
            f"{one.most_common[0]}, {percent(one.most_common[1] / one.all_rows)}",
            ", ".join(f"{l} in {one.possible.count(l)}" for l in sorted(set(one.possible))),
            str(one.l),
        ]
        for one in figures.about
    ]
    heads = (
        "data", "all rows", "rows of a table", "sensitive", "its most common value", "possible l, tables", "l",
    )  # fmt: skip
    return section("The data", filled(DATA), "", grid(heads, rows))


def _cells(figures: Figures) -> str:
    within, attribute = NEAREST
    rows = []
    for rate in RATES:
        for place, size in enumerate(SIZES[: len(figures.overlaps)] if len(figures.overlaps) == 5 else ()):
            mine = {
                field: figures.cells(EDUCATION, attribute, within, rate, field)[place]
                for field in ("lower_cells", "lower_rows", "upper_cells", "upper_rows")
            }
            paper = [f"{printed(rate, what)[place]:,}" for what in ("cells 1", "cells 2", "rows 1", "rows 2")]
            rows.append(
                [
                    f"{100 * rate:g} %",
                    size,
                    f"{paper[0]} / {paper[1]}",
                    f"{paper[2]} / {paper[3]}",
                    *(number(mine[field], 0 if "upper_rows" in field else 1) for field in mine),
                ]
            )
    heads = (
        "rate", "table", "paper: cells 1 / 2", "paper: tuples 1 / 2", "pair: rare cells", "rows in them",
        "pair: common cells", "rows in them",
    )  # fmt: skip
    return section(
        "Cells and tuples by swap rate: Tables 3 and 4",
        _picture("cells", "Cells and rows at the lower level, printed and ours; a point for each size"),
        filled(CELLS),
        "",
        *([grid(heads, rows)] if rows else []),
        "*own*, at the largest size (rare cells / rows; common cells / rows):\n",
        _own(figures),
    )


def _own(figures: Figures) -> str:
    """What the method itself would select; which attributes it protects can differ from sample to sample."""
    last = [
        one
        for one in figures.selected
        if one.overlap == figures.overlaps[-1] and (one.within, one.attribute) != NEAREST
    ]
    rows = []
    for data, attribute in dict.fromkeys((one.data, one.attribute) for one in last):
        mine = [one for one in last if (one.data, one.attribute) == (data, attribute)]
        cells = []
        for rate in RATES:
            here = [one for one in mine if one.rate == rate]
            lower, held, upper, common = (
                sum(getattr(one, field) for one in here) / len(here)
                for field in ("lower_cells", "lower_rows", "upper_cells", "upper_rows")
            )
            cells.append(f"{lower:.1f} / {held:,.0f}; {upper:.1f} / {common:,.0f}")
        rows.append([data, attribute, str(len({one.seed for one in mine})), *cells])
    return grid(("data", "attribute", "samples", *(f"{100 * rate:g} %" for rate in RATES)), rows)


def _worth_row(figures: Figures, method: str, data: str) -> list[str]:
    def mean(measure: str, side: str = "value", digits: int = 2) -> str:
        found = figures.at(method, measure, side, data).estimate
        return f"{found.mean:.{digits}f}" if found.pairs else "-"

    def share(measure: str) -> str:
        found = figures.at(method, measure, data=data).estimate
        return percent(found.mean) if found.pairs else "-"

    with_, without = (figures.at(method, f"query {name}", data=data).estimate for name in ("with", "without"))
    return [
        method,
        _share(figures.at(method, "utility", data=data).estimate, 2),
        f"{number(with_, 2)} / {number(without, 2)}",
        f"{mean('query with', 'median')} / {mean('query without', 'median')}",
        number(figures.at(method, "pairs", data=data).estimate, 3),
        f"{share('invalid')} / {share('rules')}",
        f"{share('learned')} / {share('balanced')}",
        share("exchanged"),
        f"{mean('groups', digits=0)} / {mean('largest', digits=0)}",
    ]


WORTH_HEADS = (
    "method", "utility", "error with / without", "its median", "pairs", "invalid / against rules",
    "learned / balanced", "exchanged", "groups / largest",
)  # fmt: skip


def _worth(figures: Figures) -> str:
    parts = []
    for data in figures.data:
        majority = figures.mean(UL_MAIN, "learned", "chance", data)
        parts.append(f"{data} (the most common class has {percent(majority)} of the test rows):\n")
        parts.append(grid(WORTH_HEADS, [_worth_row(figures, method, data) for method in MAIN]))
    return section(
        "Utility as printed, and what it hides: Figures 3 and 4",
        _picture("worth", "What releases are worth, by method; intervals are 95 % over samples"),
        filled(WORTH),
        "",
        *parts,
    )


def _sizes(figures: Figures) -> str:
    methods = [*map(swapped, MAIN_RATES), *MAIN[MAIN.index(SLICING) :]]
    rows = [
        [
            method,
            *(
                _share(figures.at(method, "utility", "value", EDUCATION, overlap).estimate)
                for overlap in figures.overlaps
            ),
        ]
        for method in methods
    ]
    base = figures.about[0].rows
    heads = ("Education, utility as printed", *(f"{base + overlap:,} rows" for overlap in figures.overlaps))
    return "By the size of the table (Figures 3 and 4):\n\n" + grid(heads, rows)


RISK_HEADS = (
    "method", "soft / chance / control", "strict / chance", "soft over matches / chance", "strict over matches",
    "confidence / one release / others / chance / control", "left",
)  # fmt: skip


def _risk_row(figures: Figures, method: str, data: str) -> list[str]:
    def cell(measure: str, *sides: str) -> str:
        first, *others = (figures.at(method, measure, side, data).estimate for side in ("value", *sides))
        return " / ".join([number(first, 3), *(number(one, 3, spread=False) for one in others)])

    return [
        method,
        cell("drr_soft", "chance", "control"),
        cell("drr_strict", "chance"),
        cell("drr_soft_matches", "chance"),
        cell("drr_strict_matches"),
        cell("confidence", "alone", "others", "chance", "control"),
        cell("left"),
    ]


def _risk(figures: Figures) -> str:
    parts = []
    chance = ", ".join(
        f"{name} {figures.mean(name, 'confidence', 'chance', ADULT):.2f}"
        for name in (UL_MAIN, HYBRID, DIFFGEN)
    )
    for data in figures.data:
        parts += [f"{data}:\n", grid(RISK_HEADS, [_risk_row(figures, method, data) for method in MAIN])]
    return section(
        "Risk under the composition attack: Figures 5 and 6",
        _picture("risk", "Risk against the number of shared people, by method; bands are 95 % over samples"),
        filled(RISK.format(chance=chance)),
        "",
        *parts,
    )


def _rate(figures: Figures) -> str:
    shares = {
        data: [percent(figures.mean(swapped(rate), "exchanged", data=data), 0) for rate in (0.05, 0.15)]
        for data in figures.data
    }
    exchanged = ", ".join(f"{data} {' and '.join(found)}" for data, found in shares.items())
    return section(
        "The swap rate: Figure 7",
        _picture("rate", "Risk and utility of UL against the swap rate; bands are 95 % over samples"),
        filled(RATE.format(exchanged=exchanged)),
        "",
    )


def _query(figures: Figures) -> str:
    shares = [
        percent(figures.mean(UL_MAIN, f"query {number} with", "selectivity", OCCUPATION))
        for number in (DIMENSIONS[0], DIMENSIONS[-1])
    ]
    anatomy = figures.mean(ANATOMY, "query without")
    rows = [
        [
            name,
            method,
            *(
                number(figures.at(method, f"query {asked} {name}", data=OCCUPATION).estimate, 2)
                for asked in DIMENSIONS
            ),
        ]
        for name in ("with", "without")
        for method in MAIN[1:]
    ]
    heads = ("sensitive value", "method", *map(str, DIMENSIONS))
    return section(
        "Error of counts: Figure 8",
        _picture("query", "Error of counts against the number of quasi-identifiers asked about, logarithmic"),
        filled(QUERY.format(first=shares[0], last=shares[1], anatomy=anatomy)),
        "",
        "Occupation, mean relative error by the number of quasi-identifiers:\n",
        grid(heads, rows),
    )


def _variants(figures: Figures) -> str:
    names = [name for name in figures.methods if name not in MAIN]
    kept = (1, 2, 5, 7, 8)  # places of the columns about worth
    heads = ("method", "samples", "soft", "confidence", *(WORTH_HEADS[place] for place in kept))
    parts = []
    for data in figures.data:
        rows = []
        for name in (UL_MAIN, SLICING, MONDRIAN, *names):
            soft, confidence = (
                figures.at(name, measure, data=data) for measure in ("drr_soft", "confidence")
            )
            if confidence:
                worth = _worth_row(figures, name, data)
                risks = [number(one.estimate, 3) for one in (soft, confidence)]
                rows.append([name, str(len(confidence)), *risks, *(worth[place] for place in kept)])
        parts += [f"{data}:\n", grid(heads, rows)]
    return section(f"Variants, {ADAPTIVE.strip(', ')} buckets among them", filled(VARIANTS), "", *parts)


# In short: every number, and every word that compares, comes from the figures.


def answer(figures: Figures) -> list[str]:
    """A paragraph for each point."""
    return [
        _swapping(figures),
        _cut(figures),
        _risk_in_short(figures),
        _second(figures),
        _utility(figures),
        _queries(figures),
        _invalid(figures),
        _six(figures),
        _elsewhere(figures),
    ]


def _both(figures: Figures, method: str, measure: str, beside: str = "value") -> float:
    return figures.mean(method, measure, beside, ADULT)


def _swapping(figures: Figures) -> str:
    risk, error = (figures.gap(UL_MAIN, NO_SWAP, name, ADULT) for name in ("confidence", "query with"))
    top = swapped(RATES[-1])
    most = [figures.gap(top, NO_SWAP, name, ADULT) for name in ("confidence", "query with", "query without")]
    bare, guess = (_both(figures, NO_SWAP, "confidence", beside) for beside in ("value", "chance"))
    mine = _both(figures, UL_MAIN, "confidence") - guess
    well = "protects well" if mine <= SAME else "does not protect well"
    return (
        f"**The answer.** UL (the upper/lower-level method) {well} under the composition attack if its buckets are cut"
        f" proportionally: the attacker's mean confidence in the true value is {mine:+.3f} beside guessing (up to"
        f" {SAME} is called well). {_doer(figures)} Without a swap it is {bare:.3f}, where guessing has {guess:.3f}."
        f" Swapping 5 % makes it {told(risk)} and the error of counts {told(error)}; 15 % makes it {told(most[0])}, and"
        f" the error {told(most[1])} with the sensitive value and {told(most[2])} without."
    )


def _doer(figures: Figures) -> str:
    """What part buckets and swaps have in what UL takes from an attacker of Mondrian's classes."""
    mondrian, bare, mine = (_both(figures, name, "confidence") for name in (MONDRIAN, NO_SWAP, UL_MAIN))
    if mondrian <= mine:
        return "That is no less than Mondrian's."
    share = (mondrian - bare) / (mondrian - mine)
    who = "the buckets do it, not the swapping" if share >= 0.9 else "buckets and swapping share it"
    if share < 0.5:
        who = "the swapping does more of it than the buckets"
    return f"Of what it is below Mondrian's, {percent(share, 0)} come with the buckets alone: {who}."


def _cut(figures: Figures) -> str:
    parts = [
        f"{data} {figures.mean(UL_MAIN, 'confidence', data=data):.2f},"
        f" {figures.mean(UL_ADAPTIVE, 'confidence', data=data):.2f} and"
        f" {figures.mean(UL_MAIN + REPLAY, 'confidence', data=data):.2f} (guessing"
        f" {figures.mean(UL_MAIN, 'confidence', 'chance', data):.2f})"
        for data in figures.data
    ]
    higher = sum(side(figures.gap(UL_ADAPTIVE, UL_MAIN, "confidence", data)) > 0 for data in figures.data)
    return (
        "**How buckets are cut.** Cut by Mondrian as in the paper (*adaptive*), they leave more"
        f" confidence than cut proportionally on {higher} of {len(figures.data)} data sets. Proportionally, adaptively,"
        f" and by the default for one sensitive column (*replay-proof*): {', '.join(parts)}."
    )


def _risk_in_short(figures: Figures) -> str:
    listed = (UL_MAIN, SLICING, DIFFGEN, UL_ADAPTIVE, MONDRIAN_L, ANATOMY, MONDRIAN, ORIGINAL)
    shown = ", ".join(f"{name} {_both(figures, name, 'confidence'):.2f}" for name in listed)
    return (
        f"**Risk.** Mean confidence of the attacker on Adult: {shown}. People of whom exactly the true value is left:"
        f" UL {percent(_both(figures, UL_MAIN, 'drr_strict'))} (cut adaptively"
        f" {percent(_both(figures, UL_ADAPTIVE, 'drr_strict'))}),"
        f" Mondrian {percent(_both(figures, MONDRIAN, 'drr_strict'))},"
        f" DiffGen {percent(_both(figures, DIFFGEN, 'drr_strict'))}, the tables as they are"
        f" {percent(_both(figures, ORIGINAL, 'drr_strict'))}."
    )


def _second(figures: Figures) -> str:
    listed = (MONDRIAN, ANATOMY, MONDRIAN_L, SLICING, UL_MAIN)
    shown = "; ".join(
        f"{name} "
        + " / ".join(
            f"{_both(figures, name, 'confidence', beside):.2f}" for beside in ("alone", "value", "others")
        )
        for name in listed
    )
    l, left = figures.of(EDUCATION).l, figures.mean(ANATOMY, "confidence", data=EDUCATION)
    over, alone = (
        (
            figures.at(UL_MAIN, "confidence", "value", ADULT)
            - figures.at(UL_MAIN, "confidence", beside, ADULT)
        ).estimate
        for beside in ("others", "alone")
    )
    return (
        f"**What the second release adds.** Confidence with one release / with both / about people who are in neither:"
        f" {shown}. The promise of one release (at most 1/l) {'does not hold' if left > 1 / l else 'holds'} for two on"
        f" Education: anatomy with l = {l} leaves {left:.2f}. Of UL a second release makes it {told(alone)}; beside"
        f" people in neither table it is {told(over)}."
    )


def _utility(figures: Figures) -> str:
    listed = {"UL": UL_MAIN, "slicing": SLICING, "anatomy": ANATOMY, "Mondrian": MONDRIAN}
    shown = ", ".join(
        f"{percent(_both(figures, name, 'utility'))} for {word}" for word, name in listed.items()
    )
    return (
        f"**Utility as printed** is {shown}. It counts coarse cells alone: at 5 %"
        f" {percent(_both(figures, UL_MAIN, 'exchanged'), 0)} of the rows hold somebody else's value, for which it asks"
        f" nothing. With every attribute protected it is {percent(_both(figures, UL_MAIN + EVERY, 'utility'))}, and"
        f" counts without the sensitive value are off by"
        f" {percent(_both(figures, UL_MAIN + EVERY, 'query without'), 0)} on average."
    )


def _queries(figures: Figures) -> str:
    listed = (MONDRIAN, ANATOMY, UL_MAIN, SLICING, MONDRIAN_L, DIFFGEN)
    shown = "; ".join(
        f"{name} {_both(figures, name, 'query with'):.2f} / {_both(figures, name, 'query without'):.2f}"
        for name in listed
    )
    best = [
        sorted(listed, key=lambda name: _both(figures, name, kind))[:4]
        for kind in ("query with", "query without")
    ]
    orders = {
        tuple(sorted(best[0], key=lambda name: figures.mean(name, "query with", data=data)))
        for data in figures.data
    }
    first, last = (_both(figures, best[0][place], "query with") for place in (0, -1))
    return (
        f"**Counts** have a relative error (with / without a predicate on the sensitive value) of: {shown}. In order,"
        f" with the sensitive value {' < '.join(best[0])}, without {' < '.join(best[1])}. With the sensitive value"
        f" these four lie {last - first:.2f} apart, and their order is"
        f" {'the same on all' if len(orders) == 1 else 'not the same on all'} data sets."
    )


def _invalid(figures: Figures) -> str:
    gap = figures.gap(UL_MAIN, NO_SWAP, "invalid", ADULT)
    mine = _both(figures, UL_MAIN, "invalid")
    solved = (
        "solves" if mine < NEAR else "lessens, but does not solve," if side(gap) < 0 else "does not solve"
    )
    return (
        f"**Invalid rows.** Read as rows, UL holds {percent(mine)} with values that never meet, slicing"
        f" {percent(_both(figures, SLICING, 'invalid'))}, Mondrian {percent(_both(figures, MONDRIAN, 'invalid'))}."
        f" Swapping changes that by {in_points(gap)}: it {solved} the problem that it is proposed for."
    )


def _six(figures: Figures) -> str:
    about = figures.of(EDUCATION)
    value, rows = about.most_common
    possible = (
        f"is not possible on Education: {value} has {percent(rows / about.all_rows, 0)} of the rows"
        if about.l < L
        else "is possible on Education"
    )
    used = ", ".join(f"{one.name} with l = {one.l}" for one in figures.about)
    return f"**l = {L}** {possible}. We publish {used}: the largest up to {L}, as printed, that all samples allow."


def _elsewhere(figures: Figures) -> str:
    name = figures.data[-1]
    risk, error = (figures.gap(UL_MAIN, NO_SWAP, measure, name) for measure in ("confidence", "query with"))
    over, guess = (figures.mean(UL_MAIN, "confidence", beside, name) for beside in ("value", "chance"))
    here, adult = (figures.gap(UL_MAIN, MONDRIAN, "query with", data) for data in (name, ADULT))
    costs = (
        "costs more than on Adult"
        if here.low > adult.high
        else "does not cost more than on Adult for certain"
    )
    return (
        f"**On {name}** UL leaves the attacker a confidence of {over:.2f} (guessing {guess:.2f}; Mondrian"
        f" {figures.mean(MONDRIAN, 'confidence', data=name):.2f}). Swapping makes it {told(risk)} and the error of"
        f" counts {told(error)}. Cutting rows apart {costs}: the error of UL is"
        f" {figures.mean(UL_MAIN, 'query with', data=name):.2f} (Mondrian"
        f" {figures.mean(MONDRIAN, 'query with', data=name):.2f}), and"
        f" {percent(figures.mean(UL_MAIN, 'invalid', data=name), 0)} of the rows as read hold values that never meet"
        f" (Mondrian {percent(figures.mean(MONDRIAN, 'invalid', data=name), 0)})."
    )


# Prose of the page. Everything in braces is filled in from the figures.

HEAD = """Made by `cloven reproduce slicing`; the figures behind every line are in `slicing.json`. It repeats Tables 3
and 4 and Figures 3 to 8 of BinJubier, Ismail, Ahmed and Sadiq, *Slicing-based enhanced method for privacy-preserving in
publishing big data* (2022), on UCI Adult and on one more table, and sets beside every figure what guessing gets. Means
over {samples} samples; ± is half of the 95 % interval. How to use the methods: [anonymise a
table](../how-to/anonymise-a-table.md)."""

RULE = """*confirmed*: the difference has the sign that the paper says, and its 95 % interval over samples does not
cover 0; of several differences, all. *refuted*: one lies on the other side. *chance*: it covers 0. Printed numbers are
confirmed if ours round to them or lie in the printed range. Education and Occupation use the same rows, and samples
overlap: intervals speak of Adult, not of all tables. The paper's figures are pictures without numbers, so only what its
text says of them can be judged. Verdicts on UL and slicing are about buckets that are cut proportionally
(`partition="stratified"`), on *adaptive* ones where a row says so, and merging-like always cuts adaptively. None is
about the default for one sensitive column, *replay-proof*: its figures stand under *Variants* alone."""

DATA = """Each sample: two tables of so many different rows, to which the same 100 to 500 rows are added. Both are
published by the same method, without knowing of each other. The attacker knows all quasi-identifiers of the shared
people (age, marital status, sex, work class, salary, relationship, and education or occupation), and has both releases.
The sensitive attribute is the one that the data set is named after. *possible*: largest l that the tables allow, as no
value may have more than 1/l of the rows."""

CELLS = """*own*: the attributes that `UL` protects by default, those that hang together least, each with one class;
*pair*: marital status among the rows with the same relationship, which comes nearest to column 1 of the paper. `UL`
shows these counts before a swap rate is chosen (`selected_cells`)."""

WORTH = """Education and Occupation as in Figures 3, 4 and 8, with 500 shared rows. *utility*: as the paper prints it,
100 - distortion. *error*: mean relative error of COUNT over 1 to 5 quasi-identifiers, with / without a predicate on
the sensitive attribute; then the medians. *pairs*: mean total variation distance of pair distributions.
*invalid*: rows as read with two values that never meet in the original / that break a rule (Husband and Female, Wife
and Male, Husband or Wife and not married). *learned*: rows not in the table of which naive Bayes tells the salary
(Mushroom: whether it is edible) / mean over the classes. *exchanged*: rows that hold a value of somebody else.
*groups*: classes or buckets, and the largest."""

RISK = """With 500 shared people. *soft*: mean over people of 1 / values left in both releases, 0 where theirs is not
among them. *strict*: people of whom a single value is left, and it is theirs. *over matches*: of all values left of all
people (soft), or of all people with a single one (strict), those that are true: "genuine matches to total matches".
*confidence*: mean probability that the attack gives to the true value. *left*: people whose value is among those left.
Each stands beside chance (statements drawn from the published distribution) and control (the same attack with the
quasi-identifiers of the wrong people). The soft ratio takes all values left as equally likely, so it can be below
chance; confidence cannot be fooled that way. *one release*: confidence of somebody who has only the first;
*others*: in the value of people who are in neither table, which anybody learns from what they are like. Chance is
that of the published distribution, which noise changes: {chance}."""

RATE = """UL with stratified buckets. Rows that hold a value of somebody else, at a rate of 5 % and of 15 %:
{exchanged}."""

QUERY = """100 queries for each number of quasi-identifiers, the same ones for every method; a query names 1 to half of
the values of each attribute. Queries that mean no row are left out. The share of rows that a query means goes from
{first} with one quasi-identifier to {last} with five (with the sensitive value, Occupation). In the chart errors below
0.02 lie on the lower edge; that of anatomy is {anatomy:.2f} where the sensitive value is not asked about."""

VARIANTS = """*adaptive*: buckets are cut as Mondrian does where l allows it, and proportionally only where it does
not; the others are always cut proportionally (`partition="stratified"`). *replay-proof*, the default for one
sensitive column: plain cuts only where nobody's sensitive value can break the promise, lots elsewhere. *every
attribute*: UL looks at all quasi-identifiers, not only at those that hang together least. *without swaps*: the same
buckets, nothing exchanged. *mondrian, l*: six different sensitive values in every class. *l=3*: on the samples where
both tables allow it."""

DIFFERENT = (
    """The paper does not say how two data sets with different sensitive attributes are intersected. One table that
    hides education and another that publishes it as a quasi-identifier leave nothing to find out. So each of our data
    sets is a pair of tables with the same sensitive attribute.""",
    """The paper has Adult with 48,842 rows; we leave out those without work class or occupation. Work class has the
    paper's tree; marital status and education have the trees that come with the data sets of this collection; values
    of attributes without one are a single group.""",
    """Merging, composition and the probabilistic approach are approximations from short descriptions and are called
    "-like"; the sampling rate of hybrid (0.8) and the specialisations of DiffGen (10; on Mushroom 5) are not told.""",
    """`UL` needs l in every bucket alone, because swapping could break a promise over all buckets that match.""",
    """Mushroom is UCI's table of 8,124 specimens that a field guide describes, read back from its form as sets of items
    (values have no names there, only numbers). No person is behind it and nothing in it is secret; it is here because
    it is the only other real table at hand. Gill colour plays the sensitive attribute.""",
)
