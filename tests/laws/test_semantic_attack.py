"""Laws of the semantic attack, against plain Python and against what must be so."""

from __future__ import annotations

import numpy as np
import plain_attack as plain
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up import MadeUp
from strategies import RARE_ITEMS, skewed_records

import cloven as cv
from cloven.kinds.disassociated.attack.named import Guesswork
from cloven.kinds.disassociated.attack.prior import expected_copies
from cloven.kinds.disassociated.attack.questions import questions
from cloven.kinds.disassociated.attack.semantic import Semantic
from cloven.kinds.disassociated.attack.vertical import VerticalPartitioning
from cloven.kinds.disassociated.guesses import Answer
from cloven.kinds.disassociated.release import Kind
from tests.effort import tries


def scored(seed, back=None):
    """How related two names are, by a seed: a symmetric table with some unknown pairs; names may stand for others."""

    def score(a, b):
        one, other = sorted((back or {}).get(name, name) for name in (a, b))
        rng = np.random.default_rng([seed, *map(ord, one), 0, *map(ord, other)])
        unknown = rng.random() < 0.2
        return float("nan") if unknown else round(float(rng.random()), 2)

    return score


def related(seed, back=None):
    score = scored(seed, back)
    return MadeUp(
        lambda items: np.array([[score(a, b) for b in items] for a in items]).reshape(2 * (len(items),))
    )


def published(rows, k, rare="cluster", refine=True):
    data = cv.Transactions.from_records([sorted(row) for row in rows])
    method = cv.Disassociation(k=k, m=2, max_cluster_size=2 * k + 3, rare_items=rare, refine=refine)
    return method.anonymise(data).release


def by_content(guesses, release):
    """(kind, items, anchor) -> scores, for comparing what has no fixed order."""
    asked = guesses.questions
    for target in range(len(asked)):
        item = asked.target_item[target]
        row = release.row(int(asked.target_row[target])) if item < 0 else (release.vocabulary[item],)
        for pair in range(asked.offsets[target], asked.offsets[target + 1]):
            anchor = asked.slot_anchor[asked.slots[pair]]
            shown = release.row(int(anchor)) if anchor >= 0 else None
            yield Kind(asked.target_kind[target]).name.lower(), row, int(asked.slots[pair]), shown, pair


DATA = {
    "rows": skewed_records(min_records=8, max_records=70),
    "k": st.integers(2, 4),
    "seed": st.integers(0, 999),
    "rare": st.sampled_from(RARE_ITEMS),
}


@settings(max_examples=tries(150))
@given(**DATA)
def test_questions_are_those_of_the_plain_reading(rows, k, seed, rare):
    release = published(rows, k, rare)
    asked = questions(release)
    expected = plain.targets_of(release)
    assert len(asked) == len(expected)
    for target, (kind, _, items, copies, candidates) in enumerate(expected):
        item = asked.target_item[target]
        row = release.row(int(asked.target_row[target])) if item < 0 else (release.vocabulary[item],)
        assert (Kind(asked.target_kind[target]).name.lower(), row) == (kind, items)
        assert asked.target_copies[target] == copies
        here = asked.slots[asked.offsets[target] : asked.offsets[target + 1]]
        assert here.tolist() == [int(asked.slot_offsets[c]) + slot for c, slot in candidates]


@pytest.mark.parametrize("method", ["aba", "rga", "mra"])
@settings(max_examples=tries(80))
@given(**DATA)
def test_scores_and_choice_are_those_of_the_plain_reading(method, rows, k, seed, rare):
    release = published(rows, k, rare)
    guesses = Semantic(related(seed), record_method=method, term_method=method).guess(release)
    asked = guesses.questions
    for target, plain_target in enumerate(plain.targets_of(release)):
        kind, _, _, copies, candidates = plain_target
        expected = plain.scores(release, plain_target, scored(seed), method)
        here = slice(asked.offsets[target], asked.offsets[target + 1])
        assert guesses.score[here] == pytest.approx(expected, abs=1e-8)
        many = min(k - 1 if kind == "term" else copies, len(candidates))
        # Python's sort is stable: the first of equal ones wins.
        best = sorted(range(len(candidates)), key=lambda i: -round(guesses.score[here][i], 9))[:many]
        chosen = np.flatnonzero(guesses.chosen[here]).tolist()
        assert chosen == (sorted(best) if guesses.answer[target] != Answer.NO_ANCHOR else [])


@settings(max_examples=tries(60))
@given(**DATA, selection=st.sampled_from(["best", "one-per-row", "optimal"]), grow=st.booleans())
def test_confidences_are_probabilities_that_add_up(rows, k, seed, rare, selection, grow):
    release = published(rows, k, rare)
    guesses = Semantic(related(seed), selection=selection, grow_anchors=grow).guess(release)
    asked = guesses.questions
    assert (guesses.confidence >= 0).all()
    assert (guesses.confidence <= 1).all()
    term, expected = asked.target_kind == Kind.TERM, expected_copies(asked, release)
    assert (expected[~term] == asked.target_copies[~term]).all()
    assert ((expected[term] >= 1) & (expected[term] <= max(1, k - 1))).all()
    for target in range(len(asked)):
        here = slice(asked.offsets[target], asked.offsets[target + 1])
        wanted = expected[target]
        many = here.stop - here.start
        assert guesses.confidence[here].sum() == pytest.approx(min(wanted, many), abs=1e-3)
        order = np.argsort(guesses.score[here], kind="stable")
        assert (np.diff(guesses.confidence[here][order]) >= -1e-6).all()


