"""What a cell of a table that others made stands for, in terms of the values of the original.

Tools write coarse values in their own ways: ``[15, 55[`` (ARX), ``(20,30]`` (R, sdcMicro), ``[20, 30)`` (anjana),
``{a, b}``, ``130**``, ``<=18``, ``90+``, ``20-29``, a group of a hierarchy, ``*`` or nothing at all. A cell that is a
value of the original is that value, whatever it looks like. What cannot be read may stand for any value: it is kept as
such, with the reason, and never passed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from cloven.kinds.tables.methods.assembly import members_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from cloven.data.table import Attribute

How = Literal["value", "group", "nothing", "range", "set", "mask", "unread", "learned"]

NOTHING = frozenset({"", "NA", "N/A", "<NA>", "NaN", "nan", "NULL", "null", "None", "none", "missing"})
"""What tools write where a value was taken out; stars too."""
_PLAIN = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_END = rf"(?:{_PLAIN}|[+-]?(?:[Ii]nf(?:inity)?|∞))"
_NUMBER = re.compile(_PLAIN)
_BETWEEN = re.compile(rf"([\[\](])\s*({_END})\s*[,;]\s*({_END})\s*([\[\])])")
_FROM_TO = re.compile(rf"({_PLAIN})\s*(?:-|\u2013|\.\.|to)\s*({_PLAIN})")
_ONE_SIDED = re.compile(rf"(<=|>=|<|>|≤|≥)\s*({_PLAIN})")
_UPWARDS = re.compile(rf"({_PLAIN})\s*\+")


@dataclass(frozen=True, eq=False)
class Cell:
    """One published text, read.

    Attributes:
        text: as published.
        how: what it was read as; ``unread`` may be any value, ``learned`` is what linked people have.
        codes: values of the original that it stands for, ascending; at least one.
        why: of a cell that cannot be read, the reason in a few words.
    """

    text: str
    how: How
    codes: NDArray[np.int32]
    why: str = ""


@dataclass(frozen=True)
class Span:
    """A range of numbers, each end in it or not.

    >>> span_of("[15, 55["), span_of("90+").high
    (Span(low=15.0, high=55.0, with_low=True, with_high=False), inf)
    """

    low: float
    high: float
    with_low: bool = True
    with_high: bool = True

    @property
    def backwards(self) -> bool:
        """Whether it ends before it begins."""
        return self.low > self.high

    def holds(self, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which numbers lie in it; what is no number (NaN) does not."""
        above = numbers >= self.low if self.with_low else numbers > self.low
        below = numbers <= self.high if self.with_high else numbers < self.high
        found: NDArray[np.bool_] = above & below
        return found


def span_of(text: str) -> Span | None:
    """The range that a text is; None for other texts.

    >>> span_of("(20,30]"), span_of("<= 18").low, span_of("20-29").with_high, span_of("grey")
    (Span(low=20.0, high=30.0, with_low=False, with_high=True), -inf, True, None)
    """
    if found := _BETWEEN.fullmatch(text):
        first, low, high, last = found.groups()
        return Span(_end(low), _end(high), first == "[", last == "]")
    if found := _FROM_TO.fullmatch(text):
        return Span(float(found[1]), float(found[2]))
    if found := _UPWARDS.fullmatch(text):
        return Span(float(found[1]), np.inf)
    if found := _ONE_SIDED.fullmatch(text):
        sign, end = found[1], float(found[2])
        with_end = sign in ("<=", ">=", "≤", "≥")
        if sign in ("<", "<=", "≤"):
            return Span(-np.inf, end, with_high=with_end)
        return Span(end, np.inf, with_low=with_end)
    return None


def _end(text: str) -> float:
    return float(text.replace("∞", "inf"))


def number_in(text: str) -> float | None:
    """The number that a text is; a code such as 01234 is none.

    >>> number_in("67.0"), number_in("01234"), number_in("nan")
    (67.0, None, None)
    """
    digits = text.lstrip("+-")
    code = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
    return None if code or not _NUMBER.fullmatch(text) else float(text)


