"""Laws of samples: they leave out targets and nothing else, and no answer depends on who else is asked about."""

from __future__ import annotations

import tracemalloc
from dataclasses import dataclass
from itertools import chain, combinations, islice

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import RARE_ITEMS, skewed_records

import cloven as cv
from cloven.datasets.baskets import sparse
from cloven.kinds.disassociated.attack.named import attack_named
from cloven.kinds.disassociated.attack.questions import Candidates, questions
from cloven.kinds.disassociated.attack.vertical import Cut, Lots, Reading, Settled
from cloven.kinds.disassociated.covers.worlds import first_in_order, in_order
from cloven.kinds.disassociated.guesses import Questions
from cloven.kinds.disassociated.release import Kind
from cloven.protocols import Coverage
from tests.effort import tries


@dataclass(frozen=True)
class Scattered:
    """Relatedness from random vectors, with unknown words."""

    seed: int
    name: str = "scattered"

    def relate(self, items):
        return _Scattered(np.random.default_rng(self.seed).normal(size=(len(items), 3)).round(1))


@dataclass(frozen=True)
class _Scattered:
    vectors: np.ndarray

    @property
    def coverage(self):
        return Coverage({"exact": len(self.vectors)})

    def block(self, left, right):
        table = self.vectors[left] @ self.vectors[right].T
        return np.where(table > 3, np.nan, table)


def published(rows, k, **options):
    data = cv.Transactions.from_records([sorted(row) for row in rows])
    method = cv.Disassociation(k=k, m=2, max_cluster_size=2 * k + 3, refine=True, **options)
    return method.anonymise(data).release


def same(left, right, names):
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in names)


def places(sample, full):
    """Where the targets of a sample stand among all."""
    names = {pair: at for at, pair in enumerate(zip(full.target_row, full.target_item, strict=True))}
    return np.array([names[pair] for pair in zip(sample.target_row, sample.target_item, strict=True)], int)


@pytest.fixture(scope="module", params=["cluster", "withhold"])
def clinic(request):
    return cv.Disassociation(k=5, m=2, rare_items=request.param, refine=True).anonymise(cv.sample("clinic"))


DATA = {
    "rows": skewed_records(min_records=8, max_records=70),
    "k": st.integers(2, 4),
    "seed": st.integers(0, 999),
    "share": st.floats(0.1, 0.9),
    "rare": st.sampled_from(RARE_ITEMS),
}


@settings(max_examples=tries(80))
@given(**DATA)
def test_a_sample_is_a_part_of_all(rows, k, seed, share, rare):
    release = published(rows, k, rare_items=rare)
    full = questions(release)
    most = int(share * len(full.slots))
    assume(len(full) and most * len(full) >= len(full.slots))
    sample = questions(release, most, np.random.default_rng(seed))
    at = places(sample, full)
    assert len(sample) == most * len(full) // len(full.slots)
    assert (np.diff(at) > 0).all()
    assert same(sample, full.only(at), Questions.ARRAYS)
    assert (sample.targets_in_all, sample.candidates_in_all) == (len(full), len(full.slots))
    assert sample.is_sample
    assert not full.is_sample
    assert not questions(release, len(full.slots)).is_sample


@pytest.mark.parametrize("names", [("aba", "aba"), ("rga", "mra"), ("vpa", "aba")])
@settings(max_examples=tries(40))
@given(**DATA)
def test_answers_do_not_depend_on_who_else_is_asked(names, rows, k, seed, share, rare):
    release = published(rows, k, rare_items=rare)
    attack = attack_named(*names, Scattered(seed), tries=20)
    full = attack.guess(release, np.random.default_rng(seed))
    at = np.flatnonzero(np.random.default_rng(seed).random(len(full.questions)) < share)
    asked = full.questions.only(at)
    found, expected = attack.guess(release, np.random.default_rng(seed), asked=asked), full.only(at)
    assert found.questions is asked
    assert same(found, expected, ("score", "confidence", "answer"))
    # VPA puts shared sub-records anywhere.
    settled = asked.target_kind[asked.pair_target] != Kind.SHARED
    assert (found.chosen == expected.chosen)[settled if names[0] == "vpa" else slice(None)].all()


