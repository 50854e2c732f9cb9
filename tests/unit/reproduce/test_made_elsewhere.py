"""The experiment on tables that ARX made: its answers follow from the figures, and a run is an audit."""

from __future__ import annotations

import pytest

from experiments.made_elsewhere import ALONE, DRUGS, GIVEN, MADE, audited, page


def run(way, verdict="do not publish", names=(), l=2, reasons=(), pycanon=None):
    return {
        "table": "drugs_k5", "way": way, "rows": 90, "of": 100, "k": 5, "l": l, "entropy_l": 1.5, "t": 0.25,
        "names": list(names), "row": 0.1, "told": {"known person": [0.2, 0.1, 0.15]}, "verdict": verdict,
        "reasons": list(reasons), "remarks": ["'0' of age cannot be read and is taken for any value"], "seconds": 1.0,
        "pycanon": pycanon or {"k": 5, "l": l, "t": 0.25},
    }  # fmt: skip


def test_answers_follow_from_the_figures():
    left = run(ALONE, names=["id"], l=1, reasons=["Whoever has a list finds the rows of the people on it."])
    told = " ".join(page([left, run(GIVEN, "publish")]).split())
    assert "k, l and t of 1 of 1 tables are those of pyCANON to four places." in told
    assert (
        "0 of 1 may be published as they are. 1 still hold the column that names people, and 1 have" in told
    )
    assert "with roles given, 1 of 1 may be published: `drugs_k5`." in told
    assert (
        "| `drugs_k5` | 90, 100 | 5, 1, 0.2500 | 5, 1, 0.2500 | `id` | 10.0 % | 20.0 % / 10.0 % [15.0 %] |"
        in told
    )
    assert "- '0' of age cannot be read and is taken for any value" in told


def test_figures_that_differ_are_not_called_the_same():
    assert "of 0 of 1 tables" in page([run(ALONE, pycanon={"k": 5, "l": 3, "t": 0.25})])


@pytest.mark.data
def test_a_run_is_an_audit_of_both_kinds(data_dir):
    folder = data_dir / "relational"
    if not (folder / DRUGS.file).exists():
        pytest.skip(f"no {folder / DRUGS.file}")
    alone, given = audited(folder, "drugs_k5", DRUGS, quick=True)
    assert (alone["way"], given["way"]) == (ALONE, GIVEN)
    assert (alone["k"], alone["l"]) == (given["k"], given["l"]) == (5, 2)
    assert "was found, not given" in " ".join(alone["reasons"])
    assert "was found, not given" not in " ".join(given["reasons"])


def test_eleven_tables_are_audited():
    assert len(MADE) == 11
