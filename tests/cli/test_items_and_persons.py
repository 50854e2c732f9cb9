"""Odd names, sensitive and rare items, persons with several records, and releases that are marked unsafe."""

from __future__ import annotations

import csv
import json
from collections import Counter

import pytest

from cloven.kinds.disassociated.release import Kind
from cloven.reading import read
from cloven.storage.release import read_release

D = ("anonymise", "disassociation")
ODD = [
    "plain", "comma, inside", 'quote " inside', "new\nline", "carriage\r\nreturn", "tab\tstop", " space around ",
    "semi;colon", "pipe|", "emoji 🩺", "عربي", "漢字", "\u00e9", "e\u0301", "\u202eright to left", "line\u2028end",
    "\x85next", "=1+1", "-1", "null", "NaN", "\\N", "\x1b[31mred", "[x]", '{"a": 1}', "\ufeffmark", "\U0010ffff",
    "a\x1cb", "x" * 3000, "#", "'",
]  # fmt: skip


def odd_records():
    """Every odd name in eight records or more, each beside another."""
    return [
        {name, ODD[(number + step) % len(ODD)]} for number, name in enumerate(ODD) for step in (1, 1, 2, 2)
    ]


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("release_format", ["parquet", "json"])
def test_any_name_survives_the_whole_way(cloven, tmp_path, ending, release_format):
    path, records = tmp_path / f"data.{ending}", odd_records()
    with path.open("w", newline="", encoding="utf-8") as handle:
        if ending == "csv":
            csv.writer(handle, quoting=csv.QUOTE_ALL).writerows(map(sorted, records))
        else:
            handle.writelines(json.dumps(sorted(record)) + "\n" for record in records)
    options = ("-k", 3, "--rare-items", "cluster", "--release-format", release_format)
    ended = cloven(*D, path, "-o", tmp_path / "out", *options, "--json")
    assert ended.code == 0, ended
    out = ended.json["published"]
    assert set(read_release(out).vocabulary) == set(ODD)
    assert cloven("verify", out, "--original", path, "--private", tmp_path / "out.private").code == 0
    assert cloven("reconstruct", out, "-o", tmp_path / "world.jsonl").code == 0
    world = [frozenset(json.loads(line)) for line in (tmp_path / "world.jsonl").read_text().split("\n")[:-1]]
    assert len(world) == len(records)
    assert set().union(*world) == set(ODD)
    assert list(read(tmp_path / "world.jsonl")) == world
    (tmp_path / "known.json").write_text(json.dumps(ODD[3:5]))
    assert cloven("link", out, "--knows", tmp_path / "known.json", "--json").json["unknown"] == []


def test_names_cannot_command_the_terminal(cloven, tmp_path):
    (tmp_path / "data.jsonl").write_text("".join(json.dumps([name, "common"]) + "\n" for name in ODD))
    ended = cloven("describe", tmp_path / "data.jsonl", "--rare", 100)
    assert ended.code == 0
    listed = ended.out.splitlines()[-1]
    assert listed.startswith("items held by fewer than k = 5")
    assert r"new\nline" in listed
    assert r"\x1b[31mred" in listed
    assert r"\u202eright to left" in listed
    assert "x" * 100 not in listed
    assert all(line.isprintable() for line in ended.out.splitlines())


def kinds_of(out, item):
    release = read_release(out)
    return {Kind(release.row_kind[row]) for row in range(release.rows) if item in release.row(row)}


def beside(out, item):
    """Items that stand in one row of a record or shared chunk with this one."""
    release = read_release(out)
    rows = [release.row(row) for row in range(release.rows) if release.row_kind[row] != Kind.TERM]
    return set().union(*(row for row in rows if item in row)) - {item}


def test_sensitive_items_are_cut_from_all_others(cloven, clinic, tmp_path):
    items = [name for name, _ in Counter(item for record in read(clinic) for item in record).most_common(2)]
    (tmp_path / "secret.txt").write_text(f"{items[0]}\n  {items[1]}\n")
    assert cloven(*D, clinic, "-o", tmp_path / "plain").code == 0
    named = ("--sensitive", tmp_path / "secret.txt")
    assert cloven(*D, clinic, "-o", tmp_path / "cluster", *named, "--rare-items", "cluster").code == 0
    ended = cloven(*D, clinic, "-o", tmp_path / "out", *named, "--json")
    assert (ended.code, ended.err) == (0, "")
    for item in items:
        assert Kind.RECORD in kinds_of(tmp_path / "plain", item)
        assert beside(tmp_path / "plain", item)
        assert kinds_of(tmp_path / "out", item) <= {Kind.TERM, Kind.SHARED}
        assert not beside(tmp_path / "out", item)
        assert kinds_of(tmp_path / "cluster", item) == {Kind.TERM}
    # Their names are not told as sensitive: only how many there are.
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["parameters"]["sensitive"] == 2


def test_sensitive_items_with_line_ends_can_be_named(cloven, tmp_path):
    (tmp_path / "data.jsonl").write_text(
        "".join(json.dumps(sorted(record)) + "\n" for record in odd_records())
    )
    (tmp_path / "secret.json").write_text(json.dumps(["new\nline", " space around "]))
    options = ("-k", 3, "--sensitive", tmp_path / "secret.json", "--rare-items", "cluster", "--json")
    ended = cloven(*D, tmp_path / "data.jsonl", "-o", tmp_path / "out", *options)
    assert (ended.code, ended.err) == (0, "")
    assert (
        kinds_of(tmp_path / "out", "new\nline") == kinds_of(tmp_path / "out", " space around ") == {Kind.TERM}
    )


