"""How commands talk and show progress.

Results go to standard output, everything else to standard error. Bars appear only on a terminal. ``--json`` puts one
JSON object on standard output and nothing else. Names of items and files are untrusted text: what a terminal could
take for a command is escaped, and what it cannot show is written as an escape instead of failing.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cloven.errors import OutputError
from cloven.escapes import json_text, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO


def say(text: str = "") -> None:
    """Lines for people, on standard output."""
    _write_out("\n".join(visible(line) for line in text.split("\n")))


def warn(text: str) -> None:
    """One line of warning, on standard error."""
    complain(f"warning: {text}")


def complain(text: str) -> None:
    """One line on standard error; that nobody can read it is no reason to stop."""
    with suppress(OSError):
        _write(sys.stderr, visible(text))


def say_json(value: Any) -> None:
    """One JSON object on standard output."""
    # Escapes where the stream is not UTF-8: the text is valid JSON everywhere.
    _write_out(json_text(value, ascii_only=not _speaks_utf(sys.stdout)))


def tick() -> str:
    """A check mark where the stream can show one."""
    return _glyph("✓", "ok")


def dot() -> str:
    """What stands between the parts of a line."""
    return _glyph("·", "-")


@dataclass(frozen=True)
class Report:
    """Tells how far a command is, and may say lines on the way.

    Attributes:
        bar: the bar on standard error; None where nobody sees one.
        task: what the bar shows.
    """

    bar: Any = None
    task: Any = None

    def __call__(self, step: str, share: float) -> None:
        """What is done now, and the share of all that is done; the moment to stop if a request for it was lost."""
        for number in (signal.SIGINT, signal.SIGTERM):
            again = getattr(signal.getsignal(number), "again", None)
            if again is not None:
                again()
        if self.bar is not None:
            self.bar.update(self.task, description=step, total=1.0 if share > 0 else None, completed=share)

    def say(self, text: str) -> None:
        """Lines for people, above the bar."""
        if self.bar is not None:
            self.bar.stop()
        say(text)
        if self.bar is not None:
            self.bar.start()


@contextmanager
def progress(first: str) -> Iterator[Report]:
    """A bar on standard error; silent unless standard error is a terminal."""
    if not _is_terminal(sys.stderr):
        yield Report()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(elapsed_when_finished=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield Report(bar, bar.add_task(first, total=None))


def table(rows: Sequence[tuple[str, ...]], header: tuple[str, ...] | None = None) -> str:
    """Left-aligned columns, two spaces apart; the last column is free.

    >>> print(table([("a", "1"), ("long", "2")], ("name", "value")))
      name  value
      a     1
      long  2
    """
    lines = [header, *rows] if header else list(rows)
    widths = [max(len(row[i]) for row in lines) for i in range(len(lines[0]))]
    out = []
    for row in lines:
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        out.append(("  " + "  ".join([*cells, row[-1]])).rstrip())
    return "\n".join(out)


def _write_out(text: str) -> None:
    try:
        _write(sys.stdout, text)
    except BrokenPipeError:
        # The reader has gone, as in `| head`; the command goes on, and ends with the code it has earned.
        _send_nowhere(sys.stdout)
    except OSError as error:
        _send_nowhere(sys.stdout)
        message = f"standard output: cannot be written ({error.strerror or error})"
        raise OutputError(message) from error


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:  # closed by whoever started us
        return
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    stream.flush()


def _send_nowhere(stream: TextIO) -> None:
    """Let what is still buffered go to the null device, so that the interpreter can end in peace."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with suppress(OSError):
        os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _is_terminal(stream: TextIO | None) -> bool:
    return (
        stream is not None
        and stream.isatty()
        and os.environ.get("TERM", "").lower() not in {"dumb", "unknown"}
    )


def _speaks_utf(stream: TextIO | None) -> bool:
    return stream is None or (stream.encoding or "utf-8").lower().replace("-", "").startswith("utf")


def _glyph(wanted: str, plain: str) -> str:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        wanted.encode(encoding)
    except UnicodeEncodeError:
        return plain
    return wanted
