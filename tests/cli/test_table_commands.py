"""``cloven anonymise mondrian|slicing|ul|...``, and what the other commands do with published tables."""

from __future__ import annotations

import csv

import pytest

from cloven.storage.release import read_release

METHODS = {
    "mondrian": ("-k", 5, "-l", 3),
    "slicing": ("-k", 5, "-l", 3, "--companions", 0),
    "ul": ("-k", 5, "-l", 3, "--swap-rate", 0.1),
    "anatomy": ("-l", 3),
    "diffgen": ("--eps", 1.5, "--specialisations", 3, "--domains", "from-data"),
}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_writes_what_verifies(cloven, people, schema, tmp_path, method):
    out = tmp_path / "out"
    ended = cloven("anonymise", method, people, "--schema", schema, *METHODS[method], "-o", out, "--json")
    assert ended.code == 0, ended.err
    assert ended.json["groups"] > 1
    assert read_release(out).parameters["method"] == method
    given = ["--original", people, "--schema", schema]
    for level in ([], given, [*given, "--private", tmp_path / "out.private"]):
        checked = cloven("verify", out, *level)
        assert checked.code == 0, checked.out
        assert checked.out.startswith("promises: ")


def test_what_is_said(cloven, people, schema, tmp_path):
    ended = cloven(
        "anonymise", "mondrian", people, "--schema", schema, "-k", 5, "-l", 2, "-o", tmp_path / "out"
    )
    assert "verified with the original and the key" in ended.out
    seeded = cloven(
        "anonymise", "ul", people, "--schema", schema, "-l", 2, "--seed", 1, "-o", tmp_path / "two"
    )
    assert "drawn with a seed" in seeded.err
    assert cloven("verify", tmp_path / "two").code == 1
    assert cloven("verify", tmp_path / "two", "--allow-seeded").code == 0
    claim = cloven("verify", tmp_path / "out").out
    assert "k = 5 of 240 rows" in claim
    assert "not checked without --original, --schema and --private" in claim


def test_utility_of_a_table(cloven, people, schema, tmp_path):
    cloven("anonymise", "mondrian", people, "--schema", schema, "-k", 5, "-o", tmp_path / "out")
    found = cloven("utility", people, tmp_path / "out", "--schema", schema, "--seed", 1, "--json").json
    assert found["headline"] == "agreement of counts with sensitive values"
    cloven("utility", people, tmp_path / "out").refused(3, "is a generalised table", "give --schema FILE")


