"""From figures to one verdict: publish; change these settings; use that method instead; do not publish.

Means: no attacker may be right more often than one limit that is the same for every setting of a file (0.2 unless the
owner sets another; a limit of 1/k alone would let a small k pass where a large one fails). What chance gets is no
disclosure: guesses that are shown to be right at most 5 % more often than by chance pass, unless something was promised
about them. Attackers inside the promise may not do better than 1/k either. People: those of whom an item is told with
0.8 may be 5 % more among members than among people outside the release; those of whom one is told as good as certainly,
or by logic alone, 1 % more. Where the likeliest value of a table is guessed, members may be guessed rightly more often
by the limit of means. The upper ends of intervals are compared, so that what could not be measured well does not pass
for small. What should have been tried and could not be is not passed.

The loop asks ``decide`` at its end, with the other settings it compared (``Compared``).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from shlex import quote
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from cloven.disclosure.audience import Said
from cloven.disclosure.risk import MAX_TAIL, limit_of_told
from cloven.errors import ParameterError
from cloven.figures import counted, percent
from cloven.kinds.transactions import is_of_sets
from cloven.settings import setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from cloven.disclosure.audience import Audience
    from cloven.disclosure.outcome import Measured, Outcome
    from cloven.disclosure.risk import Risk, Tail
    from cloven.protocols import Anonymiser
    from cloven.standards.claim import Claim
    from cloven.storage.ledger_file import Note
    from cloven.threats import Knowledge, Threat
    from cloven.verification import Verdict as Checked


Verdict = Literal["publish", "change settings", "use another method", "do not publish"]
TUNE = " `cloven tune` searches for a setting."
BESIDE = "Do not publish this beside an earlier release of the same people."
SUBTRACTED = (
    "another release of sets about the same people was given: to subtract one from the other may give the record of"
    " whoever is in one alone, which is not measured yet; publish one of them only"
)
OVERRULED = "Do not publish this: an earlier audit of the very same release said no."
EMPTY = "Do not publish this: nothing is left in it that anybody could use."
MAX_RISK = 0.2
"""One guess in five: what five candidates promise, and statistical offices accept."""


@dataclass(frozen=True)
class Limits:
    """What the owner accepts.

    Attributes:
        max_risk: largest share of right guesses that any attacker may reach, or of people of whom more is told.
        min_utility: least score of utility, from 0 to 1.
        measure: name of the measure that ``min_utility`` is about; empty for the headline of the family.
        max_tail: largest share of people of whom something is told as good as certainly, beyond outsiders.
        claim: the standard that the release is to be filed under, which may forbid more and never allows more.
    """

    max_risk: float = MAX_RISK
    min_utility: float = 0.0
    measure: str = ""
    max_tail: float = MAX_TAIL
    claim: Claim | None = None

    def __post_init__(self) -> None:
        for name in ("max_risk", "min_utility", "max_tail"):
            if not 0 <= getattr(self, name) <= 1:
                message = f"{name} must lie between 0 and 1, such as 0.2 for 20 % (got {getattr(self, name)})"
                raise ParameterError(message)
        if self.claim is not None:
            object.__setattr__(self, "max_risk", min(self.max_risk, self.claim.max_risk))

    def limit_of(self, risk: Risk, k: int) -> float:
        """The limit of one attacker: who is promised k candidates may be right once in k at most.

        What being in a release adds is judged by people, not by guesses, so its limit goes with that of tails.
        """
        if risk.excess is not None:
            return limit_of_told(self.max_risk, self.max_tail)
        return min(self.max_risk, 1 / k) if risk.promised else self.max_risk

    def passed_at(self, risks: tuple[Risk, ...], k: int) -> str:
        """The first figure past a limit, or what breaks the promise or a standard, in a few words; empty if nothing."""
        if self.claim is not None and self.claim.out_of_reach(k):
            return f"k = {k} is too little for the standard"
        for risk in risks:
            if risk.judged is not None and risk.exceeds(self.limit_of(risk, k)):
                return f"{risk.threat}, up to {percent(risk.judged.upper)}"
            for tail in risk.tails_beyond(self.max_tail, self.max_risk):
                return f"{risk.threat}, {tail.name}, up to {percent(tail.excess.upper, 2)}"
            if risk.counts and risk.broken:
                return f"{risk.threat}, {counted(risk.broken, risk.broken_what)} against the promise"
            if risk.doubt:
                return f"{risk.threat}, in doubt"
        return ""

    def held_by(self, risk: Risk, k: int) -> bool | None:
        """Whether what was asked of people keeps to the limits, or is past one for sure; None if neither was shown."""
        judged = [(tail.excess, tail.limit(self.max_tail, self.max_risk)) for tail in risk.tails]
        judged += [] if risk.excess is None else [(risk.excess, self.limit_of(risk, k))]
        if not risk.counts or all(excess.upper <= limit for excess, limit in judged):
            return True
        return False if any((excess.low or 0.0) > limit for excess, limit in judged) else None

    def faults(self, outcome: Outcome, k: int, promised: int | None = None) -> tuple[Reason, ...]:
        """Why an outcome is not good enough; none if it is.

        ``k`` is what attackers inside the promise are held to, ``promised`` what the outcome itself promises, if less.
        """
        out = [
            too_often_right(risk, self.limit_of(risk, k))
            for risk in outcome.risks
            if risk.exceeds(self.limit_of(risk, k))
        ]
        out += [
            too_many_told(risk, tail, tail.limit(self.max_tail, self.max_risk))
            for risk in outcome.risks
            for tail in risk.tails_beyond(self.max_tail, self.max_risk)
        ]
        out += [against_the_promise(risk) for risk in outcome.risks if risk.counts and risk.broken]
        out += [could_not_be_tried(risk) for risk in outcome.risks if risk.missing]
        out += [doubtful(risk) for risk in outcome.risks if risk.doubt]
        out += [Reason(doubt) for doubt in outcome.doubts]
        out += [] if self.claim is None else map(Reason, self.claim.faults(outcome.risks, promised or k))
        if outcome.utility.score(self.measure) < self.min_utility:
            out.append(too_little_kept(outcome.utility.get(self.measure), self.min_utility))
        return tuple(out)


@dataclass(frozen=True)
class Decision:
    """The verdict of an audit. Its texts are the owner's; reasons say what of them the public may read.

    Attributes:
        verdict: one of four.
        sentence: the verdict in a sentence.
        reasons: what speaks against publishing as it is.
        better: names of tried settings that satisfy the limits, the most useful first.
        words: what to type to get the best of them; empty if there is none.
    """

    verdict: Verdict
    sentence: str
    reasons: tuple[Reason, ...] = ()
    better: tuple[str, ...] = ()
    words: str = ""

    def of_a_sample(self, noun: str = "record") -> Decision:
        """The same for a sample: every record (or row) has to be audited before anything is published."""
        more = f"This is about a sample; audit all {noun}s before you publish."
        reason = Reason(Said("Only a sample was audited, and no release was made of all."))
        return replace(
            self,
            verdict="do not publish",
            sentence=f"{self.sentence} {more}",
            reasons=(reason, *self.reasons),
            better=(),
            words="",
        )

    def made_elsewhere(self) -> Decision:
        """The same of a release that others made: no search of ours finds a setting of theirs."""
        return replace(self, sentence=self.sentence.removesuffix(TUNE))

    def beside(self, earlier: Sequence[str], uncovered: str = "") -> Decision:
        """The same where releases of the same people are known, and it is not known what they tell together.

        ``uncovered`` says what no figure speaks of.
        """
        if not earlier:
            return self
        reasons = (
            *(Reason(Said(f"{sentence[0].upper()}{sentence[1:]}.")) for sentence in earlier),
            *self.reasons,
        )
        sentence = f"{BESIDE} {uncovered}".strip()
        return replace(
            self, verdict="do not publish", sentence=sentence, reasons=reasons, better=(), words=""
        )

    def after(self, audits: Iterable[Note], note: Note, *, quick: bool) -> Decision:
        """The same after earlier audits of this very release: to ask other people does not undo that one said no.

        ``note`` is what the ledger would keep of this one; ``quick``, whether it asked fewer people than it could.
        """
        binding = [each for each in audits if each.binds(note)]
        if self.verdict != "publish" or not binding:
            return self
        earlier = binding[-1]
        more = ", or ask more people (leave out --quick)" if quick else ""
        reason = (
            f"An audit of {earlier.day} said of this very release: {earlier.verdict}. To ask other people, as with"
            f" another --seed, does not take that back; choose other settings{more}."
        )
        return replace(
            self, verdict="do not publish", sentence=OVERRULED, reasons=(Reason(Said(reason)), *self.reasons)
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, for the owner."""
        return {
            "verdict": self.verdict,
            "sentence": self.sentence,
            "reasons": [str(reason) for reason in self.reasons],
            "better": list(self.better),
            "words": self.words,
        }


