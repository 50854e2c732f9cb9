"""The private folder: key and receipt, read strictly against their release."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cloven.data.transactions import Transactions
from cloven.errors import ReleaseError
from cloven.storage.fingerprint import fingerprint
from cloven.storage.receipt import read_receipt
from cloven.storage.release import read_key, read_release, write_key
from tests.unit.io.by_hand import made_by_hand
from tests.unit.verify.keys import group


@pytest.fixture
def private(clinic, tmp_path):
    write_key(clinic.result, tmp_path / "private", manifest_sha256="0" * 64, original=clinic.original)
    return tmp_path / "private"


def test_columns_are_as_documented(private):
    items = ("items", pa.list_(pa.string()))
    expected = {
        "key.parquet": [
            ("record", pa.int64()),
            ("cluster", pa.int64()),
            ("joint", pa.int64()),
            ("chunk", pa.int32()),
            ("kind", pa.string()),
            ("row", pa.int64()),
            items,
        ],
        "records.parquet": [("record", pa.int64()), ("cluster", pa.int64()), ("person", pa.int64())],
        "suppressed.parquet": [("record", pa.int64()), items, ("reason", pa.string())],
    }
    for name, columns in expected.items():
        assert pq.read_table(private / name).schema == pa.schema(columns), name


def test_row_is_the_rank_in_its_chunk(private, clinic):
    table = pq.read_table(private / "key.parquet").to_pylist()
    for entry, number in zip(table, clinic.result.key.release_row.tolist(), strict=True):
        if entry["kind"] == "term":
            assert entry["row"] == 0
            assert set(entry["items"]) <= set(clinic.release.cluster(entry["cluster"]).term_chunk)
            continue
        chunks = (
            clinic.release.joint(entry["joint"]).shared_chunks
            if entry["kind"] == "shared"
            else clinic.release.cluster(entry["cluster"]).record_chunks
        )
        assert chunks[entry["chunk"]][entry["row"]] == tuple(entry["items"]) == clinic.release.row(number)


def test_suppressed_and_persons_come_back(tmp_path):
    made = made_by_hand(
        [{"a"}, {"a", "b"}, {"a"}],
        [group([0, 1, 2], [{"a"}], {"b"})],
        suppressed=[(1, ("z", "ü"), "rare item"), (7, ("q",), "small cluster"), (7, (), "rare item")],
        persons=[0, 0, 1],
    )
    write_key(made.result, tmp_path / "private", manifest_sha256="0" * 64)
    key = read_key(tmp_path / "private", made.release)
    assert key == made.result.key
    assert key.persons is not None
    assert key.suppressed_items == (("z", "ü"), ("q",), ())
    receipt = read_receipt(tmp_path / "private")
    assert receipt["input_sha256"] is None
    assert receipt["counts"] == {
        "published_records": 3,
        "suppressed_items": 3,
        "suppressed_parts": 3,
        "suppressed_records": 1,
    }


def _change(name, column, value):
    def change(folder):
        table = pq.read_table(folder / name)
        index = table.schema.get_field_index(column)
        values = [value, *table.column(column).to_pylist()[1:]]
        array = pa.array(values, table.schema.field(column).type)
        pq.write_table(table.set_column(index, column, array), folder / name)

    return change


FAULTS = {
    "rank beyond the chunk": _change("key.parquet", "row", 3),
    "chunk not there": _change("key.parquet", "chunk", 1),
    "chunk far away": _change("key.parquet", "chunk", 2**31 - 1),
    "cluster not there": _change("key.parquet", "cluster", 3),
    "no place": _change("key.parquet", "cluster", None),
    "two places": _change("key.parquet", "joint", 0),
    "unknown kind": _change("key.parquet", "kind", "x"),
    "unknown item": _change("key.parquet", "items", ["not there"]),
    "null record": _change("key.parquet", "record", None),
    "null item": _change("key.parquet", "items", [None]),
    "some persons": _change("records.parquet", "person", 3),
    "unknown cluster": _change("records.parquet", "cluster", 3),
    "file missing": lambda folder: (folder / "suppressed.parquet").unlink(),
    "folder missing": lambda folder: folder.rename(folder.with_name("elsewhere")),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_refused(private, clinic, fault):
    FAULTS[fault](private)
    with pytest.raises(ReleaseError, match=r"\.parquet: ") as caught:
        read_key(private, clinic.release)
    assert "\n" not in str(caught.value)


def test_null_reason_is_refused(tmp_path):
    made = made_by_hand([{"a"}], [group([0], [{"a"}])], suppressed=[(7, ("z",), "rare item")])
    write_key(made.result, tmp_path / "private", manifest_sha256="0" * 64)
    _change("suppressed.parquet", "reason", None)(tmp_path / "private")
    with pytest.raises(ReleaseError, match="reason"):
        read_key(tmp_path / "private", made.release)


def test_key_of_another_release(private, golden):
    other = made_by_hand([{"cough"}] * 2, [group([0, 1], [{"cough"}])]).release
    with pytest.raises(ReleaseError):
        read_key(private, other)
    with pytest.raises(ReleaseError):
        read_key(private, read_release(golden / "clinic"))


def test_a_release_out_of_order_has_no_key(private, clinic):
    release = clinic.release
    shuffled = replace(
        release, row_cluster=release.row_cluster[::-1].copy(), row_kind=release.row_kind[::-1].copy()
    )
    with pytest.raises(ReleaseError, match="canonical order"):
        read_key(private, shuffled)


def test_fingerprints_differ_when_data_differ():
    base = Transactions.from_records([["a", "b"], ["c"]])
    others = [
        Transactions.from_records([["a"], ["b", "c"]]),
        Transactions.from_records([["a", "b"], ["d"]]),
        Transactions.from_records([["c"], ["a", "b"]]),
        Transactions.from_records([["a", "bc"], ["bc"]]),
        replace(base, persons=np.array([0, 1])),
        replace(base, persons=np.array([0, 0])),
    ]
    prints = [fingerprint(data) for data in [base, *others]]
    assert len(set(prints)) == len(prints)
    assert fingerprint(Transactions.from_records([["b", "a", "a"], ["c"]])) == fingerprint(base)
    assert (
        fingerprint(base) == "cb2ce3d5812149490e42852fc41f580236c13097fb2a1bb42b7ffd45dcb3f608"
    )  # the same on every machine
