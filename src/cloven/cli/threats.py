"""What attackers reached, in lines that an owner understands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.cli.console import many, percent, table

if TYPE_CHECKING:
    from cloven.audit import AuditReport
    from cloven.scoring.findings import Finding

HEADER = ("threat", "right guesses", "guessing", "shuffled", "lift", "what it means")


def threat_lines(report: AuditReport) -> list[str]:
    """A table of the threats, and why others were not tried."""
    from cloven.scoring.findings import Findings

    rows, reasons = [], []
    for name, found in report.attacks.items():
        if isinstance(found, Findings):
            rows.append(_row(name, found.get("hit"), found.get("auc")))
        else:
            reasons.append(f"{name}: not tried, {found}")
    lines = [table(rows, HEADER) + "\n"] if rows else []
    return [*lines, *reasons, _method(report)]


def _method(report: AuditReport) -> str:
    """What the method itself gives away."""
    found, safe = report.breach, report.result.release.parameters.get("safe")
    if safe:
        return f"knows the method: covers were repaired (safe = {safe})\n"
    if not found.covers:
        return "knows the method: no cover problem\n"
    return (
        f"knows the method: {many(found.covers, 'cover problem')} in {many(found.clusters, 'cluster')} tell that"
        f" {many(found.pairs, 'pair')} meet fewer than k times; `cloven breach` shows them, --safe cover removes them\n"
    )


def _row(name: str, hit: Finding, auc: Finding) -> tuple[str, ...]:
    if hit.value is None or hit.chance is None:
        return (name, "-", "-", "-", "-", "nothing is hidden, so there is nothing to guess")
    return (
        name,
        _interval(hit.value, hit.low, hit.high),
        percent(hit.chance),
        "-" if hit.control is None else percent(hit.control),
        "-" if hit.lift is None else f"{hit.lift:.1f}x",
        meaning(hit, auc),
    )


def meaning(hit: Finding, auc: Finding) -> str:
    """One sentence: how often the attacker is right, and whether knowledge had any part in it.

    An interval that reaches down to guessing is no proof that there is no danger, so it is not called one.
    """
    lows = [auc.over_chance_low] + ([] if auc.control is None else [auc.over_control_low])
    known = all(low is not None and low > 0 for low in lows)
    return f"{_often(hit.value)}; " + ("better than guessing" if known else "not shown to beat guessing")


def _often(share: float | None) -> str:
    if not share:
        return "no guessed link is right"
    return (
        f"1 in {1 / share:.0f} guessed links is right"
        if share < 0.4
        else f"{percent(share, 0)} of guessed links are right"
    )


def _interval(value: float, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return percent(value)
    return f"{100 * value:.1f} % [{100 * low:.1f} - {100 * high:.1f}]"
