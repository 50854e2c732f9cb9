"""Draw a table of persons that a published table allows.

The parts of each bucket are paired at random, and each coarse cell becomes one of its values: of a set or a group any
of those that it shows, of a range any number between its ends, with as many decimal places as the numbers published.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from cloven.data.table import Attribute, Table
from cloven.errors import ParameterError
from cloven.kinds.tables.buckets import Buckets, cell_sizes
from cloven.kinds.tables.cells import are_ranges
from cloven.kinds.tables.release import CellDomain, GeneralisedTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Floats
    from cloven.data.table import Role
    from cloven.kinds.tables.release import TableRelease


_EXACT = 2.0**53  # up to here, every whole number is a float


def reconstruct_table(release: TableRelease, rng: np.random.Generator) -> Table:
    """One plausible table; its rows stand bucket by bucket, or class by class.

    None of its rows is a person's but by chance. What is true of all such tables is what the release tells.

    >>> import cloven as cv
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 24, 30, 33], "ill": ["flu", "gout", "flu", "gout"]})
    >>> table = cv.read_table(people, cv.Schema.of(["age"], ["ill"]))
    >>> drawn = reconstruct_table(cv.Mondrian(k=2).anonymise(table).release, np.random.default_rng(1))
    >>> [drawn.row(row) for row in range(2)]
    [('21', 'flu'), ('24', 'gout')]
    """
    cells = paired_cells(release, rng)
    columns = [_drawn(domain, cells[:, place], rng) for place, domain in enumerate(release.domains)]
    codes = [codes for _, codes in columns]
    return Table(
        tuple(attribute for attribute, _ in columns),
        np.column_stack(codes) if codes else np.empty((len(cells), 0), np.int32),
        np.arange(len(cells)),
    )


def _drawn(
    domain: CellDomain, cells: NDArray[np.int32], rng: np.random.Generator
) -> tuple[Attribute, NDArray[np.int32]]:
    """One attribute, and a value for each of the cells."""
    values = drawn_values(domain, cells, rng)
    role: Role = "sensitive" if domain.sensitive else "quasi-identifier"
    if domain.numbers is None:
        return Attribute(domain.name, role, domain.values), values
    places = _decimal_places([domain.values[value] for value in np.unique(domain.members).tolist()])
    edges = domain.member_offsets
    first, last = domain.members[edges[:-1]], domain.members[edges[1:] - 1]
    inside = (are_ranges(domain) & (first < last))[cells]
    numbers = domain.numbers[values]
    numbers[inside] = _between(
        domain.numbers[first[cells[inside]]], domain.numbers[last[cells[inside]]], places, rng
    )
    found, codes = np.unique(numbers, return_inverse=True)
    called = dict(zip(domain.numbers.tolist(), domain.values, strict=True))
    texts = tuple(called.get(number) or _text(number, places) for number in found.tolist())
    return Attribute(domain.name, role, texts, found), codes.astype(np.int32)


def _decimal_places(texts: list[str]) -> int:
    """Most digits that stand after a decimal point."""
    exponents = (Decimal(text).normalize().as_tuple().exponent for text in texts)
    return max(0, *(-exponent for exponent in exponents if isinstance(exponent, int)), 0)


def _between(low: Floats, high: Floats, places: int, rng: np.random.Generator) -> Floats:
    """Numbers between two ends, each as likely; any, where so many places are finer than numbers are told apart."""
    scale = 10.0 ** min(places, 300)
    if len(low) and max(np.abs(low).max(), np.abs(high).max()) >= _EXACT / scale:
        return low + (high - low) * rng.random(len(low))
    steps = rng.integers(np.rint(low * scale).astype(np.int64), np.rint(high * scale).astype(np.int64) + 1)
    return np.clip(steps / scale, low, high)


def _text(number: float, places: int) -> str:
    return f"{number:.{places}f}" if abs(number) < _EXACT and places <= 15 else repr(number)


# Read a release as somebody who works with it: draw a table that it may stand for.
#
# The parts of each bucket are paired at random, and each cell becomes one of its values.


def drawn_rows(release: TableRelease, rng: np.random.Generator) -> NDArray[np.int32]:
    """Rows x attributes: values (positions in the domains) of one table that the release may stand for."""
    cells = paired_cells(release, rng)
    rows = np.empty_like(cells)
    for place, domain in enumerate(release.domains):
        rows[:, place] = drawn_values(domain, cells[:, place], rng)
    return rows


def paired_cells(release: TableRelease, rng: np.random.Generator) -> NDArray[np.int32]:
    """Rows x attributes: cells, with the parts of each bucket paired at random."""
    buckets = Buckets.of(release)
    cells = np.empty_like(buckets.cells)
    for column in buckets.columns:
        order = np.lexsort((rng.random(len(cells)), buckets.bucket_of_row))
        cells[:, column] = buckets.cells[order][:, column]
    return cells


def drawn_values(domain: CellDomain, cells: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.int32]:
    """One of the values of each cell, all as likely."""
    picked = domain.member_offsets[cells] + rng.integers(0, cell_sizes(domain)[cells])
    values: NDArray[np.int32] = domain.members[picked]
    return values


# The original table in the shape of a release, so that every measure has a reference.


def untouched(table: Table) -> GeneralisedTable:
    """All rows as they are: each cell is one value. For measuring only: this protects nobody."""
    places = [place for place, attribute in enumerate(table.attributes) if attribute.role != "ignored"]
    cells = table.codes[:, places]
    if (cells < 0).any():
        message = f"{int((cells < 0).sum()):,} values are missing; measure rows that have all values"
        raise ParameterError(message)
    order = np.lexsort(cells.T[::-1])
    domains = tuple(_domain(table.attributes[place]) for place in places)
    return GeneralisedTable(1, {"method": "original", "unsafe": True}, domains, cells[order])


def _domain(attribute: Attribute) -> CellDomain:
    each = np.arange(len(attribute.values))
    return CellDomain(
        name=attribute.name,
        sensitive=attribute.role == "sensitive",
        values=attribute.values,
        numbers=attribute.numbers,
        labels=attribute.values,
        member_offsets=np.arange(len(each) + 1, dtype=np.int64),
        members=each.astype(np.int32),
    )
