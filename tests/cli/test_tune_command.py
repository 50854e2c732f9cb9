"""``cloven tune``: from a file to the chosen release, and how it ends when there is none."""

from __future__ import annotations

import json
import shutil
import stat

import pytest

SEARCH = (
    "--methods",
    "disassociation",
    "-k",
    3,
    "--vary",
    "max_cluster_size,safe",
    "--trials",
    3,
    "--seed",
    1,
)


@pytest.fixture(scope="module")
def small(clinic, tmp_path_factory):
    """The first 200 records of the sample."""
    path = tmp_path_factory.mktemp("small") / "small.csv"
    path.write_text("".join(clinic.read_text().splitlines(keepends=True)[:200]))
    return path


@pytest.mark.slow
def test_tune_tells_the_front_and_writes_the_chosen_release(cloven, small, tmp_path):
    out = tmp_path / "out"
    ended = cloven("tune", small, *SEARCH, "--max-risk", 0.9, "--max-tail", 1, "-o", out)
    assert ended.code == 0, ended
    assert "3 settings measured on all 200 records" in ended.out
    assert f"published    {out / 'published'}" in ended.out
    assert f"the search   {out}.study" in ended.out
    assert all(line.startswith("warning: ") for line in ended.err.splitlines())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.private", "out.study"]
    assert stat.S_IMODE((tmp_path / "out.study").stat().st_mode) == 0o700
    assert cloven("verify", out / "published", "--original", small, "--private", f"{out}.private").code == 0
    audit = json.loads((tmp_path / "out.private" / "audit.json").read_text())
    assert len(audit["outcomes"]) == 3  # the report compares with what was tried
    assert "safe=cover" in audit["setting"]


@pytest.mark.slow
def test_tune_as_json_goes_on_with_the_study(cloven, small, tmp_path):
    arguments = ("tune", small, *SEARCH, "--study", tmp_path / "study", "--json")
    first = cloven(*arguments, "--min-utility", 1, "-o", tmp_path / "one")
    assert first.code == 1
    assert first.json["satisfied"] is False
    assert first.json["audit"] is None
    assert first.json["places"] == {"study": str(tmp_path / "study")}
    second = cloven(*arguments, "--max-risk", 0.9, "--max-tail", 1, "-o", tmp_path / "two")
    assert second.code == 0
    assert second.json["satisfied"] is True
    assert [row["outcome"] for row in second.json["trials"]] == [
        row["outcome"] for row in first.json["trials"]
    ]
    assert second.json["audit"]["setting"] == second.json["published"]
    assert second.json["audit"]["decision"]["verdict"] == "publish"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["study", "two", "two.private"]


def test_no_setting_holds(cloven, small, tmp_path):
    ended = cloven(
        "tune", small, "-k", 3, "--vary", "refine", "--trials", 1, "--max-risk", 0, "-o", tmp_path / "out"
    )
    assert ended.code == 1
    assert "No setting of 1 satisfies the limits (risk up to 0.0 %" in ended.out
    assert "Nothing was written" in ended.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.study"]


@pytest.mark.slow
def test_an_earlier_release_of_the_same_people_speaks_against_the_chosen_one(cloven, small, tmp_path):
    assert cloven("anonymise", "disassociation", small, "-k", 4, "-o", tmp_path / "earlier").code == 0
    ledger = ("--ledger", tmp_path / "notes")
    assert cloven("publish", tmp_path / "earlier", "--anyway", *ledger).code == 0
    shutil.rmtree(tmp_path / "earlier.private")
    arguments = ("tune", small, *SEARCH, "--max-risk", 0.9, "--max-tail", 1, "-o", tmp_path / "out")
    ended = cloven(*arguments, *ledger)
    assert ended.code == 1
    assert "Do not publish this beside an earlier release" in ended.out
    assert "Nothing was written." in ended.out
    assert "was published on" in ended.err
    assert not (tmp_path / "out").exists()
    told = cloven(*arguments, *ledger, "--json")
    assert (told.code, told.json["published"]) == (1, None)
    assert told.json["audit"]["decision"]["verdict"] == "do not publish"
    assert cloven(*arguments).code == 0


def test_a_study_of_other_data_is_refused(cloven, small, clinic, tmp_path):
    study = ("--study", tmp_path / "study", "--trials", 1, "--vary", "refine", "--max-risk", 0)
    assert cloven("tune", small, *study, "-o", tmp_path / "a").code == 1
    cloven("tune", clinic, *study, "-o", tmp_path / "b").refused(3, "is the study of another data set")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--max-risk", 2), "--max-risk"),
        (("--trials", 0), "--trials"),
        (("--objective", "best"), "unknown objective 'best'; known are mean, threat, worst, worst-value"),
        (("--vary", "colour"), "cannot vary 'colour'"),
        (("--fix", "colour=1"), "'colour=1' in 'disassociation:colour=1' is no parameter of disassociation"),
        (("--fix", "refine"), "write name=value"),
        (("--fix", "max_cluster_size=3"), "--fix: "),
        (("--utility-measure", "magic", "--trials", 1), "no measure of utility 'magic'"),
    ],
)
def test_bad_wishes_are_refused(cloven, small, tmp_path, arguments, words):
    cloven("tune", small, *arguments, "-o", tmp_path / "out").refused(2, words)


def test_places_are_checked_first(cloven, small, tmp_path):
    (tmp_path / "out").mkdir()
    cloven("tune", small, "-o", tmp_path / "out").refused(4, "exists already")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


@pytest.mark.slow
def test_another_release_is_tried_at_every_setting(cloven, small, tmp_path):
    other = tmp_path / "other"
    cloven("anonymise", "disassociation", small, "-k", 3, "-m", 2, "-o", other)
    given = (*SEARCH, "--trials", 1, "--max-risk", 1, "--other-release", other)
    found = cloven("tune", small, *given, "-o", tmp_path / "out", "--json").json
    (trial,) = found["trials"]
    tried = {risk["threat"]: risk["not_tried"] for risk in trial["outcome"]["risks"]}
    assert tried["another release"] == ""
    cloven("tune", small, *SEARCH, "--other-release", tmp_path / "none", "-o", tmp_path / "o").refused(
        3, "name the folder or JSON file of a release"
    )
