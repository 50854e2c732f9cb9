"""A release folder: written and read without loss, always the same bytes, and read strictly."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloven.errors import ReleaseError
from cloven.kinds.disassociated.release import Disassociated
from cloven.storage.release import (
    json_bytes,
    parse_release,
    read_key,
    read_release,
    write_key,
    write_public,
    write_release,
)
from tests.effort import tries
from tests.unit.io.by_hand import made_by_hand
from tests.unit.verify.keys import group, join

NASTY = [
    "a\nb",
    '"',
    ",",
    "🦊",
    "\u0301",
    "\u202eabc",
    "שלום",
    "\0",
    "=1+1",
    "\rx",
    "null",
    "\ufeff",
    "a | b",
    " x",
]
ITEMS = (
    st.sampled_from(NASTY) | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)
).filter(str.strip)


@st.composite
def described(draw):
    """Records and, for every item, which chunk it goes to: 0, 1, the term chunk or a shared chunk."""
    items = draw(st.lists(ITEMS, min_size=1, max_size=8, unique=True))
    part = {item: draw(st.integers(0, 3)) for item in items}
    groups = draw(
        st.lists(st.lists(st.sets(st.sampled_from(items), min_size=1), min_size=1, max_size=4), max_size=4)
    )
    joints = draw(st.lists(st.none() | st.integers(0, 2), max_size=3))
    return (
        groups,
        part,
        [parent if parent is not None and parent < n else None for n, parent in enumerate(joints)],
    )


def planned(groups, part, parents):
    """The records, and what is published of them; a chunk that nobody has a part of is none."""
    chosen = [{item for item, at in part.items() if at == number} for number in range(4)]
    data, below = [], [[] for _ in parents or [None]]
    for number, records in enumerate(groups):
        held = set().union(*records)
        chunks = [items for items in chosen[:2] if items & held]
        # Without a joint there is no shared chunk to hold an item: it goes to the term chunk.
        terms = held & (chosen[2] if parents else chosen[2] | chosen[3])
        below[number % len(below)].append(
            group(list(range(len(data), len(data) + len(records))), chunks, terms)
        )
        data += records
    if not parents:
        return data, below[0]
    for number in reversed(range(len(parents))):
        if below[number]:
            own = [data[at] for plan in below[number] if not plan.children for at in plan.records]
            joined = join([chosen[3]] if chosen[3] & set().union(*own) else [], below[number])
            below[number] = []
            below[number if parents[number] is None else parents[number]].append(joined)
    return data, [plan for plans in below for plan in plans]


@settings(max_examples=tries(60), deadline=None)
@given(description=described(), persons=st.booleans(), unsafe=st.sampled_from([None, False, True]))
def test_written_then_read_is_equal(description, persons, unsafe):
    parameters = {"max_cluster_size": None, "ties": ["a", 1.5, None]}
    parameters |= {} if unsafe is None else {"unsafe": unsafe, "seeded": unsafe}
    data, plans = planned(*description)
    if not data:
        return
    who = [number // 2 for number in range(len(data))] if persons else None
    made = made_by_hand(data, plans, k=1, persons=who, **parameters)
    with TemporaryDirectory() as folder:
        place = Path(folder)
        digest = write_public(made.release, place / "out", "parquet")
        write_key(made.result, place / "out.private", manifest_sha256=digest, original=made.original)
        release = parse_release(place / "out")
        assert release == made.release
        assert read_key(place / "out.private", release) == made.result.key
        (place / "out.json").write_bytes(json_bytes(made.release))
        again = parse_release(place / "out.json")
    assert again == made.release
    for name in made.release.ARRAYS:
        wanted = getattr(made.release, name).dtype
        assert getattr(release, name).dtype == wanted == getattr(again, name).dtype, name


def test_two_writes_give_the_same_bytes(clinic, tmp_path):
    for name in ("one", "two"):
        write_release(clinic.result, tmp_path / name, original=clinic.original)
    for folder in ("{}", "{}.private"):
        files = sorted(path.name for path in (tmp_path / folder.format("one")).iterdir())
        assert len(files) == (4 if folder.endswith(".private") else 5)
        for file in files:
            one, two = (tmp_path / folder.format(name) / file for name in ("one", "two"))
            told = [path.read_bytes() for path in (one, two)]
            if file == "receipt.json":  # the owner's note of the day
                told = [re.sub(rb'"released": "[^"]+"', b"", content) for content in told]
            assert told[0] == told[1], file


def test_columns_are_as_documented(clinic, tmp_path):
    write_release(clinic.result, tmp_path / "out")
    items = pa.field("items", pa.list_(pa.string()))
    expected = {
        "clusters.parquet": [("cluster", pa.int64()), ("size", pa.int64()), ("joint", pa.int64())],
        "joints.parquet": [("joint", pa.int64()), ("parent", pa.int64())],
        "chunks.parquet": [
            ("cluster", pa.int64()),
            ("joint", pa.int64()),
            ("chunk", pa.int32()),
            ("kind", pa.string()),
            items,
        ],
    }
    for name, columns in expected.items():
        table = pq.read_table(tmp_path / "out" / name)
        assert table.schema == pa.schema(columns), name
        assert table.schema.metadata is None
    table = pq.read_table(tmp_path / "out" / "chunks.parquet").to_pylist()
    assert [row["cluster"] is None for row in table] == [row["kind"] == "shared" for row in table]
    assert [row["joint"] is not None for row in table] == [row["kind"] == "shared" for row in table]
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))
    assert manifest["counts"] == {
        "records": 11,
        "clusters": 3,
        "joints": 1,
        "items": 12,
        "rows": clinic.release.rows,
        "record_chunks": 3,
        "term_chunks": 3,
        "shared_chunks": 1,
        "oversize_clusters": 1,
    }


def test_the_checker_sees_rows_in_the_order_of_the_file_and_nobody_else_does(clinic, tmp_path):
    write_release(clinic.result, tmp_path / "out")
    path = tmp_path / "out" / "chunks.parquet"
    pq.write_table(pq.read_table(path)[::-1], path)
    release = parse_release(tmp_path / "out")
    assert [release.row(n) for n in range(release.rows)] == [
        clinic.release.row(n) for n in reversed(range(clinic.release.rows))
    ]
    with pytest.raises(ReleaseError, match=r"out: order of rows: row .* see `cloven verify`"):
        read_release(tmp_path / "out")


def test_more_rows_than_a_row_group(tmp_path, monkeypatch, clinic):
    monkeypatch.setattr("cloven.storage.parquet.ROW_GROUP", 3)
    write_release(clinic.result, tmp_path / "out", original=clinic.original)
    assert pq.ParquetFile(tmp_path / "out" / "chunks.parquet").num_row_groups == -(-clinic.release.rows // 3)
    release = read_release(tmp_path / "out")
    assert release == clinic.release
    assert read_key(tmp_path / "out.private", release) == clinic.result.key


def _change(path: Path, column: str, values, kind=None):
    table = pq.read_table(path)
    index = table.schema.get_field_index(column)
    array = pa.array(values(table.column(column).to_pylist()), kind or table.schema.field(column).type)
    pq.write_table(table.set_column(index, column, array), path)


FAULTS = {
    "chunks missing": lambda f: (f / "chunks.parquet").unlink(),
    "manifest missing": lambda f: (f / "manifest.json").unlink(),
    "not parquet": lambda f: (f / "joints.parquet").write_bytes(b"PAR1 nonsense PAR1"),
    "empty file": lambda f: (f / "joints.parquet").write_bytes(b""),
    "column missing": lambda f: _drop(f / "clusters.parquet", "size"),
    "column twice": lambda f: _twice(f / "clusters.parquet", "size"),
    "column of other type": lambda f: _change(f / "chunks.parquet", "chunk", list, pa.int64()),
    "null items": lambda f: _change(f / "chunks.parquet", "items", lambda rows: [[None], *rows[1:]]),
    "null list": lambda f: _change(f / "chunks.parquet", "items", lambda rows: [None, *rows[1:]]),
    "null size": lambda f: _change(f / "clusters.parquet", "size", lambda rows: [None, *rows[1:]]),
    "negative size": lambda f: _change(f / "clusters.parquet", "size", lambda rows: [-5, *rows[1:]]),
    "clusters out of order": lambda f: _change(f / "clusters.parquet", "cluster", lambda rows: rows[::-1]),
    "cluster not there": lambda f: _change(f / "chunks.parquet", "cluster", lambda rows: [9, *rows[1:]]),
    "joint not there": lambda f: _change(f / "clusters.parquet", "joint", lambda rows: [1, *rows[1:]]),
    "parent not there": lambda f: _change(f / "joints.parquet", "parent", lambda rows: [7]),
    "joint minus one": lambda f: _change(f / "clusters.parquet", "joint", lambda rows: [-1, *rows[1:]]),
    "record row without cluster": lambda f: _change(
        f / "chunks.parquet", "cluster", lambda rows: [None, *rows[1:]]
    ),
    "record row in a joint": lambda f: _change(f / "chunks.parquet", "joint", lambda rows: [0, *rows[1:]]),
    "kind unknown": lambda f: _change(f / "chunks.parquet", "kind", lambda rows: ["terms", *rows[1:]]),
    "kind null": lambda f: _change(f / "chunks.parquet", "kind", lambda rows: [None, *rows[1:]]),
    "newer format": lambda f: _edit(f, '"cloven.disassociated/1"', '"cloven.disassociated/3"'),
    "other format": lambda f: _edit(f, '"cloven.disassociated/1"', '"cloven.sliced/1"'),
    "no format": lambda f: (f / "manifest.json").write_text("[1, 2]"),
    "not JSON": lambda f: (f / "manifest.json").write_text("{"),
    "deep JSON": lambda f: (f / "manifest.json").write_text("[" * 100_000),
    "not UTF-8": lambda f: (f / "manifest.json").write_bytes(b'{"format": "\xff"}'),
    "key twice": lambda f: _edit(f, '"k": 2,', '"k": 2,\n  "k": 2,'),
    "field unknown": lambda f: _edit(f, '"k": 2,', '"k": 2, "author": "me",'),
    "k no number": lambda f: _edit(f, '"k": 2,', '"k": true,'),
    "k zero": lambda f: _edit(f, '"k": 2,', '"k": 0,'),
    "unsafe no boolean": lambda f: _edit(f, '"unsafe": false', '"unsafe": "no"'),
    "count NaN": lambda f: _edit(f, '"records": 11', '"records": NaN'),
    "hash no hash": lambda f: _edit(f, '"joints.parquet": "', '"joints.parquet": "x'),
    "marked in parameters": lambda f: _edit(
        f, '"max_cluster_size": 4', '"max_cluster_size": 4, "unsafe": true'
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_folder_is_refused_with_the_file_named(clinic, tmp_path, fault):
    folder = tmp_path / "out"
    write_release(clinic.result, folder)
    FAULTS[fault](folder)
    with pytest.raises(ReleaseError) as caught:
        read_release(folder)
    message = str(caught.value)
    assert re.search(r"out/(manifest\.json|\w+\.parquet): ", message), message
    assert "\n" not in message
    assert len(message) < 600


@pytest.mark.parametrize("path", ["absent", "absent.json"])
def test_a_place_without_release(tmp_path, path):
    with pytest.raises(ReleaseError, match="cannot be read"):
        read_release(tmp_path / path)


def test_invalid_utf8_in_a_parquet_file_is_refused(clinic, tmp_path):
    write_release(clinic.result, tmp_path / "out")
    path = tmp_path / "out" / "chunks.parquet"
    table = pq.read_table(path)
    lists = table.column("items").combine_chunks()
    binary = pa.array([value.encode() for value in lists.flatten().to_pylist()], pa.binary())
    spoilt = pa.array([b"\xff\xfe", *binary.to_pylist()[1:]], pa.binary())
    text = pa.Array.from_buffers(pa.string(), len(spoilt), spoilt.buffers())
    spoilt_lists = pa.ListArray.from_arrays(lists.offsets, text)
    pq.write_table(table.set_column(4, "items", spoilt_lists), path, store_schema=False)
    with pytest.raises(ReleaseError, match=r"chunks\.parquet"):
        read_release(tmp_path / "out")


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_any_flipped_byte_gives_a_release_or_a_release_error(clinic, tmp_path, every):
    write_release(clinic.result, tmp_path / "out")
    refused = 0
    path = tmp_path / "out" / "chunks.parquet"
    content = path.read_bytes()
    positions = range(0, len(content), every)
    for position in positions:
        path.write_bytes(content[:position] + bytes([content[position] ^ 0x41]) + content[position + 1 :])
        try:
            assert isinstance(read_release(tmp_path / "out"), Disassociated)
        except ReleaseError:
            refused += 1
    assert refused > len(positions) // 2


def test_reading_does_not_touch_the_key(golden):
    code = (
        "import sys; from pathlib import Path; from cloven.storage.release import read_release\n"
        f"[read_release(Path({str(golden)!r}) / name) for name in ('clinic', 'twin.json')]\n"
        "secret = ('cloven.kinds.disassociated.key', 'cloven.kinds.disassociated.private_files',"
        " 'cloven.kinds.generalised.key')\n"
        "sys.exit(any(name in sys.modules for name in secret))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_importing_is_light():
    code = "import sys, cloven.storage.release, cloven.storage.inspection; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_arrays_of_a_release_that_was_read_are_frozen(golden):
    release = read_release(golden / "clinic")
    with pytest.raises(ValueError, match="read-only"):
        release.cluster_size[0] = 1
    assert release.row_items.dtype == np.int32


def _drop(path: Path, column: str) -> None:
    pq.write_table(pq.read_table(path).drop_columns(column), path)


def _twice(path: Path, column: str) -> None:
    table = pq.read_table(path)
    pq.write_table(table.append_column(column, table.column(column)), path)


def _edit(folder: Path, old: str, new: str) -> None:
    path = folder / "manifest.json"
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")
