"""k, l and t against their definitions, written down plainly."""

from __future__ import annotations

from collections import Counter
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloven.kinds.tables.foreign.diversity import classes_of, diversity

ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=40)


def plainly(rows, *, ordered):
    """Distinct l, entropy l, recursive c and t, class by class."""
    classes: dict[tuple[int, int], list[int]] = {}
    for one, two, value in rows:
        classes.setdefault((one, two), []).append(value)
    values = sorted({value for *_, value in rows})
    whole = [sum(row[2] == value for row in rows) / len(rows) for value in values]
    l = min(len(set(held)) for held in classes.values())
    entropies, ratios, distances = [], [], []
    for held in classes.values():
        counts = sorted(Counter(held).values(), reverse=True)
        shares = [held.count(value) / len(held) for value in values]
        entropies.append(exp(-sum(share * log(share) for share in shares if share)))
        ratios.append(counts[0] / sum(counts[l - 1 :]))
        apart = [a - b for a, b in zip(shares, whole, strict=True)]
        if ordered:
            moved = [abs(sum(apart[: at + 1])) for at in range(len(apart))]
            distances.append(sum(moved) / max(1, len(values) - 1))
        else:
            distances.append(sum(map(abs, apart)) / 2)
    return l, min(entropies), max(ratios), max(distances)


@given(ROWS, st.booleans())
def test_figures_are_those_of_the_definitions(rows, ordered):
    table = np.array(rows, np.int32)
    number = classes_of(table[:, :2])
    found = diversity("x", number, table[:, 2].astype(np.int64), ordered=ordered)
    l, entropy, ratio, t = plainly(rows, ordered=ordered)
    assert found.distinct == l
    assert found.entropy == pytest.approx(entropy)
    assert found.t == pytest.approx(t, abs=1e-12)
    assert found.recursive is None if l < 2 else found.recursive == pytest.approx(ratio)
    single = [held for held in np.unique(number) if len(set(table[number == held, 2])) == 1]
    assert found.alike == (len(single), int(np.isin(number, single).sum()))


@given(ROWS)
def test_classes_are_equal_rows(rows):
    table = np.array(rows, np.int32)
    number = classes_of(table)
    for one in range(len(rows)):
        for other in range(len(rows)):
            assert (number[one] == number[other]) == (rows[one] == rows[other])
