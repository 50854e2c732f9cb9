"""Methods that the experiments on slicing compare, with the paper's settings: k = l = 6, eps = 0.3, five swap rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cloven.kinds.tables.methods.anatomy import Anatomy
from cloven.kinds.tables.methods.composition_like import CompositionLike
from cloven.kinds.tables.methods.diffgen import DiffGen
from cloven.kinds.tables.methods.hybrid import Hybrid
from cloven.kinds.tables.methods.merging_like import MergingLike
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.methods.probabilistic_like import ProbabilisticLike
from cloven.kinds.tables.methods.slicing import Slicing
from cloven.kinds.tables.methods.ul import UL
from experiments.slicing_data import largest_l

if TYPE_CHECKING:
    from collections.abc import Iterator

    from experiments.slicing_data import Pair, Source

K, L = 6, 6
EPS = 0.3
RATES = (0.01, 0.02, 0.05, 0.1, 0.15)
MAIN_RATES = (0.02, 0.05)
"""Those of Figures 3 and 4."""
ORIGINAL = "as it is"
NO_SWAP = "ul without swaps"
UL_MAIN = "ul 5 %"
MONDRIAN, MONDRIAN_L, SLICING, HYBRID, DIFFGEN, ANATOMY = (
    "mondrian", "mondrian, l", "slicing", "hybrid", "diffgen", "anatomy",
)  # fmt: skip
MERGING, COMPOSITION, PROBABILISTIC = "merging-like", "composition-like", "probabilistic-like"
ADAPTIVE, EVERY, REPLAY = ", adaptive", ", every attribute", ", replay-proof"
UL_ADAPTIVE = UL_MAIN + ADAPTIVE
"""The paper cuts as Mondrian does, which is this; all others are cut proportionally where it is not said."""
RIVALS = (MONDRIAN, HYBRID, DIFFGEN, MERGING, COMPOSITION, PROBABILISTIC)
"""What the paper compares with; it leaves slicing out."""


def swapped(rate: float) -> str:
    """What the upper/lower-level method is called at a swap rate.

    >>> swapped(0.05)
    'ul 5 %'
    """
    return f"ul {100 * rate:g} %"


def with_l(name: str, l: int) -> str:
    """What a method is called that promises more than the others of its data set."""
    return f"{name}, l={l}"


@dataclass(frozen=True)
class Methods:
    """All methods for one data set.

    Attributes:
        source: the data set.
        l: what slicing, the upper/lower-level method, merging-like and anatomy promise; never more than L.
    """

    source: Source
    l: int

    def named(self, pair: Pair, seed: int, *, variants: bool) -> Iterator[tuple[str, Any]]:
        """The methods that the paper compares, slicing and anatomy, by name; variants too, or not."""
        for rate in RATES if variants else MAIN_RATES:
            yield swapped(rate), self._ul(seed, swap_rate=rate)
        yield UL_ADAPTIVE, self._ul(seed, partition="adaptive")
        yield SLICING, self._slicing(seed, self.l)
        yield MONDRIAN, Mondrian(k=K)
        yield HYBRID, Hybrid(k=K, eps=EPS, seed=seed)
        yield DIFFGEN, self._diffgen(seed)
        yield ANATOMY, Anatomy(l=self.l, seed=seed)
        yield MERGING, MergingLike(k=K, l=self.l, seed=seed)
        yield COMPOSITION, CompositionLike(k=K, seed=seed)
        yield PROBABILISTIC, ProbabilisticLike(k=K)
        if variants:
            yield from self._variants(pair, seed)

    def _variants(self, pair: Pair, seed: int) -> Iterator[tuple[str, Any]]:
        """The next larger l among them, if both tables allow it."""
        yield UL_MAIN + EVERY, self._ul(seed, protected=pair.first.names("quasi-identifier"))
        yield UL_MAIN + REPLAY, self._ul(seed, partition="replay-proof")
        yield NO_SWAP, self._slicing(seed, self.l, check="bucket")
        yield SLICING + ADAPTIVE, self._slicing(seed, self.l, partition="adaptive")
        yield SLICING + REPLAY, self._slicing(seed, self.l, partition="replay-proof")
        yield MONDRIAN_L, Mondrian(k=K, l=L)
        more = self.l + 1
        if more <= min(L, largest_l(pair.first), largest_l(pair.second)):
            yield with_l(UL_MAIN, more), self._ul(seed, l=more)
            yield with_l(SLICING, more), self._slicing(seed, more)

    def _diffgen(self, seed: int) -> DiffGen:
        """The data sets state no domains, and the paper does not speak of them; nothing is promised here."""
        return DiffGen(eps=EPS, specialisations=self.source.specialisations, seed=seed, domains="from-data")

    @staticmethod
    def _slicing(seed: int, l: int, **more: Any) -> Slicing:
        options: dict[str, Any] = {"partition": "stratified"} | more
        return Slicing(k=K, l=l, seed=seed, **options)

    def _ul(self, seed: int, **more: Any) -> UL:
        options: dict[str, Any] = {"partition": "stratified", "swap_rate": 0.05, "l": self.l} | more
        return UL(k=K, rules=self.source.rules, seed=seed, **options)
