"""Distance of pair distributions: what exchanging and permuting values does to which values go together.

Total variation distance between the pairs of the original and the expected pairs of the release, for every two
attributes: 0 if nothing has changed, 1 if no pair is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import Flags, Floats, Ints, Longs, compiled
from cloven.data.arrays import row_numbers
from cloven.errors import ParameterError
from cloven.kinds.tables.buckets import Buckets, positions_of
from cloven.kinds.tables.cells import CellRuns, understood_by
from cloven.kinds.tables.reconstruction import drawn_rows

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.data.table import Attribute, Table
    from cloven.kinds.tables.release import TableRelease

    Rule = Mapping[str, Collection[str]]
    """Values that cannot meet in one row, by attribute, such as {"relationship": ["Wife"], "sex": ["Male"]}."""


@dataclass(frozen=True)
class PairDistance:
    """How far the pairs of two attributes are from those of the original.

    Attributes:
        first: an attribute.
        second: another one.
        distance: total variation distance, 0 to 1.
        invented: share of the published pairs that the original does not hold at all.
        sensitive: whether one of the two is sensitive.
    """

    first: str
    second: str
    distance: float
    invented: float
    sensitive: bool


def pair_distances(table: Table, release: TableRelease) -> tuple[PairDistance, ...]:
    """Distance of every two published attributes."""
    buckets = Buckets.of(understood_by(release, table)).with_rows()
    names = [attribute.name for attribute in table.attributes]
    found = []
    for one, two in combinations(range(len(buckets.domains)), 2):
        domains = (buckets.domains[one], buckets.domains[two])
        first, second = (names.index(domain.name) for domain in domains)
        pairs, original = original_pairs(table, first, second)
        places = [
            check_domain(buckets, one, table.attributes[first]),
            check_domain(buckets, two, table.attributes[second]),
        ]
        asked = np.column_stack([place[pairs[:, axis]] for axis, place in enumerate(places)])
        published = joint_at(buckets, one, two, asked)
        # All that is published sums to 1, so pairs of nobody need not be listed: they are what is left of it.
        common = min(1.0, float(published.sum()))
        found.append(
            PairDistance(
                domains[0].name,
                domains[1].name,
                (float(np.abs(original - published).sum()) + 1.0 - common) / 2,
                1.0 - common,
                any(domain.sensitive for domain in domains),
            )
        )
    return tuple(found)


def mean_distance(distances: tuple[PairDistance, ...]) -> float | None:
    """Mean over pairs; None if there is no pair."""
    return sum(each.distance for each in distances) / len(distances) if distances else None


# How often two values go together according to a release.
#
# Inside a column pairs are published; across columns the parts of a bucket are paired at random, so the expected number
# is the product of both counts by the rows of the bucket. Values inside a cell are taken as equally likely.


def published_joint(buckets: Buckets, first: int, second: int) -> Floats:
    """Values x values: expected shares of two attributes' pairs; sums to 1."""
    one, two = (CellRuns.of(buckets.domains[place]) for place in (first, second))
    cells = _cell_pairs(buckets, first, second)
    return one.over_values(two.over_values(cells.T.toarray()).T)


def joint_at(buckets: Buckets, first: int, second: int, pairs: Longs) -> Floats:
    """Expected share of some pairs of values (positions in the domains), without looking at any other pair.

    Every pair of cells is a rectangle in the plane of both domains, or some, if values between them are missing.
    """
    one, two = (CellRuns.of(buckets.domains[place]) for place in (first, second))
    cells = _cell_pairs(buckets, first, second).tocoo()
    left, right = cells.coords
    if one.single and two.single:
        return _looked_up(
            one.first[left] * two.values + two.first[right],
            cells.data,
            pairs[:, 0] * two.values + pairs[:, 1],
        )
    some, many = np.diff(one.offsets)[left], np.diff(two.offsets)[right]
    which = np.repeat(np.arange(len(left)), some * many)
    number = np.arange(len(which)) - np.repeat(np.cumsum(some * many) - some * many, some * many)
    across = one.offsets[left[which]] + number // many[which]
    up = two.offsets[right[which]] + number % many[which]
    rectangles = np.column_stack([one.first[across], one.last[across], two.first[up], two.last[up]])
    weight = (cells.data / (one.sizes[left] * two.sizes[right]))[which]
    return weight_at(
        pairs,
        np.argsort(pairs[:, 0], kind="stable"),
        rectangles,
        np.argsort(rectangles[:, 0], kind="stable"),
        np.argsort(rectangles[:, 1], kind="stable"),
        weight,
        two.values,
    )


def _looked_up(keys: Longs, data: Floats, asked: Longs) -> Floats:
    order = np.argsort(keys)
    place = np.minimum(np.searchsorted(keys[order], asked), len(keys) - 1)
    return np.where(keys[order][place] == asked, data[order][place], 0.0)


