"""Measures of published tables against brute force over rows that a release may stand for."""

from __future__ import annotations

import itertools
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "tables_attack"))
from small_tables import people, table

from cloven.errors import ParameterError
from cloven.kinds.tables.buckets import Buckets
from cloven.kinds.tables.cells import shown_release
from cloven.kinds.tables.methods.assembly import generalised, sliced
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.reconstruction import drawn_rows, untouched
from cloven.kinds.tables.utility import (
    certainty_penalty,
    classification,
    data_utility,
    discernibility,
    distortion,
)
from cloven.kinds.tables.utility.pairs import (
    invalid_tuples,
    joint_at,
    pair_distances,
    published_joint,
)
from cloven.kinds.tables.utility.queries import Answering, Query, Workload, query_errors

PAIRED = table(
    {
        "age": [20, 30, 40, 50],
        "sex": ["F", "M", "F", "M"],
        "role": ["wife", "husband", "wife", "husband"],
        "ill": ["flu", "flu", "cold", "gout"],
    },
    sensitive=("ill",),
    numbers=("age",),
)


def rng(seed=1):
    return np.random.default_rng(seed)


def classes(data, size=5):
    return generalised(data, np.arange(len(data)) // size, k=2, parameters={}).release


def slices(data, size=5, columns=((0,), (1, 2), (3,))):
    return sliced(data, np.arange(len(data)) // size, columns, k=2, parameters={}).release


def every_reading(release):
    """All tables that a small sliced release may stand for, equally likely."""
    view = Buckets.of(release)
    choices = []
    for start, end in itertools.pairwise(view.offsets.tolist()):
        orders = itertools.product(*[itertools.permutations(range(start, end)) for _ in view.columns])
        choices.append(
            [
                [
                    tuple(
                        view.cells[order[number][row], place]
                        for place, number in sorted(
                            (place, number) for number, column in enumerate(view.columns) for place in column
                        )
                    )
                    for row in range(end - start)
                ]
                for order in orders
            ]
        )
    for chosen in itertools.product(*choices):
        yield [row for rows in chosen for row in rows]


def test_expected_counts_are_means_over_all_readings():
    release = sliced(PAIRED, np.array([0, 0, 1, 1]), ((0,), (1, 2), (3,)), k=2, parameters={}).release
    readings = list(every_reading(release))
    answering = Answering.of(release, PAIRED)
    for query in Workload((1, 2, 3), 0.9, "both", 15).draw(PAIRED, rng()):
        meant = [
            [
                all(
                    query.allowed[name][row[place]]
                    for place, name in enumerate(("age", "sex", "role", "ill"))
                    if name in query.allowed
                )
                for row in rows
            ]
            for rows in readings
        ]
        assert answering.count(query) == pytest.approx(np.mean([sum(rows) for rows in meant]))
        by_age = [
            np.mean(
                [
                    sum(good and row[0] == age for good, row in zip(m, r, strict=True))
                    for m, r in zip(meant, readings, strict=True)
                ]
            )
            for age in range(4)
        ]
        assert answering.by_value(query, 0) == pytest.approx(np.array(by_age))


def test_published_pairs_are_means_over_all_readings():
    release = sliced(PAIRED, np.array([0, 0, 1, 1]), ((0,), (1, 3), (2,)), k=2, parameters={}).release
    readings = list(every_reading(release))
    view = Buckets.of(release)
    for one, two in itertools.combinations(range(4), 2):
        expected = np.zeros((len(view.domains[one].values), len(view.domains[two].values)))
        for rows in readings:
            for row in rows:
                expected[row[one], row[two]] += 1 / (4 * len(readings))
        assert published_joint(view, one, two) == pytest.approx(expected)


def test_cells_are_uniform_inside():
    release = generalised(PAIRED, np.array([0, 0, 0, 0]), k=4, parameters={}).release
    answering = Answering.of(release, PAIRED)
    young = Query({"age": np.array([True, False, False, False])}, 1, False)
    assert answering.count(young) == pytest.approx(1)
    flu = Query({"age": np.array([True, True, False, False]), "ill": np.array([False, True, False])}, 1, True)
    assert answering.count(flu) == pytest.approx(2 * 0.5)
    everybody = Query({}, 0, False)
    assert answering.average(everybody, 0) == pytest.approx(35)
    assert answering.largest(everybody, 0) == 50


def test_a_sample_stands_for_more_rows():
    release = generalised(PAIRED, np.array([0, 0, -1, -1]), k=2, parameters={"sampling_rate": 0.5}).release
    assert Answering.of(release, PAIRED).count(Query({}, 0, False)) == pytest.approx(4)


@pytest.mark.parametrize("aggregate", ["count", "avg", "max"])
def test_the_original_answers_every_query_exactly(aggregate):
    data = people(150)
    queries = Workload((1, 2, 3), 0.5, "both", 20).draw(data, rng())
    for error in query_errors(data, untouched(data), queries, rng(), aggregate=aggregate):
        assert error.mean == pytest.approx(0, abs=1e-12)
        assert error.queries + error.skipped == 20
        assert 0 < error.selectivity <= 1


def test_query_error_by_hand():
    release = generalised(PAIRED, np.array([0, 0, 0, 0]), k=4, parameters={}).release
    cold = np.array([True, False, False])
    queries = [
        Query({"age": np.array([False, False, True, False]), "ill": cold}, 1, True),  # 1 row; 1/4 expected
        Query({"age": np.array([True, False, False, False]), "ill": cold}, 1, True),  # no row: skipped
    ]
    (error,) = query_errors(PAIRED, release, queries, rng())
    assert (error.mean, error.median, error.queries, error.skipped) == (0.75, 0.75, 1, 1)
    assert error.selectivity == 0.25


def test_distortion_by_hand():
    release = generalised(PAIRED, np.array([0, 0, 1, 2]), k=1, parameters={}).release
    # Two rows show 20..30 (2 of 4 ages) and both sexes and roles (2 of 2); the others are exact.
    assert distortion(PAIRED, release) == pytest.approx((2 * 0.5 + 2 * 1 + 2 * 1) / 12)
    assert distortion(PAIRED, release, attributes=["age"]) == pytest.approx(2 * 0.5 / 4)
    assert data_utility(PAIRED, release) == pytest.approx(100 - 100 * 5 / 12)
    assert certainty_penalty(PAIRED, release, attributes=["age"]) == pytest.approx(2 * (10 / 30) / 4)
    assert discernibility(release) == 4 + 1 + 1
    assert distortion(PAIRED, release, suppressed=4) == pytest.approx((5 + 12) / 24)
    assert discernibility(release, suppressed=2) == 6 + 2 * 6
    assert distortion(PAIRED, slices(PAIRED, 2)) == 0


def test_pairs_that_never_meet_are_counted():
    release = sliced(PAIRED, np.zeros(4, np.int64), ((0,), (1,), (2, 3)), k=2, parameters={}).release
    rules = [{"sex": ["M"], "role": ["wife"]}, {"sex": ["F"], "role": ["husband"]}]
    found = invalid_tuples(PAIRED, release, rng(), rules=rules, draws=400)
    assert found.against_rules == pytest.approx(0.5, abs=0.05)
    assert found.original_against_rules == 0
    assert found.rows_absent >= found.quasi_identifiers >= 0.5
    assert found.pairs >= found.against_rules
    same = invalid_tuples(PAIRED, untouched(PAIRED), rng(), rules=rules)
    assert (same.pairs, same.rows_absent, same.against_rules) == (0, 0, 0)
    assert invalid_tuples(PAIRED, release, rng()).against_rules is None


def test_drawn_tables_are_among_the_possible_ones():
    release = sliced(PAIRED, np.array([0, 0, 1, 1]), ((0,), (1, 2), (3,)), k=2, parameters={}).release
    possible = {tuple(sorted(map(tuple, np.array(rows).tolist()))) for rows in every_reading(release)}
    seen = {tuple(sorted(map(tuple, drawn_rows(release, rng(seed)).tolist()))) for seed in range(80)}
    assert seen == possible
    coarse = generalised(PAIRED, np.zeros(4, np.int64), k=4, parameters={}).release
    assert set(np.concatenate([drawn_rows(coarse, rng(seed))[:, 0] for seed in range(20)]).tolist()) == {
        0,
        1,
        2,
        3,
    }


def test_a_model_learns_what_is_left():
    train, test = people(600), people(400, seed=9)
    whole = classification(untouched(train), test, "illness")
    cut = classification(slices(train, 600), test, "illness")
    assert whole.accuracy > 0.5 > cut.accuracy
    assert whole.low < whole.accuracy < whole.high
    assert cut.accuracy == pytest.approx(cut.majority)
    pytest.importorskip("sklearn")
    tree = classification(untouched(train), test, "illness", "tree", rng())
    assert tree.accuracy > 0.4


def other(data):
    return table(
        {"age": [1], "height": ["tall"], "illness": ["flu"]}, sensitive=("illness",), numbers=("age",)
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: Workload((0,)), "at least one quasi-identifier"),
        (lambda d: Workload(selectivity=0), "selectivity"),
        (lambda d: Workload(sensitive="maybe"), "with, without, both"),
        (lambda d: Workload(queries=0), "at least 1"),
        (lambda d: Workload((4,)).draw(d, rng()), "the table has 3"),
        (lambda d: query_errors(d, classes(d), (), rng(), aggregate="sum"), "count, avg, max"),
        (
            lambda d: query_errors(d, classes(d), (), rng(), aggregate="avg", of="job"),
            "those of this table: age",
        ),
        (lambda d: Answering.of(classes(d), other(d)), "shows 'job'"),
        (lambda d: Answering.of(classes(d), d).average(Query({}, 0, False), 1), "has no numbers"),
        (lambda d: invalid_tuples(d, classes(d), rng(), draws=0), "draws"),
        (
            lambda d: invalid_tuples(d, classes(d), rng(), rules=[{"height": ["tall"]}]),
            "'height' is no attribute",
        ),
        (lambda d: classification(classes(d), d, "height"), "no attribute 'height'"),
        (lambda d: classification(classes(d), d, "illness", "forest"), "bayes, tree"),
        (lambda d: classification(classes(d), d, "illness", "tree"), "give rng"),
        (lambda d: classification(classes(d), d.take(np.zeros(0, np.int64)), "illness"), "no rows to test"),
        (lambda d: classification(classes(d), other(d), "illness"), "the test rows do not"),
        (lambda d: pair_distances(people(20, seed=5), classes(d)), "the original does not"),
    ],
)
def test_bad_input_is_told(call, message):
    with pytest.raises(ParameterError, match=message):
        call(people(40))


