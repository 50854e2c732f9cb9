"""k^m-anonymity by generalisation over a taxonomy (Terrovitis, Mamoulis and Kalnis, PVLDB 1(1), 2008).

Whoever knows up to m items of a record finds at least k records that may be it. Items are published as a group of the
taxonomy that holds them, the same one everywhere, and all items of that group with them (global full-subtree recoding):
a *cut* through the taxonomy. ``cut_upwards`` finds one as the paper does; ``cut_downwards`` then takes back every step
that turns out not to be needed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from cloven.errors import ParameterError
from cloven.model.taxonomy import Taxonomy

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.anonymise.generalisation.leaf_rows import LeafRows
    from cloven.model.key_generalised import Generalised
    from cloven.model.space import Dimension
    from cloven.model.transactions import Transactions

Search = Literal["refined", "published"]


@dataclass(frozen=True, kw_only=True)
class AprioriKm:
    """Generalise items over a taxonomy until all combinations are frequent; ``anonymise`` does the work.

    Attributes:
        k: every combination of up to ``m`` published items that occurs is in the records of at least ``k`` persons.
        m: how many items of a record the assumed attacker knows.
        taxonomy: groups of the items; every item of the data must be a leaf. Without one nothing can be anonymised.
        search: ``refined``, the algorithm of the paper, rarest combinations first, after which steps that are not
            needed are taken back (default: no single group can be split then), or ``published``, the algorithm of the
            paper alone, most general combinations first.

    >>> from cloven.model.transactions import Transactions
    >>> rows = [["ale", "beer", "*"], ["stout", "beer", "*"], ["rye", "bread", "*"], ["bun", "bread", "*"]]
    >>> data = Transactions.from_records([["ale", "rye"], ["ale", "bun"], ["stout", "rye"], ["stout", "rye"]])
    >>> release = AprioriKm(k=2, m=2, taxonomy=Taxonomy.from_rows(rows)).anonymise(data).release
    >>> release.block_labels, [release.block(number) for number in range(release.blocks)]
    (('', 'bread', ''), [('ale',), ('bun', 'rye'), ('stout',)])
    """

    k: int = 5
    m: int = 2
    taxonomy: Taxonomy | None = field(default=None, repr=False)
    search: Search = "refined"
    SEARCHED_UNASKED: ClassVar[bool] = False  # its taxonomy is the owner's; a search must name it

    def __post_init__(self) -> None:
        for name, least, why in (
            ("k", 2, "with k = 1 nobody is protected"),
            ("m", 1, "an attacker knows at least one item"),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                message = f"{name} must be a whole number of at least {least} ({why}), got {value!r}"
                raise ParameterError(message)
            object.__setattr__(self, name, int(value))
        taxonomy: object = self.taxonomy
        if taxonomy is not None and not isinstance(taxonomy, Taxonomy):
            message = f"taxonomy must be a Taxonomy (see read_taxonomy), got {type(taxonomy).__name__}"
            raise ParameterError(message)
        if self.search not in get_args(Search):
            message = f"search must be one of {', '.join(get_args(Search))}, got {self.search!r}"
            raise ParameterError(message)

    @property
    def family(self) -> str:
        """How its releases are attacked and measured."""
        return "generalisation"

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters as plain JSON values, as the manifest shows them.

        Of the taxonomy nothing is told but the groups that are published, as labels of blocks.
        """
        return {"method": "apriori-km", "all_up_to": self.m, "search": self.search}

    @classmethod
    def space(cls, data: Transactions) -> dict[str, Dimension]:
        """What a search for good settings varies; the taxonomy is the owner's own."""
        from cloven.model.space import Choice, Whole

        return {"k": Whole(2, max(2, min(100, len(data) // 20))), "m": Choice((2, 3))}

    def anonymise(
        self, data: Transactions, progress: Callable[[str, float], None] | None = None
    ) -> Generalised:
        """Anonymise; ``progress(step, share done)`` is called along the way."""
        from cloven.anonymise.generalisation.assemble import assemble
        from cloven.anonymise.generalisation.leaf_rows import leaf_rows
        from cloven.anonymise.generalisation.subtrees import subtrees

        report = progress or (lambda _step, _share: None)
        if self.taxonomy is None:
            message = (
                "apriori-km needs a taxonomy of the items; give one (see read_taxonomy), or use coat or pcta"
            )
            raise ParameterError(message)
        self._check(data)
        tree = subtrees(self.taxonomy, data.vocabulary)
        cut = self._cut(leaf_rows(data, tree), report)
        report("assemble", 0.0)
        result = assemble(
            data,
            cut[tree.leaf_of_item],
            k=self.k,
            parameters=self.parameters | {"persons": data.persons is not None},
            label_of_block=tree.labels,
        )
        report("assemble", 1.0)
        return result

    def _cut(self, rows: LeafRows, report: Callable[[str, float], None]) -> NDArray[np.int64]:
        """The node that each leaf is published as."""
        from cloven.anonymise.generalisation.cut_downwards import cut_downwards
        from cloven.anonymise.generalisation.cut_upwards import cut_upwards

        def generalising(share: float) -> None:
            report("generalise", share)

        def taking_back(share: float) -> None:
            report("take back", share)

        if self.search == "published":
            return cut_upwards(rows, k=self.k, m=self.m, first="general", report=generalising)
        cut = cut_upwards(rows, k=self.k, m=self.m, first="rare", report=generalising)
        return cut_downwards(rows, cut, k=self.k, m=self.m, report=taking_back)

    def _check(self, data: Transactions) -> None:
        what = "records" if data.persons is None else "persons"
        people = len(data) if data.persons is None else len(np.unique(data.persons))
        if people < self.k:
            message = f"k = {self.k} needs at least {self.k} {what}, got {people:,}; choose a smaller k"
            raise ParameterError(message)
