"""COAT, constraint-based anonymisation of transactions (Loukides, Gkoulalas-Divanis and Malin, KAIS 28(2), 2011).

Greedy: take the constraint of largest support that is not satisfied, which needs least change. While it is not
satisfied, take its block of smallest support and merge it with the block, inside a utility group, that gives the least
utility loss; suppress it where there is none. A constraint that was satisfied by support 0 comes up again when a merge
brings its items together, or when suppressing leaves a part of it that is held.

Utility loss of a block is ``(2^size - 1) weight support``; constants that do not change the order are left out. Ties go
to the smaller support of the merged block, then to text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from cloven.kinds.generalised.methods.by_policy import ByPolicy, Steps, unsatisfiable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cloven.data.transactions import Transactions
    from cloven.kinds.generalised.methods.by_policy import Constraints
    from cloven.kinds.generalised.methods.partition import Partition


@dataclass(frozen=True)
class Coat(ByPolicy):
    """Satisfy a policy with few and small merges; ``ByPolicy`` tells the parameters.

    >>> from cloven.kinds.generalised.policy import Policy
    >>> from cloven.data.transactions import Transactions
    >>> data = Transactions.from_records([["flu", "cough"], ["flu"], ["cough"], ["asthma"], ["angina", "flu"]])
    >>> result = Coat(k=2, policy=Policy(protected=(("asthma",),))).anonymise(data)
    >>> [result.release.block(number) for number in range(result.release.blocks)]
    [('angina', 'asthma'), ('cough',), ('flu',)]
    """

    METHOD: ClassVar[str] = "coat"

    def _satisfy(self, data: Transactions, partition: Partition, constraints: Constraints) -> None:
        steps = Steps(partition, constraints, int(self.max_suppressed * partition.items + 1e-9))
        while (constraint := constraints.next()) is not None:
            while True:
                image = partition.image(constraint)
                support = partition.support(image, self.k)
                if support in (0, self.k):
                    break
                if not _step(steps, image):
                    raise unsatisfiable(steps, data.vocabulary, image, support, self.k)


def _step(steps: Steps, image: NDArray[np.int64]) -> bool:
    """Merge the block of smallest support, or suppress it; the next one where the budget is used up."""
    for slot in image.tolist():
        found = steps.partition.cheapest(slot)
        if found is not None:
            steps.merge(found)
            return True
        if steps.suppress(slot):
            return True
    return False
