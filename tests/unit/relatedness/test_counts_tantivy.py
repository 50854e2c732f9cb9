"""Counts of a corpus index on disk, against counting by hand."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys

import numpy as np
import pytest

from cloven.errors import InputError, OutputError, ParameterError
from cloven.relatedness import counts_index
from cloven.relatedness.counts_index import ClosedIndex, TantivyIndex

WORDS = ["blood", "vessel", "lung", "Cell", "fat", "low"]
ITEMS = ["blood", "Blood vessel", "low-fat cell", "lung lung", "vessels", "heart", "+++", "fat"]


@pytest.fixture(scope="module")
def texts():
    rng = np.random.default_rng(5)
    return [", ".join(rng.choice(WORDS, size=rng.integers(0, 9))) for _ in range(400)]


@pytest.fixture(scope="module", autouse=True)
def _tantivy():
    pytest.importorskip("tantivy")


def everything(counted):
    items = np.arange(len(counted.single))
    return counted.together(items, items).tolist()


def holds(text, item):
    words, wanted = (f" {' '.join(re.findall('[a-z]+', part.lower()))} " for part in (text, item))
    return wanted.strip() != "" and wanted in words


def test_counts_are_those_by_hand_and_of_a_closed_index(tmp_path, texts):
    index = TantivyIndex.build(texts, tmp_path / "index", source="random texts", date="2024-05-01")
    counted = index.count(ITEMS)
    expected = [[sum(holds(t, x) and holds(t, y) for t in texts) for y in ITEMS] for x in ITEMS]
    assert everything(counted) == expected
    assert expected[0][1] > 0
    assert expected[5] == [0] * len(ITEMS)
    assert everything(ClosedIndex.build(texts, ITEMS).count(ITEMS)) == expected
    assert counted.holding(1).tolist() == [n for n, text in enumerate(texts) if holds(text, "blood vessel")]
    assert (counted.documents, counted.source, counted.date) == (400, "random texts", "2024-05-01")


def test_opened_index_is_the_same(tmp_path, texts):
    built = TantivyIndex.build(texts, tmp_path / "index")
    opened = TantivyIndex.open(tmp_path / "index")
    assert opened == built
    assert everything(opened.count(ITEMS)) == everything(built.count(ITEMS))
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
    assert json.loads((tmp_path / "index" / "about.json").read_text())["documents"] == 400


def test_stems_are_found_when_wanted(tmp_path):
    texts = ["Blood vessels", "a vessel of blood", "bloody"]
    exact = TantivyIndex.build(texts, tmp_path / "exact")
    assert exact.count(["vessel", "blood vessel", "vessels"]).single.tolist() == [1, 0, 1]
    stemmed = TantivyIndex.build(texts, tmp_path / "stemmed", stem=True)
    counted = TantivyIndex.open(tmp_path / "stemmed").count(["vessel", "blood vessel", "vessels"])
    assert stemmed.about.stem
    assert counted.single.tolist() == [2, 1, 2]


def test_nothing_makes_no_index(tmp_path):
    with pytest.raises(ParameterError, match="cannot be built from nothing"):
        TantivyIndex.build([], tmp_path / "index")
    with pytest.raises(InputError, match=r"document 2 is not a text.*\(got \"\['a'\]\"\)"):
        TantivyIndex.build(["a", ["a"]], tmp_path / "index")
    assert list(tmp_path.iterdir()) == []


def test_a_thread_that_writes_while_the_folder_is_removed_leaves_nothing(tmp_path, monkeypatch):
    """A late file appears when the folder is thought to be empty, three times over."""
    rmdir, late = os.rmdir, []

    def written_to(path, *arguments, **settings):
        if len(late) < 3:
            (unfinished,) = tmp_path.iterdir()
            late.append(unfinished / f"segment-{len(late)}.store")
            late[-1].touch()
        return rmdir(path, *arguments, **settings)

    monkeypatch.setattr(os, "rmdir", written_to)
    with pytest.raises(ParameterError, match="cannot be built from nothing"):
        TantivyIndex.build([], tmp_path / "index")
    assert len(late) == 3
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_removed_does_not_stop_the_next_build(tmp_path, monkeypatch):
    monkeypatch.setattr(counts_index, "PATIENCE", 0.05)
    with monkeypatch.context() as stuck:
        stuck.setattr(shutil, "rmtree", lambda *_, **__: None)
        with pytest.raises(ParameterError, match="cannot be built from nothing"):
            TantivyIndex.build([], tmp_path / "index")
    assert TantivyIndex.build(["a"], tmp_path / "index").about.documents == 1


def test_interruption_leaves_no_index(tmp_path):
    def texts():
        yield "a"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        TantivyIndex.build(texts(), tmp_path / "index")
    assert list(tmp_path.iterdir()) == []


def test_other_folders_are_kept_and_refused(tmp_path):
    (tmp_path / "mine").write_text("x")
    with pytest.raises(OutputError, match="is not an empty folder; name a new one"):
        TantivyIndex.build(["a"], tmp_path)
    with pytest.raises(InputError, match="not an index of a corpus"):
        TantivyIndex.open(tmp_path)
    (tmp_path / "about.json").write_text('["format"]')
    with pytest.raises(InputError, match="not an index of a corpus"):
        TantivyIndex.open(tmp_path)


def test_damaged_index_is_refused(tmp_path):
    index = TantivyIndex.build(["a"], tmp_path / "index")
    about = tmp_path / "index" / "about.json"
    about.write_text(about.read_text().replace('"documents": 1', '"documents": 2'))
    with pytest.raises(InputError, match="holds 1 documents, not 2; build it anew"):
        TantivyIndex.open(index.folder).count(["a"])
    (tmp_path / "index" / "meta.json").write_text("{}")
    with pytest.raises(InputError, match="the index is damaged; build it anew"):
        index.count(["a"])


def test_missing_library_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tantivy", None)
    with pytest.raises(ParameterError, match=r'pip install "cloven\[text\]"'):
        TantivyIndex.build(["a"], tmp_path / "index")
