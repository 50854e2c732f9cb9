"""What the commands for tables can be told: constraints, rules, columns, queries, searches; and what they show."""

from __future__ import annotations

import pytest

from cloven.storage.release import read_release


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "rules.txt"
    path.write_text("sex=m, illness=mumps\nage=20|21, work=State\n")
    return path


@pytest.fixture
def two_secrets(tmp_path):
    """The schema of the same table with two sensitive columns."""
    path = tmp_path / "two.toml"
    path.write_text(
        '[columns]\nage = "quasi-identifier"\nsex = "quasi-identifier"\nwork = "sensitive"\nillness = "sensitive"\n'
    )
    return path


def test_mondrian_keeps_to_what_is_demanded(cloven, people, schema, tmp_path):
    demands = ("--entropy-l", 2.5, "--recursive-l", "3,2", "--t-closeness", 0.4, "--t-distance", "ordered")
    ended = cloven("anonymise", "mondrian", people, "--schema", schema, *demands, "-o", tmp_path / "out")
    assert ended.code == 0, ended.err
    assert "constraints=entropy-l:2.5+recursive-l:3:2+t-closeness:0.4:ordered" in ended.out
    checked = cloven("verify", tmp_path / "out", "--original", people, "--schema", schema)
    assert "ok    t-closeness of illness" in checked.out


@pytest.mark.parametrize(("together", "of"), [("jointly", ["work", "illness"]), ("illness", ["illness"])])
def test_several_sensitive_columns_may_be_taken_together(cloven, people, two_secrets, tmp_path, together, of):
    given = ("--schema", two_secrets, "-l", 4, "--together", together, "-o", tmp_path / "out")
    assert cloven("anonymise", "mondrian", people, *given).code == 0
    (demand,) = read_release(tmp_path / "out").parameters["constraints"]
    assert (demand["demand"], demand["l"], demand["attributes"]) == ("distinct-l", 4, of)


def test_ul_takes_rules_names_and_columns(cloven, people, schema, rules, tmp_path):
    given = ("-k", 5, "-l", 3, "--swap-rate", "10%", "--protected", "work,sex", "--measure", "cosine")
    chosen = ("--columns", "age+sex/work/illness", "--partition", "stratified", "--rules", rules)
    ended = cloven("anonymise", "ul", people, "--schema", schema, *given, *chosen, "-o", tmp_path / "out")
    assert ended.code == 0, ended.err
    told = read_release(tmp_path / "out").parameters
    assert (told["swap_rate"], told["protected"], told["measure"], told["rules"]) == (
        0.1,
        ["work", "sex"],
        "cosine",
        2,
    )
    assert (told["columns"], told["partition"]) == ("chosen", "stratified")


def test_cells_are_shown_before_anything_is_published(cloven, people, schema, tmp_path):
    given = (
        "cells",
        people,
        "--schema",
        schema,
        "--protected",
        "age,work",
        "--columns",
        "age+work/sex/illness",
    )
    found = cloven(*given, "--rates", "5%,0.2", "--json").json
    assert [(each["rate"], each["attribute"]) for each in found["selected"]] == [
        (0.05, "age"), (0.05, "work"), (0.2, "age"), (0.2, "work"),
    ]  # fmt: skip
    assert found["selected"][2]["lower_rows"] == found["rows"] == 240
    said = cloven(*given)
    assert ("15 %" in said.out, "20 %" in said.out) == (True, False)
    none = cloven("cells", people, "--schema", schema, "--protected", "sex", "--rates", "1%")
    assert "no cell is selected" in none.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "people.toml"]


