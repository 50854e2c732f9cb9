"""Do the groups keep to the constraints that the parameters promise: l-diversity and t-closeness?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.verification.faults import Fault, conclude, spot
from cloven.verification.tables.groups import group_of_row, number_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.published_table import GeneralisedTable, Sliced
    from cloven.verification.tables.promise import Demand, Promise
    from cloven.verification.verdict import Check

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
