"""Faults planted in published tables that the command line made: `cloven verify` ends with 1 where it sees them.

As in test_planted_faults.py the manifest and the receipt are made to agree with the fault, so it is the check which is
there for the fault that must find it. The table of what is seen where is in docs/reference/verify.md.
"""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloven.cli.ending import run as run_command_line
from cloven.io.manifest import manifest_bytes
from cloven.io.release import read_table_release, write_public
from cloven.io.tables import write_table

LEVELS = ("release", "original", "key")
ILLNESS = ("cough", "flu", "gout", "mumps", "ulcer")
METHODS = {
    "mondrian": ("-k", 5, "-l", 3),
    "slicing": ("-k", 5, "-l", 3),
    "ul": ("-k", 5, "-l", 3, "--swap-rate", 0.4, "--columns", "age/work+sex/illness", "--protected", "work"),
}


@dataclass(frozen=True)
class MadeTable:
    """A published table made by the command line, and what it was made from."""

    original: Path
    schema: Path
    out: Path

    @property
    def private(self) -> Path:
        return self.out.with_name(f"{self.out.name}.private")

    def level(self, level: str) -> list[object]:
        known = {"release": [], "original": ["--original", self.original, "--schema", self.schema]}
        known["key"] = [*known["original"], "--private", self.private]
        return ["verify", self.out, *known[level], "--json"]


@pytest.fixture(scope="session")
def tables_once(tmp_path_factory) -> dict[str, MadeTable]:
    folder = tmp_path_factory.mktemp("tables")
    lots = random.Random(3)
    lines = ["age,work,sex,illness"]
    for number in range(240):
        age = lots.randint(20, 59)
        work = lots.choice(("Federal", "Private", "Private", "Self", "State"))
        sex = "f" if work == "Self" else lots.choice("fm")  # so that a man who is his own master is invented
        lines.append(f"{age},{work},{sex},{ILLNESS[(age // 10 + number) % 5]}")
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    (folder / "people.toml").write_text(
        '[columns]\nage = "quasi-identifier"\nsex = "quasi-identifier"\nillness = "sensitive"\n'
        '[columns.work]\nrole = "quasi-identifier"\n'
        'tree = { public = ["Federal", "State"], private = ["Private", "Self"] }\n'
    )
    found = {}
    for method, settings in METHODS.items():
        found[method] = MadeTable(folder / "people.csv", folder / "people.toml", folder / method)
        given = ["--schema", folder / "people.toml", *settings, "-o", folder / method, "--json"]
        assert run_command_line(list(map(str, ["anonymise", method, folder / "people.csv", *given]))) == 0
    return found


@pytest.fixture(params=["mondrian", "slicing"])
def made(request, tables_once, tmp_path) -> MadeTable:
    """A copy of a sound release that a test may spoil."""
    return copied(tables_once[request.param], tmp_path)


@pytest.fixture
def coarse(tables_once, tmp_path):
    return copied(tables_once["mondrian"], tmp_path)


@pytest.fixture
def cut(tables_once, tmp_path):
    return copied(tables_once["slicing"], tmp_path)


@pytest.fixture
def swapped(tables_once, tmp_path):
    return copied(tables_once["ul"], tmp_path)


def copied(made, folder):
    for path in (made.out, made.private):
        shutil.copytree(path, folder / path.name)
    return replace(made, out=folder / made.out.name)


