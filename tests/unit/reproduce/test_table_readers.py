"""The experiment on readers of tables: its answers follow from the figures, and a run is an audit."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.data.table import Attribute, Table
from experiments.table_readers import MANY, SETTINGS, measured, page


def run(setting, verdict="publish", adds=0.0, error=0.5, data="Adult"):
    sides = [0.1 + adds, 0.1, adds, adds + 0.002]
    readers = {
        "known person": {"told at 0.8": sides, "told at 0.95": sides, "certain": [0.0, 0.0, 0.0, 0.001]}
    }
    return {
        "data": data, "rows": 100, "setting": setting, "verdict": verdict, "readers": readers, "row": 0.1,
        "reasons": [] if verdict == "publish" else ["An attacker (known person) is told too much."],
        "query_error": error, "classification": [0.3, 0.2], "seconds": 1.0,
    }  # fmt: skip


def words(text):
    return " ".join(text.split())


def test_answers_follow_from_the_figures():
    good, bad = run("slicing:k=6", error=0.4), run("mondrian:k=2", "do not publish", adds=0.3)
    told = words(page([good, run("ul:k=6"), bad]))
    assert "Of 3 releases 2 may be published. In none of them members are told more than 1 %" in told
    assert "Adult: 2 settings hold; of these `slicing:k=6` answers queries best (error 0.40" in told
    assert "Adult, `mondrian:k=2`: known person: told at 0.8 adds 30.0 %" in told


def test_a_release_that_is_published_and_tells_is_named():
    told = words(page([run("slicing:k=6", adds=0.02)]))
    assert "Members are told more than 1 % above outsiders at 0.95 in: Adult, slicing:k=6." in told


def test_a_table_without_a_good_setting_says_why():
    failed = {"data": "Adult", "rows": 100, "setting": "anatomy:l=6", "error": "l = 6 cannot be met"}
    told = words(page([failed, run("mondrian:k=2", "do not publish", adds=0.3)]))
    assert "Adult: no setting holds (known person: told at 0.8 adds 30.0 %)." in told
    assert "cannot be made" in told
    assert "anatomy:l=6`: l = 6 cannot be met" in told


@pytest.mark.parametrize("setting", ["mondrian:k=5,l=2", "anatomy:l=9"])
def test_a_run_is_an_audit(setting):
    rng = np.random.default_rng(1)
    attributes = (
        Attribute("age", "quasi-identifier", tuple(map(str, range(20, 50))), np.arange(20.0, 50.0)),
        Attribute("sex", "quasi-identifier", ("f", "m")),
        Attribute("ill", "sensitive", ("flu", "gout", "mumps", "ulcer")),
    )
    codes = np.column_stack([rng.integers(0, len(each), 200) for each in attributes]).astype(np.int32)
    found = measured("people", Table(attributes, codes, np.arange(200)), setting, quick=True)
    if setting == "anatomy:l=9":
        assert "l = 9 cannot be met" in found["error"]
        return
    assert set(found["readers"]) == {"known person", "learns from the table", "replays the method"}
    assert found["verdict"] == "do not publish", "of 200 people nobody can show 1 %"
    assert 0 < found["classification"][1] <= 1


def test_nine_methods_are_tried_on_every_table():
    methods = {text.partition(":")[0] for text in MANY}
    assert len(methods) == 9
    assert all({text.partition(":")[0] for text in texts} == methods for texts in SETTINGS.values())