@pytest.mark.parametrize("selection", ["one-per-row", "optimal"])
@settings(max_examples=tries(60))
@given(**DATA)
def test_no_slot_gets_two_sub_records_of_a_chunk(selection, rows, k, seed, rare):
    release = published(rows, k, rare)
    guesses = Semantic(related(seed), selection=selection).guess(release)
    asked, taken = guesses.questions, set()
    placed = 0
    for target in np.flatnonzero(asked.target_kind != Kind.TERM).tolist():
        here = slice(asked.offsets[target], asked.offsets[target + 1])
        row = asked.target_row[target]
        chunk = (int(release.row_cluster[row]), int(release.row_joint[row]), int(release.row_chunk[row]))
        for slot in asked.slots[here][guesses.chosen[here]].tolist():
            assert (chunk, slot) not in taken
            taken.add((chunk, slot))
            placed += 1
    sub_records = int(asked.target_copies[(guesses.answer != Answer.NO_ANCHOR)].sum())
    assert placed == sub_records - guesses.notes["copies_without_a_slot"]


@settings(max_examples=tries(40))
@given(**DATA)
def test_optimal_is_never_worse_than_greedy(rows, k, seed, rare):
    release = published(rows, k, rare, refine=False)
    total = {}
    for selection in ("one-per-row", "optimal"):
        guesses = Semantic(related(seed), selection=selection).guess(release)
        record = guesses.questions.target_kind[guesses.questions.pair_target] == Kind.RECORD
        total[selection] = float(guesses.score[guesses.chosen & record].sum())
    assert total["optimal"] >= total["one-per-row"] - 1e-7


@settings(max_examples=tries(40))
@given(**DATA)
def test_relabelling_items_and_relatedness_alike_changes_nothing(rows, k, seed, rare):
    """The canonical order follows the names, so slots are compared by what they show."""
    names = sorted({item for row in rows for item in row})
    order = np.random.default_rng(seed).permutation(len(names))
    new = {name: f"{names[order[i]]}'" for i, name in enumerate(names)}
    back = {b: a for a, b in new.items()}
    data = cv.Transactions.from_records([sorted(row) for row in rows])
    method = cv.Disassociation(k=k, m=2, max_cluster_size=2 * k + 3, rare_items=rare, refine=True)
    result = method.anonymise(data).release
    renamed = relabelled(result, new)
    first = Semantic(related(seed)).guess(result)
    second = Semantic(related(seed, back)).guess(renamed)

    def content(guesses, release, names):
        return sorted(
            (
                kind,
                tuple(sorted(names.get(i, i) for i in row)),
                tuple(sorted(names.get(i, i) for i in shown)) if shown is not None else ("",),
                round(float(guesses.score[pair]), 7),
                round(float(guesses.confidence[pair]), 4),
            )
            for kind, row, _, shown, pair in by_content(guesses, release)
        )

    assert content(first, result, {}) == content(second, renamed, back)


def relabelled(release, new):
    """The same release under other names; codes are put in the order of the new names."""
    names = sorted(new[name] for name in release.vocabulary)
    place = {name: number for number, name in enumerate(names)}
    codes = np.array([place[new[name]] for name in release.vocabulary], np.int32)
    items = codes[release.row_items]
    for start, end in zip(release.row_offsets[:-1], release.row_offsets[1:], strict=True):
        items[start:end].sort()
    fields = {name: getattr(release, name) for name in release.ARRAYS} | {"row_items": items}
    return cv.Disassociated(
        k=release.k, m=release.m, parameters=release.parameters, vocabulary=tuple(names), **fields
    )


@settings(max_examples=tries(30))
@given(**DATA)
def test_vertical_partitioning_and_guesswork_place_every_copy(rows, k, seed, rare):
    release = published(rows, k, rare)
    for attack in (VerticalPartitioning(tries=20), Guesswork()):
        guesses = attack.guess(release, np.random.default_rng(seed))
        again = attack.guess(release, np.random.default_rng(seed))
        assert (guesses.chosen == again.chosen).all()
        asked = guesses.questions
        for target in range(len(asked)):
            here = slice(asked.offsets[target], asked.offsets[target + 1])
            wanted = k - 1 if asked.target_kind[target] == Kind.TERM else asked.target_copies[target]
            anchored = guesses.answer[target] != Answer.NO_ANCHOR
            assert guesses.chosen[here].sum() == (min(wanted, here.stop - here.start) if anchored else 0)


def test_a_key_is_refused_by_type():
    result = cv.Disassociation(k=5, m=2).anonymise(cv.sample("clinic"))
    for attack in (Semantic(related(1)), Guesswork(), VerticalPartitioning()):
        for wrong in (result.key, result, "folder"):
            with pytest.raises(cv.ReleaseError, match="published disassociated release alone"):
                attack.guess(wrong)


def test_a_large_term_chunk_is_spread_in_parts(monkeypatch):
    """Every item still gets k - 1 rows of its own, and no row much more than its part."""
    rows = [{"a", *(f"t{4 * n + i}" for i in range(4))} for n in range(6)]
    release = published(rows, 3)
    monkeypatch.setattr("cloven.kinds.disassociated.attack.selection.MOST_CELLS", 60)
    guesses = Guesswork("optimal").guess(release, np.random.default_rng(1))
    asked, term = guesses.questions, guesses.questions.target_kind == Kind.TERM
    links = np.add.reduceat(guesses.chosen, asked.offsets[:-1])[term]
    on_row = np.bincount(asked.slots[guesses.chosen & term[asked.pair_target]], minlength=release.records)
    assert (links == 2).all()
    assert on_row.max() - on_row.min() <= 4
