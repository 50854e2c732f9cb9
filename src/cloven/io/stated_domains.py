"""Cells of a column against what the schema says is possible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from cloven.model.number_blocks import Blocks, rounded_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.errors import InputError
    from cloven.model.schema import Column


class Where(Protocol):
    """Where the cells of a column stand."""

    def error(self, message: str, row: int, value: str) -> InputError:
        """An error about one row."""
        ...


def fit_numbers(
    column: Column, numbers: NDArray[np.float64], gone: NDArray[np.bool_], place: Where
) -> tuple[NDArray[np.float64], Blocks | None]:
    """The numbers, clamped to what is possible if the column says so, and the blocks that ranges are made of."""
    there = numbers[~gone]
    possible = column.possible
    if possible is None:
        rounded = None if column.round is None else rounded_blocks(there, column.round, column.step)
        return numbers, rounded
    wrong = np.flatnonzero(~gone & ~possible.holds(numbers))
    if len(wrong) and column.outside == "refuse":
        value = np.format_float_positional(numbers[wrong[0]], trim="-")
        inside = possible.starts[0] <= numbers[wrong[0]] <= possible.high
        steps = f"lies between two steps of {possible.step:g}; write a finer step into the schema"
        out = f"lies outside {possible.starts[0]:.15g} to {possible.high:.15g}; widen that in the schema"
        message = (
            f"column {column.name!r} has {len(wrong):,} number{'s' * (len(wrong) > 1)} that cannot be; the first"
            f' {steps if inside else out}, or write outside = "clamp" to take the nearest possible one'
        )
        raise place.error(message, int(wrong[0]), value)
    return np.where(gone, numbers, possible.nearest(numbers)), possible.blocks


def number_domain(numbers: NDArray[np.float64], blocks: Blocks | None) -> NDArray[np.float64]:
    """The numbers that occur, and both ends of their blocks."""
    there = np.unique(numbers) + 0.0  # no negative zero
    if blocks is None or blocks.single:
        return there
    used = np.unique(blocks.of(there))
    return np.unique(np.concatenate([there, blocks.lows[used], blocks.highs[used]]))


def fit_texts(
    column: Column, texts: Sequence[str | None], there: set[str], kept: str, place: Where
) -> set[str]:
    """The categories that are possible; ``kept`` is what stands for a missing one and needs no mention."""
    if column.values is None:
        return there
    lost = there.difference(column.values, [kept])
    if lost:
        rows = [row for row, text in enumerate(texts) if text in lost]
        message = (
            f"column {column.name!r} has a value that is not among those that the schema lists, in"
            f" {len(rows):,} row{'s' * (len(rows) > 1)}; add it to values, or name it in missing_values"
        )
        raise place.error(message, rows[0], str(texts[rows[0]]))
    return {*column.values}
