"""The page of ``cloven reproduce thesis``: answer, charts, tables, claims. All numbers come from the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from experiments import thesis_words as words
from experiments.page_parts import filled
from experiments.thesis_answer import answer
from experiments.thesis_judging import VPA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.thesis_figures import Figures
    from experiments.thesis_helped import ByFrequency
    from experiments.thesis_judging import Claim

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
COLUMNS = {**{sweep: word for sweep, (word, _) in SWEEPS.items()}, "large": "largest cluster"}
COLUMNS |= {"refine": "REFINE", "clear": "documents"}
TABLED = ("aba/aba WE", "aba/aba NGD", "aba/aba NPMI", "aba/aba SVD", "aba/aba learned", VPA)


def page(figures: Figures, claims: Sequence[Claim], extra: dict[str, Any]) -> str:
    """The whole page; ``extra`` has facts, frequency, table_4_1 and tlost."""
    parts = [_head(figures), "## In short\n", answer(figures, claims), _different(extra["facts"])]
    for sweep, (word, setting) in SWEEPS.items():
        parts += [f"## Against {word}\n", f"{setting}.\n", _picture(sweep, f"All measures against {word}")]
        parts += [_table(figures, sweep, TABLED), _facts(extra["facts"], sweep)]
    parts += [_others(), _refined(figures), _large(figures), _claims(claims), _helped(figures)]
    parts += [
        _frequency(extra["frequency"]),
        "## Table 4.1: relatedness against people\n",
        extra["table_4_1"],
    ]
    parts += [_lost(extra["tlost"])]
    return "\n".join(parts)


def _head(figures: Figures) -> str:
    return f"# The semantic attack of the thesis, run again\n\n{filled(words.HEAD.format(pairs=figures.pairs))}\n"


def _different(facts: Sequence[dict[str, Any]]) -> str:
    here = [one for one in facts if one["sweep"] == "k"]
    shares = {
        "bare": 100 * np.mean([one["without_anchor"] for one in here]),
        "vectors": 100 * np.mean([one["unknown"]["WE"] for one in here]),
        "counts": 100 * np.mean([one["unknown"]["NGD"] for one in here]),
    }
    lines = [filled(f"- {line.format(**shares)}", "  ") for line in words.DIFFERENT]
    return "## What is different here\n\n" + "\n".join(lines) + "\n"


def _picture(name: str, title: str) -> str:
    return f"![{title}; bands are 95 % intervals](thesis/{name}.svg)\n"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _grid(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join([_row(heads), "|" + "---|" * len(heads), *map(_row, rows)]) + "\n"


def _cell(figures: Figures, place: tuple[str, float], attack: str, measure: str) -> str:
    """Value with half its interval, then guessing and shuffled."""
    value, chance, control = (
        figures.at(*place, attack, measure, side=side).estimate for side in ("value", "chance", "control")
    )
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
    return note + _grid([COLUMNS[sweep], "attack", *(HEADS[name] for name in measures)], rows)


def _place(sweep: str, x: float) -> str:
    if sweep == "refine":
        return "yes" if x else "no"
    return "topics shown clearly" if sweep == "clear" else f"{x:g}"


def _facts(facts: Sequence[dict[str, Any]], sweep: str) -> str:
    here = [one for one in facts if one["sweep"] == sweep]
    names = (
        "type_token_ratio",
        "clusters",
        "mean_cluster",
        "disassociated",
        "in_term_chunks",
        "without_anchor",
    )
    rows = []
    for x in sorted({one["x"] for one in here}):
        some = [one for one in here if one["x"] == x]
        means = [float(np.mean([one[name] for one in some])) for name in names]
        rows.append(
            [
                f"{x:g}",
                f"{means[0]:.2f}",
                f"{means[1]:.0f}",
                f"{means[2]:.1f}",
                *(f"{one:.3f}" for one in means[3:]),
            ]
        )
    heads = (
        "",
        "type-token ratio",
        "clusters",
        "mean size",
        "items outside anchors",
        "in term chunks",
        "rows without anchor",
    )
    return "The releases (means; shares of all items, and of all records):\n\n" + _grid(heads, rows)


def _others() -> str:
    movers = _picture("movers", "Word mover's distance along the sweeps")
    methods = _picture("methods", "Accuracy of ABA, RGA and MRA on term chunks minus that of guessing")
    return (
        f"## Word mover's distance, and ABA against RGA and MRA\n\n{movers}\n"
        f"Term chunks, accuracy minus that of guessing:\n\n{methods}"
    )


def _refined(figures: Figures) -> str:
    return f"## With REFINE\n\n{filled(words.REFINED)}\n\n" + _table(figures, "refine", TABLED)


def _large(figures: Figures) -> str:
    return f"## Still larger clusters\n\n{filled(words.LARGE)}\n\n" + _table(figures, "large", TABLED)


def _claims(claims: Sequence[Claim]) -> str:
    rows = [(one.where, one.says, f"**{one.verdict}**", one.get, one.why) for one in claims]
    heads = ("where", "the thesis says", "verdict", "we get", "why they differ, or what guessing does")
    return f"## The thesis says, we get\n\n{filled(words.RULE)}\n\n" + _grid(heads, rows)


def _helped(figures: Figures) -> str:
    labels = list(dict.fromkeys(run.tried.label for run in figures.runs if run.sweep == "helped"))
    names = ("auc", "auc_shown", "hit", "precision", "broken")
    rows = [[label, *(_cell(figures, ("helped", 0.0), label, name) for name in names)] for label in labels]
    picture = _picture("helped", "Link AUC, hit rate and precision of all variants")
    table = _grid(["attack", *(HEADS[name] for name in names)], rows)
    trial = filled(words.TRIAL.format(corpora=_by_corpus(figures)))
    clear = _table(figures, "clear", TABLED, names)
    return f"## What helped\n\n{filled(words.HELPED)}\n\n{picture}\n{table}\n{trial}\n\n{clear}"


def _by_corpus(figures: Figures) -> str:
    parts = []
    for corpus in dict.fromkeys(run.corpus for run in figures.runs):
        values = [
            np.mean(
                [
                    value
                    for (name, _), value in figures.at("helped", 0, f"aba/aba {one}", "auc_shown").items()
                    if name == corpus
                ]
            )
            for one in ("WE", "NGD", "SVD")
        ]
        parts.append(f"{corpus} {values[0]:.3f} (WE), {values[1]:.3f} (NGD), {values[2]:.3f} (SVD)")
    return "; ".join(parts)


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
    return f"## Rare words\n\n{filled(words.RARE)}\n\n" + _grid(heads, rows)


def _lost(found: Sequence[dict[str, Any]]) -> str:
    ks = sorted({one["k"] for one in found})
    rows = []
    for name, strategy in dict.fromkeys((one["data"], one["strategy"]) for one in found):
        here = {one["k"]: one for one in found if (one["data"], one["strategy"]) == (name, strategy)}
        rows.append([name, strategy, *(f"{here[k]['only']:.3f} / {here[k]['any']:.3f}" for k in ks)])
    return f"## Fig. 3.2: tlost of the strategies for small clusters\n\n{filled(words.LOST)}\n\n" + _grid(
        ("data", "strategy", *(f"k={k}" for k in ks)), rows
    )
