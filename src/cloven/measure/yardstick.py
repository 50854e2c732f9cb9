"""What is counted once on the original, and compared with every data set that a release allows.

tKd, tKd-ML2 and re of Terrovitis et al., PVLDB 2012, section 7: the same for every kind of release.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from cloven.measure.mining import supports, top_itemsets
from cloven.measure.relative_error import RelativeError, error_pairs, relative_error
from cloven.measure.sampled import Sampled
from cloven.measure.topk import top_k_deviation

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from cloven.measure.mining import Itemsets
    from cloven.model.taxonomy import Taxonomy
    from cloven.model.transactions import Transactions


class Comparison(NamedTuple):
    """One published data set against the original."""

    tkd: float
    re: RelativeError
    tkd_ml2: float | None


class Compared(NamedTuple):
    """Several reconstructions against the original: means with intervals."""

    tkd: Sampled
    tkd_ml2: Sampled | None
    re: Sampled | None
    re_pairs: float


@dataclass(frozen=True)
class Yardstick:
    """What is counted on the original.

    Attributes:
        top: how many itemsets were asked for.
        frequent: the most frequent itemsets; fewer than asked for if there are no more.
        pairs: pairs of items whose supports are compared, and their supports.
        taxonomy: for itemsets on all levels, or None.
    """

    top: int
    frequent: Itemsets
    pairs: list[tuple[str, str]]
    pair_supports: NDArray[np.int64]
    taxonomy: Taxonomy | None
    frequent_levels: Itemsets | None

    @classmethod
    def of(cls, original: Transactions, top: int, taxonomy: Taxonomy | None) -> Yardstick:
        """Count on the original."""
        pairs = error_pairs(original)
        levels = None if taxonomy is None else top_itemsets(taxonomy.extend(original), top)
        return cls(top, top_itemsets(original, top), pairs, supports(original, pairs), taxonomy, levels)

    def compare(self, published: Transactions) -> Comparison:
        """Hold a data set against it."""
        levels = None
        if self.taxonomy is not None and self.frequent_levels is not None:
            mined = top_itemsets(self.taxonomy.extend(published), self.top)
            levels = top_k_deviation(self.frequent_levels, mined)
        return Comparison(
            top_k_deviation(self.frequent, top_itemsets(published, self.top)),
            relative_error(self.pair_supports, supports(published, self.pairs)),
            levels,
        )

    def certain(self, published: Transactions) -> Comparison:
        """Hold what is certain against it; the levels of a taxonomy are left out."""
        return replace(self, taxonomy=None).compare(published)

    def compare_all(self, worlds: Iterable[Transactions]) -> Compared:
        """Hold several reconstructions against it."""
        found = [self.compare(world) for world in worlds]
        return Compared(
            Sampled.of([each.tkd for each in found]),
            _sampled([each.tkd_ml2 for each in found]),
            _sampled([each.re.mean for each in found], largest=2.0),
            sum(each.re.pairs for each in found) / len(found),
        )


def _sampled(values: list[float | None], largest: float = 1.0) -> Sampled | None:
    known = [value for value in values if value is not None]
    return Sampled.of(known, largest=largest) if known else None