def decide(
    outcome: Outcome,
    limits: Limits,
    k: int,
    others: Mapping[str, tuple[Outcome, int]] | None = None,
    not_covered: str = "",
    untried: Sequence[Threat] = (),
) -> Decision:
    """Judge one outcome beside others that were tried: words to get each -> (outcome, its k).

    Another setting has to keep the stricter 1/k of both: what promises fewer candidates is not better for it.
    ``not_covered`` says in one sentence what no figure here speaks of; ``untried`` are attackers who need nothing but
    the release and were not asked for.
    """
    missed = (left_out(each.name, each.public.threat if each.public else "") for each in untried)
    reasons = (*limits.faults(outcome, k), *missed)
    if outcome.worst is None:
        sentence = "Do not publish on this alone: no attack that counts was tried."
        return Decision("do not publish", sentence, (nothing_tried(), *reasons))
    if not reasons:
        return Decision("publish", f"Publish: {_rests_on(outcome, limits, k)} {not_covered}".strip())
    good = {
        words: other
        for words, (other, its_k) in (others or {}).items()
        if other.worst is not None and not untried and not limits.faults(other, max(k, its_k), its_k)
    }
    if not good:
        because = f" because of an attacker ({reasons[0].risk.threat})" if reasons[0].risk else ""
        return Decision(
            "do not publish",
            f"Do not publish this{because}.{_none_holds(len(others or {}))}{TUNE}",
            reasons,
        )
    ranked = sorted(good, key=lambda words: -good[words].utility.score(limits.measure))
    best, words = good[ranked[0]], ranked[0]
    names = tuple(good[words].name for words in ranked)
    cost = price(outcome, best, limits)
    if best.family != outcome.family:
        return Decision(
            "use another method", f"Use {best.name} instead: it holds; {cost}.", reasons, names, words
        )
    how = f"with {words} it" if words.startswith("-") else best.name
    return Decision("change settings", f"Change settings: {how} holds; {cost}.", reasons, names, words)


