"""The horizontal step by shared itemsets, which experiments plug in."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

import cloven as cv
from cloven.errors import ParameterError
from cloven.kinds.disassociated.methods.horizontal import Part
from experiments.hierarchical import Hierarchical

NOBODY = np.empty(0, np.int64)
# Clusters of the clinic sample, and the content of what is published.
PUBLISHED = {
    ("add", 1): (35, "a6eacff4e4520df8"),
    ("add", 2): (34, "7c741eacc736a5c0"),
    ("add", 3): (34, "c7e12ef5bf355cc5"),
    ("suppress", 2): (34, "9384d36e2054bfd2"),
    ("remaining", 2): (35, "414a5283bb5ef762"),
    ("keep", 3): (45, "bdc0649186b15a04"),
}


@pytest.mark.parametrize(("small", "m"), PUBLISHED)
def test_releases_of_the_sample_stay_as_they_are(small, m):
    method = cv.Disassociation(k=5, m=m, max_cluster_size=30, small_clusters=small, horizontal=Hierarchical())
    release = method.anonymise(cv.sample("clinic")).release
    arrays = (release.cluster_size, release.row_items, release.row_offsets)
    content = hashlib.sha256(b"".join(each.astype(np.int64).tobytes() for each in arrays)).hexdigest()
    assert (release.clusters, content[:16]) == PUBLISHED[small, m]


def part(rows, **sizes):
    """A block of records as a horizontal step gets it."""
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    terms = np.concatenate([np.array(row, np.int32) for row in rows])
    return Part(
        offsets,
        terms,
        int(terms.max()) + 1,
        NOBODY,
        **{"k": 2, "m": 2, "maximum": 4, "small": "keep"} | sizes,
    )


def test_records_that_share_a_frequent_itemset_share_a_cluster():
    rows = [[0, 1], [2, 3], [0, 1], [2, 3], [0, 1], [2, 3]]
    assert Hierarchical().partition(part(rows)).tolist() == [0, 1, 0, 1, 0, 1]


def test_clusters_stay_within_the_maximum():
    assert np.bincount(Hierarchical().partition(part([[0]] * 10))).max() == 4


def test_itemsets_that_are_too_many_to_list_are_not_used():
    rows = [[0, 1, 2], [0, 1, 2], [0, 3], [0, 3]]
    assert Hierarchical(budget=1).partition(part(rows)).tolist() == [0, 0, 0, 0]
    assert Hierarchical().partition(part(rows, maximum=2)).tolist() == [0, 0, 1, 1]


def test_nothing_is_split_so_nothing_is_given_up():
    with pytest.raises(ParameterError, match="never splits"):
        Hierarchical().partition(part([[0], [0]], small="abandon"))
