"""The cells of a published table as Parquet tables: ``attributes.parquet`` and ``cells.parquet``."""

from __future__ import annotations

from itertools import chain, pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.io.manifest import expect
from cloven.io.tables import expect_counting, read_table, text_column, whole_numbers
from cloven.model.published_table import CellDomain
from cloven.model.shown_cells import from_texts, texts_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ATTRIBUTES = {"attribute": "int64", "name": "string", "role": "string", "kind": "string", "column": "int64"}
CELLS = {"attribute": "int64", "cell": "int64", "label": "string", "holds": "string", "values": "list"}
ROLES = ("quasi-identifier", "sensitive")
KINDS = ("category", "number")
HOLDS = ("set", "range")
"""A cell holds a set of values, or all numbers between the two that are its ends."""


def attribute_columns(domains: Sequence[CellDomain], columns: Sequence[tuple[int, ...]]) -> dict[str, Any]:
    """Values of ``attributes.parquet``."""
    import pyarrow as pa

    column_of = {place: number for number, column in enumerate(columns) for place in column}
    return {
        "attribute": np.arange(len(domains)),
        "name": pa.array([domain.name for domain in domains], pa.string()),
        "role": pa.array([ROLES[domain.sensitive] for domain in domains], pa.string()),
        "kind": pa.array([KINDS[domain.numbers is not None] for domain in domains], pa.string()),
        "column": np.array([column_of[place] for place in range(len(domains))], np.int64),
    }


def cell_columns(domains: Sequence[CellDomain]) -> dict[str, Any]:
    """Values of ``cells.parquet``; of a range only its ends."""
    import pyarrow as pa

    told = [texts_of(domain) for domain in domains]
    sizes = [len(domain.labels) for domain in domains]
    values = [_ends_once(cell) if range_ else cell for cells, ranges in told
              for cell, range_ in zip(cells, ranges, strict=True)]  # fmt: skip
    return {
        "attribute": np.repeat(np.arange(len(domains)), sizes),
        "cell": np.concatenate([np.arange(size) for size in sizes]),
        "label": pa.array([label for domain in domains for label in domain.labels], pa.string()),
        "holds": pa.array([HOLDS[len(cell) == 2 and range_] for cell, range_ in zip(
            values, chain.from_iterable(ranges for _, ranges in told), strict=True)], pa.string()),
        "values": pa.array(map(list, values), pa.list_(pa.string())),
    }  # fmt: skip


def read_domains(path: Path) -> tuple[tuple[CellDomain, ...], tuple[tuple[int, ...], ...]]:
    """Cells of each attribute, and the attributes of each column."""
    file = path / "attributes.parquet"
    table = read_table(file, ATTRIBUTES)
    expect_counting(table, "attribute", file)
    names = text_column(table, "name", file)
    expect(len(names) > 0, str(file), "it", "a list of attributes", "nothing")
    sensitive = _choices(table, "role", file, ROLES)
    numbers = _choices(table, "kind", file, KINDS)
    column = whole_numbers(table, "column", file, below=len(names))
    each = np.array_equal(np.unique(column), np.arange(column.max() + 1))
    expect(each, str(file), "column", "0, 1, 2, ... without a gap", column.tolist())
    cells = _read_cells(path / "cells.parquet", numbers)
    domains = tuple(
        _domain(name, bool(sensitive[place]), bool(numbers[place]), cells[place])
        for place, name in enumerate(names)
    )
    columns = tuple(tuple(np.flatnonzero(column == each).tolist()) for each in range(int(column.max()) + 1))
    return domains, columns


Cell = tuple[str, bool, tuple[str, ...]]
"""Label, whether it is a range, and what it shows."""


def _read_cells(file: Path, numbers: list[int]) -> list[list[Cell]]:
    table = read_table(file, CELLS)
    attribute = whole_numbers(table, "attribute", file, below=len(numbers))
    cell = whole_numbers(table, "cell", file)
    labels, ranges = text_column(table, "label", file), _choices(table, "holds", file, HOLDS)
    values = table.column("values").to_pylist()
    found: list[list[Cell]] = [[] for _ in numbers]
    for row, (place, number) in enumerate(zip(attribute.tolist(), cell.tolist(), strict=True)):
        expect(number == len(found[place]), str(file), f"cell of row {row}", str(len(found[place])), number)
        shows = values[row]
        sound = _is_sound(shows, number=bool(numbers[place]), range_=bool(ranges[row]))
        expect(sound, str(file), f"values of row {row}", "ascending texts or numbers, two of a range", shows)
        found[place].append((labels[row], bool(ranges[row]), tuple(shows)))
    # A table without rows shows no cell of any attribute; else it shows one of each.
    whole = all(found) or not any(found)
    expect(whole, str(file), "attribute", "all that there are", attribute.tolist()[:1])
    return found


def _is_sound(shows: Any, *, number: bool, range_: bool) -> bool:
    """Texts without null, ascending, so that their order says nothing; numbers as numbers, and a range by its ends."""
    if (
        not shows
        or not all(isinstance(each, str) for each in shows)
        or (number and not all(map(_is_number, shows)))
    ):
        return False
    values = [float(each) for each in shows] if number else list(shows)
    ascending = all(before < after for before, after in pairwise(values))
    return ascending and (not range_ or (number and len(shows) == 2))


def _domain(name: str, sensitive: bool, numbers: bool, cells: list[Cell]) -> CellDomain:
    empty = np.zeros(0, np.int64)
    labels = tuple(label for label, _, _ in cells)
    about = CellDomain(name, sensitive, (), None, labels, empty, empty.astype(np.int32))
    alone = [range_ or (numbers and len(shows) == 1) for _, range_, shows in cells]
    return from_texts(about, [shows for _, _, shows in cells], alone, numbers=numbers)


def _choices(table: Any, column: str, file: Path, possible: tuple[str, ...]) -> list[int]:
    found = text_column(table, column, file)
    strange = [each for each in found if each not in possible]
    expect(not strange, str(file), column, f"one of {', '.join(possible)}", strange[:1])
    return [possible.index(each) for each in found]


def _ends_once(cell: tuple[str, ...]) -> tuple[str, ...]:
    return cell[:1] if cell[0] == cell[-1] else cell


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False
