"""Risks and utility as a frame: one row for each setting and threat. ``AuditReport.to_frame`` gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cloven.disclosure.outcome import Outcome
    from cloven.disclosure.risk import Risk

_ESTIMATED = {
    "attacker": ("attacker", "value"),
    "low": ("attacker", "low"),
    "high": ("attacker", "high"),
    "outsiders": ("outsiders", "value"),
    "excess": ("excess", "value"),
    "excess_low": ("excess", "low"),
    "excess_high": ("excess", "high"),
    "guessing": ("guessing", "value"),
    "control": ("control", "value"),
}
"""Column -> which estimate of a risk, and what of it."""
_KINDS = {
    **dict.fromkeys(("setting", "family", "threat"), "string"),
    **dict.fromkeys(_ESTIMATED, "float64"),
    **dict.fromkeys(("beats", "counts"), "bool"),
    "broken": "int64",
    "utility": "float64",
}
COLUMNS = tuple(_KINDS)


def outcome_frame(outcomes: Sequence[Outcome]) -> Any:
    """A Polars frame; pandas where Polars is not installed, and a PyArrow table where neither is.

    What was not tried or has no interval is null.
    """
    return _framed(outcome_table(outcomes))


def frame_of(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Columns of plain values as a frame."""
    import pyarrow

    return _framed(pyarrow.table(dict(columns)))


def _framed(table: Any) -> Any:
    try:
        import polars

        return polars.from_arrow(table)
    except ImportError:
        pass
    try:
        return table.to_pandas()
    except ImportError:
        return table


def outcome_table(outcomes: Sequence[Outcome]) -> Any:
    """The same as a PyArrow table, which is always there."""
    import pyarrow

    schema = pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in _KINDS.items()])
    rows = [_row(outcome, risk) for outcome in outcomes for risk in outcome.risks]
    return pyarrow.Table.from_pylist(rows, schema)


def _row(outcome: Outcome, risk: Risk) -> dict[str, Any]:
    found = {name: getattr(risk, estimate) for name, (estimate, _) in _ESTIMATED.items()}
    return {
        "setting": outcome.name,
        "family": outcome.family,
        "threat": risk.threat,
        **{
            name: None if estimate is None else getattr(estimate, _ESTIMATED[name][1])
            for name, estimate in found.items()
        },
        "beats": risk.beats,
        "counts": risk.counts,
        "broken": risk.broken,
        "utility": outcome.utility.score(),
    }
