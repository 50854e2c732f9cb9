"""The Spark engine gives what memory gives, to the last row of the key, and refuses in words what it cannot.

The blocks that it finds are held against the local ones on many more data sets in ``laws/test_blocks_by_counting.py``,
and its verification by parts in ``unit/io/test_parts.py``: neither needs Spark.
"""

from __future__ import annotations

import gzip
import random
import stat
import subprocess
import sys

import pytest

import cloven as cv
from cloven.engines import Engine
from cloven.errors import InputError, OutputError, ParameterError
from cloven.kinds.disassociated.private_files import _private_counts
from cloven.storage.fingerprint import fingerprint, sketch
from cloven.storage.receipt import read_receipt

pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("ignore")]
LISTS = "items array<string>"


def random_records(seed, least=40, most=260):
    """Popular and rare items, repeated items, equal records, empty records, names beyond ASCII."""
    rng = random.Random(seed)
    names = [f"i{number}" for number in range(rng.randint(3, 20))] + ["ä", "日本", "a,b", "\U0001f600"]
    weights = [1 / (number + 1) for number in range(len(names))]
    lengths = (0, 1, 1, 2, 2, 3, 4, 6)
    return [rng.choices(names, weights, k=rng.choice(lengths)) for _ in range(rng.randint(least, most))]


def same(session, tmp_path, method, frame, data, engine=None, **columns):
    """Write with Spark; the release and the key that were read back are those of memory."""
    engine = engine or cv.Spark(session, part_clusters=4, part_rows=60)
    assert isinstance(engine, Engine)
    wanted = method.anonymise(data)
    engine.write(engine.anonymise(method, engine.read(frame, **columns)), tmp_path / "out")
    release = cv.read_release(tmp_path / "out")
    key = cv.read_key(tmp_path / "out.private", release)
    assert release == wanted.release
    assert key == wanted.key
    assert cv.verify_folder(tmp_path / "out", original=data, private=tmp_path / "out.private").ok
    receipt = read_receipt(tmp_path / "out.private")
    assert receipt["input_sha256"] == fingerprint(data)
    assert receipt["sketch"] == sketch(data).to_dict()
    assert receipt["counts"] == {**_private_counts(wanted.key), **data.read_counts}
    assert [place.name for place in tmp_path.glob(".cloven-*")] == []
    return release


WAYS = [
    {"small_clusters": "add", "rare_items": "withhold"},
    {"small_clusters": "suppress", "rare_items": "withhold", "m": 3},
    {"small_clusters": "remaining", "rare_items": "cluster", "reading": "strict"},
    {"small_clusters": "abandon", "tie_order": ("i2", "i1"), "m": 1},
    {"sensitive": {"i0"}, "utility_groups": (("i1", "i2"), ("ä",))},
    {"min_item_support": 6, "rare_items": "cluster"},
    {"min_item_support": 9, "small_clusters": "suppress"},
]


@pytest.mark.parametrize("seed", range(len(WAYS)))
def test_random_records_in_tiny_blocks(session, tmp_path, seed):
    records = random_records(seed)
    settings = {"k": 2 + seed % 3, "m": 2, "max_cluster_size": 12, "block_records": 14 + 5 * seed} | WAYS[
        seed
    ]
    method = cv.Disassociation(ignore_unknown=True, **settings)
    frame = session.createDataFrame([(record,) for record in records], LISTS)
    same(session, tmp_path, method, frame, cv.Transactions.from_records(records))


def test_partitions_and_order_change_nothing_that_is_published(session, tmp_path):
    """Other partitions, shuffled records: the same files to the byte."""
    records = random_records(7)
    method = cv.Disassociation(k=3, max_cluster_size=12, block_records=40)
    engine = cv.Spark(session, part_clusters=4, part_rows=60)
    shuffled = random.Random(1).sample(records, len(records))
    for name, rows, many in (("one", records, 1), ("two", shuffled, 5)):
        frame = session.createDataFrame([(record,) for record in rows], LISTS).repartition(many)
        engine.write(method.anonymise(frame, engine=engine), tmp_path / name)
    one, two = (
        {place.name: place.read_bytes() for place in (tmp_path / name).iterdir()} for name in ("one", "two")
    )
    assert one == two
    assert len(one) > 6


