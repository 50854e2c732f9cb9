"""What is demanded of a default, held against the figures of ``cloven reproduce known-person``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

Plain = dict[str, Any]

JUDGED = ("1 rarest item", "2 rarest items", "2 random items")
TOLD, TOLD_UPPER, CERTAIN = 0.02, 0.03, 0.005
ITEMS, TKD, PAIRS = 0.97, 0.02, 0.95
ROUNDING = 1e-9


@dataclass(frozen=True)
class Line:
    """One demand on one run.

    Attributes:
        name: what is demanded, in a few words.
        value: what was found.
        limit: what it is held against.
        most: whether the limit is the most that is allowed; else the least.
        about: whether it is about what is told, or about what is kept.
    """

    name: str
    value: float
    limit: float
    most: bool
    about: str

    @property
    def missed(self) -> float:
        """By how much it is missed; 0 where it holds."""
        off = self.value - self.limit if self.most else self.limit - self.value
        return off if off > ROUNDING else 0.0

    @property
    def holds(self) -> bool:
        """Whether it holds."""
        return not self.missed


LINES = ("told", "told, upper end", "certain", "items of the ceiling", "tKd", "pairs kept")


def lines(run: Plain, before: Plain) -> list[Line]:
    """All demands on one run; ``before`` is the former default on the same data."""
    ways = [run["told"][way] for way in JUDGED if way in run["told"]]
    return [
        Line("told", max((way["told"][2] for way in ways), default=0.0), TOLD, most=True, about="told"),
        Line(
            "told, upper end",
            max((way["told"][3] for way in ways), default=0.0),
            TOLD_UPPER,
            most=True,
            about="told",
        ),
        Line(
            "certain", max((way["certain"][2] for way in ways), default=0.0), CERTAIN, most=True, about="told"
        ),
        Line("items of the ceiling", run["items_kept"] / run["ceiling"], ITEMS, most=False, about="kept"),
        Line("tKd", run["tkd"], before["tkd"] + TKD, most=True, about="kept"),
        Line("pairs kept", run["pairs_kept"], PAIRS * before["pairs_kept"], most=False, about="kept"),
    ]


def of(rows: Sequence[Plain], data: str, setting: str) -> Plain | None:
    """The run of one data set with one setting."""
    return next((row for row in rows if row["data"] == data and row["setting"] == setting), None)


def meeting(rows: Sequence[Plain], data: str, line: str) -> list[str]:
    """Settings that meet one line on one data set, on the samples that settings were tried on."""
    before = of(rows, data, "before")
    if before is None:
        return []
    return [
        row["setting"]
        for row in rows
        if row["data"] == data
        and row["setting"] != "before"
        and all(each.holds for each in lines(row, before) if each.name == line)
    ]


def standings(rows: Sequence[Plain]) -> list[Plain]:
    """Every setting that was tried on all data sets, the best first.

    Fewest missed lines of what is told, then of what is kept, then the least by which tKd and pairs kept got worse.
    """
    data = list(dict.fromkeys(row["data"] for row in rows))
    out = []
    for setting in dict.fromkeys(row["setting"] for row in rows):
        runs = [(of(rows, name, setting), of(rows, name, "before")) for name in data]
        pairs = [(mine, base) for mine, base in runs if mine is not None and base is not None]
        if len(pairs) < len(data):
            continue
        judged = [line for mine, base in pairs for line in lines(mine, base)]
        out.append(
            {
                "setting": setting,
                "told_missed": sum(not line.holds for line in judged if line.about == "told"),
                "kept_missed": sum(not line.holds for line in judged if line.about == "kept"),
                "told": _mean([lines(mine, base)[0].value for mine, base in pairs]),
                "items": _mean([mine["items_kept"] / mine["ceiling"] for mine, _ in pairs]),
                "tkd": _mean([mine["tkd"] - base["tkd"] for mine, base in pairs]),
                "tkd_sets": _mean([mine["tkd_sets"] - base["tkd_sets"] for mine, base in pairs]),
                "pairs": _mean([_ratio(mine["pairs_kept"], base["pairs_kept"]) for mine, base in pairs]),
                "re": _mean(
                    [mine["re"] - base["re"] for mine, base in pairs if None not in (mine["re"], base["re"])]
                ),
                "linked": _mean([mine["linked"].get("release alone") for mine, _ in pairs]),
                "method": _mean([mine["linked"].get("method") for mine, _ in pairs]),
                "seconds": sum(mine["seconds"] for mine, _ in pairs),
            }
        )
    return sorted(
        out,
        key=lambda one: (one["told_missed"], one["kept_missed"], one["tkd"] + 1 - one["pairs"], one["told"]),
    )


def _ratio(part: float, whole: float) -> float:
    """One figure relative to another; where that is nothing, nothing changed."""
    return part / whole if whole else 1.0


def _mean(values: Sequence[Any]) -> float:
    """Mean of figures; of estimates the value counts, and what was not tried is left out."""
    known = [value[0] if isinstance(value, list) else value for value in values if value is not None]
    return float(sum(known) / len(known)) if known else 0.0
