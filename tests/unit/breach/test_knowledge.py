"""Background knowledge: pairs, files, and what cannot be used."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cloven as cv
from cloven.errors import InputError
from cloven.kinds.disassociated.covers.breaches import breaches
from cloven.kinds.disassociated.covers.covers import covers
from cloven.kinds.disassociated.covers.knowledge import (
    EMPTY,
    LARGE,
    SMALL,
    STRANGE,
    FromFile,
    Knowledge,
    read_knowledge,
)


@pytest.fixture(scope="module")
def release():
    data = cv.Transactions.from_records([["a", "b", "c"], ["a", "b", "c", "e"], ["a", "e"], ["b"]])
    return cv.Disassociation(k=2, m=2, rare_items="cluster", refine=False).anonymise(data).release


def pairs_of(knowledge, release):
    width, names = len(release.vocabulary), release.vocabulary
    return {(names[key // width], names[key % width]) for key in knowledge.keys.tolist()}


@given(itemsets=st.lists(st.lists(st.integers(-1, 6), unique=True, max_size=5), max_size=6))
def test_pairs_are_all_pairs_of_the_itemsets(itemsets):
    offsets = np.cumsum([0, *map(len, itemsets)])
    items = np.array([item for itemset in itemsets for item in itemset], np.int64)
    known = Knowledge.of_itemsets(offsets, items, 7)
    expected = {
        frozenset(pair) for itemset in itemsets for pair in combinations([i for i in itemset if i >= 0], 2)
    }
    assert len(known) == len(expected)
    for first in range(7):
        for second in range(7):
            told = known.knows(np.array([first]), np.array([second]))[0]
            assert told == (frozenset((first, second)) in expected)


def test_everything_is_every_pair_of_different_items():
    known = Knowledge.all(4)
    assert len(known) == 6
    assert known.knows(np.array([0, 2]), np.array([1, 2])).tolist() == [True, False]


def test_who_knows_nothing_learns_nothing(release):
    nothing = Knowledge(len(release.vocabulary), np.empty(0, np.int64))
    found = breaches(covers(release), nothing)
    assert set(found.to_dict().values()) == {0, None}
    assert breaches(covers(release)).covers == 1


def test_file_of_lines(release, tmp_path):
    file = tmp_path / "known.txt"
    file.write_text('a,b\nc\te\n["e", "a"]\n', encoding="utf-8")
    known = read_knowledge(file, release)
    assert pairs_of(known, release) == {("a", "b"), ("c", "e"), ("a", "e")}
    assert known.left_out == {}
    drawn = FromFile(file).draw(release, None, np.random.default_rng(1))
    assert np.array_equal(drawn.keys, known.keys)


def test_file_of_json(release, tmp_path):
    file = tmp_path / "known.json"
    file.write_text(json.dumps([["a", "b"], ["c", "e"]]), encoding="utf-8")
    assert pairs_of(read_knowledge(file, release), release) == {("a", "b"), ("c", "e")}


def test_what_cannot_be_used_is_counted(release, tmp_path):
    file = tmp_path / "known.txt"
    file.write_text("a,b\n\n , \na\na,a\na,zebra\na,b,c\n", encoding="utf-8")
    known = read_knowledge(file, release)
    assert known.left_out == {EMPTY: 2, SMALL: 2, STRANGE: 1, LARGE: 1}
    assert pairs_of(known, release) == {("a", "b")}


def test_items_beside_an_unknown_one_still_count(release, tmp_path):
    file = tmp_path / "known.txt"
    file.write_text("a,zebra,c\n", encoding="utf-8")
    known = read_knowledge(file, release, m=3)
    assert pairs_of(known, release) == {("a", "c")}
    assert known.left_out == {STRANGE: 1}


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("k.txt", b"", ("no itemset can be used", "the file is empty", "one itemset of 2 items")),
        ("k.txt", b"\n\nx,y\n", ("1 itemsets with an item that the release does not have", "2 empty lines")),
        ("k.txt", b"a,b\n[1, 2]\n", ("k.txt:2:", "list of item names", "[1, 2]")),
        ("k.txt", b"a,b\n[\n", ("k.txt:2:", "not JSON")),
        ("k.txt", b"a,b\n\xff\n", ("k.txt:2:", "not UTF-8")),
        ("k.json", b'{"a": 1}', ("list of itemsets",)),
        ("k.json", b"[[", ("k.json:1:", "not JSON")),
        ("k.json", b'["ab"]', ("list of item names",)),
    ],
)
def test_bad_files_are_refused(release, tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_knowledge(tmp_path / name, release)
    for word in words:
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_file_is_named(release, tmp_path):
    with pytest.raises(InputError, match=r"none\.txt: no such file"):
        read_knowledge(tmp_path / "none.txt", release)
