"""Writing is all or nothing: whatever goes wrong, no half release, and never one without its key."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cloven.errors import GuaranteeError, OutputError, ParameterError
from cloven.kinds.disassociated.key import Anonymised
from cloven.storage.release import places, write_release
from tests.unit.io.by_hand import made_by_hand
from tests.unit.verify.keys import group

TABLES = ["clusters", "joints", "chunks", "key", "records", "suppressed"]
ON_POSIX = pytest.mark.skipif(os.name == "nt", reason="POSIX modes, limits and signals")


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@ON_POSIX
def test_modes(clinic, tmp_path):
    before = os.umask(0o022)
    try:
        write_release(clinic.result, tmp_path / "out")
    finally:
        os.umask(before)
    modes = {p.relative_to(tmp_path).as_posix(): stat.S_IMODE(p.stat().st_mode) for p in tmp_path.rglob("*")}
    assert modes.pop("out") == 0o755
    assert modes.pop("out.private") == 0o700
    assert {mode for name, mode in modes.items() if name.startswith("out/")} == {0o644}
    assert {mode for name, mode in modes.items() if name.startswith("out.private/")} == {0o600}


@pytest.mark.parametrize("taken", ["out", "out.private"])
@pytest.mark.parametrize("as_link", [False, True])
def test_existing_output_is_refused(clinic, tmp_path, taken, as_link):
    if as_link:
        (tmp_path / taken).symlink_to("nowhere")
    else:
        (tmp_path / taken).mkdir()
    with pytest.raises(OutputError, match="exists already"):
        write_release(clinic.result, tmp_path / "out")
    assert left_in(tmp_path) == [taken]
    assert as_link or left_in(tmp_path / taken) == []


def test_what_does_not_verify_is_not_written(clinic, tmp_path):
    """A broken release, the key of another one, other data."""
    release, key, data = clinic.release, clinic.result.key, clinic.original
    broken = Anonymised(replace(release, cluster_size=np.ones_like(release.cluster_size)), key)
    wrong = Anonymised(release, replace(key, record_cluster=np.roll(key.record_cluster, 1)))
    fewer = data.take(np.arange(len(data) - 1))
    for result, original in ((broken, None), (wrong, data), (clinic.result, fewer)):
        with pytest.raises(GuaranteeError):
            write_release(result, tmp_path / "out", original=original)
        assert left_in(tmp_path) == []


def test_the_place_is_looked_at_before_the_long_work(clinic, tmp_path, monkeypatch):
    monkeypatch.setattr("cloven.verification.verify", lambda *args, **options: pytest.fail("verified first"))
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError, match="exists already"):
        write_release(clinic.result, tmp_path / "out")


@pytest.mark.parametrize("mark", ["unsafe", "seeded"])
def test_marked_releases_need_permission(clinic, tmp_path, mark):
    marked = replace(clinic.release, parameters={**clinic.release.parameters, mark: True})
    result = Anonymised(marked, clinic.result.key)
    with pytest.raises(GuaranteeError, match=mark):
        write_release(result, tmp_path / "out")
    assert left_in(tmp_path) == []
    write_release(result, tmp_path / "out", **{f"allow_{mark}": True})
    assert left_in(tmp_path) == ["out", "out.private"]


@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("table", TABLES)
def test_failure_while_writing_a_table_leaves_nothing(clinic, tmp_path, monkeypatch, table, failure):
    import pyarrow.parquet as pq

    write = pq.ParquetWriter.write_table

    def fail(writer, *args, **kwargs):
        if Path(writer.where.name).stem == table:
            raise failure
        write(writer, *args, **kwargs)

    monkeypatch.setattr(pq.ParquetWriter, "write_table", fail)
    expected = OutputError if isinstance(failure, OSError) else KeyboardInterrupt
    with pytest.raises(expected) as caught:
        write_release(clinic.result, tmp_path / "out")
    assert left_in(tmp_path) == []
    assert expected is KeyboardInterrupt or "out: cannot be written (No space left" in str(caught.value)


SETTLING = {"parquet": 15, "json": 10}  # a flush per file and built folder, then twice a rename and a flush


@ON_POSIX
@pytest.mark.parametrize(
    ("form", "call"), [(form, n) for form, calls in SETTLING.items() for n in range(calls)]
)
def test_failure_of_any_flush_or_rename_leaves_nothing(clinic, tmp_path, monkeypatch, form, call):
    """Every call that settles something on disk fails in turn; the last come after the first rename."""
    calls = []

    def failing(real):
        def wrapped(*args, **kwargs):
            calls.append(real)
            if len(calls) == call + 1:
                raise OSError(errno.EIO, "Input/output error")
            return real(*args, **kwargs)

        return wrapped

    monkeypatch.setattr(os, "fsync", failing(os.fsync))
    monkeypatch.setattr(Path, "rename", failing(Path.rename))
    with pytest.raises(OutputError, match="Input/output error"):
        write_release(clinic.result, tmp_path / "out", format=form)
    assert left_in(tmp_path) == []


@ON_POSIX
@pytest.mark.parametrize("form", SETTLING)
def test_the_test_above_knows_all_calls(clinic, tmp_path, monkeypatch, form):
    calls = []
    fsync, rename = os.fsync, Path.rename
    monkeypatch.setattr(os, "fsync", lambda descriptor: calls.append("fsync") or fsync(descriptor))
    monkeypatch.setattr(Path, "rename", lambda path, target: calls.append("rename") or rename(path, target))
    write_release(clinic.result, tmp_path / "out", format=form)
    assert len(calls) == SETTLING[form]
    assert calls[-4:] == ["rename", "fsync", "rename", "fsync"]
    assert "rename" not in calls[:-4]


@pytest.mark.parametrize("failure", [OSError(errno.EACCES, "Permission denied"), KeyboardInterrupt()])
def test_failure_of_the_second_rename_undoes_the_first(clinic, tmp_path, monkeypatch, failure):
    rename = Path.rename
    seen = []

    def fail(path, target):
        if path.name == "out":
            seen.append(left_in(tmp_path))
            raise failure
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises((OutputError, KeyboardInterrupt)):
        write_release(clinic.result, tmp_path / "out")
    assert "out.private" in seen[0]
    assert left_in(tmp_path) == []


def test_a_folder_that_appears_meanwhile_is_kept(clinic, tmp_path, monkeypatch):
    rename = Path.rename

    def meanwhile(path, target):
        if path.name == "out.private" and path.parent != tmp_path:
            (tmp_path / "out").mkdir()
            (tmp_path / "out" / "theirs").write_text("theirs")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", meanwhile)
    with pytest.raises(OutputError, match="exists already"):
        write_release(clinic.result, tmp_path / "out")
    assert left_in(tmp_path) == ["out"]
    assert left_in(tmp_path / "out") == ["theirs"]


def test_half_characters_are_refused(tmp_path):
    made = made_by_hand([{"a", "b\udc80"}] * 2, [group([0, 1], [{"a", "b\udc80"}])])
    with pytest.raises(OutputError, match="no valid Unicode"):
        write_release(made.result, tmp_path / "out")
    assert left_in(tmp_path) == []


def test_places():
    assert places(Path("a/b")) == (Path("a/b"), Path("a/b.private"))
    assert (
        places(Path("a/b.json"), "json")
        == places(Path("a/b"), "json")
        == (Path("a/b.json"), Path("a/b.private"))
    )
    assert places(Path("v1.0")) == (Path("v1.0"), Path("v1.0.private"))
    for nameless in (".", "..", "/"):
        with pytest.raises(OutputError):
            places(Path(nameless))
    with pytest.raises(ParameterError, match="parquet, json"):
        places(Path("a"), "xml")


@pytest.mark.parametrize(
    "parameters", [{}, {"method": 3}, {"method": "x", "a": (1, 2)}, {"method": "x", "a": float("nan")},
                   {"method": "x", "a": np.int64(3)}, {"method": "x", "unsafe": 1}]
)  # fmt: skip
def test_parameters_must_be_plain(clinic, tmp_path, parameters):
    result = Anonymised(replace(clinic.release, parameters=parameters), clinic.result.key)
    with pytest.raises(ParameterError):
        write_release(result, tmp_path / "out", allow_unsafe=True)
    assert left_in(tmp_path) == []
