"""The page of ``cloven reproduce thesis``: answer, charts, tables, claims. All numbers come from the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.harness.charts import GUESSING, STROKES, band, coloured, intervals, library, lines, styled
from experiments.harness.former import CONFIRMED, judgements, said, side
from experiments.harness.page import filled, grid, percent, picture, points, section
from experiments.thesis.claims import VPA, most_at, printed_places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.harness.figures import Estimate
    from experiments.harness.former import Claim
    from experiments.harness.runs import Plain
    from experiments.thesis.claims import Figures
    from experiments.thesis.runs import ByFrequency

MEASURES = ("auc", "hit", "precision", "accuracy", "broken", "km_any", "km_own")
HEADS = {
    "auc": "link AUC",
    "auc_shown": "AUC, rows with anchor",
    "hit": "hit",
    "precision": "precision",
    "accuracy": "accuracy",
    "broken": "transactions broken",
    "km_any": "k^m any",
    "km_own": "k^m own",
    "movers": "WMD",
}
SWEEPS = {
    "k": ("k", "At most 25 records in a cluster, 200 transactions of 20 terms, type-token ratio 0.30"),
    "density": ("type-token ratio", "At k=2, at most 25 records in a cluster: 200 transactions of 20 terms"),
    "size": (
        "largest cluster",
        "At k=2: topic samples of 525 transactions (the last row is all data as one cluster)",
    ),
}
AXES = {sweep: word for sweep, (word, _) in SWEEPS.items()}
COLUMNS = AXES | {"large": "largest cluster", "refine": "REFINE", "clear": "documents"}
TABLED = ("aba/aba WE", "aba/aba NGD", "aba/aba NPMI", "aba/aba SVD", "aba/aba learned", VPA)
WE, NGD, SVD = "aba/aba WE", "aba/aba NGD", "aba/aba SVD"
SIDES = ("value", "chance", "control")
LITTLE = 0.6
"""Link AUC below which meaning is said to help little."""


def page(figures: Figures, claims: Sequence[Claim], extra: dict[str, Any]) -> str:
    """The whole page; ``extra`` has facts, frequency, table_4_1 and tlost."""
    parts = [
        f"# The semantic attack of the thesis, run again\n\n{filled(HEAD.format(pairs=figures.pairs))}\n",
        section("In short", *points(answer(figures, claims)), ""),
        section("What is different here", *points(_different(figures, extra["facts"])), ""),
    ]
    for sweep, (word, setting) in SWEEPS.items():
        shown = [f"{setting}.\n", _picture(sweep, f"All measures against {word}")]
        tables = [_table(figures, sweep, TABLED), _facts(extra["facts"], sweep)]
        parts.append(section(f"Against {word}", *shown, *tables))
    parts += [
        section(
            "Word mover's distance, and ABA against RGA and MRA",
            _picture("movers", "Word mover's distance along the sweeps"),
            "Term chunks, accuracy minus that of guessing:\n",
            _picture("methods", "Accuracy of ABA, RGA and MRA on term chunks minus that of guessing"),
        ),
        section("With REFINE", filled(REFINED), "", _table(figures, "refine", TABLED)),
        section("Still larger clusters", filled(LARGE), "", _table(figures, "large", TABLED)),
        judgements(claims, RULE, "thesis", "why they differ, or what guessing does"),
        _helped(figures),
        _frequency(extra["frequency"]),
        section("Table 4.1: relatedness against people", extra["table_4_1"]),
        _lost(extra["tlost"]),
    ]
    return "\n".join(parts)


# The plain answer at the head of the page: every number and every word that compares comes from the figures.


def answer(figures: Figures, claims: Sequence[Claim]) -> list[str]:
    """Does meaning help, where, by how much, and what remains of the headline numbers."""
    return [
        _helps(figures),
        _headlines(figures),
        _where(figures),
        _what_counts(figures),
        _thinly(figures),
        _tally(claims),
    ]


def _at(
    figures: Figures, place: tuple[str, float], attack: str, measure: str, beside: str = "value"
) -> Estimate:
    return figures.at(*place, attack, measure, side=beside).estimate


def _helps(figures: Figures) -> str:
    """The thesis's own setting."""
    here = ("k", 2.0)
    auc = {name: _at(figures, here, name, "auc") for name in (WE, NGD)}
    hit = {name: _at(figures, here, name, "hit") for name in (WE, NGD, "random")}
    control = _at(figures, here, NGD, "auc", "control")
    return (
        f"**Does meaning help? {_verdict(auc[WE], auc[NGD])}** At the thesis's setting (k=2, at most 25 records in a"
        f" cluster, type-token ratio 0.30) a row that holds an item outranks one that does not with probability"
        f" {auc[WE].short} by general word vectors and {auc[NGD].short} by document counts of the same domain; 0.5 is"
        f" no information, and shuffled counts give {control.mean:.3f}. Of the best guesses {hit[WE].percent} and"
        f" {hit[NGD].percent} are right; of blind ones {hit['random'].percent}."
    )


