"""Stand-ins for methods that papers compare with: what they promise, and that they keep it."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "tables_attack"))
from small_tables import people, table

import cloven as cv
from cloven.errors import ParameterError
from cloven.kinds.tables.buckets import Buckets
from cloven.kinds.tables.methods.lots import Drawing
from cloven.kinds.tables.release import GeneralisedTable, Sliced
from cloven.kinds.tables.verify.checker import verify_table
from experiments.stand_ins import method_from
from experiments.stand_ins.composition_like import CompositionLike
from experiments.stand_ins.hybrid import Hybrid, sampled_rows
from experiments.stand_ins.merging_like import MergingLike, raised_parts
from experiments.stand_ins.probabilistic_like import ProbabilisticLike

METHODS = (
    Hybrid(k=4, eps=1.0),
    Hybrid(k=4, eps=0.5, noise_on="present"),
    CompositionLike(k=4, alpha=0.4),
    ProbabilisticLike(k=4, d=2),
    MergingLike(k=4, l=2),
    MergingLike(k=4, l=2, columns=3),
)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_every_stand_in_keeps_what_it_promises(method):
    data = people(240)
    made = method.anonymise(data)
    verdict = verify_table(made.release, data, made.key)
    assert not verdict.failures
    assert isinstance(made.release, Sliced if isinstance(method, MergingLike) else GeneralisedTable)
    assert (method.family, made.release.k) == ("tables", method.k)


@pytest.mark.parametrize("method", [each for each in METHODS if hasattr(each, "seed")], ids=repr)
def test_seeds_repeat_and_are_told(method):
    data = people(160)
    one, again, other = (replace(method, seed=seed).anonymise(data).release for seed in (1, 1, 2))
    assert np.array_equal(one.cells, again.cells)
    assert not np.array_equal(one.cells, other.cells) or isinstance(method, MergingLike)
    assert one.parameters["seeded"] is True
    assert method.anonymise(data).release.parameters["seeded"] is False


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_a_stand_in_is_audited_like_any_method(method):
    report = cv.Audit(method, effort=cv.Effort().quick(), seed=1).run(people(240))
    assert not report.verified.failures


def test_settings_name_stand_ins_and_methods():
    assert method_from("merging-like:k=4,l=2") == MergingLike(k=4, l=2)
    assert method_from("mondrian:k=4,l=2") == cv.Mondrian(k=4, l=2)


def test_a_sample_takes_each_row_with_its_rate():
    taken = sampled_rows(people(20_000), {"rate": 0.3}, 4, Drawing.of(None))
    assert len(taken) / 20_000 == pytest.approx(0.3, abs=0.02)


def test_hybrid_key_says_who_is_there():
    data = people(240)
    made = Hybrid(k=4, eps=0.5).anonymise(data)
    real = made.key.records[made.key.records >= 0]
    assert len(set(real.tolist())) == len(real)
    assert not set(real.tolist()) & set(made.key.suppressed.tolist())
    assert len(real) + len(made.key.suppressed) == 240
    assert (made.key.records == -1).any()
    assert Buckets.of(made.release).sizes.min() >= 4


def test_composition_like_classes_look_like_the_whole():
    data = people(400)
    release = CompositionLike(k=4, alpha=0.3, rho=0.7).anonymise(data).release
    view = Buckets.of(release)
    whole = np.bincount(view.cells[:, 3], minlength=6) / len(view.cells)
    for start, end in zip(view.offsets[:-1], view.offsets[1:], strict=True):
        part = np.bincount(view.cells[start:end, 3], minlength=6) / (end - start)
        assert abs(part - whole).sum() / 2 <= 0.3 + 1e-9
    assert 0.55 < len(release) / 400 < 0.85
    assert len(view) > 1


def test_probabilistic_like_merges_what_could_not_be_linked():
    data = people(300)
    some, more = (
        len(Buckets.of(ProbabilisticLike(k=4, d=3, alpha=alpha).anonymise(data).release))
        for alpha in (0.05, 0.95)
    )
    assert some > more > 1
    rare = table(
        {"age": list(range(100)), "ill": ["cold"] + ["flu"] * 99}, sensitive=("ill",), numbers=("age",)
    )
    with pytest.raises(ParameterError, match="cannot be met, not even by all rows"):
        ProbabilisticLike(k=4, d=2, alpha=0.9).anonymise(rare)


def test_raised_parts_fit_two_buckets():
    data = table(
        {"job": ["baker", "cook", "judge", "lawyer"], "ill": ["flu", "cold", "flu", "cold"]},
        sensitive=("ill",),
        trees={"job": {"kitchen": ("baker", "cook"), "court": ("judge", "lawyer")}},
    )
    nodes = np.full((4, 2), -1, np.int32)
    alone = raised_parts(data, np.array([0, 1, 1, 0]), [0], nodes)
    assert not alone.any()
    assert nodes[:, 0].tolist() == [4, 4, 5, 5]
    nodes = np.full((4, 2), -1, np.int32)
    raised_parts(data, np.array([0, 0, 1, 1]), [0], nodes)
    assert nodes[:, 0].tolist() == [6, 6, 6, 6]
    # One bucket: nothing can fit a second one.
    assert raised_parts(data, np.zeros(4, np.int64), [0], nodes).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Hybrid(k=1), "k must be"),
        (lambda: Hybrid(eps=0), "eps must be a number of at least 0.001"),
        (lambda: Hybrid(rate=1.5), "rate must be"),
        (lambda: Hybrid(noise_on="some"), "all, present"),
        (lambda: Hybrid(rate=0.01, seed=1).anonymise(people(20)), "choose a higher rate"),
        (lambda: CompositionLike(rho=0.01, seed=1).anonymise(people(20)), "choose a higher rho"),
        (lambda: CompositionLike(alpha=0), "alpha must be"),
        (lambda: ProbabilisticLike(d=1), "d must be"),
        (lambda: ProbabilisticLike(alpha=2), "alpha must be"),
        (lambda: MergingLike(k=0), "k must be"),
        (
            lambda: MergingLike(columns=(("age", "illness"), ("job", "town"))).anonymise(people(60)),
            "column of its own",
        ),
    ],
)
def test_bad_input_is_told(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
