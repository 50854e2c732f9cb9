"""The experiment on tables that ARX made: its answers follow from the figures, and a run is an audit."""

from __future__ import annotations

import pytest

from experiments.made_elsewhere import ALONE, DRUGS, GIVEN, MADE, audited, line, verdict


def audit(way, said="do not publish", names=None, l=2, against=None, pycanon_l=None):
    return {
        "table": "drugs_k5", "way": way, "rows": 90, "of": 100, "k": 5, "l": l, "t": 0.25, "names": names, "row": 0.1,
        "near_certain": 0.2, "near_certain_control": 0.1, "near_certain_added_high": 0.15, "verdict": said,
        "against": against, "pycanon_k": 5, "pycanon_l": pycanon_l or l, "pycanon_t": 0.25,
    }  # fmt: skip


def test_answers_follow_from_the_figures():
    alone = audit(ALONE, names="id", l=1, against="direct identifiers present")
    table = [alone, audit(GIVEN, "publish", l=1)]
    told = verdict(
        {"audits": table, "cells": [{"table": "drugs_k5", "remark": "'0' of age is taken for any value"}]}
    )
    assert told[0] == "**k, l and t of 1 of 1 tables are those of pyCANON**, to four places."
    assert told[1].startswith("**None of 1 may be published as they are.** 1 still hold")
    assert told[2].endswith("with roles given, 1 of 1 may be published**: `drugs_k5`.")
    assert "'0' of age is taken for any value" in told[3]
    assert line(table, "drugs_k5") == (
        "`drugs_k5`", "90, 100", "5, 1, 0.2500", "direct identifiers present", "10.0 %",
        "20.0 % / 10.0 % (up to +15.0)", "**publish**",
    )  # fmt: skip


def test_figures_that_differ_are_not_called_the_same():
    kept = {"audits": [audit(ALONE, pycanon_l=3), audit(GIVEN)], "cells": []}
    assert "of 0 of 1 tables" in verdict(kept)[0]


@pytest.mark.data
def test_a_run_is_an_audit_of_both_kinds(data_dir):
    folder = data_dir / "relational"
    if not (folder / DRUGS.file).exists():
        pytest.skip(f"no {folder / DRUGS.file}")
    found = audited(folder, "drugs_k5", DRUGS, quick=True)
    alone, given = found["audits"]
    assert (alone["way"], given["way"]) == (ALONE, GIVEN)
    assert (alone["k"], alone["l"]) == (given["k"], given["l"]) == (5, 2)
    assert "roles unclear" in alone["against"]
    assert "roles unclear" not in given["against"]
    assert [row["remark"].startswith("'[87, 38.248[' of Na_to_K") for row in found["cells"]] == [True]


def test_eleven_tables_are_audited():
    assert len(MADE) == 11
