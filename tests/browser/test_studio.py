"""The studio as a browser shows it: the whole way on sets and tables, by hand and by keyboard, on a desk and a phone.

Every tab notes each request, each word of the console and each dialogue: nothing goes to another host, nothing runs
that is not ours.
"""

from __future__ import annotations

import re
import signal
import zipfile

import pytest

from reliability.served import Served
from tests.browser.studios import (
    BASKETS,
    LONG,
    PEOPLE,
    attack,
    choose_method,
    noting_browser,
    opened_by,
    tab_of,
    upload,
    upload_file,
)

pytestmark = pytest.mark.browser
pytest.importorskip("starlette", reason="starlette is not installed (extra `studio`)")

EVIL = [
    "<script>alert(1)</script>",
    "=cmd('calc')",
    "\u202egnp.exe",
    '"><img src=x onerror=alert(2)>',
    "{{7*7}}",
]


def test_the_page_that_the_browser_is_given_lets_it_in(browser, tmp_path, monkeypatch):
    noted = noting_browser(tmp_path, monkeypatch)
    served = Served(tmp_path / "ws", ("--browser",))
    served.start()
    context = browser.new_context()
    try:
        tab = context.new_page()
        tab.goto(opened_by(noted))
        tab.wait_for_url(f"{served.origin}/")
        tab.get_by_role("link", name="New release").wait_for()
        assert list((tmp_path / "ws" / "passing").iterdir()) == []
    finally:
        context.close()
        served.stop()


def test_the_sample_from_the_first_page_to_the_release(browser, served, tmp_path):
    with tab_of(browser, served) as tab:
        tab.goto(f"{served.origin}/data")
        tab.get_by_role("button", name="Use the sample").click()
        tab.get_by_role("heading", name="Who can be singled out").wait_for(timeout=LONG)
        assert "1,000 records" in tab.inner_text(".lede")
        tab.get_by_role("link", name="Protect it").click()
        tab.get_by_label("k", exact=True).fill("1")
        tab.locator("#error-k", has_text="at least 2").wait_for()
        assert tab.get_by_label("k", exact=True).get_attribute("aria-invalid") == "true"
        tab.get_by_label("k", exact=True).fill("7")
        tab.locator("#meaning", has_text="at least 7 people").wait_for()
        assert tab.locator("#error-k").is_hidden()
        attack(tab, ("2 items of a person", "release alone"))
        assert tab.url.startswith(f"{served.origin}/runs/")
        with tab.expect_download() as packed:
            tab.get_by_role("link", name="Download the release").click()
        packed.value.save_as(tmp_path / "release.zip")
        assert "release/published/manifest.json" in zipfile.ZipFile(tmp_path / "release.zip").namelist()
        kept = tab.url
        tab.get_by_role("link", name="Open the inspector").click()
        tab.get_by_role("heading", name="Clusters").first.wait_for(timeout=LONG)
        tab.get_by_role("link", name="Cluster 0").click()
        tab.get_by_role("heading", name="What is published").wait_for(timeout=LONG)
        tab.goto(kept)
        tab.locator("#verdict").wait_for()


def test_what_is_typed_before_the_script_is_there_is_judged_too(browser, served):
    with tab_of(browser, served) as tab:
        tab.goto(f"{served.origin}/data")
        tab.get_by_role("button", name="Use the sample").click()
        tab.get_by_role("heading", name="Who can be singled out").wait_for(timeout=LONG)
        held = []
        tab.route("**/studio.js", lambda route: held.append(route))
        tab.get_by_role("link", name="Protect it").click(no_wait_after=True)
        k = tab.get_by_label("k", exact=True)
        k.fill("1")
        assert k.get_attribute("aria-invalid") is None  # nobody looks yet
        held[0].continue_()
        tab.locator("#error-k", has_text="at least 2").wait_for()
        assert k.get_attribute("aria-invalid") == "true"


def test_an_uploaded_file_of_sets(browser, served, tmp_path):
    with tab_of(browser, served) as tab:
        upload(tab, served, tmp_path, "baskets.csv", BASKETS)
        assert "beer" in tab.inner_text(".head")
        tab.get_by_role("button", name="Read it so").first.click()
        tab.get_by_role("heading", name="Who can be singled out").wait_for(timeout=LONG)
        tab.get_by_role("link", name="Protect it").click()
        choose_method(tab, "coat")
        attack(tab)
        tab.get_by_role("link", name="Download the key").click()
        tab.get_by_role("button", name="Download the key").click()
        assert tab.url.endswith("/key")  # the box is not ticked
        tab.get_by_label("I keep it apart").check()
        with tab.expect_download() as packed:
            tab.get_by_role("button", name="Download the key").click()
        assert "PRIVATE" in packed.value.suggested_filename


