"""Cosines of word vectors, the sample that is shipped, and the agreement with human judgement."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import cloven as cv
from cloven.errors import ParameterError
from cloven.relatedness.vectors import Vectors, open_vectors
from tests.effort import tries

world = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("wordnet_world.py"))))
judged = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("test_wordnet.py"))))


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "vectors.txt"
    file.write_text("lung 3 4\ntumor 4 3\nbiopsy -3 -4\nnothing 0 0\ncatheterization 1 0\n")
    return file


def everything(related, size):
    return related.block(np.arange(size), np.arange(size))


def test_block_is_cosines(path):
    related = Vectors(path).relate(["biopsy", "zzyzx", "lung", "nothing", "tumor"])
    found = related.block(np.array([2, 1, 3]), np.array([0, 2, 4, 1, 3]))
    assert found[0] == pytest.approx([-1, 1, 24 / 25, np.nan, np.nan], nan_ok=True)
    assert np.isnan(found[1:]).all()
    assert related.coverage.unknown == ("zzyzx", "nothing")
    assert related.coverage.rungs["exact"] == 3


def test_table_is_not_normalised(path):
    matrix, known = Vectors(path).table(["lung", "zzyzx", "tumours", "lung biopsy", "lung tumor"])
    assert matrix.dtype == np.float32
    assert matrix.tolist() == [[3, 4], [0, 0], [4, 3], [0, 0], [3.5, 3.5]]
    assert known.tolist() == [True, False, True, False, True]  # lung and biopsy cancel out


def test_ladder_can_be_left_out(path):
    items = ["lung", "Lung", "tumours", "lung tumor"]
    assert Vectors(path).relate(items).coverage.known == 4
    coverage = Vectors(path, ladder=False).relate(items).coverage
    assert dict(coverage.rungs) == {"exact": 1}
    assert coverage.unknown == ("Lung", "tumours", "lung tumor")


def test_wordnet_helps(path, tmp_path):
    folder = world.write(tmp_path / "wordnet")
    coverage = Vectors(path, wordnet=folder).relate(["catheterisation", "lung"]).coverage
    assert coverage.rungs["spelling"] == 1


def test_no_overlap_says_what_to_do(path):
    message = r"none of the 4 items has a vector, not even 'q1', 'q2', 'q3'; take vectors of the items' own language"
    with pytest.raises(ParameterError, match=message):
        Vectors(path).relate(["q1", "q2", "q3", "nothing"])


@settings(deadline=None, max_examples=tries(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=arrays(np.float32, st.tuples(st.integers(1, 6), st.integers(1, 4)), elements=st.integers(-3, 3))
)
def test_cosines_agree_with_plain_python(tmp_path, values):
    values[0, 0] = 1
    np.save(tmp_path / "random.npy", values)
    words = [f"word{number}" for number in range(len(values))]
    (tmp_path / "random.words.txt").write_text("\n".join(words))
    found = everything(Vectors(tmp_path / "random.npy").relate(words), len(words))
    for i, a in enumerate(values.astype(float)):
        for j, b in enumerate(values.astype(float)):
            length = (sum(a * a) * sum(b * b)) ** 0.5
            assert found[i, j] == pytest.approx(
                sum(a * b) / length if length else np.nan, abs=1e-12, nan_ok=True
            )


def test_scores_do_not_depend_on_the_block(path):
    """Equal scores must stay equal to far less than the tolerance for ties."""
    measure = Vectors.sample()
    items = cv.sample("clinic").vocabulary
    related = measure.relate(items)
    whole = everything(related, len(items))
    some = np.array([7, 300, 41])
    assert np.abs(related.block(some, some) - whole[np.ix_(some, some)]).max() < 1e-14
    assert np.abs(whole - whole.T).max() < 1e-14


def test_sample_knows_every_item_of_the_clinic():
    items = cv.sample("clinic").vocabulary
    related = Vectors.sample().relate(items)
    assert related.coverage.unknown == ()
    assert related.coverage.rungs["exact"] == len(items)
    assert np.isfinite(everything(related, len(items))).all()
    assert open_vectors(Vectors.sample().path).words == items  # nothing more than that is shipped


def test_licence_is_shipped_beside_the_sample():
    text = (Path(Vectors.sample().path).parent / "LICENCE.md").read_text(encoding="utf-8")
    assert "Public Domain Dedication" in text
    assert "Pennington" in text


@pytest.fixture(scope="session")
def glove(data_dir):
    return Vectors(data_dir / "vectors" / "glove_6b_100d_150k.npy")


@pytest.mark.data
def test_sample_is_cut_from_glove(glove):
    items = cv.sample("clinic").vocabulary
    shipped, whole = Vectors.sample().table(items)[0], glove.table(items)[0]
    assert np.array_equal(
        shipped.astype(np.float16), whole.astype(np.float16)
    )  # as many digits as float16 needs


@pytest.mark.data
def test_glove_against_human_judgement(glove, data_dir):
    rows = [row.split() for row in judged.TABLE_4_1.replace("\n", " ").split(", ")]
    assert judged.correlation(glove, rows) == pytest.approx(0.634, abs=5e-4)
    miller_charles = (data_dir / "wordsim" / "EN-MC-30.txt").read_text().splitlines()
    assert judged.correlation(glove, [line.split() for line in miller_charles]) == pytest.approx(
        0.629, abs=5e-4
    )


@pytest.mark.data
def test_cosines_of_known_pairs(glove, data_dir):
    measure = Vectors(glove.path, wordnet=data_dir / "text" / "wordnet-3.0-dict.tar.gz")
    pairs = [
        ("blood", "vessel"),
        ("treatment", "catheterisation"),
        ("cancer", "radiotherapy"),
        ("tumor", "biopsy"),
    ]
    assert judged.similar(measure, *pairs).round(3).tolist() == [0.348, 0.301, 0.424, 0.586]