def _verdict(vectors: Estimate, counts: Estimate) -> str:
    known = [one for one in (vectors, counts) if one.low > 0.5]
    if not known:
        return "Not that these figures could tell."
    little = ", but little" if max(one.mean for one in known) < LITTLE else ""
    if len(known) == 2:
        return f"Yes{little}."
    return (
        f"Only knowledge of the domain does{little}." if counts in known else f"Only word vectors do{little}."
    )


def _headlines(figures: Figures) -> str:
    return "**What remains of the headlines?** " + " ".join(
        _headline(figures, *each)
        for each in (
            ("accuracy", '"60 % of the items"', "by the text of equation 5.4"),
            ("km_any", '"70 % of the itemsets"', "as printed"),
        )
    )


def _headline(figures: Figures, measure: str, words: str, way: str) -> str:
    main, best = most_at(figures, measure, [("k", 2)]), most_at(figures, measure, printed_places(figures))
    here, most = (
        [figures.at(*place, measure, side=beside).estimate for beside in SIDES] for place in (main, best)
    )
    text = (
        f"Of {words}, at that setting and counted {way}, the best attack ({main[2]}) gets {here[0].percent},"
        f" guessing {here[1].percent} and the same attack with shuffled words {here[2].percent}: meaning adds"
        f" {100 * (here[0].mean - here[2].mean):.1f} points. The most at any setting of the thesis ({best[2]},"
        f" {best[0]} {best[1]:g}) is {most[0].percent}, guessing {most[1].percent}, shuffled {most[2].percent}."
    )
    if measure == "km_any":
        own = [figures.at(*main, "km_own", side=beside).estimate.percent for beside in SIDES]
        text += (
            " This counts an itemset that shows up in any rebuilt record of its cluster; in the record that really"
            f" holds it, it is {own[0]}, {own[1]} and {own[2]} at the first setting."
        )
    return text


def _where(figures: Figures) -> str:
    """Which settings make it better or worse."""
    largest = figures.places["size"][-1]
    small, large = ("size", 4.0), ("size", largest)
    first, last = (_at(figures, place, NGD, "auc") for place in (small, large))
    hits = [_at(figures, place, NGD, "hit") for place in (small, large)]
    blind = [_at(figures, place, "random", "hit") for place in (small, large)]
    auc, hit = (figures.change("size", NGD, measure, (4.0, largest)) for measure in ("auc", "hit"))
    ends = [
        [_at(figures, (sweep, x), NGD, "auc").mean for x in places]
        for sweep, places in (("k", (2.0, 5.0)), ("density", (0.2, 0.7)))
    ]
    return (
        f"**Where?** With counts of the domain, link AUC goes from {first.mean:.3f} in clusters of at most 4 to"
        f" {last.mean:.3f} when all {largest:g} records are one cluster, while the share of right guesses goes from"
        f" {hits[0].percent} (guessing {blind[0].percent}) to {hits[1].percent} (guessing {blind[1].percent}), that"
        f" is from {hits[0].mean / blind[0].mean:.2f} to {hits[1].mean / blind[1].mean:.2f} times guessing. Large"
        f" clusters {said(auc, 'give', 'may or may not give', 'do not give')} meaning more to say, and any one guess"
        f" {said(hit, 'has more chance', 'may have more chance or less', 'has less chance')} to be right. From k=2 to"
        f" k=5 AUC goes from {ends[0][0]:.3f} to {ends[0][1]:.3f}, from type-token ratio 0.2 to 0.7 from"
        f" {ends[1][0]:.3f} to {ends[1][1]:.3f}."
    )


