"""Counts of a closed index and of posting lists, against counting by hand."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloven.errors import InputError, OutputError, ParameterError
from cloven.relatedness import counts_index as postings_module
from cloven.relatedness.counts_index import ClosedIndex, Postings

TERMS = ["a", "b", "c", "d e", "A"]
sets_of_terms = st.lists(st.sets(st.sampled_from(TERMS)), min_size=1, max_size=12)
WORDS = ["blood", "vessel", "cell", "red"]
ITEMS = ["blood", "vessel", "blood vessel", "red blood cell", "cell", "vessel vessel", "lung"]
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map("-".join), min_size=1, max_size=10).filter(
    lambda found: any(found)
)


def everything(counted):
    items = np.arange(len(counted.single))
    return counted.together(items, items)


def by_hand(documents, items, holds):
    """Documents that hold both, by looking at every document for every pair."""
    return [[sum(holds(d, x) and holds(d, y) for d in documents) for y in items] for x in items]


@given(sets_of_terms.filter(any))
def test_sets_are_counted_as_by_hand(documents):
    items = [*TERMS, "unknown"]
    counted = ClosedIndex.build(documents).count(items)
    expected = by_hand(documents, items, lambda document, item: item in document)
    assert counted.documents == len(documents)
    assert everything(counted).tolist() == expected
    assert counted.single.tolist() == [expected[place][place] for place in range(len(items))]


@given(texts)
def test_phrases_are_found_in_texts_as_by_hand(documents):
    try:
        counted = ClosedIndex.build(documents, items=ITEMS).count(ITEMS)
    except ParameterError:  # "red" alone is no item
        assert not any(set(text.split("-")) & {"blood", "vessel", "cell"} for text in documents)
        return
    expected = by_hand(documents, ITEMS, lambda text, item: f"-{item.replace(' ', '-')}-" in f"-{text}-")
    assert everything(counted).tolist() == expected


def test_capitals_and_separators_do_not_matter_in_texts_but_do_in_sets():
    index = ClosedIndex.build(["The LOW-FAT yoghurt.", "fat low"], items=["Low fat  Yoghurt", "low fat"])
    assert index.count(["low-fat yoghurt", "LOW FAT", "fat low"]).single.tolist() == [1, 1, 0]
    index = ClosedIndex.build([["Low-fat"], ["low-fat"]])
    assert index.count(["Low-fat", "low fat"]).single.tolist() == [1, 0]


@given(sets_of_terms.filter(any))
def test_large_vocabularies_are_counted_block_by_block_with_equal_counts(documents):
    usual = ClosedIndex.build(documents).count(TERMS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings_module, "TABLE_PAIRS", -1)
        patch.setattr(postings_module, "ROWS_AT_ONCE", 2)
        large = ClosedIndex.build(documents).count(TERMS)
        assert large._table is None
        assert everything(large).tolist() == everything(usual).tolist()
        listed = {
            (x, y): n
            for piece in large.pairs()
            for x, y, n in zip(*map(np.ndarray.tolist, piece), strict=True)
        }
    table = everything(usual)
    assert listed == {(x, y): table[x, y] for x, y in combinations(range(len(TERMS)), 2) if table[x, y]}
    (piece,) = usual.pairs()
    assert listed == {(x, y): n for x, y, n in zip(*map(np.ndarray.tolist, piece), strict=True)}


def test_sparse_tables_give_the_same_blocks(monkeypatch):
    rng = np.random.default_rng(3)
    lists = [np.flatnonzero(rng.random(50) < 0.3) for _ in range(20)]
    dense = everything(Postings.of(lists, 50))
    monkeypatch.setattr("cloven.relatedness.counts.DENSE_CELLS", 1)
    sparse = Postings.of(lists, 50)
    left, right = np.array([3, 3, 19]), np.array([0, 19, 7, 3])
    assert sparse.together(left, right).tolist() == dense[np.ix_(left, right)].tolist()


def test_counts_equal_those_of_roaring_bitmaps():
    roaring = pytest.importorskip("pyroaring")
    rng = np.random.default_rng(7)
    lists = [np.flatnonzero(rng.random(3000) < share) for share in rng.random(40) ** 3]
    maps = [roaring.BitMap(numbers.tolist()) for numbers in lists]
    expected = [[x.intersection_cardinality(y) for y in maps] for x in maps]
    assert everything(Postings.of(lists, 3000)).tolist() == expected


@pytest.mark.parametrize("items", [None, ["a", "blood vessel"]])
def test_saved_index_is_the_same(tmp_path, items):
    index = ClosedIndex.build(["a blood vessel", "a", ""], items, source="three texts, é", date="2024-05-01")
    index.save(tmp_path / "index.npz")
    again = ClosedIndex.load(tmp_path / "index.npz")
    asked = ["blood vessel", "a", "vessel"]
    assert (again.terms, again.text) == (index.terms, True)
    assert everything(again.count(asked)).tolist() == everything(index.count(asked)).tolist()
    counted = again.count(asked)
    assert (counted.documents, counted.source, counted.date) == (3, "three texts, é", "2024-05-01")
    assert [path.name for path in tmp_path.iterdir()] == ["index.npz"]


def test_nothing_makes_no_index():
    with pytest.raises(ParameterError, match="cannot be built from nothing; give at least one"):
        ClosedIndex.build([])
    with pytest.raises(ParameterError, match="none of the terms is in the 2 documents"):
        ClosedIndex.build(["lung", ""], items=["knee"])
    with pytest.raises(ParameterError, match="none of the terms"):
        ClosedIndex.build([[], []])


def test_texts_and_sets_are_not_mixed():
    with pytest.raises(InputError, match="document 2 is another kind than the first"):
        ClosedIndex.build([["a"], "a"])


def test_other_files_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"absent: there is no such file"):
        ClosedIndex.load(tmp_path / "absent")
    for name, content in {"text": b"hello", "empty": b"", "zip": b"PK\x03\x04broken"}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=rf"{name}: not an index of documents"):
            ClosedIndex.load(tmp_path / name)
    np.savez(tmp_path / "other.npz", header=np.frombuffer(b'{"format": "x"}', dtype=np.uint8))
    with pytest.raises(InputError, match="not an index of documents"):
        ClosedIndex.load(tmp_path / "other.npz")


@pytest.mark.parametrize(
    ("offsets", "holders"), [([0, 2], [0, 1]), ([0, 1, 2], [0, 9]), ([0, 2, 2], [1, 1]), ([0, 1, 2], [0, -1])]
)
def test_damaged_index_is_refused(tmp_path, offsets, holders):
    header = {"format": "cloven.closed-index/1", "source": "", "date": "", "documents": 2}
    header |= {"text": False, "terms": ["a", "b"]}
    packed = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(tmp_path / "index.npz", header=packed, offsets=np.array(offsets), holders=np.array(holders))
    with pytest.raises(InputError, match="the index is damaged"):
        ClosedIndex.load(tmp_path / "index.npz")


def test_place_that_cannot_be_written(tmp_path):
    with pytest.raises(OutputError, match="cannot write the index"):
        ClosedIndex.build([["a"]]).save(tmp_path / "no" / "index.npz")
