"""Bad input: one line that names file, line and value, the documented exit code, and nothing written."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

D = ("anonymise", "disassociation")
GOOD = "flu,fever\n" * 10
LONG = ("--id-column", "id", "--item-column", "item")
NOISE = bytes(range(256)) * 8

# One of each way in which readers refuse; what each of them refuses is held in tests/unit/io and tests/unit/intake.
# file name, content, options, line (None: the whole file), words of the message
FILES = [
    ("blank.csv", b"\n \n\n", (), None, ("holds no items, only 3 empty records",)),
    ("binary.jsonl", NOISE, (), 1, ("binary file",)),
    ("binary.parquet", NOISE, (), None, ("cannot be read as Parquet",)),
    ("packed.csv.gz", b"\x1f\x8b\x08\x00abc", (), None, ("cannot be unpacked",)),
    ("wrong.csv", b"a;b\nc;d\n", ("--delimiter", ","), 1, ("most likely: --format lines --delimiter ';' ", "'a;b'")),
    ("no.csv", b"id,item\n1,a\n", (*LONG, "--person", "who"), None, ("no column 'who'", "'id', 'item'")),
    ("wide.csv", b"a,b\na,b,c\n", ("--max-record-length", "2"), 2, ("3 items", "--max-record-length 2", "'a,b,c'")),
    ("wide.csv", (",".join(f"i{n}" for n in range(100_001)) + "\n").encode(), (), 1, ("100,001 items", "100,000")),
    ("latin.csv", b"a,b\nx,caf\xe9\n", (), 2, ("not UTF-8", r"caf\\xe9")),
    ("deep.jsonl", b'["a"]\n' + b"[" * 100_000 + b"\n", (), 2, ("nested too deeply",)),
    ("bomb.csv.gz", gzip.compress(b"a,b\n" * 1000, mtime=0), ("--max-bytes", "1000"), None, ("more than 1,000 bytes",)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "options", "line", "words"), FILES)
@pytest.mark.parametrize("command", ["anonymise", "describe", "audit"])
def test_bad_files(cloven, tmp_path, nothing_written, command, name, content, options, line, words):
    path = tmp_path / name
    path.write_bytes(content)
    nothing_written()
    arguments = {
        "anonymise": (*D, path, "-o", tmp_path / "out"),
        "audit": ("audit", path, "-o", tmp_path / "out"),
    }
    place = f"{path}: " if line is None else f"{path}:{line}: "
    cloven(*arguments.get(command, (command, path)), *options).refused(3, place, *words)


# What typing gets wrong, and one wrong value that a method refuses; the others are held where methods are tested.
# options, words of the message
PARAMETERS = [
    (("-k", "1"), ("-k must be a whole number of at least 2", "got 1")),
    (("-k", "1.5"), ("'-k': must be a whole number, got '1.5'",)),
    (("-k", ""), ("'-k': must be a whole number, got ''",)),
    (("-k", "99999999999999999999"), ("'-k': must be from", "got 99999999999999999999")),
    (("-k", "11", "--max-cluster-size", "unlimited"), ("k = 11 needs at least 11 records, got 10",)),
    (("--max-cluster-size", "8"), ("--max-cluster-size must be a whole number of at least 9 (2k-1", "got 8")),
    (("--max-cluster-size", "abc"), ("--max-cluster-size must be a whole number up to", "'unlimited', got 'abc'")),
    (("--max-cluster-size", "9" * 30), ("--max-cluster-size must be", "'unlimited'")),
    (("--small-clusters", "drop"), ("'--small-clusters': must be one of add, abandon", "got 'drop'")),
    (("--small-clusters", "keep"), ("--small-clusters keep gives the promise up", "--allow-unsafe")),
    (("--block-records", "1"), ("--block-records must be a whole number of at least 10", "got 1")),
    (("--delimiter", "ab"), ("--delimiter must be one ASCII character", "'ab'")),
    (("--id-column", "id"), ("needs both --id-column and --item-column",)),
    (("--format", "json", "--delimiter", ","), ("format 'json' has no delimiter", "--format 'lines'")),
    (("--nonsense",), ("--nonsense",)),
    (("extra",), ("extra",)),
    (("-k",), ("-k",)),
]  # fmt: skip


@pytest.mark.parametrize(("options", "words"), PARAMETERS, ids=[" ".join(p[0])[:40] for p in PARAMETERS])
@pytest.mark.parametrize("command", [D, ("audit",)], ids=["anonymise", "audit"])
def test_wrong_parameters(cloven, tmp_path, nothing_written, command, options, words):
    (tmp_path / "good.csv").write_text(GOOD)
    nothing_written()
    cloven(*command, tmp_path / "good.csv", "-o", tmp_path / "out", *options).refused(2, *words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*D, "good.csv"), ("Missing option", "-o", "`cloven anonymise disassociation --help`")),
        ((*D, "-o", "out"), ("Missing argument", "FILE")),
        (("anonymise", "magic", "good.csv"), ("No such command 'magic'",)),
        (("conjure",), ("No such command 'conjure'", "`cloven --help`")),
        (("describe", "good.csv", "-k", "0"), ("-k must be at least 1",)),
        (("describe", "good.csv", "--rare", "-5"), ("'--rare': must be from 0",)),
        (("utility", "good.csv", "out", "--reconstructions", "x"), ("'--reconstructions': must be a whole number",)),
        (("reconstruct", "out", "-o", "w.jsonl", "--count", "0"), ("'--count': must be from 1",)),
        (("link", "made"), ("say what is known",)),
        (("link", "made", "--item", " "), ("--item must not be blank",)),
    ],
)  # fmt: skip
def test_wrong_usage(cloven, tmp_path, monkeypatch, nothing_written, arguments, words):
    monkeypatch.chdir(tmp_path)
    Path("good.csv").write_text(GOOD)
    nothing_written()
    cloven(*arguments).refused(2, *words)


def test_files_that_are_not_there(cloven, tmp_path, made, nothing_written):
    absent, folder, out = tmp_path / "absent.csv", tmp_path / "folder.csv", tmp_path / "new"
    folder.mkdir()
    nothing_written()
    for command in (("describe",), ("audit", "-o", out), (*D, "-o", out)):
        cloven(*command, absent).refused(3, f"{absent}: no such file")
        cloven(*command, folder).refused(3, f"{folder}: is a folder")
    cloven("utility", absent, made.out).refused(3, f"{absent}: no such file")
    cloven("verify", made.out, "--original", absent).refused(3, f"{absent}: no such file")
    cloven("verify", absent).refused(3, f"{absent}: cannot be read (No such file or directory)")
    cloven("verify", made.out, "--private", absent).refused(3, f"{absent}: cannot be read")
    for command in (("utility", made.original), ("link", "--item", "a"), ("reconstruct", "-o", out)):
        cloven(*command, absent).refused(3, f"{absent}: cannot be read (No such file or directory)")
        cloven(*command, made.original).refused(3, f"{made.original}: not valid JSON")
    for option in ("--sensitive", "--utility"):
        cloven(*D, made.original, "-o", out, option, absent).refused(3, f"{absent}: no such file")
    cloven("link", made.out, "--knows", absent).refused(3, f"{absent}: no such file")
    cloven("utility", made.original, made.out, "--taxonomy", absent).refused(3, str(absent))


def test_the_folder_of_an_audit_stands_for_its_release(cloven, clinic, tmp_path):
    assert cloven("audit", clinic, "--no-attack", "-o", tmp_path / "out").code == 1
    for command in (("verify",), ("utility", clinic), ("reconstruct", "-o", tmp_path / "w.jsonl")):
        assert cloven(*command, tmp_path / "out").code == 0
    assert cloven("count", tmp_path / "out", "asthma").code == 0
    (tmp_path / "out" / "published" / "manifest.json").unlink()
    assert cloven("verify", tmp_path / "out").code != 0


# content of the file, words of the message
GROUPS = [
    (b'{"a": ["flu"],\n "b": [}', ":2: not JSON"),
    (b"null", ": must be an object or a list of lists of item names (got 'null')"),
    (b'{"a": ["flu"], "b": [1]}', ": group 2 must be a list of item names (got '[1]')"),
    (b"[" * 100_000, ": not JSON that can be read"),
    (b"\n\xff", ":2: not UTF-8"),
]


@pytest.mark.parametrize(("content", "word"), GROUPS, ids=[word for _, word in GROUPS])
def test_bad_utility_groups(cloven, clinic, tmp_path, nothing_written, content, word):
    path = tmp_path / "groups.json"
    path.write_bytes(content)
    nothing_written()
    cloven(*D, clinic, "-o", tmp_path / "out", "--utility", path).refused(3, f"{path}{word}")


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("items.txt", b"", "holds no item"),
        ("items.txt", b"flu\n\xff\n", ":2: not UTF-8"),
        ("items.json", b'["a", 1]', "must be a list of item names"),
        ("items.json", b'["a"', ":1: not JSON"),
    ],
)
def test_bad_files_of_items(cloven, made, tmp_path, nothing_written, name, content, word):
    path = tmp_path / name
    path.write_bytes(content)
    nothing_written()
    cloven(*D, made.original, "-o", tmp_path / "new", "--sensitive", path).refused(3, str(path), word)
    cloven("link", made.out, "--knows", path).refused(3, str(path), word)


def test_lenient_reading_tells_what_it_left_out(cloven, tmp_path):
    (tmp_path / "data.csv").write_bytes(GOOD.encode() + b'"a"b\nflu,,fever\n\nx,caf\xe9\n')
    ended = cloven(*D, tmp_path / "data.csv", "-o", tmp_path / "out", "--lenient", "--json")
    assert ended.code == 0
    assert ended.json["records_read"] == 11
    first, second = ended.err.splitlines()
    assert "2 lines and 1 blank item left out (line 11: text after a closing quote" in first
    assert second.endswith("1 empty record left out")


def test_places_without_permission(cloven, clinic, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "data.csv").write_text(GOOD)
    closed.chmod(0)
    try:
        if os.access(closed, os.R_OK):
            pytest.skip("this user may read and write everywhere")
        cloven("describe", closed / "data.csv").refused(3, "Permission denied")
        cloven("verify", closed / "out").refused(3, "Permission denied")
        cloven(*D, clinic, "-o", closed / "out").refused(4, str(closed))
        closed.chmod(0o500)
        cloven(*D, clinic, "-o", closed / "out").refused(4, f"{closed}: no permission to write out there")
    finally:
        closed.chmod(0o700)
    assert [path.name for path in closed.iterdir()] == ["data.csv"]


def test_only_disassociation_has_a_way_with_rare_items(cloven, tmp_path):
    (tmp_path / "in.csv").write_text("1,a\n1,b\n2,a\n")
    for method in ("coat", "mondrian"):
        ended = cloven(
            "anonymise", method, tmp_path / "in.csv", "--rare-items", "list", "-o", tmp_path / "out"
        )
        told = "No such option: --rare-items: only disassociation has it; leave it out;"
        ended.refused(2, told, f"see `cloven anonymise {method} --help`\n")
    assert not (tmp_path / "out").exists()
