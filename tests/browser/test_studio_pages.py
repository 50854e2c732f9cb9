"""Every page of the studio in every state: it fits the screen, can be read, and axe finds nothing serious."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path

import pytest

pytest.importorskip("starlette", reason="starlette is not installed (extra `studio`)")

from tests.browser.studio_pages import ELSEWHERE, VISITED, elsewhere, prepared, visit
from tests.browser.studios import SCREENS, tab_of
from tests.browser.test_report_page import CONTRAST

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def studios(browser, served, locked, tmp_path_factory):
    """Two studios, and how to come to each of their pages."""
    with tab_of(browser, served) as tab:
        found = prepared(tab, served, tmp_path_factory.mktemp("files"))
        tab.said = [words for words in tab.said if "status of 4" not in words]
    others = elsewhere(locked)
    assert found.keys() == VISITED.keys()
    assert others.keys() == ELSEWHERE.keys()
    return [(served, found), (locked, others)]


def seen(browser, studios, *look):
    """Every page of both studios, by its name, one after the other in a tab."""
    for served, pages in studios:
        with tab_of(browser, served, *look, ignore_https_errors=True) as tab:
            for name, way in pages.items():
                visit(tab, name, way)
                yield tab, name


@pytest.mark.parametrize("screen", SCREENS)
def test_no_page_is_wider_than_the_screen(browser, studios, screen):
    for tab, name in seen(browser, studios, screen):
        wide = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide == 0, name


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_enough_contrast(browser, studios, scheme):
    for tab, name in seen(browser, studios, "desk", scheme):
        low = [(round(ratio, 2), words) for ratio, words in tab.evaluate(CONTRAST) if ratio < 4.5]
        assert low == [], name


def test_axe_finds_no_serious_fault(browser, studios):
    package = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    rules = Path(package.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
    for tab, name in seen(browser, studios):
        tab.evaluate(rules)
        found = tab.evaluate("axe.run(document, {resultTypes: ['violations']})")
        serious = [
            (each["id"], each["nodes"][0]["html"][:200])
            for each in found["violations"]
            if each["impact"] in ("serious", "critical")
        ]
        assert serious == [], name


def test_screens_of_the_docs_can_be_taken_anew(browser, served, tmp_path):
    """One of them, as ``docs/pictures/screens.py`` takes all."""
    place = Path(__file__).resolve().parents[2] / "docs/pictures/screens.py"
    screens = run_path(str(place), run_name="screens")
    screens["Camera"](browser, served, tmp_path).take("home", f"{served.origin}/", tuple(screens["LOOKS"]))
    taken = {each.name: each.read_bytes()[:8] for each in tmp_path.iterdir()}
    assert taken == dict.fromkeys(
        ("studio-home.png", "studio-home-dark.png", "studio-home-phone.png"), b"\x89PNG\r\n\x1a\n"
    )