@pytest.mark.slow
def test_every_target_is_drawn_equally_often(clinic):
    """400 draws of a fifth: counts lie within five standard deviations, and candidates stay below on average."""
    every = Candidates.of(clinic.release)
    most, rng = every.total // 5, np.random.default_rng(3)
    drawn = np.zeros(len(every), int)
    candidates = []
    for _ in range(400):
        sample = questions(clinic.release, most, rng)
        drawn[places(sample, questions(clinic.release))] += 1
        candidates.append(len(sample.slots))
    rate = drawn.sum() / 400 / len(every)
    assert abs(drawn - 400 * rate).max() < 5 * np.sqrt(400 * rate * (1 - rate))
    error = np.std(candidates) / np.sqrt(400)
    assert 0.9 * most < np.mean(candidates) < most + 4 * error


@pytest.mark.slow
def test_values_on_samples_are_right_on_average(clinic):
    """Over 60 samples, the mean of hit, best guess and link AUC comes to the value on all targets."""
    release, attack = clinic.release, cv.attacks.Semantic(cv.relatedness.Vectors.sample())
    options = {"measures": ["ranking"]}
    full = cv.attacks.trial(attack, release, clinic.key, rng=np.random.default_rng(1), **options)
    most = len(questions(release).slots) // 4
    runs = [
        cv.attacks.trial(
            attack, release, clinic.key, rng=np.random.default_rng(seed), most_candidates=most, **options
        )
        for seed in range(60)
    ]
    for measure in ("hit", "top_1", "auc"):
        values = [run.get(measure).value for run in runs]
        error = np.std(values) / np.sqrt(len(values))
        assert np.std(values) > 0
        assert abs(np.mean(values) - full.get(measure).value) < 4 * error, measure
        covered = [run.get(measure).low <= full.get(measure).value <= run.get(measure).high for run in runs]
        assert np.mean(covered) > 0.85, measure


def test_all_candidates_are_never_written_down():
    release = (
        cv.Disassociation(k=3, m=2, rare_items="cluster", refine=True)
        .anonymise(sparse(20_000, 2000, 6.0, 40))
        .release
    )
    total = Candidates.of(release).total
    tracemalloc.start()
    sample = questions(release, 20_000, np.random.default_rng(1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sample.candidates_in_all == total
    # The slots of all candidates alone would take four bytes each.
    assert peak < total


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
def test_vertical_partitioning_replays_the_method(data):
    """What is laid out once for all arrangements says the same as the method run on each."""
    slots, k, m = (data.draw(st.integers(*ends)) for ends in ((3, 7), (1, 3), (1, 3)))
    strict = data.draw(st.booleans())
    apart = data.draw(st.sampled_from((1, 40)))  # slots far apart do not fit into one number
    draw_slots = st.sets(st.integers(0, slots - 1).map(lambda slot: slot * apart), min_size=1)
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
    arrangement = tuple(
        tuple(slot * apart for slot in order[a:b]) for a, b in zip([0, *cuts[:-1]], cuts, strict=True)
    )
    used = {term for chunk in settled for term in chunk}
    rows = [sorted(row - used) for row in rows]
    assume(all(rows))
    cut = Cut.of(
        [
            Settled.of({term: sum(1 << slot for slot in held) for term, held in chunk.items()}, m)
            for chunk in settled
        ],
        rows, [len(here) for here in arrangement], slots * apart, Reading(k, m, strict),
    )  # fmt: skip
    masks = {term: held for chunk in settled for term, held in chunk.items()}
    for row, here in zip(rows, arrangement, strict=True):
        for term in row:
            masks[term] = masks.get(term, set()) | set(here)
    chunks = [*map(set, settled), {term for row in rows for term in row}]
    assert cut.passes(arrangement) == cuts_alike(masks, chunks, slots * apart, k, m, len(settled), strict)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 3), st.integers(1, 60))
