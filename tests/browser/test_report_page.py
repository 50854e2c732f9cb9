"""The report as a browser shows it: nothing is asked of a network, names stay text, it fits, and it can be read."""

from __future__ import annotations

from dataclasses import replace

import pytest

import cloven as cv
from cloven.audit.loop import Audit
from cloven.report.page import page
from cloven.threats import Effort

pytestmark = pytest.mark.browser

EVIL = "<script>alert(1)</script>"
SCREENS = {"desktop": (1280, 800), "phone": (390, 844)}
CONTRAST = """() => {
  const channel = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b)
  const numbers = (text) => text.match(/[\\d.]+/g).map(Number)
  const ground = (node) => {
    for (; node; node = node.parentElement) {
      const found = numbers(getComputedStyle(node).backgroundColor)
      if (found.length === 3 || found[3] > 0) return found
    }
    return [255, 255, 255]
  }
  const shown = "h1, h2, h3, p, li, dt, dd, th, td, a, code, summary, caption, .badge, svg text"
  return [...document.querySelectorAll(shown)].filter((node) => node.textContent.trim()).map((node) => {
    const style = getComputedStyle(node)
    const ink = numbers(node instanceof SVGElement ? style.fill : style.color)
    // numbers of points stand on a shape of the chart, which is no element around them
    const shape = node.matches(".number") && node.parentElement.querySelector(".shape")
    const behind = shape ? numbers(getComputedStyle(shape).fill) : ground(node)
    const [one, two] = [ink, behind].map(light).sort((a, b) => b - a)
    return [(one + 0.05) / (two + 0.05), node.textContent.trim().slice(0, 60)]
  })
}"""


@pytest.fixture(scope="module")
def documents():
    """An audit of data in which items are called like attacks on a page: for the owner, and for the public."""
    names = {
        "asthma": EVIL,
        "fever": '"><img src=x onerror=alert(2)>',
        "cough": "a\u202eb",
        "pain": "x" * 300,
    }
    records = [[names.get(item, item) for item in record] for record in cv.sample("clinic")]
    method = cv.Disassociation(k=5, m=2, max_cluster_size=30)
    found = Audit(method, effort=Effort().quick(), seed=1, title=f"clinic {EVIL}").run(
        cv.Transactions.from_records(records)
    )
    owner = found.to_dict()
    owner["data"]["rare_item_names"] += list(names.values())
    return {
        "owner": owner,
        "withheld": found.to_dict("public"),
        "public": of_many_groups(found).to_dict("public"),
    }


def of_many_groups(found):
    """The same audit as if it were about a large release, so that its totals are told."""

    def large(risk):
        kinds = [part | {"groups": 100} for part in risk.details.get("by_kind", [])]
        return replace(risk, details={**risk.details, "by_kind": kinds})

    main, *others = (
        replace(outcome, groups=100, risks=tuple(map(large, outcome.risks)))
        for outcome in (found.outcome, *found.others)
    )
    return replace(found, outcome=main, others=tuple(others))


@pytest.fixture(params=["owner", "withheld", "public"])
def file(request, documents, tmp_path):
    place = tmp_path / f"{request.param}.html"
    place.write_text(page(documents[request.param]), encoding="utf-8")
    return place


def opened(browser, file, size=SCREENS["desktop"], scheme="light"):
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    tab = context.new_page()
    tab.asked, tab.said = [], []
    tab.on("request", lambda request: tab.asked.append(request.url))
    tab.on("dialog", lambda dialog: (tab.said.append(dialog.message), dialog.dismiss()))
    tab.on("console", lambda message: tab.said.append(message.text))
    tab.on("pageerror", lambda error: tab.said.append(str(error)))
    tab.goto(file.as_uri())
    return tab


def unfold(tab):
    tab.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")


def test_no_request_leaves_the_page_and_nothing_runs(browser, file):
    tab = opened(browser, file)
    unfold(tab)
    tab.mouse.wheel(0, 20000)
    tab.wait_for_timeout(200)
    assert [url for url in tab.asked if not url.startswith("data:")] == [file.as_uri()]
    assert tab.said == []
    tab.context.close()


def test_hostile_names_are_shown_as_text(browser, documents, tmp_path):
    place = tmp_path / "owner.html"
    place.write_text(page(documents["owner"]), encoding="utf-8")
    tab = opened(browser, place)
    unfold(tab)
    assert EVIL in tab.inner_text("h1")
    shown = tab.inner_text("body")
    for text in (EVIL, '"><img src=x onerror=alert(2)>', "a⟨U+202E⟩b"):
        assert text in shown.replace("clinic " + EVIL, "")
    assert tab.locator("script, img").count() == 0
    assert tab.said == []
    tab.context.close()


@pytest.mark.parametrize("screen", SCREENS)
def test_page_is_never_wider_than_the_screen(browser, file, screen):
    tab = opened(browser, file, SCREENS[screen])
    for _ in ("folded", "unfolded"):
        wide = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide == 0
        outside = tab.evaluate(
            "[...document.querySelectorAll('svg text')].map((each) => each.getBoundingClientRect())"
            ".filter((box) => box.width && (box.left < 0 || box.right > innerWidth)).length"
        )
        assert outside == 0
        unfold(tab)
    tab.context.close()


@pytest.mark.parametrize("screen", SCREENS)
def test_verdict_is_on_the_first_screen(browser, file, screen):
    tab = opened(browser, file, SCREENS[screen])
    box = tab.locator(".verdict h2").bounding_box()
    assert box["y"] + box["height"] < SCREENS[screen][1] / 2
    if screen == "desktop":  # and the first figures stand beside it
        beside = tab.locator(".first h2").nth(1).bounding_box()
        assert beside["y"] + beside["height"] < SCREENS[screen][1]
    tab.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_enough_contrast(browser, file, scheme):
    tab = opened(browser, file, scheme=scheme)
    unfold(tab)
    found = tab.evaluate(CONTRAST)
    assert len(found) > 50
    assert [(round(ratio, 2), text) for ratio, text in found if ratio < 4.5] == []
    ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(20, 24, 29)") == (scheme == "dark")
    tab.context.close()


def test_everything_that_opens_is_reached_by_the_keyboard(browser, file):
    tab = opened(browser, file)
    stops = tab.locator("a, summary").count()
    seen = set()
    for _ in range(3 * stops):
        tab.keyboard.press("Tab")
        seen.add(
            tab.evaluate("document.activeElement.tagName + document.activeElement.textContent.slice(0, 80)")
        )
    every = "[...document.querySelectorAll('a, summary')]"
    wanted = tab.evaluate(f"{every}.map((each) => each.tagName + each.textContent.slice(0, 80))")
    assert set(wanted) <= seen
    tab.context.close()
