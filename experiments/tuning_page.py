"""The page of ``cloven reproduce tuning``."""

from __future__ import annotations

from textwrap import fill
from typing import Any

Plain = dict[str, Any]

_HEAD = """# Does a search find settings that beat the default?

Made by `cloven reproduce tuning`; the figures behind every line are in `tuning.json`. For each data set `cloven tune`
tried {trials} settings of disassociation, with k from 5 to 20 and m from 2 to 3, on the attacks that need nothing but
the release: known items, what goes together, and the method. *Risk* is the upper end of the 95 % interval of the worst
attack, *kept* the share of the most frequent itemsets that are still frequent. A setting *beats* the default
(`k=5,m=2`) if it has no more risk, keeps no less, breaks no promise that the default keeps, and is better in one of
them. How to search your own data: [tune the settings](../how-to/tune-the-settings.md).

The best of many measurements looks better than it is. So the settings that beat the default by most were measured
again, and the default too, in full and with other random numbers. *Holds* says that the second look agrees.
"""


def page(found: list[Plain]) -> str:
    """The page, from the figures alone."""
    trials = max(len([row for row in one["trials"] if row["state"] != "impossible"]) for one in found)
    parts = [_HEAD.format(trials=trials), "## The answer\n", *[f"- {_answer(one)}" for one in found], ""]
    for one in found:
        parts += _section(one)
    return "\n".join(parts).rstrip() + "\n"


def _answer(one: Plain) -> str:
    """Whether anything beats the default, and whether the second look agrees."""
    if not one["dominating"]:
        text = f"**{one['data']}**: no. {one['comparison']}"
    else:
        held = [name for name in one["again"] if name != one["default"] and holds(one, name)]
        looked = len(one["again"]) - 1
        answer = "yes" if held else "not for certain"
        text = (
            f"**{one['data']}**: {answer}. {one['comparison']} Measured again, {len(held)} of {looked} hold."
        )
    return fill(text, 116, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)


def holds(one: Plain, name: str) -> bool:
    """Whether a setting beats the default in the second measurement too."""
    mine, default = one["again"][name], one["again"][one["default"]]
    no_worse = mine["risk"] <= default["risk"] and mine["utility"] >= default["utility"]
    better = mine["risk"] < default["risk"] or mine["utility"] > default["utility"]
    return no_worse and better and not (mine["broken"] and not default["broken"])


def slug(name: str) -> str:
    """A name for a file.

    >>> slug("What's Cooking")
    'whats-cooking'
    """
    return name.lower().replace("'", "").replace(" ", "-")


def _section(one: Plain) -> list[str]:
    counts = one["counts"]
    sample = "" if one["sample_records"] is None else f" on a sample of {one['sample_records']:,}"
    told = (
        f"{counts['finished']} settings were measured on all {one['records']:,} records, {counts['pruned']} were given"
        f" up{sample}, {counts['impossible']} proposals were impossible."
    )
    lines = [
        f"## {one['data']}\n",
        fill(told, 118),
        "",
        f"![Risk against utility](tuning/{slug(one['data'])}.svg)\n",
    ]
    lines += _table(
        ("setting", "risk", "promises broken", "kept", "records published", ""),
        [_row(one, row) for row in _rows(one)],
    )
    lines += ["\nMeasured again, in full:\n"]
    lines += _table(
        ("setting", "worst attack", "risk", "promises broken", "kept", ""),
        [_row_again(one, name) for name in one["again"]],
    )
    return [*lines, ""]


def _rows(one: Plain) -> list[Plain]:
    """The front and the default, by rising risk."""
    wanted = {*one["front"], one["default"]}
    return sorted((row for row in one["trials"] if row["name"] in wanted), key=lambda row: row["risk"])


def _row(one: Plain, row: Plain) -> tuple[str, ...]:
    name = row["name"]
    marks = {
        "default": name == one["default"],
        "beats the default": name in one["dominating"],
        "not on the front": name not in one["front"],
    }
    outcome = row["outcome"]
    said = ", ".join(word for word, true in marks.items() if true)
    kept = {each["name"]: each["value"] for each in outcome["utility"]["measures"]}
    published = kept.get("records published")
    return (
        f"`{name}`",
        _percent(row["risk"]),
        f"{outcome['broken']:,}",
        _percent(row["utility"]),
        "-" if published is None else _percent(published),
        said,
    )


def _row_again(one: Plain, name: str) -> tuple[str, ...]:
    figures = one["again"][name]
    said = "default" if name == one["default"] else "holds" if holds(one, name) else "does not hold"
    risk = _percent(figures["risk"])
    if figures["low"] is not None:
        risk = f"{_percent(figures['value'])} [{100 * figures['low']:.1f} - {100 * figures['risk']:.1f}]"
    kept = f"{100 * figures['utility']:.2f} %"
    if figures["utility_low"] is not None:
        kept += f" [{100 * figures['utility_low']:.1f} - {100 * figures['utility_high']:.1f}]"
    return f"`{name}`", str(figures["threat"]), risk, f"{figures['broken']:,}", kept, said


def _table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    return ["| " + " | ".join(header) + " |", "|" + "---|" * len(header),
            *("| " + " | ".join(row) + " |" for row in rows)]  # fmt: skip


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
