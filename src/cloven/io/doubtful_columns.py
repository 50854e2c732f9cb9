"""Columns of numbers with a few other cells: a slip of the pen, or a word for no value, must not make them categories."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from cloven.io.table_domains import has_leading_zero, plain_number

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from cloven.io.table_domains import Place
    from cloven.model.schema import Column

MOSTLY = 0.9
"""Share of the different values, or of the cells, from which on a column seems to hold numbers."""
NO_VALUE = frozenset(("na", "n/a", "n.a.", "#n/a", "nan", "null", "nil", "none", "missing", "?", "-", "--", "."))
"""Words that often stand for no value, in small letters."""


def refuse_doubtful(
    column: Column, cells: Sequence[str | None], place: Place, missing_values: Collection[str]
) -> None:
    """Refuse a column of which nothing says that it holds categories, if nearly all that it holds are numbers.

    Where words for no value are all that is beside the numbers, it is refused however many they are. Numbers with
    leading zeros are codes, and what is beside them is one too.
    """
    if column.kind is not None or column.values is not None or column.tree not in (None, "ranges"):
        return
    counts = Counter(cells)
    for nothing in (None, *missing_values):
        counts.pop(nothing, None)
    numbers = {text for text in counts if text is not None and _is_number(text)}
    others = {text for text in counts if text is not None and text not in numbers}
    if not numbers or not others or any(map(has_leading_zero, numbers)):
        return
    total, wrong = counts.total(), sum(counts[text] for text in others)
    share = max(len(numbers) / len(counts), 1 - wrong / total)
    absent = {text for text in others if text.lower() in NO_VALUE}
    if share < MOSTLY and absent != others:
        return
    row = next(row for row, text in enumerate(cells) if text in others)
    message = f"column {column.name!r} holds numbers, but not in {wrong:,} of {total:,} rows, first here;"
    raise place.error(f"{message} {_remedy(absent, missing_values)}", row, str(cells[row]))


def _remedy(absent: Collection[str], missing_values: Collection[str]) -> str:
    categories = 'kind = "category" if the column holds categories'
    if not absent:
        return f"correct it, name it in missing_values if it is no value, or write {categories}"
    named = json.dumps([*missing_values, *sorted(absent)], ensure_ascii=False)
    return f"write missing_values = {named} into the schema if that is no value, or {categories}"


def _is_number(text: str) -> bool:
    """Not ``nan`` and ``inf``, which are words."""
    return plain_number(text) is not None and any(map(str.isdigit, text))
