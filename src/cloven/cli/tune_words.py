"""What a search found, in lines that an owner understands."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from cloven._version import __version__
from cloven.cli.console import dot, many, percent, say, table, warn
from cloven.cli.tune_picture import picture

if TYPE_CHECKING:
    from cloven.audit_report import AuditReport
    from cloven.tuning import Tuned
    from cloven.tuning.trial import Trial

MOST_ROWS = 12


def tell(tuned: Tuned, found: AuditReport | None, records: int) -> None:
    """All lines of a search, up to where its files are."""
    for line in _heading(tuned, records):
        say(line)
    holds = found is not None and found.decision.verdict == "publish"
    name = found.outcome.name if found and holds else None
    say("\n" + picture(tuned, name))
    say(table(_rows(tuned, name), ("setting", "worst risk", "broken", tuned.score_words, "")) + "\n")
    say(tuned.sentence)
    say(tuned.comparison)
    if found is None and tuned.satisfied:
        say(
            "Measured again in full, none of them holds: the best of many is often lucky. Nothing was written."
        )
    elif found is None:
        say("Nothing was written: accept more risk or less utility, vary more, or try more settings.")
    elif not holds:
        say(
            f"Audited in full, {found.outcome.name} holds by itself. {found.decision.sentence} Nothing was written."
        )
        for reason in found.decision.reasons:
            warn(str(reason))
    else:
        worst = found.outcome.worst
        said = "" if worst is None else f" {worst.sentence}"
        say(f"Audited in full, {found.outcome.name} holds.{said}")
        for caution in found.cautions:
            warn(str(caution))


def _heading(tuned: Tuned, records: int) -> list[str]:
    states = [trial.state for trial in tuned.trials]
    noun = next((trial.outcome.noun for trial in tuned.trials if trial.outcome), "record")
    on = (
        f"all {many(records, noun)}"
        if tuned.records == records
        else f"a sample of {many(tuned.records, noun)}"
    )
    parts = [f"{many(states.count('finished'), 'setting')} measured on {on}"]
    if states.count("pruned"):
        parts.append(f"{states.count('pruned')} given up on {tuned.sample_records:,} of them")
    if states.count("impossible"):
        parts.append(f"{states.count('impossible')} impossible")
    if tuned.exhausted:
        parts.append("nothing else to try")
    lines = [f" {dot()} ".join((f"cloven {__version__}", *parts))]
    for one in tuned.space:
        lines += wrap(f"{one.name}: {one.words()}", 116, initial_indent="  ", subsequent_indent="    ")
    return lines


def _rows(tuned: Tuned, audited: str | None) -> list[tuple[str, ...]]:
    """The front, with the default and the chosen setting, by rising risk."""
    shown = list({tuned.point(trial): trial for trial in reversed(tuned.front)}.values())[
        ::-1
    ]  # of equal ones, one
    if len(shown) > MOST_ROWS:  # evenly over the front
        last = len(shown) - 1
        shown = [shown[here * last // (MOST_ROWS - 1)] for here in range(MOST_ROWS)]
    extra = [trial for trial in tuned.finished if trial.name in (tuned.default_name, audited)]
    every = {trial.name: trial for trial in (*shown, *extra)}
    ranked = sorted(every.values(), key=lambda trial: (tuned.point(trial).risk, -tuned.point(trial).utility))
    return [_row(tuned, trial, audited) for trial in ranked]


def _row(tuned: Tuned, trial: Trial, audited: str | None) -> tuple[str, ...]:
    outcome = trial.outcome
    if outcome is None:
        raise ValueError(trial.name)
    marks = {
        "chosen": trial.name == audited,
        "default": trial.name == tuned.default_name,
        "not on the front": trial not in tuned.front,
    }
    return (
        trial.name if len(tuned.space) > 1 else trial.name.partition(":")[2],
        _risk(tuned, trial),
        f"{outcome.broken:,}" if outcome.broken else "-",
        percent(tuned.point(trial).utility),
        ", ".join(word for word, true in marks.items() if true),
    )


def _risk(tuned: Tuned, trial: Trial) -> str:
    """The worst attack with its interval; the objective alone where it is something else."""
    worst = None if trial.outcome is None else trial.outcome.worst
    if tuned.tune.objective.name != "worst" or worst is None or worst.judged is None:
        return percent(tuned.point(trial).risk)
    low, high = worst.judged.low, worst.judged.high
    ends = "" if low is None or high is None else f" [{100 * low:.1f} - {100 * high:.1f}]"
    return f"{percent(worst.judged.value)}{ends}"
