"""Run all checks of a published table, at the highest level that the given data allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.data.table import Table
from cloven.kinds.tables.cells import understood_by
from cloven.kinds.tables.release import Sliced
from cloven.kinds.tables.verify.arrays import check_arrays, check_cells, check_labels, check_order
from cloven.kinds.tables.verify.chances import check_buckets, check_matching, check_possible, secrets
from cloven.kinds.tables.verify.original import (
    check_covered,
    check_key,
    check_known,
    check_marginals,
    check_parts,
    check_rows,
    in_terms_of,
    persons_behind,
)
from cloven.kinds.tables.verify.promise import (
    Promise,
    check_demands,
    check_parameters,
    check_sizes,
    check_table_persons,
)
from cloven.kinds.tables.verify.replay_buckets import check_replay
from cloven.kinds.tables.verify.replay_classes import check_rejoined
from cloven.verification import verify
from cloven.verification.claims import check_marks
from cloven.verification.verdict import Checker, Fault, conclude

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from cloven.kinds.tables.key import TableKey
    from cloven.kinds.tables.release import TableRelease
    from cloven.verification.verdict import Check, Given, Verdict


def verify_table(
    release: TableRelease,
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
    >>> from cloven.kinds.tables.release import CellDomain, GeneralisedTable
    >>> sex = CellDomain("sex", False, ("f",), None, ("f",), np.array([0, 1]), np.array([0], np.int32))
    >>> rows = np.zeros((3, 1), np.int32)
    >>> [verify_table(GeneralisedTable(k, {}, (sex,), rows)).ok for k in (3, 4)]
    [True, False]
    """
    return verify(release, original=original, key=key, allow_unsafe=allow_unsafe, allow_seeded=allow_seeded)


def checks(release: TableRelease, given: Given[Table, TableKey]) -> list[Check]:
    """All checks of a published table."""
    relied_on = list(structure(release))
    if not relied_on[0].passed:
        return relied_on
    promise = Promise.of(release)
    found = [
        *relied_on,
        check_labels(release),
        check_parameters(release, promise),
        *check_marks(release, given),
        check_sizes(release),
        *check_demands(release, promise),
    ]
    if given.original is not None:
        return [*found, *_with_original(release, promise, given.original, given.key)]
    found += check_table_persons(release, None, None)
    if isinstance(release, Sliced):
        return [*found, *_chances(release, promise, None), *check_replay(release, promise, None)]
    return [*found, *check_rejoined(release, promise, None, None)]


def structure(release: TableRelease) -> Iterator[Check]:
    """Checks of what every reader of a published table relies on: ranges and orders."""
    arrays = check_arrays(release)
    yield arrays
    if arrays.passed:
        yield check_order(release)


def _chances(release: Sliced, promise: Promise, persons: NDArray[np.int32] | None) -> list[Check]:
    """The check that the parameters promise; matching buckets need the original for more than what must be wrong."""
    if "l" not in release.parameters or release.parameters["l"] is None:
        return []
    if not secrets(release, jointly=promise.jointly) or (promise.check is None and promise.demands):
        return []
    if promise.l is None or promise.check not in ("bucket", "matching"):
        l, how = (repr(release.parameters.get(name))[:40] for name in ("l", "check"))
        fault = Fault(1, f"the promise l = {l}, checked by {how}, cannot be understood")
        return [conclude("l-diversity", "release", 0, [fault], "")]
    if promise.check == "bucket":
        return [check_buckets(release, promise)]
    return [
        check_possible(release, promise) if persons is None else check_matching(release, promise, persons)
    ]


def _with_original(
    release: TableRelease, promise: Promise, original: Table, key: TableKey | None
) -> list[Check]:
    """What the original, and the key too, allow to check. Invented rows are compared with nobody."""
    release = understood_by(release, original)
    codes, lost = in_terms_of(release, original)
    checks = [check_known(release, original, codes, lost)]
    if not checks[0].passed:
        return checks
    checks.append(check_cells(release, original))
    of_key = [] if key is None else check_key(release, promise, original, codes, key)
    sound = key is not None and all(check.passed for check in of_key)
    if isinstance(release, Sliced):
        persons = persons_behind(original, key)[:, 0] if key is not None and sound else None
        checks += [*_chances(release, promise, codes), *check_replay(release, promise, original, persons)]
    else:
        checks += check_rejoined(release, promise, original, codes)
    if not promise.invented:
        checks += [check_rows(release, len(original), partly=promise.partly), check_marginals(release, codes)]
        checks.append(check_parts(release, codes, exchanged=promise.exchanged))
        if len(release) == len(original) and not promise.exchanged:
            checks.append(check_covered(release, codes))
    checks += of_key
    if key is not None and not all(check.passed for check in checks):
        return checks
    return [*checks, *check_table_persons(release, original, key)]


CHECKER = Checker(checks, structure, Table, "a published table")
