"""Charts of the page: small multiples, attacks beside chance and control, bands for 95 % intervals. Needs Altair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.thesis_figures import Estimate, Figures

GUESSING, CONTROL = "guessing", "NGD shuffled"
LINES: dict[str, tuple[str, str, str]] = {
    "WE": ("aba/aba WE", "value", "#1f77b4"),
    "NGD": ("aba/aba NGD", "value", "#d95f02"),
    "SVD": ("aba/aba SVD", "value", "#1b9e77"),
    "VPA": ("vpa/random", "value", "#7b4fa3"),
    GUESSING: ("aba/aba WE", "chance", "#555555"),
    CONTROL: ("aba/aba NGD", "control", "#b0b0b0"),
}
MEASURES = {
    "accuracy": "accuracy (recall)",
    "broken": "transactions broken",
    "km_any": "k^m, in any record",
    "km_own": "k^m, in own record",
    "hit": "hit rate",
    "auc": "link AUC",
}
SCOPES = {"all": "overall", "record": "record chunks", "term": "term chunks"}
AXES = {
    "k": "k",
    "density": "type-token ratio",
    "size": "largest cluster",
}


def library() -> Any:
    """Altair, or an error that says how to get it."""
    try:
        import altair
        import vl_convert  # noqa: F401 - what Altair writes pictures with
    except ImportError as error:
        message = 'charts need the libraries altair and vl-convert-python; pip install "cloven[charts]"'
        raise ParameterError(message) from error
    return altair


def svg(chart: Any) -> str:
    """A chart as SVG text."""
    import vl_convert

    text: str = vl_convert.vegalite_to_svg(chart.to_json())
    return text


def all_charts(figures: Figures) -> dict[str, Any]:
    """Every chart of the page by the name of its file."""
    charts = {sweep: sweep_chart(figures, sweep) for sweep in AXES}
    charts["movers"] = movers_chart(figures)
    charts["methods"] = methods_chart(figures)
    charts["helped"] = helped_chart(figures)
    return charts


def sweep_chart(figures: Figures, sweep: str) -> Any:
    """All measures along one sweep: a column for each measure, a row for each kind of chunk."""
    alt = library()
    columns = []
    for number, (measure, title) in enumerate(MEASURES.items()):
        rows = [
            {"scope": words} | row
            for scope, words in SCOPES.items()
            for row in _line_rows(figures, sweep, measure, scope)
        ]
        columns.append(
            _panel(alt, rows, sweep, title, legend=number == 0).facet(
                row=alt.Row(
                    "scope:N",
                    sort=list(SCOPES.values()),
                    header=alt.Header(title=None, labels=number == 0, labelFontSize=12),
                )
            )
        )
    return _styled(alt.hconcat(*columns, spacing=14))


def movers_chart(figures: Figures) -> Any:
    """Word mover's distance along the three sweeps; the lower, the closer to the original."""
    alt = library()
    shown = {name: line for name, line in LINES.items() if name in ("WE", "NGD", "VPA", GUESSING)}
    parts = [
        _panel(
            alt,
            _line_rows(figures, sweep, "movers", "all", shown),
            sweep,
            "word mover's distance" if number == 0 else "",
            legend=number == 0,
            size=(200, 150),
        )
        for number, sweep in enumerate(AXES)
    ]
    return _styled(alt.hconcat(*parts, spacing=20))


def methods_chart(figures: Figures) -> Any:
    """Accuracy of ABA, RGA and MRA on term chunks above guessing, along the three sweeps."""
    alt = library()
    columns = []
    for number, sweep in enumerate(AXES):
        rows = [
            {"x": _label(x), "series": term.upper(), "knowledge": name, **_band(gap.estimate)}
            for name in ("WE", "NGD")
            for term in ("aba", "rga", "mra")
            for x, gap in zip(
                figures.places[sweep],
                figures.over(sweep, f"aba/{term} {name}", "accuracy", "term"),
                strict=True,
            )
        ]
        colours = {"ABA": "#1f77b4", "RGA": "#d95f02", "MRA": "#1b9e77"}
        title = "above guessing" if number == 0 else ""
        panel = _panel(alt, rows, sweep, title, legend=number == 0, colours=colours, size=(210, 120))
        header = alt.Header(title=None, labels=number == 0, labelFontSize=12)
        columns.append(panel.facet(row=alt.Row("knowledge:N", sort=["WE", "NGD"], header=header)))
    return _styled(alt.hconcat(*columns, spacing=20))