def same_text(text: str) -> str:
    """A text by which equal values are known again: one number is one, however it is written.

    >>> same_text("67.0") == same_text("67"), same_text("01") == same_text("1")
    (True, False)
    """
    number = number_in(text)
    return text if number is None else repr(number + 0.0)


def numbers_of(attribute: Attribute) -> NDArray[np.float64]:
    """The values of a column as numbers, NaN for those that are none."""
    if attribute.numbers is not None:
        return attribute.numbers
    read = [number_in(value) for value in attribute.values]
    return np.array([np.nan if number is None else number for number in read], np.float64)


@dataclass(frozen=True, eq=False)
class CellReader:
    """Reads the cells of one column.

    Attributes:
        attribute: the column of the original.
        absent: texts that stand for no value in the original, and what people without one have in its place.
        taken_out: texts of the kind that stand for nothing and are published more often than the original has them: for
            some people at least a value was taken out.
        turned: whether ranges that hold one of their ends hold the other one than they say.
    """

    attribute: Attribute
    absent: tuple[frozenset[str], str] = (frozenset(), "")
    taken_out: frozenset[str] = frozenset()
    turned: bool = False

    def read(self, text: str) -> Cell:
        """What a cell stands for."""
        if text not in self.taken_out:
            known = self.absent[1] if text in self.absent[0] else text
            at = self._places.get(same_text(known))
            if at is not None:
                return self._cell(text, "value", [at])
            if text in self._groups:
                return self._cell(text, "group", self._groups[text])
        if text in self.taken_out or text in NOTHING or (text and set(text) <= {"*"}):
            return self._cell(text, "nothing", range(len(self.attribute)))
        return self._range(text) or self._set(text) or self._mask(text) or self._unread(text)

    def _range(self, text: str) -> Cell | None:
        span = span_of(text)
        if span is None or np.isnan(self._numbers).all():
            return None
        if span.backwards:
            return self._unread(text, "it ends before it begins")
        if self.turned and span.with_low != span.with_high:
            span = replace(span, with_low=span.with_high, with_high=span.with_low)
        held = np.flatnonzero(span.holds(self._numbers))
        return (
            self._cell(text, "range", held) if len(held) else self._unread(text, "nobody's number lies in it")
        )

    def _set(self, text: str) -> Cell | None:
        if not (text.startswith("{") and text.endswith("}")):
            return None
        places = [self._places.get(same_text(part.strip())) for part in re.split(r"[,;]", text[1:-1])]
        known = [place for place in places if place is not None]
        if len(known) < len(places):
            return self._unread(text, "some of its values are not in the original")
        return self._cell(text, "set", known)

    def _mask(self, text: str) -> Cell | None:
        if "*" not in text:
            return None
        pattern = re.compile("".join("." if sign == "*" else re.escape(sign) for sign in text))
        held = [code for code, value in enumerate(self.attribute.values) if pattern.fullmatch(value)]
        return (
            self._cell(text, "mask", held) if held else self._unread(text, "no value of the original fits it")
        )

    def _unread(self, text: str, why: str = "it is no value of the original, no range and no set") -> Cell:
        return Cell(text, "unread", np.arange(len(self.attribute), dtype=np.int32), why)

    def _cell(self, text: str, how: How, codes: Iterable[int] | NDArray[np.int64]) -> Cell:
        return Cell(text, how, np.unique(np.fromiter(codes, np.int32)))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {same_text(value): code for code, value in enumerate(self.attribute.values)}

    @cached_property
    def _numbers(self) -> NDArray[np.float64]:
        """The values as numbers, NaN for those that are none."""
        return numbers_of(self.attribute)

    @cached_property
    def _groups(self) -> dict[str, list[int]]:
        """Groups of the hierarchy that the schema names; of two with one name the smaller."""
        tree = self.attribute.tree
        if tree is None:
            return {}
        nodes = range(len(tree.labels) - 1, tree.leaves - 1, -1)
        held = members_of(tree, nodes)
        return {tree.labels[node]: codes.tolist() for node, codes in zip(nodes, held, strict=True)}
