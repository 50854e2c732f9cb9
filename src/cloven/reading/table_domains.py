"""From raw cells to the domain of an attribute and codes into it, with its tree."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from cloven.data.harm import Harm
from cloven.data.number_blocks import Blocks, number_text, rounded_blocks
from cloven.data.table import MISSING, Attribute
from cloven.data.taxonomy import Taxonomy, nested_taxonomy, read_taxonomy, tree_of
from cloven.errors import InputError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from cloven.data.schema import Column


KEPT = "(missing)"
"""The value of those who have none, where that is kept."""
_EXACT = 2.0**53


@dataclass(frozen=True, eq=False)
class Place:
    """Where the cells of a column stand, for messages."""

    source: str
    lines: NDArray[np.int64] | None

    def error(self, message: str, row: int, value: str) -> InputError:
        """An error about one row."""
        if self.lines is not None:
            return InputError(message, source=self.source, line=int(self.lines[row]), value=value)
        return InputError(f"row {row}: {message}", source=self.source, value=value)


def encode(
    column: Column,
    cells: list[str | None] | NDArray[np.float64],
    gone: NDArray[np.bool_],
    place: Place,
    *,
    keep: bool,
    missing_values: Sequence[str] = (),
) -> tuple[Attribute, NDArray[np.int32]]:
    """Attribute and codes of a column; where ``gone``, the code is ``MISSING``, or that of ``KEPT``.

    ``missing_values`` are the texts that stand for no value.
    """
    attribute, codes = _encoded(column, cells, gone, place, keep=keep, missing_values=missing_values)
    return replace(attribute, harm=_harm(column, attribute)), codes


def _harm(column: Column, attribute: Attribute) -> Harm:
    """What harms, in the texts of the domain."""
    if column.within is not None and attribute.numbers is None:
        message = f"column {column.name!r}: within is for numbers, and it holds other values; leave it out"
        raise ParameterError(message)
    named = [_as_written(attribute, value) for value in column.harmless or ()]
    for value in named:
        if value not in attribute.values:
            near = get_close_matches(value, attribute.values, 1) if attribute.numbers is None else []
            hint = f"did you mean {near[0]!r}?" if near else "leave it out, or write it as the table does"
            message = f"column {column.name!r}: harmless = {value!r} does not occur; {hint}"
            raise ParameterError(message)
    return Harm.of(named, column.within)


def _as_written(attribute: Attribute, value: str) -> str:
    """A number as the domain writes it."""
    number = None if attribute.numbers is None else plain_number(value)
    if number is None or attribute.numbers is None or number not in attribute.numbers:
        return value
    return attribute.values[int(np.searchsorted(attribute.numbers, number))]


def _encoded(
    column: Column,
    cells: list[str | None] | NDArray[np.float64],
    gone: NDArray[np.bool_],
    place: Place,
    *,
    keep: bool,
    missing_values: Sequence[str],
) -> tuple[Attribute, NDArray[np.int32]]:
    numbers = _numbers(column, cells, gone, place)
    taxonomy = _taxonomy(column)
    if numbers is not None:
        if keep and gone.any():
            message = (
                f"column {column.name!r} holds numbers, so a missing one cannot be kept as a value;"
                ' choose missing = "drop", or kind = "category"'
            )
            raise ParameterError(message)
        return _number_attribute(column, numbers, gone, taxonomy, place)
    if isinstance(cells, list):
        refuse_doubtful(column, cells, place, missing_values)
    if column.tree == "ranges":
        message = f"column {column.name!r}: ranges are for numbers, but it holds other values; give a hierarchy file"
        raise ParameterError(message)
    return _category_attribute(column, cells, gone, taxonomy, place, keep=keep)


def _numbers(
    column: Column, cells: list[str | None] | NDArray[np.float64], gone: NDArray[np.bool_], place: Place
) -> NDArray[np.float64] | None:
    """The cells as numbers, or None if they are (or count as) categories."""
    if column.kind == "category":
        return None
    found = np.zeros(len(gone), np.float64)
    for row in np.flatnonzero(~gone).tolist() if isinstance(cells, list) else ():
        text = str(cells[row])
        number = plain_number(text)
        if number is None or (column.kind is None and (has_leading_zero(text) or not has_digit(text))):
            if column.kind is None:
                return None
            message = f"column {column.name!r} is said to hold numbers; correct the cell, or choose kind = 'category'"
            raise place.error(message, row, text)
        found[row] = number
    if not isinstance(cells, list):
        found = np.where(gone, 0.0, cells)
    strange = np.flatnonzero(~(np.abs(found) < _EXACT))
    if len(strange):
        message = (
            f"column {column.name!r} holds a number that is too long or infinite; choose kind = 'category'"
        )
        raise place.error(message, int(strange[0]), str(found[strange[0]]))
    return None if gone.all() else found


def _number_attribute(
    column: Column,
    numbers: NDArray[np.float64],
    gone: NDArray[np.bool_],
    taxonomy: Taxonomy | None,
    place: Place,
) -> tuple[Attribute, NDArray[np.int32]]:
    tree, blocks = None, None
    if taxonomy is not None:
        domain = np.unique(numbers[~gone])
        leaves = _number_leaves(column, taxonomy)
        domain_all = np.array(sorted(leaves))
        lost = np.setdiff1d(domain, domain_all)
        if len(lost):
            row = int(np.flatnonzero((numbers == lost[0]) & ~gone)[0])
            raise _not_in_tree(
                column, number_text(lost[0]), int(np.isin(numbers[~gone], lost).sum()), row, place
            )
        domain = domain_all
        tree = tree_of(taxonomy, [leaves[number] for number in domain.tolist()])
        values = tree.labels[: tree.leaves]
    else:
        numbers, blocks = fit_numbers(column, numbers, gone, place)
        domain = number_domain(numbers[~gone], blocks)
        values = tuple(map(number_text, domain.tolist()))
    stated = tree is not None or column.possible is not None
    codes = np.where(gone, MISSING, np.searchsorted(domain, numbers)).astype(np.int32)
    return Attribute(column.name, column.role, values, domain, tree, blocks, stated), codes


def _number_leaves(column: Column, taxonomy: Taxonomy) -> dict[float, str]:
    """Leaves of a tree of numbers, each number once."""
    leaves: dict[float, str] = {}
    for leaf in taxonomy.leaf_group:
        number = plain_number(leaf)
        if number is None or not np.isfinite(number):
            message = f"the tree of column {column.name!r}, which holds numbers, has another value"
            raise InputError(message, source=_tree_source(column), value=leaf)
        if number in leaves:
            message = (
                f"the tree of column {column.name!r} has one number twice, {leaves[number]!r} and {leaf!r};"
            )
            message += " name it once, or choose kind = 'category'"
            raise InputError(message, source=_tree_source(column))
        leaves[number] = leaf
    return leaves


def _category_attribute(
    column: Column,
    cells: list[str | None] | NDArray[np.float64],
    gone: NDArray[np.bool_],
    taxonomy: Taxonomy | None,
    place: Place,
    *,
    keep: bool,
) -> tuple[Attribute, NDArray[np.int32]]:
    texts = (
        list(cells)
        if isinstance(cells, list)
        else [number_text(number) for number in np.where(gone, 0, cells)]
    )
    if keep:
        if gone.any() and KEPT in texts:
            message = (
                f"column {column.name!r} holds the value {KEPT!r}, which stands for missing ones; rename it"
            )
            raise place.error(message, texts.index(KEPT), KEPT)
        texts = [KEPT if lost else text for text, lost in zip(texts, gone.tolist(), strict=True)]
        gone = np.zeros(len(gone), np.bool_)
    there = {str(text) for text, lost in zip(texts, gone.tolist(), strict=True) if not lost}
    tree = None
    if taxonomy is not None:
        if keep and KEPT not in taxonomy.leaf_group:
            taxonomy = Taxonomy(
                {**taxonomy.leaf_group, KEPT: taxonomy.root}, taxonomy.group_parent, taxonomy.root
            )
        lost_values = there.difference(taxonomy.leaf_group)
        if lost_values:
            rows = [row for row, text in enumerate(texts) if text in lost_values]
            raise _not_in_tree(column, str(texts[rows[0]]), len(rows), rows[0], place)
        there = set(taxonomy.leaf_group)
        tree = tree_of(taxonomy, sorted(there))
    else:
        there = fit_texts(column, texts, there, KEPT if keep else "", place)
    stated = tree is not None or column.values is not None
    # Whether anybody's value is missing must not show in what is possible.
    values = tuple(sorted({*there, KEPT} if keep and stated else there))
    code_of = {value: code for code, value in enumerate(values)}
    codes = [MISSING if lost else code_of[str(text)] for text, lost in zip(texts, gone.tolist(), strict=True)]
    return Attribute(column.name, column.role, values, None, tree, None, stated), np.array(codes, np.int32)


def _taxonomy(column: Column) -> Taxonomy | None:
    if column.tree is None or column.tree == "ranges":
        return None
    try:
        if isinstance(column.tree, Mapping):
            return nested_taxonomy(column.tree)
        return read_taxonomy(Path(column.tree))
    except InputError as error:
        message = f"tree of column {column.name!r}: {error}"
        raise InputError(message) from error


def _tree_source(column: Column) -> str | None:
    return str(column.tree) if isinstance(column.tree, str | Path) else None


def _not_in_tree(column: Column, value: str, rows: int, row: int, place: Place) -> InputError:
    where = _tree_source(column)
    asked = "the tree" if where is None else where
    message = (
        f"column {column.name!r} has a value that its tree lacks, in {rows:,} row{'s' * (rows > 1)};"
        f" add it to {asked}, or name it in missing_values"
    )
    return place.error(message, row, value)


# Columns of numbers with a few other cells: a slip, or a word for no value, must not make them categories.


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


# Cells of a column against what the schema says is possible.


class Where(Protocol):
    """Where the cells of a column stand."""

    def error(self, message: str, row: int, value: str) -> InputError:
        """An error about one row."""
        ...


def fit_numbers(
    column: Column, numbers: NDArray[np.float64], gone: NDArray[np.bool_], place: Where
) -> tuple[NDArray[np.float64], Blocks | None]:
    """The numbers, clamped to what is possible if the column says so, and the blocks that ranges are made of."""
    there = numbers[~gone]
    possible = column.possible
    if possible is None:
        rounded = None if column.round is None else rounded_blocks(there, column.round, column.step)
        return numbers, rounded
    wrong = np.flatnonzero(~gone & ~possible.holds(numbers))
    if len(wrong) and column.outside == "refuse":
        value = np.format_float_positional(numbers[wrong[0]], trim="-")
        inside = possible.starts[0] <= numbers[wrong[0]] <= possible.high
        steps = f"lies between two steps of {possible.step:g}; write a finer step into the schema"
        out = f"lies outside {possible.starts[0]:.15g} to {possible.high:.15g}; widen that in the schema"
        message = (
            f"column {column.name!r} has {len(wrong):,} number{'s' * (len(wrong) > 1)} that cannot be; the first"
            f' {steps if inside else out}, or write outside = "clamp" to take the nearest possible one'
        )
        raise place.error(message, int(wrong[0]), value)
    return np.where(gone, numbers, possible.nearest(numbers)), possible.blocks


def number_domain(numbers: NDArray[np.float64], blocks: Blocks | None) -> NDArray[np.float64]:
    """The numbers that occur, and both ends of their blocks."""
    there = np.unique(numbers) + 0.0  # no negative zero
    if blocks is None or blocks.single:
        return there
    used = np.unique(blocks.of(there))
    return np.unique(np.concatenate([there, blocks.lows[used], blocks.highs[used]]))


def fit_texts(
    column: Column, texts: Sequence[str | None], there: set[str], kept: str, place: Where
) -> set[str]:
    """The categories that are possible; ``kept`` is what stands for a missing one and needs no mention."""
    if column.values is None:
        return there
    lost = there.difference(column.values, [kept])
    if lost:
        rows = [row for row, text in enumerate(texts) if text in lost]
        message = (
            f"column {column.name!r} has a value that is not among those that the schema lists, in"
            f" {len(rows):,} row{'s' * (len(rows) > 1)}; add it to values, or name it in missing_values"
        )
        raise place.error(message, rows[0], str(texts[rows[0]]))
    return {*column.values}


# Texts that are numbers, and texts that only look like them.


def plain_number(text: str) -> float | None:
    """The number that a text is; None for other texts.

    >>> plain_number("1e3"), plain_number("1_000")
    (1000.0, None)
    """
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def has_digit(text: str) -> bool:
    """Whether there is a digit: ``nan`` and ``inf`` are words, although Python reads them as numbers."""
    return any(map(str.isdigit, text))


def has_leading_zero(text: str) -> bool:
    """Whether a number begins with a zero that would be lost, as zip codes do.

    >>> has_leading_zero("01234"), has_leading_zero("0.5")
    (True, False)
    """
    digits = text.lstrip("+-")
    return len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
