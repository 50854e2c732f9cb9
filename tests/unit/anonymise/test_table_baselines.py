"""What other methods for tables promise, and that they keep it."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "tables_attack"))
from small_tables import people, table

from cloven.errors import ParameterError
from cloven.kinds.tables.buckets import Buckets
from cloven.kinds.tables.methods.anatomy import Anatomy
from cloven.kinds.tables.methods.assembly import sliced
from cloven.kinds.tables.methods.diffgen import DiffGen, Specialising, consistent
from cloven.kinds.tables.methods.lots import Drawing, noise_scale
from cloven.kinds.tables.release import GeneralisedTable, Sliced
from cloven.kinds.tables.verify.checker import verify_table
from cloven.protocols import Choice

METHODS = (
    Anatomy(l=3),
    DiffGen(eps=1.0, specialisations=3, domains="from-data"),
    DiffGen(eps=1.0, specialisations=4, score="gain", counts="clip", domains="from-data"),
)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_every_method_keeps_what_it_promises(method):
    data = people(240)
    made = method.anonymise(data)
    assert verify_table(made.release, data, made.key).ok
    assert isinstance(made.release, Sliced if isinstance(method, Anatomy) else GeneralisedTable)
    assert (method.family, made.release.k) == ("tables", method.k)
    for name, dimension in method.space(data).items():
        low = dimension.values[0] if isinstance(dimension, Choice) else dimension.low
        assert replace(method, **{name: low}) is not None


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_seeds_repeat_and_are_told(method):
    data = people(160)
    one, again, other = (replace(method, seed=seed).anonymise(data).release for seed in (1, 1, 2))
    assert np.array_equal(one.cells, again.cells)
    assert not np.array_equal(one.cells, other.cells)
    assert one.parameters["seeded"] is True
    assert "seed" not in one.parameters
    assert method.anonymise(data).release.parameters["seeded"] is False
    assert not verify_table(one).ok
    assert verify_table(one, allow_seeded=True).ok


def test_anatomy_groups_have_different_values_and_keep_everybody():
    data = people(203)
    release = Anatomy(l=3).anonymise(data).release
    assert release.buckets == 203 // 3
    for start, end in zip(release.bucket_offsets[:-1], release.bucket_offsets[1:], strict=True):
        values = release.cells[start:end, 3]
        assert len(set(values.tolist())) == end - start >= 3
    for place in range(4):
        assert np.array_equal(np.sort(release.cells[:, place]), np.sort(data.codes[:, place]))


@pytest.mark.parametrize("told", [{}, {"check": None}])
def test_a_group_of_anatomy_with_too_common_a_value_is_found(told):
    """Three different values are not enough: eighteen of twenty have the flu."""
    ill = ["flu"] * 20 + ["gout"] * 20 + ["cough"] * 20
    data = table({"age": list(range(60)), "ill": ill}, sensitive=("ill",), numbers=("age",))
    groups = np.ones(60, np.int64)
    groups[[*range(18), 20, 40]] = 0
    parameters = {name: value for name, value in Anatomy(l=3).parameters.items() if name not in told}
    promised = [{"demand": "distinct-l", "l": 3, "attributes": ["ill"]}]
    bad = sliced(data, groups, ((0,), (1,)), k=3, parameters=parameters | {"constraints": promised})
    for verdict in (verify_table(bad.release), verify_table(bad.release, data, bad.key)):
        assert [check.name for check in verdict.failures] == ["l-diversity of buckets"]


def test_anatomy_tells_what_would_work():
    data = table(
        {"age": [1, 2, 3, 4], "ill": ["flu", "flu", "flu", "cold"]}, sensitive=("ill",), numbers=("age",)
    )
    with pytest.raises(ParameterError, match="3 of 4 rows have ill = 'flu'; no l can be reached"):
        Anatomy(l=2).anonymise(data)
    with pytest.raises(ParameterError, match="choose l of at most"):
        Anatomy(l=6).anonymise(people(200))


def test_noise_is_the_discrete_laplace_distribution():
    drawn = Drawing.of(3).noise(60_000, Fraction(5, 2))
    q = np.exp(-2 / 5)
    for value in range(-6, 7):
        expected = (1 - q) / (1 + q) * q ** abs(value)
        assert (drawn == value).mean() == pytest.approx(expected, abs=0.005)
    assert noise_scale(1, 0.15) == Fraction(20, 3)


def test_lots_are_fair():
    drawing = Drawing.of(None)
    assert np.bincount(drawing.below(3, 30_000)).tolist() == pytest.approx([10_000] * 3, rel=0.06)
    assert sorted(drawing.order(50).tolist()) == list(range(50))
    weights = np.log(np.array([1.0, 3.0]))
    assert np.mean([drawing.weighted(weights) for _ in range(4000)]) == pytest.approx(0.75, abs=0.04)


def test_counts_are_lowered_no_more_than_needed():
    draw = np.random.default_rng(1)
    for _ in range(200):
        noisy, total = draw.integers(-8, 9, 12), int(draw.integers(-3, 40))
        found = consistent(noisy, total)
        kept = np.maximum(0, found).sum()
        assert kept <= max(0, total) or np.array_equal(found, noisy)
        lowered = int((noisy - found)[0])
        assert kept <= max(0, total)
        if lowered:
            assert np.maximum(0, noisy - lowered + 1).sum() > max(0, total)


def test_diffgen_cuts_are_partitions_and_scores_find_what_tells_the_class():
    data = people(400)
    looks = tuple(data.attributes[place] for place in range(3))
    width = len(data.attributes[3])
    counts = tuple(
        np.bincount(
            data.codes[:, place] * width + data.codes[:, 3], minlength=len(attribute) * width
        ).reshape(-1, width)
        for place, attribute in enumerate(looks)
    )
    for score in ("max", "gain"):
        cuts = Specialising(looks, counts, score, 1e9, Drawing.of(1)).cuts(3)
        for attribute, cut in zip(looks, cuts, strict=True):
            assert sorted(np.concatenate([piece.values for piece in cut]).tolist()) == list(
                range(len(attribute))
            )
        # With an endless budget the job, which the illness goes with, falls apart first.
        first = Specialising(looks, counts, score, 1e9, Drawing.of(1)).cuts(1)
        assert [len(cut) for cut in first] == [1, 2, 1]
        assert [piece.values.tolist() for piece in first[1]] == [[0, 1], [2, 3]]


def test_diffgen_with_a_large_budget_publishes_the_counts():
    data = people(300)
    release = (
        DiffGen(eps=100, specialisations=0, counts="clip", seed=1, domains="from-data")
        .anonymise(data)
        .release
    )
    shown = Buckets.of(release)
    assert len(shown) == 1
    names = [release.domains[3].labels[cell] for cell in release.cells[:, 3]]
    truth = [data.row(number)[3] for number in range(300)]
    assert sorted(names) == sorted(truth)


def test_diffgen_publishes_empty_combinations_too():
    """Which combinations occur must not be told: where nobody is, noise shows rows about as often as it hides some."""
    data = _stated(
        table({"town": ["a", "b"] * 40, "ill": ["cold", "flu"] * 40}, sensitive=("ill",), numbers=())
    )
    made = [DiffGen(eps=0.2, specialisations=1, counts="clip", seed=seed) for seed in range(8)]
    rows = [[tuple(row) for row in method.anonymise(data).release.cells.tolist()] for method in made]
    assert 1 <= sum((0, 1) in shown for shown in rows) < 8
    release = made[0].anonymise(data).release
    promise = release.parameters["promise"]
    assert (promise["epsilon"], promise["neighbours"]) == (0.2, "one row more or less")


def test_diffgen_lists_no_cell_that_noise_has_emptied():
    data = table(
        {"town": [f"town {number % 40}" for number in range(80)], "ill": ["flu", "cold"] * 40},
        sensitive=("ill",),
    )
    for seed in range(4):
        made = DiffGen(eps=2.0, specialisations=6, seed=seed, domains="from-data").anonymise(data)
        verdict = verify_table(made.release, data, made.key, allow_seeded=True)
        assert verdict.ok, str(verdict)


@pytest.mark.slow
def test_diffgen_of_two_tables_that_differ_in_one_row_is_within_epsilon():
    """Frequencies of a published count over many runs, for neighbouring tables."""
    many = table({"town": ["a"] * 3, "ill": ["flu"] * 3}, sensitive=("ill",))
    fewer = many.take(np.arange(2))
    eps, runs = 2.0, 1500

    def published(data, seed):
        return min(9, len(DiffGen(eps, 0, counts="clip", seed=seed).anonymise(_stated(data)).release))

    rows = [
        np.bincount([published(data, seed) for seed in range(runs)], minlength=10) / runs
        for data in (many, fewer)
    ]
    common = (rows[0] > 0.05) & (rows[1] > 0.05)
    assert common.sum() >= 3
    # All of the count's budget is spent on one count, which is half of epsilon.
    ratios = np.abs(np.log(rows[0][common] / rows[1][common]))
    assert ratios.max() < eps / 2 + 0.35
    assert ratios.max() > eps / 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Anatomy(l=1), "l must be a whole number of at least 2"),
        (lambda: DiffGen(eps=-1), "eps must be"),
        (lambda: DiffGen(specialisations=-1), "specialisations must be"),
        (lambda: DiffGen(score="mean"), "max, gain"),
        (lambda: DiffGen(counts="round"), "consistent, clip"),
        (lambda: Anatomy(seed=-1), "seed must be"),
        (lambda: Anatomy().anonymise(_two_secrets()), "exactly one sensitive"),
        (lambda: DiffGen().anonymise(_no_secret()), "at least one sensitive attribute"),
        (lambda: Anatomy().anonymise(_no_secret()), "the table has none"),
    ],
)
def test_bad_input_is_told(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


def _stated(data):
    """The table as if the owner had stated all values."""
    return replace(data, attributes=tuple(replace(attribute, stated=True) for attribute in data.attributes))


def _two_secrets():
    return table({"age": [1, 2], "a": ["x", "y"], "b": ["x", "y"]}, sensitive=("a", "b"), numbers=("age",))


def _no_secret():
    return table({"age": [1, 2], "a": ["x", "y"]}, sensitive=(), numbers=("age",))


def test_diffgen_takes_several_sensitive_attributes_jointly():
    data = table(
        {"town": ["x", "y"] * 30, "a": ["p", "q", "p"] * 20, "b": ["r", "s"] * 30}, sensitive=("a", "b")
    )
    made = DiffGen(eps=100, specialisations=1, counts="clip", seed=2, domains="from-data").anonymise(data)
    assert sorted(map(tuple, made.release.cells.tolist())) == sorted(map(tuple, data.codes.tolist()))


def test_diffgen_refuses_what_noise_would_bury():
    rng = np.random.default_rng(1)
    columns = {f"c{number}": [str(each) for each in rng.integers(0, 40, 50)] for number in range(6)}
    data = table(columns, sensitive=("c5",))
    with pytest.raises(ParameterError, match="choose fewer specialisations"):
        DiffGen(specialisations=5, seed=1, domains="from-data").anonymise(data)
