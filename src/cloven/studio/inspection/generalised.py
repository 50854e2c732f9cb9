"""A set-generalised release, taken apart into its records that look alike, and what known items leave of it.

A record shows blocks: one item, or several of which it holds at least one. The release alone is read.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import repeats
from cloven.kinds.generalised.attack.known_person import KnownPersonGeneralised
from cloven.kinds.generalised.attack.link import LookUp
from cloven.studio.inspection.knowing import (
    MOST_TOLD,
    Knowing,
    OfItems,
    Step,
    known_codes,
    likeliest_news,
    told_of,
)
from cloven.studio.inspection.listing import NotThereError, page_of, refuse_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.compiled import Floats, Longs
    from cloven.kinds.generalised.release import SetGeneralised

ORDERS = {"size": "fewest records that look alike", "exact": "most items shown as they are"}


@dataclass(frozen=True, eq=False)
class OpenedRows(OfItems):
    """A release with all that is read off it once."""

    release: SetGeneralised

    @cached_property
    def reader(self) -> KnownPersonGeneralised:
        """Who knows some items of a person."""
        return KnownPersonGeneralised.of(self.release)

    @cached_property
    def rows(self) -> LookUp:
        """Rows of every block."""
        return LookUp.of(self.release)

    @cached_property
    def shares(self) -> Floats:
        """Share of all records that are expected to hold each item: what is told of anybody at all."""
        held = self.release.supports[self.release.block_of_item] * self.reader.likely
        found: Floats = held / max(1, self.release.records)
        return found

    @cached_property
    def starts(self) -> Longs:
        """First row of each group of equal rows, and the number of rows; equal ones stand side by side."""
        alike = repeats(self.release.row_offsets, self.release.row_blocks)
        return np.append(np.flatnonzero(~alike), self.release.records)

    @cached_property
    def exact(self) -> Longs:
        """Of each group how many of its items are shown as they are."""
        single = self.release.block_sizes[self.release.row_blocks] == 1
        total = np.concatenate(([0], np.cumsum(single)))
        first = self.starts[:-1]
        return total[self.release.row_offsets[first + 1]] - total[self.release.row_offsets[first]]

    def group(self, number: int) -> tuple[int, int]:
        """First row of a group and the one behind its last.

        Raises:
            NotThereError: there is no such group.
        """
        if not 0 <= number < len(self.starts) - 1:
            message = f"there is no group {number:,}; this release has {len(self.starts) - 1:,}, from 0 on"
            raise NotThereError(message)
        return int(self.starts[number]), int(self.starts[number + 1])


@dataclass(frozen=True)
class RankedRows:
    """One line of the list: records that look alike, what they show as it is, and what is blurred."""

    number: int
    size: int
    exact: int
    blurred: int
    items: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def ranked_rows(opened: OpenedRows, by: str, page: int = 1) -> tuple[tuple[RankedRows, ...], int]:
    """Lines of one page, from 1 on, and how many pages there are.

    Raises:
        NotThereError: there is no such page.
        ParameterError: there is no such order.
    """
    refuse_order(by, ORDERS)
    size, number = np.diff(opened.starts), np.arange(len(opened.starts) - 1)
    keys = {"size": (number, -opened.exact, size), "exact": (number, size, -opened.exact)}
    order = np.lexsort(keys[by])
    shown, pages = page_of(order, page)
    return tuple(_ranked(opened, each) for each in shown.tolist()), pages


def _ranked(opened: OpenedRows, number: int) -> RankedRows:
    first, last = opened.group(number)
    blocks = opened.release.row(first)
    exact = tuple(block[0] for block in blocks if len(block) == 1)
    return RankedRows(number, last - first, len(exact), len(blocks) - len(exact), exact)


@dataclass(frozen=True)
class Block:
    """A block: its label if it has one, its items, how likely each is, and how many records of the release show it."""

    label: str
    items: tuple[str, ...]
    chances: tuple[float, ...]
    support: int


@dataclass(frozen=True)
class RowsView:
    """Records that look alike: how many, and what they show."""

    number: int
    size: int
    blocks: tuple[Block, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def rows_view(opened: OpenedRows, number: int) -> RowsView:
    """One group.

    Raises:
        NotThereError: there is no such group.
    """
    first, last = opened.group(number)
    release = opened.release
    blocks = release.row_blocks[release.row_offsets[first] : release.row_offsets[first + 1]].tolist()
    return RowsView(
        number,
        last - first,
        tuple(
            Block(
                release.block_labels[block],
                release.block(block),
                tuple(opened.reader.likely[[opened.code_of[item] for item in release.block(block)]].tolist()),
                int(release.supports[block]),
            )
            for block in blocks
        ),
    )


def knowing_of_rows(
    opened: OpenedRows, items: Sequence[str], number: int | None = None, most: int | None = MOST_TOLD
) -> Knowing:
    """What is told of somebody of whom these items are known; ``number`` is the group that is looked at.

    Raises:
        ParameterError: no item is given, or not one that is published.
    """
    codes = known_codes(opened, items)
    steps = tuple(_step(opened, codes[:count], number) for count in range(1, len(codes) + 1))
    return told_of(opened, codes, steps, opened.release.parameters.get("all_up_to") or 0, most)


def _step(opened: OpenedRows, codes: list[int], number: int | None) -> Step:
    blocks = opened.rows.images(codes)
    single = bool((opened.release.block_sizes[blocks] == 1).all())
    found = opened.rows.candidates(codes)
    return Step(
        opened.vocabulary[codes[-1]],
        found,
        found if single else 0,
        None if number is None else _here(opened, number, blocks),
        0,
        *likeliest_news(opened, codes),
    )


def _here(opened: OpenedRows, number: int, blocks: Longs) -> int:
    """Candidates in a group: all of it, or nobody."""
    first, last = opened.group(number)
    release = opened.release
    shown = release.row_blocks[release.row_offsets[first] : release.row_offsets[first + 1]]
    return last - first if np.isin(blocks, shown).all() else 0
