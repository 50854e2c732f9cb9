"""Release against original: is every row the image of a record, and how many items are suppressed? Needs no key."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from cloven.model.counted import counted
from cloven.verification.faults import Fault, conclude, named
from cloven.verification.generalisation.rows import images, published

if TYPE_CHECKING:
    from cloven.model.set_generalised import SetGeneralised
    from cloven.model.transactions import Transactions
    from cloven.verification.generalisation.rows import Rows
    from cloven.verification.verdict import Check


def check_original(release: SetGeneralised, original: Transactions) -> list[Check]:
    """Items, suppressed items, and rows."""
    return [_items(release, original), _suppressed(release, original), _rows(release, original)]


def _items(release: SetGeneralised, original: Transactions) -> Check:
    invented = sorted(set(release.vocabulary).difference(original.vocabulary))
    fault = Fault(
        len(invented), f"published but not in the original: {named(invented, range(len(invented)))}"
    )
    said = f"{len(release.vocabulary):,} of {len(original.vocabulary):,} items published"
    return conclude("items", "original", len(original.vocabulary), [fault], said)


def _suppressed(release: SetGeneralised, original: Transactions) -> Check:
    """No more items are suppressed than the parameters allow; none, if they do not say."""
    lost = sorted(set(original.vocabulary).difference(release.vocabulary))
    share = release.parameters.get("max_suppressed", 0.0)
    allowed = int(share * len(original.vocabulary) + 1e-9) if isinstance(share, int | float) else 0
    said = (
        f"{counted(len(lost), 'items are suppressed')}, {allowed:,} may be: {named(lost, range(len(lost)))}"
    )
    empty = int((np.diff(release.row_offsets) == 0).sum())
    otherwise = (
        f"{len(lost):,} of at most {allowed:,} items suppressed; {counted(empty, 'records are left empty')}"
    )
    fault = Fault(int(len(lost) > allowed), said)
    return conclude("suppressed items", "original", len(original.vocabulary), [fault], otherwise)


def _rows(release: SetGeneralised, original: Transactions) -> Check:
    """A row shows a block if and only if its record holds one of the block's items."""
    shown, true = _counted(published(release)), _counted(images(release, original))
    invented, missing = shown - true, true - shown
    faults = [
        Fault(sum(found.values()), f"{what}: {_blocks(release, next(iter(found), b''))}")
        for found, what in ((invented, "no record gives the row"), (missing, "no row shows the record"))
    ]
    otherwise = f"{release.records:,} rows, each the image of a record"
    return conclude("rows", "original", len(original), faults, otherwise)


def _counted(rows: Rows) -> Counter[bytes]:
    blocks, offsets = rows.blocks.astype(np.int64), rows.offsets.tolist()
    return Counter(blocks[start:end].tobytes() for start, end in pairwise(offsets))


def _blocks(release: SetGeneralised, row: bytes) -> str:
    numbers = np.frombuffer(row, np.int64).tolist()
    return (
        " ".join(named(release.block(number), range(len(release.block(number)))) for number in numbers)
        or "empty"
    )
