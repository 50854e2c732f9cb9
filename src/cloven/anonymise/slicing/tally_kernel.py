"""The two halves of a bucket counted, and whether each is l-diverse for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Flags, Ints, compiled

if TYPE_CHECKING:
    from cloven.anonymise.slicing.coding import Coded


class Tally(NamedTuple):
    """Rows of the two halves of a bucket by part, and by part and sensitive value."""

    parts: Ints
    values: Ints


@compiled
def empty_tally(data: Coded) -> Tally:
    """Nothing counted yet."""
    return Tally(
        np.zeros((2, len(data.beside)), np.int64),
        np.zeros((2, data.beside.max() + 1, data.value_offsets[-1]), np.int32),
    )


@compiled
def count(data: Coded, rows: Ints, goes_left: Flags, tally: Tally, step: int) -> None:
    """Enter the rows of both halves into the tally, or take them out."""
    for row in rows:
        side = 0 if goes_left[row] else 1
        signature = data.signature_of_row[row]
        for c in range(data.part_of_signature.shape[1]):
            tally.parts[side, data.part_of_signature[signature, c]] += step
        for j in range(len(data.sensitive_column)):
            part = data.part_of_signature[signature, data.sensitive_column[j]]
            tally.values[side, data.beside[part], data.sensitive[row, j]] += step


@compiled
def halves_diverse(data: Coded, rows: Ints, tally: Tally, l: int) -> bool:
    """Whether in each half, among the rows with the same part, no sensitive value has more than 1/l of them."""
    for row in rows:
        for j in range(len(data.sensitive_column)):
            part = data.part_of_signature[data.signature_of_row[row], data.sensitive_column[j]]
            for side in range(2):
                held = tally.values[side, data.beside[part], data.sensitive[row, j]]
                if held * l > tally.parts[side, part]:
                    return False
    return True


@compiled
def surely_diverse(data: Coded, rows: Ints, tally: Tally, l: int) -> bool:
    """Whether both halves would be l-diverse whoever of the bucket had which of its sensitive values.

    Even if one half got all rows with a value, these must not be more than 1/l of it. The answer follows from the
    sensitive values of the whole bucket; which row has which does not matter.
    """
    for row in rows:
        for j in range(len(data.sensitive_column)):
            part = data.part_of_signature[data.signature_of_row[row], data.sensitive_column[j]]
            beside, value = data.beside[part], data.sensitive[row, j]
            held = tally.values[0, beside, value] + tally.values[1, beside, value]
            for side in range(2):
                if 0 < tally.parts[side, part] < held * l:
                    return False
    return True
