"""What generalisation costs, on examples small enough to do by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cloven.data.transactions import Transactions
from cloven.kinds.generalised.methods.assembly import assemble
from cloven.kinds.generalised.utility import density, log2_utility_loss, ncp

DATA = Transactions.from_records([["a", "b"], ["a", "c"], ["b"], ["d", "e"], ["e"]])


def release(*blocks):
    return assemble(DATA, np.array(blocks), k=2, parameters={}).release


def utility_loss(*given):
    return 2.0 ** log2_utility_loss(*given)


def test_utility_loss_by_hand():
    # {a, b, c}: 7 sets in 3 of 5 records; {d}: 1 in 1; {e}: 1 in 2; all five items: 31 sets.
    assert utility_loss(release(0, 0, 0, 1, 2), DATA) == pytest.approx((7 * 3 + 1 * 1 + 1 * 2) / (31 * 5))
    assert utility_loss(release(0, 0, 0, 0, 0), DATA) == pytest.approx(1.0)


def test_suppressed_items_cost_as_much_as_everything():
    assert utility_loss(release(0, 1, 2, 3, -1), DATA) == pytest.approx((2 + 2 + 1 + 1) / (31 * 5) + 2 / 5)
    gone = release(-1, -1, -1, -1, -1)
    assert utility_loss(gone, DATA) == pytest.approx((2 + 2 + 1 + 1 + 2) / 5)
    assert ncp(gone, DATA) == 1.0


def test_weights():
    weights = {"a": 0.5, "e": 0.1}
    found = utility_loss(release(0, 0, 1, 2, -1), DATA, weights)
    assert found == pytest.approx((3 * 0.75 * 3 + 1 + 1) / (31 * 5) + 0.1 * 2 / 5)


def test_many_items_keep_their_order():
    data = Transactions.from_records([[f"i{number:04}" for number in range(3_000)], ["i0000"]])
    few, more = np.arange(3_000), np.arange(3_000)
    few[:10], more[:11] = 0, 0
    losses = [
        log2_utility_loss(assemble(data, blocks, k=2, parameters={}).release, data) for blocks in (few, more)
    ]
    assert losses[0] < losses[1] < -2_900
    # 2^10 - 1 sets in 2 of 2 records, and 2,990 single items in 1 of 2.
    assert losses[0] == pytest.approx(math.log2(1023 + 2_990 / 2) - 3_000)
    assert utility_loss(assemble(data, few, k=2, parameters={}).release, data) == 0.0


def test_ncp():
    # Items: five occurrences of a, b, c, and three others.
    assert ncp(release(0, 0, 0, 1, 2), DATA) == pytest.approx(5 * 0.6 / 8)
    assert ncp(release(0, 0, 0, 1, -1), DATA) == pytest.approx((5 * 0.6 + 2) / 8)


def test_density():
    assert density(release(0, 0, 0, 1, 2), DATA) == pytest.approx((2 / 3 + 2 / 3 + 1 / 3) / 3)
    assert density(release(0, 0, 0, 1, 1), DATA) == pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1 + 1 / 2) / 5)
    assert density(release(0, 0, -1, 1, 2), DATA) == pytest.approx((1 + 1 / 2 + 1 / 2) / 3)
    assert density(release(0, 1, 2, 3, 4), DATA) is None
