"""The cache of word vectors: the same table, complete or not there, never stale."""

from __future__ import annotations

import os
from time import perf_counter

import numpy as np
import pytest

from cloven.errors import InputError, OutputError
from cloven.relatedness.vector_cache import cache_vectors, open_vectors

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
    before = cache.read_bytes()
    source.write_text("cow 1\npig\n")
    with pytest.raises(InputError, match=":2: 0 numbers where 1"):
        cache_vectors(source, cache)
    assert cache.read_bytes() == before
    assert sorted(path.name for path in cache.parent.iterdir()) == ["small.vectors", "vectors.txt"]


@pytest.mark.parametrize("content", [b"a 1\na 2\n", b"", b"2 2\na 1 2\n"])
def test_bad_sources_make_no_cache(tmp_path, content):
    (tmp_path / "bad.txt").write_bytes(content)
    with pytest.raises(InputError):
        cache_vectors(tmp_path / "bad.txt", tmp_path / "cache")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.txt"]


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


def test_cache_outlives_its_source_and_moves(source, cache, tmp_path):
    source.unlink()
    moved = cache.rename(tmp_path / "moved")
    assert open_vectors(moved).words == tuple(WORDS)


def damaged(content: bytes, how: str) -> bytes:
    if how == "cut":
        return content[:-1]
    if how == "longer":
        return content + b"\0"
    if how == "index":
        return content[:-64] + b"\1" + content[-63:]
    if how == "version":
        return content.replace(b"cloven.vectors/1", b"cloven.vectors/2", 1)
    if how == "header":
        return content.replace(b'"words"', b'"birds"', 1)
    if how == "number":
        return content.replace(b'"words": 3', b'"words": -3', 1)
    return content[:100]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("cut", "bytes where its header promises"),
        ("longer", "bytes where its header promises"),
        ("index", "the index of words does not match its checksum"),
        ("version", r"a cache of another version \(cloven.vectors/2\); make it anew from"),
        ("header", "its header cannot be read"),
        ("number", "its header holds numbers that cannot be"),
        ("head only", "its header cannot be read"),
    ],
)
def test_damaged_cache_is_refused(cache, how, message):
    content = cache.read_bytes()
    cache.write_bytes(damaged(content, how))
    assert cache.read_bytes() != content
    with pytest.raises(InputError, match=message):
        open_vectors(cache)


@pytest.mark.data
def test_cache_of_glove_opens_at_once(data_dir, tmp_path):
    source = data_dir / "vectors" / "glove_6b_100d_150k.npy"
    cache_vectors(source, tmp_path / "glove")
    start = perf_counter()
    kept = open_vectors(tmp_path / "glove")
    assert perf_counter() - start < 0.5
    rows = kept.find(["tumor", "biopsy", "zzyzx"])
    assert rows[2] == -1
    assert np.array_equal(kept.take(rows[:2]), open_vectors(source).take(rows[:2]))
