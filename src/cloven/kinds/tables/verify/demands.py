"""Do the groups keep to the constraints that the parameters promise: l-diversity and t-closeness?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.kinds.tables.release import Sliced
from cloven.verification.verdict import NOT_CHECKED, Check, Fault, conclude, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.data.table import Table
    from cloven.kinds.tables.key import TableKey
    from cloven.kinds.tables.release import GeneralisedTable
    from cloven.kinds.tables.verify.promise import Demand, Promise


ROUNDING = 1e-9


def check_demands(release: GeneralisedTable | Sliced, promise: Promise) -> list[Check]:
    """One check for each promised constraint, of each group of attributes it speaks of."""
    return [_check_demand(release, demand) for demand in promise.demands]


def _check_demand(release: GeneralisedTable | Sliced, demand: Demand) -> Check:
    secret = {domain.name: place for place, domain in enumerate(release.domains) if domain.sensitive}
    listed = demand.attributes
    title = f"{demand.name} of {', '.join(listed)}" if listed else demand.name
    if not demand.clear:
        fault = Fault(1, f"the promise {demand.told} cannot be understood")
        return conclude(title, "release", 0, [fault], "")
    if not listed or not set(listed) <= set(secret):
        told = f"it speaks of {list(listed)!r}, which are not the sensitive attributes {sorted(secret)}"
        return conclude(title, "release", 0, [Fault(1, told)], "")
    places = sorted(secret[each] for each in listed)
    counts = counted(group_of_row(release), release.cells[:, places])
    reached, wanted, falls_short = MEASURED[demand.name](counts, demand)
    if demand.harmless or demand.within:
        reached, wanted, falls_short = _by_harm(release, demand, places[0])
    fault = spot(falls_short, lambda at: f"group {at} has {reached[at]:.4g}, promised is {wanted}")
    worst = reached.max() if demand.name == "t-closeness" else reached.min()
    told = f"{worst:.4g} at the worst, promised is {wanted}"
    told = f"no group has a harmful value; promised is {wanted}" if np.isinf(worst) else told
    if len(listed) > 1:
        told += " of the combination; this says nothing of single attributes"
    return conclude(title, "release", len(counts), [fault], told)


def counted(group: NDArray[np.int64], values: NDArray[np.int32]) -> NDArray[np.int64]:
    """How often each combination of values stands in each group; columns in the order of the values."""
    codes = number_rows(values)
    table = np.zeros((int(group.max()) + 1, int(codes.max()) + 1), np.int64)
    np.add.at(table, (group, codes), 1)
    return table


def _by_harm(release: GeneralisedTable | Sliced, demand: Demand, place: int) -> Measured:
    """Different values of each group where near numbers are one; a group without a harmful value has enough."""
    domain = release.domains[place]
    values = [
        domain.values[domain.members[domain.member_offsets[cell]]] for cell in range(len(domain.labels))
    ]
    number = [float(value) if demand.within else 0.0 for value in values]
    groups: dict[int, set[int]] = {}
    for group, cell in zip(group_of_row(release).tolist(), release.cells[:, place].tolist(), strict=True):
        groups.setdefault(group, set()).add(cell)
    reached = np.zeros(len(groups))
    for group, cells in groups.items():
        if all(values[cell] in demand.harmless for cell in cells):
            reached[group] = np.inf
        elif not demand.within:
            reached[group] = len(cells)
        else:
            reached[group] = _windows(sorted(number[cell] for cell in cells), demand)
    return reached, f"{demand.l} different values", reached < demand.l


def _windows(numbers: list[float], demand: Demand) -> int:
    """How many stretches of near numbers it takes to cover all of them; as many lie apart from each other."""
    found, start = 0, None
    for number in numbers:
        width = demand.within * max(abs(number), abs(start or 0.0)) if demand.relative else demand.within
        if start is None or number - start > width + ROUNDING * max(1.0, abs(number)):
            found, start = found + 1, number
    return found


Measured = tuple["NDArray[np.float64]", str, "NDArray[np.bool_]"]


def _distinct(counts: NDArray[np.int64], demand: Demand) -> Measured:
    reached = (counts > 0).sum(axis=1).astype(np.float64)
    return reached, f"{demand.l} different values", reached < demand.l


def _entropy(counts: NDArray[np.int64], demand: Demand) -> Measured:
    shares = counts / counts.sum(axis=1, keepdims=True)
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    reached = np.exp(-(shares * logs).sum(axis=1))
    return reached, f"an entropy of {demand.l} values", reached < demand.l * (1 - ROUNDING)


def _recursive(counts: NDArray[np.int64], demand: Demand) -> Measured:
    """What is reached is c' = tail / most frequent, which must be above 1 / c."""
    ordered = -np.sort(-counts, axis=1)
    tail = ordered[:, int(demand.l) - 1 :].sum(axis=1)
    reached = tail / ordered[:, 0]
    wanted = f"above 1/{demand.c} of the most frequent from rank {demand.l} on"
    return reached, wanted, ~(ordered[:, 0] < demand.c * tail)


