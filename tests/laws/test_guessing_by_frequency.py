"""Guessing by frequency what a generalised item stands for, against plain counting over every order of equal items."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise, permutations
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import records

import cloven as cv
from cloven.data.known_sets import Known
from cloven.errors import ParameterError, ReleaseError
from cloven.kinds.generalised.attack.frequency import Frequencies, FrequencyElimination, given_block
from cloven.kinds.generalised.attack.known_person import KnownPersonGeneralised
from cloven.kinds.generalised.methods.assembly import assemble
from cloven.kinds.generalised.score.score import trial_eliminations
from tests.effort import tries

ITEMS = "abcdef"


@st.composite
def worlds(draw):
    """Records, a way to merge their items, and records of other people to learn from."""
    rows = draw(records(8, ITEMS))
    blocks = draw(st.lists(st.integers(0, 2), min_size=len(ITEMS), max_size=len(ITEMS)))
    return rows, dict(zip(ITEMS, blocks, strict=True)), draw(records(6, ITEMS))


def made_of(rows, block_of):
    data = cv.Transactions.from_records(rows)
    return assemble(data, np.array([block_of[name] for name in data.vocabulary]), k=1, parameters={})


def plain_hits(rows, block_of, common):
    """Right items among as many commonest ones, and how many there are; lots decide between equal ones."""
    there = sorted(set().union(*rows))
    right, asked = Fraction(0), 0
    for row in rows:
        for block in {block_of[item] for item in row}:
            merged = [item for item in there if block_of[item] == block]
            if len(merged) == 1:
                continue
            held = row & set(merged)
            orders = [
                order
                for order in permutations(merged)
                if all(common[one] >= common[two] for one, two in pairwise(order))
            ]
            right += Fraction(sum(len(held & set(order[: len(held)])) for order in orders), len(orders))
            asked += len(held)
    return right, asked


def scored(attack, result):
    return trial_eliminations(attack, result.release, result.key, rng=np.random.default_rng(1), draws=10)


@settings(max_examples=tries(120))
@given(world=worlds())
def test_hits_are_those_of_naming_the_commonest_items_elsewhere(world):
    rows, block_of, others = world
    elsewhere = cv.Transactions.from_records(others)
    found = scored(FrequencyElimination(Frequencies.of(elsewhere)), made_of(rows, block_of)).get("hit")
    right, asked = plain_hits(rows, block_of, Counter(item for row in others for item in row))
    assert found.count == asked
    assert found.value == (pytest.approx(float(right / asked)) if asked else None)


@settings(max_examples=tries(120))
@given(world=worlds())
def test_chance_by_frequency_is_that_of_naming_the_commonest_items_of_the_release(world):
    rows, block_of, _ = world
    findings = scored(cv.attacks.RandomElimination(), made_of(rows, block_of))
    right, asked = plain_hits(rows, block_of, Counter(item for row in rows for item in row))
    beside, lots = findings.get("hit_by_frequency"), findings.get("hit")
    assert beside.chance == (pytest.approx(float(right / asked)) if asked else None)
    assert beside.value == lots.value
    if asked:
        assert beside.chance >= lots.chance - 1e-9  # who knows more is never right less often


@settings(max_examples=tries(80))
@given(world=worlds(), known=st.sets(st.sampled_from(ITEMS), max_size=2))
def test_a_known_person_is_told_common_items_of_blocks(world, known):
    rows, block_of, others = world
    release = made_of(rows, block_of).release
    known = sorted(known & set(release.vocabulary))
    code = {name: number for number, name in enumerate(release.vocabulary)}
    common = Counter(item for row in others for item in row)
    share = {item: (common[item] + 0.5) / (len(others) + 1) for item in release.vocabulary}
    fitting = [row for row in rows if {block_of[item] for item in known} <= {block_of[item] for item in row}]
    expected = {}
    for item in release.vocabulary:
        merged = [other for other in release.vocabulary if block_of[other] == block_of[item]]
        if not fitting or any(block_of[other] == block_of[item] for other in known):
            continue
        here = 1 if len(merged) == 1 else share[item] / (1 - prod(1 - share[other] for other in merged))
        shown = sum(any(block_of[other] == block_of[item] for other in row) for row in fitting)
        expected[code[item]] = here * shown / len(fitting)
    reader = KnownPersonGeneralised.of(release, Frequencies.of(cv.Transactions.from_records(others)))
    asked = Known.from_sets([[code[item] for item in known]])
    found = reader.claims(asked, floor=0.2)
    told = dict(zip(found.items.tolist(), found.probability.tolist(), strict=True))
    clear = {item: chance for item, chance in expected.items() if abs(chance - 0.2) > 1e-9}
    assert {item: told[item] for item in told if item in clear} == {
        item: pytest.approx(chance) for item, chance in clear.items() if chance > 0.2
    }
    plain = KnownPersonGeneralised.of(release)
    # However common an item is, logic tells no more than without knowing it.
    assert reader.certain(asked).items.tolist() == plain.certain(asked).items.tolist()


def test_a_very_common_item_is_not_certain():
    rows = [{"a"}, {"a", "b"}, {"a"}]
    release = made_of(rows, dict.fromkeys("ab", 0)).release
    frequencies = Frequencies({"a": 10**9}, 10**9)
    assert given_block(release, frequencies)[0] > 0.99
    reader = KnownPersonGeneralised.of(release, frequencies)
    nothing = Known.from_sets([[]])
    assert reader.claims(nothing).items.tolist() == [0]
    assert reader.certain(nothing).items.tolist() == []


def test_the_commonest_item_stays_and_the_rarest_goes_first():
    rows = [{"a"}, {"b"}, {"c"}]
    release = made_of(rows, dict.fromkeys("abc", 0)).release
    found = FrequencyElimination(Frequencies({"a": 1, "b": 5, "c": 3}, 9)).guess(release)
    assert found.eliminated.reshape(3, 3).tolist() == [[True, False, True]] * 3
    assert found.order.reshape(3, 3).tolist() == [[0, -1, 3], [1, -1, 4], [2, -1, 5]]
    with pytest.raises(ReleaseError, match="published set-generalised release alone"):
        FrequencyElimination(Frequencies({}, 0)).guess("no release")


def test_more_holders_than_people_are_refused():
    with pytest.raises(ParameterError, match="holders must be between 0 and the 3 people"):
        Frequencies({"a": 4}, 3)
