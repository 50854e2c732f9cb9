"""Guesses on disk: what was written is read; what is broken is refused with the reason."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cloven as cv
from cloven.storage.guesses import CONTROL


@pytest.fixture(scope="module", params=["cluster", "withhold"])
def release(request):
    return (
        cv.Disassociation(k=5, m=2, rare_items=request.param, refine=True)
        .anonymise(cv.sample("clinic"))
        .release
    )


@pytest.fixture(scope="module")
def guesses(release):
    return cv.attacks.Semantic(cv.relatedness.Vectors.sample()).guess(release)


@pytest.fixture(scope="module")
def written(release, guesses, tmp_path_factory):
    folder = tmp_path_factory.mktemp("guesses") / "out"
    cv.attacks.write_guesses(
        guesses, release, folder, control=cv.attacks.Guesswork().guess(release, np.random.default_rng(1))
    )
    return folder


@pytest.fixture
def folder(written, tmp_path):
    return shutil.copytree(written, tmp_path / "copy")


def test_what_was_written_is_read(written, release, guesses):
    again = cv.attacks.read_guesses(written, release, cv.attacks.questions(release))
    for name in guesses.ARRAYS:
        assert np.array_equal(getattr(again, name), getattr(guesses, name)), name
    assert again.attack == guesses.attack
    assert again.notes == json.loads(json.dumps(guesses.notes))
    assert (
        cv.attacks.read_guesses(written / CONTROL, release, cv.attacks.questions(release)).attack["name"]
        == "guesswork"
    )


def test_only_its_owner_may_read_it(written):
    assert written.stat().st_mode & 0o077 == 0
    assert all(file.stat().st_mode & 0o077 == 0 for file in written.rglob("*"))


def test_links_left_out_come_last(folder, release, guesses):
    table = pq.read_table(folder / "links.parquet")
    kept = pa.table(table.filter(table.column("chosen")))
    pq.write_table(kept, folder / "links.parquet")
    (folder / "targets.parquet").unlink()
    again = cv.attacks.read_guesses(folder, release, cv.attacks.questions(release))
    assert np.array_equal(again.chosen, guesses.chosen)
    assert again.score[~again.chosen].max() < again.score[again.chosen].min()
    assert (again.confidence[~again.chosen] == 0).all()


def test_another_release_is_refused(written):
    other = cv.Disassociation(k=4, m=2).anonymise(cv.sample("clinic")).release
    with pytest.raises(cv.ReleaseError, match="about another release"):
        cv.attacks.read_guesses(written, other, cv.attacks.questions(other))


def spoil(folder, column, value):
    table = pq.read_table(folder / "links.parquet")
    values = table.column(column).to_pylist()
    values[0] = value
    at = table.column_names.index(column)
    pq.write_table(table.set_column(at, column, pa.array(values)), folder / "links.parquet")


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("target", -1, "target should be from 0"),
        ("slot", 10**9, "slot should be from 0"),
        ("slot", 999, "a candidate of its target"),
        ("slot", 1, "named once"),
        ("score", float("nan"), "score should be finite"),
        ("confidence", 1.5, "confidence should be from 0 to 1"),
        ("confidence", float("nan"), "confidence should be from 0 to 1"),
        ("score", None, "without null"),
        ("chosen", None, "without null"),
        ("score", "much", "Parquet|wrong type"),
    ],
)
def test_broken_links_are_refused(folder, release, column, value, message):
    if value == "much":
        table = pq.read_table(folder / "links.parquet")
        texts = pa.array(["much"] * len(table))
        pq.write_table(table.set_column(2, "score", texts), folder / "links.parquet")
    else:
        spoil(folder, column, value)
    with pytest.raises(cv.ReleaseError, match=message):
        cv.attacks.read_guesses(folder, release, cv.attacks.questions(release))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda about: about | {"format": "cloven.guesses/9"}, "format should be"),
        (lambda about: about | {"attack": 3}, "attack should be an object"),
        (lambda about: [about], "format should be"),
    ],
)
def test_broken_descriptions_are_refused(folder, release, change, message):
    file = folder / "guesses.json"
    file.write_text(json.dumps(change(json.loads(file.read_text()))))
    with pytest.raises(cv.ReleaseError, match=message):
        cv.attacks.read_guesses(folder, release, cv.attacks.questions(release))


def test_missing_and_broken_files_are_refused(folder, release, tmp_path):
    with pytest.raises(cv.ReleaseError, match="cannot be read"):
        cv.attacks.read_guesses(tmp_path / "nowhere", release, cv.attacks.questions(release))
    (folder / "links.parquet").write_bytes(b"no parquet")
    with pytest.raises(cv.ReleaseError, match="cannot be read as Parquet"):
        cv.attacks.read_guesses(folder, release, cv.attacks.questions(release))


def say(folder, answers):
    """Another column of answers."""
    table = pq.read_table(folder / "targets.parquet")
    at = table.column_names.index("answer")
    pq.write_table(table.set_column(at, "answer", pa.array(answers)), folder / "targets.parquet")


def test_a_file_cannot_take_anchors_away(folder, release, guesses):
    say(folder, ["no_anchor"] * (len(guesses.answer) - 1) + ["no_score"])
    again = cv.attacks.read_guesses(folder, release, cv.attacks.questions(release))
    assert again.answer.tolist() == [0] * (len(guesses.answer) - 1) + [2]


def test_broken_answers_are_refused(folder, release, guesses):
    many = len(guesses.answer)
    for answers in (["perhaps"] * many, [[1]] * many, [None] * many):
        say(folder, answers)
        with pytest.raises(cv.ReleaseError, match="answer should be one of informed"):
            cv.attacks.read_guesses(folder, release, cv.attacks.questions(release))
    table = pq.read_table(folder / "targets.parquet")
    pq.write_table(table.slice(1), folder / "targets.parquet")
    with pytest.raises(cv.ReleaseError, match="rows should be"):
        cv.attacks.read_guesses(folder, release, cv.attacks.questions(release))
