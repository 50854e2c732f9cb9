"""The independent checker: is a release what it says it is? It shares no code with the anonymisers.

``verify`` finds the checker of a release in the room of its kind; here are verdicts, and what checkers have in common.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.errors import ParameterError
from cloven.registry import part
from cloven.verification.verdict import Check, Given, Verdict

if TYPE_CHECKING:
    from cloven.data.table import Table
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.key import Key
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.generalised.key import GeneralisedKey
    from cloven.kinds.generalised.policy import Policy
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.kinds.tables.key import TableKey
    from cloven.kinds.tables.release import GeneralisedTable, Sliced
    from cloven.verification.verdict import Checker


__all__ = ["Check", "Verdict", "verify"]


def verify(
    release: Disassociated | SetGeneralised | GeneralisedTable | Sliced,
    *,
    original: Transactions | Table | None = None,
    key: Key | GeneralisedKey | TableKey | None = None,
    policy: Policy | None = None,
    allow_unsafe: bool = False,
    allow_seeded: bool = False,
) -> Verdict:
    """Check that a release is what it says it is.

    Args:
        release: the published release.
        original: the data it was made from; adds the checks of level "original".
        key: the owner's key; adds the checks of level "key", and needs the original too.
        policy: what a set-generalised release had to protect and might merge; without it, only what the release
            promises by itself is checked.
        allow_unsafe: accept a release that is marked unsafe, and small clusters in it.
        allow_seeded: accept a release that is marked as made with a seed.

    Three records ``{a}``, published as one cluster with one record chunk, keep the promise for k = 3:

    >>> import numpy as np
    >>> from cloven.kinds.disassociated.release import Disassociated
    >>> whole = lambda *values: np.array(values, np.int64)
    >>> three = dict(cluster_size=whole(3), cluster_joint=whole(-1), joint_parent=whole(),
    ...     row_cluster=whole(0, 0, 0), row_joint=whole(-1, -1, -1), row_chunk=whole(0, 0, 0),
    ...     row_kind=whole(0, 0, 0), row_offsets=whole(0, 1, 2, 3), row_items=whole(0, 0, 0))
    >>> verify(Disassociated(k=3, m=2, parameters={}, vocabulary=("a",), **three)).ok
    True
    >>> verdict = verify(Disassociated(k=4, m=2, parameters={}, vocabulary=("a",), **three))
    >>> [check.name for check in verdict.failures]
    ['cluster size', 'k^m of record chunks']
    """
    checker: Checker = part(release, "verify.checker").CHECKER
    if policy is not None and not checker.by_policy:
        message = f"a policy is for set-generalised releases, and this one is {checker.about}; leave it out"
        raise ParameterError(message)
    if original is not None and not isinstance(original, checker.data):
        wanted, got = checker.data.__name__, type(original).__name__
        message = f"the original must be {wanted} for this kind of release, got {got}"
        raise ParameterError(message)
    given = Given(original, key, policy, allow_unsafe, allow_seeded)
    return Verdict(given.level, tuple(checker.check(release, given)))
