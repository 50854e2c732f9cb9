"""The compiled steps against plain Python, on thousands of random data sets."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import plain_disassociation as plain
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import records, skewed_records

from cloven.kinds.disassociated.methods import refinement
from cloven.kinds.disassociated.methods.growth import columns, grow_dense, grow_sparse
from cloven.kinds.disassociated.methods.horizontal import HorPart, Part
from cloven.kinds.disassociated.methods.joint_chunks import grow_k_anonymous
from cloven.kinds.disassociated.methods.refinement import Grouped, _Passes, refine
from cloven.kinds.disassociated.methods.vertical import MANY, Vertical, _bitsets, grow, verpart
from tests.effort import tries

NOBODY = np.empty(0, np.int64)


def arrays(rows):
    """Compressed rows of letters as numbers, alphabetical; and the letters."""
    names = sorted(set().union(*rows))
    code = {name: i for i, name in enumerate(names)}
    offsets = np.cumsum([0, *(len(row) for row in rows)]).astype(np.int64)
    terms = np.array([code[t] for row in rows for t in sorted(row)], np.int32)
    return offsets, terms, names


def members(cluster_of):
    """Records of each cluster."""
    return [np.flatnonzero(cluster_of == c).tolist() for c in range(cluster_of.max() + 1)]


@pytest.mark.parametrize("strategy", ["add", "abandon", "suppress", "remaining", "keep"])
@settings(max_examples=tries(300))
@given(rows=skewed_records(min_records=4), k=st.integers(2, 4), extra=st.integers(0, 6))
def test_horpart_equals_the_pseudo_code(strategy, rows, k, extra):
    maximum = 2 * k - 1 + extra
    offsets, terms, names = arrays(rows)
    part = Part(offsets, terms, len(names), NOBODY, k, 2, maximum, strategy)
    found = HorPart().partition(part)
    if strategy == "remaining":
        # The first pass is the pseudo-code's; what follows is checked by its promise alone.
        assert (found >= 0).all()
        sizes = np.bincount(found)
        assert len(rows) < k or sizes.min() >= k
        return
    expected, left_out = plain.horpart(rows, k, maximum, strategy)
    assert members(found) == [sorted(cluster) for cluster in expected]
    if strategy != "suppress":
        assert not left_out
        assert (found >= 0).all()


@settings(max_examples=tries(2000))
@given(rows=skewed_records(min_records=11, max_records=36, n_items=7), k=st.sampled_from((3, 4)))
@example(
    rows=[*["ac"] * 4, "ab", "a", *["bd"] * 4, "be"], k=3
)  # ab is left over in the part of a, then in that of b
@example(rows=["bc", "ab", "bc", "bc", "bde", "c", "c", "g", "ac", "bc", "abe", "bc", "d"], k=4)
@example(rows=["b", "ace", "cd", "abc", "ag", "ac", "bc", "bf", "df", "abc", "a", "abc", "cd"], k=4)
def test_records_left_over_for_the_first_and_for_the_second_time(rows, k):
    """A part too small may hold both: some go back to the rest, which another term may split then."""
    rows = [frozenset(row) for row in rows]
    offsets, terms, names = arrays(rows)
    found = HorPart().partition(Part(offsets, terms, len(names), NOBODY, k, 2, 2 * k - 1, "add"))
    expected, _ = plain.horpart(rows, k, 2 * k - 1, "add")
    assert members(found) == [sorted(cluster) for cluster in expected]


def chunks_of(chunk_of, names):
    return [
        [names[t] for t in range(len(names)) if chunk_of[t] == c]
        for c in range(max(chunk_of, default=-1) + 1)
    ]


@settings(max_examples=tries(600))
@given(rows=records(), k=st.integers(2, 4), m=st.integers(1, 4), strict=st.booleans())
def test_growing_dense_and_sparse_equal_brute_force(rows, k, m, strict):
    offsets, terms, names = arrays(rows)
    if not strict:
        counts = np.bincount(terms, minlength=len(names))
        rows = [frozenset(t for t in row if counts[names.index(t)] >= k) for row in rows]
        rows = [row for row in rows if row]
        if not rows:
            return
        offsets, terms, names = arrays(rows)
    elif min(np.bincount(terms)) < k:
        return
    expected = plain.grow(rows, names, k, m, strict)
    group = np.zeros(len(names), np.int64)
    sparse = grow_sparse(
        offsets, terms.astype(np.int64), len(names), group, k, m, strict, np.arange(len(rows))
    )
    dense = grow_dense(_bitsets(offsets, terms, len(names)), group, k, m, strict, NOBODY)
    assert chunks_of(sparse.tolist(), names) == expected
    assert chunks_of(dense.tolist(), names) == expected


@settings(max_examples=tries(200))
@given(
    rows=records(min_records=65, max_records=150, items="abcde"), k=st.integers(2, 12), m=st.integers(2, 3)
)
def test_growing_over_several_words(rows, k, m):
    offsets, terms, names = arrays(rows)
    if min(np.bincount(terms)) < k:
        return
    group = np.zeros(len(names), np.int64)
    expected = plain.grow(rows, names, k, m, strict=False)
    dense = grow_dense(_bitsets(offsets, terms, len(names)), group, k, m, False, NOBODY)
    sparse = grow_sparse(
        offsets, terms.astype(np.int64), len(names), group, k, m, False, np.arange(len(rows))
    )
    assert chunks_of(dense.tolist(), names) == expected
    assert chunks_of(sparse.tolist(), names) == expected


@settings(max_examples=tries(40))
@given(seed=st.integers(0, 2**32), k=st.integers(2, 4), m=st.integers(1, 3), strict=st.booleans())
def test_many_terms_with_equal_rows_share_chunks(seed, k, m, strict):
    """Above the limit one term stands for all that the same rows hold; the chunks are those of the plain kernel."""
    rng = np.random.default_rng(seed)
    patterns = rng.random((24, 12)) < 0.5
    patterns[:k] = True
    copies = np.repeat(patterns, MANY // 24 + 5, axis=0)[rng.permutation(24 * (MANY // 24 + 5))]
    rows = [np.flatnonzero(copies[:, row]) for row in range(12)]
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    terms = np.concatenate(rows).astype(np.int64)
    keep = np.bincount(terms, minlength=len(copies)) >= k
    if not keep.all():
        return
    group = np.sort(rng.integers(0, 2, len(copies)))
    who = np.arange(12)
    expected = grow_dense(_bitsets(offsets, terms, len(copies)), group, k, m, strict, NOBODY)
    found = grow(offsets, terms, len(copies), group, k, m, strict, who, False)
    assert found.tolist() == expected.tolist()


@settings(max_examples=tries(300))
@given(rows=records(items="abcd"), k=st.integers(2, 3))
def test_k_anonymous_growth_equals_brute_force(rows, k):
    offsets, terms, names = arrays(rows)
    if min(np.bincount(terms)) < k:
        return
    group = np.zeros(len(names), np.int64)
    held = columns(offsets, terms.astype(np.int64), len(names))
    found = grow_k_anonymous(*held, group, k, np.arange(len(rows)), False)
    assert chunks_of(found.tolist(), names) == plain.grow_k_anonymous(rows, names, k)


def run_vertical(clusters, k, m, strict):
    rows = [row for cluster in clusters for row in cluster]
    offsets, terms, names = arrays(rows)
    start = np.cumsum([0, *map(len, clusters)]).astype(np.int64)
    group, barred = np.zeros(len(names), np.int64), np.zeros(len(names), bool)
    found = Vertical(
        *verpart(offsets, terms, np.arange(len(rows)), start, group, barred, NOBODY, k, m, strict, True)
    )
    return found, offsets, terms, names, np.repeat(np.arange(len(clusters)), np.diff(start))


@settings(max_examples=tries(500))
@given(rows=records(), k=st.integers(2, 4), m=st.integers(1, 4), strict=st.booleans())
def test_verpart_equals_the_pseudo_code(rows, k, m, strict):
    found, _, terms, names, _ = run_vertical([rows], k, m, strict)
    chunks, term_chunk = plain.verpart(rows, k, m, strict)
    labels = {}
    for term, chunk in zip(terms.tolist(), found.chunk.tolist(), strict=True):
        assert labels.setdefault(names[term], chunk) == chunk
    assert {t for t, chunk in labels.items() if chunk < 0} == term_chunk
    got = [sorted(t for t, c in labels.items() if c == chunk) for chunk in range(found.chunks[0])]
    assert got == [sorted(chunk) for chunk in chunks]


@settings(max_examples=tries(400))
@given(
    clusters=st.lists(records(min_records=3, max_records=7, items="abcdefghij"), min_size=2, max_size=7),
    k=st.integers(2, 3),
    m=st.integers(1, 3),
    listed_too=st.booleans(),
    cramped=st.booleans(),
    narrow=st.booleans(),
)
@example(  # z stays behind in the first join and leaves all three clusters in the second
    clusters=[
        [{"a"}, {"a"}, {"a", "y"}, {"a", "y", "z"}],
        [{"b"}, {"b"}, {"b", "y"}, {"b", "y", "z"}],
        [{"c"}, {"c"}, {"c", "z"}],
    ],
    k=3,
    m=1,
    listed_too=False,
    cramped=True,
    narrow=True,
)
def test_refine_equals_the_pseudo_code(clusters, k, m, listed_too, cramped, narrow):
    found, offsets, terms, names, cluster_of = run_vertical(clusters, k, m, strict=False)
    record_of = np.repeat(np.arange(len(cluster_of)), np.diff(offsets))
    group, barred = np.zeros(len(names), np.int64), np.zeros(len(names), bool)
    start = np.cumsum([0, *map(len, clusters)]).astype(np.int64)
    make_room, begin = _Passes._make_room, _Passes.__init__

    def with_short_keys(passes, work):
        begin(passes, work)
        passes._bits = 31  # two terms in a key, so that many are tied

    def without_any(passes, more, more_shown):
        passes.used = passes.used_shown = 1 << 40
        make_room(passes, more, more_shown)

    with (
        patch.object(_Passes, "_make_room", without_any if cramped else make_room),
        patch.object(_Passes, "__init__", with_short_keys if narrow else begin),
        patch.object(
            refinement, "_SOME", 1 if cramped else refinement._SOME
        ),  # chunks are built after every pass
    ):
        got = refine(
            found,
            Grouped(offsets, terms, np.arange(len(cluster_of)), start),
            group,
            barred,
            NOBODY,
            k=k,
            m=m,
            strict=False,
            listed_too=listed_too,
        )
    verparts = [plain.verpart(cluster, k, m) for cluster in clusters]
    parent, joints, left = plain.refine(clusters, verparts, k, m, listed_too=listed_too)
    n = len(clusters)
    links = [*got.cluster_joint.tolist(), *got.joint_parent.tolist()]
    assert [link + n if link >= 0 else None for link in links] == [parent.get(i) for i in range(len(links))]
    assert len(got.joint_parent) == len(joints)
    for j, chunks in enumerate(joints):
        for c, chunk in enumerate(chunks):
            here = (got.joint == j) & (got.chunk == c)
            assert {names[t] for t in terms[here].tolist()} == set(chunk)
    in_term = (got.joint < 0) & (got.chunk < 0)
    for c in range(n):
        here = in_term & (cluster_of[record_of] == c)
        assert {names[t] for t in terms[here].tolist()} == left[c]