def not_covered(method: Anonymiser, knowledge: Knowledge) -> str:
    """What no figure of an audit speaks of, in one sentence."""
    m = getattr(method, "m", None)
    of_sets = bool(knowledge.releases) and any(map(is_of_sets, knowledge.releases))
    left = [
        *(["what words mean"] if knowledge.relatedness is None else []),
        *(["other releases about the same people"] if of_sets or not knowledge.releases else []),
        *([f"people of whom more than {max(2, m)} items are known"] if m else []),
    ]
    return f"Not covered: {', '.join(left)}." if left else ""


def _rests_on(outcome: Outcome, limits: Limits, k: int) -> str:
    """The attacker that gets furthest."""
    worst = outcome.worst
    if worst is None or worst.judged is None:
        return ""
    lots = ""
    if worst.gains_nothing(limits.limit_of(worst, k)) and worst.guessing is not None:
        lots = f", no gain over chance ({percent(worst.guessing.value)})"
    what = "is right in" if worst.excess is None else "is told more of members than of outsiders in"
    return (
        f"of all attackers that were tried, the furthest ({worst.threat}) {what} {percent(worst.judged.value)},"
        f" at most {percent(worst.judged.upper)}{lots}."
    )


def _none_holds(others: int) -> str:
    if others < 2:
        return " The other setting that was tried does not hold either." if others else ""
    return f" None of the {others} other settings that were tried holds."


def price(outcome: Outcome, best: Outcome, limits: Limits) -> str:
    """What another setting costs of utility, in words."""
    measure = outcome.utility.get(limits.measure).name
    before, after = outcome.utility.score(limits.measure), best.utility.score(limits.measure)
    if abs(after - before) < 0.0005:
        return f"{measure} stay at {percent(before)}"
    return f"{measure} go from {percent(before)} to {percent(after)}"


def subtracted(release: Any, knowledge: Knowledge) -> list[str]:
    """Why sets are not published beside other releases, unless these are the same; of tables an attack measures it."""
    return [SUBTRACTED] if any(is_of_sets(each) and each != release for each in knowledge.releases) else []


# What speaks against publishing: a sentence for the owner, what the public reads instead, and the risk it rests on.


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
        f" {percent(tail.excess.upper, 2)} more, and more than {percent(limit)} is too much."
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


def _learns(threat: str, number: int, what: str) -> str:
    return f"An attacker ({threat}) learns {counted(number, what)}, against the promise."


# Other settings beside the audited one: what came of each, or why it could not be made.


METHODS = "--methods "
"""What families begin words with that name another setting; only here it is known how settings are written."""


class Evaluated(NamedTuple):
    """What came of one method: release and key, what the checker said, and the figures."""

    result: Any
    verified: Checked
    outcome: Outcome


@dataclass
class Compared:
    """All that was compared.

    Attributes:
        evaluate: anonymises, verifies, attacks and measures with one method; stops attacking, if asked to, once one
            attack gets past the limits.
        made: what to type to get a setting -> what came of it, and its k.
        failed: name of a setting -> why nothing was made with it.
    """

    evaluate: Callable[[Anonymiser, bool], Evaluated]
    made: dict[str, tuple[Outcome, int]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def attempt(self, words: str, method: Anonymiser, *, stop: bool = False) -> None:
        """Try one more setting, once; one that cannot be met for this data is told, and stops nothing."""
        name = setting(method)
        if name in self.failed or any(outcome.name == name for outcome, _ in self.made.values()):
            return
        typed = f"{METHODS}{quote(name)}" if words.startswith(METHODS) else words
        try:
            self.made[typed] = self.evaluate(method, stop).outcome, method.k
        except ParameterError as error:
            self.failed[name] = str(error)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What came of those that were made."""
        return tuple(outcome for outcome, _ in self.made.values())
