"""Laws of set-based generalisation, on random small data and random policies."""

from __future__ import annotations

import json
import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from plain_generalisation import (
    Impossible,
    coat_step,
    generalise,
    one_each,
    pcta_step,
    satisfied,
    support,
)
from strategies import skewed_records

from cloven.data.transactions import Transactions
from cloven.errors import ParameterError
from cloven.kinds.generalised.methods.assembly import assemble
from cloven.kinds.generalised.methods.by_policy import Coat, Pcta
from cloven.kinds.generalised.methods.partition import cheaper
from cloven.kinds.generalised.policy import Policy
from cloven.verification import verify

READINGS = ("empty-is-enough", "subsets-too")
METHODS = {Coat: coat_step, Pcta: pcta_step}
methods = st.sampled_from(sorted(METHODS, key=lambda method: method.METHOD))


@st.composite
def tasks(draw):
    """Records, a policy over their items, and settings."""
    records = draw(skewed_records(max_records=40, min_records=6, n_items=9))
    rng = random.Random(draw(st.integers(0, 2**32)))
    items = sorted(set().union(*records))

    def some(most):
        return tuple(rng.sample(items, min(len(items), rng.randint(1, most))))

    groups = tuple((f"g{number}", some(len(items))) for number in range(rng.randint(0, 4)))
    policy = Policy(
        protected=tuple(some(4) for _ in range(rng.randint(1, 6))),
        all_up_to=rng.choice((0, 0, 0, 1, 2, 3, 4)),
        groups=None if rng.random() < 0.5 else groups,
    )
    settings = {
        "k": rng.randint(2, 5),
        "policy": policy,
        "max_suppressed": rng.choice((0.0, 0.2, 0.5, 1.0)),
        "reading": rng.choice(READINGS),
    }
    return records, settings


def blocks(release):
    return [release.block(number) for number in range(release.blocks)]


def run(method, records, settings):
    """The result, or None where the policy cannot be satisfied."""
    try:
        return method(**settings).anonymise(Transactions.from_records(records))
    except ParameterError as error:
        if "no utility group holds anything else to merge it with" not in str(error):
            raise
        return None


@given(tasks(), methods)
def test_kernels_do_what_the_pseudo_code_says(task, method):
    records, settings = task
    policy, k, reading = settings["policy"], settings["k"], settings["reading"]
    try:
        expected = generalise(
            one_each(records), policy, k, settings["max_suppressed"], reading, METHODS[method]
        )
    except Impossible:
        expected = None
    result = run(method, records, settings)
    found = None
    if result is not None:
        lost = len(set().union(*records)) - len(result.release.vocabulary)
        found = blocks(result.release), lost
    assert found == expected


@given(tasks(), methods)
def test_every_constraint_holds_by_brute_force_and_by_the_checker(task, method):
    records, settings = task
    policy, k = settings["policy"], settings["k"]
    result = run(method, records, settings)
    assume(result is not None)
    partition = [frozenset(block) for block in blocks(result.release)]
    for itemset in policy.protected:
        assert satisfied(one_each(records), partition, itemset, k, settings["reading"])
    for size in range(1, policy.all_up_to + 1):
        for image in combinations(partition, size):
            assert support(one_each(records), image) == 0 or support(one_each(records), image) >= k
    for block in partition:
        inside = [set(block) <= set(items) for _, items in policy.groups or ()]
        assert len(block) == 1 or policy.groups is None or any(inside)
    items = set().union(*records)
    assert len(items) - len(set().union(*partition)) <= settings["max_suppressed"] * len(items) + 1e-9
    data = Transactions.from_records(records)
    verdict = verify(result.release, original=data, key=result.key, policy=policy)
    assert verdict.ok, str(verdict)


