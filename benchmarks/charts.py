"""Charts of the page on speed. Needs Altair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from experiments.harness.charts import coloured, library, seen, styled, svg

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.limits import Row

COLOURS = {
    "read": "#4c4c4c", "sort": "#9ecae1", "horizontal": "#3182bd", "vertical": "#08519c", "refine": "#7b4fa3",
    "root": "#c5b0d5", "assemble": "#fdae6b", "verify": "#1b9e77", "write": "#bbbbbb",
}  # fmt: skip


def stages(rows: list[Row]) -> str:
    """A bar for each data set, setting and number of cores: every stage in times of reading."""
    altair = library()
    cells = [
        {
            "run": f"{row['data']}, {row['setting']}, {row['cores']} core{'s' * (row['cores'] > 1)}",
            "stage": stage,
            "place": place,
            "times": row[stage] / row["read"],
        }
        for row in rows
        for place, stage in enumerate(COLOURS)
    ]
    order = list(dict.fromkeys(cell["run"] for cell in cells))
    bars = seen(cells).mark_bar().encode(
        x=altair.X("times:Q", title="times of reading and encoding the file", stack="zero"),
        y=altair.Y("run:N", title=None, sort=order, axis=altair.Axis(labelLimit=320, minExtent=190)),
        color=coloured("stage", COLOURS),
        order=altair.Order("place:O"),
    )  # fmt: skip
    return svg(styled(bars.properties(width=460, height=22 * len(order))))


def growth(rows: list[Row]) -> str:
    """Seconds and peak memory by records, both axes in powers of ten."""
    altair = library()
    panels = [_line(altair, rows, *axis) for axis in (("seconds", "seconds"), ("peak_gb", "peak, GB"))]
    return svg(styled(altair.hconcat(*panels)))


def _line(altair: Any, rows: list[Row], measure: str, title: str) -> Any:
    return (
        seen(rows)
        .mark_line(point=True)
        .encode(
            x=altair.X(
                "records:Q",
                title="records",
                scale=altair.Scale(type="log"),
                axis=altair.Axis(format="~s", tickCount=4),
            ),
            y=altair.Y(f"{measure}:Q", title=title, scale=altair.Scale(type="log")),
        )
        .properties(width=300, height=240)
    )


CHARTS: dict[str, tuple[str, Callable[[list[Row]], str]]] = {
    "stages": ("stages", stages),
    "growth": ("growth", growth),
}
"""Name of each chart, the part it shows, and how it is drawn."""
