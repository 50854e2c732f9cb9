"""``cloven audit --release TABLE --original FILE``: what it says, what it writes, and what it refuses."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from cloven.report import schema as document_schema

SCHEMA = '[columns]\nage = "quasi-identifier"\nsex = "quasi-identifier"\nillness = "sensitive"\n'


def write(path, columns, delimiter=","):
    with path.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle, delimiter=delimiter)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


@pytest.fixture
def columns():
    rng = np.random.default_rng(5)
    age = rng.integers(20, 60, 1600)
    return {
        "id": [f"P{number}" for number in range(1600)],
        "age": age.tolist(),
        "sex": rng.choice(["f", "m"], 1600).tolist(),
        "illness": rng.choice(["flu", "gout", "mumps", "ulcer", "zoster"], 1600).tolist(),
    }


@pytest.fixture
def published(columns):
    order = np.random.default_rng(6).permutation(1600)
    coarse = {**columns, "age": [f"[{age // 20 * 20}, {age // 20 * 20 + 20}[" for age in columns["age"]]}
    del coarse["id"]
    return {name: [values[at] for at in order] for name, values in coarse.items()}


@pytest.fixture
def files(tmp_path, columns, published):
    """Original, release and schema."""
    schema = tmp_path / "roles.toml"
    schema.write_text(SCHEMA)
    return write(tmp_path / "people.csv", columns), write(tmp_path / "made.csv", published, ";"), schema


def test_what_holds_is_published_once_the_roles_are_given(cloven, files, tmp_path):
    original, release, schema = files
    given = ("audit", "--release", release, "--original", original, "-o", tmp_path / "out")
    ended = cloven(*given, "--schema", schema, "--verbose")
    assert ended.code == 0, ended
    assert ended.out.startswith("PUBLISH   ")
    assert f"Release (to publish)            {release}    exit code 0\n" in ended.out
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["report.html"]
    assert sorted(path.name for path in (tmp_path / "out.private").iterdir()) == ["audit.json", "report.html"]


def test_roles_that_were_found_are_told_and_not_published_on(cloven, files, tmp_path):
    original, release, _ = files
    ended = cloven("audit", "--release", release, "--original", original, "--verbose", "-o", tmp_path / "out")
    assert ended.code == 1
    assert "age: quasi-identifier (" in ended.out
    assert "illness: sensitive (" in ended.out
    assert "What the columns are was found, not given" in ended.out
    assert "warning: roles of the columns were found" in ended.err
    assert "Release (not for publication)" in ended.out


def test_json_is_the_document_of_all_audits(cloven, files, tmp_path):
    original, release, schema = files
    ended = cloven(
        "audit", "--release", release, "--original", original, "--schema", schema, "--json", "--quick",
        "-o", tmp_path / "out",
    )  # fmt: skip
    found = ended.json
    pytest.importorskip("jsonschema").validate(found, document_schema())
    assert found["format"] == "cloven.audit/1"
    assert found["family"] == "tables"
    assert found["parameters"]["method"] == "as-published"
    assert found["parameters"]["k"] == found["sizes"][0]["size"]
    assert found["parameters"]["distinct l of illness"] == 5
    assert {"names left in", "known person", "a person's row"} <= {risk["threat"] for risk in found["risks"]}
    assert found["places"]["published"] == str(release)


def test_a_release_of_our_own_is_audited_from_its_folder(cloven, files, tmp_path):
    original, _, schema = files
    made = tmp_path / "ours"
    assert cloven("anonymise", "mondrian", original, "--schema", schema, "-k", 20, "-o", made).code == 0
    given = ("audit", "--release", made, "--original", original, "--schema", schema, "--quick", "--json")
    assert cloven(*given, "-o", tmp_path / "out").json["parameters"]["k"] >= 20
    cut = tmp_path / "cut"
    assert cloven("anonymise", "slicing", original, "--schema", schema, "-l", 3, "-o", cut).code == 0
    cloven("audit", "--release", cut, "--original", original, "-o", tmp_path / "no").refused(
        2, "cut into parts"
    )


def test_a_release_of_sets_is_refused(cloven, clinic, files, tmp_path):
    made = tmp_path / "sets"
    assert cloven("anonymise", "disassociation", clinic, "-o", made).code == 0
    cloven("audit", "--release", made, "--original", clinic, "-o", tmp_path / "no").refused(
        2, "holds sets of items", "cloven verify"
    )


HELD = ("--release", "made.csv", "--original", "people.csv")
# What the command line alone can get wrong, and one of each file that the reader refuses; others are in tests/unit.
REFUSED = {
    "no original": (("--release", "made.csv"), 2, ("give that with --original",)),
    "no release": (("--original", "people.csv"), 2, ("give --release too",)),
    "a file to anonymise": (("people.csv", *HELD), 2, ("people.csv is not anonymised",)),
    "a method": ((*HELD, "--methods", "mondrian"), 2, ("--methods says how a release is made",)),
    "k": ((*HELD, "-k", "5"), 2, ("says how a release is made",)),
    "swapped": (("--release", "people.csv", "--original", "fewer.csv"), 3, ("has 1,600 rows", "swapped")),
    "swapped, of the same length": (
        ("--release", "people.csv", "--original", "made.csv"), 3, ("of 'age' where the original", "swapped"),
    ),
    "empty release": (("--release", "empty.csv", "--original", "people.csv"), 3, ("empty.csv", "is empty")),
    "no such column": ((*HELD, "--schema", "wrong.toml"), 3, ("no column 'heigth'",)),
    "nothing known": ((*HELD, "--schema", "names.toml"), 3, ("shows no quasi-identifier of the schema (id)",)),
}  # fmt: skip


@pytest.mark.parametrize("fault", REFUSED)
def test_what_cannot_be_meant_is_refused_in_one_line(cloven, files, tmp_path, monkeypatch, columns, fault):
    arguments, code, words = REFUSED[fault]
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "fewer.csv", {name: values[:100] for name, values in columns.items()})
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "wrong.toml").write_text(SCHEMA + 'heigth = "quasi-identifier"\n')
    (tmp_path / "names.toml").write_text('[columns]\nid = "quasi-identifier"\n')
    before = sorted(tmp_path.rglob("*"))
    cloven("audit", *arguments, "-o", tmp_path / "out").refused(code, *words)
    assert sorted(tmp_path.rglob("*")) == before
