"""A release is to be filed under a standard: what that forbids. It never allows what an audit does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cloven.disclosure.audience import Said
from cloven.disclosure.risk import ROUNDING
from cloven.errors import ParameterError
from cloven.figures import estimated, percent
from cloven.standards.identification import identification, least_k

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.disclosure.risk import Criterion, Risk
    from cloven.standards.context import Context, Judged
    from cloven.standards.identification import Identification
    from cloven.standards.standard import Standard


@dataclass(frozen=True)
class Claim:
    """A standard, and the context in which a release is held against it.

    >>> from cloven.standards.context import Context
    >>> from cloven.standards.standard import standard
    >>> claim = Claim(standard("ema"), Context("everybody", "research", "public", "us@clinic.example"))
    >>> claim.threshold, [str(fault)[:22] for fault in claim.faults((), k=5)]
    (0.09, ['k = 5 promises 20.0 %:'])
    """

    standard: Standard
    context: Context

    def __post_init__(self) -> None:
        asked, given = self.standard.threshold, self.context.threshold
        if asked is not None and given is not None and given > asked:
            message = (
                f"threshold {given:g} is larger than the {asked:g} of {self.standard.name};"
                " leave it out, or name a smaller one"
            )
            raise ParameterError(message)
        fixed, wanted = self.standard.judged, self.context.risk
        if fixed is not None and wanted not in (None, fixed):
            message = f"{self.standard.name} judges the {fixed} risk; leave risk = {wanted!r} out"
            raise ParameterError(message)

    @property
    def threshold(self) -> float | None:
        """Largest probability that a person is found: the context's, which is the stricter one, or the standard's."""
        return self.standard.threshold if self.context.threshold is None else self.context.threshold

    @property
    def judged(self) -> Judged:
        """Which risk is held against it; the maximum unless somebody may choose and does."""
        return self.standard.judged or self.context.risk or "maximum"

    @property
    def max_risk(self) -> float:
        """What any attacker may reach at most."""
        return 1.0 if self.threshold is None else self.threshold

    def out_of_reach(self, k: int) -> bool:
        """Whether no release with this k can meet it, whatever attackers reach."""
        promised = 1 / k > self.max_risk + ROUNDING
        return promised and self.judged == "maximum"

    def reached(self, found: Identification) -> float:
        """The figure that is held against the threshold."""
        return found.maximum if self.judged == "maximum" else found.mean

    def untried(self, risks: Sequence[Risk]) -> tuple[Criterion, ...]:
        """What attackers must be shown to fail at, and nobody whose figure counts has tried."""
        tried = {
            criterion
            for risk in risks
            if risk.counts and risk.judged is not None
            for criterion in risk.criteria
        }
        return tuple(each for each in self.standard.criteria if each not in tried)

    def faults(self, risks: Sequence[Risk], k: int) -> tuple[Said, ...]:
        """Why a release does not meet the standard, beside what speaks against it anyway; none if it does."""
        return (*self._above(identification(risks, k), k), *map(self._not_shown, self.untried(risks)))

    def _above(self, found: Identification, k: int) -> tuple[Said, ...]:
        if self.threshold is None:
            return (self._no_threshold(),) if self.standard.needs_threshold else ()
        limit = self.threshold + ROUNDING
        if self.out_of_reach(k):
            return (self._too_few(k),)
        if self.reached(found) <= limit:
            return ()
        asks = f"{self.standard.title} is held to {percent(self.threshold)}."
        if self.judged == "average" and found.average is not None:
            more = f"a person's record is found with {estimated(found.average)} on average"
        else:
            more = f"one person's record is found with {percent(self.reached(found))}"
        # A maximum is somebody's figure, and a mean may be over few people: the owner's alone.
        return (Said(f"An attacker ({found.threat or 'by the promise'}): {more}. {asks}"),)

    def _too_few(self, k: int) -> Said:
        threshold = self.max_risk
        promise = (
            f"k = {k} promises {percent(1 / k)}" if k > 1 else "the method promises no number of candidates"
        )
        sentence = (
            f"{promise}: {self.standard.title} is held to {percent(threshold)}, which needs"
            f" k = {least_k(threshold)} or more, whatever attackers reach."
        )
        return Said(sentence, sentence)

    def _no_threshold(self) -> Said:
        sentence = f"{self.standard.title} asks for a threshold of the risk, and none is named"
        return Said(
            f"{sentence}; write threshold = 0.09, or what you accept, into the context.", f"{sentence}."
        )

    def _not_shown(self, criterion: Criterion) -> Said:
        sentence = (
            f"{self.standard.title}: no attack that counts tried {criterion}, so it is not shown to fail"
        )
        return Said(f"{sentence}; a person has to do a risk analysis.", f"{sentence}.")