def _what_counts(figures: Figures) -> str:
    """Knowledge, selection."""
    here = ("helped", 0.0)
    names = ("WE", "learned", "NGD", "NPMI", "SVD")
    values = {name: _at(figures, here, f"aba/aba {name}", "auc").mean for name in names}
    best = max(names[2:], key=lambda name: values[name])
    gap = figures.gap(*("helped", (0.0,)), f"aba/aba {best}", WE, "auc")
    plain, whole = (_at(figures, here, name, "broken") for name in (SVD, f"{SVD}, optimal"))
    blind = _at(figures, here, SVD, "broken", "chance")
    words = ", ".join(f"{name} {value:.3f}" for name, value in values.items())
    return (
        f"**What helped?** A corpus of the right domain {said(gap, 'does', 'may, or may not', 'does not')}: link AUC"
        f" {words} (topic samples, k=2, max 25); {best} minus WE {gap.signed}. Assigning a whole chunk at once"
        f" (`optimal`) breaks {whole.percent} of the transactions instead of {plain.percent}; guessing breaks"
        f" {blind.percent}."
    )


def _thinly(figures: Figures) -> str:
    """Transaction breakage as printed."""
    vectors, counts, blind = (_at(figures, ("k", 2.0), name, "broken") for name in (WE, NGD, "random"))
    beaten = [name for name in (WE, NGD) if side(figures.gap("k", (2.0,), name, "random", "broken")) < 0]
    title = "Beware of transaction breakage" if beaten else "Transaction breakage"
    less = f": less than guessing in {len(beaten)} of 2" if beaten else ""
    return (
        f"**{title}.** One right item breaks a record, so guessing evenly breaks {blind.percent} of them; the attacks"
        f" as printed break {vectors.percent} (vectors) and {counts.percent} (counts){less}."
    )


def _tally(claims: Sequence[Claim]) -> str:
    number = {
        word: sum(claim.verdict == word for claim in claims) for word in ("confirmed", "refuted", "chance")
    }
    trends = [claim for claim in claims if claim.guessing and claim.verdict == CONFIRMED]
    same = sum(claim.guessing == CONFIRMED for claim in trends)
    meaning = ": they say more about the measure than about the attack" if same else ""
    return (
        f"**Claims.** Of {len(claims)} claims of the thesis {number['confirmed']} are confirmed, {number['refuted']}"
        f" refuted, and {number['chance']} cannot be told from chance. Of {len(trends)} confirmed trends"
        f" {same} are trends of guessing as well{meaning}."
    )


def _different(figures: Figures, facts: Sequence[Plain]) -> list[str]:
    here = [one for one in facts if one["sweep"] == "k"]
    shares = {
        "bare": 100 * np.mean([one["without_anchor"] for one in here]),
        "vectors": 100 * np.mean([one["unknown"]["WE"] for one in here]),
        "counts": 100 * np.mean([one["unknown"]["NGD"] for one in here]),
    }
    return [EQUATION.format(**_as_printed(figures, facts)), *(line.format(**shares) for line in DIFFERENT)]


def _as_printed(figures: Figures, facts: Sequence[Plain]) -> dict[str, str]:
    """What equation 5.4 would give as printed: the share of items in anchors, and the accuracy on the others."""
    settings = []
    for sweep, x, attack in (
        most_at(figures, "accuracy", places) for places in ([("k", 2)], printed_places(figures))
    ):
        hidden = _share(facts, sweep, x, "disassociated")
        found, blind = (
            _at(figures, (sweep, x), attack, "accuracy", beside).mean for beside in ("value", "chance")
        )
        settings.append(
            f"{1 - hidden + hidden * found:.2f} (guessing {1 - hidden + hidden * blind:.2f}) in place of {found:.3f} at"
            f" {sweep}={x:g}"
        )
    k = figures.places["k"][-1]
    record = _share(facts, "k", k, "disassociated") - _share(facts, "k", k, "in_term_chunks")
    return {"settings": " and ".join(settings), "k": f"{k:g}", "record": percent(record)}


