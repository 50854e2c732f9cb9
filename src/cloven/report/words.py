"""Figures and names as people say them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NOTHING = "\u2013"
"""Stands where there is no figure."""


def percent(share: float | None) -> str:
    """A share in percent; small ones with one more digit.

    >>> percent(0.412), percent(0.0004), percent(0.0)
    ('41.2 %', '0.04 %', '0.0 %')
    """
    return NOTHING if share is None else f"{100 * share:.{_digits(share)}f} %"


def interval(share: float, low: float | None, high: float | None) -> str:
    """The ends of an interval in percent, with the digits of the share; empty if there is none.

    >>> interval(0.412, 0.384, 0.44), interval(0.4, None, None)
    ('[38.4 - 44.0]', '')
    """
    if low is None or high is None:
        return ""
    digits = _digits(share)
    return f"[{100 * low:.{digits}f} - {100 * high:.{digits}f}]"


def estimate(plain: Mapping[str, Any] | None) -> str:
    """A value with its interval.

    >>> estimate({"value": 0.412, "low": 0.384, "high": 0.44})
    '41.2 % [38.4 - 44.0]'
    """
    if plain is None:
        return NOTHING
    ends = interval(plain["value"], plain["low"], plain["high"])
    return f"{percent(plain['value'])} {ends}".strip()


def _digits(share: float) -> int:
    return 2 if 0 < abs(share) < 0.005 else 1


def plain(name: str) -> str:
    """The name of a figure in words.

    >>> plain("record_chunks")
    'record chunks'
    """
    return name.replace("_", " ")


def figure(value: Any) -> str:
    """Any single figure.

    >>> figure(12345), figure(0.91732), figure(True), figure([]), figure(1000000.0)
    ('12,345', '0.917', 'yes', 'none', '1,000,000')
    """
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return (
            f"{value:,.0f}"
            if value.is_integer()
            else f"{value:,.3g}"
            if abs(value) < 1000
            else f"{value:,.1f}"
        )
    if isinstance(value, list | tuple | dict):
        return "none" if not value else f"{len(value):,} given"
    return str(value)


def counted(number: int, noun: str) -> str:
    """A number and its noun, which is given in the plural.

    >>> counted(1, "record chunks"), counted(1200, "clusters"), counted(1, "entries"), counted(1, "classes")
    ('1 record chunk', '1,200 clusters', '1 entry', '1 class')
    """
    if number != 1:
        return f"{number:,} {noun}"
    if noun.endswith(("ies", "sses")):
        return f"1 {noun[:-3]}y" if noun.endswith("ies") else f"1 {noun[:-2]}"
    return f"1 {noun.removesuffix('s')}"


def listed(words: Iterable[str]) -> str:
    """Words as a list in a sentence.

    >>> listed(["a", "b", "c"]), listed(["a"]), listed([])
    ('a, b and c', 'a', '')
    """
    every = list(words)
    return " and ".join([", ".join(every[:-1]), every[-1]] if len(every) > 1 else every)


def contents(published: Mapping[str, int]) -> str:
    """Counts of a release in words; what there is none of is left out.

    >>> contents({"records": 1000, "clusters": 21, "joints": 0, "term_chunks": 1})
    '1,000 records, 21 clusters and 1 term chunk'
    """
    return listed(counted(number, plain(name)) for name, number in published.items() if number)
