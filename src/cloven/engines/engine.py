"""What an engine does: five verbs, the same on every one.

Whatever engine made it, a release of the same data by the same method with the same ``block_records`` has the same
content: tests run the same laws on all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from cloven.errors import ParameterError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from cloven.verification.verdict import Verdict


@runtime_checkable
class Engine(Protocol):
    """Reads data, anonymises it, writes the release and the key, and verifies what lies on disk."""

    def read(self, source: Any, **how: Any) -> Any:
        """Data of this engine from a path or a frame; columns are named as in ``cloven.read``."""
        ...

    def anonymise(self, method: Any, data: Any, progress: Callable[[str, float], None] | None = None) -> Any:
        """What ``write`` takes; an engine may leave the work to it. What it cannot do is refused here."""
        ...

    def write(self, result: Any, out: str | os.PathLike[str]) -> None:
        """Verify a release and write it to ``out`` and its key to ``out.private``, both or neither."""
        ...

    def verify(
        self,
        path: str | os.PathLike[str],
        *,
        original: Any = None,
        private: str | os.PathLike[str] | None = None,
    ) -> Verdict:
        """Verify a release as it lies on disk, with original and private folder if they are given."""
        ...

    def opened(self, method: Any, data: Any, scratch: Path) -> AbstractContextManager[Any]:
        """The records of the data, while an audit of this method looks at them; ``scratch`` is a folder to work in."""
        ...


@dataclass(frozen=True)
class Planned:
    """A release that will be made when it is written.

    Attributes:
        method: makes it.
        data: as the engine reads it.
        report: is told of each step.
    """

    method: Any
    data: Any
    report: Callable[[str, float], None]


def expect_sizes(**sizes: Any) -> None:
    """Refuse sizes of parts that are none."""
    for name, value in sizes.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            message = f"{name} must be a whole number of at least 1, got {value!r}"
            raise ParameterError(message)
