"""The checker of tables: exchanged values stay in their rank group, are marked, and are given up by somebody."""

from __future__ import annotations

import numpy as np

from cloven.kinds.tables.methods.assembly import sliced
from cloven.kinds.tables.verify.checker import verify_table


def failed(release, original, key):
    return {check.name: check.detail for check in verify_table(release, original, key).failures}


def exchanged(table, place, first, second, values=None):
    """A release in which two persons show other values, each other's if none are given."""
    codes = table.codes.copy()
    codes[[first, second], place] = table.codes[[second, first], place] if values is None else values
    changed = np.zeros(codes.shape, bool)
    changed[[first, second], place] = True
    parameters = {"swap_rate": 0.05}
    result = sliced(
        table, np.zeros(len(table), np.int64), ((0,), (1,), (2,), (3,), (4,)), k=8, parameters=parameters,
        codes=codes, changed=changed,
    )  # fmt: skip
    return failed(result.release, table, result.key)


def test_exchanges_that_break_their_rules(people):
    federal, private, state = (int(np.argmax(people.codes[:, 1] == value)) for value in range(3))
    assert exchanged(people, 1, federal, state) == {}
    assert list(exchanged(people, 1, federal, private)) == ["changed cells"]
    assert "from another rank group" in exchanged(people, 1, federal, private)["changed cells"]
    flu, gout = (int(np.argmax(people.codes[:, 3] == value)) for value in range(2))
    assert "the sensitive 'illness' was exchanged" in exchanged(people, 3, flu, gout)["changed cells"]
    # Both show the value of the second: nobody gave it up.
    female, male = (int(np.argmax(people.codes[:, 2] == value)) for value in range(2))
    both = exchanged(people, 2, female, male, (1, 1))
    assert "'sex' of row" in both["changed cells"]
    assert "marginals" in both
