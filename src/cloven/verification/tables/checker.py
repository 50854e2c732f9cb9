"""Run all checks of a published table, at the highest level that the given data allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.errors import ParameterError
from cloven.model.published_table import Sliced
from cloven.model.shown_cells import understood_by
from cloven.verification.marks import check_mark
from cloven.verification.tables.arrays import check_arrays
from cloven.verification.tables.chances import check_chances
from cloven.verification.tables.demands import check_demands
from cloven.verification.tables.groups import check_sizes
from cloven.verification.tables.key import check_key
from cloven.verification.tables.matched import in_terms_of
from cloven.verification.tables.order import check_order
from cloven.verification.tables.original import check_covered, check_known, check_marginals, check_parts
from cloven.verification.verdict import Verdict

if TYPE_CHECKING:
    from cloven.model.key_table import TableKey
    from cloven.model.published_table import GeneralisedTable
    from cloven.model.table import Table
    from cloven.verification.verdict import Check, Level


def verify_table(
    release: GeneralisedTable | Sliced,
    original: Table | None = None,
    key: TableKey | None = None,
    *,
    allow_unsafe: bool = False,
    allow_seeded: bool = False,
) -> Verdict:
    """Check that a published table is what it says it is.

    Args:
        release: the published table.
        original: the table it was made from; adds the checks of level "original".
        key: the owner's key; adds the checks of level "key", and needs the original too.
        allow_unsafe: accept a release that is marked unsafe.
        allow_seeded: accept a release that is marked as made with a seed.

    >>> import numpy as np
    >>> from cloven.model.published_table import CellDomain, GeneralisedTable
    >>> sex = CellDomain("sex", False, ("f",), None, ("f",), np.array([0, 1]), np.array([0], np.int32))
    >>> rows = np.zeros((3, 1), np.int32)
    >>> [verify_table(GeneralisedTable(k, {}, (sex,), rows)).ok for k in (3, 4)]
    [True, False]
    """
    if key is not None and original is None:
        message = "a key was given without the original; give both, or neither"
        raise ParameterError(message)
    level: Level = "release" if original is None else "original" if key is None else "key"
    arrays = check_arrays(release)
    if not arrays.passed:
        return Verdict(level, (arrays,))
    checks = [
        arrays,
        check_order(release),
        check_mark(release, "unsafe", allowed=allow_unsafe),
        check_mark(release, "seeded", allowed=allow_seeded),
        check_sizes(release),
        *check_demands(release),
    ]
    if original is None:
        checks += check_chances(release, None) if isinstance(release, Sliced) else []
    else:
        checks += _with_original(release, original, key)
    return Verdict(level, tuple(checks))


def _with_original(release: GeneralisedTable | Sliced, original: Table, key: TableKey | None) -> list[Check]:
    """What the original, and the key too, allow to check. Invented rows are compared with nobody."""
    release = understood_by(release, original)
    codes, lost = in_terms_of(release, original)
    checks = [check_known(release, codes, lost)]
    if not checks[0].passed:
        return checks
    if isinstance(release, Sliced):
        checks += check_chances(release, codes)
    if not release.parameters.get("invented_rows"):
        exchanged = release.parameters.get("swap_rate") is not None
        checks += [check_marginals(release, codes), check_parts(release, codes, exchanged=exchanged)]
        if len(release) == len(original) and not exchanged:
            checks.append(check_covered(release, codes))
    if key is not None:
        checks += check_key(release, original, codes, key)
    return checks
