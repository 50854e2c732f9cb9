"""Published tables on disk: formats ``cloven.table/1`` and ``cloven.sliced/1``."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from table_cases import people

from cloven.errors import GuaranteeError, ParameterError, ReleaseError
from cloven.kinds.tables.attack.values import AttributeDisclosure
from cloven.kinds.tables.cells import shown, shown_release, understood, understood_by
from cloven.kinds.tables.guesses import Known
from cloven.kinds.tables.methods.anatomy import Anatomy
from cloven.kinds.tables.methods.diffgen import DiffGen
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.methods.slicing import Slicing
from cloven.kinds.tables.methods.ul import UL
from cloven.kinds.tables.release import CellDomain
from cloven.kinds.tables.utility import table_utility
from cloven.storage.inspection import verify_folder
from cloven.storage.release import read_key, read_release, write_release

METHODS = {
    "mondrian": Mondrian(k=4, l=2),
    "slicing": Slicing(k=4, l=2),
    "ul": UL(k=4, l=2, seed=1),
    "anatomy": Anatomy(l=3, seed=1),
    "diffgen": DiffGen(eps=2.0, seed=1, domains="from-data"),
}


@pytest.fixture(scope="module")
def table():
    return people()


@pytest.fixture(params=METHODS)
def result(request, table):
    return METHODS[request.param].anonymise(table)


def same(one, two):
    assert (one.k, dict(one.parameters), type(one)) == (two.k, dict(two.parameters), type(two))
    np.testing.assert_array_equal(one.cells, two.cells)
    for a, b in zip(one.domains, two.domains, strict=True):
        assert (a.name, a.sensitive, a.values, a.labels) == (b.name, b.sensitive, b.values, b.labels)
        np.testing.assert_array_equal(a.member_offsets, b.member_offsets)
        np.testing.assert_array_equal(a.members, b.members)
        assert (a.numbers is None) == (b.numbers is None)
        if a.numbers is not None:
            np.testing.assert_array_equal(a.numbers, b.numbers)


def test_what_was_written_is_read_back_and_verified_with_everything(result, table, tmp_path):
    out = tmp_path / "out"
    write_release(result, out, original=table, allow_seeded=True)
    release = read_release(out)
    same(release, shown_release(result.release))
    key = read_key(tmp_path / "out.private", release)
    np.testing.assert_array_equal(key.records, result.key.records)
    np.testing.assert_array_equal(key.suppressed, result.key.suppressed)
    assert (key.changed is None) == (result.key.changed is None)
    if key.changed is not None:
        np.testing.assert_array_equal(key.changed, result.key.changed)
    for level in ({}, {"original": table}, {"original": table, "private": tmp_path / "out.private"}):
        verdict = verify_folder(out, **level, allow_seeded=True)
        assert verdict.ok, str(verdict)
    assert json.loads((out / "manifest.json").read_text())["m"] is None


def test_the_same_release_gives_the_same_bytes(result, table, tmp_path):
    for name in ("one", "two"):
        write_release(result, tmp_path / name, original=table, allow_seeded=True)
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files == sorted(path.name for path in (tmp_path / "two").iterdir())
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_numbers_inside_a_range_are_not_published(table, tmp_path):
    result = Mondrian(k=15).anonymise(table)
    ages, release = set(table.attributes[0].values), result.release
    bounds = {end for label in release.domains[0].labels for end in label.split("..")}
    assert bounds < ages, "the case must have numbers to hide"
    write_release(result, tmp_path / "out", original=table)
    assert set(read_release(tmp_path / "out").domains[0].values) == bounds
    told = pq.read_table(tmp_path / "out" / "cells.parquet").to_pylist()
    assert {text for row in told if row["attribute"] == 0 for text in row["values"]} == bounds


def test_a_sliced_table_is_written_column_by_column(table, tmp_path):
    result = Slicing(k=4, l=2).anonymise(table)
    write_release(result, tmp_path / "out", original=table)
    files = {path.name for path in (tmp_path / "out").iterdir()}
    columns = {f"column-{number}.parquet" for number in range(len(result.release.columns))}
    assert files == {"README.md", "manifest.json", "attributes.parquet", "cells.parquet", *columns}
    for name in columns:
        rows = [(row["bucket"], row["cells"]) for row in pq.read_table(tmp_path / "out" / name).to_pylist()]
        assert rows == sorted(rows)


def test_a_release_that_was_read_is_measured_and_attacked_like_the_one_in_memory(result, table, tmp_path):
    write_release(result, tmp_path / "out", original=table, allow_seeded=True)
    release = read_release(tmp_path / "out")
    known = Known.of(table)
    ours, theirs = (AttributeDisclosure().guess(each, known) for each in (result.release, release))
    at = [ours.values.index(value) for value in theirs.values]
    np.testing.assert_allclose(ours.confidence[:, at], theirs.confidence)
    one, two = (table_utility(table, each, np.random.default_rng(1)) for each in (result.release, release))
    assert [each.name for each in one.measures] == [each.name for each in two.measures]
    assert [each.value for each in one.measures] == pytest.approx([each.value for each in two.measures])


def test_sets_of_numbers_with_gaps_stay_sets():
    numbers = np.array([1.0, 2.0, 3.0, 9.0])
    domain = CellDomain(
        "zip", False, ("1", "2", "3", "9"), numbers, ("1..9", "odd"),
        np.array([0, 4, 6]), np.array([0, 1, 2, 3, 0, 2], np.int32),
    )  # fmt: skip
    plain = shown(domain)
    assert plain.values == ("1", "2.0", "3", "9")  # the 2.0 marks the gap, it is no published value
    back = understood(plain, domain.values)
    assert back.values == domain.values
    np.testing.assert_array_equal(back.members, domain.members)
    assert understood(back, domain.values) is back
    widened = understood(plain, ("1", "2", "2.5", "3", "7", "9"))
    held = [{widened.values[code] for code in widened.members[a:b]} for a, b in ((0, 6), (6, 8))]
    assert held == [{"1", "2", "2.5", "3", "7", "9"}, {"1", "3"}]


def test_cells_in_memory_are_what_they_were_once_the_owner_reads_them(result, table):
    back = understood_by(shown_release(result.release), table)
    for mine, domain in zip(back.domains, result.release.domains, strict=True):
        held = [
            {
                label: {d.values[c] for c in d.members[a:b]}
                for label, (a, b) in zip(d.labels, pairwise(d.member_offsets), strict=True)
            }
            for d in (mine, domain)
        ]
        assert held[0].items() <= held[1].items()


def test_faults_are_found(table, tmp_path):
    result = Slicing(k=4, l=2).anonymise(table)
    write_release(result, tmp_path / "out", original=table)
    (tmp_path / "out" / "column-9.parquet").write_bytes(b"x")
    assert {check.name for check in verify_folder(tmp_path / "out").failures} == {"files"}
    (tmp_path / "out" / "column-9.parquet").unlink()
    (tmp_path / "out" / "column-0.parquet").write_bytes((tmp_path / "out" / "column-1.parquet").read_bytes())
    assert "hashes" in {check.name for check in verify_folder(tmp_path / "out").failures}
    (tmp_path / "out" / "column-0.parquet").unlink()
    with pytest.raises(ReleaseError, match=r"column-0\.parquet"):
        read_release(tmp_path / "out")


def test_a_broken_promise_and_a_wrong_key_are_not_written(table, tmp_path):
    result = Mondrian(k=4).anonymise(table)
    with pytest.raises(GuaranteeError):
        write_release(replace(result, release=replace(result.release, k=50)), tmp_path / "out")
    shuffled = replace(result.key, records=result.key.records[::-1].copy())
    with pytest.raises(GuaranteeError):
        write_release(replace(result, key=shuffled), tmp_path / "out", original=table)
    with pytest.raises(ParameterError, match="leave the format json out"):
        write_release(result, tmp_path / "out", format="json")
    assert not list(tmp_path.iterdir())


def test_other_people_are_told_from_these(table, tmp_path):
    write_release(Mondrian(k=4).anonymise(table), tmp_path / "out", original=table)
    verdict = verify_folder(tmp_path / "out", original=people(seed=8), private=tmp_path / "out.private")
    assert "input" in {check.name for check in verdict.failures}


@pytest.mark.parametrize(
    ("place", "shows"),
    [
        (0, ["30", "9"]),  # a range ends where it begins
        (0, ["nan", "30"]),
        (0, ["20", "25", "30"]),
        (1, ["m", "f"]),
        (1, ["f", "f"]),
        (1, ["f", None]),
        (1, []),
        (1, None),
    ],
)
def test_cells_are_spelt_in_one_way_only(table, tmp_path, place, shows):
    write_release(Mondrian(k=15).anonymise(table), tmp_path / "out", original=table)
    path = tmp_path / "out" / "cells.parquet"
    cells = pq.read_table(path)
    values, attribute = cells.column("values").to_pylist(), cells.column("attribute").to_pylist()
    values[attribute.index(place)] = shows
    changed = pa.array(values, cells.schema.field("values").type)
    pq.write_table(cells.set_column(cells.schema.get_field_index("values"), "values", changed), path)
    with pytest.raises(ReleaseError, match="values of row"):
        read_release(tmp_path / "out")


def test_a_published_table_has_no_json_form(table, tmp_path):
    write_release(Mondrian(k=4).anonymise(table), tmp_path / "out", original=table)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text()) | {"files": {}}
    (tmp_path / "x.json").write_text(json.dumps({"manifest": manifest, "clusters": [], "joints": []}))
    with pytest.raises(ReleaseError, match="format should be one that has a JSON form"):
        read_release(tmp_path / "x.json")