def test_missing_values_and_empty_releases_are_told():
    data = people(10)
    codes = data.codes.copy()
    codes[0, 0] = -1
    with pytest.raises(ParameterError, match="1 values are missing"):
        untouched(replace(data, codes=codes))
    empty = untouched(data.take(np.zeros(0, np.int64)))
    with pytest.raises(ParameterError, match="holds no row"):
        pair_distances(data, empty)


def test_coarse_cells_cost_the_same_from_a_file_as_in_memory():
    data = people(200)
    classes = np.argsort(np.argsort(data.codes[:, 0], kind="stable")) // 20
    memory = generalised(data, classes, k=10, parameters={}).release
    file = shown_release(memory)
    for measure in (distortion, certainty_penalty, data_utility):
        assert measure(data, file) == measure(data, memory)
    assert discernibility(file) == discernibility(memory)


def test_pairs_are_looked_up_in_rectangles():
    """Numbers as ranges, jobs as groups, towns as sets with gaps: the same as the whole table of pairs."""
    data = people(200)
    classes = rng().integers(0, 30, 200)
    for release in (generalised(data, classes, k=1, parameters={}).release, slices(data, 10)):
        view = Buckets.of(release)
        for one, two in itertools.permutations(range(len(view.domains)), 2):
            whole = published_joint(view, one, two)
            pairs = np.argwhere(np.ones_like(whole, bool))
            assert joint_at(view, one, two, pairs) == pytest.approx(whole[tuple(pairs.T)], abs=1e-15)


def test_continuous_numbers_need_memory_by_the_row():
    """1,500 rows with three different numbers each: the ranges of a class hold 200 values, their pairs 40,000."""
    import tracemalloc

    draw = rng()
    numbers = {name: draw.permutation(1500).tolist() for name in ("income", "weight", "height")}
    data = table({**numbers, "ill": ["a", "b", "c"] * 500}, sensitive=("ill",), numbers=tuple(numbers))
    release = shown_release(Mondrian(k=5).anonymise(data).release)
    pair_distances(data, release)  # what is compiled and imported
    tracemalloc.start()
    pair_distances(data, release)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6
