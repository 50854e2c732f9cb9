"""What one attacker reached against one release: the same shape for every family, so that tables and charts are one.

A threat of a kind makes it, the decision of an audit judges it, its document shows it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from cloven.disclosure.audience import Audience, Wording
from cloven.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

ROUNDING = 1e-9
"""Shares are means of fractions such as 1/6; what exceeds a limit by less is rounding."""
MAX_TAIL = 0.01
"""People of whom more is told as good as certainly than of outsiders, at most, unless the owner sets another limit."""
PROBABLY = 5.0
"""Of so many times as many people something may be told with 0.8 as may be told as good as certainly."""
NOTHING_GAINED = 0.05
"""Guesses that are right so little more often than by chance disclose nothing: what chance gets is no secret."""
NOTHING = "nothing to attack"
"""How it begins why an attack was not tried that had nothing to do."""
ESTIMATES = ("attacker", "guessing", "control", "outsiders", "population", "excess", "gain")
Linkage = Literal["record", "attribute", "table", "probabilistic"]
Criterion = Literal["singling out", "linkability", "inference"]
CRITERIA: Mapping[Linkage, tuple[Criterion, ...]] = {
    "record": ("singling out", "linkability"),
    "attribute": ("inference",),
    "table": ("linkability",),
    "probabilistic": ("inference",),
}
"""What a threat tries, as officers ask for it, unless it says so itself: who finds a person's record by what is known
of the person from elsewhere has singled it out, and has linked it."""


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval; the ends are None where there is none."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def upper(self) -> float:
        """The upper end, or the value where there is no interval."""
        return self.value if self.high is None else self.high

    def over(self, chance: float) -> Estimate:
        """How much more it is than what chance gets, where that is known exactly.

        >>> Estimate(0.5, 0.25, 0.75).over(0.25)
        Estimate(value=0.25, low=0.0, high=0.5)
        """
        ends = (None if end is None else end - chance for end in (self.low, self.high))
        return Estimate(self.value - chance, *ends)


def limit_of_told(max_risk: float, max_tail: float) -> float:
    """What being in a release may add to the people of whom something is told with 0.8.

    >>> limit_of_told(0.2, 0.01)
    0.05
    """
    return min(max_risk, PROBABLY * max_tail)


@dataclass(frozen=True)
class Tail:
    """Persons of whom so much is told that no mean may hide them.

    Attributes:
        name: what is told, in a few words.
        members: share of the people in the release.
        outsiders: share of the same people where they were left out.
        excess: the difference: what being in the release adds.
        known: what the attacker knows of them, in a few words.
        guesses: whether these are guesses that are right, which may be as many more as guesses may be right.
    """

    name: str
    members: Estimate
    outsiders: Estimate
    excess: Estimate
    known: str = ""
    guesses: bool = False

    def limit(self, max_tail: float, max_risk: float) -> float:
        """What is accepted of the difference."""
        return max_risk if self.guesses else max_tail

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Tail:
        """Back from plain values."""
        estimates = {name: Estimate(**plain[name]) for name in ("members", "outsiders", "excess")}
        return cls(
            plain["name"], **estimates, known=plain.get("known", ""), guesses=plain.get("guesses", False)
        )


@dataclass(frozen=True)
class Risk:
    """One threat, tried.

    Attributes:
        threat: a few words for tables.
        knows: what this attacker knows, in a sentence.
        linkage: what is linked to a person: a ``record``, an ``attribute``, the ``table`` (being in it at all), or
            nothing certain but a belief that changes (``probabilistic``).
        measure: what the figures are, in a sentence.
        attacker: what the attacker reaches; None if there was nothing to try.
        guessing: what drawing lots reaches.
        control: what the same attack reaches with its knowledge shuffled.
        outsiders: what the same attack reaches with people who are not in the release.
        population: what somebody reaches who knows the records of other people and has no release.
        excess: attacker less outsiders, of the same people; where it is known, it is what is judged.
        gain: attacker less guessing, of the same guesses.
        tails: persons of whom very much is told, judged apart from the mean.
        beats: whether it was shown (95 %) to do better than guessing and control; None if that was not tested.
        counts: whether it takes part in the verdict; knowledge beyond the promise is shown but does not.
        outside: whether it needs knowledge from elsewhere, such as word vectors; else it has to be tried before
            publishing.
        promised: whether the release promises k candidates to this attacker, so that one guess in k is a limit too.
        doubt: what speaks against publishing whatever the figures are, in a sentence; or an empty string.
        broken: statements about persons that this attacker can make though the release promises otherwise.
        broken_what: what these statements are, in a few words.
        count: how many guesses were judged.
        units: clusters, or groups of joined clusters, that they come from.
        sentence: the figures in plain words.
        meaning: what they mean, in a few words for tables.
        not_tried: why the attack was not tried, or an empty string.
        details: everything else that was measured, as plain JSON values; the owner's alone.
        public: what the public reads of it; None if the public is not even to know that there is such an attacker.
        single: where a person's record is looked for, the highest probability that the attacker had for one person.
        criteria: what it tries, as officers ask for it; by its linkage, unless the threat says so.
    """

    threat: str
    knows: str
    linkage: Linkage
    measure: str
    attacker: Estimate | None = None
    guessing: Estimate | None = None
    control: Estimate | None = None
    outsiders: Estimate | None = None
    population: Estimate | None = None
    excess: Estimate | None = None
    gain: Estimate | None = None
    tails: tuple[Tail, ...] = ()
    beats: bool | None = None
    counts: bool = True
    outside: bool = False
    promised: bool = False
    doubt: str = ""
    broken: int = 0
    broken_what: str = ""
    count: int = 0
    units: int = 0
    sentence: str = ""
    meaning: str = ""
    not_tried: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    public: Wording | None = None
    single: float | None = None
    criteria: tuple[Criterion, ...] = ()

    def __post_init__(self) -> None:
        if self.linkage not in get_args(Linkage):
            message = f"linkage must be one of {', '.join(get_args(Linkage))} (got {self.linkage!r})"
            raise ValueError(message)
        object.__setattr__(self, "criteria", tuple(self.criteria) or CRITERIA[self.linkage])

    @property
    def audience(self) -> Audience:
        """Who may know of it: the owner alone, unless there are words for the public."""
        return "owner" if self.public is None else "public"

    def saying(self, **words: Any) -> Risk:
        """The same with these words for the public (fields of ``Wording``), if the public may know of it at all.

        >>> Risk("a neighbour", "all", "record", "share").saying(sentence="A neighbour talks.").public is None
        True
        """
        return self if self.public is None else replace(self, public=replace(self.public, **words))

    @property
    def judged(self) -> Estimate | None:
        """What is compared with a limit: what being in the release adds, or else what the attacker reaches."""
        return self.attacker if self.excess is None else self.excess

    def exceeds(self, limit: float) -> bool:
        """Whether it takes part in the verdict and may lie above a limit: the upper end of the interval counts."""
        above = self.judged is not None and self.judged.upper > limit + ROUNDING
        return self.counts and above and not self.gains_nothing(limit)

    def gains_nothing(self, limit: float) -> bool:
        """Whether it was shown that chance is right about as often; a fixed limit would forbid chance itself.

        The gain is held to the limit too, where that is small. What was promised is never excused, nor what being in
        the release adds, which is no guess. Nor is a record that is found: chance finds one in all.
        """
        high = None if self.gain is None else self.gain.high
        excused = not self.promised and self.excess is None and self.linkage != "record"
        return excused and high is not None and high <= min(NOTHING_GAINED, limit) + ROUNDING

    def tails_beyond(self, max_tail: float, max_risk: float) -> tuple[Tail, ...]:
        """Tails that may be longer than is accepted, if it takes part in the verdict."""
        return tuple(
            tail
            for tail in self.tails
            if self.counts and tail.excess.upper > tail.limit(max_tail, max_risk) + ROUNDING
        )

    @property
    def missing(self) -> bool:
        """Whether it should have been tried and could not be."""
        left_out = bool(self.not_tried) and not self.not_tried.startswith(NOTHING)
        return self.counts and not self.outside and left_out

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        lists = {"tails": [asdict(tail) for tail in self.tails], "criteria": list(self.criteria)}
        return asdict(self) | lists

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Risk:
        """Back from plain values.

        >>> risk = Risk("method", "how it was cut", "attribute", "share of links", Estimate(0.1, 0.05, 0.2))
        >>> Risk.from_dict(risk.to_dict()) == risk
        True
        """
        try:
            estimates = {
                name: None if plain.get(name) is None else Estimate(**plain[name]) for name in ESTIMATES
            }
            tails = tuple(map(Tail.from_dict, plain["tails"]))
            words = plain.get("public")
            public = None if words is None else Wording(**words)
            return cls(**{**plain, **estimates, "tails": tails, "public": public})
        except (TypeError, KeyError, ValueError) as error:
            message = "a risk cannot be read back; audit again"
            raise InputError(message, value=str(error)) from error
