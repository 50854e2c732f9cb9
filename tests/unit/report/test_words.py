from __future__ import annotations

import pytest

from cloven.figures import counted
from cloven.report.page import prose
from cloven.report.rows import scale
from cloven.report.words import NOTHING, contents, figure, percent


def test_prose_escapes_everything_and_shows_what_is_typed():
    text = prose("try `<b>` at 3 % with a:x=1,y=2 or a:x=1", ["a:x=1", "a:x=1,y=2"])
    assert str(text) == (
        "try <code>&lt;b&gt;</code> at 3\u00a0% with <code>a:<wbr>x=1,<wbr>y=2</code> or <code>a:<wbr>x=1</code>"
    )


def test_figures():
    assert [percent(value) for value in (0.2, 0.0049, 1.0, None)] == ["20.0 %", "0.49 %", "100.0 %", NOTHING]
    assert [figure(value) for value in (0.5, 1234.5, "x", {"a": 1})] == ["0.5", "1,234.5", "x", "1 given"]
    assert counted(0, "records") == "0 records"
    assert contents({"records": 2, "rows": 0}) == "2 records"


@pytest.mark.parametrize("high", [1e-4, 0.0043, 0.05, 0.21, 0.5, 0.77, 1.0, 137])
def test_a_scale_holds_its_ends_in_few_round_steps(high):
    made = scale(0, high)
    assert made.low == 0
    assert made.high >= high
    assert made.high < 2 * high
    assert 2 <= len(made.marks) <= 7
    assert made.at(0) == 0
    assert made.at(10 * high) == 1
