"""Dates and codes: values whose levels everybody knows, read to a precision and generalised by calendar or prefix.

A date of birth is as good as a name, and so is a full postcode. Of both only the beginning is read, as far as the
schema says (``precision``), so that nothing finer can be published by any method. Above that, dates are generalised to
quarters, years and decades, codes (postcodes, ICD) to their beginnings.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING

from cloven.data.schema import MOST_BLOCKS, PRECISIONS, YEARS
from cloven.data.taxonomy import Taxonomy
from cloven.figures import many
from cloven.reading.cells import Texts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from cloven.data.schema import Column
    from cloven.reading.cells import Cells, Where

_ISO = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ]\d{1,2}:\d{2}.*)?)?)?")
_PARTS = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?: \d{1,2}:\d{2}.*)?")
ANY_DATE, ANY_CODE = "any date", "*"


def levelled(
    column: Column, cells: Cells, gone: NDArray[np.bool_], place: Where, *, keep: bool
) -> tuple[Column, Texts, Taxonomy | None]:
    """A column of dates or codes as one of numbers (years) or of categories with their tree, cut to its precision."""
    texts = cells if isinstance(cells, Texts) else _texts(cells)
    if column.kind == "code":
        cut = _cut(texts, [None if text is None else text[: _length(column)] for text in texts.values])
        held = _held(cut, gone)
        return replace(column, kind="category", precision=None), cut, prefix_tree(held) if held else None
    precision = str(column.precision or "year")
    dates = _dates(column, texts, gone, place)
    numbers = precision == "year" and not (keep and gone.any())
    dates = dates if numbers else _possible(column, texts, dates, gone, place)
    cut = _cut(texts, [None if each is None else shown(each, precision) for each in dates])
    plain = replace(column, precision=None, order=None)
    if numbers:
        return replace(plain, kind="number"), cut, None
    used = zip(dates, _used(texts, gone), strict=True)
    first, last = _stated(column) or _years([each for each, held in used if each is not None and held])
    if precision == "day" and (last - first) * 365 > MOST_BLOCKS:
        message = (
            f"column {column.name!r} holds days from {first:04} to {last:04}, more than can be grouped; write precision"
            ' = "month", or name a date that stands for no value in missing_values'
        )
        raise place.error(message, *_row_of_year(texts, dates, gone, first))
    tree = calendar(first, last, precision)
    plain = replace(plain, range=None, cuts=None, step=None, round=None, outside="refuse")
    return replace(plain, kind="category"), cut, tree


def _stated(column: Column) -> tuple[int, int] | None:
    """First and last year that the schema says are possible."""
    given = column.range or column.cuts
    return None if given is None else (int(given[0]), int(given[-1]))


def _years(days: Collection[date]) -> tuple[int, int]:
    years = [day.year for day in days] or [2000]
    return min(years), max(years)


def _possible(
    column: Column, texts: Texts, dates: list[date | None], gone: NDArray[np.bool_], place: Where
) -> list[date | None]:
    """The dates, clamped to the years that are possible if the column says so; an error at the first that is not."""
    import numpy as np

    stated = _stated(column)
    if stated is None:
        return dates
    first, last = stated
    if column.outside == "clamp":
        ends = date(first, 1, 1), date(last, 12, 31)
        return [None if day is None else min(max(day, ends[0]), ends[1]) for day in dates]
    out = np.array([day is not None and not first <= day.year <= last for day in dates], np.bool_)
    wrong = np.flatnonzero(out[texts.codes] & ~gone)
    if len(wrong):
        message = (
            f"column {column.name!r} has {many(len(wrong), 'date')} outside the years {first} to {last}, first here;"
            ' widen range in the schema, or write outside = "clamp" to take the nearest year'
        )
        raise place.error(message, int(wrong[0]), str(texts[int(wrong[0])]))
    return dates


def _row_of_year(
    texts: Texts, dates: list[date | None], gone: NDArray[np.bool_], year: int
) -> tuple[int, str]:
    """The first row with a date of a year, and what it holds."""
    import numpy as np

    found = np.array([day is not None and day.year == year for day in dates], np.bool_)[texts.codes] & ~gone
    row = int(np.argmax(found))
    return row, str(texts[row])


def parsed(text: str, order: str | None) -> date | None:
    """The date that a text is: year first, or day and month in an order; what is left out is the first.

    >>> parsed("1989-05-25", None), parsed("25.5.1989", None), parsed("5/25/1989", "mdy")
    (datetime.date(1989, 5, 25), datetime.date(1989, 5, 25), datetime.date(1989, 5, 25))
    """
    iso, parts = _ISO.fullmatch(text), _PARTS.fullmatch(text)
    try:
        if iso is not None:
            return date(int(iso[1]), int(iso[2] or 1), int(iso[3] or 1))
        if parts is not None:
            day, month = (
                (parts[3], parts[1]) if (order or _usual(parts[2])) == "mdy" else (parts[1], parts[3])
            )
            return date(int(parts[4]), int(month), int(day))
    except ValueError:
        return None
    return None


def parsed_in_any_order(text: str, order: str | None) -> date | None:
    """The same; where no order is given, one in which it is a date: its year is the same in both.

    >>> parsed_in_any_order("25/5/1989", None)
    datetime.date(1989, 5, 25)
    """
    return parsed(text, order) or (None if order else parsed(text, "dmy") or parsed(text, "mdy"))


def in_doubt(texts: Iterable[str]) -> list[str]:
    """Texts whose day and month need an order to be told apart."""
    return [text for text in texts if (parts := _PARTS.fullmatch(text)) and parts[2] != "."]


def order_of(texts: Iterable[str]) -> str | None:
    """In which order day and month stand, if some text can be read in one way only; None if that cannot be told.

    >>> order_of(["3/4/2001", "3/25/2001"]), order_of(["3/4/2001"])
    ('mdy', None)
    """
    found = set()
    for text in texts:
        parts = _PARTS.fullmatch(text)
        if parts is not None and parts[2] == ".":
            found.add("dmy")
        elif parts is not None and (int(parts[1]) > 12) != (int(parts[3]) > 12):
            found.add("dmy" if int(parts[1]) > 12 else "mdy")
    return found.pop() if len(found) == 1 else None


def shown(day: date, precision: str) -> str:
    """A date to a precision.

    >>> [shown(date(1989, 5, 25), precision) for precision in PRECISIONS]
    ['1989-05-25', '1989-05', '1989-Q2', '1989', '1980s']
    """
    return {
        "day": day.isoformat(),
        "month": f"{day.year:04}-{day.month:02}",
        "quarter": f"{day.year:04}-Q{(day.month + 2) // 3}",
        "year": f"{day.year:04}",
        "decade": f"{day.year // 10 * 10:04}s",
    }[precision]


def calendar(first: int, last: int, precision: str) -> Taxonomy:
    """All dates of the decades from one year to another, to a precision, up to years and decades.

    The tree is the same whoever is in the data, but for its first and its last decade.

    >>> tree = calendar(1989, 1989, "quarter")
    >>> tree.leaf_group["1989-Q2"], tree.group_parent["1989"], tree.group_parent["1980s"]
    ('1989', '1980s', 'any date')
    """
    levels = [
        name for name in PRECISIONS[PRECISIONS.index(precision) :] if name != "month" or precision == "month"
    ]
    leaf_group: dict[str, str] = {}
    group_parent: dict[str, str] = {}
    for day in _days(max(first // 10 * 10, YEARS[0]), min(last // 10 * 10 + 9, YEARS[1]), precision):
        leaf, *groups = [*(shown(day, level) for level in levels), ANY_DATE]
        leaf_group[leaf] = groups[0]
        group_parent |= dict(pairwise(groups))
    return Taxonomy(leaf_group, group_parent, ANY_DATE)


def _days(first: int, last: int, precision: str) -> Iterator[date]:
    """One day of each unit of a precision."""
    if precision == "day":
        start, end = date(first, 1, 1).toordinal(), date(last, 12, 31).toordinal()
        yield from map(date.fromordinal, range(start, end + 1))
        return
    months = {"month": range(1, 13), "quarter": range(1, 13, 3)}.get(precision, range(1, 2))
    for year in range(first, last + 1, 10 if precision == "decade" else 1):
        yield from (date(year, month, 1) for month in months)


def prefix_tree(codes: Collection[str]) -> Taxonomy:
    """Codes below their beginnings, each beginning that parts them: ``02139`` below ``021*`` below ``0*``.

    >>> tree = prefix_tree(["02139", "02143", "10001"])
    >>> tree.leaf_group["02139"], tree.group_parent["021*"], tree.leaf_group["10001"]
    ('021*', '*', '*')
    """
    below: dict[str, set[str]] = defaultdict(set)
    for code in codes:
        for length in range(1, len(code) + 1):
            below[code[:length]].add(code)
    # A beginning counts if several codes have it, and not all the same ones as a longer one.
    groups = {
        start: held
        for start, held in below.items()
        if 1 < len(held) < len(codes)
        and not any(below.get(start + letter) == held for letter in _next(start, held))
    }

    def parent(start: str) -> str:
        found = next((start[:n] for n in range(len(start), 0, -1) if start[:n] in groups), None)
        return ANY_CODE if found is None else f"{found}*"

    leaf_group = {code: parent(code) for code in codes}
    return Taxonomy(leaf_group, {f"{start}*": parent(start[:-1]) for start in groups}, ANY_CODE)


def _next(start: str, held: set[str]) -> set[str]:
    return {code[len(start)] for code in held if len(code) > len(start)}


def _usual(sign: str) -> str:
    return "mdy" if sign == "/" else "dmy"


def _length(column: Column) -> int | None:
    return column.precision if isinstance(column.precision, int) else None


def _texts(cells: NDArray[np.float64]) -> Texts:
    from cloven.data.schema import number_text

    return Texts.of(None if number != number else number_text(number) for number in cells.tolist())


def _cut(texts: Texts, cut: list[str | None]) -> Texts:
    """The same cells, each distinct text replaced."""
    plain = Texts.of(cut)
    return Texts(plain.held, plain.codes[texts.codes]) if len(texts) else texts


def _used(texts: Texts, gone: NDArray[np.bool_]) -> list[bool]:
    import numpy as np

    return [bool(count) for count in np.bincount(texts.codes[~gone], minlength=len(texts.held)).tolist()]


def _held(texts: Texts, gone: NDArray[np.bool_]) -> list[str]:
    return [text for text, used in zip(texts.values, _used(texts, gone), strict=True) if used and text]


def _dates(column: Column, texts: Texts, gone: NDArray[np.bool_], place: Where) -> list[date | None]:
    """The date of each distinct text; an error at the first cell that is none."""
    import numpy as np

    held = _held(texts, gone)
    order = column.order or order_of(held)
    doubtful = in_doubt(held)
    coarse = column.precision in (None, "year", "decade")  # the order does not matter
    if doubtful and order is None and not coarse:
        message = (
            f'column {column.name!r} holds dates whose day and month cannot be told apart; write order = "dmy" or'
            ' "mdy" for it into the schema'
        )
        raise place.error(message, int(np.argmax(texts.are(set(doubtful)) & ~gone)), doubtful[0])
    read = parsed_in_any_order if coarse else parsed
    found = [None if text is None else read(text, order) for text in texts.values]
    wrong = np.array([day is None for day in found], np.bool_)[texts.codes] & ~gone
    if wrong.any():
        row = int(np.argmax(wrong))
        message = (
            f"column {column.name!r} is said to hold dates, and this is none; write it as 1989-05-25, name it in"
            " missing_values if it is no value, or choose kind = 'category'"
        )
        raise place.error(message, row, str(texts[row]))
    return found
