"""From raw cells to the domain of an attribute and codes into it, with its tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import InputError, ParameterError
from cloven.io.doubtful_columns import refuse_doubtful
from cloven.io.number_texts import has_digit, has_leading_zero, plain_number
from cloven.io.stated_domains import fit_numbers, fit_texts, number_domain
from cloven.model.harm import Harm
from cloven.model.number_blocks import number_text
from cloven.model.table import MISSING, Attribute
from cloven.model.taxonomy import Taxonomy, read_taxonomy
from cloven.model.tree_building import nested_taxonomy, tree_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.model.schema import Column

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