def test_a_table_with_its_schema(browser, served, tmp_path):
    with tab_of(browser, served) as tab:
        upload(tab, served, tmp_path, "people.csv", PEOPLE)
        tab.get_by_text("Correct the schema").click()
        schema = tab.get_by_label("Schema (TOML)")
        right = schema.input_value()
        schema.fill("columns = 3")
        tab.get_by_role("button", name="Read it as this table").click()
        tab.locator("#error-schema", has_text="cannot be read").wait_for()
        tab.get_by_label("Schema (TOML)").fill(right)
        tab.get_by_role("button", name="Read it as this table").click()
        tab.get_by_role("heading", name="Who can be singled out").wait_for(timeout=LONG)
        tab.get_by_role("link", name="Protect it").click()
        assert "guesses illness and is not right more often than once in 3" in tab.inner_text("#meaning")
        attack(tab, ())
        assert tab.locator("#verdict").inner_text() == "Do not publish"  # nobody was asked to attack it


@pytest.mark.data
def test_adult_by_its_proposed_schema_to_a_group(browser, served, data_dir):
    """All 30,162 rows as they were published, packed; the roles of the columns as the studio proposes them."""
    file = data_dir / "relational" / "arx_adult" / "adult.csv.gz"
    if not file.is_file():
        pytest.skip(f"{file} is not there")
    with tab_of(browser, served) as tab:
        upload_file(tab, served, file)
        roles = tab.get_by_role("region", name="Proposed roles")
        assert roles.get_by_text("quasi-identifier", exact=True).count() == 8
        assert "sensitive" in roles.get_by_role("row", name="salary-class").inner_text()
        tab.get_by_role("button", name="Read it as this table").click()
        tab.get_by_role("heading", name="Who can be singled out").wait_for(timeout=LONG)
        assert "30,162 rows" in tab.inner_text(".lede")
        tab.get_by_role("link", name="Protect it").click()
        choose_method(tab, "mondrian")
        attack(tab, ("learns from the table",))
        assert tab.locator("#verdict").inner_text() in ("Publish", "Do not publish")
        tab.get_by_role("link", name="Open the inspector").click()
        tab.get_by_role("heading", name="Groups", exact=True).wait_for(timeout=LONG)
        tab.get_by_role("link", name=re.compile("^Group ")).first.click()
        tab.get_by_role("heading", name=re.compile("^Group ")).wait_for(timeout=LONG)
        tab.get_by_role("link", name="Show the truth").click()
        tab.get_by_text("for the owner's eyes only").wait_for(timeout=LONG)


def test_evil_names_are_text_on_every_page(browser, served, tmp_path):
    quoted = [f'"{name.replace(chr(34), 2 * chr(34))}"' for name in EVIL]
    lines = "\n".join(f"{quoted[i % 5]};bread;tea{i % 3}" for i in range(60))
    with tab_of(browser, served) as tab:
        upload(tab, served, tmp_path, "=cmd().csv", lines)
        tab.get_by_text("Another way").click()
        tab.get_by_label("Format").select_option("lines")
        tab.get_by_label("Delimiter", exact=True).fill(";")
        tab.get_by_role("button", name="Read it so").last.click()
        tab.get_by_role("heading", name="Who can be singled out").wait_for(timeout=LONG)
        shown = tab.inner_text("main")
        assert EVIL[0] in shown
        assert "⟨U+202E⟩gnp.exe" in shown
        assert "{{7*7}}" in shown
        tab.get_by_role("link", name="Protect it").click()
        choose_method(tab, "coat")
        tab.get_by_label("Name of this run").fill("<img src=x onerror=alert(3)>")
        attack(tab)
        assert "<img src=x onerror=alert(3)>" in tab.inner_text("h1")
        run = tab.url
        tab.goto(f"{run}/clusters")
        tab.get_by_role("heading", name="Records that look alike", exact=True).first.wait_for(timeout=LONG)
        for path in (
            f"{run}/clusters",
            f"{run}/clusters/0",
            f"{run}/attack",
            f"{run}/report.html",
            f"{served.origin}/",
        ):
            tab.goto(path)
            assert tab.locator("img[src=x]").count() == 0


def test_a_run_is_cancelled_and_goes_on_after_the_app_was_killed(browser, tmp_path):
    served = Served(tmp_path / "ws")
    served.start()
    try:
        with tab_of(browser, served) as tab:
            tab.get_by_role("button", name="Try the sample clinic").click()
            tab.get_by_role("link", name="Protect it").click(timeout=LONG)
            tab.get_by_role("button", name="On to the attackers").click()
            tab.get_by_label("A first look").check()
            for box in tab.locator("input[name=threat]").all():
                box.set_checked(box.get_attribute("value") in ("2 items of a person", "release alone"))
            tab.get_by_label("Look for something better").uncheck()
            tab.get_by_role("button", name="Start the attacks").click()
            tab.get_by_role("button", name="Cancel").click()
            tab.get_by_role("heading", name="Cancelled").wait_for()
            tab.get_by_role("button", name="Go on").click()
            tab.get_by_role("heading", name=re.compile("Attacking|Waiting")).wait_for()
            path = tab.url.removeprefix(served.origin)
            served.stop(signal.SIGKILL)
            tab.said.clear()
            tab.goto("about:blank")
            tab.asked.clear()
            served.start()
            tab.goto(served.address)
            tab.wait_for_url(f"{served.origin}/")
            tab.goto(served.origin + path)
            tab.get_by_role("link", name="To the verdict").or_(tab.locator("#verdict")).first.wait_for(
                timeout=LONG
            )
            tab.said = [words for words in tab.said if "ERR_" not in words]
            tab.asked = [url for url in tab.asked if url.startswith(served.origin)]
    finally:
        served.stop()


