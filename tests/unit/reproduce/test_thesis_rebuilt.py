"""Rebuilt records against sets in plain Python, and the best match against all exchanges."""

from __future__ import annotations

from itertools import permutations, product
from math import prod

import pytest
from hypothesis import assume, given, settings

from cloven.kinds.disassociated.score.definitions import units
from cloven.kinds.disassociated.score.precision import attached, disassociated
from cloven.kinds.disassociated.score.truth import truth
from experiments.thesis.rebuilt import best_places, moved, reconstructions
from tests.effort import tries
from tests.unit.scoring.plain import attacked, guesses, world

SCOPES = {
    "all": ("record", "shared", "term"),
    "record": ("record",),
    "shared": ("shared",),
    "term": ("term",),
}


def put_back(made, chosen, kinds):
    """Items put on each slot."""
    records = [set() for _ in made.slots]
    for target, slot in chosen:
        chunk, items, _ = made.targets[target]
        if chunk[0] in kinds:
            records[slot] |= items
    return records


def plain_measures(made, chosen, kinds, place=None):
    given = put_back(made, chosen, kinds)
    if place is not None:
        read = [set() for _ in given]
        for slot, items in enumerate(given):
            read[place[slot]] = items
        given = read
    true = [made.disassociated(record, kinds) for _, _, record in made.slots]
    correct = [len(a & b) for a, b in zip(given, true, strict=True)]
    torn = [(c, len(t)) for c, t in zip(correct, true, strict=True) if t]
    n_given, n_true = sum(map(len, given)), sum(map(len, true))
    return {
        "accuracy": sum(c / t for c, t in torn) / len(torn) if torn else None,
        "recall": sum(correct) / n_true if n_true else None,
        "precision": sum(correct) / n_given if n_given else None,
        "f": 2 * sum(correct) / (n_given + n_true) if n_given + n_true else None,
        "broken": sum(c > 0 for c in correct) / len(made.slots),
        "broken_items": sum(correct) / len(made.slots),
    }


def measured(made, guess):
    true = disassociated(truth(made.questions, made.release, made.key), len(made.release.vocabulary))
    return attached(guess, made.release), true, units(made.questions, made.release)


def approximately(value):
    return value if value is None else pytest.approx(value)


@given(attacked())
def test_reconstruction_against_sets(case):
    made, guess, chosen = case
    given, true, where = measured(made, guess)
    found = reconstructions(given, true, where)
    for scope, kinds in SCOPES.items():
        for name, value in plain_measures(made, chosen, kinds).items():
            assert found[name, scope].value == approximately(value), (name, scope)


def identical_anchors(made):
    groups = {}
    for slot, (cluster, anchor, _) in enumerate(made.slots):
        items = None if anchor is None else made.rows[anchor][1]
        groups.setdefault((cluster, items), []).append(slot)
    return list(groups.values())


@settings(max_examples=tries(60))
@given(attacked(max_records=4, items="abcde"))
def test_best_match_is_the_best_exchange_inside_identical_anchors(case):
    made, guess, chosen = case
    groups = identical_anchors(made)
    assume(prod(len(list(permutations(group))) for group in groups) <= 600)
    given, true, where = measured(made, guess)
    place = best_places(made.questions, made.release, given, true).tolist()
    assert all(sorted(place[slot] for slot in group) == group for group in groups)

    everything = SCOPES["all"]
    best = (-1.0, -1.0)
    for order in product(*(permutations(group) for group in groups)):
        exchange = {
            s: t
            for group, turned in zip(groups, order, strict=True)
            for s, t in zip(group, turned, strict=True)
        }
        values = plain_measures(made, chosen, everything, exchange)
        best = max(best, (round(values["broken_items"], 9), round(values["accuracy"] or 0.0, 9)))
    reached = plain_measures(made, chosen, everything, place)
    assert (reached["broken_items"], reached["accuracy"] or 0.0) == pytest.approx(best)

    again = best_places(made.questions, made.release, given, true)
    found = reconstructions(moved(given, again), true, where, "_best")
    for scope, kinds in SCOPES.items():
        for name, value in plain_measures(made, chosen, kinds, place).items():
            assert found[f"{name}_best", scope].value == approximately(value), (name, scope)


def test_empty_anchors_are_a_group_but_not_across_clusters():
    """Each cluster is one record with a and one without anchor that holds b or c alone."""
    places = [{"a": 0, "b": 1, "c": "term"}] * 2
    made = world([["a", "b", "c"], ["a", "b", "c"]], places)
    wrong = [
        (t, slot) for t, (_, _, slots) in enumerate(made.targets) for slot in slots if not made.holds(t, slot)
    ]
    bare = [(t, slot) for t, slot in wrong if made.slots[slot][1] is None]
    given, true, where = measured(made, guesses(made, chosen=bare))
    assert reconstructions(given, true, where)["recall", "all"].value == 0
    place = best_places(made.questions, made.release, given, true)
    assert place.tolist() == [0, 2, 1, 3, 5, 4]
    assert reconstructions(moved(given, place), true, where)["recall", "all"].value == 1


def test_putting_every_item_everywhere_pays_in_recall_alone():
    made = world([["abc", "ab", "ad", "a"]], [{"a": 0, "b": 1, "c": "term", "d": "term"}])
    everywhere = [(t, slot) for t, (_, _, slots) in enumerate(made.targets) for slot in slots]
    given, true, where = measured(made, guesses(made, chosen=everywhere))
    found = reconstructions(given, true, where)
    assert found["accuracy", "all"].value == 1
    assert found["precision", "all"].value == 4 / 12
    assert found["broken_items", "all"].value == 1
    assert found["accuracy", "all"].count == 3  # the record {a} has nothing to put back


def test_a_cluster_that_shows_nothing_does_not_exchange_with_the_one_before():
    """The last slot of the first cluster and both of the second show nothing; all three could use an item b."""
    made = world([["a", "b"], ["b", "c"]], [{"a": 0, "b": "term"}, {"b": "term", "c": "term"}])
    everywhere = [
        (t, slot)
        for t, (chunk, items, _) in enumerate(made.targets)
        for slot in (2, 3)
        if chunk == ("term", 1) and items == {"b"}
    ]
    given, true, where = measured(made, guesses(made, chosen=everywhere))
    place = best_places(made.questions, made.release, given, true)
    assert sorted(place[2:].tolist()) == [2, 3]
    assert reconstructions(moved(given, place), true, where)["recall", "all"].value == pytest.approx(1 / 3)
