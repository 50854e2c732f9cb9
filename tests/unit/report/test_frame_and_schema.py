from __future__ import annotations

import copy
import sys

import pytest

from cloven import report as package
from cloven.report.frame import COLUMNS, outcome_frame, outcome_table


def test_frame_has_a_row_for_each_setting_and_threat(report):
    frame = report.to_frame()
    outcomes = (report.outcome, *report.others)
    assert tuple(frame.columns) == COLUMNS
    assert len(frame) == sum(len(outcome.risks) for outcome in outcomes)
    first = report.outcome.risks[0]
    assert frame["attacker"][0] == first.attacker.value
    assert frame["outsiders"][0] == first.outsiders.value
    assert frame["excess_high"][0] == first.excess.high
    assert frame["utility"][0] == report.outcome.utility.score()


def test_frame_is_pandas_without_polars_and_arrow_without_both(report, monkeypatch):
    pandas = pytest.importorskip("pandas")
    monkeypatch.setitem(sys.modules, "polars", None)
    assert isinstance(outcome_frame([report.outcome]), pandas.DataFrame)
    table = outcome_table([report.outcome])
    assert table.column_names == list(COLUMNS)
    assert outcome_table([]).num_rows == 0


jsonschema = pytest.importorskip("jsonschema")


def faults(document):
    checker = jsonschema.Draft202012Validator(package.schema())
    return [f"{list(fault.absolute_path)}: {fault.message}" for fault in checker.iter_errors(document)]


def test_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(package.schema())


def test_both_flavours_are_valid(owner, withheld, shared):
    assert [faults(document) for document in (owner, withheld, shared)] == [[], [], []]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda plain: plain.pop("risks"),
        lambda plain: plain.update(format="cloven.audit/2"),
        lambda plain: plain.update(extra=1),
        lambda plain: plain["risks"][0].update(attacker=0.4),
        lambda plain: plain["risks"][0].update(linkage="person"),
        lambda plain: plain["decision"].update(verdict="maybe"),
        lambda plain: plain["limits"].update(max_risk=20),
        lambda plain: plain["sizes"][0].pop("groups"),
    ],
)
def test_a_broken_document_is_not_valid(owner, shared, spoil):
    for document in (owner, shared):
        broken = copy.deepcopy(document)
        spoil(broken)
        assert faults(broken)


@pytest.mark.parametrize("key", ["worst", "calibration", "findings", "covers", "ways", "people", "histogram"])
def test_what_only_the_owner_knows_is_not_valid_in_public(shared, owner, key):
    told = next(risk["details"][key] for risk in owner["risks"] if risk["details"].get(key))
    shared["risks"][0]["details"][key] = told
    assert faults(shared)


@pytest.mark.parametrize("key", ["title", "data", "counts", "seconds", "seed", "failed"])
def test_keys_of_the_owner_are_not_valid_in_public(shared, owner, key):
    assert faults(shared | {key: owner[key]})
