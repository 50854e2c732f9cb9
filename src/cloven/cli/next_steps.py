"""What to do after an audit: commands to paste, built from what was found."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Any

from cloven.audit.decision import METHODS, price
from cloven.cli.anonymise import CHOSEN, OF_TABLES
from cloven.cli.answer import Step
from cloven.cli.risk_lines import figures
from cloven.cli.typed import Typed, as_argument, options_in
from cloven.figures import many
from cloven.settings import setting

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from cloven.audit.report import AuditReport
    from cloven.cli.answer import Figure
    from cloven.cli.options import Group
    from cloven.disclosure.outcome import Outcome

ANEW = ("--out", "--quick", "--json", "--verbose", "--no-attack")
"""What belongs to one run alone."""


def steps_after(
    found: AuditReport, typed: Typed, out: Path, release: Path, *, in_memory: bool = True
) -> list[Step]:
    """What to do with what was found: ``out`` is where it was written, ``release`` the release in it.

    What was not audited ``in_memory`` is not searched there either.
    """
    again = typed.without(*ANEW)
    if found.sampled:
        return [Step(f"Audit all {many(found.records_in_all, found.data.noun)}", str(again))]
    if found.decision.verdict == "publish":
        return _after_yes(found, typed.value("--ledger"), out, release)
    if found.audit.threats == ():
        return [Step("Attack it", str(again))]
    if found.kept_elsewhere:
        return _with_roles(again)
    helps = found.decision.words or any(reason.risk for reason in found.decision.reasons)
    if not helps:  # no setting does
        return [Step("Look at the data", str(again.for_command("describe", _options_of("describe"))))]
    steps = (
        [_better(found, again)]
        if found.decision.words
        else [*_closest(found, again), *_fewer_items(found, again)]
    )
    return [*steps, *([_search(found, again)] if in_memory else [])]


def _after_yes(found: AuditReport, ledger: str, out: Path, release: Path) -> list[Step]:
    if found.kept_elsewhere:
        return [Step("Send the table as it was audited")]
    noted = ("--ledger", ledger) if ledger else ()
    return [
        Step("Note it as published once it is sent", str(Typed("publish", (as_argument(out), *noted)))),
        Step("Whoever receives it checks it", str(Typed("verify", (as_argument(release),)))),
    ]


def _better(found: AuditReport, again: Typed) -> Step:
    best = next(each for each in found.others if each.name == found.decision.better[0])
    cost = price(found.outcome, best, found.audit.limits)
    return Step(f"A setting that meets the limits ({cost})", _typed(again, best.name, found.decision.words))


def _closest(found: AuditReport, again: Typed) -> list[Step]:
    """The setting that fails by least, of those that were tried; where none was, the first that could help."""
    words = {setting(method): typed for typed, method in _remedies(found).items()}
    tried = [(worst, each) for each in found.others if each.name in words and (worst := _worst(found, each))]
    if not tried:
        first = next((name for name in words if name not in found.failed), None)
        return (
            []
            if first is None or found.others
            else [Step("Try other settings", _typed(again, first, words[first]))]
        )
    worst, closest = min(tried, key=lambda pair: (pair[0].times, -pair[1].utility.score()))
    held = _worst(found, found.outcome)
    if held is not None and worst.times >= held.times:
        return []
    name = (worst.part or worst.name).lower()
    left = f"fails {name} first, the rest was not tried" if closest.given_up else f"{name} left"
    what = f"Closest of {many(len(tried), 'other setting')}, none of which meets the limits ({left})"
    return [Step(what, _typed(again, closest.name, words[closest.name]))]


def _remedies(found: AuditReport) -> Mapping[str, Any]:
    limit, risks = found.audit.limits.max_risk, found.outcome.risks
    return found.family.remedies(found.audit.method, risks, limit, found.data)


def _typed(again: Typed, name: str, words: str) -> str:
    """The command for another setting: further options, or the setting itself instead of those that make one."""
    if words.startswith("-") and not words.startswith(METHODS):
        return str(again.with_words(words))
    making = [flag for group in (CHOSEN, OF_TABLES) for each in group.options for flag in _flags(group, each)]
    method, _, rest = name.partition(":")
    bare = again.without("--methods", *making)
    if method != "disassociation":
        return str(bare.with_words(f"{METHODS}{quote(name)}"))
    given = [pair.partition("=") for pair in rest.split(",")]
    return str(bare.with_words(" ".join(_option(each, value) for each, _, value in given)))


def _flags(group: Group, name: str) -> list[str]:
    return group.flag(name).split("/")


def _option(name: str, value: str) -> str:
    """A parameter of disassociation as it stands in a setting, as an option."""
    yes, *no = _flags(CHOSEN, name)
    if value in ("yes", "no") and isinstance(CHOSEN.options[name].default, bool):
        return yes if value == "yes" else (no or [f"--no-{name.replace('_', '-')}"])[0]
    return f"{yes} {quote(value)}"


def _worst(found: AuditReport, outcome: Outcome) -> Figure | None:
    """The figure that is farthest beyond its limit."""
    k = int(outcome.parameters.get("k") or found.audit.method.k)
    every = figures(outcome, None, found.audit.limits, k)
    return max((each for each in every if each.mark == "x"), key=lambda each: each.times, default=None)


def _fewer_items(found: AuditReport, again: Typed) -> list[Step]:
    """Rare items tell most of a person."""
    least = getattr(found.audit.method, "min_item_support", None)
    told = any(risk.excess is not None and _fails(found, risk.threat) for risk in found.outcome.risks)
    if least is None or not told:
        return []
    more = max(2 * least, 4 * found.audit.method.k)
    return [
        Step(
            f"Suppress items of fewer than {more} people", str(again.with_words(f"--min-item-support {more}"))
        )
    ]


def _fails(found: AuditReport, threat: str) -> bool:
    return any(reason.risk is not None and reason.risk.threat == threat for reason in found.decision.reasons)


def _search(found: AuditReport, again: Typed) -> Step:
    """Look for a setting, with the limit that failed."""
    limits, method = found.audit.limits, str(found.outcome.parameters["method"])
    tails = any(risk.tails_beyond(limits.max_tail, limits.max_risk) for risk in found.outcome.risks)
    limit, words = (limits.max_tail, "--max-tail") if tails else (limits.max_risk, "--max-risk")
    search = again.without("--methods").for_command("tune", _options_of("tune"))
    named = "" if again.without("--methods") == again else f" --methods {quote(method)}"
    typed = search.with_words(f"{words} {limit:g}{named}")
    return Step(f"Search for settings within the limit of {100 * limit:g} %", str(typed))


def _options_of(command: str) -> dict[tuple[str, ...], bool]:
    """The options of a command: the ways to write each, and whether a value follows."""
    from typer.main import get_command

    from cloven.cli.app import app

    group = get_command(app)
    with group.make_context("cloven", [command], resilient_parsing=True) as context:
        found = group.get_command(context, command)  # type: ignore[attr-defined]
        with found.make_context(command, [], parent=context, resilient_parsing=True) as own:
            return options_in(own)


def _with_roles(again: Typed) -> list[Step]:
    """The table that others made stays theirs; its original can be anonymised here."""
    original, schema = again.value("--original"), again.value("--schema")
    if schema:
        made_here = Typed("audit", (original, "--schema", schema))
        return [Step("Anonymise the original here", str(made_here))]
    return [
        Step(
            "Propose what the columns are, and correct it",
            str(Typed("schema", (original, "-o", "schema.toml"))),
        ),
        Step("Audit again with it", str(again.with_words("--schema schema.toml"))),
    ]
