"""Every error that Cloven raises on purpose.

::

    ClovenError
    ├── InputError        a file or a frame is not what it should be (file, line and value are named)
    ├── ParameterError    a parameter cannot be met (says what could be)
    ├── ReleaseError      a release folder or JSON file cannot be read as one
    ├── GuaranteeError    a release does not keep its promise
    └── OutputError       a place cannot be written

A message says what is wrong, what was found, and what to do. It is one line, so that it can stand alone in a
terminal or a log. ``exit_code`` is what the command line ends with.
"""

from __future__ import annotations

from cloven.escapes import visible


class ClovenError(Exception):
    """Base of all errors of this package; whatever its message quotes, it is one line that a terminal can show."""

    exit_code = 1

    def __init__(self, message: str) -> None:
        """Escape what strangers may have put into names and values."""
        super().__init__(visible(message))


class InputError(ClovenError):
    """A file or a frame is not what it should be."""

    exit_code = 3

    def __init__(
        self, message: str, *, source: str | None = None, line: int | None = None, value: str | None = None
    ) -> None:
        """Build the one-line message ``source:line: message (got value)``."""
        self.source, self.line, self.value = source, line, value
        place = "" if source is None else f"{source}: " if line is None else f"{source}:{line}: "
        found = "" if value is None else f" (got {shorten(value)})"
        super().__init__(f"{place}{message}{found}")


class ParameterError(ClovenError):
    """A parameter cannot be met; the message says what could be."""

    exit_code = 2


class NothingLearnedError(ParameterError):
    """Documents teach nothing: no two of their words meet more often than by chance."""


class ReleaseError(ClovenError):
    """A release folder or file cannot be read as one."""

    exit_code = 3


class GuaranteeError(ClovenError):
    """A release does not keep its promise."""

    exit_code = 1


class OutputError(ClovenError):
    """A place cannot be written."""

    exit_code = 4


def shorten(value: str, limit: int = 60) -> str:
    r"""Quote a value on one line, cut to ``limit`` characters.

    >>> shorten("a\nb")
    "'a\\nb'"
    """
    quoted = repr(value)
    return quoted if len(quoted) <= limit else quoted[: limit - 4] + "...'"
