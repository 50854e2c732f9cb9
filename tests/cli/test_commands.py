"""Every command, for people and for machines."""

from __future__ import annotations

import json
import re

import pytest
from typer.main import get_command

from cloven.cli.app import app

D = ("anonymise", "disassociation")
COMMANDS = (
    "audit", "describe", "anonymise", "verify", "utility", "attack", "score", "breach", "link", "reconstruct",
    "ledger", "relatedness", "text",
)  # fmt: skip


@pytest.mark.slow
def test_audit_as_json_is_what_it_wrote_to_the_owner(cloven, clinic, tmp_path):
    ended = cloven(
        "audit", clinic, "-o", tmp_path / "out", "-k", 4, "-m", 3, "--quick", "--no-advise", "--json"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.private"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["published", "report.html"]
    assert (ended.code, ended.err) == (1, "")
    found = ended.json
    assert found["decision"]["verdict"] == "do not publish"
    written = json.loads((tmp_path / "out.private" / "audit.json").read_text())
    for name in written:
        assert found[name] == written[name]
    assert (found["parameters"]["k"], found["parameters"]["m"], found["verification"]["ok"]) == (4, 3, True)
    assert any("items that fewer than k = 4 hold withheld" in caution for caution in found["cautions"])
    published, private = found["places"]["published"], found["places"]["private"]
    assert cloven("verify", published, "--original", clinic, "--private", private).code == 0


def test_audit_takes_the_next_free_name(cloven, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cloven-audit").symlink_to("nowhere")
    (tmp_path / "cloven-audit-2.private").mkdir()
    assert cloven("audit", "--no-attack", "--json").json["places"]["published"] == "cloven-audit-3/published"


@pytest.mark.slow
def test_audit_repeats_its_measurements_by_seed(cloven, clinic, tmp_path):
    first, second = (
        cloven("audit", clinic, "--no-attack", "-o", tmp_path / name, "--seed", 7, "--json").json
        for name in "ab"
    )
    assert first["utility"] == second["utility"]


def test_describe(cloven, clinic):
    ended = cloven("describe", clinic, "-m", 3, "--rare", 2)
    assert (ended.code, ended.err) == (0, "")
    assert "77 more (--rare)" in ended.out
    found = cloven("describe", clinic, "-m", 3, "--json").json
    assert (found["records"], found["items"], len(found["singled_out"])) == (1000, 423, 3)
    assert "asbestos" not in cloven("describe", clinic, "--rare", 0).out


def test_anonymise(cloven, clinic, tmp_path):
    ended = cloven(*D, clinic, "-o", tmp_path / "out")
    assert ended.code == 0
    assert f"published    {tmp_path / 'out'}\nyours alone  {tmp_path / 'out'}.private\n" in ended.out
    withheld, left_out = ended.err.splitlines()
    assert withheld.startswith("warning: 432 occurrences of items that fewer than k = 5 hold withheld")
    assert left_out.startswith("warning: 79 items left out of every record")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "README.md",
        "chunks.parquet",
        "clusters.parquet",
        "joints.parquet",
        "manifest.json",
    ]


def test_anonymise_as_json(cloven, clinic, tmp_path):
    ended = cloven(*D, clinic, "-o", tmp_path / "out", "--max-cluster-size", "unlimited", "--json")
    assert (ended.code, ended.err) == (0, "")
    found = ended.json
    assert (found["published"], found["private"]) == (str(tmp_path / "out"), f"{tmp_path / 'out'}.private")
    assert found["records"] == found["records_read"] == 1000
    assert found["oversize_clusters"] == 0
    assert [caution.split()[0] for caution in found["cautions"]] == ["186", "79"]  # withheld; in no record
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["parameters"]["max_cluster_size"] is None


def test_anonymise_to_json_and_csv(cloven, clinic, tmp_path):
    ended = cloven(
        *D, clinic, "-o", tmp_path / "out", "--release-format", "json", "--csv", tmp_path / "eyes.csv"
    )
    assert ended.code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["eyes.csv", "out.json", "out.private"]
    assert (tmp_path / "eyes.csv").read_text().startswith("cluster,joint,chunk,kind,items")
    everything = ("--original", clinic, "--private", tmp_path / "out.private")
    assert cloven("verify", tmp_path / "out.json", *everything).code == 0


def test_suppressed_records_are_told(cloven, clinic, tmp_path):
    ended = cloven(
        *D, clinic, "-o", tmp_path / "out", "--small-clusters", "suppress", "--max-cluster-size", 30
    )
    assert ended.code == 0
    assert "records not published; say so" in ended.err
    rows = cloven("utility", clinic, tmp_path / "out").out
    assert "records that are not published" in rows


def test_verify_says_which_level_it_ran(cloven, made):
    for level in ("release", "original", "key"):
        ended = cloven(*made.level(level))
        assert (ended.code, ended.err) == (0, "")
        assert (ended.json["level"], ended.json["ok"], ended.failed_checks) == (level, True, set())
    text = cloven("verify", made.out).out
    assert text.startswith("promises: who knows up to m = 2 items of a record has at least k = 5")
    assert "verified at release level: all " in text
    assert "not checked without --original" in text
    little = cloven("verify", made.out, "--private", made.private)
    assert (little.code, little.err.startswith("warning: without --original only the receipt")) == (0, True)


def test_utility(cloven, made, tmp_path):
    ended = cloven("utility", made.original, made.out, "--reconstructions", 2, "--top", 100)
    assert (ended.code, ended.err) == (0, "")
    assert "top 100 itemsets lost" in ended.out
    runs = [cloven("utility", made.original, made.out, "--seed", 3, "--json").json for _ in range(2)]
    assert runs[0] == runs[1]
    assert 0 < runs[0]["pairs_kept"] < runs[0]["items_kept"] < 1


def test_utility_with_a_taxonomy(cloven, made, tmp_path):
    from cloven.reading import read

    items = read(made.original).vocabulary
    taxonomy = tmp_path / "levels.csv"
    taxonomy.write_text("".join(f"{item};{item[0]};all\n" for item in items))
    assert "tKd-ML2" in cloven("utility", made.original, made.out, "--taxonomy", taxonomy).out
    taxonomy.write_text("".join(f"{item};{item[0]};all\n" for item in items[1:]))
    ended = cloven("utility", made.original, made.out, "--taxonomy", taxonomy)
    ended.refused(3, f"{taxonomy}: 1 items of the data are not in this taxonomy", repr(items[0]))


def test_reconstruct_one_and_several(cloven, made, tmp_path):
    ended = cloven("reconstruct", made.out, "-o", tmp_path / "world.jsonl", "--seed", 1)
    assert (ended.code, ended.err) == (0, "")
    world = (tmp_path / "world.jsonl").read_text()
    assert len(world.splitlines()) == 1000
    ended = cloven("reconstruct", made.out, "-o", tmp_path / "w.jsonl", "--seed", 1, "--count", 2, "--json")
    assert ended.json == {
        "files": [str(tmp_path / "w-1.jsonl"), str(tmp_path / "w-2.jsonl")],
        "records": 1000,
    }
    assert (tmp_path / "w-1.jsonl").read_text() == world != (tmp_path / "w-2.jsonl").read_text()


def test_link(cloven, made, tmp_path):
    (tmp_path / "known.txt").write_text("asthma\n\n  cough \r\n")
    ended = cloven("link", made.out, "--knows", tmp_path / "known.txt")
    assert (ended.code, ended.err) == (0, "")
    assert "promises at least k = 5 for up to m = 2 items" in ended.out
    found = cloven("link", made.out, "--item", "asthma", "--item", "cough", "--json").json
    assert found["items"] == ["asthma", "cough"]
    assert found["candidates"] >= 5
    (tmp_path / "known.json").write_text('["asthma", "cough", "fever"]')
    more = cloven("link", made.out, "--knows", tmp_path / "known.json")
    assert "promises nothing for more than m = 2 items" in more.out
    nobody = cloven("link", made.out, "--item", "unicorn")
    assert (nobody.code, "promises" in nobody.out) == (0, False)


@pytest.mark.parametrize("arguments", [(), ("anonymise",), ("reproduce",)])
def test_no_command_shows_the_help(cloven, arguments):
    ended = cloven(*arguments)
    assert (ended.code, ended.err) == (0, "")
    assert "Usage: cloven" in ended.out


def test_help_lists_commands_in_the_order_of_use(cloven):
    out = cloven("--help").out
    assert [word for word in re.findall(r"^  (\w+)  ", out, re.MULTILINE) if word in COMMANDS] == list(
        COMMANDS
    )
    assert "..." not in out.split("Commands:")[1]
    assert "Exit codes: 0 fine" in out


def every_command(group, words=()):
    """The words of every command, and of every command below it."""
    for name, command in getattr(group, "commands", {}).items():
        yield (*words, name)
        yield from every_command(command, (*words, name))


@pytest.mark.parametrize("words", [*every_command(get_command(app))], ids=" ".join)
def test_every_command_explains_every_option(cloven, words, monkeypatch):
    monkeypatch.setenv("COLUMNS", "110")
    ended = cloven(*words, "--help")
    assert (ended.code, ended.err) == (0, "")
    options = [line for line in ended.out.splitlines() if re.match(r"  -", line)]
    assert options
    for line in options:
        assert re.fullmatch(r"  -\S.*?\S {2,}\S.*", line), f"no explanation on its line: {line!r}"


def test_sample_writes_data_that_the_other_commands_read(cloven, tmp_path):
    ended = cloven("sample", "clinic", "-o", tmp_path / "patients.csv")
    assert (ended.code, ended.err) == (0, "")
    assert "1,000 records" in ended.out
    assert cloven("describe", tmp_path / "patients.csv", "--json").json["records"] == 1000
    cloven("sample", "-o", tmp_path / "patients.csv").refused(4, "patients.csv", "exists already")
    cloven("sample", "nobody", "-o", tmp_path / "b.csv").refused(2, "nobody", "clinic")


def test_a_table_is_not_read_as_baskets(cloven, tmp_path):
    """Ids, ratings and the header would be published as items, also when two cells of a row are equal or blank."""
    table = tmp_path / "ratings.csv"
    table.write_text("user,movie,rating\n" + "".join(f"{i % 9},{i % 7},{i % 3 or ''}\n" for i in range(40)))
    for command in (
        ("describe", table),
        ("audit", table, "-o", tmp_path / "out", "--lenient", "--no-attack"),
    ):
        cloven(*command).refused(3, "ratings.csv:1", "--id-column", "user, movie, rating")
    assert not (tmp_path / "out").exists()
    assert cloven("describe", table, "--id-column", "user", "--item-column", "movie").code == 0
    assert cloven("describe", table, "--format", "lines", "--lenient").code == 0
