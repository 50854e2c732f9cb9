"""Laws of the vertical partitioning attack, against the method run in full, and against plain Python."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import plain_vertical as plain
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from strategies import RARE_ITEMS, skewed_records

import cloven as cv
from cloven.kinds.disassociated.attack import vertical
from cloven.kinds.disassociated.attack.questions import questions
from cloven.kinds.disassociated.attack.selection import finished, select
from cloven.kinds.disassociated.attack.vertical import VerticalPartitioning
from cloven.kinds.disassociated.attack.vertical_kernel import how_many_up_to
from cloven.kinds.disassociated.covers.worlds import how_many
from cloven.kinds.disassociated.release import Kind
from cloven.kinds.disassociated.score.truth import truth
from tests.effort import tries


def cuts_alike(masks, chunks, slots, k, m, given, strict):
    """VERPART, replayed in full: terms by support, then number; the first ``given`` chunks are not questioned."""
    questioned = set().union(*chunks[given:])
    waiting = sorted(masks, key=lambda term: (-len(masks[term]), term))
    for chunk in chunks:
        inside = []
        for term in waiting:
            groups = [group for size in range(m) for group in combinations(inside, size)]
            held = [set(range(slots)).intersection(*(masks[other] for other in group)) for group in groups]
            met = [masks[term] & each for each in held if each]
            joins = all(len(both) >= k or not (strict or both) for both in met)
            if term in questioned and joins != (term in chunk):
                return False
            if term in chunk:
                inside.append(term)
        waiting = [term for term in waiting if term not in chunk]
    return True


@settings(max_examples=tries(200))
@given(data=st.data())
def test_what_is_laid_out_once_says_the_same_as_the_method(data):
    slots, k, m = (data.draw(st.integers(*ends)) for ends in ((3, 7), (1, 3), (1, 3)))
    reading = plain.Reading(k, m, data.draw(st.booleans()))
    draw_slots = st.sets(st.integers(0, slots - 1), min_size=1)
    settled = [
        data.draw(st.dictionaries(st.integers(10 * number, 10 * number + 3), draw_slots, min_size=1))
        for number in range(data.draw(st.integers(1, 2)))
    ]
    rows = data.draw(
        st.lists(
            st.sets(st.integers(3, 8).map(lambda i: 7 * i), min_size=1),
            min_size=1,
            max_size=3,
            unique_by=tuple,
        )
    )
    order = data.draw(st.permutations(range(slots)))
    cuts = sorted(
        data.draw(st.lists(st.integers(1, slots), min_size=len(rows), max_size=len(rows), unique=True))
    )
    arrangement = tuple(tuple(order[a:b]) for a, b in zip([0, *cuts[:-1]], cuts, strict=True))
    used = {term for chunk in settled for term in chunk}
    rows = [sorted(row - used) for row in rows]
    assume(all(rows))
    before = [{term: sum(1 << slot for slot in held) for term, held in chunk.items()} for chunk in settled]
    passes = plain.check_of(
        [plain.Settled.of(chunk, reading) for chunk in before], rows, [*map(len, arrangement)], reading
    )
    masks = {term: held for chunk in settled for term, held in chunk.items()}
    for row, here in zip(rows, arrangement, strict=True):
        for term in row:
            masks[term] = masks.get(term, set()) | set(here)
    chunks = [*map(set, settled), {term for row in rows for term in row}]
    assert passes(arrangement) == cuts_alike(masks, chunks, slots, k, m, len(settled), reading.strict)


def made_of(rows, k, m, largest, reading="occurring", rare="cluster"):
    data = cv.Transactions.from_records([sorted(row) for row in rows])
    method = cv.Disassociation(
        k=k, m=m, max_cluster_size=largest, reading=reading, rare_items=rare, refine=True
    )
    return method.anonymise(data)


def assert_guesses_are_plain(release, seed, most_tries, most=20_000):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vertical, "MOST_COMBINATIONS", most)
        found = VerticalPartitioning(most_tries).guess(release, np.random.default_rng(seed))
    asked, rng = found.questions, np.random.default_rng(seed)
    score, chosen, notes = plain.guessed(release, asked, int(rng.integers(2**63)), most_tries, most)
    others = np.flatnonzero(asked.target_kind != Kind.RECORD)
    select(asked, release, others, rng.random(len(asked.slots)), "best", chosen)
    expected = finished(asked, release, score, chosen, 0.4, {}, notes)
    assert found.notes == expected.notes
    assert (found.chosen == expected.chosen).all()
    assert (found.answer == expected.answer).all()
    assert found.score.tolist() == expected.score.tolist()
    return notes


@settings(max_examples=tries(200))
@given(
    rows=skewed_records(min_records=8, max_records=120),
    k=st.integers(1, 9),
    m=st.integers(1, 4),
    made_with=st.tuples(st.integers(2, 5), st.integers(1, 3)),
    strict=st.booleans(),
    largest=st.sampled_from((11, 25, 150)),
    most_tries=st.sampled_from((1, 3, 30, 62, 200)),
    most=st.sampled_from((0, 2, 5, 20_000)),
    seed=st.integers(0, 999),
)
def test_guesses_are_those_of_plain_python(rows, k, m, made_with, strict, largest, most_tries, most, seed):
    """Whatever the reading: of releases that were cut otherwise, some chunks do not even fit together."""
    made = made_of(rows, *made_with, largest).release
    reading = {"reading": "strict" if strict else "occurring"}
    assert_guesses_are_plain(
        replace(made, k=k, m=m, parameters=made.parameters | reading), seed, most_tries, most
    )


@pytest.mark.parametrize(
    ("k", "m", "reading", "most"),
    [
        (3, 2, "occurring", 20_000),
        (5, 2, "occurring", 1),
        (4, 3, "occurring", 20_000),
        (5, 2, "strict", 20_000),
    ],
)
def test_guesses_about_many_slots_are_those_of_plain_python(k, m, reading, most):
    """Clusters of more slots than fit into one number, or into two."""
    rng = np.random.default_rng(m)
    rows = [set(np.flatnonzero(rng.random(14) < 0.25).tolist()) | {99} for _ in range(280)]
    made = made_of([{f"i{item:02}" for item in row} for row in rows], k, m, 140, reading).release
    assert made.cluster_size.max() > 2 * 62
    notes = assert_guesses_are_plain(made, 5, 130, most)
    assert notes["chunks"] > notes["all pass"] + notes["none passes"]
    assert bool(notes["too large"]) == (most == 1)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_all_arrangements_and_other_readings_are_those_of_plain_python(k, strict):
    """More than are looked at at once are tried in turn, and terms that too few records hold fit nowhere."""
    rng = np.random.default_rng(7)
    rows = [set(np.flatnonzero(rng.random(9) < 0.35).tolist()) | {99} for _ in range(150)]
    made = made_of([{f"i{item:02}" for item in row} for row in rows], 3, 2, 11).release
    reading = {"reading": "strict" if strict else "occurring"}
    notes = assert_guesses_are_plain(replace(made, k=k, parameters=made.parameters | reading), 3, 700)
    assert notes["chunks"] > 10
    assert notes["none passes"] or k < 5


def test_guesses_do_not_depend_on_cores(monkeypatch):
    release = cv.Disassociation(k=3, m=2).anonymise(cv.sample("clinic")).release
    found = []
    for cores, most in ((1, 10**9), (2, 10**9), (2, 10**6)):
        monkeypatch.setenv("CLOVEN_CORES", str(cores))
        monkeypatch.setattr(vertical, "MOST_AT_ONCE", most)
        told = []
        guesses = VerticalPartitioning().guess(
            release, np.random.default_rng(1), lambda _, share, told=told: told.append(share)
        )
        assert told == sorted(told)
        assert 0 < told[-1] <= 1
        found.append((guesses.score.tolist(), guesses.chosen.tolist(), guesses.notes))
    assert found[0] == found[1] == found[2]


@given(
    st.lists(st.integers(1, 20), min_size=1, max_size=5),
    st.integers(0, 20),
    st.integers(-2, 2),
    st.integers(1, 2**31 + 1),
)
@example([2], 2, 1, 1)
@example([3, 1], 3, -1, 5)
def test_arrangements_are_counted_up_to_a_limit(copies, more, beside, far):
    slots = sum(copies) + more
    possible = how_many(copies, slots)
    for most in (far, min(max(possible + beside, 1), 2**31 + 1)):
        assert how_many_up_to(most, np.array(copies), slots) == min(most, possible)


def kept_for_truth(made):
    """Whether VPA, led by the truth from chunk to chunk, lets the true arrangement of every chunk pass."""
    asked, before = questions(made.release), None
    answers = truth(asked, made.release, made.key)
    for (cluster, _), targets in plain.chunks_of(asked, made.release):
        if cluster != before:
            before, reading = cluster, plain.Reading.of(made.release)
            joined = plain.Joined.anchors(asked, made.release, cluster, reading)
        rows = [plain.items_of(made.release, asked.target_row[target]) for target in targets]
        bounds = ((asked.offsets[target], asked.offsets[target + 1]) for target in targets)
        true = tuple(tuple(np.flatnonzero(answers.holds[a:b]).tolist()) for a, b in bounds)
        yield plain.check_of(joined.settled, rows, asked.target_copies[targets].tolist(), reading)(true)
        joined.add(rows, true)


@pytest.mark.parametrize("reading", ["occurring", "strict"])
@settings(max_examples=tries(60))
@given(
    rows=skewed_records(min_records=8, max_records=70), k=st.integers(2, 4), rare=st.sampled_from(RARE_ITEMS)
)
def test_the_truth_always_passes(reading, rows, k, rare):
    assert all(kept_for_truth(made_of(rows, k, 2, 2 * k + 3, reading, rare)))


@pytest.mark.parametrize(
    ("told", "match"),
    [
        ({"utility_groups": [["a"]]}, "utility groups"),
        ({"persons": True}, "persons"),
        ({"tie_order": "explicit"}, "order of ties"),
    ],
)
def test_what_cannot_be_replayed_is_refused(told, match):
    made = made_of([{"a", "b"}, {"a", "c"}, {"a", "b"}, {"a"}], 2, 2, 7).release
    with pytest.raises(cv.ParameterError, match=match):
        VerticalPartitioning().guess(replace(made, parameters=made.parameters | told))


def test_a_k_that_nobody_can_reach_ends():
    """Read from a manifest that nobody verified; numbers above 2**62 have no next power of two."""
    data = cv.Transactions.from_records([["a", "b"], ["a", "c"], ["a", "b"], ["a"], ["c"], ["c"]])
    made = cv.Disassociation(k=2, m=2, max_cluster_size=7).anonymise(data).release
    assert made.row_chunk.max() == 1
    method, rng = VerticalPartitioning(), np.random.default_rng
    found = [method.guess(replace(made, k=k), rng(1)).chosen.tolist() for k in (99, 2**62 + 1)]
    assert found[0] == found[1]
