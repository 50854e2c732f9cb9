"""The extension points: one verb each. Anything with the right method fits; nothing needs to be inherited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from cloven.model.audience import Said
    from cloven.model.coverage import Coverage
    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Guesses, Questions
    from cloven.model.measured import Utility
    from cloven.model.risk import Risk
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
        """Figures of the data, with ``to_dict``."""
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

    def cautions(self, data: Any, method: Any, result: Any) -> Sequence[str | Said]:
        """What an owner should know before publishing, each with what to do; plain text is the owner's alone."""
        ...

    def shares_totals(self, method: Any) -> bool:
        """Whether totals over the rows may be public; not beside a promise that every further figure weakens."""
        ...

    def doubts(self, data: Any, method: Any, result: Any) -> tuple[Said, ...]:
        """What speaks against publishing, whatever attackers reach."""
        ...

    def remedies(self, method: Any, risks: tuple[Risk, ...], limit: float) -> Mapping[str, Any]:
        """Settings that may hold where this one does not: what to type -> the method.

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
