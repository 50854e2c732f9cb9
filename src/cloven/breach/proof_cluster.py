"""What the possible worlds of one cluster prove, all pairs at once (``inference`` says the same of one pair)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product
from typing import TYPE_CHECKING

import numpy as np

from cloven.breach.proof_kernel import certainties, fewest_records, held_in, meetings
from cloven.measure.intervals import wilson

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from cloven.breach.worlds import Worlds

    Names = tuple[str, str]
    Longs = NDArray[np.int64]


@dataclass(frozen=True)
class ClusterProof:
    """What follows about a cluster; about a sampled one only ``by_cover``, ``unseen`` and ``links``.

    Attributes:
        cluster: its number.
        exact: whether all its arrangements were looked at.
        arrangements: how many there are.
        worlds: those looked at that agree with the release and the method.
        pairs: pairs of items of different record chunks.
        broken: pairs that no world joins in k records, that of the earlier chunk first.
        by_cover: how many of them the cover detector finds; of a sampled cluster, all that it finds.
        linked: broken pairs of which more than m items are certain.
        linked_records: records that hold one of these, in every world.
        found: broken pairs that leave only one content of the record chunks.
        found_records: records that hold one of these, in every world.
        unseen: pairs without a cover that no sampled world joins in k records; they may be broken or not.
        links: records (of the first chunk) and items that belong together with probability p or more, because of the
            method; if sampled, those whose 95 % interval lies above p.
    """

    cluster: int
    exact: bool
    arrangements: int
    worlds: int
    pairs: int
    broken: tuple[Names, ...] = ()
    by_cover: int = 0
    linked: int = 0
    linked_records: int = 0
    found: int = 0
    found_records: int = 0
    unseen: int = 0
    links: int = 0

    @property
    def error(self) -> float:
        """Largest share of worlds that may join an unseen pair, at 95 %: 1 - 0.05^(1/n), about 3/n."""
        return 0.0 if self.exact else 1 - 0.05 ** (1 / self.worlds) if self.worlds else 1.0


def prove_cluster(
    number: int, worlds: Worlds, k: int, m: int, covered: AbstractSet[Names], anchors: int, sure: float
) -> ClusterProof:
    """Draw the conclusions.

    ``covered`` are the pairs that covers leak, ``anchors`` the slots that the first chunk fills.
    """
    items = [item for chunk in worlds.chunks for item in sorted(chunk)]
    first, second = _pairs(worlds)
    bits = _bits(worlds, items)
    _, most, _ = meetings(bits, first, second, k)
    never = (most < k) & bool(len(worlds) or not worlds.exact)
    names = [(items[a], items[b]) for a, b in zip(first[never].tolist(), second[never].tolist(), strict=True)]
    told = ClusterProof(
        number,
        worlds.exact,
        worlds.arrangements,
        len(worlds),
        len(first),
        by_cover=sum(pair in covered for pair in names),
        links=_links(worlds, bits, anchors, sure),
    )
    if not worlds.exact:
        return replace(told, unseen=len(names) - told.by_cover)
    meet = never & (most > 0)
    first, second = first[meet], second[meet]
    certain, possible = certainties(bits, first, second)
    linked = certain.sum(axis=1) > m
    found = (certain == possible).all(axis=1)
    return replace(
        told,
        broken=tuple(names),
        linked=int(linked.sum()),
        linked_records=_records(bits, first[linked], second[linked]),
        found=int(found.sum()),
        found_records=_records(bits, first[found], second[found]),
    )


def _records(bits: NDArray[np.uint64], first: Longs, second: Longs) -> int:
    return fewest_records(bits, first, second) if len(first) else 0


def _pairs(worlds: Worlds) -> tuple[Longs, Longs]:
    """Pairs of items of different chunks, by position."""
    ends = np.cumsum([0, *map(len, worlds.chunks)]).tolist()
    parts = [range(a, b) for a, b in pairwise(ends)]
    both = [pair for one, two in combinations(parts, 2) for pair in product(one, two)]
    table = np.array(both, np.int64).reshape(-1, 2)
    return table[:, 0].copy(), table[:, 1].copy()


def _bits(worlds: Worlds, items: list[str]) -> NDArray[np.uint64]:
    """Worlds x items x words of 64 slots."""
    words = max(1, -(-worlds.slots // 64))
    packed = b"".join(world[item].to_bytes(8 * words, "little") for world in worlds.worlds for item in items)
    return np.frombuffer(packed, "<u8").astype(np.uint64).reshape(len(worlds), len(items), words)


def _links(worlds: Worlds, bits: NDArray[np.uint64], anchors: int, sure: float) -> int:
    """Links that hold with this probability, though the support of the item alone would not say so."""
    if not len(worlds) or len(worlds.chunks) < 2:
        return 0
    later = np.arange(len(worlds.chunks[0]), bits.shape[1])
    held = held_in(bits, later, anchors)
    support = np.bitwise_count(bits[0, later]).sum(axis=1)
    told = support < sure * worlds.slots
    if worlds.exact:
        return int((held[told] >= sure * len(worlds)).sum())
    values, counts = np.unique(held[told], return_counts=True)
    return sum(
        many
        for value, many in zip(values.tolist(), counts.tolist(), strict=True)
        if wilson(value, len(worlds))[0] >= sure
    )
