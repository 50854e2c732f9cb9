"""What an audit found, in words: its answer first, and every figure behind ``--verbose``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.audit.decision import not_covered
from cloven.audit.public_document import FEWEST
from cloven.cli.answer import Answer
from cloven.cli.console import dot, say, table, tick, warn
from cloven.cli.next_steps import steps_after
from cloven.cli.risk_lines import figures, use
from cloven.disclosure.risk import Estimate, limit_of_told
from cloven.escapes import names, visible
from cloven.figures import estimated, many, mean, on_scale, percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from cloven.audit.report import AuditReport
    from cloven.cli.typed import Typed
    from cloven.data.table import Table
    from cloven.data.transactions import Transactions

Plain = dict[str, Any]
THREATS = ("threat", "attacker", "units", "guessing", "shuffled", "lift", "what it means")
PERSONS = ("told of", "members", "outsiders", "being in it adds", "accepted", "people", "what it means")
UTILITY = ("measure", "kept", "what it means")


def answer_of(found: AuditReport, typed: Typed, out: Path, where: Plain, seconds: float) -> Answer:
    """The answer of an audit; ``out`` and ``where`` say where it was written, ``seconds`` what it took."""
    publish = found.decision.verdict == "publish"
    limits, k = found.audit.limits, found.audit.method.k
    return Answer(
        publish,
        _about(found, seconds),
        figures(found.outcome, found.decision, limits, k),
        use(found.outcome.utility),
        not_covered(found.audit.method, found.audit.knowledge),
        [str(each) for each in found.cautions] if publish else [],
        steps_after(found, typed, out, out / "published"),
        _places(found, where, publish=publish),
    )


def _about(found: AuditReport, seconds: float) -> tuple[str, ...]:
    size = many(len(found.data), found.data.noun)
    people = f"a sample of {size} of {found.records_in_all:,}" if found.sampled else size
    return visible(found.audit.title) or "data", people, in_words(found.outcome.name), f"{seconds:.0f} s"


def _places(found: AuditReport, where: Plain, *, publish: bool) -> list[tuple[str, str]]:
    """What lies where; the shareable summary only where it has figures."""
    places = [("Internal report (do not share)", f"{where['private']}/report.html")]
    if found.outcome.groups >= FEWEST:
        places.append(("Shareable summary", where["report"]))
    if where["filing"]:
        places.append(("Compliance record (to sign)", where["filing"]))
    if where["published"]:
        places.append(
            ("Release (to publish)" if publish else "Release (not for publication)", where["published"])
        )
    return places


def in_words(setting: str) -> str:
    """A setting for people.

    >>> in_words("disassociation:k=5,m=2"), in_words("plain")
    ('disassociation k=5, m=2', 'plain')
    """
    name, _, rest = setting.partition(":")
    return f"{name} {rest.replace(',', ', ')}".strip()


def opening(title: str, described: Any, data: Transactions | Table, reasons: Sequence[str]) -> str:
    """The first lines: what is audited, and why so; what is ``described`` may be a sample of the data."""
    from cloven._version import __version__

    parts = [f"cloven {__version__}", visible(title) or "data", *described.words()]
    if len(data) != described.records:
        parts.insert(2, f"a sample of {many(len(data), data.noun)}")
    return "\n".join([f" {dot()} ".join(parts), *(f"  {reason}" for reason in reasons)])


def tell(found: Plain, made: str, step: str = "anonymised") -> None:
    """What was found, up to where the files are; ``made`` says what the release is made of, ``step`` how it was got."""
    say(table([(what, text, f"{spent:.1f} s") for what, text, spent in _steps(found, made, step)]) + "\n")
    tried = [risk for risk in found["risks"] if not risk["not_tried"]]
    persons = [row for risk in tried for row in _told(risk, found["limits"])]
    if persons:
        say(table(persons, PERSONS) + "\n")
    rows = [_threat(risk) for risk in tried if not risk["excess"]]
    if rows:
        say(table(rows, THREATS) + "\n")
    for risk in found["risks"]:
        if risk["not_tried"]:
            say(f"{risk['threat']}: not tried, {risk['not_tried']}")
    say(table([_measure(each) for each in found["utility"]["measures"]], UTILITY) + "\n")
    if found["utility"]["sentence"]:
        say(f"what can be done with it  {found['utility']['sentence']}\n")
    if len(found["outcomes"]) > 1:
        say(table(*_compared(found["outcomes"])) + "\n")
    for each in found["failed"]:
        say(f"{visible(each['name'])}: not compared, {visible(each['reason'])}")
    _tell_cautions(found)
    tell_verdict(found["decision"])


def _steps(found: Plain, made: str, step: str) -> list[tuple[str, str, float]]:
    seconds: Mapping[str, float] = found["seconds"]
    attacks = [step for step in seconds if step.startswith("attack (")]
    tried = [risk["threat"] for risk in found["risks"] if not risk["not_tried"]]
    checks = found["verification"]
    return [
        (f"{tick()} {step}", f"{_in_words(found)}: {made}", seconds["anonymise"]),
        (
            f"{tick()} verified",
            f"{len(checks['checks'])} checks at {checks['level']} level",
            seconds["verify"],
        ),
        (
            f"{tick()} attacked",
            ", ".join(tried) or "no attack was tried",
            sum(seconds[each] for each in attacks),
        ),
        (
            f"{tick()} measured",
            f"{len(found['utility']['measures'])} measures of utility",
            seconds["measure"],
        ),
    ]


def _in_words(found: Plain) -> str:
    name, _, rest = found["setting"].partition(":")
    return f"{name}  {rest.replace(',', ' ')}"


def _told(risk: Plain, limits: Plain) -> list[tuple[str, ...]]:
    """What is told of members beside outsiders: the headline, and a line for each tail."""
    people, means = f"{risk['units']:,}", risk["meaning"]
    if risk["population"]:
        means = f"{means}; {percent(risk['population']['value'])} without a release"
    first = []
    if risk["excess"]:
        most = limit_of_told(limits["max_risk"], limits["max_tail"])
        first = [(risk["threat"], *_beside(risk["attacker"], risk, most), people, means)]
    before = "  " if first else f"{risk['threat']}: "
    tails = [
        (
            f"{before}{tail['name']}",
            *_beside(tail["members"], tail, _accepted(tail, limits)),
            "",
            _meant(tail),
        )
        for tail in risk["tails"]
    ]
    return [*first, *tails]


def _accepted(tail: Plain, limits: Plain) -> float:
    """What is accepted of a tail: of guesses as much as of any attacker, of what is told hardly anything."""
    return float(limits["max_risk" if tail["guesses"] else "max_tail"])


def _broken(outcome: Plain) -> str:
    """Statements that break the promise; unknown where attacks were left out because one got past the limits."""
    left_out = any(risk["counts"] and risk["not_tried"] for risk in outcome.get("risks", ()))
    return "-" if left_out and not outcome["broken"] else f"{outcome['broken']:,}"


def _meant(tail: Plain) -> str:
    means = {"told at 0.95": "at 0.95 or more: as good as certain", "certain": "it follows by logic"}
    return "; ".join(filter(None, (means.get(tail["name"]), tail["known"] and f"{tail['known']} known")))


def _beside(members: Plain, sides: Plain, limit: float) -> tuple[str, ...]:
    return (
        percent(members["value"]),
        percent(sides["outsiders"]["value"]),
        _interval(sides["excess"]),
        percent(limit),
    )


def _threat(risk: Plain) -> tuple[str, ...]:
    attacker, guessing, control = risk["attacker"], risk["guessing"], risk["control"]
    # Any known item helps to find a record, so guessing is no yardstick there; the original is.
    compared = risk["linkage"] != "record" and guessing and guessing["value"]
    lift = attacker["value"] / guessing["value"] if compared else None
    return (
        risk["threat"],
        _interval(attacker),
        f"{risk['units']:,}" if risk["units"] and attacker["low"] is not None else "-",
        "-" if guessing is None else percent(guessing["value"]),
        "-" if control is None else percent(control["value"]),
        "-" if lift is None else f"{lift:.1f}x",
        risk["meaning"],
    )


def _interval(estimate: Plain) -> str:
    return estimated(Estimate(estimate["value"], estimate["low"], estimate["high"]))


def _measure(measure: Plain) -> tuple[str, str, str]:
    if measure["value"] is None:
        return measure["name"], "-", measure["sentence"]
    scaled = on_scale(measure)
    raw = "" if measure["best"] == 1.0 else f" ({mean(measure['value'], measure['low'], measure['high'])})"
    shown = estimated(Estimate(scaled["score"], scaled["low"], scaled["high"]))
    return measure["name"], shown, measure["sentence"] + raw


def _compared(outcomes: list[Plain]) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    """Rows and header of the comparison."""
    rows: list[tuple[str, ...]] = [
        (
            str(each["name"]),
            "-" if each["risk"] is None else percent(each["risk"]),
            "-" if each["tail"] is None else percent(each["tail"]),
            _broken(each),
            percent(each["utility"]),
            " ".join(word for word, said in (("audited", each["main"]), ("front", each["front"])) if said)
            or (f"given up: {each['given_up']}" if each["given_up"] else ""),
        )
        for each in outcomes
    ]
    return rows, ("setting", "worst risk, at most", "longest tail", "broken", "utility", "")


def _tell_cautions(found: Plain) -> None:
    for caution in found["cautions"]:
        warn(caution)
    rare = found["data"].get("rare_item_names", [])
    if found["counts"].get("rare_items_published") and rare:
        more = ", ..." if len(rare) > 8 else ""
        say(f"published though held by fewer than k = {found['data']['k']}: {names(rare[:8])}{more}\n")


def tell_verdict(decision: Plain) -> None:
    """The reasons, and the verdict they lead to."""
    for reason in decision["reasons"]:
        say(f"  - {reason}")
    say(f"verdict: {decision['sentence']}")
    if decision["words"].startswith("-"):
        say(f"         give the same command with {decision['words']}")
