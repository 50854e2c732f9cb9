"""The cache of word vectors: the same table, complete or not there, never stale."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from cloven.errors import InputError, OutputError
from cloven.relatedness.vectors import cache_vectors, open_vectors

WORDS = ["cat", "naïve", "dog house"]


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("cat 1 2.5\nnaïve -3 4\ndog house 0.125 6\n", encoding="utf-8")
    return path


@pytest.fixture
def cache(source, tmp_path):
    cache_vectors(source, tmp_path / "small.vectors")
    return tmp_path / "small.vectors"


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_cache_holds_the_same_table(source, cache):
    table, kept = open_vectors(source), open_vectors(cache)
    assert kept.words == table.words == tuple(WORDS)
    assert kept.dimensions == 2
    assert kept.find(["dog house", "cow", "cat"]).tolist() == [2, -1, 0]
    assert np.array_equal(kept.take(np.arange(3)), table.matrix)
    assert isinstance(kept.matrix, np.memmap)


def test_numpy_pair_is_cached_as_float32(tmp_path):
    np.save(tmp_path / "small.npy", np.array([[1.5, 2], [3, 4]], np.float16))
    (tmp_path / "small.words.txt").write_text("cat\ndog\n")
    kept = cache_vectors(tmp_path / "small.npy", tmp_path / "cache")
    assert kept.matrix.dtype == np.float32
    assert kept.take(kept.find(["dog", "cat"])).tolist() == [[3, 4], [1.5, 2]]


def test_older_cache_is_replaced(source, cache):
    source.write_text("cow 1\n")
    assert cache_vectors(source, cache).words == ("cow",)
    assert sorted(path.name for path in cache.parent.iterdir()) == ["small.vectors", "vectors.txt"]


def test_a_source_that_is_bad_leaves_the_older_cache(source, cache):
    before = contents(cache)
    source.write_text("cow 1\npig\n")
    with pytest.raises(InputError, match=":2: 0 numbers where 1"):
        cache_vectors(source, cache)
    assert contents(cache) == before
    assert sorted(path.name for path in cache.parent.iterdir()) == ["small.vectors", "vectors.txt"]


@pytest.mark.parametrize("fault", [OSError("full"), KeyboardInterrupt()])
def test_an_older_cache_stays_when_the_new_one_cannot_take_its_place(source, cache, monkeypatch, fault):
    before, rename = contents(cache), Path.rename

    def failing(path, target):
        if path.suffix == ".partial":
            raise fault
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises((OutputError, KeyboardInterrupt)):
        cache_vectors(source, cache)
    assert contents(cache) == before
    assert sorted(path.name for path in cache.parent.iterdir()) == ["small.vectors", "vectors.txt"]


def test_only_a_cache_is_replaced(source, tmp_path):
    letter = tmp_path / "letter.txt"
    letter.write_text("keep me")
    for place in (letter, source, tmp_path):
        with pytest.raises(OutputError, match="exists and is not a cache of vectors; name another place"):
            cache_vectors(source, place)
    assert letter.read_text() == "keep me"
    with pytest.raises(OutputError, match="cannot be written"):
        cache_vectors(source, tmp_path / "nowhere" / "cache")


def test_a_cache_is_no_source(cache, tmp_path):
    with pytest.raises(InputError, match="is a cache already"):
        cache_vectors(cache, tmp_path / "again")


def test_stale_cache_is_refused(source, cache):
    changed = source.stat().st_mtime_ns + 1_000_000_000
    os.utime(source, ns=(changed, changed))
    with pytest.raises(InputError, match=r"stale: .*vectors\.txt has changed since the cache was made"):
        open_vectors(cache)


def test_cache_of_a_pair_is_stale_when_its_words_change(tmp_path):
    np.save(tmp_path / "small.npy", np.ones((2, 2), np.float32))
    words = tmp_path / "small.words.txt"
    words.write_text("cat\ndog\n")
    cache_vectors(tmp_path / "small.npy", tmp_path / "cache")
    words.write_text("cow\npig\n")
    os.utime(words, ns=(0, 0))
    with pytest.raises(InputError, match=r"stale: .*small\.words\.txt has changed since the cache was made"):
        open_vectors(tmp_path / "cache")


def test_cache_outlives_its_source_and_moves(source, cache, tmp_path):
    source.unlink()
    moved = cache.rename(tmp_path / "moved")
    assert open_vectors(moved).words == tuple(WORDS)


def damaged(folder, how):
    """Spoil one file of a cache."""
    of_file = {"index": "text.npy"} | dict.fromkeys(
        ("version", "header", "number", "head only"), "vectors.json"
    )
    path = folder / of_file.get(how, "matrix.npy")
    content = path.read_bytes()
    path.unlink()
    spoilt = {
        "cut": content[:-1],
        "index": content[:-1] + b"\1",
        "version": content.replace(b"cloven.vectors/1", b"cloven.vectors/3", 1),
        "header": content.replace(b'"sizes"', b'"birds"', 1),
        "number": content.replace(b'"text"', b'"next"', 1),
        "head only": content[:100],
        "no array": b"x" * len(content),
        "pickle": content.replace(b"'<f4'", b"'|O' ", 1),
        "wide": content.replace(b"'<f4'", b"'<i4'", 1),
        "rows": content.replace(b"(3, 2)", b"(2, 3)", 1),
    }
    if how != "gone":
        assert spoilt[how] != content
        path.write_bytes(spoilt[how])


DAMAGES = [
    ("cut", "matrix.npy has 151 bytes where 152 were written"),
    ("gone", "matrix.npy cannot be read as a NumPy array"),
    ("no array", "matrix.npy cannot be read as a NumPy array"),
    ("pickle", "matrix.npy cannot be read as a NumPy array"),
    ("wide", "not one vector of 32-bit floats for each word"),
    ("rows", "not one vector of 32-bit floats for each word"),
    ("index", "the index of words does not match its checksum"),
]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        *DAMAGES,
        ("version", r"a cache of another version \(cloven.vectors/3\); make it anew from"),
        ("header", "its vectors.json cannot be read"),
        ("number", "its vectors.json cannot be read"),
        ("head only", "its vectors.json cannot be read"),
    ],
)
def test_damaged_cache_without_its_source_is_refused(source, cache, how, message):
    source.unlink()
    damaged(cache, how)
    with pytest.raises(InputError, match=message):
        open_vectors(cache)


@pytest.mark.parametrize(("how", "message"), [DAMAGES[0], DAMAGES[4], DAMAGES[-1]])
def test_damaged_cache_is_set_aside_and_made_anew(source, cache, how, message):
    damaged(cache, how)
    with pytest.warns(RuntimeWarning, match=f"{message}.*set aside as .*made anew from {source}"):
        assert open_vectors(cache).words == tuple(WORDS)
    assert np.array_equal(open_vectors(cache).matrix, open_vectors(source).matrix)
    assert len(list(cache.parent.glob("small.vectors.damaged-*"))) == 1
    assert len(list(cache.parent.iterdir())) == 3


def test_rows_come_in_blocks_of_any_number(tmp_path):
    """The header of the matrix is written before the number of rows is known."""
    path = tmp_path / "long.txt"
    path.write_text("".join(f"word{row} {row} 1\n" for row in range(123_456)))
    kept = cache_vectors(path, tmp_path / "cache")
    assert kept.matrix.shape == (123_456, 2)
    assert kept.matrix[:, 0].tolist() == list(range(123_456))
    assert np.array_equal(np.load(tmp_path / "cache" / "matrix.npy"), kept.matrix)


@pytest.mark.data
def test_cache_of_glove_opens(data_dir, tmp_path):
    source = data_dir / "vectors" / "glove_6b_100d_150k.npy"
    cache_vectors(source, tmp_path / "glove")
    kept = open_vectors(tmp_path / "glove")
    rows = kept.find(["tumor", "biopsy", "zzyzx"])
    assert rows[2] == -1
    assert np.array_equal(kept.take(rows[:2]), open_vectors(source).take(rows[:2]))
