"""The extension points: one verb each. Anything with the right method fits; nothing needs to be inherited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from cloven.disclosure.audience import Said
    from cloven.disclosure.outcome import Utility
    from cloven.disclosure.risk import Risk
    from cloven.kinds.disassociated.guesses import Guesses, Questions
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.threats import Effort, Knowledge, Threat


@runtime_checkable
class Anonymiser(Protocol):
    """Turns data into a release for the world and a key for the owner. Parameters are fields."""

    @property
    def k(self) -> int:
        """Least number of candidates for whoever knows what is assumed: ``m`` items, or quasi-identifiers."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Method and parameters as plain JSON values; all of them may be published."""
        ...

    def anonymise(self, data: Any, progress: Callable[[str, float], None] | None = None) -> Any:
        """Anonymise; ``progress(step, share done)`` is called along the way. Gives ``release`` and ``key``."""
        ...


class Family(Protocol):
    """All that an audit knows of one kind of release; what is data, result and method is the family's own."""

    @property
    def name(self) -> str:
        """One word; methods name their family by it."""
        ...

    def describe(self, data: Any, method: Any, rng: np.random.Generator) -> Any:
        """Figures of the data, with ``to_dict``, ``records`` and ``words``."""
        ...

    def fingerprint(self, data: Any) -> str:
        """SHA-256 of the data, the same on every machine."""
        ...

    def verify(self, data: Any, result: Any) -> Any:
        """Check a release with all that is known; a ``Verdict``."""
        ...

    def threats(self, method: Any, knowledge: Knowledge) -> tuple[Threat, ...]:
        """Every attacker that there is something to try with."""
        ...

    def utility(self, data: Any, result: Any, effort: Effort, rng: np.random.Generator) -> Utility:
        """What is kept of the data."""
        ...

    def published(self, release: Any) -> Mapping[str, int | float]:
        """Counts that anybody can read off the release."""
        ...

    def counts(self, data: Any, result: Any) -> Mapping[str, int | float]:
        """Counts that only the owner knows."""
        ...

    def sizes(self, release: Any) -> list[int]:
        """Size of every group of records that hides its members among each other."""
        ...

    def cautions(self, data: Any, method: Any, result: Any, figures: Any = None) -> Sequence[str | Said]:
        """What an owner should know before publishing, each with what to do; plain text is the owner's alone.

        ``figures`` are those of ``summary`` of the room's words, where they were counted before.
        """
        ...

    def made(self, published: Mapping[str, int | float]) -> str:
        """What a release with these published counts is made of, in words."""
        ...

    def shares_totals(self, method: Any) -> bool:
        """Whether totals over the rows may be public; not beside a promise that every further figure weakens."""
        ...

    def doubts(self, data: Any, method: Any, result: Any) -> tuple[Said, ...]:
        """What speaks against publishing, whatever attackers reach."""
        ...

    def remedies(
        self, method: Any, risks: tuple[Risk, ...], limit: float, data: Any = None
    ) -> Mapping[str, Any]:
        """Settings that may hold where this one does not, and that the data allow: what to type -> the method.

        After ``--methods`` an audit writes the setting in words, whatever else stands there. What to type is the
        owner's; the public reads the name of the setting, with published parameters only.
        """
        ...

    def write(self, result: Any, public: Path, private: Path, original: Any) -> str:
        """Write a release that was verified, and the owner's key, to two new folders; gives the manifest's SHA-256."""
        ...

    def read(self, public: Path, private: Path) -> Any:
        """Read back what ``write`` wrote."""
        ...

    def told_of_everybody(self, data: Any, release: Any, m: int | None, sensitive: Collection[str]) -> Any:
        """What each reader tells of every person, and how often its claims are right; see ``kinds.people``."""
        ...


class Related(Protocol):
    """How related the items of one vocabulary are. Items are named by their position in it."""

    @property
    def coverage(self) -> Coverage:
        """How the items were found, and which have no score."""
        ...

    def block(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        """Relatedness of every left item to every right one: higher is more related, NaN means no score."""
        ...


@runtime_checkable
class Relatedness(Protocol):
    """Knows how related words are. Parameters are fields, so that its ``repr`` says what was used."""

    @property
    def name(self) -> str:
        """One word for tables."""
        ...

    def relate(self, items: Sequence[str]) -> Related:
        """Look the items up once, for all questions about them."""
        ...


class Counted(Protocol):
    """Documents counted for the items of one vocabulary, named by their position in it."""

    @property
    def source(self) -> str:
        """What was counted, in words."""
        ...

    @property
    def date(self) -> str:
        """When it was counted (ISO date), or an empty string."""
        ...

    @property
    def documents(self) -> int:
        """Number of all documents."""
        ...

    @property
    def single(self) -> NDArray[np.int64]:
        """Documents that hold each item; 0 where it was not found."""
        ...

    def together(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
        """Documents that hold both, for every left and every right item; -1 where the source does not know."""
        ...


class CountSource(Protocol):
    """Counts documents: an index, a file of counts, a search engine."""

    def count(self, items: Sequence[str]) -> Counted:
        """Look the items up once, for all questions about them."""
        ...


@runtime_checkable
class Attack(Protocol):
    """Answers the questions that a release leaves open. It sees nothing but the release."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Name and parameters as plain JSON values."""
        ...

    def guess(
        self,
        release: Disassociated,
        rng: np.random.Generator | None = None,
        progress: Callable[[str, float], None] | None = None,
        *,
        asked: Questions | None = None,
    ) -> Guesses:
        """Guess; ``rng`` is for attacks that draw lots, and comes from the operating system if it is not given.

        ``asked`` are the questions to answer, all of them and no others; left out, all that the release leaves open.
        What is answered about a target does not depend on which others are asked about.
        """
        ...


# What may be varied in a search for good settings: each method declares the ranges of its own parameters.


@dataclass(frozen=True)
class Choice:
    """One of several values."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class Whole:
    """A whole number between two ends, both included; on a logarithmic scale if ``log``."""

    low: int
    high: int
    log: bool = False


@dataclass(frozen=True)
class Real:
    """A number between two ends; on a logarithmic scale if ``log``."""

    low: float
    high: float
    log: bool = False


Dimension = Choice | Whole | Real


# How much of a vocabulary a measure of relatedness knows.


@dataclass(frozen=True)
class Coverage:
    """How the items of a vocabulary were found.

    Attributes:
        rungs: how many items each way of looking them up served, the most direct way first.
        unknown: items that have no score, in the order of the vocabulary.

    >>> Coverage({"exact": 3, "lemma": 1}, ("zzyzx",)).share
    0.8
    """

    rungs: Mapping[str, int]
    unknown: tuple[str, ...] = ()

    @property
    def known(self) -> int:
        """Items that have scores."""
        return sum(self.rungs.values())

    @property
    def items(self) -> int:
        """All items asked for."""
        return self.known + len(self.unknown)

    @property
    def share(self) -> float:
        """Known items among all; 1 for an empty vocabulary."""
        return self.known / self.items if self.items else 1.0

    def to_dict(self) -> dict[str, Any]:
        """Counts as plain JSON values; the unknown items are counted, not named."""
        return {"items": self.items, "rungs": dict(self.rungs), "unknown": len(self.unknown)}
