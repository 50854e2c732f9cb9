"""The experiment on attribute inference from tables: its answers follow from the figures, and a run is an audit."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.data.table import Attribute, Table
from experiments.table_readers.page import FIGURES, READERS, cell, most, verdict
from experiments.table_readers.runs import IMPOSSIBLE, MANY, SETTINGS, measured, past


def kept(*runs):
    """Tables of runs: setting, verdict, what is added, and the query error."""
    settings, readers = [], []
    for setting, said, added, error in runs:
        place = {"data": "Adult", "setting": setting}
        against = None if said == "publish" else f"known person: told at 0.8 adds {100 * added:.1f} %"
        settings.append(
            place
            | {"query_error": error, "accuracy": 0.3, "commonest": 0.2, "verdict": said, "against": against}
        )
        for reader, part in (("known person", 1), ("learns from the table", 0.5)):
            for figure in FIGURES:
                sides = {
                    "release": 0.1 + part * added,
                    "control": 0.1,
                    "added": part * added,
                    "added_high": None,
                }
                readers.append(place | {"reader": reader, "figure": figure} | sides)
    return {"settings": settings, "readers": readers}


GOOD, BETTER = ("slicing:k=6", "publish", 0.0, 0.5), ("slicing:k=3", "publish", 0.0, 0.4)
BAD = ("mondrian:k=2", "do not publish", 0.3, 0.1)


def test_answers_follow_from_the_figures():
    told = verdict(kept(GOOD, BETTER, BAD))
    assert "Of 3 releases 2 may be published.** In none of these" in told[0]
    assert "most to attribute inference in 1.**" in told[1]
    assert "from `mondrian:k=2` on Adult: 40.0 % of the people" in told[1]
    assert "2 settings may be published; of these `slicing:k=3` answers queries best (error 0.40" in told[3]


def test_a_release_that_is_published_and_tells_is_named():
    assert (
        "1 point above the control group in Adult, `slicing:k=6`."
        in verdict(kept(("slicing:k=6", "publish", 0.02, 0.5), BAD))[0]
    )


def test_a_cell_shows_the_best_setting_or_what_speaks_against():
    found = kept(GOOD, BETTER, BAD)
    assert cell(found, "Adult", "slicing") == "`k=3` 0.40"
    assert cell(found, "Adult", "mondrian") == "**no:** attribute inference, inferred with 80 % +30.0 points"
    assert most(found, found["settings"][2], "certain")["reader"] == "known person"


def test_the_first_figure_past_its_limit_speaks_against():
    rows = [
        {"reader": "known person", "figure": "told at 0.8", "added": 0.04, "added_high": 0.049},
        {"reader": "known person", "figure": "told at 0.95", "added": 0.009, "added_high": 0.011},
    ]
    assert past("known person", rows) == "known person: told at 0.95 adds 0.9 %"
    assert past("known person", rows[:1]) == "known person"


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
    (settled,) = found["settings"]
    if setting == "anatomy:l=9":
        assert (settled["verdict"], found["readers"]) == (IMPOSSIBLE, [])
        assert "l = 9 cannot be met" in settled["against"]
        return
    assert {row["reader"] for row in found["readers"]} == set(READERS)
    assert {row["figure"] for row in found["readers"]} == set(FIGURES)
    assert settled["verdict"] == "do not publish", "of 200 people nobody can show 1 %"
    assert 0 < settled["commonest"] <= 1


def test_nine_methods_are_tried_on_every_table():
    methods = {text.partition(":")[0] for text in MANY}
    assert len(methods) == 9
    assert all({text.partition(":")[0] for text in texts} == methods for texts in SETTINGS.values())
