"""What does a set-generalised release tell of a person of whom a few items are known?

A row is a candidate if it shows the blocks of all known items. All candidates are equally likely, because each of them
must explain the same blocks by the same items. With b the number of items of the block of s:

    P(s | K) = candidates that show the block of s / candidates * 1 / b

A row says of a block that at least one of its items is held: one is expected, and each is as likely as another, unless
the reader knows how common items are; then P(s | block) of ``frequency`` takes the place of 1 / b. A
block that a known item already explains tells nothing of its other items. Only blocks of one item that all
candidates show are certain; a larger block never says which of its items is held.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.attack.generalised.frequency import given_block
from cloven.attack.generalised.known_person_kernel import shown_blocks
from cloven.attack.generalised.tables import published_only, rows_by_block
from cloven.attack.known_sets import Certain, Claims, Known
from cloven.errors import ParameterError
from cloven.model.arrays import positions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.attack.generalised.frequency import Frequencies
    from cloven.model.set_generalised import SetGeneralised

    Longs = NDArray[np.int64]
    Floats = NDArray[np.float64]

MOST_KNOWN = 8
"""Items of a known set at most."""
LEAST_BEST = 0.05
"""A best claim below it is none; the same as for disassociated releases."""


@dataclass(frozen=True, eq=False)
class KnownPersonGeneralised:
    """A set-generalised release, arranged for readers who know some items of a person; see the module.

    Attributes:
        release: the release, and nothing else.
        block_of_item: block of each item.
        starts: where each block starts in ``rows``.
        rows: rows that show each block, ascending.
        likely: probability of each item in a row that shows its block.
    """

    release: SetGeneralised
    block_of_item: Longs
    starts: Longs
    rows: Longs
    likely: Floats

    @classmethod
    def of(cls, release: SetGeneralised, frequencies: Frequencies | None = None) -> KnownPersonGeneralised:
        """Arrange a release, once for all questions; without ``frequencies`` all items of a block are alike."""
        published_only(release)
        block = np.empty(len(release.vocabulary), np.int64)
        block[release.block_items] = np.repeat(np.arange(release.blocks), release.block_sizes)
        return cls(release, block, *rows_by_block(release), given_block(release, frequencies))

    def claims(
        self,
        known: Known,
        eligible: NDArray[np.bool_] | None = None,
        floor: float = 0.2,
        *,
        best: bool = True,
    ) -> Claims:
        """Items besides the known ones that each person holds with probability ``floor`` or more, and the best guess.

        Without ``best``, only guesses from ``floor`` on are told.
        """
        if not LEAST_BEST <= floor <= 1:
            message = f"floor must lie between {LEAST_BEST} and 1, got {floor}"
            raise ParameterError(message)
        images, flags = self.images(known), self._flags(eligible)
        number, item, chance, fitting = self._shown(images, flags, LEAST_BEST if best else floor, self.likely)
        likeliest, best_chance = np.full(len(images), -1, np.int64), np.zeros(len(images))
        order = np.lexsort((item, -chance, number))
        first = order[np.diff(number[order], prepend=-1) > 0]
        likeliest[number[first]], best_chance[number[first]] = item[first], chance[first]
        told = chance >= floor
        offsets = np.searchsorted(number[told], np.arange(len(images) + 1))
        found = Claims(
            offsets.astype(np.int64),
            item[told],
            chance[told],
            likeliest,
            best_chance,
            fitting.astype(np.float64),
        )
        return found.spread(images.of)

    def certain(self, known: Known, eligible: NDArray[np.bool_] | None = None) -> Certain:
        """Items besides the known ones that all candidate rows show as blocks of one item."""
        images = self.images(known)
        by_logic = (1.0 / self.release.block_sizes)[self.block_of_item]  # however common an item is
        number, item, _, _ = self._shown(images, self._flags(eligible), 1.0, by_logic)
        offsets = np.searchsorted(number, np.arange(len(images) + 1))
        return Certain(offsets.astype(np.int64), item).spread(images.of)

    def _flags(self, eligible: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        width = len(self.release.vocabulary)
        flags = np.ones(width, bool) if eligible is None else np.asarray(eligible, bool)
        if len(flags) != width:
            message = (
                f"eligible needs a flag for each of the {width:,} items of the release, got {len(flags):,}"
            )
            raise ParameterError(message)
        return flags

    def images(self, known: Known, most: int = MOST_KNOWN) -> Known:
        """Blocks of the known items: known sets with the same blocks are told the same."""
        known.check(len(self.release.vocabulary), most)
        number = np.repeat(np.arange(len(known)), np.diff(known.offsets))
        width = max(1, self.release.blocks)
        pairs = np.unique(number * width + self.block_of_item[known.codes])
        offsets = np.searchsorted(pairs, np.arange(len(known) + 1) * width).astype(np.int64)
        return Known(offsets, pairs % width, np.arange(len(known))).distinct()

    def _shown(
        self, images: Known, eligible: NDArray[np.bool_], least: float, likely: Floats
    ) -> tuple[Longs, Longs, Floats, Longs]:
        """Image, item and probability of all that is likely, by image and item; then the candidates of each image."""
        release = self.release
        most = np.zeros(release.blocks)
        np.maximum.at(most, self.block_of_item, likely)
        ends, block, share, fitting = shown_blocks(
            np.array(release.row_offsets), release.row_blocks.astype(np.int64), self.starts, self.rows,
            images.offsets, images.codes, most, least,
        )  # fmt: skip
        number = np.repeat(np.arange(len(images)), np.diff(ends))
        lengths = release.block_sizes[block]
        item = release.block_items[positions(release.block_offsets[block], lengths)].astype(np.int64)
        of_best = likely[item] / most[self.block_of_item[item]]
        number, chance = np.repeat(number, lengths), np.repeat(share, lengths) * of_best
        order = np.lexsort((item, number))
        order = order[eligible[item[order]] & (chance[order] >= least)]
        return number[order], item[order], chance[order], fitting
