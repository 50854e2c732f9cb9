"""Run all checks of a set-generalised release, at the highest level that the given data allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.errors import ParameterError
from cloven.verification.generalisation.arrays import check_arrays, check_partition
from cloven.verification.generalisation.key import check_key
from cloven.verification.generalisation.labels import check_block_labels
from cloven.verification.generalisation.order import check_block_order, check_row_order
from cloven.verification.generalisation.original import check_original
from cloven.verification.generalisation.parameters import check_parameters
from cloven.verification.generalisation.policy import check_constraints, check_groups
from cloven.verification.generalisation.promise import check_combinations
from cloven.verification.generalisation.rows import images, published
from cloven.verification.marks import check_mark
from cloven.verification.persons_claim import check_persons_claim
from cloven.verification.verdict import Verdict

if TYPE_CHECKING:
    from cloven.model.key_generalised import GeneralisedKey
    from cloven.model.policy import Policy
    from cloven.model.set_generalised import SetGeneralised
    from cloven.model.transactions import Transactions
    from cloven.verification.generalisation.rows import Rows
    from cloven.verification.verdict import Check, Level


def verify_generalised(
    release: SetGeneralised,
    original: Transactions | None = None,
    key: GeneralisedKey | None = None,
    policy: Policy | None = None,
    *,
    allow_unsafe: bool = False,
    allow_seeded: bool = False,
) -> Verdict:
    """Check that a set-generalised release is what it says it is.

    Args:
        release: the published release.
        original: the data it was made from; adds the checks of level "original".
        key: the owner's key; adds the checks of level "key", and needs the original too.
        policy: what was to be protected and merged; without it, only what the release promises by itself is checked.
        allow_unsafe: accept a release that is marked unsafe.
        allow_seeded: accept a release that is marked as made with a seed.

    >>> import numpy as np
    >>> from cloven.model.policy import Policy
    >>> from cloven.model.set_generalised import SetGeneralised
    >>> whole = lambda *values: np.array(values, np.int64)
    >>> release = SetGeneralised(k=2, parameters={}, vocabulary=("flu", "gout", "mumps"), block_labels=("", ""),
    ...     block_offsets=whole(0, 1, 3), block_items=whole(0, 1, 2), row_offsets=whole(0, 1, 3, 4),
    ...     row_blocks=whole(0, 0, 1, 1))
    >>> verify_generalised(release, policy=Policy(protected=(("gout",),))).ok
    True
    >>> verdict = verify_generalised(release, policy=Policy(protected=(("flu", "gout"),)))
    >>> print(verdict.failures[0].detail)
    {'flu', 'gout'} is shown by 1 row, k is 2
    """
    if key is not None and original is None:
        message = "a key was given without the original; give both, or neither"
        raise ParameterError(message)
    level: Level = "release" if original is None else "original" if key is None else "key"
    arrays = check_arrays(release)
    if not arrays.passed:
        return Verdict(level, (arrays,))
    partition = check_partition(release)
    if not partition.passed:
        return Verdict(level, (arrays, partition))
    checks = [
        arrays,
        partition,
        check_block_order(release),
        check_row_order(release),
        check_block_labels(release),
        check_parameters(release),
        check_mark(release, "unsafe", allowed=allow_unsafe),
        check_mark(release, "seeded", allowed=allow_seeded),
    ]
    checks += _promise(release, published(release), original, policy, "release")
    if policy is not None:
        checks.append(check_groups(release, policy))
    checks += check_persons_claim(release, original, key, counted_at="original")
    if original is not None:
        checks += check_original(release, original)
        if original.persons is not None:
            checks += _promise(release, images(release, original), original, policy, "original")
    if original is not None and key is not None:
        checks += check_key(release, original, key)
    return Verdict(level, tuple(checks))


def _promise(
    release: SetGeneralised, rows: Rows, original: Transactions | None, policy: Policy | None, level: Level
) -> list[Check]:
    """What is promised, counted in rows (level "release"), or in persons where somebody has several records."""
    checks = check_combinations(release, rows, policy, level)
    if policy is not None and policy.protected:
        checks += check_constraints(release, rows, original, policy, level)
    return checks
