"""Charts of ``cloven reproduce cover``: Figures 4 and 5 of Barakat et al. 2016. Needs Altair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from experiments.thesis_charts import library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.cover_runs import Size

COLOURS = {"strong": "#d95f02", "moderate": "#1f77b4", "weak": "#7b4fa3"}


def all_charts(found: Sequence[Size]) -> dict[str, Any]:
    """Breaches and time against the maximum cluster size, one panel for each data set."""
    return {
        "breaches": _panels(_scores(found), "score of Algorithm 1", "linear"),
        "time": _panels(_times(found), "ms for one attacker", "log"),
    }


def _scores(found: Sequence[Size]) -> list[dict[str, Any]]:
    rows = []
    for one in found:
        place = {"data": one.data, "size": one.size}
        rows.append({**place, "attacker": "strong", "value": one.strong["score"]})
        for attacker, value in (("moderate", one.moderate), ("weak", one.weak)):
            rows.append(
                {
                    **place,
                    "attacker": attacker,
                    "value": value["mean"],
                    "low": value["low"],
                    "high": value["high"],
                }
            )
    return rows


def _times(found: Sequence[Size]) -> list[dict[str, Any]]:
    return [
        {"data": one.data, "size": one.size, "attacker": attacker, "value": 1000 * seconds}
        for one in found
        for attacker, seconds in zip(COLOURS, one.seconds, strict=True)
    ]


def _panels(rows: list[dict[str, Any]], title: str, scale: str) -> Any:
    altair = library()
    colour = altair.Color(
        "attacker:N",
        scale=altair.Scale(domain=list(COLOURS), range=list(COLOURS.values())),
        legend=altair.Legend(title=None, orient="top"),
    )
    panels = []
    for name in dict.fromkeys(row["data"] for row in rows):
        mine = altair.Chart(altair.Data(values=[row for row in rows if row["data"] == name]))
        x = altair.X("size:Q", title="largest cluster")
        y = altair.Y("value:Q", title=title, scale=altair.Scale(type=scale))
        line = mine.mark_line(point=True).encode(x=x, y=y, color=colour)
        band = mine.mark_area(opacity=0.2).encode(x=x, y="low:Q", y2="high:Q", color=colour)
        both = band + line if scale == "linear" else line
        panels.append(both.properties(width=220, height=180, title=name))
    return altair.hconcat(*panels)
