"""A planted fault for each check of the structure; each test says which check must notice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloven.kinds.disassociated.release import Kind
from cloven.kinds.disassociated.verify.arrays import check_arrays
from cloven.verification import verify

from .releases import build, changed_arrays, cluster, failed, joint, rows, with_rows


def sound():
    """Two joined clusters, one of them with two record chunks, and one alone; keeps 3^2-anonymity."""
    first = cluster(5, [["ab"] * 3 + ["a"], ["c"] * 3], "x")
    second = cluster(4, [["d"] * 4])
    alone = cluster(3, [["e"] * 3], "yz")
    return build([joint([["s"] * 3], [first, second]), alone])


def detail(verdict, name):
    return next(check.detail for check in verdict.checks if check.name == name)


def test_sound_release_passes_every_check():
    verdict = verify(sound())
    assert failed(verdict) == []
    assert verdict.level == "release"
    assert {check.level for check in verdict.checks} == {"release"}
    assert next(check for check in verdict.checks if check.name == "arrays").examined == 19


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"row_cluster": [0]}, "row_cluster has 1 entries instead of 19"),
        ({"cluster_joint": [0, 0]}, "cluster_joint has 2 entries instead of 3"),
        ({"cluster_joint": [0, 1, -1]}, "cluster 1 has joint 1"),
        ({"cluster_size": [5, 0, 3]}, "cluster 1 has size 0"),
        ({"joint_parent": [4]}, "joint 0 has parent 4"),
        ({"vocabulary": ("a", "b")}, "out of range"),
        ({"row_offsets": [0] * 20}, "row_offsets run from 0 to 0"),
        ({"row_kind": [3] * 19}, "kind 3"),
        ({"row_joint": [0] * 19}, "row 0 has joint 0"),
        ({"row_chunk": [-1] * 19}, "row 0 has chunk -1"),
        ({"k": 0}, "k is 0"),
        ({"m": 1.5}, "m is 1.5"),
        ({"k": 2**63}, "not a whole number from 1 to 2,147,483,647"),
        ({"m": 2**31}, "not a whole number from 1 to 2,147,483,647"),
    ],
)
def test_unsound_arrays(values, said):
    verdict = verify(changed_arrays(sound(), **values))
    assert failed(verdict) == ["arrays"]
    assert said in verdict.failures[0].detail
    assert len(verdict.checks) == 1


def test_empty_release_is_no_release():
    release = build([])
    assert failed(verify(release)) == ["arrays"]


def test_empty_row():
    changed = rows(sound())
    changed[0] = (*changed[0][:4], ())
    assert "row 0 is empty" in verify(with_rows(sound(), changed)).failures[0].detail


def test_offsets_that_only_seem_to_ascend():
    offsets = sound().row_offsets.copy()
    offsets[1:6] = [2**62, 2**63 - 1, -(2**63), -(2**62), -5]  # differences have no room and are positive
    assert "row 2 is empty" in verify(changed_arrays(sound(), row_offsets=offsets)).failures[0].detail
    offsets = np.array(offsets % 100, np.int8)
    offsets[1:3] = 100, -100
    assert failed(verify(changed_arrays(sound(), row_offsets=offsets))) == ["arrays"]


def is_sound(release):
    """Whether the rows are what rows may be, one after the other."""
    offsets, clusters, joints = release.row_offsets.tolist(), release.clusters, release.joints
    sound = offsets[0] == 0 and offsets[-1] == len(release.row_items)
    sound &= all(0 <= item < len(release.vocabulary) for item in release.row_items.tolist())
    columns = (release.row_kind, release.row_cluster, release.row_joint, release.row_chunk)
    for row, (kind, cluster_, joint_, chunk) in enumerate(zip(*map(np.ndarray.tolist, columns), strict=True)):
        in_joint = kind == Kind.SHARED or (
            kind == Kind.TERM and cluster_ < 0 and release.rare_items == "list"
        )
        owner, none, many = (joint_, cluster_, joints) if in_joint else (cluster_, joint_, clusters)
        sound &= kind in set(Kind) and 0 <= owner < many and none == -1
        sound &= 0 <= chunk < 2**31 - 1 and offsets[row] < offsets[row + 1]
    return sound


@given(st.data(), st.sampled_from(["list", "withhold", "cluster"]), st.booleans())
def test_rows_are_sound_or_not_whatever_their_types(data, rare_items, narrow):
    release = changed_arrays(sound(), parameters={"rare_items": rare_items})
    for _ in range(data.draw(st.integers(0, 3))):
        name = data.draw(st.sampled_from([name for name in release.ARRAYS if name.startswith("row_")]))
        values = getattr(release, name).copy()
        ends = st.sampled_from([np.iinfo(values.dtype).min, np.iinfo(values.dtype).max])
        values[data.draw(st.integers(0, len(values) - 1))] = data.draw(ends | st.integers(-2, len(values)))
        release = changed_arrays(release, **{name: values})
    if narrow:
        release = changed_arrays(release, row_chunk=release.row_chunk.astype(np.int64))
    assert check_arrays(release).passed == is_sound(release)


def test_array_of_fractions():
    release = sound()
    object.__setattr__(release, "row_items", release.row_items.astype(float))
    assert failed(verify(release)) == ["arrays"]


def test_vocabulary():
    release = changed_arrays(sound(), vocabulary=(*sound().vocabulary, "zz"))
    assert failed(verify(release)) == ["vocabulary"]
    first, second, *rest = sound().vocabulary
    assert "vocabulary" in failed(verify(changed_arrays(sound(), vocabulary=(second, first, *rest))))


@pytest.mark.parametrize("parents", [[0], [1, 0], [1, 2, 1]])
def test_cycle_of_joints_stops_the_verification(parents):
    assert failed(verify(changed_arrays(sound(), joint_parent=parents))) == ["joint tree"]


def test_joints_have_children_and_may_be_many():
    assert "joint tree" in failed(verify(changed_arrays(sound(), cluster_joint=[0, -1, -1])))
    node = cluster(3, [["a"] * 3])
    for _ in range(40):
        node = joint([], [node, cluster(3, [["a"] * 3])])
    assert failed(verify(build([node]))) == []


def two_terms():
    """The term chunk of the lonely cluster as two rows."""
    changed = rows(sound())
    at = next(at for at, row in enumerate(changed) if len(row[4]) == 2 and row[3] == 1)
    head, (y, z) = changed[at][:4], changed[at][4]
    return [*changed[:at], (*head, (y,)), (*head, (z,)), *changed[at + 1 :]]


@pytest.mark.parametrize(
    "changed",
    [
        lambda: [(*row[:2], 2 if row[2] == 1 else row[2], *row[3:]) for row in rows(sound())],
        lambda: [(*row[:2], 1 if row[1] == 0 else row[2], *row[3:]) for row in rows(sound())],
        lambda: [(*row[:2], 1 if row[3] == 1 else row[2], *row[3:]) for row in rows(sound())],
        two_terms,
    ],
    ids=["a gap", "shared chunks from one", "a term chunk with a number", "a term chunk of two rows"],
)
def test_numbers_of_chunks(changed):
    assert failed(verify(with_rows(sound(), changed()))) == ["chunks"]


def pair():
    return [cluster(4, [["a"] * 3], "x"), cluster(4, [["b"] * 3], "y")]


def listing():
    return [cluster(4, [["a"] * 3], "sx"), cluster(4, [["b"] * 3], "y")]


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([cluster(6, [["a"] * 3, ["a", "b", "b", "b", "a", "a"]], "x")], ["item placement"]),
        ([cluster(4, [["a"] * 3], "ax")], ["item placement"]),
        ([joint([["s"] * 3, ["s"] * 3], pair())], ["item placement"]),
        ([joint([["s"] * 3], listing())], ["item placement"]),
        (
            [joint([["s"] * 3], [joint([["t"] * 3], listing()), cluster(4, [["c"] * 3], "z")])],
            ["item placement"],
        ),
        ([joint([["t"] * 3], [joint([["s"] * 3], pair()), cluster(4, [["c"] * 3], "s")])], []),
        ([cluster(3, [["a"] * 4])], ["row counts"]),
        ([joint([["s"] * 8], pair())], []),
        ([joint([["s"] * 9], pair())], ["row counts"]),
        ([cluster(5, [["a"] * 4])], ["no empty record", "lemma"]),
    ],
    ids=[
        "in two record chunks",
        "in a record and the term chunk",
        "in two shared chunks of a joint",
        "shared and in a term chunk below",
        "shared and in a term chunk further down",
        "shared and in a term chunk elsewhere",
        "more rows than records",
        "as many shared rows as records",
        "more shared rows than records",
        "records that would be empty",
    ],
)
def test_where_items_and_rows_may_be(nodes, expected):
    assert failed(verify(build(nodes))) == expected


@pytest.mark.parametrize(("shared", "expected"), [(3, ["lemma"]), (2, ["no empty record", "lemma"])])
def test_shared_rows_fill_records_but_do_not_count_for_the_lemma(shared, expected):
    below = [cluster(5, [["a"] * 3]), cluster(4, [["b"] * 3])]
    assert failed(verify(build([joint([["s"] * shared], below)], k=2))) == expected


@pytest.mark.parametrize(
    ("item", "expected"), [("c", ["k^m of record chunks"]), ("d", ["lemma"]), ("s", ["shared chunks"])]
)
def test_row_dropped_from_a_chunk(item, expected):
    code = sound().vocabulary.index(item)
    changed = rows(sound())
    changed.remove(next(row for row in changed if row[4] == (code,)))
    assert failed(verify(with_rows(sound(), changed))) == expected
