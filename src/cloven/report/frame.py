"""Risks and utility as a frame: one row for each setting and threat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cloven.disclosure.outcome import Outcome

COLUMNS = (
    "setting",
    "family",
    "threat",
    "attacker",
    "low",
    "high",
    "outsiders",
    "excess",
    "excess_low",
    "excess_high",
    "guessing",
    "control",
    "beats",
    "counts",
    "broken",
    "utility",
)


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

    schema = pyarrow.schema([(name, _kind(pyarrow, name)) for name in COLUMNS])
    return pyarrow.Table.from_pylist([row for outcome in outcomes for row in _rows(outcome)], schema)


def _rows(outcome: Outcome) -> list[dict[str, Any]]:
    return [
        {
            "setting": outcome.name,
            "family": outcome.family,
            "threat": risk.threat,
            "attacker": None if risk.attacker is None else risk.attacker.value,
            "low": None if risk.attacker is None else risk.attacker.low,
            "high": None if risk.attacker is None else risk.attacker.high,
            "outsiders": None if risk.outsiders is None else risk.outsiders.value,
            "excess": None if risk.excess is None else risk.excess.value,
            "excess_low": None if risk.excess is None else risk.excess.low,
            "excess_high": None if risk.excess is None else risk.excess.high,
            "guessing": None if risk.guessing is None else risk.guessing.value,
            "control": None if risk.control is None else risk.control.value,
            "beats": risk.beats,
            "counts": risk.counts,
            "broken": risk.broken,
            "utility": outcome.utility.score(),
        }
        for risk in outcome.risks
    ]


def _kind(pyarrow: Any, name: str) -> Any:
    if name in ("setting", "family", "threat"):
        return pyarrow.string()
    if name in ("beats", "counts"):
        return pyarrow.bool_()
    return pyarrow.int64() if name == "broken" else pyarrow.float64()