def test_a_table_is_described(cloven, people, schema, two_secrets, tmp_path):
    found = cloven("describe", people, "--schema", schema, "-k", 3, "--json").json
    illness = next(each for each in found["columns"] if each["name"] == "illness")
    lines = people.read_text().splitlines()[1:]
    most = max(
        sum(line.endswith(f",{value}") for line in lines)
        for value in ("cough", "flu", "gout", "mumps", "ulcer")
    )
    assert (illness["largest_l"], illness["share"], illness["values"]) == (240 // most, most / 240, 5)
    assert illness["largest_l"] == 4
    cloven("anonymise", "slicing", people, "--schema", schema, "-l", 5, "-o", tmp_path / "a").refused(
        2, "at most 4"
    )
    said = cloven("describe", people, "--schema", schema).out
    assert "slicing, ul and anatomy reach l up to 4 here" in said
    gaps = tmp_path / "gaps.csv"
    gaps.write_text(people.read_text() + "33,f,State,?\n")
    lenient = tmp_path / "lenient.toml"
    lenient.write_text('missing = "drop"\n' + schema.read_text())
    assert "240, 1 more left out" in cloven("describe", gaps, "--schema", lenient).out
    gaps.write_text(people.read_text() + "33,f,State,?\n,m,State,?\n")
    strict = cloven("describe", gaps, "--schema", schema, "--json").json
    assert strict["missing"] == [
        {"column": "age", "rows": 1, "policy": "refuse"},
        {"column": "illness", "rows": 2, "policy": "refuse"},
    ]
    assert strict["records"] == 242


def test_queries_are_chosen(cloven, people, schema, rules, tmp_path):
    cloven("anonymise", "slicing", people, "--schema", schema, "-k", 5, "-l", 3, "-o", tmp_path / "out")
    given = ("utility", people, tmp_path / "out", "--schema", schema, "--seed", 1, "--queries", 20)
    asked = ("--predicates", "1,3", "--aggregate", "count,avg,max", "--sensitive-predicate", "with")
    found = cloven(*given, *asked, "--selectivity", "20%", "--rules", rules, "--json").json
    assert [
        (each["aggregate"], each["of"], each["dimensions"], each["sensitive"]) for each in found["queries"]
    ] == [
        (aggregate, None if aggregate == "count" else "age", dimensions, True)
        for aggregate in ("count", "avg", "max")
        for dimensions in (1, 3)
    ]
    assert all(each["selectivity"] < 0.2 for each in found["queries"] if each["selectivity"] is not None)
    names = [each["name"] for each in found["measures"]]
    assert "rows against rules" in names
    assert "query error" not in names
    assert "naive Bayes" in cloven(*given, "--aggregate", "max", "--target", "sex", "--test", people).out


def test_settings_of_tables_are_read_back():
    import cloven as cv
    from cloven.kinds.tables.methods.constraints import EntropyL, TCloseness
    from cloven.settings import parse_setting, setting

    for method in (
        cv.Mondrian(4, 2, (EntropyL(2.5), TCloseness(0.2, "ordered", ("illness",)))),
        cv.Slicing(columns=(("age", "sex"), ("work",), ("illness",)), bins=5, distance="1-r", check="bucket"),
        cv.Slicing(columns=2, normalisation="min", partition="relaxed"),
        cv.UL(swap_rate=0.1, protected=("work", "sex"), measure="phi", bins_by="frequency"),
    ):
        assert parse_setting(setting(method)) == method
    assert setting(cv.UL(protected=("a b", "c+d"))).endswith("protected=[2]")


@pytest.mark.slow
def test_a_table_is_searched(cloven, people, schema, rules, tmp_path):
    out = tmp_path / "out"
    given = ("tune", people, "--schema", schema, "-l", 3, "--trials", 4, "--seed", 1)
    given += ("--max-risk", 0.9, "--max-tail", 0.05)
    ended = cloven(*given, "--rules", rules, "-o", out, "--json")
    assert ended.code == 0, ended.err
    for outcome in ended.json["audit"]["outcomes"]:
        assert "rows against rules" in outcome["measures"]
    assert sorted(ended.json["space"]) == ["mondrian", "slicing", "ul"]
    assert "swap_rate 0.01 to 0.15" in ended.json["space"]["ul"]["varied"]
    for one in ended.json["space"].values():
        assert "l 3 to " in one["varied"]
        assert "k 5 to 12" in one["varied"]
    rates = [row["name"].partition("swap_rate=")[2].split(",")[0] for row in ended.json["trials"]]
    assert all(len(rate) <= len("0.0123") for rate in rates)
    checked = cloven(
        "verify", out / "published", "--original", people, "--schema", schema, "--private", f"{out}.private"
    )
    assert checked.code == 0


@pytest.mark.slow
def test_a_search_tells_what_cannot_be_met(cloven, people, schema, tmp_path):
    given = ("tune", people, "--schema", schema, "--trials", 2, "--seed", 1, "--max-risk", 0.9)
    given += ("--max-tail", 0.05)
    search = ("--methods", "mondrian,anatomy", "--fix", "l=5", "--vary", "mode")
    ended = cloven(*given, *search, "-o", tmp_path / "out")
    assert ended.code == 0, ended.err
    assert "2 settings measured on all 240 rows · 1 impossible" in ended.out
    before = sorted(path.name for path in tmp_path.iterdir())
    cloven(*given, "-l", 9, "-o", tmp_path / "nine").refused(
        2, "'illness' has 5 different values", "l up to 5"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == before  # no study either


@pytest.mark.slow
def test_a_search_heeds_another_release(cloven, people, schema, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for out, k in ((first, 5), (second, 6)):
        cloven("anonymise", "slicing", people, "--schema", schema, "-k", k, "-l", 3, "-o", out)
    cloven("publish", first, "--anyway")
    search = ("tune", people, "--schema", schema, "--methods", "slicing", "--trials", 1, "--seed", 1)
    given = (*search, "--max-risk", 1, "--max-tail", 0.05, "--study", tmp_path / "study")
    ended = cloven(*given, "--other-release", first, "-o", tmp_path / "out", "--json")
    found = ended.json
    assert ended.code == 0
    tried = {risk["threat"]: risk["not_tried"] for risk in found["audit"]["risks"]}
    assert tried["another release"] == ""
    # The study is of this attacker: another release is another search, even one of the same size.
    for other in (("--other-release", second), ()):
        cloven(*given, *other, "-o", tmp_path / "next").refused(3, "is the study of another search")
    again = cloven(*given, "--other-release", first, "-o", tmp_path / "again", "--json")
    assert again.code == 0, again.err
