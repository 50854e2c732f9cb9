"""The worst clusters, against plain Python."""

from __future__ import annotations

import json
from math import log

import numpy as np
import pytest
from hypothesis import given, settings

import cloven as cv
from cloven.kinds.disassociated.score.trial import LEAST, worst_clusters
from cloven.kinds.disassociated.score.truth import truth
from tests.effort import tries

from .plain import attacked, guesses, world


def plain_links(made, guess):
    """(cluster, target, probability to be found, that of guessing) of every true link that a guess can miss."""
    found = []
    for t, (_, _, slots) in enumerate(made.targets):
        start = int(made.questions.offsets[t])
        if all(made.slots[slot][1] is None for slot in slots):
            continue
        true = [slot for slot in slots if made.holds(t, slot)]
        if len(true) == len(slots):
            continue
        score = {slot: float(guess.score[start + i]) for i, slot in enumerate(slots)}
        last = sorted(score.values(), reverse=True)[len(true) - 1]
        above = sum(value > last for value in score.values())
        level = sum(value == last for value in score.values())
        for slot in true:
            share = 1.0 if score[slot] > last else (len(true) - above) / level if score[slot] == last else 0.0
            found.append((made.slots[slot][0], t, share, len(true) / len(slots)))
    return found


@settings(max_examples=tries(150))
@given(attacked())
def test_clusters_and_figures_are_those_of_the_plain_reading(case):
    made, guess, chosen = case
    shown = worst_clusters(guess, made.release, made.key, limit=9, rows=99)
    links, expected = plain_links(made, guess), []
    for cluster in range(len(made.clusters)):
        here = [link for link in links if link[0] == cluster]
        hits, chance = sum(link[2] for link in here), sum(link[3] for link in here)
        if hits > chance + 1e-9:
            evidence = hits * log(hits / chance) - hits + chance
            expected.append((len(here) < LEAST, -evidence, cluster, len(here), hits, chance))
    expected.sort()
    assert [each["cluster"] for each in shown] == [each[2] for each in expected] or len(
        {round(each[1], 9) for each in expected}
    ) < len(expected)
    for each in shown:
        _, evidence, _, many, hits, chance = next(row for row in expected if row[2] == each["cluster"])
        assert (each["links"], each["size"]) == (many, len(made.clusters[each["cluster"]]))
        assert [each["found"], each["expected"], each["evidence"]] == pytest.approx([hits, chance, -evidence])
        check_tables(made, each, guess, chosen)


def check_tables(made, shown, guess, chosen):
    """Rows are the anchors; targets have their true slots and their guesses."""
    first = [slot[0] for slot in made.slots].index(shown["cluster"])
    for row in shown["rows"]:
        anchor = made.slots[first + row["slot"]][1]
        assert row["items"] == ([] if anchor is None else sorted(made.rows[anchor][1]))
    assert len(shown["rows"]) == shown["size"]
    for told in shown["targets"]:
        t = next(
            t
            for t, (chunk, items, slots) in enumerate(made.targets)
            if (chunk[0], sorted(items)) == (told["kind"], told["items"]) and is_about(made, t, shown, told)
        )
        mine = [slot for target, slot in chosen if target == t]
        near = [slot - first for slot in mine if 0 <= slot - first < shown["size"]]
        assert sorted(each["slot"] for each in told["guesses"]) == sorted(near)
        assert told["guesses_elsewhere"] == len(mine) - len(near)
        for each in told["guesses"]:
            assert each["right"] == made.holds(t, first + each["slot"]) == (each["slot"] in told["true"])
            at = made.questions.offsets[t] + made.targets[t][2].index(first + each["slot"])
            assert each["confidence"] == pytest.approx(float(guess.confidence[at]), abs=1e-4)


def is_about(made, t, shown, told):
    chunk, _, slots = made.targets[t]
    first = [slot[0] for slot in made.slots].index(shown["cluster"])
    true = [slot - first for slot in slots if made.holds(t, slot)]
    near = [slot for slot in true if 0 <= slot < shown["size"]]
    return (chunk[0] == "shared" or chunk[1] == shown["cluster"]) and near == told["true"]


def two_clusters():
    """Six records each; the items of later chunks go with one another."""
    records = ["abx", "abx", "aby", "ac", "ac", "ac"]
    places = {"a": 0, "b": 1, "c": 1, "x": 2, "y": 2}
    return world([records, records], [places, places])


def test_the_cluster_that_was_found_out_stands_first():
    made = two_clusters()
    right = [
        float(made.holds(t, slot)) if made.slots[slot][0] == 1 else 0.0
        for t, (_, _, slots) in enumerate(made.targets)
        for slot in slots
    ]
    best = [
        (t, slot) for t, (_, _, slots) in enumerate(made.targets) for slot in slots if made.holds(t, slot)
    ]
    shown = worst_clusters(guesses(made, right, chosen=best), made.release, made.key)
    assert [each["cluster"] for each in shown] == [1]
    assert shown[0]["found"] == shown[0]["links"] == 9
    assert all(guess["right"] for target in shown[0]["targets"] for guess in target["guesses"])
    assert shown[0]["targets_in_all"] == len(shown[0]["targets"]) == 4


def test_guessing_shows_nothing():
    made = two_clusters()
    assert worst_clusters(guesses(made), made.release, made.key) == []


def test_tables_are_cut_to_what_is_telling():
    made = cv.Disassociation(k=5, m=2, rare_items="cluster", refine=True).anonymise(cv.sample("clinic"))
    guess = cv.attacks.Semantic(cv.relatedness.Vectors.sample()).guess(made.release)
    shown = worst_clusters(guess, made.release, made.key, limit=2, rows=4)
    assert len(shown) == 2
    for each in shown:
        assert len(each["rows"]) == len(each["targets"]) == 4 < each["targets_in_all"]
        guessed = {g["slot"] for target in each["targets"] for g in target["guesses"] if g["right"]}
        assert guessed
        assert {row["slot"] for row in each["rows"]} & guessed
    assert json.loads(json.dumps(shown)) == shown
    answers = truth(guess.questions, made.release, made.key)
    assert worst_clusters(guess, made.release, answers, limit=2, rows=4) == shown


def test_names_stay_as_they_are():
    name = "<script>alert(1)</script>"
    made = world([[{name, "b"}, {name, "b"}, {name, "c"}, {name}]], [{name: 0, "b": 1, "c": 1}])
    right = [float(made.holds(t, slot)) for t, (_, _, slots) in enumerate(made.targets) for slot in slots]
    (shown,) = worst_clusters(guesses(made, right), made.release, made.key)
    assert [row["items"] for row in shown["rows"]] == [[name]] * 4
    assert json.loads(json.dumps(shown)) == shown


def test_bad_input_is_refused():
    made, other = two_clusters(), two_clusters()
    guess = guesses(made)
    with pytest.raises(cv.ParameterError, match=r"limit must be at least 1 \(got 0\)"):
        worst_clusters(guess, made.release, made.key, limit=0)
    with pytest.raises(cv.ParameterError, match=r"rows must be at least 1 \(got 0\)"):
        worst_clusters(guess, made.release, made.key, rows=0)
    some = guess.only(np.array([0]))
    answers = truth(other.questions, other.release, other.key)
    with pytest.raises(cv.ReleaseError, match="answers other questions"):
        worst_clusters(some, made.release, answers)