def _share(facts: Sequence[Plain], sweep: str, x: float, name: str) -> float:
    return float(np.mean([one[name] for one in facts if (one["sweep"], one["x"]) == (sweep, x)]))


# Tables.


def _picture(name: str, title: str) -> str:
    return picture(f"thesis/{name}", f"{title}; bands are 95 % intervals")


def _cell(figures: Figures, place: tuple[str, float], attack: str, measure: str) -> str:
    """Value with half its interval, then guessing and shuffled."""
    value, chance, control = (_at(figures, place, attack, measure, beside) for beside in SIDES)
    if not value.pairs:
        return "-"
    beside = f" / {control.mean:.3f}" if control.pairs else ""
    return f"{value.short} / {chance.mean:.3f}{beside}"


def _table(figures: Figures, sweep: str, attacks: Sequence[str], measures: Sequence[str] = MEASURES) -> str:
    rows = [
        [_place(sweep, x), attack, *(_cell(figures, (sweep, x), attack, measure) for measure in measures)]
        for x in figures.places[sweep]
        for attack in attacks
        if figures.at(sweep, x, attack, "auc")
    ]
    note = "Attack with half its interval / guessing / shuffled, over all chunks:\n\n"
    return note + grid([COLUMNS[sweep], "attack", *(HEADS[name] for name in measures)], rows)


def _place(sweep: str, x: float) -> str:
    if sweep == "refine":
        return "yes" if x else "no"
    return "topics shown clearly" if sweep == "clear" else f"{x:g}"


FACTS = {
    "type_token_ratio": ("type-token ratio", ".2f"),
    "clusters": ("clusters", ".0f"),
    "mean_cluster": ("mean size", ".1f"),
    "disassociated": ("items outside anchors", ".3f"),
    "in_term_chunks": ("in term chunks", ".3f"),
    "without_anchor": ("rows without anchor", ".3f"),
}


def _facts(facts: Sequence[Plain], sweep: str) -> str:
    rows = []
    here = [one for one in facts if one["sweep"] == sweep]
    for x in sorted({one["x"] for one in here}):
        some = [one for one in here if one["x"] == x]
        means = {name: float(np.mean([one[name] for one in some])) for name in FACTS}
        rows.append([f"{x:g}", *(f"{means[name]:{form}}" for name, (_, form) in FACTS.items())])
    heads = ("", *(head for head, _ in FACTS.values()))
    return "The releases (means; shares of all items, and of all records):\n\n" + grid(heads, rows)


def _helped(figures: Figures) -> str:
    names = ("auc", "auc_shown", "hit", "precision", "broken")
    rows = [
        [label, *(_cell(figures, ("helped", 0.0), label, name) for name in names)]
        for label in _variants(figures)
    ]
    return section(
        "What helped",
        filled(HELPED),
        "",
        _picture("helped", "Link AUC, hit rate and precision of all variants"),
        grid(["attack", *(HEADS[name] for name in names)], rows),
        filled(TRIAL.format(**_by_corpus(figures))),
        "",
        _table(figures, "clear", TABLED, names),
    )


def _variants(figures: Figures) -> list[str]:
    return list(dict.fromkeys(run.tried.label for run in figures.runs if run.sweep == "helped"))


def _by_corpus(figures: Figures) -> dict[str, str]:
    """AUC of some kinds of knowledge on each corpus, and the most that one moves between draws."""
    parts, moved = [], 0.0
    for corpus in dict.fromkeys(run.corpus for run in figures.runs):
        told = []
        for name in ("WE", "NGD", "SVD"):
            found = figures.at("helped", 0, f"aba/aba {name}", "auc_shown")
            values = [value for (where, _), value in found.items() if where == corpus]
            told.append(f"{np.mean(values):.3f} ({name})")
            moved = max(moved, float(np.ptp(values)))
        parts.append(f"{corpus} {', '.join(told)}")
    several = len({run.seed for run in figures.runs}) > 1
    draws = (
        f"From one draw of documents to another these numbers move by up to {moved:.3f}." if several else ""
    )
    return {"corpora": "; ".join(parts), "draws": draws or "Each is one draw of documents."}


