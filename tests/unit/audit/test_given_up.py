"""A setting whose trial ended at the first attack that failed has no worst risk of its own, and is nobody's best."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

import cloven as cv
from cloven.cli.audit_words import tell
from cloven.disclosure.outcome import Outcome, front
from cloven.report import rows
from cloven.report.drawing import trade_off
from cloven.report.page import page


@pytest.fixture(scope="module")
def report():
    """An audit whose advice tries other settings, and gives them up at the first attack that fails."""
    data = cv.sample("clinic")
    limits = cv.Limits(max_tail=1e-6)
    found = cv.Audit(cv.Disassociation(k=5), limits=limits, effort=cv.Effort().quick(), seed=1).run(data)
    assert any(left_out(each) for each in found.others)
    return found


def left_out(outcome):
    return any("past the limits already" in risk.not_tried for risk in outcome.risks)


def test_what_was_given_up_says_at_which_figure_and_is_on_no_front(report):
    document = report.to_dict()
    for outcome, plain in zip((report.outcome, *report.others), document["outcomes"], strict=True):
        gone = left_out(outcome)
        assert bool(plain["given_up"]) == gone
        assert (plain["risk"] is None) == gone
        if gone:
            assert re.search(r"up to \d+\.\d+ %|against the promise", plain["given_up"])
            assert any(risk.threat in plain["given_up"] for risk in outcome.risks)
            assert (plain["worst"], plain["tail"], plain["front"]) == (None, None, False)
            again = Outcome.from_dict(json.loads(json.dumps(outcome.to_dict())))
            assert again.given_up == outcome.given_up
    assert not any(map(left_out, front((report.outcome, *report.others))))
    assert any(plain["front"] for plain in document["outcomes"])


def test_terminal_page_and_chart_say_the_same(report, capsys):
    document = report.to_dict()
    tell(document, "made")
    said = capsys.readouterr().out
    html, picture = page(document), str(trade_off(document))
    for number, row in enumerate(rows.tried(document), start=1):
        line = next(line for line in said.splitlines() if line.strip().startswith(f"{row.setting} "))
        assert ("given up" in line) == bool(row.given_up)
        assert ("front" in line) == row.front
        assert (f">{number}<" in picture) == (not row.given_up)
        if row.given_up:
            assert row.given_up in line
            assert row.given_up in html


def test_the_public_reads_of_no_figure_at_which_something_was_given_up(report):
    shown = report.to_dict("public")["outcomes"]
    gone = {each.published_name for each in report.others if left_out(each)}
    assert not gone & {each["name"] for each in shown if each["front"] or each["risk"] is not None}


def test_the_risks_that_the_public_sees_do_not_undo_it(report):
    gone = next(filter(left_out, report.others))
    tried = tuple(risk for risk in gone.risks if not risk.not_tried)
    assert gone.of_risks(tried).given_up == gone.given_up
    assert replace(gone, risks=tried, given_up="").worst is not None
