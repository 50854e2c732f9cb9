"""The pages of a Parquet file tell what it unpacks to, whatever its footer says."""

from __future__ import annotations

import io
import subprocess
import sys
import threading
from contextlib import suppress

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloven.intake.pages import (
    PagesError,
    TooLargeError,
    chunks_of,
    first_rows,
    pages_of,
    parquet_file,
    read_parquet,
)
from tests.effort import tries


def file_of(columns, **options) -> io.BytesIO:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, **options)
    return sink


@settings(max_examples=tries(60))
@given(
    rows=st.lists(st.tuples(st.lists(st.text(max_size=5), max_size=3), st.integers(0, 10**9)), max_size=40),
    dictionary=st.booleans(),
    statistics=st.booleans(),
    version=st.sampled_from(["1.0", "2.0"]),
    packing=st.sampled_from(["zstd", "snappy", "gzip", "none"]),
    group=st.sampled_from([3, 1000]),
    page=st.sampled_from([16, 1 << 20]),
)
def test_every_way_to_write_is_walked_and_read(rows, dictionary, statistics, version, packing, group, page):
    columns = {
        "items": pa.array([row[0] for row in rows], pa.list_(pa.string())),
        "n": pa.array([row[1] for row in rows], pa.int64()),
        "text": pa.array([str(row[1] % 3) for row in rows], pa.string()),
    }
    handle = file_of(
        columns,
        use_dictionary=dictionary,
        write_statistics=statistics,
        data_page_version=version,
        compression=packing,
        row_group_size=group,
        data_page_size=page,
    )
    metadata, chunks = parquet_file(handle).metadata, chunks_of(handle)
    for number in range(metadata.num_row_groups):
        for column in range(metadata.num_columns):
            chunk = metadata.row_group(number).column(column)
            found = pages_of(handle, chunks[number][column])
            assert found.values == chunk.num_values
            assert found.unpacked <= chunk.total_uncompressed_size  # which counts the headers too
            assert bool(found.dictionary) <= chunk.has_dictionary_page
    assert read_parquet(handle, 1 << 30).equals(pq.read_table(handle))
    plain = read_parquet(handle, 1 << 30, ["n"])
    assert plain.column_names == ["n"]


def test_many_references_to_one_long_text_are_refused_unread():
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 20_000, pa.int32()), pa.array(["x" * 100_000]))
    handle = file_of({"a": texts}, store_schema=False)
    assert len(handle.getvalue()) < 10_000
    with pytest.raises(TooLargeError, match="holds more than 100,000,000 bytes once unpacked"):
        read_parquet(handle, 100_000_000)


def test_few_references_to_a_long_text_are_read():
    """The bound by the dictionary is above the limit, what is there is not."""
    texts = pa.DictionaryArray.from_arrays(
        pa.array([0] + [1] * 20_000, pa.int32()), pa.array(["x" * 100_000, "y"])
    )
    lists = pa.ListArray.from_arrays(pa.array([0, 5, 20_001], pa.int32()), texts)
    handle = file_of({"a": lists}, store_schema=False)
    found = read_parquet(handle, 10_000_000)
    assert found.schema.field("a").type == pa.list_(pa.field("element", pa.string()))
    assert found.equals(pq.read_table(handle))


def test_packed_zeros_are_refused_by_their_pages():
    handle = file_of({"a": pa.array([0] * 3_000_000, pa.int64())}, use_dictionary=False, compression="zstd")
    assert len(handle.getvalue()) < 100_000
    with pytest.raises(TooLargeError):
        read_parquet(handle, 10_000_000)


@settings(max_examples=tries(300))
@given(data=st.data())
def test_damage_anywhere_is_one_error(data):
    content = bytearray(file_of({"a": [["x", "y"], ["x"]], "n": [1, 2]}, compression="zstd").getvalue())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with suppress(PagesError, TooLargeError):
        read_parquet(io.BytesIO(bytes(content)), 1 << 24)


def test_no_byte_of_the_footer_ends_the_process(tmp_path):
    """pyarrow 26 gives up on the whole process when it is asked for a column whose statistics do not fit."""
    handle = file_of(
        {"items": pa.array([["flu", None], [], None], pa.list_(pa.string()))}, store_schema=False
    )
    (tmp_path / "a.parquet").write_bytes(handle.getvalue())
    program = (
        "import io, sys\n"
        "from cloven.intake.pages import PagesError, TooLargeError, read_parquet\n"
        "content = open(sys.argv[1], 'rb').read()\n"
        "first = len(content) - 8 - int.from_bytes(content[-8:-4], 'little')\n"
        "refused = 0\n"
        "for at in range(first, len(content)):\n"
        "    for flipped in (1, 2, 16, 128):\n"
        "        changed = content[:at] + bytes([content[at] ^ flipped]) + content[at + 1 :]\n"
        "        try:\n"
        "            read_parquet(io.BytesIO(changed), 1 << 30)\n"
        "        except (PagesError, TooLargeError):\n"
        "            refused += 1\n"
        "print(refused)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "a.parquet")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) > 100


def test_rows_that_no_column_has_are_refused():
    """Asked for fewer than no rows, pyarrow ends the process; asked for billions it takes them at their word."""
    handle = file_of({"n": pa.array([1, 2, 3])}, store_schema=False)
    content = handle.getvalue()
    first = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    refused = 0
    for at in range(first, len(content) - 8):
        for other in (
            (5, 8) if content[at] == 6 else ()
        ):  # three, as Thrift writes it, becomes minus three, and four
            changed = content[:at] + bytes([other]) + content[at + 1 :]
            try:
                assert read_parquet(io.BytesIO(changed), 1 << 30).equals(pq.read_table(handle))
            except PagesError:
                refused += 1
    assert refused >= 6  # rows of the file, rows of its group, values of the column


class _Watched(io.BytesIO):
    """A file that keeps which threads read it."""

    readers: set[int]

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.readers = set()

    def read(self, size: int | None = -1) -> bytes:
        self.readers.add(threading.get_ident())
        return super().read(size)


def test_only_the_asking_thread_reads():
    # One of pyarrow's that lets go of the handle while Python ends would take the process with it.
    sink = io.BytesIO()
    pq.write_table(pa.table({name: [["a", "b"], ["c"]] * 5_000 for name in "vwxyz"}), sink)
    for read in (read_parquet, lambda handle, limit: first_rows(handle, 10, limit)):
        handle = _Watched(sink.getvalue())
        assert read(handle, 1 << 30) is not None
        assert handle.readers == {threading.get_ident()}


@pytest.mark.parametrize("limit", [1 << 30, 400_000])
def test_lists_of_repeated_texts_over_several_row_groups(limit):
    """Within a limit that only holds if texts are counted as they are, not as they might be."""
    table = pa.table({"items": [[f"name of an item {number % 7}", "x"] for number in range(3_000)]})
    handle = io.BytesIO()
    pq.write_table(table, handle, row_group_size=500)
    assert read_parquet(handle, limit).equals(table)
