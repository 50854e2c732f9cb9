"""What words mean is looked up by a worker: pages show the attack by meaning, and the server opens no such file."""

from __future__ import annotations

import re

import numpy as np
import pytest

import cloven as cv
from cloven.errors import ParameterError
from cloven.relatedness import vectors
from cloven.studio.inspection import words
from cloven.studio.inspection.drawer import READY, Drawer
from cloven.studio.inspection.opened import Opened
from cloven.studio.inspection.placing import rebuilt
from cloven.studio.inspection.words import KeptWords, keep_words
from tests.unit.studio.studios import opened, until

SAMPLE = cv.relatedness.Vectors.sample()
MEASURES = {
    "vectors": SAMPLE,
    "weighted": cv.relatedness.Combined((SAMPLE, cv.relatedness.Shuffled(SAMPLE, 1)), (0.7, 0.3)),
}


@pytest.fixture(scope="module")
def result():
    return cv.Disassociation(k=5, m=2).anonymise(cv.sample("clinic"))


@pytest.mark.parametrize("name", MEASURES)
def test_what_is_kept_tells_what_the_measure_tells(result, tmp_path, name):
    keep_words(Drawer(tmp_path), lambda: MEASURES[name], result.release.vocabulary)
    assert (tmp_path / "words.npz").stat().st_mode & 0o077 == 0
    kept = KeptWords(Drawer(tmp_path))
    every = np.arange(len(result.release.vocabulary))
    plain = MEASURES[name].relate(result.release.vocabulary)
    again = kept.relate(result.release.vocabulary)
    assert again.coverage == plain.coverage
    np.testing.assert_array_equal(again.block(every, every), plain.block(every, every))
    for cluster in range(3):
        shown = rebuilt(Opened(result.release, kept), cluster, "words")
        assert shown == rebuilt(Opened(result.release, MEASURES[name]), cluster, "words")


def test_why_nothing_is_kept_is_said_where_it_is_asked_for(result, tmp_path, monkeypatch):
    monkeypatch.setattr(words, "MOST_ITEMS", 3)
    keep_words(Drawer(tmp_path), lambda: MEASURES["weighted"], result.release.vocabulary)
    with pytest.raises(ParameterError, match="up to 3 items"):
        KeptWords(Drawer(tmp_path)).relate(result.release.vocabulary)
    missing = cv.relatedness.Vectors(tmp_path / "gone.txt")
    keep_words(Drawer(tmp_path), lambda: missing, result.release.vocabulary)
    with pytest.raises(ParameterError, match=r"gone\.txt"):
        KeptWords(Drawer(tmp_path)).relate(result.release.vocabulary)


@pytest.mark.parametrize("damage", [None, b"", b"PK", "flip", "another"])
def test_what_is_damaged_is_found_out_anew_by_a_worker(result, tmp_path, damage):
    vocabulary = result.release.vocabulary
    keep_words(Drawer(tmp_path), lambda: SAMPLE, vocabulary[:-1] if damage == "another" else vocabulary)
    (tmp_path / READY).write_text("1")
    file = tmp_path / "words.npz"
    if damage is None:
        file.unlink()
    elif damage == "flip":
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
    elif damage != "another":
        file.write_bytes(damage)
    kept = KeptWords(Drawer(tmp_path))
    with pytest.raises(ParameterError, match="found out anew"):
        kept.relate(vocabulary)
    assert not (tmp_path / READY).exists()


def looked_into(client, result, meanings):
    """A cluster of a finished run of the sample that a worker has looked into."""
    data = client.workspace.add_data("clinic", None, own=False)
    run = client.workspace.add_run(data.number, "clinic", "disassociation", {})
    run.published.parent.mkdir(parents=True)
    cv.write_release(result, run.published, allow_unsafe=True)
    run.published.with_name("published.private").rename(run.private)
    client.workspace.change_work("runs", run.number, "done", wanted={"relatedness": meanings})
    until(client, f"/runs/{run.number}/clusters/", ["Clusters, the worst first", "alert"])
    return f"/runs/{run.number}/clusters/3"


def never(*_given, **_named):
    message = "the server opened word vectors"
    raise AssertionError(message)


def test_the_server_never_opens_word_vectors(result, tmp_path, monkeypatch):
    file = tmp_path / "meanings.txt"
    file.write_bytes(vectors._SAMPLE.read_bytes())
    for name in ("open_vectors", "read_vectors"):
        monkeypatch.setattr(vectors, name, never)
    with opened(tmp_path / "ws") as client:
        page = looked_into(client, result, f"vectors:{file}")
        shown = client.get(page).text
        assert "how related words are" in shown
        part = re.search(r"part=(\d+(?:\.\d+)?)", shown)[1]
        file.unlink()  # the worker has read it
        for asked in (f"part={part}", "rebuild=1"):
            answer = client.get(f"{page}?{asked}&attack=words")
            assert answer.status_code == 200, answer.text
            assert "put back by the attack" in answer.text or "likel" in answer.text


def test_a_file_of_meanings_that_is_gone_is_said(result, tmp_path):
    with opened(tmp_path / "ws") as client:
        page = looked_into(client, result, f"vectors:{tmp_path / 'gone.txt'}")
        assert client.get(page).status_code == 200
        answer = client.get(f"{page}?rebuild=1&attack=words")
        assert answer.status_code == 400
        assert "gone.txt" in answer.text