def test_the_keyboard_alone_is_enough(browser, served):
    with tab_of(browser, served) as tab:

        def go(name, most=80):
            for _ in range(most):
                tab.keyboard.press("Tab")
                here = tab.evaluate(
                    "(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()"
                )
                if here.startswith(name):
                    shown = tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                    assert shown != "none", f"{name} does not show that it is chosen"
                    return
            raise AssertionError(name)

        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.textContent") == "To the content"
        go("New release")
        tab.keyboard.press("Enter")
        tab.wait_for_url("**/data")
        go("Use the sample")
        tab.keyboard.press("Enter")
        tab.get_by_role("heading", name="Who can be singled out").wait_for(timeout=LONG)
        go("The figures")
        tab.keyboard.press("Enter")
        assert tab.locator("details[open]").count() == 1
        go("Protect")
        tab.keyboard.press("Enter")
        tab.wait_for_url("**/protect")
        go("k")
        tab.keyboard.type("6")
        go("On to the attackers")
        tab.keyboard.press("Enter")
        tab.wait_for_url("**/attack")
        go("Delete this run")
        tab.keyboard.press("Enter")
        tab.wait_for_url("**/delete")
        go("Delete it for good")
        tab.keyboard.press("Enter")
        tab.wait_for_url(re.compile(r"/data/\d+$"))


def test_a_point_of_a_search_is_taken_up(browser, served, tmp_path):
    pytest.importorskip("optuna", reason="optuna is not installed (extra `tune`)")
    with tab_of(browser, served) as tab:
        upload(tab, served, tmp_path, "baskets.csv", BASKETS)
        tab.get_by_role("button", name="Read it so").first.click()
        tab.get_by_role("link", name="Protect it").click(timeout=LONG)
        tab.get_by_role("link", name="Search for settings").click()
        tab.get_by_label("k, at least").fill("3")
        tab.get_by_label("Settings to try").fill("2")
        tab.get_by_role("button", name="Search").click()
        tab.locator("[data-take]").first.wait_for(timeout=LONG)  # it grows
        tab.get_by_role("heading", name="Finished").wait_for(timeout=LONG)
        tab.locator("[data-points] .point .number", has_text="1").last.click()
        tab.wait_for_url("**/protect?**")
        assert tab.get_by_label("k", exact=True).input_value() == "3"


def test_every_page_works_without_scripts(browser, served, tmp_path):
    with tab_of(browser, served, java_script_enabled=False) as tab:
        tab.goto(f"{served.origin}/data")
        tab.get_by_role("button", name="Use the sample").click()
        tab.get_by_role("heading", name="Who can be singled out").wait_for(timeout=LONG)
        tab.get_by_role("link", name="Protect it").click()
        tab.get_by_label("Method").select_option("coat")
        tab.get_by_role("button", name="Take it").click()
        tab.wait_for_url("**method=coat")
        tab.get_by_label("k", exact=True).fill("1")
        tab.get_by_role("button", name="On to the attackers").click()
        tab.locator("#error-k", has_text="from 2").wait_for()


def test_a_second_browser_and_another_site_are_kept_out(browser, served):
    context, other = browser.new_context(), browser.new_context()
    tab, address = context.new_page(), served.another()
    assert tab.goto(address).status == 200
    tab.wait_for_url(f"{served.origin}/")
    assert other.new_page().goto(address).status == 403  # it was used
    assert tab.evaluate("document.cookie") == ""
    # A page of another origin on this machine, which the browser takes for the same site.
    stranger = context.new_page()
    stranger.route(
        "http://127.0.0.1:1/**", lambda route: route.fulfill(body="<p>hello", content_type="text/html")
    )
    stranger.goto("http://127.0.0.1:1/")
    sent = stranger.evaluate(
        f"fetch('{served.origin}/data/sample', {{method: 'POST', credentials: 'include', mode: 'no-cors'}})"
        ".then((answer) => answer.type).catch(() => 'refused')"
    )
    assert sent in ("opaque", "refused")
    read = stranger.evaluate(
        f"fetch('{served.origin}/', {{credentials: 'include'}}).then((a) => a.text()).catch(() => 'refused')"
    )
    assert read == "refused"
    tab.goto(f"{served.origin}/")
    before = tab.locator(".tiles li").count()
    stranger.set_content(
        f'<form method="post" action="{served.origin}/data/sample"><button>x</button></form>'
    )
    stranger.get_by_role("button").click()
    stranger.wait_for_load_state()
    assert "Not from there" in stranger.inner_text("h1")
    tab.goto(f"{served.origin}/")
    assert tab.locator(".tiles li").count() == before
    other.close()
    context.close()
