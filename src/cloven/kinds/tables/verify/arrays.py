"""Are the arrays of a published table sound?"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import shorten
from cloven.kinds.tables.release import Sliced
from cloven.verification.verdict import Fault, conclude, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Longs
    from cloven.data.table import Attribute, Table
    from cloven.kinds.tables.release import CellDomain, TableRelease
    from cloven.verification.verdict import Check


def check_arrays(release: TableRelease) -> Check:
    """Types, lengths and ranges of everything in the release."""
    faults = [_k(release.k), *_names(release.domains)]
    faults += [fault for domain in release.domains for fault in _domain(domain)]
    faults += _cells(release)
    if isinstance(release, Sliced) and not any(fault.count for fault in faults):
        faults += _layout(release)
    rows = len(release)
    return conclude("arrays", "release", rows, faults, f"{rows:,} rows, all lengths and ranges sound")


def _k(k: object) -> Fault:
    whole = isinstance(k, int | np.integer) and not isinstance(k, bool) and k >= 1
    return Fault(int(not whole), f"k is {k!r}, not a whole number from 1")


def _names(domains: tuple[CellDomain, ...]) -> list[Fault]:
    names = [domain.name for domain in domains]
    twice = sorted({name for name in names if names.count(name) > 1})
    return [
        Fault(int(not names), "no attribute is published"),
        Fault(len(twice), f"attribute {shorten(twice[0]) if twice else ''} stands twice"),
    ]


def _whole(array: Any, dimensions: int) -> bool:
    return (
        isinstance(array, np.ndarray)
        and array.ndim == dimensions
        and bool(np.issubdtype(array.dtype, np.signedinteger))
    )


def _rising(what: str, offsets: Longs, end: int) -> list[Fault]:
    """Offsets from 0 to an end, nothing between them empty."""
    if not len(offsets) or int(offsets[0]) != 0 or int(offsets[-1]) != end:
        return [Fault(1, f"{what} do not run from 0 to {end:,}")]
    return [spot(np.diff(offsets) < 1, lambda at: f"{what}: entry {at} is empty")]


def _domain(domain: CellDomain) -> list[Fault]:
    """One attribute: its values ascend, its cells are distinct non-empty sets of them."""
    name = shorten(domain.name)
    if not (_whole(domain.member_offsets, 1) and _whole(domain.members, 1)):
        return [Fault(1, f"cells of {name} are not lists of whole numbers")]
    if len(domain.member_offsets) != len(domain.labels) + 1:
        return [
            Fault(1, f"{len(domain.labels):,} labels for {len(domain.member_offsets) - 1:,} cells of {name}")
        ]
    faults = _rising(f"cells of {name}", domain.member_offsets, len(domain.members))
    strange = (domain.members < 0) | (domain.members >= len(domain.values))
    faults.append(spot(strange, lambda at: f"a cell of {name} holds {domain.members[at]}: out of range"))
    faults += _values(domain)
    if not any(fault.count for fault in faults):
        cell = np.repeat(np.arange(len(domain.labels)), np.diff(domain.member_offsets))
        fallen = (np.diff(domain.members) <= 0) & (cell[1:] == cell[:-1])
        faults.append(spot(fallen, lambda at: f"values of cell {cell[at]} of {name} do not ascend"))
    return faults


def _values(domain: CellDomain) -> list[Fault]:
    name = shorten(domain.name)
    if domain.numbers is None:
        fallen = [after for before, after in pairwise(domain.values) if after <= before]
        return [
            Fault(len(fallen), f"values of {name} do not ascend at {shorten(fallen[0]) if fallen else ''}")
        ]
    numbers = domain.numbers
    if numbers.shape != (len(domain.values),) or not np.isfinite(numbers).all():
        return [Fault(1, f"numbers of {name} are not one finite number for each value")]
    told = [_is_number(text, number) for text, number in zip(domain.values, numbers.tolist(), strict=True)]
    return [
        spot(
            np.diff(numbers) <= 0,
            lambda at: f"numbers of {name} do not ascend at {numbers[at]}",
        ),
        spot(
            ~np.array(told, np.bool_),
            lambda at: f"value {shorten(domain.values[at])} of {name} is another number",
        ),
    ]


def _is_number(text: str, number: float) -> bool:
    try:
        return float(text) == number
    except ValueError:
        return False


def _cells(release: TableRelease) -> list[Fault]:
    cells = release.cells
    if not _whole(cells, 2) or cells.shape[1] != len(release.domains):
        return [Fault(1, f"cells are not rows of {len(release.domains)} whole numbers")]
    if not len(cells) and not _may_be_empty(release):
        return [Fault(1, "there is no row, though rows are those of persons")]
    return [_column(domain, cells[:, number]) for number, domain in enumerate(release.domains)]


def _may_be_empty(release: TableRelease) -> bool:
    """Noise may take every row away; persons do not vanish."""
    return not isinstance(release, Sliced) and release.parameters.get("invented_rows") is True


def _column(domain: CellDomain, column: NDArray[np.int32]) -> Fault:
    """Every cell that is shown exists, and every cell that exists is shown."""
    name = shorten(domain.name)
    strange = (column < 0) | (column >= len(domain.labels))
    if strange.any():
        return spot(strange, lambda at: f"row {at} has no such cell of {name}")
    shown = np.bincount(column, minlength=len(domain.labels))
    return spot(shown == 0, lambda at: f"cell {at} of {name} is in no row")


def _layout(release: Sliced) -> list[Fault]:
    """Columns part the attributes; buckets part the rows."""
    if not _whole(release.bucket_offsets, 1):
        return [Fault(1, "bucket_offsets are not a list of whole numbers")]
    listed = sorted(attribute for column in release.columns for attribute in column)
    parted = listed == list(range(len(release.domains))) and all(release.columns)
    return [
        Fault(
            int(not parted), f"columns {release.columns} do not part the {len(release.domains)} attributes"
        ),
        *_rising("buckets", release.bucket_offsets, len(release.cells)),
    ]


# Do labels say what cells hold, and is every cell one that the owner's taxonomies allow?
#
# A label is free text in a file: it could tell more than the cell, or something else.


Held = tuple[str, ...]


def check_labels(release: TableRelease) -> Check:
    """Cells are called by what they hold; only groups of a taxonomy have names of their own.

    What a sensitive attribute shows are single values. Numbers are never called by a name: their ends say it all.
    """
    faults, examined, named = [], 0, 0
    for domain in release.domains:
        wrong, other, several = [], [], []
        for cell, label in enumerate(domain.labels):
            size = int(domain.member_offsets[cell + 1] - domain.member_offsets[cell])
            several += [label] * (domain.sensitive and size > 1)
            if label == _called(domain, cell):
                continue
            wrong += [label] * (size == 1)
            own_name = domain.numbers is None and not label.startswith("{")
            other += [label] * (size > 1 and not own_name)
            named += size > 1 and own_name
        name, examined = shorten(domain.name), examined + len(domain.labels)
        faults += [
            Fault(len(wrong), f"a cell of {name} is called {_first(wrong)} and holds another value"),
            Fault(len(other), f"a cell of {name} is called {_first(other)}, which is not what it holds"),
            Fault(len(several), f"the sensitive {name} shows {_first(several)}, which is no single value"),
        ]
    good = "every cell is called by what it holds"
    good += f", {named:,} by names of groups, which need the taxonomies" if named else ""
    return conclude("labels", "release", examined, faults, good)


def _called(domain: CellDomain, cell: int) -> str:
    """What a cell without a name of its own is called: its value, its ends, or all it holds."""
    start, end = domain.member_offsets[cell : cell + 2].tolist()
    first, last = int(domain.members[start]), int(domain.members[end - 1])
    if end - start == 1:
        return domain.values[first]
    if domain.numbers is not None and last - first == end - start - 1:
        return f"{domain.values[first]}..{domain.values[last]}"
    return "{" + ", ".join(domain.values[code] for code in domain.members[start:end].tolist()) + "}"


def check_cells(release: TableRelease, original: Table) -> Check:
    """Cells of several values are groups of the taxonomy, ranges or plain sets, and called so."""
    described = {attribute.name: attribute for attribute in original.attributes}
    faults, examined = [], 0
    for domain in release.domains:
        groups = _groups(described[domain.name])
        wrong = [
            label for cell, label in enumerate(domain.labels) if not _is_allowed(domain, cell, label, groups)
        ]
        examined += len(domain.labels)
        what = "is not called by what it holds" if groups is None else "is no group of its taxonomy"
        faults.append(Fault(len(wrong), f"{_first(wrong)} of {shorten(domain.name)} {what}"))
    otherwise = "cells of several values are ranges, sets, or groups of a taxonomy by their names"
    return conclude("cells", "original", examined, faults, otherwise)


def _groups(attribute: Attribute) -> dict[Held, set[str]] | None:
    """Names of the groups of a taxonomy by the values that they hold; None without a taxonomy."""
    tree = attribute.tree
    if tree is None:
        return None
    below: dict[int, list[int]] = {}
    for leaf in range(tree.leaves):
        for node in tree.path(leaf):
            below.setdefault(node, []).append(leaf)
    found: dict[Held, set[str]] = {}
    for node, leaves in below.items():
        found.setdefault(tuple(attribute.values[leaf] for leaf in leaves), set()).add(tree.labels[node])
    return found


def _is_allowed(domain: CellDomain, cell: int, label: str, groups: dict[Held, set[str]] | None) -> bool:
    """Whether a cell is one value, a group of the taxonomy, or without one any range or set; and is called so."""
    start, end = domain.member_offsets[cell : cell + 2].tolist()
    if end - start == 1:
        return True
    by_content = label == _called(domain, cell)
    if by_content and groups is None:
        return True
    held = tuple(domain.values[code] for code in domain.members[start:end].tolist())
    if groups is None:
        return label == "*" and len(held) == len(domain.values)
    return label in groups.get(held, ()) or (by_content and domain.numbers is not None and held in groups)


def _first(labels: list[str]) -> str:
    return shorten(labels[0]) if labels else ""


# Does everything stand in canonical order, so that no order tells more than the content?


def check_order(release: TableRelease) -> Check:
    """Cells ascend by their values, rows or parts by their cells, buckets by their rows, columns by attributes."""
    faults = [_cell_order(domain) for domain in release.domains]
    if isinstance(release, Sliced):
        faults += _sliced_order(release)
    else:
        falls = ~_not_falling(release.cells)
        faults.append(spot(falls, lambda at: f"row {at + 1} does not come after the row before it"))
    return conclude("canonical order", "release", len(release), faults, "all orders follow from the content")


def _cell_order(domain: CellDomain) -> Fault:
    edges = pairwise(domain.member_offsets.tolist())
    held = [domain.members[start:end] for start, end in edges]
    wrong = np.array([not _before(one, two) for one, two in pairwise(held)], np.bool_)
    return spot(
        wrong, lambda at: f"cell {at + 1} of {shorten(domain.name)} does not come after the one before it"
    )


def _before(one: NDArray[np.int32], two: NDArray[np.int32]) -> bool:
    """Whether the first comes before the second, value by value from the left."""
    if one[0] != two[0]:
        return bool(one[0] < two[0])
    both = min(len(one), len(two))
    apart = np.flatnonzero(one[:both] != two[:both])
    return bool(one[apart[0]] < two[apart[0]]) if len(apart) else len(one) < len(two)


def _sliced_order(release: Sliced) -> list[Fault]:
    columns = list(release.columns)
    sound = columns == sorted(tuple(sorted(column)) for column in columns)
    inside = np.ones(max(0, len(release) - 1), np.bool_)
    inside[release.bucket_offsets[1:-1] - 1] = False
    faults = [Fault(int(not sound), f"columns {release.columns} do not ascend")]
    faults += [_part_order(release.cells[:, column], inside, number) for number, column in enumerate(columns)]
    edges = release.bucket_offsets.tolist()
    content = [release.cells[start:end].tolist() for start, end in pairwise(edges)]
    wrong = np.array([before > after for before, after in pairwise(content)], np.bool_)
    faults.append(spot(wrong, lambda at: f"bucket {at + 1} does not come after the one before it"))
    return faults


def _part_order(parts: NDArray[np.int32], inside: Flags, number: int) -> Fault:
    falls = ~_not_falling(parts) & inside
    return spot(falls, lambda at: f"part {at + 1} of column {number} is out of order")


def _not_falling(cells: NDArray[np.int32]) -> Flags:
    """Whether each row is at least the one before it, from left to right."""
    result = np.ones(max(0, len(cells) - 1), np.bool_)
    open_ = result.copy()
    for column in cells.T:
        step = np.diff(column)
        result &= ~(open_ & (step < 0))
        open_ &= step == 0
    return result