def _frequency(found: Sequence[ByFrequency]) -> str:
    rows = [
        [
            one.measure,
            f"{one.low:,.0f} to {one.high:,.0f}",
            f"{one.pairs:,}",
            f"{one.unscored:,}",
            f"{one.error:.3f} ±{one.error_half:.3f}" if one.pairs > 1 else "-",
            f"{one.bias:+.3f} ±{one.bias_half:.3f}" if one.pairs > 1 else "-",
        ]
        for one in found
    ]
    heads = ("measure", "documents with the rarer word", "pairs", "no score", "error", "bias")
    return section("Rare words", filled(RARE), "", grid(heads, rows))


def _lost(found: Sequence[Plain]) -> str:
    ks = sorted({one["k"] for one in found})
    rows = []
    for name, strategy in dict.fromkeys((one["data"], one["strategy"]) for one in found):
        here = {one["k"]: one for one in found if (one["data"], one["strategy"]) == (name, strategy)}
        rows.append([name, strategy, *(f"{here[k]['only']:.3f} / {here[k]['any']:.3f}" for k in ks)])
    title = "Fig. 3.2: tlost of the strategies for small clusters"
    return section(title, filled(LOST), "", grid(("data", "strategy", *(f"k={k}" for k in ks)), rows))


# Charts: small multiples, attacks beside chance and control.

CONTROL = "NGD shuffled"
LINES: dict[str, tuple[str, str, str]] = {
    "WE": (WE, "value", "#1f77b4"),
    "NGD": (NGD, "value", "#d95f02"),
    "SVD": (SVD, "value", "#1b9e77"),
    "VPA": (VPA, "value", "#7b4fa3"),
    GUESSING: (WE, "chance", "#555555"),
    CONTROL: (NGD, "control", "#b0b0b0"),
}
DASHES = {GUESSING: [5, 3], CONTROL: [2, 2]}
CHARTED = {
    "accuracy": "accuracy (recall)",
    "broken": "transactions broken",
    "km_any": "k^m, in any record",
    "km_own": "k^m, in own record",
    "hit": "hit rate",
    "auc": "link AUC",
}
SCOPES = {"all": "overall", "record": "record chunks", "term": "term chunks"}


def charts(figures: Figures) -> dict[str, Any]:
    """Every chart of the page by the name of its file."""
    drawn = {sweep: sweep_chart(figures, sweep) for sweep in AXES}
    drawn |= {
        "movers": movers_chart(figures),
        "methods": methods_chart(figures),
        "helped": helped_chart(figures),
    }
    return {
        name: styled(chart, grid=True, labelFontSize=10, titleFontSize=11) for name, chart in drawn.items()
    }


def sweep_chart(figures: Figures, sweep: str) -> Any:
    """All measures along one sweep: a column for each measure, a row for each kind of chunk."""
    columns: list[Any] = []
    for measure, title in CHARTED.items():
        rows = [
            {"scope": words} | row
            for scope, words in SCOPES.items()
            for row in _line_rows(figures, sweep, measure, scope)
        ]
        panel = _panel(rows, sweep, title, legend=not columns)
        columns.append(_faceted(panel, "scope", list(SCOPES.values()), labels=not columns))
    return library().hconcat(*columns, spacing=14)


def movers_chart(figures: Figures) -> Any:
    """Word mover's distance along the three sweeps; the lower, the closer to the original."""
    parts: list[Any] = []
    for sweep in AXES:
        rows = _line_rows(figures, sweep, "movers", "all", ("WE", "NGD", "VPA", GUESSING))
        title = "" if parts else "word mover's distance"
        parts.append(_panel(rows, sweep, title, legend=not parts, size=(200, 150)))
    return library().hconcat(*parts, spacing=20)


