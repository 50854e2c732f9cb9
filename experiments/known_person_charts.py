"""Charts of ``cloven reproduce known-person``: members beside outsiders, and settings on both sides. Needs Altair."""

from __future__ import annotations

from typing import Any

from experiments.known_person_claims import JUDGED, standings
from experiments.thesis_charts import library

Plain = dict[str, Any]

WAYS = {"papers": "#7b4fa3", "before": "#d95f02", "default": "#1b9e77", "refined": "#1f77b4"}


def all_charts(found: dict[str, list[Plain]]) -> dict[str, Any]:
    """Every chart of the page by the name of its file."""
    return {"told": told_chart(found["ways"]), "settings": settings_chart(found["settings"])}


def told_chart(ways: list[Plain]) -> Any:
    """What being in the release adds, one panel for each way of knowing; whiskers end at the upper end."""
    altair = library()
    panels = []
    for known in JUDGED:
        rows = [
            {"data": run["data"], "way": run["setting"], "adds": told[2], "upper": told[3]}
            for run in ways
            if known in run["told"]
            for told in (run["told"][known]["told"],)
        ]
        mine = altair.Chart(altair.Data(values=rows))
        x = altair.X("data:N", title=None, sort=None)
        y = altair.Y("adds:Q", title="told of members, less outsiders").axis(format="%")
        colour = altair.Color(
            "way:N",
            scale=altair.Scale(domain=list(WAYS), range=list(WAYS.values())),
            legend=altair.Legend(title=None, orient="top"),
        )
        offset = altair.XOffset("way:N", sort=list(WAYS))
        bars = mine.mark_bar().encode(x=x, y=y, color=colour, xOffset=offset)
        whiskers = mine.mark_rule(color="#555555").encode(x=x, y="adds:Q", y2="upper:Q", xOffset=offset)
        panels.append((bars + whiskers).properties(width=260, height=180, title=f"{known} known"))
    return altair.hconcat(*panels)


def settings_chart(settings: list[Plain]) -> Any:
    """Every setting: what it tells against what it keeps, means over the data sets."""
    altair = library()
    rows = [
        {"setting": one["setting"], "told": one["told"], "tkd": one["tkd_sets"]}
        for one in standings(settings)
    ]
    base = altair.Chart(altair.Data(values=rows)).encode(
        x=altair.X("told:Q", title="told of members, less outsiders (mean)").axis(format="%"),
        y=altair.Y("tkd:Q", title="tKd of sets of two and more, change", scale=altair.Scale(zero=False)),
    )
    text = base.mark_text(align="left", dx=6, fontSize=10).encode(text="setting:N")
    return (base.mark_point(filled=True, size=60) + text).properties(width=460, height=300)