def test_long_rows_and_whole_numbers(session, tmp_path):
    """An id and an item column: records are numbered by their first row, as memory does it."""
    rng = random.Random(3)
    rows = [(f"v{rng.randint(0, 60)}", rng.choice([1, 1, 2, 3, 5, 8, 13])) for _ in range(260)]
    data = cv.from_frame(
        __import__("pyarrow").table({"visit": [row[0] for row in rows], "drug": [row[1] for row in rows]}),
        id_column="visit",
        item_column="drug",
    )
    frame = session.createDataFrame(rows, "visit string, drug int").coalesce(1)
    method = cv.Disassociation(k=3, max_cluster_size=10, block_records=20)
    same(session, tmp_path, method, frame, data, id_column="visit", item_column="drug")


def test_one_block_and_parts_of_the_usual_size(session, tmp_path):
    records = random_records(5)
    frame = session.createDataFrame([(record,) for record in records], LISTS)
    data = cv.Transactions.from_records(records)
    release = same(session, tmp_path, cv.Disassociation(k=3), frame, data, cv.Spark(session))
    assert {place.name for place in (tmp_path / "out").iterdir()} >= {
        "clusters-0.parquet",
        "chunks-0.parquet",
    }
    assert release.clusters > 1
    mode = stat.S_IMODE((tmp_path / "out.private").stat().st_mode)
    assert mode == 0o700
    assert all(stat.S_IMODE(place.stat().st_mode) == 0o600 for place in (tmp_path / "out.private").iterdir())


@pytest.mark.data
def test_bms_webview_2(session, tmp_path, data_dir):
    """77,512 sessions in blocks of 10,000, read from the file by Spark and in memory."""
    source = data_dir / "transactions" / "BMS2.txt.gz"
    method, data = cv.Disassociation(block_records=10_000), cv.read(source)
    engine = cv.Spark(session, part_clusters=256, part_rows=50_000)
    release = same(session, tmp_path, method, source, data, engine, format="spmf")
    assert release.records == len(data) == 77_512


def test_places_that_spark_would_take_for_patterns_are_refused(session, tmp_path):
    engine, frame = cv.Spark(session), session.createDataFrame([(["a"],)] * 9, LISTS)
    with pytest.raises(ParameterError, match="for a pattern"):
        engine.write(engine.anonymise(cv.Disassociation(), frame), tmp_path / "out[1]")
    assert list(tmp_path.iterdir()) == []


def test_lines_of_a_file(session, tmp_path):
    """In a folder with a name that would have to be escaped in a URL."""
    tmp_path = tmp_path / "of the clinic, 50 % für alle"
    tmp_path.mkdir()
    text = '\ufeffflu,fever\n\nflu,"a, b" , cough\nflu\nfever\n' * 1 + "flu,fever\ncough,flu\n" * 10 + "\n"
    place = tmp_path / "clinic.csv.gz"
    place.write_bytes(gzip.compress(text.encode()))
    data = cv.read(place, format="lines", delimiter=",")
    same(session, tmp_path, cv.Disassociation(k=2), place, data, format="lines", delimiter=",")


def test_the_engine_verifies_what_lies_in_one_file_too(session, tmp_path):
    result = cv.Disassociation(k=3).anonymise(cv.sample("clinic"))
    cv.write_release(result, tmp_path / "out")
    assert cv.Spark(session).verify(tmp_path / "out").ok
    (tmp_path / "out" / "note.txt").write_text("x")
    assert not cv.Spark(session).verify(tmp_path / "out").ok


