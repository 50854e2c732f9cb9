"""Options that take a number with a decimal point, checked as ``values.whole`` checks whole ones."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any

import typer

from cloven.cli.values import Value


def number(least: float = -inf, most: float = inf, *, above: bool = False) -> Value:
    """A finite number from ``least`` to ``most``; ``above`` leaves ``least`` itself out.

    >>> number(0, 1).parse("0.25")
    0.25
    """

    def parse(given: Any) -> float:
        try:
            value = float(str(given))
        except ValueError:
            value = inf
        if isfinite(value) and least <= value <= most and not (above and value == least):
            return value
        message = f"must be a number{_range(least, most, above=above)}, got {str(given)!r}"
        raise typer.BadParameter(message)

    return Value(float, "X", parse)


def _range(least: float, most: float, *, above: bool) -> str:
    low = "" if least == -inf else f" above {least:g}" if above else f" of at least {least:g}"
    high = "" if most == inf else f" {'and ' if low else ''}of at most {most:g}"
    return low + high