def methods_chart(figures: Figures) -> Any:
    """Accuracy of ABA, RGA and MRA on term chunks above guessing, along the three sweeps."""
    columns: list[Any] = []
    for sweep in AXES:
        rows = [
            {"x": f"{x:g}", "series": term.upper(), "knowledge": name, **band(gap.estimate)}
            for name in ("WE", "NGD")
            for term in ("aba", "rga", "mra")
            for x, gap in zip(
                figures.places[sweep],
                figures.over(sweep, f"aba/{term} {name}", "accuracy", "term"),
                strict=True,
            )
        ]
        colours = {"ABA": "#1f77b4", "RGA": "#d95f02", "MRA": "#1b9e77"}
        title = "" if columns else "above guessing"
        panel = _panel(rows, sweep, title, legend=not columns, colours=colours, size=(210, 120))
        columns.append(_faceted(panel, "knowledge", ["WE", "NGD"], labels=not columns))
    return library().hconcat(*columns, spacing=20)


def helped_chart(figures: Figures) -> Any:
    """What helped: link AUC among rows with an anchor, hit and precision of every variant."""
    alt = library()
    labels = _variants(figures)
    measures = {"auc_shown": "link AUC, rows with an anchor", "hit": "hit rate", "precision": "precision"}
    colours = {"attack": "#d95f02", "shuffled": "#b0b0b0", GUESSING: "#555555"}
    parts: list[Any] = []
    for measure, title in measures.items():
        rows = [
            {"attack": label, "side": shown, **band(_at(figures, ("helped", 0), label, measure, beside))}
            for label in labels
            for shown, beside in (("attack", "value"), ("shuffled", "control"), (GUESSING, "chance"))
        ]
        axis = alt.Axis(title=None, labels=not parts, ticks=False, labelLimit=220)
        chart = intervals(
            rows,
            {"title": title, "scale": alt.Scale(zero=False)},
            45,
            y=alt.Y("attack:N", sort=labels, axis=axis),
            color=coloured("side", colours, legend=not parts),
        )
        parts.append(chart.properties(width=200, height=alt.Step(18)))
    return alt.hconcat(*parts, spacing=14)


def _line_rows(
    figures: Figures, sweep: str, measure: str, scope: str, shown: Sequence[str] = tuple(LINES)
) -> list[Plain]:
    return [
        {"x": f"{x:g}", "series": name, **band(series.estimate)}
        for name in shown
        for attack, beside, _ in (LINES[name],)
        for x, series in zip(
            figures.places[sweep], figures.along(sweep, attack, measure, scope, beside), strict=True
        )
        if series
    ]


def _faceted(panel: Any, field: str, values: list[str], *, labels: bool) -> Any:
    alt = library()
    header = alt.Header(title=None, labels=labels, labelFontSize=12)
    return panel.facet(row=alt.Row(f"{field}:N", sort=values, header=header))


def _panel(
    rows: Sequence[Plain],
    sweep: str,
    title: str,
    *,
    legend: bool,
    colours: dict[str, str] | None = None,
    size: tuple[int, int] = (135, 105),
) -> Any:
    alt = library()
    colours = colours or {name: line[2] for name, line in LINES.items()}
    present = [name for name in colours if any(row["series"] == name for row in rows)]
    places = list(dict.fromkeys(row["x"] for row in rows))
    x = alt.X("x:O", sort=places, title=AXES[sweep], axis=alt.Axis(labelAngle=0))
    y = {"title": title, "scale": alt.Scale(zero=False, nice=True)}
    colour = coloured("series", {name: colours[name] for name in present}, legend=legend, **STROKES)
    dashes = {name: DASHES.get(name, [1, 0]) for name in present}
    return lines(rows, x, y, colour, dashes=dashes, opacity=0.16).properties(width=size[0], height=size[1])


# Prose of the page. Everything in braces is filled in from the figures.

HEAD = """Made by `cloven reproduce thesis`; the figures behind every line are in `thesis.json`. Three corpora (ohsumed,
MedQuAD, Reuters) and several draws of documents: {pairs} pairs of corpus and seed. An interval is 95 %, by Student's t
over these pairs; it says how far the means would move with other documents of these corpora, not with other corpora.
*Guessing* is the random attack on the same release (mean of several runs; exact for hit and AUC); *shuffled* is the
same attack with the same scores between the wrong words. WE: GloVe; NGD, NPMI: document counts of the attacker's half
of the corpus; SVD: vectors trained on that half; learned: vectors trained on the release itself. `aba/mra` means ABA
for record chunks and MRA for term chunks; `vpa/random` is the vertical partitioning attack.
[What the measures are](../reference/measures.md)."""