@pytest.mark.slow
@pytest.mark.parametrize("command", [D, ("audit",)], ids=["anonymise", "audit"])
def test_named_items_that_are_not_in_the_data_are_told(cloven, clinic, tmp_path, command):
    (tmp_path / "secret.txt").write_text("asthma\nasthmma\nunicorn\n")
    (tmp_path / "groups.json").write_text('{"lungs": ["asthma", "cough"], "myths": ["unicorn"]}')
    named = ("--sensitive", tmp_path / "secret.txt", "--utility", tmp_path / "groups.json")
    ended = cloven(*command, clinic, "-o", tmp_path / "out", *named, "--json")
    assert ended.code == (0 if command == D else 1)  # clinic is not to be published as it is
    first, second = ended.err.splitlines()
    assert first.startswith(
        "warning: 2 of the 3 items of --sensitive are not in the data, the first is 'asthmma'"
    )
    assert second.startswith(
        "warning: 1 of the 3 items of --utility are not in the data, the first is 'unicorn'"
    )


def test_rare_items_are_dropped_and_only_the_owner_knows(cloven, clinic, tmp_path):
    ended = cloven(*D, clinic, "-o", tmp_path / "out", "--min-item-support", 5, "--json")
    assert ended.code == 0
    assert (ended.json["items"], ended.json["rare_items_published"]) == (423 - 79, 0)
    assert b"asbestos" not in b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    everything = ("--original", clinic, "--private", tmp_path / "out.private")
    assert cloven("verify", tmp_path / "out", *everything).code == 0


@pytest.fixture
def visits(tmp_path):
    """Sixty visits of twenty people; `rare` is in six visits of two people only, `common` in all."""
    rows = [(visit, visit % 20, item) for visit in range(60) for item in ("common", f"i{visit % 7}")]
    rows += [(visit, visit % 20, "rare") for visit in range(60) if visit % 20 < 2]
    path = tmp_path / "visits.csv"
    path.write_text("visit,who,item\n" + "".join(f"v{visit},p{who},{item}\n" for visit, who, item in rows))
    return path


COLUMNS = ("--id-column", "visit", "--item-column", "item")
PERSON = (*COLUMNS, "--person", "who")


def test_supports_count_persons(cloven, visits, tmp_path):
    alone, known = (cloven("describe", visits, *columns, "--json").json for columns in (COLUMNS, PERSON))
    assert (alone["persons"], alone["rare_item_names"]) == (None, [])
    assert (known["persons"], known["rare_item_names"]) == (20, ["rare"])
    assert "persons  " in cloven("describe", visits, *PERSON).out
    for out, columns, rare, kinds in (
        ("records", COLUMNS, "withhold", {Kind.RECORD}),
        ("persons", PERSON, "withhold", set()),
        ("cluster", PERSON, "cluster", {Kind.TERM}),
    ):
        options = ("-o", tmp_path / out, "--max-cluster-size", "unlimited", "--rare-items", rare)
        assert cloven(*D, visits, *columns, *options).code == 0
        assert kinds_of(tmp_path / out, "rare") == kinds


def test_verify_knows_persons_by_original_and_key(cloven, visits, tmp_path):
    assert cloven(*D, visits, *PERSON, "-o", tmp_path / "out").code == 0
    key = ("--private", tmp_path / "out.private")
    ended = cloven("verify", tmp_path / "out", "--original", visits, *PERSON, *key, "--json")
    assert ended.code == 0
    assert "persons in record chunks" in {check["name"] for check in ended.json["checks"]}
    # A release made without persons does not hold for persons, and only who knows them can see it.
    assert cloven(*D, visits, *COLUMNS, "-o", tmp_path / "naive", "--max-cluster-size", "unlimited").code == 0
    key = ("--private", tmp_path / "naive.private")
    assert cloven("verify", tmp_path / "naive", "--original", visits, *COLUMNS, *key).code == 0
    ended = cloven("verify", tmp_path / "naive", "--original", visits, *PERSON, *key, "--json")
    assert ended.code == 1
    assert "persons in record chunks" in ended.failed_checks


def test_more_k_than_persons(cloven, visits, tmp_path):
    many = ("-k", 21, "--max-cluster-size", "unlimited")
    cloven(*D, visits, *PERSON, "-o", tmp_path / "out", *many).refused(2, "needs at least 21 persons, got 20")


def test_audit_of_persons(cloven, visits, tmp_path):
    found = cloven("audit", visits, *PERSON, "-o", tmp_path / "out", "--no-attack", "--json").json
    assert found["data"]["persons"] == 20
    assert any("6 occurrences of items" in caution for caution in found["cautions"])
    assert any("20 persons are too few" in reason for reason in found["decision"]["reasons"])


def test_keep_is_marked_and_needs_to_be_allowed_everywhere(cloven, clinic, tmp_path, nothing_written):
    nothing_written()
    keep = (*D, clinic, "-o", tmp_path / "out", "--small-clusters", "keep")
    cloven(*keep).refused(2, "--allow-unsafe")
    cloven("audit", *keep[2:]).refused(2, "gives the promise up")


def test_keep_when_allowed(cloven, clinic, tmp_path):
    options = ("--small-clusters", "keep", "--max-cluster-size", 30, "--allow-unsafe")
    ended = cloven(*D, clinic, "-o", tmp_path / "out", *options)
    assert ended.code == 0
    assert "this release gives its promise up; do not publish it" in ended.err
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["unsafe"] is True
    assert cloven("verify", tmp_path / "out", "--json").failed_checks == {"cluster size", "not unsafe"}
    everything = ("--original", clinic, "--private", tmp_path / "out.private")
    assert cloven("verify", tmp_path / "out", *everything).code == 1
    assert cloven("verify", tmp_path / "out", *everything, "--allow-unsafe").code == 0