def original_pairs(table: Table, first: int, second: int) -> tuple[Longs, Floats]:
    """Pairs of values (positions in the domains) of two attributes of the original, and their shares."""
    width = len(table.attributes[second])
    keys = table.codes[:, first].astype(np.int64) * width + table.codes[:, second]
    found, counts = np.unique(keys, return_counts=True)
    return np.column_stack([found // width, found % width]), counts / len(table)


def check_domain(buckets: Buckets, place: int, attribute: Attribute) -> Longs:
    """Where each value of the original stands in the domain of a release, which must not know impossible values.

    A release may know more than the rows hold: rows that noise has put where nobody is show numbers that the owner
    states as possible.
    """
    values = buckets.domains[place].values
    strange = (positions_of(values, attribute.values) < 0) & ~_possible(values, attribute)
    if strange.any():
        value = values[int(np.flatnonzero(strange)[0])]
        message = (
            f"the release knows {attribute.name} = {value!r} and the original does not; compare a release with the"
            " table that it was made of"
        )
        raise ParameterError(message)
    return positions_of(attribute.values, values)


def _possible(values: tuple[str, ...], attribute: Attribute) -> Flags:
    """Numbers at which a block of the owner's begins or ends."""
    if attribute.blocks is None:
        return np.zeros(len(values), np.bool_)
    ends = np.concatenate([attribute.blocks.lows, attribute.blocks.highs])
    found: Flags = np.isin(np.array(values, np.float64), ends)
    return found


def _cell_pairs(buckets: Buckets, first: int, second: int) -> Any:
    """Cells x cells (sparse): expected shares of pairs of cells."""
    from scipy.sparse import csr_array

    rows = len(buckets.cells)
    if buckets.column_of(first) == buckets.column_of(second):
        shape = tuple(len(buckets.domains[place].labels) for place in (first, second))
        places = (buckets.cells[:, first], buckets.cells[:, second])
        return csr_array((np.full(rows, 1.0 / rows), places), shape=shape)
    left, right = (buckets.cell_counts(place) for place in (first, second))
    left.data = left.data * np.repeat(1.0 / (buckets.sizes * rows), np.diff(left.indptr))
    return (left.T @ right).tocsr()


# Compiled: how much weight lies on some points of a plane, where the weight is given as rectangles.


@compiled
def _add(tree: NDArray[Any], place: int, amount: float) -> None:  # pragma: no cover - compiled
    at = place + 1
    while at < len(tree):
        tree[at] += amount
        at += at & -at


@compiled
def _sum(tree: NDArray[Any], place: int) -> float:  # pragma: no cover - compiled
    total, at = 0.0, place + 1
    while at > 0:
        total += tree[at]
        at -= at & -at
    return total


@compiled
def weight_at(
    points: Ints,
    order: Ints,
    rectangles: Ints,
    opening: Ints,
    closing: Ints,
    weight: NDArray[Any],
    height: int,
) -> Floats:  # pragma: no cover - compiled
    """Sum of the weights of the rectangles that hold each point.

    A line sweeps over the first coordinate; a Fenwick tree over the second holds the rectangles that it cuts.

    Args:
        points: points x 2.
        order: points by their first coordinate.
        rectangles: rectangles x 4: first and last of the first coordinate, then of the second.
        opening: rectangles by where they start.
        closing: rectangles by where they end.
        weight: weight of each rectangle at each of its points.
        height: how many values the second coordinate has.
    """
    tree = np.zeros(height + 2, np.float64)
    found = np.zeros(len(points), np.float64)
    opened, closed = 0, 0
    for point in order:
        at = points[point, 0]
        while opened < len(opening) and rectangles[opening[opened], 0] <= at:
            one = opening[opened]
            _add(tree, rectangles[one, 2], weight[one])
            _add(tree, rectangles[one, 3] + 1, -weight[one])
            opened += 1
        while closed < len(closing) and rectangles[closing[closed], 1] < at:
            one = closing[closed]
            _add(tree, rectangles[one, 2], -weight[one])
            _add(tree, rectangles[one, 3] + 1, weight[one])
            closed += 1
        found[point] = max(0.0, _sum(tree, points[point, 1]))
    return found


# Invalid tuples: combinations that a release suggests and that cannot be, or never were.
#
# The case of BinJubier et al. (2022, section 2) against slicing: permuting parts makes husbands female. A table that
# the release may stand for is drawn (``reconstruction``) and its rows are held against the original and against rules.


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
    release: TableRelease,
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


def _at_original(rows: NDArray[np.int32], buckets: Buckets, table: Table, places: list[int]) -> Longs:
    """Drawn rows with the codes of the original; values that it does not know are -2."""
    columns = [
        positions_of(domain.values, table.attributes[place].values)[rows[:, number]]
        for number, (domain, place) in enumerate(zip(buckets.domains, places, strict=True))
    ]
    return np.column_stack(columns)


def _strange_pairs(original: Longs, rows: Longs, widths: list[int]) -> Flags:
    strange: Flags = np.any(rows < 0, axis=1)
    for one, two in combinations(range(len(widths)), 2):
        there = np.unique(original[:, one] * widths[two] + original[:, two])
        strange = strange | ~np.isin(rows[:, one] * widths[two] + rows[:, two], there)
    return strange


def _absent(original: Longs, rows: Longs) -> Flags:
    """Rows that do not stand in the original."""
    both = np.vstack([original, rows])
    group = row_numbers(both)
    return ~np.isin(group[len(original) :], group[: len(original)])


def _broken(rows: Longs, table: Table, places: list[int], rules: Sequence[Rule]) -> Flags:
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


def _codes(table: Table, place: int, values: Collection[str]) -> Longs:
    attribute = table.attributes[place]
    codes = positions_of(tuple(values), attribute.values)
    # A rule may speak of values that these rows do not have.
    return codes[codes >= 0]
