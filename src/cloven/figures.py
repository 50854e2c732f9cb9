"""Shares, intervals, counts and their nouns as people read them, in terminals and pages alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from cloven.disclosure.risk import Estimate


_SINGULAR = {"have": "has", "are": "is", "were": "was", "their": "its", "those": "the one"}
_OWN = {"persons": "person", "people": "person", "classes": "class", "entries": "entry"}


def percent(share: float, digits: int | None = None) -> str:
    """A share in percent; unless digits are given, small ones get one more.

    >>> percent(0.412), percent(0.0004), percent(0.0), percent(0.05, 0)
    ('41.2 %', '0.04 %', '0.0 %', '5 %')
    """
    return f"{100 * share:.{_digits(share) if digits is None else digits}f} %"


def interval(low: float, high: float, digits: int = 1) -> str:
    """The ends of an interval.

    >>> interval(0.5, 1234.56)
    '[0.5 - 1,234.6]'
    """
    return f"[{low:,.{digits}f} - {high:,.{digits}f}]"


def ends(share: float, low: float | None, high: float | None) -> str:
    """The ends of the interval of a share, in percent and with its digits; empty if there is none.

    >>> ends(0.412, 0.384, 0.44), ends(0.4, None, None)
    ('[38.4 - 44.0]', '')
    """
    return "" if low is None or high is None else interval(100 * low, 100 * high, _digits(share))


def estimated(estimate: Estimate) -> str:
    """A share with its interval.

    >>> from cloven.disclosure.risk import Estimate
    >>> estimated(Estimate(0.412, 0.384, 0.44)), estimated(Estimate(0.0004))
    ('41.2 % [38.4 - 44.0]', '0.04 %')
    """
    return f"{percent(estimate.value)} {ends(estimate.value, estimate.low, estimate.high)}".rstrip()


def mean(value: float, low: float | None = None, high: float | None = None) -> str:
    """A figure that is no share, with its interval if there is one.

    >>> mean(0.25, 0.2, 0.3), mean(0.25)
    ('0.250 [0.200 - 0.300]', '0.250')
    """
    return f"{value:.3f}" if low is None or high is None else f"{value:.3f} {interval(low, high, 3)}"


def many(number: float, word: str) -> str:
    """A number and its noun.

    >>> many(1, "cluster"), many(1200, "cluster"), many(2, "class"), many(0, "entry")
    ('1 cluster', '1,200 clusters', '2 classes', '0 entries')
    """
    return f"{number:,} {word if number == 1 else _plural(word)}"


def counted(number: int, words: str) -> str:
    """A number and a phrase in the plural, whose first noun and verb follow the number.

    >>> counted(2, "pairs of items that have fewer candidates")
    '2 pairs of items that have fewer candidates'
    >>> counted(1, "pairs of items that have fewer candidates"), counted(1, "records are left empty")
    ('1 pair of items that has fewer candidates', '1 record is left empty')
    >>> counted(1200, "classes"), counted(1, "classes"), counted(1, "people are told")
    ('1,200 classes', '1 class', '1 person is told')
    """
    if number != 1:
        return f"{number:,} {words}"
    said, found, verb = [], False, False
    for word in words.split(" "):
        if not found and (word.endswith("s") or word in _OWN):
            word, found = _OWN.get(word, word.removesuffix("s")), True
        elif found and not verb and word in _SINGULAR:
            word, verb = _SINGULAR[word], True
        said.append(word)
    return f"1 {' '.join(said)}"


def listed(words: Iterable[str]) -> str:
    """Words as a list in a sentence.

    >>> listed(["a", "b", "c"]), listed(["a"]), listed([])
    ('a, b and c', 'a', '')
    """
    *first, last = tuple(words) or ("",)
    return f"{', '.join(first)} and {last}" if first else last


def numbered(number: int, what: str = "another release") -> str:
    """A name for the first, second, ... of several.

    >>> numbered(1), numbered(2)
    ('another release', 'another release (2)')
    """
    return what if number == 1 else f"{what} ({number})"


def on_scale(measure: Mapping[str, Any]) -> dict[str, Any]:
    """Value and interval of one measure on the scale of scores."""
    best, worst = measure["best"], measure["worst"]
    ends = [
        None if each is None else min(1.0, max(0.0, (each - worst) / (best - worst)))
        for each in (measure["low"], measure["high"])
    ]
    low, high = (None, None) if None in ends else sorted(each for each in ends if each is not None)
    return {"measure": measure["name"], "score": measure["score"], "low": low, "high": high}


def _digits(share: float) -> int:
    return 2 if 0 < abs(share) < 0.005 else 1


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith("s") else f"{word}s"
