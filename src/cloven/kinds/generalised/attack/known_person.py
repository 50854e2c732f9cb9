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

from cloven.compiled import Floats, Longs, compiled
from cloven.data.arrays import positions
from cloven.data.known_sets import LEAST_BEST, Certain, Claims, Known
from cloven.errors import ParameterError
from cloven.kinds.generalised.attack.frequency import given_block
from cloven.kinds.generalised.guesses import published_only, rows_by_block

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.compiled import Flags
    from cloven.kinds.generalised.attack.frequency import Frequencies
    from cloven.kinds.generalised.release import SetGeneralised


MOST_KNOWN = 8
"""Items of a known set at most."""


@dataclass(frozen=True, eq=False)
class KnownPersonGeneralised:
    """A set-generalised release, arranged for readers who know some items of a person; see the module.

    Attributes:
        release: the release, and nothing else.
        starts: where each block starts in ``rows``.
        rows: rows that show each block, ascending.
        likely: probability of each item in a row that shows its block.
    """

    release: SetGeneralised
    starts: Longs
    rows: Longs
    likely: Floats

    @classmethod
    def of(cls, release: SetGeneralised, frequencies: Frequencies | None = None) -> KnownPersonGeneralised:
        """Arrange a release, once for all questions; without ``frequencies`` all items of a block are alike."""
        published_only(release)
        return cls(release, *rows_by_block(release), given_block(release, frequencies))

    def claims(
        self, known: Known, eligible: Flags | None = None, floor: float = 0.2, *, best: bool = True
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

    def certain(self, known: Known, eligible: Flags | None = None) -> Certain:
        """Items besides the known ones that all candidate rows show as blocks of one item."""
        images = self.images(known)
        by_logic = (1.0 / self.release.block_sizes)[self.release.block_of_item]  # however common an item is
        number, item, _, _ = self._shown(images, self._flags(eligible), 1.0, by_logic)
        offsets = np.searchsorted(number, np.arange(len(images) + 1))
        return Certain(offsets.astype(np.int64), item).spread(images.of)

    def _flags(self, eligible: Flags | None) -> Flags:
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
        pairs = np.unique(number * width + self.release.block_of_item[known.codes])
        offsets = np.searchsorted(pairs, np.arange(len(known) + 1) * width).astype(np.int64)
        return Known(offsets, pairs % width, np.arange(len(known))).distinct()

    def _shown(
        self, images: Known, eligible: Flags, least: float, likely: Floats
    ) -> tuple[Longs, Longs, Floats, Longs]:
        """Image, item and probability of all that is likely, by image and item; then the candidates of each image."""
        release = self.release
        most = np.zeros(release.blocks)
        np.maximum.at(most, self.release.block_of_item, likely)
        ends, block, share, fitting = shown_blocks(
            np.array(release.row_offsets), release.row_blocks.astype(np.int64), self.starts, self.rows,
            images.offsets, images.codes, most, least,
        )  # fmt: skip
        number = np.repeat(np.arange(len(images)), np.diff(ends))
        lengths = release.block_sizes[block]
        item = release.block_items[positions(release.block_offsets[block], lengths)].astype(np.int64)
        of_best = likely[item] / most[self.release.block_of_item[item]]
        number, chance = np.repeat(number, lengths), np.repeat(share, lengths) * of_best
        order = np.lexsort((item, number))
        order = order[eligible[item[order]] & (chance[order] >= least)]
        return number[order], item[order], chance[order], fitting


def readers(release: SetGeneralised) -> Callable[[Known, float], dict[str, KnownPersonGeneralised]]:
    """Who tells what of a known person, by name, whatever is known; the first one always counts."""
    found = {"rows": KnownPersonGeneralised.of(release)}
    return lambda _known, _floor: found


# Compiled count of the blocks that the candidate rows of a known person show.


@compiled
def _candidates(starts: Longs, rows: Longs, blocks: Longs, many_rows: int, found: Longs) -> int:
    """Rows that show all blocks, in ``found``; returns how many."""
    if len(blocks) == 0:
        found[:many_rows] = np.arange(many_rows)
        return many_rows
    rarest = blocks[0]
    for block in blocks:
        if starts[block + 1] - starts[block] < starts[rarest + 1] - starts[rarest]:
            rarest = block
    many = starts[rarest + 1] - starts[rarest]
    found[:many] = rows[starts[rarest] : starts[rarest + 1]]
    for block in blocks:
        if block == rarest:
            continue
        here, kept = rows[starts[block] : starts[block + 1]], 0
        for i in range(many):
            at = np.searchsorted(here, found[i])
            if at < len(here) and here[at] == found[i]:
                found[kept] = found[i]
                kept += 1
        many = kept
    return int(many)


@compiled
def shown_blocks(
    row_offsets: Longs, row_blocks: Longs, starts: Longs, rows: Longs, offsets: Longs, images: Longs, share: Floats,
    least: float
) -> tuple[Longs, Longs, Floats, Longs]:  # fmt: skip
    """For each image: where its blocks end, blocks whose items have at least this probability, it, and the candidates.

    ``share`` is the probability of an item in a row that shows its block.
    """
    sets, many_rows, blocks = len(offsets) - 1, len(row_offsets) - 1, len(starts) - 1
    ends, fitting, end = np.zeros(sets + 1, np.int64), np.zeros(sets, np.int64), 0
    block_of, chance_of = np.empty(1024, np.int64), np.empty(1024)
    found, count, own = (
        np.empty(many_rows, np.int64),
        np.zeros(blocks, np.int64),
        np.full(blocks, -1, np.int64),
    )
    for number in range(sets):
        image = images[offsets[number] : offsets[number + 1]]
        many = _candidates(starts, rows, image, many_rows, found)
        fitting[number] = many
        count[:] = 0
        for i in range(many):
            for at in range(row_offsets[found[i]], row_offsets[found[i] + 1]):
                count[row_blocks[at]] += 1
        own[image] = number
        while end + blocks > len(block_of):
            block_of, chance_of = np.concatenate((block_of, block_of)), np.concatenate((chance_of, chance_of))
        for block in range(blocks):
            if count[block] > 0 and own[block] != number:
                chance = np.floor(count[block] / many * share[block] * 1e12 + 0.5) / 1e12
                if chance >= least:
                    block_of[end], chance_of[end] = block, chance
                    end += 1
        ends[number + 1] = end
    return ends, block_of[:end], chance_of[:end], fitting


@compiled
def equal_rows(row_offsets: Longs, starts: Longs, rows: Longs, offsets: Longs, images: Longs) -> Longs:
    """For each image: rows that show exactly its blocks."""
    equal, found = np.zeros(len(offsets) - 1, np.int64), np.empty(len(row_offsets), np.int64)
    for number in range(len(equal)):
        image = images[offsets[number] : offsets[number + 1]]
        for i in range(_candidates(starts, rows, image, len(row_offsets) - 1, found)):
            equal[number] += row_offsets[found[i] + 1] - row_offsets[found[i]] == len(image)
    return equal


# Is this person in the release? A score for a whole record, from a set-generalised release alone.
#
# The record touches some blocks. A member's row shows exactly these. If blocks were drawn one by one, block b with its
# share q(b) of the N rows, then L = N * product over blocks of (q(b) or 1 - q(b)) equal rows would be expected without
# the person. With e equal rows found and a Poisson number expected, the likelihood ratio of a member is e / L:
#
# score = log(e) - log(L), or ``RULED_OUT`` if no row is equal


RULED_OUT = -1000.0
"""Score of a record that no row can be."""


@dataclass(frozen=True, eq=False)
class MembershipGeneralised:
    """A set-generalised release, arranged for the question who is in it.

    Attributes:
        person: rows of each block.
    """

    person: KnownPersonGeneralised

    @classmethod
    def of(cls, release: SetGeneralised) -> MembershipGeneralised:
        """Arrange a release, once for all questions."""
        return cls(KnownPersonGeneralised.of(release))

    def scores(self, records: Known) -> Floats:
        """Score of each record (its published items): the higher, the more likely it is in the release."""
        release = self.person.release
        images = self.person.images(records, len(release.vocabulary))
        equal = equal_rows(
            np.array(release.row_offsets), self.person.starts, self.person.rows, images.offsets, images.codes
        )
        share = np.clip(release.supports, 0.5, max(release.records, 1) - 0.5) / max(release.records, 1)
        number = np.repeat(np.arange(len(images)), np.diff(images.offsets))
        gain = np.log(share / (1 - share))[images.codes]
        alone = np.bincount(number, weights=gain, minlength=len(images)) + np.log1p(-share).sum()
        chance = np.log(np.maximum(equal, 1) / max(release.records, 1)) - alone
        found: Floats = np.where(equal > 0, chance, RULED_OUT)[images.of]
        return found
