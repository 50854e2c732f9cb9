"""Columns of numbers with a few other cells: a slip, or a word for no value, must not make them categories."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from cloven.io.number_texts import has_digit, has_leading_zero, plain_number

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from cloven.io.stated_domains import Where
    from cloven.model.schema import Column

MOSTLY = 0.9
"""Share of the different values, or of the cells, from which on a column seems to hold numbers."""
NO_VALUE = frozenset(
    ("na", "n/a", "n.a.", "#n/a", "nan", "null", "nil", "none", "missing", "?", "-", "--", ".")
)
"""Words that often stand for no value, in small letters."""


def refuse_doubtful(
    column: Column, cells: Sequence[str | None], place: Where, missing_values: Collection[str]
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
    strange = others - absent
    row = next(row for row, text in enumerate(cells) if text in (strange or absent))
    message = (
        f"column {column.name!r} holds numbers, but not in {wrong:,} of {total:,} rows, such as here;"
        f" {_remedy(strange, absent, missing_values)}"
    )
    raise place.error(message, row, str(cells[row]))


def _remedy(strange: Collection[str], absent: Collection[str], missing_values: Collection[str]) -> str:
    """What to do about cells that are no numbers, and about those that seem to be no values."""
    categories = 'write kind = "category" for it into the schema if it holds categories'
    if not absent:
        return f"correct the cell, name it in missing_values if it is no value, or {categories}"
    named = json.dumps([*missing_values, *sorted(absent)], ensure_ascii=False)
    correct = "correct the cell, " if strange else ""
    return (
        f"{correct}write missing_values = {named} if {_listed(absent)} stands for no value, or {categories}"
    )


def _listed(texts: Collection[str]) -> str:
    return " or ".join(map(repr, sorted(texts)))


def _is_number(text: str) -> bool:
    return plain_number(text) is not None and has_digit(text)