def digest(path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def agree(made) -> None:
    """Hashes of the files in the manifest, hash of the manifest in the receipt."""
    manifest_path, receipt_path = made.out / "manifest.json", made.private / "receipt.json"
    manifest = json.loads(manifest_path.read_text())
    manifest["files"] = {name: digest(made.out / name) for name in manifest["files"]}
    manifest_path.write_bytes(manifest_bytes(manifest))
    receipt = json.loads(receipt_path.read_text())
    receipt_path.write_bytes(manifest_bytes(receipt | {"manifest_sha256": digest(manifest_path)}))


@pytest.fixture
def look(cloven):
    """Checks that fail at each level."""

    def run(made):
        agree(made)
        found = {}
        for level in LEVELS:
            ended = cloven(*made.level(level))
            assert ended.json["level"] == level
            assert ended.code == (1 if ended.failed_checks else 0)
            found[level] = ended.failed_checks
        return found

    return run


@pytest.fixture
def plant(look):
    """Put another release in the place of the sound one; gives the checks that fail at each level."""

    def put(made, release):
        shutil.rmtree(made.out)
        write_public(release, made.out, "parquet")
        return look(made)

    return put


def read(made):
    return read_table_release(made.out, "a test")


def place_of(release, name) -> int:
    return [domain.name for domain in release.domains].index(name)


def cell_of(release, name, label) -> int:
    return release.domains[place_of(release, name)].labels.index(label)


def with_cells(release, cells):
    """Other cells, put in canonical order again as whoever knows the format would do."""
    cells = np.array(cells, np.int32)
    if not hasattr(release, "columns"):
        return replace(release, cells=cells[np.lexsort(cells.T[::-1])])
    edges = release.bucket_offsets.tolist()
    buckets = []
    for start, end in pairwise(edges):
        part = cells[start:end].copy()
        for column in map(list, release.columns):
            part[:, column] = part[np.lexsort(part[:, column].T[::-1])][:, column]
        buckets.append(part.tolist())
    buckets.sort()
    offsets = np.cumsum([0, *map(len, buckets)]).astype(np.int64)
    return replace(
        release,
        cells=np.array([row for bucket in buckets for row in bucket], np.int32),
        bucket_offsets=offsets,
    )


def edit_manifest(made, **change):
    path = made.out / "manifest.json"
    manifest = json.loads(path.read_text())
    for name, value in change.items():
        manifest[name] = manifest[name] | value if isinstance(value, dict) else value
    path.write_bytes(manifest_bytes(manifest))


def test_nothing_planted_nothing_found(plant, made):
    release = read(made)
    assert plant(made, with_cells(release, release.cells)) == {level: set() for level in LEVELS}


# --- promises -----------------------------------------------------------------------------------------------------


def test_more_is_promised_than_is_kept(plant, made):
    release = read(made)
    size = "bucket size" if hasattr(release, "columns") else "class size"
    found = plant(made, replace(release, k=200))
    assert all(size in found[level] for level in LEVELS)


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        ({"counts": {"records": 999}}, "counts"),
        ({"parameters": {"note": "Eve is in it"}}, "parameters"),
        ({"parameters": {"invented_rows": True}}, "parameters"),
        ({"parameters": {"constraints": "x"}}, "parameters"),
        ({"parameters": {"sampling_rate": None}}, "parameters"),
        ({"seeded": True}, "not seeded"),
        ({"unsafe": True}, "not unsafe"),
    ],
    ids=str,
)
def test_edited_manifest(look, made, change, seen):
    edit_manifest(made, **change)
    found = look(made)
    assert all(seen in found[level] for level in LEVELS), found


def test_exchanges_that_were_never_promised(look, coarse):
    """A swap rate would excuse rows that nobody has."""
    edit_manifest(coarse, parameters={"swap_rate": 0.5})
    assert all("parameters" in found for found in look(coarse).values())


def test_class_below_k(plant, coarse):
    release = read(coarse)
    release = replace(release, cells=release.cells[1:])
    found = plant(coarse, replace(release, k=5))
    if not found["release"]:  # the first class was large enough
        pytest.fail("no class of exactly k rows")
    assert all("class size" in found[level] for level in LEVELS)
    assert "number of rows" in found["original"]


def test_bucket_below_k(plant, cut):
    """Two buckets get a new border: one is left with a single row."""
    release = read(cut)
    offsets = release.bucket_offsets.copy()
    offsets[1] = 1
    found = plant(cut, with_cells(replace(release, bucket_offsets=offsets), release.cells))
    assert all("bucket size" in found[level] for level in LEVELS)


def test_sensitive_value_that_breaks_l_in_a_class(plant, coarse):
    release = read(coarse)
    known = [place for place, domain in enumerate(release.domains) if not domain.sensitive]
    first = (release.cells[:, known] == release.cells[0, known]).all(axis=1)
    cells = release.cells.copy()
    cells[first, place_of(release, "illness")] = 0
    found = plant(coarse, with_cells(release, cells))
    assert all("distinct-l of illness" in found[level] for level in LEVELS)
    assert "marginals" in found["original"]


def test_sensitive_value_that_breaks_l_in_a_bucket(plant, swapped):
    release = read(swapped)
    cells = release.cells.copy()
    cells[: release.bucket_offsets[1], place_of(release, "illness")] = 0
    found = plant(swapped, with_cells(release, cells))
    assert all("l-diversity of buckets" in found[level] for level in LEVELS)


