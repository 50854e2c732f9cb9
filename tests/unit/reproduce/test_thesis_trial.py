"""Attacks of the thesis's experiments on one release agree with the scoring of the package."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cloven as cv
from cloven.kinds.disassociated.attack.named import attack_named
from cloven.kinds.disassociated.score.score import score
from cloven.relatedness.combination import Shuffled
from cloven.relatedness.vectors import Vectors
from cloven.text.counts import TermCounts
from cloven.text.samples import topic_sample
from experiments.harness.runs import Remembered
from experiments.thesis import gathered, kept
from experiments.thesis.runs import (
    LEAST_DOCUMENTS,
    QUICK,
    SCOPES,
    TERMS,
    Bout,
    Halves,
    Tried,
    auc_among_anchors,
    density,
)


@pytest.fixture(scope="module")
def bout() -> Bout:
    data = cv.sample("clinic").take(np.arange(150))
    made = cv.Disassociation(k=2, m=2, max_cluster_size=12, rare_items="cluster", refine=False).anonymise(
        data
    )
    return Bout(made, {"WE": Remembered(Vectors.sample())}, None, seed=3, chance_runs=2)


def test_values_are_those_of_score(bout: Bout) -> None:
    (_, found), *_ = bout.fight([Tried("aba", "mra", "WE")])
    release, measure = bout.made.release, Vectors.sample()
    guesses, control = (
        attack_named("aba", "mra", one).guess(release) for one in (measure, Shuffled(measure, bout.seed))
    )
    whole = score(guesses, release, bout.made.key, control=control, rng=np.random.default_rng(0), draws=2)
    for measure_name in ("auc", "hit", "precision"):
        for scope in SCOPES:
            finding = whole.get(measure_name, scope)
            assert found["value"][f"{measure_name}:{scope}"] == pytest.approx(finding.value), measure_name
            assert found["control"][f"{measure_name}:{scope}"] == pytest.approx(finding.control), measure_name
    assert found["chance"]["hit:all"] == pytest.approx(whole.get("hit").chance)


def test_auc_among_anchors_against_brute_force(bout: Bout) -> None:
    guesses = attack_named("aba", "aba", Vectors.sample()).guess(bout.made.release)
    bench = bout._bench().ranked
    asked, right, pairs = bench.truth.questions, 0.0, 0
    for target in np.flatnonzero(bench.asked).tolist():
        here = slice(asked.offsets[target], asked.offsets[target + 1])
        shown_slots = asked.slot_anchor[asked.slots[here]] >= 0
        marks, holds = guesses.score[here][shown_slots], bench.truth.holds[here][shown_slots]
        true, false = marks[holds], marks[~holds]
        if len(true) and len(false):
            wins = (true[:, None] > false[None, :]) + 0.5 * (true[:, None] == false[None, :])
            right += float(wins.mean(axis=1).sum())
            pairs += len(true)
    assert auc_among_anchors(bench, guesses) == pytest.approx(right / pairs)


def test_vocabulary_is_looked_up_once() -> None:
    asked = []

    class Counting:
        name = "counting"

        def relate(self, items: tuple[str, ...]) -> object:
            asked.append(items)
            return object()

    measure = Remembered(Counting())  # type: ignore[arg-type]
    first = measure.relate(("a", "b"))
    assert measure.relate(("a", "b")) is first
    assert measure.relate(("a",)) is not first
    assert len(asked) == 2


def _corpus(documents: int = 90, words: int = 60) -> TermCounts:
    """Documents of three topics that share no word."""
    rng = np.random.default_rng(5)
    return TermCounts.from_counters(
        [
            {
                f"t{number % 3}w{word:02}": int(rng.integers(1, 5))
                for word in rng.choice(words, 30, replace=False)
            }
            for number in range(documents)
        ]
    )


def test_topic_sample_is_the_recipe_of_the_package() -> None:
    terms = _corpus()
    halves = Halves("made up", terms, terms)
    ours = halves.topic_sample(np.random.default_rng(7), per_topic=4, topics=3)
    theirs = topic_sample(
        terms, np.random.default_rng(7), topics=3, per_topic=4, terms=TERMS, min_documents=LEAST_DOCUMENTS
    )
    assert ours == theirs.transactions
    assert density(ours) == pytest.approx(theirs.type_token_ratio)


@pytest.mark.data
def test_halves_share_no_document(data_dir: Path) -> None:
    halves = Halves.read(data_dir, "ohsumed", limit=60)
    both = set(halves.victims.rows.tolist()) & set(halves.own.rows.tolist())
    assert not both
    assert len(halves.victims) == len(halves.own) == 30


@pytest.mark.slow
@pytest.mark.data
def test_quick_run_makes_all_tables(data_dir: Path) -> None:
    steps = []
    found = gathered(data_dir, lambda step, share: steps.append((step, share)), QUICK, corpora=("MedQuAD",))
    tables = kept(found)
    assert {row["scope"] for row in tables["attacks"]} == {"all", "record", "term"}
    assert len({row["claim"] for row in tables["claims"]}) == 49
    assert len(tables["tlost"]) == 32
    assert len(tables["table_4_1"]) == 7
    assert all(0 <= share <= 1 for _, share in steps)
