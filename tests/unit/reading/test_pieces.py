"""A file read piece by piece gives the records that reading it whole gives, and refuses what that refuses."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cloven as cv
from cloven.errors import InputError, ParameterError
from cloven.kinds.disassociated.spilled.gathering import gather
from cloven.kinds.disassociated.spilled.room import Room
from cloven.reading.pieces import Pieces


def in_pieces(place, size, **how):
    """Records as ``(number, items)``, and how many were empty."""
    with tempfile.TemporaryDirectory() as folder:
        data = gather(Pieces.of(place, **how), Room(10**9, size, 300, 10**8), Path(folder))
        names = data.names
        found = [
            (int(number), {names[code] for code in codes[start:end].tolist()})
            for record, offsets, codes in data.batches()
            for number, start, end in zip(record, offsets[:-1], offsets[1:], strict=True)
        ]
        sha256 = data.fingerprint()
        data.shelf.remove()
    return found, data.empty, sha256


def whole(place, **how):
    data = cv.read(place, **how)
    from cloven.storage.fingerprint import fingerprint

    records = [(int(row), set(record)) for row, record in zip(data.source_rows, data, strict=True)]
    return records, data.empty_records, fingerprint(data)


cells = st.text(st.sampled_from('ab ,;"\n\tä'), min_size=1, max_size=5).filter(
    lambda text: text.strip(" \n\t")
)
sizes = st.integers(1, 60)


def quoted(cell):
    return '"' + cell.replace('"', '""') + '"'


@settings(deadline=None)
@given(st.lists(st.lists(cells, max_size=4), min_size=1, max_size=12), sizes, st.booleans(), st.booleans())
def test_lines_with_quotes_and_line_ends_in_items(records, size, packed, ended):
    text = "\n".join(",".join(map(quoted, record)) for record in records) + "\n" * ended
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "data.csv.gz" if packed else "data.csv")
        place.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
        how = {"format": "lines", "delimiter": ","}
        if not any(records):
            with pytest.raises(InputError):
                in_pieces(place, size, **how)
            return
        assert in_pieces(place, size, **how) == whole(place, **how)


@pytest.mark.parametrize("size", [1, 7, 64, 10**6])
@pytest.mark.parametrize(
    ("name", "text", "how"),
    [
        ("fimi.dat", "1 2 3\n\n2 2 3\n4\n" * 9, {}),
        ("tabs.tsv", "a\tb c\nb c\n" * 9, {}),
        ("guessed.csv", "flu,fever\nflu,cough,rash\nfever,flu\n" * 20, {}),
        ("spmf.txt", "@CONVERTED\n1 -1 2 -1 -2\n3 -1 -2\n" * 9, {"format": "spmf"}),
        ("crlf.csv", "a,b\r\nb\r\n" * 9, {"format": "lines", "delimiter": ","}),
        ("bom.csv", "\ufeffa,b\nb,c\n", {"format": "lines", "delimiter": ","}),
        ("no-end.csv", "a,b\nb,c", {"format": "lines", "delimiter": ","}),
    ],
)
def test_files_of_lines(tmp_path, size, name, text, how):
    place = tmp_path / name
    place.write_bytes(text.encode())
    assert in_pieces(place, size, **how) == whole(place, **how)


rows = st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abcd")), min_size=1, max_size=60)


@settings(deadline=None)
@given(rows, sizes)
def test_long_tables_whatever_order_their_rows_have(found, size):
    how = {"id_column": "visit", "item_column": "drug"}
    with tempfile.TemporaryDirectory() as folder:
        text, columns = Path(folder, "visits.csv"), Path(folder, "visits.parquet")
        text.write_text("\nvisit,note,drug\n" + "".join(f'v{one},"x\n",{two}\n' for one, two in found))
        pq.write_table(
            pa.table({"visit": [one for one, _ in found], "drug": [two for _, two in found]}),
            columns,
            row_group_size=7,
        )
        assert in_pieces(text, size, **how, delimiter=",") == whole(text, **how, delimiter=",")
        assert in_pieces(columns, size, **how) == whole(columns, **how)


@settings(deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(["a", "b", "ä", "日本"]), max_size=4), min_size=1, max_size=40), sizes
)
def test_lists_of_parquet_in_a_file_and_in_a_folder(records, size):
    if not any(records):
        return
    with tempfile.TemporaryDirectory() as folder:
        table = pa.table({"items": pa.array(records, pa.list_(pa.string()))})
        place, parts = Path(folder, "data.parquet"), Path(folder, "parts")
        parts.mkdir()
        pq.write_table(table, place, row_group_size=5)
        half = len(records) // 2
        for number, part in enumerate((table.slice(0, half), table.slice(half))):
            pq.write_table(part, parts / f"part-{number}.parquet")
        (parts / "_SUCCESS").write_text("")
        wanted = whole(place)
        assert in_pieces(place, size) == wanted
        assert in_pieces(parts, size) == wanted


LINES = {"format": "lines", "delimiter": ","}
LONG = {"id_column": "id", "item_column": "item", "delimiter": ","}


@pytest.mark.parametrize("size", [1, 16, 1000])
@pytest.mark.parametrize(
    ("content", "how"),
    [
        (b"a,b\na,,b\n", LINES),
        (b"a,b\n" * 40 + b"\xff,a\n", LINES),
        (b'a,b\n"a,b\n' * 3, LINES),
        (b'a,b\na,b\n"a,b\n', LINES),
        (b"a,b\n" * 40 + b"a\0,b\n", LINES),
        (b"", LINES),
        (b"\n\n\n", LINES),
        (b"id,item\n1,a\n1\n", LONG),
        (b"id,item\n1,a\n ,b\n", LONG),
        (b"id,item\n1,a\n", LONG | {"item_column": "drug"}),
    ],
)
def test_what_is_wrong_is_told_as_of_the_whole_file(tmp_path, content, how, size):
    place = tmp_path / "a.csv"
    place.write_bytes(content)
    with pytest.raises(InputError) as wanted:
        whole(place, **how)
    with pytest.raises(InputError) as told:
        in_pieces(place, size, **how)
    assert str(told.value) == str(wanted.value)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [("a.json", b'[["a"]]', "is read whole"), ("a.parquet", b"PAR1 no", "cannot be read as Parquet")],
)
def test_other_files_are_refused(tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=said):
        in_pieces(tmp_path / name, 16)


@pytest.mark.parametrize("records", [[["a"], None], [["a", None]], [["a", " "]]])
def test_nulls_of_parquet_are_told_with_their_row(tmp_path, records):
    pq.write_table(
        pa.table({"items": pa.array([["a"]] * 9 + records, pa.list_(pa.string()))}),
        tmp_path / "a.parquet",
        row_group_size=3,
    )
    with pytest.raises(InputError, match=r"row (9|10): "):
        in_pieces(tmp_path / "a.parquet", 64)


@pytest.mark.parametrize("how", [{"person": "who"}, {"lenient": True}, {"item_delimiter": ";"}])
def test_what_does_not_work_in_pieces_is_refused(tmp_path, how):
    (tmp_path / "a.csv").write_text("a,b\n")
    with pytest.raises(ParameterError, match="does not work piece by piece"):
        Pieces.of(tmp_path / "a.csv", **how)


def test_a_folder_without_parquet_and_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="without Parquet files"):
        in_pieces(tmp_path, 64)
    with pytest.raises(InputError, match="no such file"):
        in_pieces(tmp_path / "absent.csv", 64, format="fimi")
    with pytest.raises(InputError, match="no such file"):
        in_pieces(tmp_path / "absent.parquet", 64)