def test_sensitive_value_that_breaks_l_over_matching_buckets(plant, cut):
    """Only who knows the quasi-identifiers of everybody can see it."""
    release = read(cut)
    cells, place = release.cells.copy(), place_of(release, "illness")
    half = len(cells) // 2
    cells[:half, place] = cells[0, place]
    found = plant(cut, with_cells(release, cells))
    assert "l-diversity by matching buckets" in found["original"]
    assert "l-diversity by matching buckets" in found["key"]


def test_sensitive_attribute_published_as_a_known_one(look, made):
    """Then nothing would have to be diverse."""
    path = made.out / "attributes.parquet"
    table = pq.read_table(path).to_pydict()
    table["role"] = ["quasi-identifier"] * len(table["role"])
    write_table_again(path, table)
    found = look(made)
    assert "parameters" in found["release"] or "distinct-l of illness" in found["release"]
    assert "attributes" in found["original"]


def write_table_again(path, columns):
    from cloven.io.table_cells import ATTRIBUTES, CELLS

    schema = ATTRIBUTES if path.name == "attributes.parquet" else CELLS
    types = {"int64": pa.int64(), "string": pa.string(), "list": pa.list_(pa.string())}
    arrays = {name: pa.array(columns[name], types[schema[name]]) for name in schema}
    path.unlink()
    write_table(path, schema, arrays)


# --- what is shown ------------------------------------------------------------------------------------------------


def test_label_that_tells_something_else(look, made):
    path = made.out / "cells.parquet"
    table = pq.read_table(path).to_pydict()
    row = next(number for number, held in enumerate(table["values"]) if len(held) == 1)
    table["label"][row] = "Eve, 33"
    write_table_again(path, table)
    assert all("labels" in found for found in look(made).values())


def test_name_of_a_group_that_tells_something_else(look, coarse):
    path = coarse.out / "cells.parquet"
    table = pq.read_table(path).to_pydict()
    row = table["label"].index("public")
    table["label"][row] = "public, and Eve"
    write_table_again(path, table)
    found = look(coarse)
    assert found == {"release": set(), "original": {"cells"}, "key": {"cells"}}


def test_cell_from_outside_the_taxonomy(plant, coarse):
    """Federal and Private instead of Federal and State."""
    release = read(coarse)
    place = place_of(release, "work")
    domain = release.domains[place]
    public = domain.labels.index("public")
    members = domain.members.copy()
    start = domain.member_offsets[public]
    members[start : start + 2] = [domain.values.index("Federal"), domain.values.index("Private")]
    other = (*release.domains[:place], replace(domain, members=members), *release.domains[place + 1 :])
    found = plant(coarse, replace(release, domains=other))
    assert {"cells", "everybody covered"} <= found["original"]
    assert "content" in found["key"]


def test_value_that_nobody_has(plant, made):
    """Renamed everywhere, in the same place of the order."""
    release = read(made)
    place = place_of(release, "illness")
    domain = release.domains[place]
    renamed = tuple("gout!" if value == "gout" else value for value in domain.values)
    domain = replace(domain, values=renamed, labels=renamed)
    other = (*release.domains[:place], domain, *release.domains[place + 1 :])
    found = plant(made, replace(release, domains=other))
    assert found["release"] == set()
    assert found["original"] & {"attributes", "marginals"}


def test_cells_that_no_row_shows(look, made):
    """A value more in the list of cells would tell of somebody who is not there."""
    path = made.out / "cells.parquet"
    table = pq.read_table(path).to_pydict()
    last = len(table["label"]) - 1
    for name, value in (("attribute", table["attribute"][last]), ("cell", table["cell"][last] + 1)):
        table[name].append(value)
    table["label"].append("zoster")
    table["holds"].append("set")
    table["values"].append(["zoster"])
    write_table_again(path, table)
    assert all(found & {"arrays", "counts"} for found in look(made).values())


def test_values_of_the_data_listed_inside_a_range(look, coarse):
    """A range is written by its ends; a list of the ages that occur tells more."""
    path = coarse.out / "cells.parquet"
    table = pq.read_table(path).to_pydict()
    row = table["holds"].index("range")
    low, high = map(int, table["values"][row])
    table["values"][row] = [str(age) for age in range(low, high + 1)]
    table["holds"][row] = "set"
    write_table_again(path, table)
    found = look(coarse)
    assert "cells" in found["original"]
    assert "cells" in found["key"]


