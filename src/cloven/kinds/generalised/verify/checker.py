"""Run all checks of a set-generalised release, at the highest level that the given data allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.data.transactions import Transactions
from cloven.errors import ParameterError, shorten
from cloven.kinds.generalised.verify.arrays import (
    check_arrays,
    check_block_labels,
    check_block_order,
    check_partition,
    check_row_order,
)
from cloven.kinds.generalised.verify.original import check_key, check_original, images, published
from cloven.kinds.generalised.verify.promise import check_combinations, check_constraints, check_groups
from cloven.verification.claims import check_mark, check_persons_claim
from cloven.verification.verdict import Checker, Fault, Verdict, conclude

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.kinds.generalised.key import GeneralisedKey
    from cloven.kinds.generalised.policy import Policy
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.kinds.generalised.verify.original import Rows
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
    >>> from cloven.kinds.generalised.policy import Policy
    >>> from cloven.kinds.generalised.release import SetGeneralised
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


# Published parameters of a generalisation tell the method and nothing else: no path, note, seed or item.


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _count_or_none(value: Any) -> bool:
    return value is None or _count(value)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _one_of(*words: str) -> Callable[[Any], bool]:
    return lambda value: value in words


def _of_methods() -> dict[str, dict[str, Callable[[Any], bool]]]:
    by_policy: dict[str, Callable[[Any], bool]] = {
        "reading": _one_of("empty-is-enough", "subsets-too"),
        "max_suppressed": _share,
        "all_up_to": _count,
        "protected": _count,
        "largest": _count,
        "groups": _count_or_none,
        "weighted": _flag,
        "persons": _flag,
        "unsafe": _flag,
        "seeded": _flag,
    }
    return {
        "coat": by_policy,
        "pcta": by_policy | {"variant": _one_of("pcta", "upcta")},
        "apriori-km": {"all_up_to": _count, "persons": _flag, "search": _word},
    }


def _word(value: Any) -> bool:
    return isinstance(value, str) and value.isascii() and value.replace("-", "").isalpha()


def check_parameters(release: SetGeneralised) -> Check:
    """Every parameter of a known method is known and has a value that it can have; k is at least 2."""
    given = release.parameters
    allowed = _of_methods().get(str(given.get("method")), {})
    faults = []
    for name, value in given.items() if allowed else ():
        if name != "method" and name not in allowed:
            faults.append(Fault(1, f"{shorten(name)} is no parameter of {given['method']}"))
        elif name != "method" and not allowed[name](value):
            faults.append(Fault(1, f"{name} cannot be {shorten(str(value))}"))
    if allowed and release.k < 2:
        faults.append(Fault(1, f"k = {release.k} promises nothing; it must be 2 or more"))
    if "largest" in allowed and not faults and given.get("largest", 0) < given.get("all_up_to", 0):
        said = f"all up to {given['all_up_to']} are protected, but the largest itemset has {given['largest']}"
        faults.append(Fault(1, said))
    return conclude("parameters", "release", len(given), faults, f"{len(given)} parameters, all known")


CHECKER = Checker(verify_generalised, Transactions, "set-generalised", by_policy=True)
