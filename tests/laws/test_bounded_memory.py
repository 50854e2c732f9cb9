"""Data that memory does not hold gives the release, the key and the receipt that it gives in memory."""

from __future__ import annotations

import contextlib
import random
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cloven as cv
from cloven.data.arrays import lexicographic_order, offsets_of
from cloven.kinds.disassociated.blocks.clusters import lists_of, rows_of
from cloven.kinds.disassociated.spilled.ordering import Order
from cloven.kinds.disassociated.spilled.pipeline import Pipeline
from cloven.kinds.disassociated.spilled.room import Room, Sizes
from cloven.kinds.disassociated.spilled.standing import StandingOut
from cloven.kinds.disassociated.words import summary
from cloven.reading.pieces import Pieces
from cloven.storage.fingerprint import sketch
from cloven.storage.receipt import read_receipt
from cloven.storage.shelf import Shelf


class TooLittleError(Exception):
    """The memory of a test does not do: said so, with how much would."""


WAYS = [
    {"small_clusters": "add", "rare_items": "withhold"},
    {"small_clusters": "suppress", "rare_items": "withhold", "m": 3},
    {"small_clusters": "remaining", "rare_items": "cluster", "reading": "strict"},
    {"small_clusters": "abandon", "tie_order": ("i2", "i1"), "m": 1},
    {"sensitive": {"i0"}, "utility_groups": (("i1", "i2"), ("ä",)), "horizontal": "hierarchical"},
    {"small_clusters": "suppress", "rare_items": "cluster", "max_cluster_size": None},
]
"""What there is to choose for data that is worked on in blocks."""


def made_within(folder, source, method, room, sizes=None):
    """Run it with this memory; what it made, after its own verification."""
    sizes = sizes or Sizes(clusters=3, rows=23)
    run = Pipeline(method, room, sizes, folder / "work", lambda _step, _share: None)
    try:
        made = run.run(source, folder / "out", folder / "out.private")
    except cv.ParameterError as error:
        if "allow at least" in str(error):
            raise TooLittleError(str(error)) from error
        raise
    verdict = run.verify(made, folder / "out", folder / "out.private")
    assert verdict.ok, str(verdict)
    return made


def same(folder, source, data, method, room, sizes=None):
    """The same release, key, receipt and figures as in memory, with the blocks that there was room for."""
    made = made_within(folder, source, method, room, sizes)
    wanted = made.method.anonymise(data)
    release = cv.read_release(folder / "out")
    assert release == wanted.release
    assert cv.read_key(folder / "out.private", release) == wanted.key
    cv.write_release(wanted, folder / "whole", original=data)
    one, two = (read_receipt(folder / f"{name}.private") for name in ("out", "whole"))
    for name in ("input_sha256", "counts", "sketch"):
        assert one[name] == two[name], name
    assert one["release"] | {"released": None} == two["release"] | {"released": None}
    assert made.figures == pytest.approx(summary(data, wanted))
    assert made.hashes is None or np.array_equal(made.standing_out(), data.standing_out())
    assert cv.verify_folder(folder / "out", original=data, private=folder / "out.private").ok
    return made


def written(folder, records):
    """A file of lines, and the data that it holds."""
    place = folder / "data.csv"
    place.write_text("".join(",".join(record) + "\n" for record in records), encoding="utf-8")
    how = {"format": "lines", "delimiter": ","}
    return Pieces.of(place, **how), cv.read(place, **how)


names = st.sampled_from([*(f"i{number}" for number in range(9)), "ä", "日本", "\U0001f600"])
many_records = st.lists(st.lists(names, max_size=6), min_size=8, max_size=90).filter(
    lambda records: sum(map(bool, records)) > 5
)
rooms = st.builds(
    Room,
    memory=st.just(10**9),
    piece=st.integers(5, 400),
    held=st.sampled_from([1, 200, 3_000, 10**6]),
    work=st.sampled_from([12_000, 20_000, 60_000, 10**8]),
)


ANY = (many_records, rooms, st.sampled_from(WAYS), st.integers(2, 4), st.integers(0, 30))


def the_same_in_any_memory(records, room, way, k, more):
    chosen = {"k": k, "max_cluster_size": 9, "block_records": 2 * k + more, "ignore_unknown": True} | way
    with tempfile.TemporaryDirectory() as place:
        source, data = written(Path(place), records)
        try:
            wanted = cv.Disassociation(**chosen).anonymise(data)
        except cv.ParameterError as error:
            with pytest.raises(cv.ParameterError, match=str(error).split(";")[0].replace("(", ".")):
                made_within(Path(place), source, cv.Disassociation(**chosen), room)
            return
        assert wanted.release.records
        if room.work == 10**8:
            same(Path(place), source, data, cv.Disassociation(**chosen), room)
            return
        with contextlib.suppress(TooLittleError):
            same(Path(place), source, data, cv.Disassociation(**chosen), room)