EQUATION = """Equation 5.4 is read by the text of the thesis, not as it is printed: items of the anchoring chunk, which
are published with it, are left out, and the mean is over the records that have something hidden. As printed, anchors
count as put back and the sum is divided by all records; by the tables below that would give about {settings}. For
record chunks the divisor matters most: at k={k} they hide {record} of the items, so many records have none there."""

DIFFERENT = (
    """Corpora: the thesis took about 1,000 articles of EzineArticles, which cannot be had. Each corpus here is cut in
    two by a fixed seed: one half gives the transactions, the other is what the attacker owns.""",
    """NGD: the thesis counted web pages. Here the attacker counts documents of the own half. So our NGD knows the
    domain and theirs the whole web; this favours NGD over WE.""",
    """Words without a score: {vectors:.1f} % of the items for WE, {counts:.1f} % for NGD (type-token ratio 0.30). A
    target without a score stays in all measures, as a tie.""",
    """Slots without anchor: {bare:.1f} % of the records have no item in the anchoring chunk (same data). They are
    candidates with a middling score; the thesis does not mention them.""",
    """An item is right only on the record that holds it; rows with equal anchors are not exchanged, unless it says
    so.""",
    """Every setting of the thesis is possible (none has a maximum below 2k-1). Data of 525 records is one cluster at
    1,000 already, so that size is shown on a larger sample below.""",
    """Samples: topics are found once for each corpus, documents drawn by seed. Samples of a wanted density are drawn
    from all documents with 20 terms, and terms inside a document at random: topics and density cannot both be had.""",
)

RULE = """A claim is *confirmed* if the mean paired difference, or slope over the steps of the sweep, has the sign that
the thesis says and its 95 % interval does not cover 0; *refuted* if the interval lies on the other side; *chance* if
it covers 0. How large the change is ("slightly", "greatly") is not judged. A printed number is confirmed if our mean
lies in the range that the words allow (25 %: 20 to 30; over 90 %, almost all: 90 and more; 2.5 to 3: as it stands); a
number without a setting (60 %, 70 %) if the best mean at any setting of the thesis comes within 5 points of it or
above, and shuffled words do not; where they do as well, it is *chance*. A claim about several attacks is
confirmed if all agree, refuted if one disagrees. Of about fifty intervals of 95 %, two or three may miss by luck. A
step is one place of the sweep: 1 in k, 0.1 in type-token ratio, a doubling of the largest cluster (4 to 64)."""

HELPED = """Topic samples of 210 transactions, k=2, at most 25 records in a cluster. A + B: mean of z-scores; A | B: A,
and B where A has no score or two words never meet. `optimal` solves a chunk as an assignment problem, `one-per-row`
gives a row at most one sub-record of a chunk, `grown` lets placed chunks join the anchors. The choice of rows changes
no AUC and no hit rate: those look at the scores alone."""

TRIAL = """A quick trial before this work had link AUC 0.55-0.58 (GloVe) and 0.60-0.65 (domain) on one draw of MedQuAD
and one of Reuters, over rows with an anchor. By corpus, ours are: {corpora}. {draws} With the documents that show their
topic most clearly, instead of random ones of each topic:"""

REFINED = """Topic samples of 210 transactions, k=2, at most 25 records in a cluster; with REFINE, shared chunks are
attacked, too."""

LARGE = """1,500 documents drawn without regard to topics, k=2; the last place is one cluster."""

RARE = """MEN word pairs, by the number of documents (of all attackers' halves together) that hold the rarer word.
Error: mean distance between the measure's rank of a pair and people's, as a share of all ranks. Bias: mean of the
measure's rank minus people's; below 0, the measure finds these pairs too little related."""

LOST = """Share of the items with support of at least k that are found in term chunks only / in some term chunk.
`abandon` is the original method. m=2, at most 30 records in a cluster, not refined; more in
[disassociation](disassociation.md)."""
