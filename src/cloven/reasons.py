"""What speaks against publishing: a sentence for the owner, what the public reads instead, and the risk it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cloven.model.audience import Said
from cloven.model.counted import counted

if TYPE_CHECKING:
    from cloven.model.audience import Audience
    from cloven.model.measured import Measured
    from cloven.model.risk import Risk, Tail


@dataclass(frozen=True)
class Reason:
    """One thing that speaks against publishing.

    Attributes:
        said: the sentence, for the owner and perhaps for the public.
        risk: what it rests on; its figures are in the sentence, so both are shown or neither. None without an attacker.
    """

    said: Said
    risk: Risk | None = None

    @property
    def audience(self) -> Audience:
        """Who may know that there is such a reason."""
        return self.said.audience

    def __str__(self) -> str:
        return str(self.said)


def too_often_right(risk: Risk, limit: float) -> Reason:
    """An attacker may be right more often than is accepted."""
    more = f"More than {percent(limit)} is too much."
    told = ""
    if risk.public is not None:
        named = f"An attacker ({risk.public.threat}) gets past the limit."
        told = f"{risk.public.sentence} {more}" if risk.public.sentence else named
    return Reason(Said(f"{risk.sentence} {more}", told), risk)


def too_many_told(risk: Risk, tail: Tail, limit: float) -> Reason:
    """Of too many people something is told as good as certainly."""
    knowing, of = f", knowing {tail.known}" if tail.known else "", "for" if tail.guesses else "of"
    sentence = (
        f"An attacker ({risk.threat}{knowing}): {tail.name} {of} {percent(tail.members.value)} of the people in a"
        f" release and {of} {percent(tail.outsiders.value)} of people outside it; that is up to"
        f" {100 * tail.excess.upper:.2f} % more, and more than {percent(limit)} is too much."
    )
    if tail.excess.value <= limit:
        sentence += " It may be chance; only more people would show it."
    return Reason(Said(sentence, "" if risk.public is None else sentence), risk)


def could_not_be_tried(risk: Risk) -> Reason:
    """What was not tried is not passed."""
    told = "" if risk.public is None else f"An attacker ({risk.public.threat}) could not be tried."
    return Reason(
        Said(f"An attacker ({risk.threat}) could not be tried, so it is not passed: {risk.not_tried}.", told),
        risk,
    )


def left_out(name: str, public: str) -> Reason:
    """An attacker who needs nothing but the release was not even tried; ``public`` is what the public may call it."""
    told = f"An attacker ({public}) was left out." if public else ""
    return Reason(Said(f"An attacker ({name}) was left out, so it is not passed.", told))


def doubtful(risk: Risk) -> Reason:
    """What an attack met speaks against publishing, whatever its figures are."""
    told = "" if risk.public is None else f"What an attacker ({risk.public.threat}) met is in doubt."
    return Reason(Said(risk.doubt, told), risk)


def against_the_promise(risk: Risk) -> Reason:
    """An attacker learns what the release promises to hide."""
    told = ""
    if risk.public is not None:
        named, what = risk.public.threat, risk.public.broken_what
        told = _learns(named, risk.broken, what) if what else f"An attacker ({named}) breaks the promise."
    return Reason(Said(_learns(risk.threat, risk.broken, risk.broken_what), told), risk)


def too_little_kept(measure: Measured, least: float) -> Reason:
    """Less is kept than is wanted."""
    score = percent(measure.score or 0.0)
    sentence = f"Utility ({measure.name}) is {score}, less than the {percent(least)} that are wanted."
    return Reason(Said(sentence, sentence if measure.audience == "public" else ""))


def nothing_tried() -> Reason:
    """No attack that counts was tried."""
    sentence = "No attack that counts was tried, so nothing is known of what attackers reach."
    return Reason(Said(sentence, sentence))


def percent(share: float) -> str:
    """A share in percent.

    >>> percent(0.2)
    '20.0 %'
    """
    return f"{100 * share:.1f} %"


def _learns(threat: str, number: int, what: str) -> str:
    return f"An attacker ({threat}) learns {counted(number, what)}, against the promise."