# --- what is invented ---------------------------------------------------------------------------------------------


def test_row_that_nobody_has(plant, coarse):
    """The exact age of one person goes to another row of the class: both are ranges, and the work is new there."""
    release = read(coarse)
    work = place_of(release, "work")
    cells = release.cells.copy()
    shown = {label: cell for cell, label in enumerate(release.domains[work].labels)}
    rows = np.flatnonzero(cells[:, work] == shown["Federal"])[:1]
    cells[rows, work] = shown["State"]
    found = plant(coarse, with_cells(release, cells))
    assert found["original"] & {"nothing invented", "everybody covered", "marginals"}
    assert found["key"] >= found["original"]


def test_combination_that_was_invented(plant, swapped):
    """Nobody who is his own master is a man here; work and sex are exchanged inside a bucket so that one is."""
    release = read(swapped)
    sex, work = place_of(release, "sex"), place_of(release, "work")
    assert any({sex, work} <= set(column) for column in release.columns)
    cells = release.cells.copy()
    row = int(np.argmax(cells[:, work] == cell_of(release, "work", "Self")))
    cells[row, sex] = cell_of(release, "sex", "m")
    found = plant(swapped, with_cells(release, cells))
    assert "nothing invented" in found["original"]


def test_value_given_to_one_more_person(plant, made):
    release = read(made)
    place = place_of(release, "illness")
    cells = release.cells.copy()
    row = int(np.argmax(cells[:, place] != cells[0, place]))
    cells[row, place] = cells[0, place]
    found = plant(made, with_cells(release, cells))
    assert "marginals" in found["original"]
    assert "content" in found["key"]


def test_row_left_out(plant, cut):
    release = read(cut)
    edges = release.bucket_offsets
    large = int(np.argmax(np.diff(edges)))
    assert np.diff(edges)[large] > 5
    keep = np.delete(np.arange(len(release)), edges[large])
    offsets = edges - (np.arange(len(edges)) > large)
    found = plant(
        cut,
        with_cells(replace(release, bucket_offsets=offsets, cells=release.cells[keep]), release.cells[keep]),
    )
    assert "number of rows" in found["original"]
    assert found["key"] & {"private readable", "key arrays", "persons"}


def test_columns_swapped(look, made):
    """Sex is called illness, and the other way round; the roles stay where they are."""
    path = made.out / "attributes.parquet"
    table = pq.read_table(path).to_pydict()
    one, two = table["name"].index("sex"), table["name"].index("illness")
    table["name"][one], table["name"][two] = "illness", "sex"
    write_table_again(path, table)
    assert "attributes" in look(made)["original"]


def test_parts_of_two_buckets_exchanged(plant, cut):
    """Every attribute keeps its values, and so does every column: only the key knows who stands in which bucket."""
    release = read(cut)
    column = next(list(column) for column in release.columns if place_of(release, "age") in column)
    edges = release.bucket_offsets.tolist()
    for first in range(release.buckets):
        for second in range(first + 1, release.buckets):
            cells = release.cells.copy()
            a, b = edges[first], edges[second + 1] - 1
            if (cells[a, column] != cells[b, column]).all():
                cells[[a, b]] = np.where(np.isin(np.arange(4), column), cells[[b, a]], cells[[a, b]])
                found = plant(cut, with_cells(release, cells))
                if found["original"] <= {"l-diversity by matching buckets"}:
                    assert found["key"] & {"content", "one bucket each"}
                    return
    pytest.fail("no two parts can be exchanged unseen")


# --- orders -------------------------------------------------------------------------------------------------------


def test_rows_in_input_order(plant, made):
    release = read(made)
    end = len(release) if not hasattr(release, "columns") else int(release.bucket_offsets[1])
    cells = release.cells.copy()
    column = list(range(4)) if not hasattr(release, "columns") else list(release.columns[0])
    cells[:end, column] = cells[:end, column][::-1]
    found = plant(made, replace(release, cells=cells))
    assert all("canonical order" in found[level] for level in LEVELS)


def test_buckets_in_input_order(plant, cut):
    release = read(cut)
    first, second, *rest = (release.cells[a:b] for a, b in pairwise(release.bucket_offsets.tolist()))
    cells = np.concatenate([second, first, *rest])
    offsets = np.cumsum([0, len(second), len(first), *map(len, rest)])
    found = plant(cut, replace(release, cells=cells, bucket_offsets=offsets))
    assert found["release"] == found["original"] == {"canonical order"}


