"""Items of term chunks: how often they are there is not told, and must be estimated well enough to be believed."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import cloven as cv
from cloven.datasets import sparse
from cloven.kinds.disassociated.attack.prior import expected_copies, means
from cloven.kinds.disassociated.attack.questions import questions
from cloven.kinds.disassociated.release import Kind
from cloven.kinds.disassociated.score.truth import truth as true_links

CLOSE = 1.25
DATA = Path(os.environ.get("CLOVEN_DATA") or Path(__file__).resolve().parents[4] / "shared" / "data")


def baskets(name):
    if name == "clinic":
        return cv.sample("clinic")
    if name == "sparse":
        return sparse(3000, 400, 6, 20, seed=1)
    file = DATA / "named" / "groceries.csv.gz"
    if not file.exists():
        pytest.skip(f"needs {file}")
    whole = cv.read(file)
    return whole.take(np.arange(4000))


@pytest.mark.parametrize("k", [3, 5, 10])
@pytest.mark.parametrize("name", ["clinic", "sparse", pytest.param("groceries", marks=pytest.mark.data)])
@pytest.mark.parametrize("refine", [True, False])
def test_confidence_in_items_of_term_chunks_adds_up_to_the_true_copies(name, k, refine):
    made = cv.Disassociation(k=k, m=2, rare_items="cluster", refine=refine).anonymise(baskets(name))
    found = cv.attacks.Guesswork().guess(made.release, np.random.default_rng(1))
    truth = true_links(found.questions, made.release, made.key)
    target = np.repeat(np.arange(len(found.questions)), np.diff(found.questions.offsets))
    term = found.questions.target_kind[target] == Kind.TERM
    said, true = float(found.confidence[term].sum()), float(truth.holds[term].sum())
    assert true > 100
    assert 1 / CLOSE <= said / true <= CLOSE


def test_means_against_plain_enumeration():
    k, power = 6, 1.3
    for lists in (1, 2, 3):
        ways = [each for each in product(range(1, k), repeat=lists) if lists == 1 or sum(each) < k]
        weight = [np.prod([float(count) ** -power for count in each]) for each in ways]
        mean = sum(w * each[0] for w, each in zip(weight, ways, strict=True)) / sum(weight)
        assert means(k, power, 3)[lists] == pytest.approx(mean)
    assert means(2, 1.0, 3).tolist() == [1, 1, 1, 1]
    assert means(4, 1.0, 8)[4:].tolist() == [1] * 5  # more lists than copies: one each


def test_k_of_two_leaves_one_copy_and_sub_records_keep_their_own():
    release = (
        cv.Disassociation(k=2, m=2, rare_items="cluster", refine=True).anonymise(cv.sample("clinic")).release
    )
    asked = questions(release)
    expected, term = expected_copies(asked, release), asked.target_kind == Kind.TERM
    assert term.any()
    assert (expected[term] == 1).all()
    assert (expected[~term] == asked.target_copies[~term]).all()


def test_without_record_chunks_there_is_still_an_answer():
    """Nothing is frequent, so nothing can be fitted to."""
    data = cv.Transactions.from_records([[f"item {number}"] for number in range(12)])
    release = cv.Disassociation(k=4, m=2, rare_items="cluster", refine=True).anonymise(data).release
    asked = questions(release)
    expected = expected_copies(asked, release)
    assert (asked.target_kind == Kind.TERM).all()
    assert ((expected >= 1) & (expected <= 3)).all()