@pytest.mark.parametrize(
    ("rows", "schema", "columns", "said"),
    [
        ([(None,), (["a"],)], LISTS, {}, "null where a list"),
        ([(["a", None],)], LISTS, {}, "null item"),
        ([(["a", " "],)], LISTS, {}, "blank item"),
        ([([],)], LISTS, {}, "no records with items"),
        ([([1.5],)], "items array<double>", {}, "must be text or integers, not double"),
        ([("a",)], "items string", {"column": "items"}, "must hold lists of items, not string"),
        ([("a",)], "items string", {}, "no column holds lists"),
        ([(["a"],)], LISTS, {"column": "drugs"}, "no column 'drugs'"),
        (
            [(None, "a")],
            "id string, item string",
            {"id_column": "id", "item_column": "item"},
            "null or blank",
        ),
        ([("v", None)], "id string, item string", {"id_column": "id", "item_column": "item"}, "null item"),
    ],
)
def test_bad_data_is_told_in_a_line(session, tmp_path, rows, schema, columns, said):
    engine = cv.Spark(session)
    with pytest.raises(InputError) as told:
        data = engine.read(session.createDataFrame(rows, schema), **columns)
        engine.write(engine.anonymise(cv.Disassociation(k=2), data), tmp_path / "out")
    assert said in str(told.value)
    assert "\n" not in str(told.value)
    assert list(tmp_path.iterdir()) == []


def test_too_few_records_and_places_that_exist(session, tmp_path):
    engine = cv.Spark(session)
    frame = session.createDataFrame([(["a"],)] * 3, LISTS)
    with pytest.raises(ParameterError, match="at least 5 records, got 3"):
        engine.write(engine.anonymise(cv.Disassociation(), frame), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError, match="exists already"):
        engine.write(engine.anonymise(cv.Disassociation(k=2), frame), tmp_path / "out")


def test_what_breaks_in_the_middle_leaves_nothing(session, tmp_path, monkeypatch):
    """The release fails its verification: neither folder is there, and no litter."""
    from cloven.verification.verdict import Check, Verdict

    broken = Verdict("release", (Check("planted", "release", False, 1, "planted"),))
    monkeypatch.setattr(cv.Spark, "_verified", lambda *_given: broken)
    engine = cv.Spark(session)
    frame = session.createDataFrame([(["a", "b"],)] * 9, LISTS)
    with pytest.raises(cv.GuaranteeError):
        engine.write(engine.anonymise(cv.Disassociation(k=3), frame), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_release_that_a_worker_spoils_is_refused_by_the_workers(session, tmp_path):
    """A part that is cut after writing is noticed by the verification on Spark."""
    engine = cv.Spark(session, part_clusters=4, part_rows=60)
    frame = session.createDataFrame([(record,) for record in random_records(9)], LISTS)
    engine.write(engine.anonymise(cv.Disassociation(k=3, max_cluster_size=12), frame), tmp_path / "out")
    assert engine.verify(tmp_path / "out").ok
    place = tmp_path / "out" / "chunks-1.parquet"
    place.write_bytes(place.read_bytes()[:-10])
    assert not engine.verify(tmp_path / "out").ok


def test_the_command_makes_what_the_local_command_makes(tmp_path):
    """A process of its own: it starts Spark, and says two lines and two places."""
    records = [record or ["i0"] for record in random_records(11)]
    lines = "".join(
        " ".join(sorted({name.replace(" ", "_") for name in record})) + "\n" for record in records
    )
    (tmp_path / "clinic.dat").write_text(lines, encoding="utf-8")
    command = [sys.executable, "-m", "cloven.cli", "anonymise", "disassociation", "clinic.dat", "-k", "3"]
    spark = ["-o", "far", "--engine", "spark", "--master", "local[2]", "--block-records", "30"]
    for more in (["-o", "near", "--block-records", "30"], spark):
        done = subprocess.run(
            [*command, *more], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=900
        )
        assert done.returncode == 0, done.stderr
    assert "published    far" in done.stdout
    near, far = (cv.read_release(tmp_path / name) for name in ("near", "far"))
    assert near == far
    near_key, far_key = (
        cv.read_key(tmp_path / f"{name}.private", release) for name, release in (("near", near), ("far", far))
    )
    assert near_key == far_key