def _closeness(counts: NDArray[np.int64], demand: Demand) -> Measured:
    difference = counts / counts.sum(axis=1, keepdims=True) - counts.sum(axis=0) / counts.sum()
    if demand.ordered:
        carried = np.abs(np.cumsum(difference, axis=1)).sum(axis=1)
        reached = carried / max(1, counts.shape[1] - 1)
    else:
        reached = np.abs(difference).sum(axis=1) / 2
    return reached, f"t = {demand.t}", reached > demand.t + ROUNDING


MEASURED = {
    "distinct-l": _distinct,
    "entropy-l": _entropy,
    "recursive-l": _recursive,
    "t-closeness": _closeness,
}


# Groups of published rows that nobody can tell apart, and how large they are.


def group_of_row(release: GeneralisedTable | Sliced) -> NDArray[np.int64]:
    """Bucket of each row, or class of rows with the same cells of quasi-identifiers."""
    if isinstance(release, Sliced):
        return np.repeat(np.arange(release.buckets), np.diff(release.bucket_offsets))
    known = [number for number, domain in enumerate(release.domains) if not domain.sensitive]
    return number_rows(release.cells[:, known])


def number_rows(rows: NDArray[np.int32]) -> NDArray[np.int64]:
    """Equal numbers for equal rows, from 0."""
    found = np.zeros(len(rows), np.int64)
    for column in rows.T:
        values, codes = np.unique(column, return_inverse=True)
        found = np.unique(found * len(values) + codes, return_inverse=True)[1]
    return found


def check_sizes(release: GeneralisedTable | Sliced) -> Check:
    """Every group has at least k rows."""
    what = "bucket" if isinstance(release, Sliced) else "class"
    sizes = np.bincount(group_of_row(release))
    fault = spot(sizes < release.k, lambda at: f"{what} {at} has {sizes[at]} rows, k is {release.k}")
    least = int(sizes.min(initial=len(release)))  # 0 where noise has left no row
    otherwise = f"{len(sizes):,} of at least {least} rows, k is {release.k}"
    return conclude(f"{what} size", "release", len(sizes), [fault], otherwise)


# Where somebody has several rows: k distinct persons in every class, not only k rows.


NAME = "persons counted"


def check_table_persons(
    release: GeneralisedTable | Sliced, original: Table | None, key: TableKey | None
) -> list[Check]:
    """What the release says about persons against original and key; no check where nobody speaks of persons."""
    claimed = release.parameters.get("persons") is True
    if original is None:
        told = f"{NOT_CHECKED}: that k persons, not only k rows, stand in each class; give the original and the key"
        return [Check(NAME, "release", passed=True, examined=0, detail=told, decided=False)] * claimed
    several = original.persons is not None and len(set(original.persons.tolist())) < len(original)
    if not claimed and not several:
        return []
    if not claimed or original.persons is None or not several:
        said = (
            f"the release counts rows, and the {len(original):,} rows are of {original.people:,} persons; make it with"
            " the role person in the schema"
            if several
            else "the release says that persons were counted, and the original names none that have several rows;"
            " give their column the role person in the schema"
        )
        return [Check(NAME, "original", passed=False, examined=len(original), detail=said)]
    if key is None:
        told = f"{NOT_CHECKED}: the original names {original.people:,} persons; give the key too"
        return [Check(NAME, "original", passed=True, examined=original.people, detail=told, decided=False)]
    return [_counted(release, original.source_rows, original.persons, key)]


def _counted(
    release: GeneralisedTable | Sliced, rows: NDArray[np.int64], persons: NDArray[np.int64], key: TableKey
) -> Check:
    """Persons of each class, by the owner's key."""
    who = dict(zip(rows.tolist(), persons.tolist(), strict=True))
    groups: dict[int, set[int]] = {}
    for group, row in zip(group_of_row(release).tolist(), key.records[:, 0].tolist(), strict=True):
        groups.setdefault(group, set()).update({who[row]} if row in who else set())
    found = np.array([len(groups[group]) for group in sorted(groups)], np.int64)
    fault = spot(found < release.k, lambda at: f"class {at} has {found[at]} persons, k is {release.k}")
    return conclude(NAME, "key", len(found), [fault], f"every class has at least {release.k} persons")