@settings(deadline=None, max_examples=25)
@given(*ANY)
def test_the_same_in_any_memory(records, room, way, k, more):
    the_same_in_any_memory(records, room, way, k, more)


@pytest.mark.slow
@settings(deadline=None, max_examples=400)
@given(*ANY)
def test_the_same_in_any_memory_for_long(records, room, way, k, more):
    the_same_in_any_memory(records, room, way, k, more)


def test_small_blocks_where_larger_ones_do_not_fit(tmp_path):
    rng = random.Random(3)
    records = [[f"i{rng.randint(0, 40)}" for _ in range(4)] for _ in range(300)]
    source, data = written(tmp_path, records)
    made = same(
        tmp_path, source, data, cv.Disassociation(k=3, max_cluster_size=10), Room(10**9, 300, 2_000, 30_000)
    )
    assert made.method.block_records < 150
    assert cv.read_release(tmp_path / "out").parameters["block_records"] == made.method.block_records


def test_equal_records_that_cannot_be_split_are_refused_with_what_would_do(tmp_path):
    source, _ = written(tmp_path, [["a", "b", "c"]] * 400)
    with pytest.raises(TooLittleError, match=r"cannot be split .* allow at least 420 MB"):
        made_within(tmp_path, source, cv.Disassociation(k=3), Room(10**9, 300, 2_000, 30_000))


lists = st.lists(st.lists(st.integers(0, 40), max_size=9), max_size=120)


@settings(deadline=None)
@given(lists, st.sampled_from([40, 200, 2_000, 10**6]), st.booleans())
def test_sorting_on_disk_is_sorting(rows, room, alike):
    """Also where lists begin alike, so that a range can only be divided by what follows."""
    rows = [[7] * 12 + row for row in rows] if alike else rows
    offsets = offsets_of(np.array([len(row) for row in rows], np.int64))
    values = np.array([value for row in rows for value in row], np.int32)
    with tempfile.TemporaryDirectory() as place:
        shelf = Shelf(Path(place, "rows"), 100)
        table = pa.table({"at": pa.array(np.arange(len(rows))), "list": lists_of(offsets, values)})
        for start in range(0, len(rows), 7):
            shelf.put(0, table.slice(start, 7))
        found = list(Order(Path(place), room, "list", 40).sorted(shelf, "range"))
        got = [at for each in found for at in each.column("at").to_pylist()]
        assert [path.name for path in Path(place).iterdir()] == []
    assert got == lexicographic_order(offsets, values).tolist()


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=60), st.sampled_from([1, 100, 10**6])
)
def test_a_shelf_gives_back_what_was_put_in_its_order(rows, held):
    with tempfile.TemporaryDirectory() as place:
        shelf = Shelf(Path(place, "shelf"), held)
        for start in range(0, len(rows), 5):
            part = rows[start : start + 5]
            table = pa.table({"value": pa.array([value for _, value in part], pa.int64())})
            shelf.scatter(np.array([number for number, _ in part], np.int64), table)
        for number in range(6):
            found = shelf.take(number)
            got = [] if found is None else found.column("value").to_pylist()
            assert got == [value for at, value in rows if at == number]
            assert shelf.rows.get(number, 0) == len(got)
        shelf.remove()
        assert list(Path(place).iterdir()) == []


@settings(deadline=None)
@given(st.lists(st.sets(names, min_size=1, max_size=5), min_size=1, max_size=60), st.integers(1, 9))
def test_who_stands_out_is_who_does_in_memory(records, step):
    data = cv.Transactions.from_records(records)
    order = lexicographic_order(data.offsets, data.codes)
    ranked = data.take(order)
    assert ranked.vocabulary == data.vocabulary
    found = StandingOut(data.vocabulary, 10**6)
    for start in range(0, len(data), step):
        bounds = ranked.offsets[start : start + step + 1]
        found.see(bounds - bounds[0], ranked.codes[bounds[0] : bounds[-1]])
    assert found.sketch().to_dict() == sketch(data).to_dict()
    assert np.array_equal(found.hashes(), data.standing_out())


def test_rows_of_lists_are_read_from_slices():
    table = pa.table({"list": lists_of(np.array([0, 2, 3, 6]), np.arange(6, dtype=np.int32))}).slice(1)
    offsets, values = rows_of(table.column("list"))
    assert offsets.tolist() == [0, 1, 4]
    assert values.tolist() == [2, 3, 4, 5]


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("work", [4 * 10**6, 10**9])
def test_bms_webview_2(tmp_path, data_dir, work):
    """77,512 sessions in blocks of 10,000 records, or of as few as a hundredth of the data needs."""
    source = data_dir / "transactions" / "BMS2.txt.gz"
    method = cv.Disassociation(block_records=10_000)
    made = same(
        tmp_path, Pieces.of(source), cv.read(source), method, Room(10**9, 1 << 16, 10**5, work),
        Sizes(256, 20_000),
    )  # fmt: skip
    assert made.figures["records"] == 77_512
