"""The figures of the charts, and that they are drawn as long, as far and as many as they are."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import pytest

from cloven.report import drawing as drawn
from cloven.report import rows
from cloven.report.rows import told
from cloven.report.svg import across
from cloven.report.words import of_confidence, of_risk

gallery = SimpleNamespace(
    **run_path(str(Path(__file__).resolve().parents[3] / "docs/pictures/gallery.py"), run_name="gallery")
)

NEAR, FAR = {"value": 0.05, "low": 0.0, "high": 0.1}, {"value": 0.5, "low": 0.4, "high": 0.6}
LONG = {"guesses": False, "name": "certain", "members": FAR, "outsiders": FAR, "excess": NEAR}


def test_every_risk_is_a_row_beside_guessing_and_control(owner):
    found = rows.reached(owner)
    for risk in owner["risks"]:
        mine = {row.who: row.value for row in found if row.threat == risk["threat"]}
        judged = rows.WHO if risk["excess"] is None else rows.ADDS
        expected = {who: risk[name]["value"] for who, name in judged.items() if risk[name] is not None}
        assert mine == expected


def test_scores_stay_on_the_scale_with_their_ends_in_order(owner):
    found = rows.kept(owner)
    assert found
    for row in found:
        assert row.low is None or 0 <= row.low <= row.score + 1e-9 <= row.high + 2e-9 <= 1 + 2e-9
    assert [row.measure for row in found if row.headline] == [owner["utility"]["headline"]]


def test_sizes_lose_no_group():
    document = {"sizes": [{"size": size, "groups": size % 7} for size in range(5, 1000, 3)]}
    found = rows.sizes(document)
    assert sum(row.groups for row in found) == sum(each["groups"] for each in document["sizes"])
    assert len(found) <= rows.MOST_COLUMNS
    assert all(one.high + 1 == two.low for one, two in itertools.pairwise(found))
    assert rows.sizes({"sizes": []}) == []


def test_bars_are_as_long_as_their_values(owner):
    drawing = drawn.utility(owner)
    widths = [float(width) for width in re.findall(r'<rect x="0" [^>]*width="([\d.]+)%"', drawing)]
    assert widths == pytest.approx([100 * row.score for row in rows.kept(owner)], abs=0.01)


def test_points_lie_where_their_figures_are(owner):
    for risk in owner["risks"]:
        if "calibration" in risk["details"]:
            risk["details"]["calibration"]["bins"] = [
                {"low": 0.4, "high": 0.5, "count": 100, "confidence": 0.5, "true": 0.25},
                {"low": 0.9, "high": 1, "count": 5, "confidence": 1.0, "true": 1.0},
            ]
    drawing = next(iter(drawn.calibration(owner).values()))
    assert 'cx="50%" cy="75%"' in drawing
    assert drawing.count("point attacker few") == 1


@pytest.mark.parametrize(
    ("change", "tone", "words"),
    [
        ({}, "good", "below the limit"),
        ({"attacker": {"value": 0.19, "low": 0.18, "high": 0.21}}, "bad", "may be above the limit"),
        ({"attacker": {"value": 0.3, "low": 0.25, "high": 0.4}}, "bad", "above the limit"),
        ({"attacker": {"value": 0.3, "low": 0.25, "high": 0.4}, "counts": False}, "quiet", "not judged"),
        ({"broken": 3}, "bad", "breaks the promise"),
        ({"not_tried": "too large"}, "quiet", "not tried"),
        ({"attacker": None}, "quiet", "nothing to measure"),
        ({"attacker": FAR, "outsiders": FAR, "excess": NEAR}, "good", "below the limit"),
        ({"attacker": NEAR, "outsiders": NEAR, "excess": FAR}, "bad", "above the limit"),
        ({"tails": [LONG]}, "bad", "tells too much"),
        ({"tails": [LONG], "counts": False}, "quiet", "not judged"),
    ],
)
def test_each_risk_is_judged_in_words(owner, change, tone, words):
    plain = next(risk for risk in owner["risks"] if risk["excess"] is None and risk["counts"])
    risk = plain | {"attacker": {"value": 0.1, "low": 0.09, "high": 0.11}, "broken": 0} | change
    sign = of_risk(risk, 0.2, owner["limits"])
    assert (sign.tone, sign.words) == (tone, words)


def test_nobody_is_called_calibrated_whose_surest_guesses_are_wrong():
    """Many guesses near the truth must not hide a few that are far from it."""
    near = rows.Sure("t", 0.15, 0.16, 20_000, enough=True)
    sure = rows.Sure("t", 0.526, 0.161, 62, enough=True)
    few = rows.Sure("t", 0.9, 0.0, 3, enough=False)
    assert of_confidence([near, sure]).startswith("Overconfident")
    assert of_confidence([few]).startswith("Never sure")
    assert of_confidence([rows.Sure("t", 1.0000000000000002, 1.0, 1080, enough=True)]).startswith(
        "Calibrated"
    )
    modest = rows.Sure("t", 0.526, 0.9, 62, enough=True)
    assert of_confidence([near, modest]).startswith("Underconfident")
    believed = rows.Sure("t", 0.526, 0.45, 62, enough=True)  # as far as chance explains
    assert of_confidence([near, believed, few]).startswith("Calibrated: its confidence can be believed")
    both = [rows.Sure("t", 0.2, 0.3, 500, enough=True), rows.Sure("t", 0.3, 0.2, 500, enough=True)]
    last = rows.Sure("t", 0.5, 0.5, 100, enough=True)
    assert of_confidence([*both, last]).startswith("Calibrated on average only")


def test_pictures_are_whole_files(owner):
    from xml.etree import ElementTree as Tree  # our own output

    for picture in (*gallery.pictures(owner).values(), gallery.first_screen(owner)):
        assert Tree.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314


def test_each_way_of_knowing_is_a_row_with_the_reader_that_adds_most(owner):
    (found,) = told(owner)
    risk = owner["risks"][0]
    assert found.name == risk["threat"] == "a known person"
    names = [row.label.partition(" (")[0] for row in found.totals]
    assert names == ["told at 0.8", "told at 0.95", "certain"]
    assert all(row.label.endswith(" known)") for row in found.totals[1:])
    assert [row.limit for row in found.totals] == [0.05, 0.01, 0.01]
    ways = risk["details"]["ways"]
    assert [row.label for row in found.shown] == list(dict.fromkeys(way["known"] for way in ways))
    for row in found.shown:
        mine = [way["told"]["0.8"]["excess"][2] for way in ways if way["known"] == row.label]
        assert row.excess[2] in mine
    judged = [row for row in found.shown if row.judged]
    assert max(row.excess[2] for row in judged) == risk["excess"]["high"]


def test_public_rows_are_totals_alone(shared):
    known = shared["risks"][0]
    (found,) = told(shared)
    assert known["details"] == {}
    assert (found.ways, found.people, found.histogram) == ((), (), ())
    assert found.shown == found.totals
    assert drawn.told_of(found) is None


def test_dots_lie_where_their_figures_are(owner):
    (found,) = told(owner)
    drawing = drawn.told(found)
    assert drawing.count("<circle") == drawing.count('<rect x="') == len(found.shown)
    (axis,) = re.findall(r">(\d+) %</text></svg>", drawing) or ["100"]
    assert f'cx="{across(found.shown[0].members[0] / (int(axis) / 100))}"' in drawing


def test_tails_of_a_threat_without_a_mean_beside_outsiders_are_shown(owner):
    owner["risks"] = [owner["risks"][1] | {"tails": [LONG]}]
    (found,) = told(owner)
    assert [row.label for row in found.totals] == [row.label for row in found.shown] == ["certain"]
