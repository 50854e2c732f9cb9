"""The extension points: one verb each. Anything with the right method fits; nothing needs to be inherited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
