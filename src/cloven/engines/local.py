"""The engine that needs nothing else: all in the memory of one machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from cloven.verification.verdict import Verdict


@dataclass(frozen=True)
class Local:
    """The words of ``cloven`` itself: ``read``, ``anonymise`` of a method, ``write_release``, ``verify_folder``.

    >>> import cloven as cv
    >>> engine, data = Local(), cv.sample("clinic")
    >>> engine.anonymise(cv.Disassociation(), data) == cv.Disassociation().anonymise(data)
    True
    """

    def read(self, source: Any, **how: Any) -> Any:
        """Sets of items from a file or a frame."""
        import os

        from cloven.reading import read
        from cloven.reading.arrow import from_frame

        return read(source, **how) if isinstance(source, str | os.PathLike) else from_frame(source, **how)

    def anonymise(self, method: Any, data: Any, progress: Callable[[str, float], None] | None = None) -> Any:
        """Release and key."""
        return method.anonymise(data, progress)

    def write(self, result: Any, out: str | os.PathLike[str]) -> None:
        """Check a release, then write it and its key."""
        from cloven.storage.release import write_release

        write_release(result, out)

    def verify(
        self,
        path: str | os.PathLike[str],
        *,
        original: Any = None,
        private: str | os.PathLike[str] | None = None,
    ) -> Verdict:
        """Verify a release folder or JSON file."""
        from cloven.storage.inspection import verify_folder

        return verify_folder(path, original=original, private=private)
