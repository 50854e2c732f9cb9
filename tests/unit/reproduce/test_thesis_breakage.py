"""k^m breakage against combinations of plain records."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from cloven.kinds.disassociated.score.definitions import units
from cloven.kinds.disassociated.score.precision import attached, disassociated
from cloven.kinds.disassociated.score.truth import truth
from experiments.thesis.breakage import breakages, protected_itemsets
from experiments.thesis.rebuilt import best_places
from tests.unit.scoring.plain import attacked, guesses, world


def in_one_chunk(made, record, items):
    return any(items <= part for chunk, part in made.parts[record].items() if chunk[0] != "term")


def scope_of(made, record, items):
    kinds = {chunk[0] for chunk, part in made.parts[record].items() if part & items}
    return "term" if "term" in kinds else "shared" if "shared" in kinds else "record"


def rebuilt_records(made, chosen, place):
    """Rebuilt record of each slot, and the one that the best match reads there."""
    records = [set() if anchor is None else set(made.rows[anchor][1]) for _, anchor, _ in made.slots]
    for target, slot in chosen:
        records[slot] |= made.targets[target][1]
    best = [set() for _ in records]
    for slot, items in enumerate(records):
        best[place[slot]] = items
    return records, best


def plain_breakage(made, chosen, place):
    """For measure and scope: how many are broken, how many are protected."""
    rebuilt, best = rebuilt_records(made, chosen, place)
    everyone = [made.record(record) for _, _, record in made.slots]
    counts = {}
    for cluster in range(len(made.clusters)):
        slots = [slot for slot, (here, _, _) in enumerate(made.slots) if here == cluster]
        records = {slot: everyone[slot] for slot in slots}
        candidates = {
            frozenset(items)
            for own in records.values()
            for size in range(2, made.release.m + 1)
            for items in combinations(sorted(own), size)
        }
        for items in candidates:
            holders = [slot for slot in slots if items <= records[slot]]
            record = made.slots[holders[0]][2]
            if len(holders) >= made.release.k or in_one_chunk(made, record, items):
                continue
            broken = {
                "any": any(items <= rebuilt[slot] for slot in slots),
                "own": any(items <= rebuilt[slot] for slot in holders),
                "own_best": any(items <= best[slot] for slot in holders),
            }
            rare = sum(items <= other for other in everyone) < made.release.k
            for name in ("km", "km_data") if rare else ("km",):
                for scope in ("all", scope_of(made, record, items)):
                    for version, yes in broken.items():
                        one = counts.setdefault((f"{name}_{version}", scope), [0, 0])
                        one[0] += yes
                        one[1] += 1
    return counts


def measured(made, guess):
    answers = truth(made.questions, made.release, made.key)
    given = attached(guess, made.release)
    place = best_places(made.questions, made.release, given, disassociated(answers, given.width))
    protected = protected_itemsets(answers, made.release)
    found = breakages(protected, given, place, units(made.questions, made.release))
    return found, place.tolist()


@given(attacked())
def test_breakage_against_combinations(case):
    made, guess, chosen = case
    found, place = measured(made, guess)
    plain = plain_breakage(made, chosen, place)
    for name, tally in found.items():
        assert [tally.numerator.sum(), tally.count] == plain.get(name, [0, 0]), name


@pytest.mark.parametrize(("seed", "m"), [(1, 2), (2, 3)])
def test_breakage_in_large_clusters(seed, m):
    rng = np.random.default_rng(seed)
    clusters = [
        [
            "a"
            + "".join(
                sorted(
                    rng.choice(
                        list("bcdefg"),
                        rng.integers(0, 5),
                        replace=False,
                        p=(0.3, 0.25, 0.2, 0.15, 0.07, 0.03),
                    )
                )
            )
            for _ in range(n)
        ]
        for n in (150, 63, 5)
    ]
    places = {"a": 0, "b": 1, "c": 1, "d": 2, "e": "term", "f": "term", "g": "term"}
    here = [{item: places[item] for item in sorted(set("".join(cluster)))} for cluster in clusters]
    made = world(clusters, here, k=25, m=m)
    pairs = [(t, s) for t, (_, _, slots) in enumerate(made.targets) for s in slots]
    chosen = [pair for pair in pairs if rng.random() < 0.1]
    found, place = measured(made, guesses(made, chosen=chosen))
    plain = plain_breakage(made, chosen, place)
    assert 0 < plain["km_data_own", "all"][0] < plain["km_own", "all"][0] < plain["km_any", "all"][0]
    for name, tally in found.items():
        assert [tally.numerator.sum(), tally.count] == plain.get(name, [0, 0]), name


def test_perfect_links_break_everything_and_none_break_nothing():
    made = world([["abc", "ad", "abd", "bc"]], [{"a": 0, "b": 0, "c": 1, "d": "term"}], k=3, m=3)
    links = [(t, s) for t, (_, _, slots) in enumerate(made.targets) for s in slots if made.holds(t, s)]
    assert measured(made, guesses(made, chosen=links))[0]["km_own", "all"].value == 1
    assert measured(made, guesses(made))[0]["km_any", "all"].value == 0


def test_what_one_chunk_shows_is_not_protected():
    made = world([["ab", "a", "b"]], [{"a": 0, "b": 0}])
    assert measured(made, guesses(made))[0]["km_any", "all"].value is None


def test_an_itemset_that_is_rare_in_its_cluster_may_be_frequent_in_the_data():
    made = world([["ab", "a"], ["ab", "ab"]], [{"a": 0, "b": "term"}, {"a": 0, "b": 1}])
    found, _ = measured(made, guesses(made))
    assert (found["km_any", "all"].count, found["km_data_any", "all"].count) == (1, 0)
