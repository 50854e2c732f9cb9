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


@pytest.fixture(scope="module")
def axe():
    """The rules of axe, as a script."""
    package = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    return Path(package.__file__).with_name("axe.min.js").read_text(encoding="utf-8")


def look(tab, screen, scheme):
    """Show the page that is open on such a screen, in such colours; it is laid out by its style alone."""
    width, height = SCREENS[screen]
    tab.set_viewport_size({"width": width, "height": height})
    tab.emulate_media(color_scheme=scheme)
    tab.wait_for_function(
        "([width, scheme]) => innerWidth === width && matchMedia(`(prefers-color-scheme: ${scheme})`).matches",
        arg=[width, scheme],
    )


def too_wide(tab):
    wide = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [f"{wide} pixels wider than the screen"] if wide else []


def pale(tab):
    found = tab.evaluate(CONTRAST)
    assert found, "no text was found"
    return [f"contrast {ratio:.2f} of {words!r}" for ratio, words in found if ratio < 4.5]


def serious(tab, rules):
    tab.evaluate(rules)
    found = tab.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert found["passes"], "axe looked at nothing"
    return [
        f"axe: {each['id']} at {each['nodes'][0]['html'][:200]}"
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
    ]


def faults(tab, rules):
    """What is wrong with the page that is open, by how it was looked at; at the end it is on a desk, in the light."""
    found = {}
    look(tab, "phone", "light")
    found["phone"] = too_wide(tab)
    look(tab, "desk", "dark")
    found["desk, dark"] = too_wide(tab) + pale(tab)
    look(tab, "desk", "light")
    found["desk, light"] = too_wide(tab) + pale(tab) + serious(tab, rules)
    return found


def test_every_page_fits_the_screen_can_be_read_and_axe_finds_no_serious_fault(browser, studios, axe):
    """Every page is visited once and looked at in every way; all that is wrong is told, by page and look."""
    found = {}
    for served, pages in studios:
        with tab_of(browser, served, ignore_https_errors=True) as tab:
            for name, way in pages.items():
                visit(tab, name, way)
                found |= {(name, how): wrong for how, wrong in faults(tab, axe).items()}
    assert len(found) == 3 * len(VISITED | ELSEWHERE)
    assert {place: wrong for place, wrong in found.items() if wrong} == {}


def test_what_is_wrong_with_a_page_is_found(browser, axe):
    """The looks themselves, on a page with a fault of each kind; else a page that is never seen would pass."""
    tab = browser.new_context().new_page()
    tab.set_content("""<html lang="en"><title>x</title><style>
      p { color: black; background: white; width: 600px }
      @media (prefers-color-scheme: dark) { p { color: #333; background: #222 } }
    </style><p>words</p><img src="data:,">""")
    found = faults(tab, axe)
    assert [len(wrong) for wrong in found.values()] == [1, 1, 1], found
    assert "wider" in found["phone"][0]
    assert "contrast 1.26 of 'words'" in found["desk, dark"]
    assert "image-alt" in found["desk, light"][0]
    tab.context.close()


def test_screens_of_the_docs_can_be_taken_anew(browser, served, tmp_path):
    """One of them, as ``docs/pictures/screens.py`` takes all."""
    place = Path(__file__).resolve().parents[2] / "docs/pictures/screens.py"
    screens = run_path(str(place), run_name="screens")
    screens["Camera"](browser, served, tmp_path).take("home", f"{served.origin}/")
    taken = {each.name: each.read_bytes()[:8] for each in tmp_path.iterdir()}
    assert taken == {"studio-home.png": b"\x89PNG\r\n\x1a\n"}
