"""Record linkage in tables against brute force over every row that can be put together."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_tables import own_parts, part_weight, people, results, row_weights, tables

from cloven.kinds.tables.attack.link import RecordLinkage
from cloven.kinds.tables.guesses import Known
from cloven.kinds.tables.score.score import score_rows
from cloven.kinds.tables.score.truth import own_rows
from tests.effort import tries


@settings(max_examples=tries(60), deadline=None)
@given(st.data(), tables(most=8), st.booleans())
def test_rows_are_weighed_as_by_hand(data, table, partly):
    result = data.draw(results(table))
    known = Known.of(table, names=("age", "town") if partly else None)
    guesses = RecordLinkage().guess(result.release, known)
    sure = guesses.sure_of(own_rows(result.key, table.source_rows))
    right, lots = [], []
    for number, person in enumerate(people(table, known.names)):
        weights = row_weights(result.release, person)
        total, best = sum(weights), max(weights)
        assert guesses.rows[number] == pytest.approx(float(total))
        assert guesses.confidence[number] == pytest.approx(float(best / total))
        assert guesses.ties[number] == weights.count(best)
        parts, size = own_parts(result, number)
        own = Fraction(size) ** (1 - len(parts))
        for part in parts:
            own *= part_weight(part, person, "rows")
        assert sure[number] == pytest.approx(float(own / total))
        right.append(Fraction(1, weights.count(best)) if own == best else 0)
        lots.append(Fraction(size) ** (1 - len(parts)) / len(result.release))
    found = score_rows(guesses, result, table.source_rows, rng=np.random.default_rng(1), draws=20)
    assert found.get("row").value == pytest.approx(float(sum(right) / len(right)))
    assert found.get("row").chance == pytest.approx(float(sum(lots) / len(lots)))
    assert found.get("row_left").value == 1, "nothing was exchanged, so everybody's own row fits"


@settings(max_examples=tries(40), deadline=None)
@given(st.data(), tables(least=6))
def test_nobody_is_found_more_often_than_the_smallest_class_allows(data, table):
    """All rows of a class look alike, and the illness, alone in its column, is not known."""
    result = data.draw(results(table))
    release = result.release
    cut = hasattr(release, "bucket_offsets")
    if cut and (3,) not in release.columns:
        return
    guesses = RecordLinkage().guess(release, Known.of(table))
    found = score_rows(guesses, result, table.source_rows, rng=np.random.default_rng(1), draws=20)
    sizes = (
        np.diff(release.bucket_offsets)
        if cut
        else np.unique(release.cells[:, :3], axis=0, return_counts=True)[1]
    )
    assert found.get("row").value <= 1 / sizes.min() + 1e-12
    assert (guesses.candidates >= sizes.min()).all()


def test_whoever_is_not_published_is_never_found():
    from plain_tables import table_of

    from cloven.kinds.tables.methods.assembly import generalised

    table = table_of([(0, 0, 0, 0), (0, 0, 0, 1), (1, 1, 1, 2)])
    result = generalised(table, np.array([0, 0, -1]), k=2, parameters={})
    guesses = RecordLinkage().guess(result.release, Known.of(table))
    assert own_rows(result.key, table.source_rows).tolist() == [[0], [1], [-1]]
    assert guesses.sure_of(own_rows(result.key, table.source_rows)).tolist() == [0.5, 0.5, 0.0]
    assert guesses.matched.tolist() == [1, 1, 0]
    assert "3 persons, 0 with one likeliest row" in repr(guesses)


def test_as_many_persons_as_guesses_are_needed():
    from plain_tables import table_of

    from cloven.errors import ParameterError
    from cloven.kinds.tables.methods.assembly import generalised

    table = table_of([(0, 0, 0, 0), (0, 0, 0, 1)])
    result = generalised(table, np.array([0, 0]), k=2, parameters={})
    guesses = RecordLinkage().guess(result.release, Known.of(table))
    with pytest.raises(ParameterError, match="2 persons were guessed about, but 1 are named"):
        score_rows(guesses, result, np.array([0]), rng=np.random.default_rng(1))
