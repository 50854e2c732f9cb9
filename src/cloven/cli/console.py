"""What commands share: how to talk, how to show progress, how to end.

Results go to standard output, everything else to standard error. Bars appear only on a terminal. ``--json`` puts one
JSON object on standard output and nothing else.
"""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


def fail(message: str, code: int) -> NoReturn:
    """Print one line and end with a code."""
    one_line = " ".join(message.split())
    typer.echo(f"cloven: {one_line}", err=True)
    raise typer.Exit(code)


def say(text: str = "") -> None:
    """One line for people, on standard output."""
    typer.echo(text)


def warn(text: str) -> None:
    """One line of warning, on standard error."""
    typer.echo(f"warning: {text}", err=True)


def say_json(value: Any) -> None:
    """One JSON object on standard output."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def tick() -> str:
    """A check mark where the terminal can show one."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower()
    return "✓" if encoding.startswith("utf") else "ok"


@contextmanager
def progress(first: str) -> Iterator[Callable[[str, float], None]]:
    """A bar on standard error; gives ``report(step, share done)``. Silent when standard error is no terminal."""
    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(first, total=None)

        def report(step: str, share: float) -> None:
            bar.update(task, description=step, total=1.0 if share > 0 else None, completed=share)

        yield report


def percent(share: float, digits: int = 1) -> str:
    """A share as text.

    >>> percent(0.4567)
    '45.7 %'
    """
    return f"{100 * share:.{digits}f} %"


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