def test_two_releases_are_composed(cloven, people, schema, tmp_path):
    for name, k in (("one", 4), ("two", 7)):
        cloven("anonymise", "mondrian", people, "--schema", schema, "-k", k, "-o", tmp_path / name)
    places = (tmp_path / "one", tmp_path / "two")
    ended = cloven(
        "attack", "compose", *places, "--known", people, "--schema", schema, "--score", "--seed", 1,
        "-o", tmp_path / "g.csv", "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert (ended.json["persons"], ended.json["found_in_all"]) == (240, 240)
    assert {each["measure"] for each in ended.json["findings"]["findings"]} > {"drr_strict", "drr_soft"}
    assert len((tmp_path / "g.csv").read_text().splitlines()) == 241
    cloven("attack", "compose", places[0], "--known", people, "--schema", schema).refused(
        2, "at least two releases"
    )


def test_what_is_left_of_each_person(cloven, people, schema, tmp_path):
    places = (tmp_path / "one", tmp_path / "two")
    for place, k in zip(places, (4, 7), strict=True):
        cloven("anonymise", "mondrian", people, "--schema", schema, "-k", k, "-o", place)
    looks = tmp_path / "looks.csv"
    looks.write_text("age,sex,work\n33,f,State\n999,f,State\n")
    told = cloven(
        "attack", "compose", *places, "--known", looks, "--schema", schema, "-o", tmp_path / "g.csv"
    )
    assert "illness of 2 persons" in told.out
    header, known, stranger = csv.reader((tmp_path / "g.csv").read_text().splitlines())
    assert header == ["row", "values left", "likeliest", "confidence", "which are left"]
    left = known[4].split(" | ")
    assert (int(known[1]), known[2]) == (len(left), left[0])
    assert stranger == ["1", "0", "", "", ""]


@pytest.mark.parametrize("method", ["mondrian", "slicing"])
def test_a_published_table_can_be_read(cloven, people, schema, tmp_path, method):
    out, eyes = tmp_path / "out", tmp_path / "eyes.csv"
    given = ("anonymise", method, people, "--schema", schema, *METHODS[method])
    assert cloven(*given, "-o", out, "--csv", eyes).code == 0
    assert cloven("reconstruct", out, "--as-published", "-o", tmp_path / "again.csv").code == 0
    assert (tmp_path / "again.csv").read_bytes() == eyes.read_bytes()
    ended = cloven("reconstruct", out, "--seed", 1, "--count", 2, "-o", tmp_path / "drawn.csv", "--json")
    assert ended.json["records"] == 240
    one, two = ((tmp_path / f"drawn-{number}.csv").read_text().splitlines() for number in (1, 2))
    assert (len(one), one[0], one != two) == (241, two[0], True)
    assert cloven("describe", tmp_path / "drawn-1.csv", "--schema", schema).code == 0
    cloven(*given, "-o", tmp_path / "more", "--csv", eyes).refused(4, "eyes.csv")
    assert cloven(*given, "-k", 999, "-o", tmp_path / "more", "--csv", tmp_path / "no.csv").code == 2
    assert not (tmp_path / "more").exists()
    assert not (tmp_path / "no.csv").exists()


def test_what_cannot_be_drawn_is_refused(cloven, people, schema, made, tmp_path):
    out = tmp_path / "table"
    cloven("anonymise", "mondrian", people, "--schema", schema, "-o", out)
    cloven("reconstruct", out, "-o", tmp_path / "w.jsonl").refused(2, "ends in .csv")
    for more in (("--seed", 1), ("--count", 2)):
        cloven("reconstruct", out, "--as-published", *more, "-o", tmp_path / "w.csv").refused(
            2, "draws nothing"
        )
    cloven("reconstruct", made.out, "--as-published", "-o", tmp_path / "w").refused(2, "for published tables")


def test_commands_for_sets_say_that_they_are(cloven, people, schema, tmp_path):
    out = tmp_path / "out"
    cloven("anonymise", "mondrian", people, "--schema", schema, "-o", out)
    cloven("link", out, "--item", "flu").refused(3, "`cloven link` is for sets of items")
    cloven("attack", out, "--method", "vpa", "-o", tmp_path / "g").refused(
        3, "`cloven attack` is for sets of items"
    )
    cloven("breach", out).refused(3, "generalised table")
    cloven("verify", out, "--original", people).refused(2, "--schema FILE")


def test_a_table_is_audited(cloven, people, schema, tmp_path):
    cloven("anonymise", "slicing", people, "--schema", schema, "-k", 4, "-l", 2, "-o", tmp_path / "other")
    methods = "mondrian:l=3 slicing:k=5,l=3"
    given = (
        "--schema", schema, "--methods", methods, "-k", 6, "--quick", "--seed", 1, "--max-risk", 0.9,
        "--max-tail", 0.2,  # far off: the lots of slicing tell of a few people more, or fewer
    )  # fmt: skip
    ended = cloven(
        "audit", people, *given, "--other-release", tmp_path / "other", "-o", tmp_path / "out", "--json"
    )
    assert (ended.code, ended.json["decision"]["verdict"]) == (0, "publish"), ended.json["decision"]
    assert [each["name"] for each in ended.json["outcomes"]] == ["mondrian:k=6,l=3", "slicing:k=5,l=3"]
    threats = [risk["threat"] for risk in ended.json["risks"]]
    assert threats == [
        "known person",
        "learns from the table",
        "replays the method",
        "a person's row",
        "another release",
        "being in the table",
    ]
    assert cloven("verify", tmp_path / "out" / "published").code == 0
    assert cloven("publish", tmp_path / "other", "--anyway").code == 0
    said = cloven("audit", people, *given, "-o", tmp_path / "two")
    assert said.code == 1
    assert "This data set was published on" in said.out
    assert said.out.startswith("DO NOT PUBLISH   people.csv · 240 rows · mondrian k=6, l=3")
