"""Which row is likeliest for each person: best parts of every column, bucket by bucket."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.compiled import Ints, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

SAME = 1e-9  # weights this close, relatively, are equal


@compiled
def likeliest(
    fit_starts: Ints,
    fits: Ints,
    weights: NDArray[np.float64],
    slot_starts: Ints,
    slot_bucket: Ints,
    slot_rows: Ints,
    part_base: Ints,
    sizes: Ints,
) -> NDArray[np.float64]:  # pragma: no cover - compiled
    """Persons x (buckets that fit, their rows, expected rows, weight of the best row, how many rows are that good).

    ``fits[fit_starts[column, person]:...]`` are the parts of a column that fit a person, with ``weights``. The rows
    that show part p of a column stand in the buckets ``slot_bucket[slot_starts[part_base[column] + p]:...]``, each
    with ``slot_rows``. A row is one part of every column of a bucket of n rows; it weighs n to the power of 1 - columns
    times the weights of its parts, which sums to the expected rows.
    """
    columns, persons, buckets = fit_starts.shape[0], fit_starts.shape[1] - 1, len(sizes)
    out = np.zeros((persons, 5))
    reached, now = np.full(buckets, -1, np.int64), np.full(buckets, -1, np.int64)
    best, ties, total = np.zeros(buckets), np.zeros(buckets), np.zeros(buckets)  # of the columns before
    top, count, mass = np.zeros(buckets), np.zeros(buckets), np.zeros(buckets)  # of this column
    touched = np.empty(buckets, np.int64)
    for person in range(persons):
        number = 0
        for column in range(columns):
            token = person * (columns + 1) + column
            number = 0
            for place in range(fit_starts[column, person], fit_starts[column, person + 1]):
                part, weight = part_base[column] + fits[place], weights[place]
                for slot in range(slot_starts[part], slot_starts[part + 1]):
                    bucket, rows = slot_bucket[slot], slot_rows[slot]
                    if column > 0 and reached[bucket] != token:
                        continue
                    if now[bucket] != token:
                        now[bucket] = token
                        touched[number] = bucket
                        number += 1
                        top[bucket] = weight
                        count[bucket] = rows
                        mass[bucket] = weight * rows
                        continue
                    mass[bucket] += weight * rows
                    if weight > top[bucket] * (1 + SAME):
                        top[bucket] = weight
                        count[bucket] = rows
                    elif weight >= top[bucket] * (1 - SAME):
                        count[bucket] += rows
            for place in range(number):
                bucket = touched[place]
                first = column == 0
                best[bucket] = top[bucket] if first else best[bucket] * top[bucket] / sizes[bucket]
                ties[bucket] = count[bucket] if first else ties[bucket] * count[bucket]
                total[bucket] = mass[bucket] if first else total[bucket] * mass[bucket] / sizes[bucket]
                reached[bucket] = token + 1
        for place in range(number):
            bucket = touched[place]
            out[person, 0] += 1
            out[person, 1] += sizes[bucket]
            out[person, 2] += total[bucket]
            if best[bucket] > out[person, 3] * (1 + SAME):
                out[person, 3] = best[bucket]
                out[person, 4] = ties[bucket]
            elif best[bucket] >= out[person, 3] * (1 - SAME):
                out[person, 4] += ties[bucket]
    return out
