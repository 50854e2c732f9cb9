"""Charts of the pages: attacks beside chance and control, bands for 95 % intervals. Needs Altair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


GUESSING = "guessing"
STROKES: dict[str, Any] = {"symbolType": "stroke", "symbolStrokeWidth": 3, "symbolOpacity": 1}
"""Legends of lines."""


def library() -> Any:
    """Altair, or an error that says how to get it."""
    try:
        import altair
        import vl_convert  # noqa: F401 - what Altair writes pictures with
    except ImportError as error:
        message = "charts need the libraries altair and vl-convert-python; pip install --group charts"
        raise ParameterError(message) from error
    return altair


def svg(chart: Any) -> str:
    """A chart as SVG text."""
    import vl_convert

    text: str = vl_convert.vegalite_to_svg(chart.to_json())
    return text


def seen(rows: Iterable[Mapping[str, Any]]) -> Any:
    """A chart of some rows, with nothing drawn yet."""
    altair = library()
    return altair.Chart(altair.Data(values=list(rows)))


def coloured(field: str, colours: Mapping[str, str], *, legend: bool = True, **options: Any) -> Any:
    """A colour for each name, and its legend above the chart unless the options say otherwise."""
    altair = library()
    shown = altair.Legend(**{"title": None, "orient": "top"} | options) if legend else None
    scale = altair.Scale(domain=list(colours), range=list(colours.values()))
    return altair.Color(f"{field}:N", scale=scale, legend=shown)


def lines(
    rows: Sequence[Mapping[str, Any]], x: Any, y: Mapping[str, Any], colour: Any, *,
    dashes: Mapping[str, list[int]] | None = None, opacity: float = 0.15,
) -> Any:  # fmt: skip
    """Lines with bands; ``y`` has the title, scale and axis, ``dashes`` the pattern of each line."""
    altair = library()
    shown = seen(rows)
    area = shown.mark_area(opacity=opacity, clip=True)
    line = shown.mark_line(strokeWidth=1.8, clip=True).encode(x=x, y=altair.Y("mean:Q", **y), color=colour)
    if dashes is not None:
        scale = altair.Scale(domain=list(dashes), range=list(dashes.values()))
        line = line.encode(strokeDash=altair.StrokeDash("series:N", scale=scale, legend=None))
    return area.encode(x=x, y=altair.Y("low:Q", **y), y2="high:Q", color=colour) + line


def intervals(rows: Iterable[Mapping[str, Any]], x: Mapping[str, Any], size: int, **encoded: Any) -> Any:
    """A point with its interval for each row, from left to right; ``x`` has the title, scale and axis."""
    altair = library()
    shown = seen(rows)
    rule = shown.mark_rule(strokeWidth=2)
    rule = rule.encode(altair.X("low:Q", **x), altair.X2("high:Q"), **encoded)
    point = shown.mark_point(filled=True, size=size).encode(x=altair.X("mean:Q", **x), **encoded)
    return rule + point


def styled(chart: Any, **axis: Any) -> Any:
    """The look of all charts."""
    return (
        chart.configure(background="white", font="sans-serif", padding=16)
        .configure_view(stroke="#dddddd")
        .configure_axis(gridColor="#eeeeee", titleFontWeight="normal", **axis)
        .configure_legend(labelFontSize=12, columnPadding=24)
    )
