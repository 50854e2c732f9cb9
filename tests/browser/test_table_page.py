"""The report of a table as a browser shows it: names of measures are long there, and bars must still have room."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

import cloven as cv
from cloven.audit.loop import Audit
from cloven.data.table import Attribute, Table
from cloven.report.page import page
from cloven.threats import Effort

pytestmark = pytest.mark.browser

SCREENS = {"desktop": (1280, 800), "phone": (390, 844), "small phone": (320, 640)}
BOXES = "(found) => found.map((each) => each.getBoundingClientRect()).filter((box) => box.width)"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The owner's page of a small table, compared with another method."""
    lots = np.random.default_rng(3)
    values = {"age": 40, "sex": 2, "work": 3, "illness": 5}
    roles = {name: "sensitive" if name == "illness" else "quasi-identifier" for name in values}
    attributes = tuple(
        Attribute(name, roles[name], tuple(f"{number:02d}" for number in range(many)))
        for name, many in values.items()
    )
    cells = np.stack([lots.integers(0, many, 240) for many in values.values()], axis=1).astype(np.int32)
    audit = Audit(
        cv.Slicing(k=4, l=2), rivals=(cv.Mondrian(k=4),), effort=Effort().quick(), seed=1, title="people"
    )
    document = audit.run(Table(attributes, cells, np.arange(240))).to_dict()
    place = tmp_path_factory.mktemp("table") / "report.html"
    place.write_text(page(document), encoding="utf-8")
    return place


@pytest.fixture(params=SCREENS)
def tab(request, browser, file):
    width, height = SCREENS[request.param]
    context = browser.new_context(viewport={"width": width, "height": height})
    opened = context.new_page()
    opened.goto(file.as_uri())
    yield opened
    context.close()


def test_nothing_is_wider_than_the_screen(tab):
    for _ in ("folded", "unfolded"):
        root = "document.documentElement"
        assert tab.evaluate(f"{root}.scrollWidth - {root}.clientWidth") == 0
        width = tab.viewport_size["width"]
        boxes = tab.locator("svg text").evaluate_all(BOXES)
        assert [box for box in boxes if box["left"] < 0 or box["right"] > width] == []
        tab.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")


def overlap(one, other):
    return (
        min(one["right"], other["right"]) > max(one["left"], other["left"])
        and min(one["bottom"], other["bottom"]) > max(one["top"], other["top"])
    )  # fmt: skip


def test_no_card_lies_on_another(tab):
    assert tab.locator(".told").count() == 2
    for _ in ("two attackers who know somebody", "three"):
        cards = tab.locator(".card").evaluate_all(BOXES)
        assert len(cards) == tab.locator(".card").count()
        assert not [pair for pair in combinations(cards, 2) if overlap(*pair)]
        tab.evaluate("{ const one = document.querySelector('.told'); one.after(one.cloneNode(true)) }")


def test_bars_of_utility_can_be_seen_beside_long_names(tab):
    assert "with sensitive values" in tab.inner_html(".measures")
    chart = tab.locator(".measures svg").bounding_box()
    assert chart["width"] >= (100 if tab.viewport_size["width"] >= 390 else 36)
    bars = tab.locator(".measures .bar").evaluate_all(BOXES)
    assert max(bar["width"] for bar in bars) > 0.9 * chart["width"]
    names = tab.locator(".measures text.end").evaluate_all(BOXES)
    assert max(name["right"] for name in names) < chart["x"]


def test_marks_of_an_axis_stand_apart(tab):
    for chart in tab.locator(".bars, .measures").all():
        marks = chart.locator("text.mark").evaluate_all(BOXES)
        assert len(marks) > 1 or tab.viewport_size["width"] < 390
        assert all(one["right"] < other["left"] for one, other in pairwise(marks))


def test_every_column_of_the_settings_is_in_sight(tab):
    width = tab.viewport_size["width"]
    cells = tab.locator(".settings th, .settings td").evaluate_all(BOXES)
    assert len(cells) >= 2 * 6
    assert max(cell["right"] for cell in cells) <= width
