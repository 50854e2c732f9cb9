"""Vertical partition: attributes that hang together share a column (Li et al., IEEE TKDE 24(3), 2012, section 4.1).

Distance of two attributes is ``1 - r^2`` with the mean-square contingency coefficient ``r^2``, or ``1 - r``. Each
sensitive attribute first takes the quasi-identifiers closest to it; the others are clustered around medoids.

The upper/lower-level method (BinJubier et al. 2022, section 3.3) parts the columns further: ``T*`` holds those whose
attributes hang together, ``T**`` those that do not and are therefore protected. The paper draws no line. Here columns
below the median of the mean ``r`` inside a column are *loose*; a column of one attribute has nothing inside that hangs
together, so it counts as 0 and is always loose. If that leaves none, the weakest column is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Floats, Longs
    from cloven.data.table import Attribute, Table


Distance = Literal["1-r2", "1-r"]
Together = Literal["separately", "jointly"]
Column = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Columns:
    """A vertical partition of the published attributes, by their positions in the table.

    Attributes:
        correlated: columns of quasi-identifiers that hang together (T*), the closest first.
        loose: the other columns of quasi-identifiers (T**).
        sensitive: columns with a sensitive attribute, after the quasi-identifiers that it takes along.
        medoids: for each attribute the one that stands in the middle of its column.
    """

    correlated: tuple[Column, ...]
    loose: tuple[Column, ...]
    sensitive: tuple[Column, ...]
    medoids: dict[int, int]

    @property
    def all(self) -> tuple[Column, ...]:
        """Every column, sensitive ones last."""
        return self.correlated + self.loose + self.sensitive


def attribute_columns(
    table: Table,
    association: Floats,
    count: int | None = None,
    *,
    companions: int = 0,
    together: Together = "separately",
    distance: Distance = "1-r2",
) -> Columns:
    """Cut the attributes into columns.

    Args:
        table: the rows.
        association: squared coefficient of every two attributes of the table.
        count: columns besides the sensitive ones; None makes them hold two attributes on average.
        companions: quasi-identifiers that stand beside each sensitive attribute, the closest ones.
        together: whether sensitive attributes get a column each, or one ``jointly``.
        distance: ``1-r2`` or ``1-r``.
    """
    apart = 1.0 - (association if distance == "1-r2" else np.sqrt(association))
    free = list(table.positions("quasi-identifier"))
    sensitive: list[Column] = []
    for group in _sensitive_groups(table, together):
        taken = _closest(apart, free, group, companions, table)
        free = [place for place in free if place not in taken]
        sensitive.append((*taken, *group))
    wanted = max(1, (len(free) + 1) // 2) if count is None else count
    if not free:
        return _parted((), tuple(sensitive), association)
    if not 1 <= wanted <= len(free):
        message = (
            f"columns = {wanted} cannot be made of {len(free)} quasi-identifiers that stand beside no sensitive"
            f" attribute; choose 1 to {len(free)}"
        )
        raise ParameterError(message)
    places = np.array(free)
    _, label = k_medoids(apart[np.ix_(places, places)], wanted)
    found = tuple(tuple(places[label == number].tolist()) for number in range(wanted))
    return _parted(found, tuple(sensitive), association)


def named_columns(table: Table, association: Floats, names: Sequence[Sequence[str]]) -> Columns:
    """Columns that the owner chose, by the names of their attributes; each published one must stand in one of them.

    Of two attributes in a column the first named is its middle.
    """
    published = {
        attribute.name: place
        for place, attribute in enumerate(table.attributes)
        if attribute.role != "ignored"
    }
    listed = [name for column in names for name in column]
    for name in listed:
        if name not in published:
            message = f"columns name {name!r}, which is not published; choose from {', '.join(published)}"
            raise ParameterError(message)
        if listed.count(name) > 1:
            message = f"columns name {name!r} {listed.count(name)} times; each attribute stands in one column"
            raise ParameterError(message)
    missing = [name for name in published if name not in listed]
    if missing:
        message = f"columns leave out {', '.join(missing)}; add them, or ignore them in the schema"
        raise ParameterError(message)
    secret = set(table.positions("sensitive"))
    columns = [tuple(published[name] for name in column) for column in names if column]
    ordered = [tuple(sorted(column, key=lambda place: place in secret)) for column in columns]
    known = tuple(column for column in ordered if not secret & set(column))
    return _parted(known, tuple(column for column in ordered if secret & set(column)), association)


def _sensitive_groups(table: Table, together: Together) -> list[Column]:
    secret = table.positions("sensitive")
    return [secret] if together == "jointly" and secret else [(place,) for place in secret]


def _closest(apart: Floats, free: list[int], group: Column, companions: int, table: Table) -> Column:
    """The free attributes nearest to any of a group of sensitive ones."""
    if companions > len(free):
        names = ", ".join(table.attributes[place].name for place in group)
        message = (
            f"companions = {companions} is more than the {len(free)} quasi-identifiers left for {names};"
            f" choose at most {len(free)}"
        )
        raise ParameterError(message)
    nearest = sorted(free, key=lambda place: (apart[place, list(group)].min(), place))
    return tuple(sorted(nearest[:companions]))


def _parted(known: tuple[Column, ...], sensitive: tuple[Column, ...], association: Floats) -> Columns:
    """T* and T**, closest columns first."""
    strength = {column: _mean_inside(column, association) for column in known}
    ordered = sorted(known, key=lambda column: (-strength[column], column))
    median = float(np.median(list(strength.values()))) if known else 0.0
    loose = [column for column in ordered if len(column) == 1 or strength[column] < median] or ordered[-1:]
    medoids = {place: _middle(column, association) for column in known for place in column}
    correlated = tuple(column for column in ordered if column not in loose)
    return Columns(correlated, tuple(loose), sensitive, medoids)


def _mean_inside(column: Column, association: Floats) -> float:
    """Mean of r over the pairs of a column; 0 where there is no pair."""
    upper = np.triu_indices(len(column), 1)
    found = np.sqrt(association[np.ix_(column, column)][upper])
    return float(found.mean()) if len(found) else 0.0


def _middle(column: Column, association: Floats) -> int:
    """The attribute that hangs together with the others most; the first of equals."""
    return column[int(association[np.ix_(column, column)].sum(axis=1).argmax())]


# How strongly two attributes hang together: the mean-square contingency coefficient (Cramér 1946, chapter 21).
#
# With shares ``f`` of the rows,
#
# phi^2 = sum over values i, j of (f_ij - f_i f_j)^2 / (f_i f_j)
#
# which is the sum of ``f_ij^2 / (f_i f_j)`` over the pairs that meet, less 1, lies between 0 and ``min(d1, d2) - 1``
# for attributes that show ``d1`` and ``d2`` values. Dividing by that bound gives ``min-1``, the usual coefficient.
# BinJubier et al. (2022, equation 1) divide by ``min(d1, d2)``, under which two equal attributes of two values reach
# 0.5 and nothing reaches 1: ``min``. Which pair is the stronger can depend on it.


Normalisation = Literal["min-1", "min"]


def contingency(
    left: NDArray[np.int32], right: NDArray[np.int32], normalisation: Normalisation = "min-1"
) -> float:
    """Mean-square contingency coefficient of two columns of codes; 0 if one of them shows a single value.

    >>> two_equal = np.array([0, 0, 1, 1], np.int32)
    >>> contingency(two_equal, two_equal), contingency(two_equal, two_equal, "min")
    (1.0, 0.5)
    """
    (_, one, ones), (_, two, twos) = (
        np.unique(codes, return_inverse=True, return_counts=True) for codes in (left, right)
    )
    fewer = min(len(ones), len(twos))
    if fewer == 1:
        return 0.0
    pairs, counts = np.unique(one * len(twos) + two, return_counts=True)
    rows, columns = np.divmod(pairs, len(twos))
    phi_squared = float((counts / ones[rows] * (counts / twos[columns])).sum()) - 1.0
    return max(0.0, phi_squared) / (fewer - 1 if normalisation == "min-1" else fewer)


def association(
    table: Table, *, normalisation: Normalisation = "min-1", bins: int = 10, by: BinsBy = "width"
) -> Floats:
    """Coefficient of every two attributes, numbers in bins; 1 for an attribute with itself, 0 for ignored ones.

    Args:
        table: the rows.
        normalisation: what phi^2 is divided by.
        bins: number of bins that numbers are put into.
        by: bins of equal ``width`` or of equal ``frequency``.
    """
    codes = binned(table, bins, by)
    found = np.eye(len(table.attributes))
    used = [place for place, attribute in enumerate(table.attributes) if attribute.role != "ignored"]
    for number, left in enumerate(used):
        for right in used[number + 1 :]:
            found[left, right] = contingency(codes[:, left], codes[:, right], normalisation)
            found[right, left] = found[left, right]
    return found


# k-medoids: PAM (Kaufman and Rousseeuw 1990), with the swap step of FasterPAM.
#
# BUILD takes, one by one, the medoid that lowers the sum of distances most. Swapping then exchanges a medoid for
# another point as long as that lowers the sum; what every exchange would gain is found for all medoids at once, from
# the nearest and second nearest medoid of each point (Schubert and Rousseeuw, Information Systems 101, 2021, section
# 4). Ties go to the lower number, so the result depends on the distances alone.


SMALLEST_GAIN = 1e-12
"""Gains below this are rounding."""


def k_medoids(distance: Floats, count: int) -> tuple[Longs, Longs]:
    """Medoids, ascending, and for each point the position of its medoid among them.

    >>> distance = np.abs(np.subtract.outer([0.0, 1, 2, 10, 11], [0.0, 1, 2, 10, 11]))
    >>> medoids, nearest = k_medoids(distance, 2)
    >>> medoids.tolist(), nearest.tolist()
    ([1, 3], [0, 0, 0, 1, 1])
    """
    medoids = _build(distance, count)
    while _swap(distance, medoids):
        pass
    found = np.sort(np.array(medoids, np.int64))
    nearest = distance[:, found].argmin(axis=1)
    nearest[found] = np.arange(count)  # a medoid at distance 0 from another still is its own
    return found, nearest


def _build(distance: Floats, count: int) -> list[int]:
    medoids = [int(distance.sum(axis=0).argmin())]
    nearest = distance[:, medoids[0]].copy()
    while len(medoids) < count:
        gain = np.maximum(nearest[:, None] - distance, 0).sum(axis=0)
        gain[medoids] = -1
        medoids.append(int(gain.argmax()))
        nearest = np.minimum(nearest, distance[:, medoids[-1]])
    return medoids


def _swap(distance: Floats, medoids: list[int]) -> bool:
    """Walk once over all points, taking every exchange that gains; whether there was one."""
    exchanged = False
    for point in range(len(distance)):
        if point in medoids:
            continue
        gains = _gains(distance, medoids, point)
        best = int(gains.argmax())
        if gains[best] > SMALLEST_GAIN:
            medoids[best] = point
            exchanged = True
    return exchanged


def _gains(distance: Floats, medoids: list[int], point: int) -> Floats:
    """What the sum of distances loses if the point takes the place of each medoid."""
    to_medoids = distance[:, medoids]
    owner = to_medoids.argmin(axis=1)
    rows = np.arange(len(distance))
    nearest = to_medoids[rows, owner]
    to_medoids = to_medoids.copy()
    to_medoids[rows, owner] = np.inf
    second = to_medoids.min(axis=1)
    now = distance[:, point]
    gains = np.full(len(medoids), np.maximum(nearest - now, 0).sum())
    # Points that lose their medoid go to the second nearest or to the new one.
    losing = nearest - np.minimum(second, now) - np.maximum(nearest - now, 0)
    np.add.at(gains, owner, losing)
    return gains


# Numbers in bins, for whatever counts values: a number is too fine to be counted as it stands.
#
# Equal width is what slicing takes (Li, Li, Zhang, Molloy, IEEE TKDE 24(3), 2012, section 4.1); equal frequency suits
# skewed numbers.


def numbered(columns: Sequence[NDArray[np.int32]], rows: int) -> Longs:
    """One number for each distinct row of some columns of codes, ascending with the rows."""
    found = np.zeros(rows, np.int64)
    for column in columns:
        found = np.unique(found * (int(column.max()) + 1) + column, return_inverse=True)[1]
    return found


BinsBy = Literal["width", "frequency"]


def value_bins(attribute: Attribute, codes: NDArray[np.int32], bins: int, by: BinsBy = "width") -> Longs:
    """Bin of each value of an attribute; numbers with more than ``bins`` values share bins, others keep their own.

    Args:
        attribute: whose domain it is.
        codes: the rows; bins span the values that they hold.
        bins: number of bins.
        by: bins of equal ``width``, or of about equal ``frequency``.
    """
    counts = np.bincount(codes, minlength=len(attribute))
    if attribute.numbers is None or np.count_nonzero(counts) <= bins:
        return np.arange(len(attribute), dtype=np.int64)
    if by == "width":
        there = attribute.numbers[counts > 0]
        edges = np.linspace(there[0], there[-1], bins + 1)[1:-1]
        return np.searchsorted(edges, attribute.numbers, side="right").astype(np.int64)
    # A value goes where its middle row goes, so equal numbers are never parted.
    middle = np.cumsum(counts) - counts / 2
    place: Longs = np.minimum((middle * bins / counts.sum()).astype(np.int64), bins - 1)
    return place


def binned(table: Table, bins: int, by: BinsBy = "width") -> NDArray[np.int32]:
    """Codes of a table with numbers in bins: rows x attributes, numbered without gaps by what occurs."""
    out = np.empty(table.codes.shape, np.int32)
    for position, attribute in enumerate(table.attributes):
        codes = table.codes[:, position]
        if attribute.role != "ignored":
            coarse = value_bins(attribute, codes, bins, by)[codes]
            out[:, position] = np.unique(coarse, return_inverse=True)[1]
    return out