def test_the_first_arrangements_are_those_in_order(copies, more, most):
    slots = sum(copies) + more
    expected = [[*chain.from_iterable(each)] for each in islice(in_order(copies, slots), most)]
    assert first_in_order(np.array(copies), slots, most).tolist() == expected


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"most": 0}, r"most must lie between 1 and 400,000,000 candidates \(got 0\)"),
        ({"most": 10**9}, r"most must lie between 1 and 400,000,000 candidates \(got 1,000,000,000\)"),
        ({"most_targets": 0}, r"most_targets must be at least 1 \(got 0\)"),
        ({"most": 1}, "1 candidates are not even one target, which has .* on average; allow more"),
    ],
)
def test_impossible_samples_are_refused(clinic, options, match):
    with pytest.raises(cv.ParameterError, match=match):
        questions(clinic.release, **options)


def test_a_release_with_too_many_candidates_is_refused_without_a_sample(clinic, monkeypatch):
    monkeypatch.setattr("cloven.kinds.disassociated.attack.questions.MOST_CANDIDATES", 1000)
    with pytest.raises(
        cv.ParameterError, match=r"more than 1,000; ask about a sample, questions\(release, most="
    ):
        questions(clinic.release)
    assert len(questions(clinic.release, 900).slots) < 3000


def test_targets_can_be_limited_too(clinic):
    sample = questions(clinic.release, most_targets=40, rng=np.random.default_rng(1))
    assert len(sample) == 40
    assert repr(sample).startswith("Questions(40 of ")


@pytest.mark.parametrize(
    ("attack", "match"),
    [
        (cv.attacks.Semantic(Scattered(1), grow_anchors=True), "grow_anchors places all targets"),
        (
            cv.attacks.Semantic(Scattered(1), selection="optimal"),
            "selection 'optimal' looks at all sub-records of a chunk",
        ),
        (cv.attacks.Guesswork("one-per-row"), "selection 'one-per-row' looks at all"),
    ],
)
def test_what_needs_all_targets_is_refused_on_a_sample(clinic, attack, match):
    with pytest.raises(cv.ParameterError, match=match):
        attack.guess(clinic.release, asked=questions(clinic.release, most_targets=40))


@pytest.mark.parametrize(
    "attack", [cv.attacks.Semantic(Scattered(1)), cv.attacks.Guesswork(), cv.attacks.VerticalPartitioning()]
)
def test_questions_about_another_release_are_refused(clinic, attack):
    other = cv.Disassociation(k=4, m=2).anonymise(cv.sample("clinic")).release
    with pytest.raises(cv.ReleaseError, match="the questions are about another release than Disassociated"):
        attack.guess(clinic.release, asked=questions(other))
    with pytest.raises(cv.ReleaseError, match="published disassociated release alone"):
        attack.guess(clinic.key, asked=questions(clinic.release))


@given(st.lists(st.integers(1, 70), min_size=1, max_size=4), st.integers(0, 2**40), st.integers(1, 30))
def test_lots_are_those_of_numpy(sizes, seed, many):
    """One cluster after the other from the same source, and only the first places of each order."""
    lots, plain = Lots(np.random.default_rng(seed).bit_generator), np.random.default_rng(seed)
    for slots in sizes:
        expected = plain.permuted(np.tile(np.arange(slots), (many, 1)), axis=1)
        places = seed % slots + 1
        assert lots.orders(many, slots, places).tolist() == expected[:, :places].tolist()


def test_too_few_lots_are_drawn_again(monkeypatch):
    monkeypatch.setattr("cloven.kinds.disassociated.attack.vertical.lots_of_an_order", lambda slots: 0.0)
    lots, plain = Lots(np.random.default_rng(5).bit_generator), np.random.default_rng(5)
    for slots in (300, 20):
        expected = plain.permuted(np.tile(np.arange(slots), (50, 1)), axis=1)
        assert lots.orders(50, slots, slots).tolist() == expected.tolist()
