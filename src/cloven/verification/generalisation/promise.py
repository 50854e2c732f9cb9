"""k^m-anonymity of a set-generalised release: every combination of up to m blocks in a row is in k rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.policy import Policy
from cloven.verification.faults import Fault, conclude, named

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.set_generalised import SetGeneralised
    from cloven.verification.generalisation.rows import Rows
    from cloven.verification.verdict import Check, Level


def check_combinations(
    release: SetGeneralised, rows: Rows, policy: Policy | None, level: Level
) -> list[Check]:
    """Combinations of blocks, up to the size that the release or the policy names; no check if neither does."""
    promised = release.parameters.get("all_up_to", 0)
    size = max(int(promised) if isinstance(promised, int) else 0, (policy or Policy()).all_up_to)
    if size < 1:
        return []
    found = _rare(rows, release.k, size)
    faults = []
    if len(found):
        blocks = [release.block(block)[0] for block in found[:-1].tolist()]
        held = f"{found[-1]} {rows.noun}{'s' if found[-1] != 1 else ''}"
        said = f"blocks of {named(blocks, range(len(blocks)))} are together in {held}, k is {release.k}"
        faults.append(Fault(1, said))
    name = "combinations" if level == "release" else "combinations by persons"
    otherwise = f"all of up to {size} blocks are in {release.k} {rows.noun}s or in none"
    return [conclude(name, level, len(rows.owner), faults, otherwise)]


def _rare(rows: Rows, k: int, size: int) -> NDArray[np.int64]:
    """A combination of blocks that too few hold, followed by how many; empty if there is none."""
    from cloven.verification.km_kernel import search  # numba takes long to import

    if rows.count == 0:
        return np.empty(0, np.int64)
    once = np.ones(len(rows.owner), np.int64)
    starts, ends = rows.offsets[:-1].astype(np.int64), rows.offsets[1:].astype(np.int64)
    size = min(size, rows.count)
    return search(
        0,
        len(rows.owner),
        starts,
        ends,
        rows.owner,
        once,
        rows.blocks,
        rows.count,
        int(k),
        size,
        strict=False,
    )