def helped_chart(figures: Figures) -> Any:
    """What helped: link AUC among rows with an anchor, hit and precision of every variant."""
    alt = library()
    labels = list(dict.fromkeys(run.tried.label for run in figures.runs if run.sweep == "helped"))
    parts = []
    for number, (measure, title) in enumerate(
        {"auc_shown": "link AUC, rows with an anchor", "hit": "hit rate", "precision": "precision"}.items()
    ):
        rows = [
            {
                "attack": label,
                "side": side,
                **_band(figures.at("helped", 0, label, measure, side=name).estimate),
            }
            for label in labels
            for side, name in (("attack", "value"), ("shuffled", "control"), (GUESSING, "chance"))
        ]
        axis = alt.Axis(title=None, labels=number == 0, ticks=False, labelLimit=220)
        y = alt.Y("attack:N", sort=labels, axis=axis)
        colour = alt.Color(
            "side:N",
            title=None,
            scale=alt.Scale(domain=["attack", "shuffled", GUESSING], range=["#d95f02", "#b0b0b0", "#555555"]),
            legend=alt.Legend(orient="top") if number == 0 else None,
        )
        seen = alt.Chart(alt.Data(values=rows))
        x = alt.X("mean:Q", title=title, scale=alt.Scale(zero=False))
        bars = seen.mark_rule(strokeWidth=2).encode(
            alt.X("low:Q", title=title), alt.X2("high:Q"), y=y, color=colour
        )
        points = seen.mark_point(filled=True, size=45).encode(x=x, y=y, color=colour)
        parts.append((bars + points).properties(width=200, height=alt.Step(18)))
    return _styled(alt.hconcat(*parts, spacing=14))


def _line_rows(
    figures: Figures,
    sweep: str,
    measure: str,
    scope: str,
    lines: dict[str, tuple[str, str, str]] | None = None,
) -> list[dict[str, Any]]:
    return [
        {"x": _label(x), "series": name, **_band(series.estimate)}
        for name, (attack, side, _) in (lines or LINES).items()
        for x, series in zip(
            figures.places[sweep], figures.along(sweep, attack, measure, scope, side), strict=True
        )
        if series
    ]


def _band(found: Estimate) -> dict[str, float]:
    if found.pairs < 2:  # no interval, no band
        return {"mean": found.mean, "low": found.mean, "high": found.mean}
    return {"mean": found.mean, "low": found.low, "high": found.high}


def _label(x: float) -> str:
    return f"{x:g}"


def _panel(
    alt: Any,
    rows: Sequence[dict[str, Any]],
    sweep: str,
    title: str,
    *,
    legend: bool,
    colours: dict[str, str] | None = None,
    size: tuple[int, int] = (135, 105),
) -> Any:
    colours = colours or {name: line[2] for name, line in LINES.items()}
    present = [name for name in colours if any(row["series"] == name for row in rows)]
    places = list(dict.fromkeys(row["x"] for row in rows))
    scale = alt.Scale(domain=present, range=[colours[name] for name in present])
    shown = (
        alt.Legend(orient="top", title=None, symbolStrokeWidth=3, symbolType="stroke", symbolOpacity=1)
        if legend
        else None
    )
    seen = alt.Chart(alt.Data(values=list(rows)))
    x = alt.X("x:O", sort=places, title=AXES[sweep], axis=alt.Axis(labelAngle=0))
    colour = alt.Color("series:N", scale=scale, legend=shown)
    dash = alt.StrokeDash(
        "series:N", scale=alt.Scale(domain=present, range=[_dash(name) for name in present]), legend=None
    )
    band = seen.mark_area(opacity=0.16).encode(
        x=x, y=alt.Y("low:Q", title=title, scale=alt.Scale(zero=False, nice=True)), y2="high:Q", color=colour
    )
    line = seen.mark_line(strokeWidth=1.8).encode(
        x=x, y=alt.Y("mean:Q", title=title), color=colour, strokeDash=dash
    )
    return (band + line).properties(width=size[0], height=size[1])


def _dash(name: str) -> list[int]:
    return {GUESSING: [5, 3], CONTROL: [2, 2]}.get(name, [1, 0])


def _styled(chart: Any) -> Any:
    return (
        chart.configure(background="white", font="sans-serif")
        .configure_view(stroke="#dddddd")
        .configure_axis(
            grid=True, gridColor="#eeeeee", labelFontSize=10, titleFontSize=11, titleFontWeight="normal"
        )
        .configure_legend(labelFontSize=12)
    )
