"""Releases with a root: a golden folder, no loss, and whatever is no root refused."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rooted_clinic import DATA, LISTED, METHOD

from cloven.data.transactions import Transactions
from cloven.errors import ReleaseError
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.disassociated.release import Joint
from cloven.storage.inspection import verify_folder
from cloven.storage.receipt import read_receipt
from cloven.storage.release import read_key, read_release, write_release

FOLDER = Path(__file__).resolve().parents[2] / "golden" / "disassociated"
CHUNKS = (
    (("arm",), ("arm", "cast"), ("arm", "cast"), ("arm", "cast")),
    (("cough",), ("cough", "flu"), ("cough", "flu"), ("cough", "flu")),
    (("eyes",), ("eyes",), ("eyes",)),
    (("gait", "hip"), ("gait", "hip"), ("gait", "hip"), ("hip",)),
    (("knee",), ("knee", "pain"), ("knee", "pain"), ("knee", "pain")),
)
ICE, SALT, TEA = ((("ice",),) * 4, (("salt",),) * 4, (("tea",),) * 3)
RARE = ("=1+1", "a\nb", 'fox, "red"', "naïve 🦊", "rash", "שלום")


@pytest.fixture(scope="module")
def data():
    return Transactions.from_records(map(sorted, DATA))


@pytest.mark.parametrize("name", ["clinic", "twin.json"])
def test_golden_release_is_read(name):
    release = read_release(FOLDER / name)
    assert (release.rare_items, release.may_be_empty, release.root) == ("withhold", True, 1)
    clusters = [(c.size, c.joint, c.record_chunks, c.term_chunk) for c in release.iter_clusters()]
    assert clusters == [(4, at, (rows,), ()) for at, rows in zip((0, 1, 1, 0, 1), CHUNKS, strict=True)]
    assert list(release.iter_joints()) == [Joint(1, (ICE,)), Joint(None, (SALT, TEA))]
    assert not set(RARE) & set(release.vocabulary)


def test_golden_list_is_read():
    release = read_release(FOLDER / "listed.json")
    assert (release.rare_items, release.may_be_empty, release.root) == ("list", False, 0)
    assert [cluster.record_chunks for cluster in release.iter_clusters()] == [(rows,) for rows in CHUNKS]
    assert list(release.iter_joints()) == [Joint(None, (ICE, SALT, TEA), RARE)]
    assert release.has_terms.all()


def test_golden_key_is_read():
    key = read_key(FOLDER / "clinic.private", read_release(FOLDER / "clinic"))
    withheld = {
        (int(record), item)
        for record, items in zip(key.suppressed_record, key.suppressed_items, strict=True)
        for item in items
    }
    assert withheld == {(n, item) for n, record in enumerate(DATA) for item in record if item in RARE}
    assert set(key.suppressed_reason) == {"rare"}
    assert 11 not in key.record  # nothing of this record is published
    assert 11 in key.records
    assert read_receipt(FOLDER / "clinic.private")["counts"]["suppressed_items"] == 7


def test_golden_folder_is_verified(data):
    verdict = verify_folder(FOLDER / "clinic", original=data, private=FOLDER / "clinic.private")
    assert verdict.ok, str(verdict)
    assert verdict.level == "key"


def test_the_method_still_makes_the_golden_releases(data):
    assert METHOD.anonymise(data).release == read_release(FOLDER / "clinic")
    assert LISTED.anonymise(data).release == read_release(FOLDER / "listed.json")


def test_what_is_withheld_is_in_no_published_file():
    whole = b"".join(path.read_bytes() for path in (FOLDER / "clinic").iterdir())
    whole += (FOLDER / "twin.json").read_bytes()
    assert b"salt" in whole
    for word in ("rash", "naïve 🦊", "=1+1", "שלום"):
        assert word.encode() not in whole


@pytest.mark.parametrize("rare", ["cluster", "withhold", "list"])
@pytest.mark.parametrize("format", ["parquet", "json"])
@pytest.mark.parametrize("persons", [False, True])
def test_what_is_written_is_read_back(tmp_path, data, rare, format, persons):
    if persons:
        who = np.arange(len(data)) % 17
        data = Transactions(data.offsets.copy(), data.codes.copy(), data.vocabulary, who)
    method = Disassociation(k=3, m=2, max_cluster_size=5, rare_items=rare, refine=True)
    made = method.anonymise(data)
    write_release(made, tmp_path / "out", original=data, format=format)
    place = tmp_path / ("out.json" if format == "json" else "out")
    release = read_release(place)
    assert release == made.release
    assert read_key(tmp_path / "out.private", release) == made.key
    assert (release.root < 0) == (rare == "cluster")
    verdict = verify_folder(place, original=data, private=tmp_path / "out.private")
    assert verdict.ok, str(verdict)


def _change(path, column, values):
    table = pq.read_table(path)
    at = table.schema.get_field_index(column)
    array = pa.array(values(table.column(column).to_pylist()), table.schema.field(column).type)
    pq.write_table(table.set_column(at, column, array), path)


def _append(path, **row):
    table = pq.read_table(path)
    pq.write_table(pa.concat_tables([table, pa.Table.from_pylist([row], table.schema)]), path)


def _edit(path, old, new):
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


def _row(cluster, joint):
    return {"cluster": cluster, "joint": joint, "chunk": 0, "kind": "term", "items": ["rash"]}


FAULTS = {
    "unknown way": (
        lambda f: _edit(f / "manifest.json", '"withhold"', '"hide"'),
        r"manifest\.json: rare_items should be withhold, list or cluster; found 'hide'",
    ),
    "list where rare items are withheld": (
        lambda f: _append(f / "chunks.parquet", **_row(None, 1)),
        r"chunks\.parquet: lists of terms should be one with rare_items list, else none",
    ),
    "list where there is no root": (
        lambda f: (
            _append(f / "chunks.parquet", **_row(None, 1)),
            _edit(f / "manifest.json", '"withhold"', '"cluster"'),
        ),
        r"chunks\.parquet: lists of terms should be absent: there is no root",
    ),
    "list below the root": (
        lambda f: (
            _append(f / "chunks.parquet", **_row(None, 0)),
            _edit(f / "manifest.json", '"withhold"', '"list"'),
        ),
        r"chunks\.parquet: the list of terms should be at the root",
    ),
    "two lists": (
        lambda f: (
            _append(f / "chunks.parquet", **_row(None, 1)),
            _append(f / "chunks.parquet", **_row(None, 1)),
            _edit(f / "manifest.json", '"withhold"', '"list"'),
        ),
        r"chunks\.parquet: lists of terms should be one",
    ),
    "term chunk of a cluster": (
        lambda f: _append(f / "chunks.parquet", **_row(0, None)),
        r"chunks\.parquet: term chunks of clusters should be absent with rare_items withhold; found '1'",
    ),
    "two roots": (
        lambda f: _change(f / "joints.parquet", "parent", lambda _: [None, None]),
        r"joints\.parquet: joints without a parent should be one, the root; found '2'",
    ),
    "no root": (
        lambda f: _change(f / "joints.parquet", "parent", lambda _: [1, 0]),
        r"joints\.parquet: joints without a parent should be one, the root; found '0'",
    ),
    "cluster outside the root": (
        lambda f: _change(f / "clusters.parquet", "joint", lambda rows: [None, *rows[1:]]),
        r"clusters\.parquet: clusters without a joint should be absent: the root is above all; found '1'",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_no_root_is_refused(tmp_path, fault):
    folder = shutil.copytree(FOLDER / "clinic", tmp_path / "out")
    plant, words = FAULTS[fault]
    plant(folder)
    with pytest.raises(ReleaseError, match=words) as caught:
        read_release(folder)
    assert "\n" not in str(caught.value)


def _document(name):
    return json.loads((FOLDER / name).read_text("utf-8"))


def _refused(document, place, words):
    place.write_text(json.dumps(document), "utf-8")
    with pytest.raises(ReleaseError, match=words):
        read_release(place)


def test_joints_have_a_list_of_terms(tmp_path):
    document = _document("twin.json")
    assert all(joint["term_chunk"] == [] for joint in document["joints"])
    for joint in document["joints"]:
        del joint["term_chunk"]
    words = re.escape("joints[0] should be an object with parent, shared_chunks, term_chunk")
    _refused(document, tmp_path / "out.json", words)


def test_json_with_what_is_no_root_is_refused(tmp_path):
    for change, words in (
        (lambda d: d["joints"][1].update(term_chunk=["rash"]), "lists of terms should be one"),
        (lambda d: d["clusters"][2].update(joint=None), "clusters without a joint should be absent"),
        (lambda d: d["joints"][1].update(term_chunk="rash"), "chunks of joint 1 should be non-empty lists"),
    ):
        document = _document("twin.json")
        change(document)
        _refused(document, tmp_path / "out.json", words)
