"""Are the arrays of a published table sound?"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import shorten
from cloven.model.published_table import Sliced
from cloven.verification.faults import Fault, conclude, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.published_table import CellDomain, GeneralisedTable
    from cloven.verification.verdict import Check


def check_arrays(release: GeneralisedTable | Sliced) -> Check:
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


def _rising(what: str, offsets: NDArray[np.int64], end: int) -> list[Fault]:
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


def _cells(release: GeneralisedTable | Sliced) -> list[Fault]:
    cells = release.cells
    if not _whole(cells, 2) or cells.shape[1] != len(release.domains):
        return [Fault(1, f"cells are not rows of {len(release.domains)} whole numbers")]
    if not len(cells) and not _may_be_empty(release):
        return [Fault(1, "there is no row, though rows are those of persons")]
    return [_column(domain, cells[:, number]) for number, domain in enumerate(release.domains)]


def _may_be_empty(release: GeneralisedTable | Sliced) -> bool:
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
