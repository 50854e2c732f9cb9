"""The extension points: one verb each. Anything with the right method fits; nothing needs to be inherited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from cloven.model.coverage import Coverage
    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Guesses
    from cloven.model.key import Anonymised
    from cloven.model.transactions import Transactions


@runtime_checkable
class Anonymiser(Protocol):
    """Turns data into a release for the world and a key for the owner. Parameters are fields."""

    @property
    def k(self) -> int:
        """Least number of candidates for whoever knows ``m`` items."""
        ...

    @property
    def m(self) -> int:
        """How many items the assumed attacker knows."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Method and parameters as plain JSON values; all of them may be published."""
        ...

    def anonymise(
        self, data: Transactions, progress: Callable[[str, float], None] | None = None
    ) -> Anonymised:
        """Anonymise; ``progress(step, share done)`` is called along the way."""
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
    ) -> Guesses:
        """Guess; ``rng`` is for attacks that draw lots, and comes from the operating system if it is not given."""
        ...
