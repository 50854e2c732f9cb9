"""From figures to one verdict: publish; change these settings; use that method instead; do not publish.

The limit of risk is 1/k unless the owner sets another. The promise of k candidates allows one guess in k to be right;
an attacker who is right more often has taken something back. The upper end of the interval is compared, so that a risk
that could not be measured well does not pass for a small one. Where no attack was tried nothing is known of the risk,
and that is no reason to publish.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from cloven.errors import ParameterError
from cloven.model.counted import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.model.outcome import Outcome

Verdict = Literal["publish", "change settings", "use another method", "do not publish"]


@dataclass(frozen=True)
class Limits:
    """What the owner accepts.

    Attributes:
        max_risk: largest share of right guesses that any attacker may reach; None for 1/k.
        min_utility: least score of utility, from 0 to 1.
        measure: name of the measure that ``min_utility`` is about; empty for the headline of the family.
    """

    max_risk: float | None = None
    min_utility: float = 0.0
    measure: str = ""

    def __post_init__(self) -> None:
        for name, value in (("max_risk", self.max_risk), ("min_utility", self.min_utility)):
            if value is not None and not 0 <= value <= 1:
                message = f"{name} must lie between 0 and 1, such as 0.2 for 20 % (got {value})"
                raise ParameterError(message)

    def risk_at(self, k: int) -> float:
        """The limit of risk for a method that promises ``k`` candidates."""
        return 1 / k if self.max_risk is None else self.max_risk

    def faults(self, outcome: Outcome, k: int) -> tuple[str, ...]:
        """Why an outcome is not good enough, in sentences; none if it is."""
        limit = self.risk_at(k)
        out = [f"{risk.sentence} More than {_percent(limit)} is too much."
               for risk in outcome.risks if risk.exceeds(limit)]  # fmt: skip
        out += [
            f"An attacker ({risk.threat}) learns {counted(risk.broken, risk.broken_what)}, against the promise."
            for risk in outcome.risks
            if risk.counts and risk.broken
        ]
        score = outcome.utility.score(self.measure)
        if score < self.min_utility:
            name = outcome.utility.get(self.measure).name
            least = _percent(self.min_utility)
            out.append(f"Utility ({name}) is {_percent(score)}, less than the {least} that are wanted.")
        return tuple(out)


@dataclass(frozen=True)
class Decision:
    """The verdict of an audit.

    Attributes:
        verdict: one of four.
        sentence: the verdict in a sentence.
        reasons: what speaks against publishing as it is.
        better: names of tried settings that satisfy the limits, the most useful first.
        words: what to type to get the best of them; empty if there is none.
    """

    verdict: Verdict
    sentence: str
    reasons: tuple[str, ...] = ()
    better: tuple[str, ...] = ()
    words: str = ""

    def of_a_sample(self, noun: str = "record") -> Decision:
        """The same for a sample: every record (or row) has to be audited before anything is published."""
        more = f"This is about a sample; audit all {noun}s before you publish."
        return replace(self, sentence=f"{self.sentence} {more}")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()
        }


def decide(
    outcome: Outcome, limits: Limits, k: int, others: Mapping[str, tuple[Outcome, int]] | None = None
) -> Decision:
    """Judge one outcome beside others that were tried: words to get each -> (outcome, its k).

    Where the limit is 1/k, another setting has to keep the stricter one of both: what promises fewer candidates, or
    none, is not better for it.
    """
    reasons = limits.faults(outcome, k)
    if outcome.worst is None:
        unknown = "No attack that counts was tried, so nothing is known of what attackers reach."
        sentence = "Do not publish on this alone: no attack that counts was tried."
        return Decision("do not publish", sentence, (unknown, *reasons))
    if not reasons:
        left = ", ".join(risk.threat for risk in outcome.risks if risk.not_tried)
        more = f" Not tried: {left}." if left else ""
        return Decision("publish", f"Publish: no attack that was tried gets past the limits.{more}")
    good = {
        words: other
        for words, (other, its_k) in (others or {}).items()
        if other.worst is not None and not limits.faults(other, max(k, its_k))
    }
    if not good:
        return Decision(
            "do not publish",
            f"Do not publish this.{_none_holds(len(others or {}))} `cloven tune` searches for a setting.",
            reasons,
        )
    ranked = sorted(good, key=lambda words: -good[words].utility.score(limits.measure))
    best, words = good[ranked[0]], ranked[0]
    names = tuple(good[words].name for words in ranked)
    price = _price(outcome, best, limits)
    if best.family != outcome.family:
        return Decision(
            "use another method", f"Use {best.name} instead: it holds; {price}.", reasons, names, words
        )
    how = f"with {words} it" if words.startswith("-") else best.name
    return Decision("change settings", f"Change settings: {how} holds; {price}.", reasons, names, words)


def _none_holds(others: int) -> str:
    if others < 2:
        return " The other setting that was tried does not hold either." if others else ""
    return f" None of the {others} other settings that were tried holds."


def _price(outcome: Outcome, best: Outcome, limits: Limits) -> str:
    measure = outcome.utility.get(limits.measure).name
    before, after = outcome.utility.score(limits.measure), best.utility.score(limits.measure)
    if abs(after - before) < 0.0005:
        return f"{measure} stay at {_percent(before)}"
    return f"{measure} go from {_percent(before)} to {_percent(after)}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
