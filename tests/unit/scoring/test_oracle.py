"""Real releases, joints and all: whoever chooses the true links rebuilds the original records."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloven.data.transactions import Transactions
from cloven.kinds.disassociated.attack.questions import questions
from cloven.kinds.disassociated.guesses import Answer, Guesses
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.disassociated.score.precision import attached, disassociated
from cloven.kinds.disassociated.score.truth import truth
from experiments.thesis.bench import Bench
from experiments.thesis.rebuilt import anchors
from tests.effort import tries


def skewed(seed, n):
    """Records with a popular head and a rare tail."""
    rng = random.Random(seed)
    weights = [1 / (i + 1) for i in range(14)]
    return [set(rng.choices("abcdefghijklmn", weights, k=rng.choice((1, 2, 3, 4, 6)))) for _ in range(n)]


def oracle(asked, holds):
    return Guesses(
        questions=asked,
        score=holds.astype(float),
        confidence=holds.astype(np.float32),
        chosen=holds,
        answer=np.full(len(asked), Answer.INFORMED, np.int8),
        attack={"name": "oracle"},
        notes={},
    )


def at_the_root(release, key):
    """What each record has there: nobody is asked about it, since it tells of no cluster."""
    for entry in np.flatnonzero(release.at_root[key.release_row]).tolist():
        codes = key.items[key.offsets[entry] : key.offsets[entry + 1]]
        yield int(key.record[entry]), {release.vocabulary[code] for code in codes.tolist()}


@pytest.mark.parametrize("rare", ["cluster", "withhold", "list"])
@settings(max_examples=tries(40))
@given(st.integers(0, 2**32), st.integers(4, 60), st.sampled_from([5, 12]), st.booleans())
def test_true_links_rebuild_the_original(rare, seed, n, size, refine):
    records = skewed(seed, n)
    method = Disassociation(k=2, m=2, max_cluster_size=size, rare_items=rare, refine=refine)
    made = method.anonymise(Transactions.from_records(records))
    release, key = made.release, made.key
    asked = questions(release)
    answers = truth(asked, release, key)
    guess = oracle(asked, answers.holds)

    rebuilt = {record: set() for record in answers.slot_record.tolist()}
    for cells in (anchors(asked, release), attached(guess, release)):
        for slot, item in zip(cells.slot.tolist(), cells.item.tolist(), strict=True):
            assert release.vocabulary[item] not in rebuilt[answers.slot_record[slot]]
            rebuilt[answers.slot_record[slot]].add(release.vocabulary[item])
    for record, items in at_the_root(release, key):
        rebuilt[record] |= items
    for record, items in zip(key.suppressed_record.tolist(), key.suppressed_items, strict=True):
        if record in rebuilt:
            rebuilt[record] |= set(items)
    assert all(items == records[record] for record, items in rebuilt.items())

    # Items at the root are disassociated too, but nobody can put them back.
    away, put = disassociated(answers, len(release.vocabulary)), attached(guess, release)
    out_of_reach = len(away.item) > len(put.item)
    for (measure, scope), tally in Bench.of(guess, release, key).measured(guess).items():
        if tally.value is None or measure.startswith("broken"):
            continue
        if out_of_reach and measure.startswith(("accuracy", "recall", "f", "km")) and scope != "record":
            assert 0 <= tally.value <= 1, (measure, scope)
            if (measure, scope) == ("recall", "all"):
                assert tally.value == pytest.approx(len(put.item) / len(away.item))
                assert tally.value < 1
            continue
        assert tally.value == pytest.approx(0.0 if measure == "brier" else 1.0), (measure, scope)
