"""PCTA, privacy-constrained clustering of transactions (Gkoulalas-Divanis and Loukides, 2011 and 2012).

Bottom-up clustering of the items: take the constraint of largest support that is not satisfied, look at every pair of
one of its blocks and any other block, and merge the pair of least utility loss; then look again. COAT commits itself to
the rarest block of a constraint; looking at all of them costs more time and loses less utility.

PCTA itself knows no utility groups: with a policy that has some, this is UPCTA, which merges inside groups only. Only
then can there be anything to suppress. Utility loss and ties are those of COAT; of equally good pairs the first by
text is merged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from cloven.kinds.generalised.methods.by_policy import ByPolicy, Steps, unsatisfiable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cloven.data.transactions import Transactions
    from cloven.kinds.generalised.methods.by_policy import Constraints
    from cloven.kinds.generalised.methods.partition import Merge, Partition


@dataclass(frozen=True)
class Pcta(ByPolicy):
    """Satisfy a policy by clustering items; ``ByPolicy`` tells the parameters.

    >>> from cloven.kinds.generalised.policy import Policy
    >>> from cloven.data.transactions import Transactions
    >>> data = Transactions.from_records([["a", "b"], ["a", "b"], ["c", "d"], ["c", "e"], ["a"], ["c"]])
    >>> result = Pcta(k=2, policy=Policy(all_up_to=2)).anonymise(data)
    >>> [result.release.block(number) for number in range(result.release.blocks)]
    [('a',), ('b',), ('c',), ('d', 'e')]
    """

    METHOD: ClassVar[str] = "pcta"

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters as plain JSON values; ``variant`` tells PCTA from UPCTA."""
        return super().parameters | {"variant": "pcta" if self.policy.groups is None else "upcta"}

    def _satisfy(self, data: Transactions, partition: Partition, constraints: Constraints) -> None:
        steps = Steps(partition, constraints, int(self.max_suppressed * partition.items + 1e-9))
        while (constraint := constraints.next()) is not None:
            image = partition.image(constraint)
            found = _cheapest(partition, image)
            if found is not None:
                steps.merge(found)
            elif not any(steps.suppress(slot) for slot in image.tolist()):
                support = partition.support(image, self.k)
                raise unsatisfiable(steps, data.vocabulary, image, support, self.k)


def _cheapest(partition: Partition, image: NDArray[np.int64]) -> Merge | None:
    """The merge of least loss of any block of an image."""
    best: Merge | None = None
    for slot in image.tolist():
        found = partition.cheapest(slot)
        if found is not None and (best is None or _better(partition, found, best)):
            best = found
    return best


def _better(partition: Partition, found: Merge, best: Merge) -> bool:
    from cloven.kinds.generalised.methods.partition import cheaper  # numba takes long to import

    if cheaper(found.size, found.mass, best.size, best.mass):
        return True
    if cheaper(best.size, best.mass, found.size, found.mass):
        return False
    names = partition.arrays.names
    first, second = (
        (merge.support, *sorted((int(names[merge.slot]), int(names[merge.partner]))))
        for merge in (found, best)
    )
    return first < second
