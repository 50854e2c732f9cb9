"""Invalid tuples: combinations that a release suggests and that cannot be, or never were.

The case of BinJubier et al. (2022, section 2) against slicing: permuting parts makes husbands female. A table that the
release may stand for is drawn (see ``reading``) and its rows are held against the original and against rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.measure.tables.reading import drawn_rows
from cloven.model.buckets import Buckets, positions_of
from cloven.model.row_numbers import row_numbers
from cloven.model.shown_cells import understood_by

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.model.published_table import GeneralisedTable, Sliced
    from cloven.model.table import Table

    Rule = Mapping[str, Collection[str]]
    """Values that cannot meet in one row, by attribute, such as {"relationship": ["Wife"], "sex": ["Male"]}."""


@dataclass(frozen=True)
class InvalidTuples:
    """Shares of the rows of a table that the release may stand for; means over several drawn ones.

    Attributes:
        pairs: rows with two values that never meet in the original.
        quasi_identifiers: rows whose quasi-identifiers, all together, nobody has in the original.
        rows_absent: rows that the original does not hold.
        against_rules: rows that break a rule; None without rules.
        original_against_rules: the same of the original itself.
        draws: how many tables were drawn.
    """

    pairs: float
    quasi_identifiers: float
    rows_absent: float
    against_rules: float | None
    original_against_rules: float | None
    draws: int


def invalid_tuples(
    table: Table,
    release: GeneralisedTable | Sliced,
    rng: np.random.Generator,
    *,
    rules: Sequence[Rule] = (),
    draws: int = 5,
) -> InvalidTuples:
    """Shares of invalid rows; ``draws`` says how many tables are drawn from the release."""
    if draws < 1:
        message = f"draws must be at least 1 (got {draws})"
        raise ParameterError(message)
    release = understood_by(release, table)
    buckets = Buckets.of(release).with_rows()
    places = [_place(table, name) for name in buckets.names]
    original = table.codes[:, places].astype(np.int64)
    widths = [len(table.attributes[place]) for place in places]
    shares = []
    for _ in range(draws):
        rows = _at_original(drawn_rows(release, rng), buckets, table, places)
        looks = list(buckets.quasi_identifiers)
        shares.append(
            (
                _strange_pairs(original, rows, widths).mean(),
                _absent(original[:, looks], rows[:, looks]).mean(),
                _absent(original, rows).mean(),
                _broken(rows, table, places, rules).mean(),
            )
        )
    means = np.mean(shares, axis=0).tolist()
    before = float(_broken(original, table, places, rules).mean())
    return InvalidTuples(
        means[0], means[1], means[2], means[3] if rules else None, before if rules else None, draws
    )


def _place(table: Table, name: str) -> int:
    names = [attribute.name for attribute in table.attributes]
    if name not in names:
        message = f"{name!r} is no attribute of the table; it has {', '.join(names)}"
        raise ParameterError(message)
    return names.index(name)


def _at_original(
    rows: NDArray[np.int32], buckets: Buckets, table: Table, places: list[int]
) -> NDArray[np.int64]:
    """Drawn rows with the codes of the original; values that it does not know are -2."""
    columns = [
        positions_of(domain.values, table.attributes[place].values)[rows[:, number]]
        for number, (domain, place) in enumerate(zip(buckets.domains, places, strict=True))
    ]
    return np.column_stack(columns)


def _strange_pairs(
    original: NDArray[np.int64], rows: NDArray[np.int64], widths: list[int]
) -> NDArray[np.bool_]:
    strange: NDArray[np.bool_] = np.any(rows < 0, axis=1)
    for one, two in combinations(range(len(widths)), 2):
        there = np.unique(original[:, one] * widths[two] + original[:, two])
        strange = strange | ~np.isin(rows[:, one] * widths[two] + rows[:, two], there)
    return strange


def _absent(original: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Rows that do not stand in the original."""
    both = np.vstack([original, rows])
    group = row_numbers(both)
    return ~np.isin(group[len(original) :], group[: len(original)])


def _broken(
    rows: NDArray[np.int64], table: Table, places: list[int], rules: Sequence[Rule]
) -> NDArray[np.bool_]:
    """Rows that break at least one rule."""
    broken = np.zeros(len(rows), np.bool_)
    for rule in rules:
        meets = np.ones(len(rows), np.bool_)
        for name, values in rule.items():
            place = _place(table, name)
            if place not in places:
                meets[:] = False
                break
            meets &= np.isin(rows[:, places.index(place)], _codes(table, place, values))
        broken |= meets
    return broken


def _codes(table: Table, place: int, values: Collection[str]) -> NDArray[np.int64]:
    attribute = table.attributes[place]
    codes = positions_of(tuple(values), attribute.values)
    # A rule may speak of values that these rows do not have.
    return codes[codes >= 0]
