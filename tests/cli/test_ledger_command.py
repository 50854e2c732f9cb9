"""Earlier releases on the command line: the warning, the option, the list."""

from __future__ import annotations

import json
import os
import re
import shutil

import pytest

D = ("anonymise", "disassociation")
TODAY = r"\d{4}-\d{2}-\d{2}"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.delenv("CLOVEN_LEDGER", raising=False)
    monkeypatch.chdir(tmp_path)


def warned(ended) -> list[str]:
    return [line for line in ended.err.splitlines() if "published on" in line]


@pytest.fixture
def publish(cloven):
    """Make a release and publish it."""

    def run(*words: object) -> None:
        out, at = words[words.index("-o") + 1], words.index("--ledger") if "--ledger" in words else len(words)
        assert cloven(*D, *words[:at]).code == 0
        assert cloven("publish", out, "--anyway", *words[at:]).code == 0

    return run


def test_a_second_release_warns(cloven, publish, clinic):
    publish(clinic, "-k", 3, "-o", "spring")
    second = cloven(*D, clinic, "-o", "summer")
    assert second.code == 0
    (told,) = warned(second)
    assert re.match(rf"warning: this data set was published on {TODAY} with k=3 m=2 in spring: ", told)
    again = cloven(*D, clinic, "-k", 3, "-o", "again", "--json")
    assert again.err == ""
    assert [c for c in again.json["cautions"] if c.startswith("this very release was published on ")]


def test_a_part_of_the_data_warns_and_other_data_does_not(cloven, publish, clinic, tmp_path):
    lines = clinic.read_text().splitlines(keepends=True)
    (tmp_path / "first.csv").write_text("".join(lines[:700]))
    (tmp_path / "second.csv").write_text("".join(lines[300:]))
    (tmp_path / "third.csv").write_text("".join(lines[700:]))
    publish("first.csv", "-o", "a")
    (told,) = warned(cloven(*D, "second.csv", "-o", "b"))
    share = re.match(
        r"warning: (\d+\.\d) % of the records that stand out in this data were published on .* in a: ", told
    )
    assert float(share[1]) == pytest.approx(100 * 400 / 700, abs=4)
    shutil.rmtree("b.private")
    assert warned(cloven(*D, "third.csv", "-o", "c")) == []  # a is beside it


@pytest.mark.parametrize("how", ["option", "variable"])
def test_a_ledger_remembers_releases_elsewhere(cloven, publish, clinic, tmp_path, monkeypatch, how):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    options = ("--ledger", "kept") if how == "option" else ()
    if how == "variable":
        monkeypatch.setenv("CLOVEN_LEDGER", str(tmp_path / "kept"))
    publish(clinic, "-k", 3, "-o", "one/spring", *options)
    shutil.rmtree("one/spring.private")  # even then
    (told,) = warned(cloven(*D, clinic, "-o", "two/summer", *options))
    assert "with k=3 m=2 in one/spring: " in told
    found = cloven("ledger", "kept", "--json").json
    assert [release["place"] for release in found["releases"]] == ["kept/../one/spring"]


def test_a_ledger_that_cannot_be_written_is_refused_before_the_work(
    cloven, clinic, tmp_path, nothing_written
):
    (tmp_path / "file").write_text("")
    nothing_written()
    cloven("audit", clinic, "-o", "out", "--ledger", "file").refused(
        4, "file: the ledger cannot be written", "no folder"
    )


def test_the_list(cloven, publish, clinic):
    publish(clinic, "-k", 3, "-o", "spring")
    publish(clinic, "-o", "summer", "--release-format", "json")
    ended = cloven("ledger")
    assert ended.code == 0
    header, *rows = [line.split() for line in ended.out.splitlines()]
    assert header == [
        "made",
        "audited",
        "published",
        "method",
        "promise",
        "records",
        "items",
        "data",
        "place",
    ]
    assert [(row[3:6], row[-1]) for row in rows] == [
        (["disassociation", "k=3", "m=2"], "spring"),
        (["disassociation", "k=5", "m=2"], "summer.json"),
    ]
    assert rows[0][-2] == rows[1][-2]
    assert ended.err.startswith("warning: 2 releases of the data ")
    assert cloven("ledger", ".").out == ended.out


def test_the_list_as_json(cloven, clinic, tmp_path):
    cloven(*D, clinic, "-k", 3, "-o", "spring")
    (tmp_path / "bad.private").mkdir()
    (tmp_path / "bad.private" / "receipt.json").write_text("{}")
    ended = cloven("ledger", "--json")
    assert (ended.code, ended.err) == (0, "")
    (release,) = ended.json["releases"]
    assert (ended.json["skipped"], ended.json["unseen"]) == (1, 0)
    assert (release["place"], release["parameters"]["k"], release["records"]) == ("spring", 3, 1000)
    assert release["manifest_sha256"] != release["input_sha256"]
    assert "could not be read" in cloven("ledger").err


def test_nothing_to_list(cloven, tmp_path):
    ended = cloven("ledger")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("no release is known here")
    cloven("ledger", "nowhere").refused(3, "nowhere: is no folder")


@pytest.mark.skipif(os.name == "nt", reason="names that Windows does not allow")
def test_names_are_shown_harmlessly(cloven, publish, clinic):
    publish(clinic, "-k", 3, "-o", "a\x1b[2Jb")
    for ended in (cloven("ledger"), cloven(*D, clinic, "-o", "out")):
        assert "\x1b" not in ended.out + ended.err
        assert "a\\x1b[2Jb" in ended.out + ended.err


def test_nothing_of_it_is_published(publish, clinic, tmp_path):
    publish(clinic, "-o", "spring", "--ledger", "kept")
    receipt = json.loads((tmp_path / "spring.private" / "receipt.json").read_text())
    published = b"".join(path.read_bytes() for path in (tmp_path / "spring").iterdir())
    assert receipt["sketch"]["hashes"][:12].encode() not in published
    assert receipt["input_sha256"].encode() not in published
    assert receipt["release"]["released"][:10].encode() not in published