def test_cells_in_input_order(plant, made):
    """Two cells of an attribute change their numbers everywhere."""
    release = read(made)
    place = place_of(release, "illness")
    domain = release.domains[place]
    order = np.arange(len(domain.labels))
    order[[0, 1]] = [1, 0]
    moved = replace(
        domain, labels=tuple(domain.labels[cell] for cell in order), members=domain.members[order].copy()
    )
    cells = release.cells.copy()
    cells[:, place] = order[cells[:, place]]
    other = (*release.domains[:place], moved, *release.domains[place + 1 :])
    found = plant(made, with_cells(replace(release, domains=other), cells))
    assert all("canonical order" in found[level] for level in LEVELS)


# --- the key ------------------------------------------------------------------------------------------------------


def edit_key(made, name, change):
    path = made.private / name
    table = pq.read_table(path)
    columns = table.to_pydict()
    change(columns)
    pq.write_table(pa.table(columns, schema=table.schema), path)


@pytest.fixture
def at_key(cloven):
    return lambda made: cloven(*made.level("key")).failed_checks


def test_key_rows_permuted(at_key, made):
    edit_key(made, "key.parquet", lambda columns: columns["record"].reverse())
    assert at_key(made) & {"content", "one bucket each"}


def test_key_with_somebody_twice(at_key, made):
    def twice(columns):
        columns["record"][0] = columns["record"][-1]

    edit_key(made, "key.parquet", twice)
    assert "persons" in at_key(made)


def test_key_with_a_part_of_nobody(at_key, made):
    def nobody(columns):
        columns["record"][0] = None

    edit_key(made, "key.parquet", nobody)
    assert "persons" in at_key(made)


def test_exchanges_that_are_not_marked(at_key, swapped):
    def unmark(columns):
        columns["attributes"] = [[] for _ in columns["attributes"]]

    edit_key(swapped, "changed.parquet", unmark)
    assert at_key(swapped) == {"content"}


def test_everything_marked_as_exchanged(at_key, swapped):
    """It would excuse any cell."""

    def mark(columns):
        columns["attributes"] = [[0, 1, 2, 3] for _ in columns["attributes"]]

    edit_key(swapped, "changed.parquet", mark)
    assert "changed cells" in at_key(swapped)


def test_exchange_that_left_its_rank_group(plant, swapped):
    """Two marked persons show values of another group: all counts stay as they were."""
    release = read(swapped)
    place = place_of(release, "work")
    marks = pq.read_table(swapped.private / "changed.parquet").to_pydict()["attributes"]
    moved = np.array([place in places for places in marks])
    assert moved.any(), "the swap rate selects no work"
    labels = np.array(release.domains[place].labels)[release.cells[:, place]]
    public = np.flatnonzero(moved & np.isin(labels, ("Federal", "State")))
    private = np.flatnonzero(moved & np.isin(labels, ("Private", "Self")))
    assert len(public)
    assert len(private)
    cells = release.cells.copy()
    cells[[public[0], private[0]], place] = cells[[private[0], public[0]], place]
    found = plant(swapped, replace(release, cells=cells))
    assert "changed cells" in found["key"]


def test_key_of_another_release_and_other_data(cloven, coarse, cut, tmp_path):
    other = tmp_path / "other.csv"
    lines = coarse.original.read_text().splitlines()
    other.write_text("\n".join([*lines[:-1], "33,Private,f,zoster"]) + "\n")
    ended = cloven("verify", coarse.out, "--original", other, "--schema", coarse.schema, "--json")
    assert {"marginals", "nothing invented"} <= ended.failed_checks
    known = ["--original", coarse.original, "--schema", coarse.schema]
    ended = cloven("verify", coarse.out, *known, "--private", cut.private, "--json")
    assert ended.code == 1
    assert ended.failed_checks & {"private readable", "receipt"}


def test_a_file_too_many_and_a_path_in_the_metadata(cloven, look, made):
    path = made.out / "attributes.parquet"
    table = pq.read_table(path).replace_schema_metadata({"made from": "/home/eve/patients.csv"})
    pq.write_table(table, path, use_dictionary=False, write_statistics=False, compression="zstd")
    assert all(found == {"parquet layout"} for found in look(made).values())
    shutil.copy(made.private / "key.parquet", made.out / "key.parquet")
    assert "files" in cloven("verify", made.out, "--json").failed_checks
