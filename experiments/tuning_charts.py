"""Chart of ``cloven reproduce tuning``: risk against utility of every setting. Needs Altair."""

from __future__ import annotations

from typing import Any

from experiments.thesis_charts import library

COLOURS = {
    "default": "#d95f02",
    "beats the default": "#1b9e77",
    "front": "#1f77b4",
    "beaten": "#b0b0b0",
    "breaks a promise": "#c9a0dc",
}


def chart(found: dict[str, Any]) -> Any:
    """Every setting that was measured on all records."""
    altair = library()
    rows = [
        {"setting": row["name"], "risk": row["risk"], "utility": row["utility"], "kind": _kind(found, row)}
        for row in found["trials"]
        if row["risk"] is not None
    ]
    rows.sort(key=lambda row: list(COLOURS).index(row["kind"]), reverse=True)
    return (
        altair.Chart(altair.Data(values=rows))
        .mark_point(filled=True, size=70, opacity=0.9)
        .encode(
            x=altair.X("risk:Q", title="worst risk, upper end", scale=altair.Scale(zero=False)).axis(
                format="%"
            ),
            y=altair.Y("utility:Q", title=found["limits"]["measure"], scale=altair.Scale(zero=False)).axis(
                format="%"
            ),
            color=altair.Color(
                "kind:N",
                scale=altair.Scale(domain=list(COLOURS), range=list(COLOURS.values())),
                legend=altair.Legend(title=None, orient="right"),
            ),
        )
        .properties(width=420, height=260, title=found["data"])
    )


def _kind(found: dict[str, Any], row: dict[str, Any]) -> str:
    name = row["name"]
    if name == found["default"]:
        return "default"
    if name in found["dominating"]:
        return "beats the default"
    if name in found["front"]:
        return "front"
    return "breaks a promise" if row["outcome"]["broken"] else "beaten"
