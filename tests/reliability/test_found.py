"""What campaigns have found: every input that once ended in something else than one line."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cloven as cv
from cloven.errors import InputError, ReleaseError
from cloven.relatedness.corpus import Corpus
from cloven.relatedness.spec import parse
from cloven.relatedness.vectors import cache_vectors
from cloven.storage.ledger import Ledger
from cloven.storage.publication import publish
from reliability.readers import _open_study

ITEMS = ["flu", "fever"]


def bad_utf8(kind: pa.DataType) -> pa.Array:
    """Texts that are not UTF-8, as only a damaged file has them."""
    texts = pa.array([b"flu", b"fe\x80ver"], pa.binary())
    return pa.Array.from_buffers(kind, len(texts), texts.buffers())


def test_texts_of_parquet_that_are_not_utf8(tmp_path):
    pq.write_table(pa.table({"a": bad_utf8(pa.string()), "b": ["x", "y"]}), tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"t\.parquet"):
        cv.read(tmp_path / "t.parquet")
    with pytest.raises(InputError, match="UTF"):
        cv.read_table(tmp_path / "t.parquet", cv.Schema.of(["a"], ["b"]))


def test_columns_of_one_name(tmp_path):
    lists = pa.array([["flu"], ["fever"]])
    pq.write_table(pa.Table.from_arrays([lists, lists], ["items", "items"]), tmp_path / "t.parquet")
    with pytest.raises(InputError, match="column 'items' stands twice"):
        cv.read(tmp_path / "t.parquet", column="items")


def test_a_member_of_a_zip_without_a_name(tmp_path):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("x", "flu")
    damaged = bytearray(sink.getvalue())
    lengths = damaged.index(b"PK\x01\x02") + 28  # of the name, and of what follows it, in the directory
    damaged[lengths], damaged[lengths + 2] = 0, 1
    (tmp_path / "notes.zip").write_bytes(damaged)
    with zipfile.ZipFile(tmp_path / "notes.zip") as archive:
        assert archive.namelist() == [""]
    with pytest.raises(InputError, match=r"notes\.zip"):
        list(cv.read_documents(tmp_path / "notes.zip"))


@pytest.mark.parametrize(
    "header", [b"{'descr': '<f4', 'shape': (2,", b"'", b"\xff", b"{'shape': " + b"(" * 200]
)
def test_headers_of_arrays_that_are_no_python(tmp_path, header):
    body = header.ljust(64, b" ")
    (tmp_path / "v.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(body).to_bytes(2, "little") + body)
    (tmp_path / "v.txt").write_text("\n".join(ITEMS))
    with pytest.raises(InputError, match=r"v\.npy"):
        parse(f"vectors:{tmp_path / 'v.npy'}").relate(ITEMS)
    with zipfile.ZipFile(tmp_path / "c.npz", "w") as archive:
        archive.write(tmp_path / "v.npy", "header.npy")
    with pytest.raises(InputError, match="not vectors of a corpus"):
        Corpus.load(tmp_path / "c.npz")


@pytest.mark.parametrize(
    "change", [{"sizes": []}, {"sizes": None}, {"source": None}, {"stamps": 1}, {"format": {}}, {"more": 1}]
)
def test_caches_of_vectors_whose_note_is_of_other_types(tmp_path, change):
    (tmp_path / "v.txt").write_text("flu 1 0\nfever 0 1\n")
    cache_vectors(tmp_path / "v.txt", tmp_path / "cache")
    note = next(file for file in (tmp_path / "cache").iterdir() if file.suffix == ".json")
    note.write_text(json.dumps({**json.loads(note.read_text()), **change}))
    with pytest.raises(InputError, match="cache"):
        parse(f"vectors:{tmp_path / 'cache'}").relate(ITEMS)


def test_vectors_of_a_corpus_beyond_what_floats_hold(tmp_path):
    documents = [["flu", "fever"], ["cough", "asthma"], ["illness", "flu"]] * 5
    corpus = Corpus.train(documents, dimensions=2, min_count=1)
    vectors = np.array(corpus.vectors)
    vectors[0, 0] = 1e38
    object.__setattr__(corpus, "vectors", vectors)
    corpus.save(tmp_path / "c.npz")
    with pytest.raises(InputError, match="the vectors are damaged"):
        Corpus.load(tmp_path / "c.npz")


@pytest.mark.parametrize("line", ["[" * 100_000, '{"a":' * 100_000])
def test_counts_without_end(tmp_path, line):
    header = {"format": "cloven.counts/1", "source": "x", "date": "", "documents": 9, "unlisted": "never"}
    (tmp_path / "c.jsonl").write_text(f"{json.dumps(header)}\n{line}\n")
    with pytest.raises(InputError, match=r"c\.jsonl:2: expected"):
        parse(f"ngd:{tmp_path / 'c.jsonl'}").relate(ITEMS)
    (tmp_path / "c.jsonl").write_text(f"{json.dumps({**header, 'documents': 10**30})}\n")
    with pytest.raises(InputError, match=r"c\.jsonl:1: expected"):
        parse(f"ngd:{tmp_path / 'c.jsonl'}").relate(ITEMS)


def test_guesses_with_two_columns_of_answers(tmp_path):
    from cloven.storage.guesses import read_answers

    answers = pa.array(["yes"])
    pq.write_table(pa.Table.from_arrays([answers, answers], ["answer", "answer"]), tmp_path / "a.parquet")
    with pytest.raises(ReleaseError, match="should be with one answer"):
        read_answers(tmp_path / "a.parquet", 1, ("yes",))


def test_clusters_of_nobody(tmp_path):
    data = cv.Transactions.from_records([["flu", "fever"], ["flu"], ["fever"]] * 4)
    cv.write_release(cv.Disassociation(k=3, m=2).anonymise(data), tmp_path / "out", original=data)
    table = pq.read_table(tmp_path / "out" / "clusters.parquet")
    empty = pa.array([0] * len(table), pa.int64())
    table = table.set_column(table.column_names.index("size"), "size", empty)
    pq.write_table(table, tmp_path / "out" / "clusters.parquet", store_schema=False)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    digest = hashlib.sha256((tmp_path / "out" / "clusters.parquet").read_bytes()).hexdigest()
    manifest["files"]["clusters.parquet"] = digest
    (tmp_path / "out" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ReleaseError, match=r"size should be 1, 2, \.\.\.; found '0'"):
        cv.read_release(tmp_path / "out")


def test_a_column_whose_values_begin_like_others(tmp_path):
    """Front coding: a value says in a byte that it begins with the megabyte before it."""
    texts = ["x" * 1_000_000 + str(number) for number in range(200)]
    table = pa.table({"id": list(range(200)), "item": texts})
    pq.write_table(
        table, tmp_path / "t.parquet", use_dictionary=False, column_encoding={"item": "DELTA_BYTE_ARRAY"}
    )
    with pytest.raises(InputError, match="once unpacked"):
        cv.read(tmp_path / "t.parquet", id_column="id", item_column="item")


def test_a_dot_in_a_name_hides_no_column_from_the_budget(tmp_path):
    once = pa.DictionaryArray.from_arrays(np.zeros(2000, np.int32), pa.array(["x" * 1_000_000]))
    table = pa.Table.from_arrays([pa.array(range(2000)), once], ["a.b", "i.t"])
    pq.write_table(table, tmp_path / "t.parquet", store_schema=False)
    with pytest.raises(InputError, match="once unpacked"):
        cv.read(tmp_path / "t.parquet", id_column="a.b", item_column="i.t")


def test_very_many_columns(tmp_path):
    names = [f"c{number}" for number in range(10_001)]
    pq.write_table(pa.Table.from_arrays([pa.array([1])] * len(names), names), tmp_path / "t.parquet")
    with pytest.raises(InputError, match="columns, more than 10,000"):
        cv.read(tmp_path / "t.parquet")


def test_an_honest_file_that_might_be_long_is_looked_into(tmp_path):
    """By its dictionary alone it could hold gigabytes; its first rows say what it is."""
    names = [f"product {number} of a long list" for number in range(30_000)]
    table = pa.table(
        {"order": np.arange(300_000) // 3, "product": [names[at % 30_000] for at in range(300_000)]}
    )
    pq.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(InputError, match="id_column='order', item_column='product'"):
        cv.read(tmp_path / "t.parquet")
    assert len(cv.read(tmp_path / "t.parquet", id_column="order", item_column="product")) == 100_000


def test_arrays_that_unpack_to_gigabytes(tmp_path):
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (67108864,), }".ljust(117) + b"\n"
    with (
        zipfile.ZipFile(tmp_path / "c.npz", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("vectors.npy", "w") as member,
    ):
        member.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
        member.writelines([bytes(1 << 20)] * 256)
    with pytest.raises(InputError, match="not vectors of a corpus") as found:
        Corpus.load(tmp_path / "c.npz")
    assert "500 times its size" in str(found.value.__cause__)


def test_a_key_that_stands_twice_among_very_many():
    from cloven.intake.trees import tree_of

    entries = ", ".join(f'"key {number}": 1' for number in range(200_000))
    with pytest.raises(ValueError, match="two entries are called 'key 199999'"):
        tree_of(f'{{{entries}, "key 199999": 2}}')


def test_a_name_of_very_many_parts_in_a_schema(tmp_path):
    (tmp_path / "s.toml").write_text("a" + ".a" * 20_000 + " = 1\n")
    with pytest.raises(InputError, match=r"s\.toml:1: a name of more than 64 parts"):
        cv.read_schema(tmp_path / "s.toml")


def test_groups_of_lists_in_a_manifest(tmp_path):
    data = cv.Transactions.from_records([["flu", "fever"], ["flu"], ["fever"]] * 4)
    cv.write_release(cv.Disassociation(k=3, m=2).anonymise(data), tmp_path / "out", original=data)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    manifest["parameters"]["utility_groups"] = [[[]]]
    (tmp_path / "out" / "manifest.json").write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n")
    assert "parameters" in {check.name for check in cv.verify_folder(tmp_path / "out").failures}


def test_what_is_not_ours_is_left_alone(tmp_path):
    from cloven.errors import OutputError
    from cloven.storage.checkpoint import Checkpoint
    from cloven.tuning.study import study_folder

    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "journal.log").write_text("my precious diary\n")
    study = study_folder(tmp_path / "study", {"data": "x"}, None)
    with pytest.raises(ReleaseError, match=r"is no study, but holds 'journal\.log'"), study:
        pass
    assert (tmp_path / "study" / "journal.log").read_text() == "my precious diary\n"
    for name in ("step-by-step", "journal.log"):
        (tmp_path / name / name).mkdir(parents=True)
        with pytest.raises(OutputError, match="is no unfinished audit"):
            Checkpoint.open(tmp_path / name, "ab" * 32, "settings")
        assert (tmp_path / name / name).is_dir()


def test_settings_are_told_in_one_order():
    """Python shows sets in another order in every process: a stopped audit began anew each time."""
    program = (
        "import cloven as cv; from cloven.audit.identity import identity;"
        " print(identity(cv.Audit(cv.Disassociation(k=3, sensitive=frozenset('abcdefgh')))))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(told) == 1


def test_a_cell_of_a_hierarchy_that_is_very_long(tmp_path):
    (tmp_path / "tree.csv").write_text(f"flu;{'x' * 200_000};any\n")
    with pytest.raises(InputError, match=r"tree\.csv: cannot read this as a taxonomy: field larger"):
        cv.read_taxonomy(tmp_path / "tree.csv")


def test_a_hierarchy_that_unpacks_to_gigabytes(tmp_path):
    with gzip.open(tmp_path / "tree.csv.gz", "wb", 6) as packed:
        packed.writelines([bytes(1 << 20)] * 128)
    with pytest.raises(InputError, match="more than 500 times its size"):
        cv.read_taxonomy(tmp_path / "tree.csv.gz")


def test_a_ledger_that_names_a_place_too_long_to_be_one(tmp_path):
    cv.write_release(cv.Disassociation(k=3).anonymise(cv.sample("clinic")), tmp_path / "out")
    publish(tmp_path / "out", tmp_path / "ledger", anyway=True)
    (file,) = (tmp_path / "ledger").iterdir()
    line = json.loads(file.read_text())
    file.write_text(json.dumps({**line, "place": "x" * 4000}) + "\n")
    told = Ledger.read(tmp_path / "ledger", tmp_path / "ledger").entries
    assert [entry.published is None for entry in told] == [False]


def test_a_cluster_of_millions_that_holds_a_few_rows():
    release = cv.Disassociation(k=3, rare_items="withhold").anonymise(cv.sample("clinic")).release
    claimed = replace(release, cluster_size=np.array([16_777_241, *release.cluster_size[1:]], np.int64))
    with pytest.raises(ReleaseError, match=r"says that it has 16,7\d\d,\d\d\d records, and holds"):
        cv.reconstruct(claimed, np.random.default_rng(0))


def test_a_cluster_that_says_it_is_empty_and_is_not():
    release = cv.Disassociation(k=3).anonymise(cv.Transactions.from_records([ITEMS] * 6)).release
    claimed = replace(release, cluster_size=np.zeros(release.clusters, np.int64))
    assert cv.candidates(claimed, ["flu"]).candidates == 0
    assert not cv.verify(claimed).ok


def test_an_array_whose_type_has_an_old_name(tmp_path):
    np.save(tmp_path / "v.npy", np.zeros((2, 3), np.float32))
    (tmp_path / "v.words.txt").write_text("flu\nfever\n", encoding="utf-8")
    content = (tmp_path / "v.npy").read_bytes()
    (tmp_path / "v.npy").write_bytes(content.replace(b"'<f4'", b"'|a4'"))
    with pytest.raises(InputError, match="matrix of floating-point numbers"):
        parse(f"vectors:{tmp_path / 'v.npy'}").relate(ITEMS)


def test_a_journal_in_which_a_broken_promise_is_a_word(tmp_path):
    _open_study(tmp_path / "s")
    journal = tmp_path / "s" / "journal.log"
    lines = []
    for line in journal.read_bytes().splitlines():
        entry = json.loads(line[65:])
        entry["system"] = dict.fromkeys(entry["system"], "many")
        body = json.dumps(entry, sort_keys=True).encode()
        lines.append(hashlib.sha256(body).hexdigest().encode() + b" " + body + b"\n")
    assert b"many" in lines[0]
    journal.write_bytes(b"".join(lines))
    assert _open_study(tmp_path / "s") == 3
    assert (tmp_path / "s" / "journal.log.damaged").read_bytes() == b"".join(lines)
