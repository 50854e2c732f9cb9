"""The studio tells what the command line tells, and never something better."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import cloven as cv
from cloven.cli.app import app
from cloven.registry import anonymiser
from cloven.studio import audit_work, charts, reading_work, run_views, search_work
from cloven.studio.forms import fields_of, made, methods_for
from cloven.studio.meaning import sentences
from cloven.studio.records import Reading
from cloven.studio.workspace import Workspace
from tests.unit.studio.studios import opened
from tests.unit.studio.test_desk import BASKETS, COAT
from tests.unit.studio.test_hard_times import PEOPLE
from tests.unit.studio.test_looking_inside import finished

WANTED = {
    "max_risk": 0.2, "max_tail": 0.01, "min_utility": 0.0, "quick": True, "advise": True, "relatedness": "",
    "rivals": [], "left_out": [], "runs": [], "releases": [],
}  # fmt: skip
SCHEMA = """
[columns.age]
role = "quasi-identifier"
kind = "number"
[columns.sex]
role = "quasi-identifier"
[columns.illness]
role = "sensitive"
"""


class Tell:
    """Hears nothing."""

    def __call__(self, **event):
        pass

    def progress(self, step, share):
        pass


def job(folder, place, reading, method, parameters):
    folder.mkdir()
    return {
        "folder": str(folder), "place": str(place), "reading": reading, "title": place.name, "method": method,
        "parameters": parameters, "wanted": WANTED, "handed_out": [],
    }  # fmt: skip


def told(document):
    """All but what differs from run to run: times, and where things lie."""
    left = {name: value for name, value in document.items() if name not in ("places", "seconds", "hashes")}
    return json.loads(json.dumps(left), parse_float=lambda text: round(float(text), 9)) | {
        "outcomes": [{**each, "seconds": 0} for each in left["outcomes"]]
    }


@pytest.mark.parametrize("method", ["coat", "mondrian"])
def test_a_run_of_the_studio_is_an_audit_of_the_command_line(tmp_path, monkeypatch, method):
    monkeypatch.delenv("CLOVEN_LEDGER", raising=False)
    file, schema = tmp_path / "data.csv", tmp_path / "schema.toml"
    words = ["audit", str(file), "--quick", "--methods", method, "-o", str(tmp_path / "out" / "o"), "--json"]
    (tmp_path / "out").mkdir()
    if method == "coat":
        file.write_bytes(BASKETS)
        reading = {"shape": "sets", "options": {"format": "lines", "delimiter": ","}, "schema": ""}
        given, words = {**COAT, "k": "5"}, [*words, "--format", "lines", "--delimiter", ","]
    else:
        file.write_text(PEOPLE)
        schema.write_text(SCHEMA)
        reading = {"shape": "table", "options": {}, "schema": SCHEMA}
        given, words = (
            {"k": "5", "mode": "strict", "partition": "adaptive"},
            [*words, "--schema", str(schema)],
        )
    audit_work.audit(job(tmp_path / "run", file, reading, method, given), Tell())
    ours = json.loads((tmp_path / "run" / "release.private" / "audit.json").read_text())
    done = CliRunner().invoke(app, words)
    assert done.exit_code in (0, 1), done.output
    assert told(ours) == told(json.loads(done.stdout))


def test_different_values_are_not_called_equally_likely():
    """Of ten people nine may have one value and one another: that is two different ones."""
    summary = {
        "shape": "table",
        "records": 100,
        "alone": 0.5,
        "known": ["age"],
        "sensitive": ["illness"],
        "largest_l": 4,
    }
    said = " ".join(sentences(anonymiser("mondrian", k=5, l=2), summary))
    assert "at least 2 different values of illness" in said
    assert "right once in 2" not in said
    for name in ("slicing", "anatomy", "ul"):
        said = " ".join(sentences(anonymiser(name, l=3), summary))
        assert "right more often than once in 3" in said


def test_the_limit_of_a_run_stays_its_own_when_its_data_are_read_another_way(tmp_path):
    workspace = Workspace.at(tmp_path / "ws")
    data = workspace.add_data("a", None, own=False, reading=Reading("sets"))
    run = workspace.add_run(data.number, "a", "coat", {**COAT, "k": "10"})
    found = run_views._live(run, data)["document"]["parameters"]["k"]
    again = run_views._live(run, replace(data, reading=Reading("table", {}, SCHEMA)))["document"]
    assert again["parameters"]["k"] == found == 10
    workspace.close()


def test_who_is_in_two_tables_is_known_only_if_both_were_read_alike(tmp_path):
    file, schema = tmp_path / "people.csv", tmp_path / "schema.toml"
    file.write_text(PEOPLE)
    schema.write_text(SCHEMA)
    data = cv.read_table(file, cv.read_schema(schema))
    result = cv.Mondrian(k=5).anonymise(data)
    place = tmp_path / "run" / "release" / "published"
    place.parent.mkdir(parents=True)
    cv.write_release(result, place, original=data, allow_unsafe=True)
    (place.parent / "published.private").rename(tmp_path / "run" / "release.private")
    asked = {
        "place": str(file),
        "reading": {"shape": "table"},
        "wanted": {**WANTED, "releases": [str(place)]},
    }
    (known,) = audit_work._knowledge(asked, data).releases
    assert known.shared is not None
    (other,) = audit_work._knowledge(asked, data.take(np.arange(50))).releases
    assert other.shared is None


def test_a_search_fears_whom_an_audit_fears():
    """Word meanings of the sample come with it, so the attack by meaning is tried on it."""
    wanted = {"k": 3, "m": 2, "trials": 1, "max_risk": 0.2, "min_utility": 0.0}
    assert search_work.tune_of({"place": None, "wanted": wanted}).knowledge.relatedness is not None
    assert search_work.tune_of({"place": "data.csv", "wanted": wanted}).knowledge.relatedness is None


@pytest.fixture
def runs(tmp_path):
    workspace = Workspace.at(tmp_path / "ws")
    data = workspace.add_data("a", None, own=False)
    headline = {
        "risk": 0.1,
        "utility": 0.5,
        "measure": "pairs",
        "verdict": "publish",
        "broken": 0,
        "worst": None,
    }
    made = []
    for most in (0.3, 0.1):
        run = workspace.add_run(data.number, "a", "coat", COAT)
        told = {**headline, "sampled": False}
        workspace.change_work("runs", run.number, "done", headline=told, wanted={"max_risk": most})
        made.append(workspace.run(run.number))
    yield made
    workspace.close()


def test_runs_beside_each_other_are_held_to_the_strictest_limit(runs):
    assert "limit 10 %" in charts.side_by_side(runs)


def test_runs_of_different_measures_share_no_axis(runs):
    other = replace(runs[1], headline={**runs[1].headline, "measure": "rows"})
    assert charts.side_by_side([runs[0], other]) is None


def test_people_are_counted_and_not_their_records(tmp_path):
    """Ten records of one person hold a rare item: one person has it, and not ten."""
    file = tmp_path / "visits.csv"
    rows = [("anna", f"a{visit}", "measles") for visit in range(10)]
    rows += [(f"p{person}", f"v{person}", "flu") for person in range(30)]
    file.write_text("person,visit,code\n" + "\n".join(map(",".join, rows)))
    options = {"format": "long", "id_column": "visit", "item_column": "code", "person": "person"}
    reading = {"shape": "sets", "options": options, "schema": ""}
    described = reading_work.describe({"place": str(file), "reading": reading, "schema": "-"}, Tell())
    assert described["persons"] == 31
    (two,) = (each for each in described["rare"] if each["k"] == 2)
    assert two == {"k": 2, "items": 1, "entries": 10}
    assert described["common"][0] == {"item": "flu", "share": pytest.approx(30 / 31)}
    said = " ".join(sentences(cv.Disassociation(k=2, m=1), described))
    assert "1 item of 2 is held by fewer than 2 people" in said


def test_what_gives_the_promise_up_is_refused_in_the_form():
    usual = {each.name: each.default for each in fields_of(methods_for("sets")["disassociation"])}
    built, told = made("sets", "disassociation", {**usual, "small_clusters": "keep"})
    assert built is None
    assert "give the promise up" in told.errors["small_clusters"]


def test_repairing_is_compared_with_leaving_it_as_on_the_command_line():
    method = cv.Disassociation(safe="cover")
    assert [each.safe for each in audit_work._rivals(method, [], advise=True)] == ["no"]
    assert audit_work._rivals(method, [], advise=False) == ()


def test_items_that_are_misspelt_stop_a_run(tmp_path):
    file = tmp_path / "data.csv"
    file.write_bytes(BASKETS)
    reading = {"shape": "sets", "options": {"format": "lines", "delimiter": ","}, "schema": ""}
    usual = {each.name: each.default for each in fields_of(methods_for("sets")["disassociation"])}
    asked = job(tmp_path / "run", file, reading, "disassociation", {**usual, "sensitive": "tea\nmilc"})
    with pytest.raises(cv.ParameterError, match="'milc'"):
        audit_work.audit(asked, Tell())


@pytest.mark.parametrize(
    ("least", "said"),
    [
        (1, "2 items of 9 are held by fewer than 3 people and withheld: 1.5 % of all entries"),
        (2, "1 item of 9 that fewer than 2 people hold is left out before all: 0.5 % of all entries"),
        (10, "4 items of 9 that fewer than 10 people hold are left out before all: 20.0 % of all entries"),
        (500, "Items that fewer than 500 people hold are left out before all"),
    ],
)
def test_items_that_are_left_out_for_their_support_are_counted(least, said):
    rare = [(2, 1, 1), (3, 2, 3), (10, 4, 40)]
    summary = {
        "shape": "sets", "records": 90, "items": 9, "occurrences": 200, "singled_out": [],
        "rare": [{"k": k, "items": items, "entries": entries} for k, items, entries in rare],
    }  # fmt: skip
    told = [
        each.replace("\u00a0", " ")
        for each in sentences(cv.Disassociation(k=3, min_item_support=least), summary)
    ]
    assert [each for each in told if said in each]
    both = [each for each in told if "held by fewer than 3 people" in each or "so none has to be" in each]
    assert len(both) == (least < 3)


@pytest.mark.slow
def test_the_verdict_on_a_sample_says_that_it_is_one(tmp_path):
    with opened(tmp_path / "ws") as client:
        path = finished(client)
        run = client.workspace.run(1)
        document = json.loads((run.private / "audit.json").read_text())
        document["decision"] |= {"verdict": "publish", "reasons": []}
        (run.private / "audit.json").write_text(json.dumps(document))
        headline = {**run.headline, "verdict": "publish", "sampled": True}
        client.workspace.change_work("runs", 1, headline=headline)
        page, listed = client.get(path).text, client.get("/runs").text
        assert "Of a sample: Publish" in page
        assert "verdict good" not in page
        assert "of a sample: Publish" in listed
        assert "badge good" not in listed