@given(tasks(), methods, st.integers(0, 2**32))
def test_persons_with_several_records_count_once(task, method, seed):
    records, settings = task
    rng = random.Random(seed)
    persons = [rng.randint(0, len(records) // 2) for _ in records]
    assume(len(set(persons)) >= settings["k"])
    holders = [[r for r, owner in zip(records, persons, strict=True) if owner == one] for one in set(persons)]
    plain = Transactions.from_records(records)
    data = Transactions.from_arrays(plain.lengths, plain.codes, plain.vocabulary, persons=np.array(persons))
    policy, k, reading = settings["policy"], settings["k"], settings["reading"]
    try:
        expected, _ = generalise(holders, policy, k, settings["max_suppressed"], reading, METHODS[method])
    except Impossible:
        with pytest.raises(ParameterError):
            method(**settings).anonymise(data)
        return
    result = method(**settings).anonymise(data)
    assert blocks(result.release) == expected
    verdict = verify(result.release, original=data, key=result.key, policy=policy)
    assert verdict.ok, str(verdict)


@given(skewed_records(max_records=30, n_items=8), st.integers(2, 4), st.integers(0, 2**32))
def test_where_all_combinations_hold_no_merge_breaks_one(records, k, seed):
    data = Transactions.from_records(records)
    assume(len(data) >= k)
    release = Coat(k=k, policy=Policy(all_up_to=2)).anonymise(data).release
    partition = [frozenset(block) for block in blocks(release)]
    rng = random.Random(seed)
    while len(partition) > 1:
        one, other = rng.sample(partition, 2)
        partition = [block for block in partition if block not in (one, other)] + [one | other]
        pairs = [pair for size in (1, 2) for pair in combinations(partition, size)]
        assert all(
            support(one_each(records), pair) == 0 or support(one_each(records), pair) >= k for pair in pairs
        )


@given(tasks(), st.integers(0, 2**32))
def test_the_checker_agrees_with_brute_force_on_any_partition(task, seed):
    records, settings = task
    data, policy, k = Transactions.from_records(records), settings["policy"], settings["k"]
    rng = random.Random(seed)
    numbers = np.array([rng.randint(-1 if rng.random() < 0.2 else 0, 5) for _ in data.vocabulary])
    parameters = {"reading": settings["reading"], "max_suppressed": 1.0}
    result = assemble(data, numbers, k=k, parameters=parameters)
    partition = [frozenset(block) for block in blocks(result.release)]
    verdict = verify(result.release, original=data, key=result.key, policy=policy)
    passed = {check.name: check.passed for check in verdict.checks}
    holds = {
        reading: all(
            satisfied(one_each(records), partition, itemset, k, reading) for itemset in policy.protected
        )
        for reading in READINGS
    }
    assert passed["itemsets"] == holds["empty-is-enough"]
    if settings["reading"] == "subsets-too":
        assert passed["itemsets and subsets"] == holds["subsets-too"]
    if policy.all_up_to:
        sizes = range(1, policy.all_up_to + 1)
        images = [image for size in sizes for image in combinations(partition, size)]
        assert passed["combinations"] == all(
            support(one_each(records), image) not in range(1, k) for image in images
        )
    assert passed["utility groups"] == all(
        len(block) == 1 or policy.groups is None or any(block <= set(items) for _, items in policy.groups)
        for block in partition
    )
    others = ("itemsets", "itemsets and subsets", "combinations", "utility groups")
    assert all(passed[name] for name in passed if name not in others), str(verdict)


@given(tasks(), methods, st.integers(0, 2**32))
def test_order_of_records_does_not_matter(task, method, seed):
    records, settings = task
    result = run(method, records, settings)
    assume(result is not None)
    order = list(range(len(records)))
    random.Random(seed).shuffle(order)
    other = run(method, [records[place] for place in order], settings)
    assert other.release == result.release
    # Equal rows are interchangeable; what each row really held is not.
    for one in (result, other):
        data = Transactions.from_records(records if one is result else [records[place] for place in order])
        assert verify(one.release, original=data, key=one.key, policy=settings["policy"]).ok


@given(tasks(), methods)
def test_names_matter_only_for_ties_of_text(task, method):
    """Renaming that keeps the order of the names renames the blocks and nothing else."""
    records, settings = task
    result = run(method, records, settings)
    assume(result is not None)

    def renamed(items):
        return [f"{item}{item}" for item in items]

    policy = settings["policy"]
    groups = (
        None
        if policy.groups is None
        else tuple((name, tuple(renamed(items))) for name, items in policy.groups)
    )
    other_policy = Policy(
        tuple(tuple(renamed(items)) for items in policy.protected), policy.all_up_to, groups
    )
    other = run(method, [renamed(record) for record in records], settings | {"policy": other_policy})
    assert [tuple(renamed(block)) for block in blocks(result.release)] == blocks(other.release)


@given(tasks(), methods)
def test_a_release_names_no_suppressed_item(task, method):
    records, settings = task
    records = [frozenset(f"item-{item}" for item in record) for record in records]
    policy = settings["policy"]
    protected = tuple(tuple(f"item-{item}" for item in items) for items in policy.protected)
    settings = settings | {"policy": Policy(protected, policy.all_up_to, ()), "max_suppressed": 1.0}
    release = run(method, records, settings).release
    told = json.dumps([dict(release.parameters), release.vocabulary, release.block_labels])
    assert not [item for item in set().union(*records) - set(release.vocabulary) if item in told]


@given(
    st.tuples(st.integers(2, 80), st.integers(1, 10**6)), st.tuples(st.integers(2, 80), st.integers(1, 10**6))
)
def test_losses_are_compared_exactly(one, other):
    exact = (2 ** one[0] - 1) * one[1] < (2 ** other[0] - 1) * other[1]
    assert cheaper(one[0], float(one[1]), other[0], float(other[1])) == exact


@pytest.mark.parametrize(
    ("one", "other", "less"),
    [
        ((2, 5), (4, 1), False),  # 15 and 15
        ((4, 1), (2, 5), False),
        ((60, 8), (61, 4), True),  # 2^63 - 8 and 2^63 - 4
        ((61, 4), (60, 8), False),
        ((5_000, 1), (9_000, 1), True),
        ((9_000, 1), (5_000, 10**9), False),
    ],
)
def test_losses_at_the_edges(one, other, less):
    assert cheaper(one[0], float(one[1]), other[0], float(other[1])) is less
