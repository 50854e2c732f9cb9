"""Run all checks of a set-generalised release, at the highest level that the given data allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.data.transactions import Transactions
from cloven.kinds.generalised.verify.arrays import (
    check_arrays,
    check_block_labels,
    check_block_order,
    check_partition,
    check_row_order,
)
from cloven.kinds.generalised.verify.original import check_key, check_original, images, published
from cloven.kinds.generalised.verify.promise import check_combinations, check_constraints, check_groups
from cloven.verification.claims import (
    check_marks,
    check_persons_claim,
    conclude_parameters,
    is_count,
    is_flag,
    one_of,
    strange_parameters,
)
from cloven.verification.verdict import Checker, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cloven.kinds.generalised.key import GeneralisedKey
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.kinds.generalised.verify.original import Rows
    from cloven.verification.claims import Allowed
    from cloven.verification.verdict import Check, Given, Level


def checks(release: SetGeneralised, given: Given[Transactions, GeneralisedKey]) -> list[Check]:
    """All checks of a set-generalised release.

    >>> from cloven.verification import verify
    >>> import numpy as np
    >>> from cloven.kinds.generalised.policy import Policy
    >>> from cloven.kinds.generalised.release import SetGeneralised
    >>> whole = lambda *values: np.array(values, np.int64)
    >>> release = SetGeneralised(k=2, parameters={}, vocabulary=("flu", "gout", "mumps"), block_labels=("", ""),
    ...     block_offsets=whole(0, 1, 3), block_items=whole(0, 1, 2), row_offsets=whole(0, 1, 3, 4),
    ...     row_blocks=whole(0, 0, 1, 1))
    >>> verify(release, policy=Policy(protected=(("gout",),))).ok
    True
    >>> verdict = verify(release, policy=Policy(protected=(("flu", "gout"),)))
    >>> print(verdict.failures[0].detail)
    {'flu', 'gout'} is shown by 1 row, k is 2
    """
    relied_on = list(structure(release))
    if not all(check.passed for check in relied_on[:2]):
        return relied_on
    found = [
        *relied_on,
        check_block_labels(release),
        check_parameters(release),
        *check_marks(release, given),
        *_promise(release, published(release), given, "release"),
    ]
    if given.policy is not None:
        found.append(check_groups(release, given.policy))
    found += check_persons_claim(release, given, counted_at="original")
    if given.original is None:
        return found
    found += check_original(release, given.original)
    if given.original.persons is not None:
        found += _promise(release, images(release, given.original), given, "original")
    return found if given.key is None else [*found, *check_key(release, given.original, given.key)]


def structure(release: SetGeneralised) -> Iterator[Check]:
    """Checks of what every reader of a release relies on: ranges, one block for each item, orders."""
    arrays = check_arrays(release)
    yield arrays
    if not arrays.passed:
        return
    partition = check_partition(release)
    yield partition
    if partition.passed:
        yield check_block_order(release)
        yield check_row_order(release)


def _promise(
    release: SetGeneralised, rows: Rows, given: Given[Transactions, GeneralisedKey], level: Level
) -> list[Check]:
    """What is promised, counted in rows (level "release"), or in persons where somebody has several records."""
    found = check_combinations(release, rows, given.policy, level)
    if given.policy is not None and given.policy.protected:
        found += check_constraints(release, rows, given.original, given.policy, level)
    return found


def _count_or_none(value: Any) -> bool:
    return value is None or is_count(value)


def _share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _word(value: Any) -> bool:
    return isinstance(value, str) and value.isascii() and value.replace("-", "").isalpha()


_BY_POLICY: Allowed = {
    "reading": one_of("empty-is-enough", "subsets-too"),
    "max_suppressed": _share,
    "all_up_to": is_count,
    "protected": is_count,
    "largest": is_count,
    "groups": _count_or_none,
    "weighted": is_flag,
    "persons": is_flag,
    "unsafe": is_flag,
    "seeded": is_flag,
}
_OF_METHODS: dict[str, Allowed] = {
    "coat": _BY_POLICY,
    "pcta": {**_BY_POLICY, "variant": one_of("pcta", "upcta")},
    "apriori-km": {"all_up_to": is_count, "persons": is_flag, "search": _word},
}


def check_parameters(release: SetGeneralised) -> Check:
    """Every parameter of a known method is known and has a value that it can have; k is at least 2."""
    given = release.parameters
    allowed = _OF_METHODS.get(str(given.get("method")), {})
    faults = list(strange_parameters(given, allowed)) if allowed else []
    if allowed and release.k < 2:
        faults.append(Fault(1, f"k = {release.k} promises nothing; it must be 2 or more"))
    if "largest" in allowed and not faults and given.get("largest", 0) < given.get("all_up_to", 0):
        said = f"all up to {given['all_up_to']} are protected, but the largest itemset has {given['largest']}"
        faults.append(Fault(1, said))
    return conclude_parameters(given, faults, known=bool(allowed))


CHECKER = Checker(checks, structure, Transactions, "set-generalised", by_policy=True)
