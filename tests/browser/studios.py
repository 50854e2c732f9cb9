"""Tabs that are let in by a studio, for tests in a browser."""

from __future__ import annotations

import re
import time
from contextlib import contextmanager

SCREENS = {"desk": (1280, 800), "phone": (390, 844)}
PASSWORD = "horse battery staple"  # noqa: S105 - of a studio that lives as long as the tests
LONG = 120_000
"""Milliseconds that an audit of a few people may take on a busy machine."""
BASKETS = "\n".join(
    ",".join(
        sorted({["milk", "bread", "tea", "rice", "eggs", "beer"][n] for n in (i % 6, i * 5 % 6, i // 7 % 6)})
    )
    for i in range(90)
)
PEOPLE = "age,sex,illness\n" + "\n".join(
    f"{20 + i % 40},{'fm'[i % 2]},{['flu', 'gout', 'mumps', 'zoster'][i * 7 % 4]}" for i in range(120)
)


@contextmanager
def tab_of(browser, served, screen="desk", scheme="light", **options):
    """A tab that was let in, and notes all that it asks and says."""
    size = SCREENS[screen]
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, accept_downloads=True, **options
    )
    context.set_default_timeout(LONG)
    tab = context.new_page()
    tab.asked, tab.said = [], []
    context.on("request", lambda request: tab.asked.append(request.url))
    tab.on("dialog", lambda dialog: (tab.said.append(dialog.message), dialog.dismiss()))
    tab.on("console", lambda message: tab.said.append(message.text))
    tab.on("pageerror", lambda error: tab.said.append(str(error)))
    tab.goto(served.another())
    if "--password-file" in served.options:
        tab.get_by_label("Password").fill(PASSWORD)
        tab.get_by_role("button", name="Enter").click()
        tab.get_by_role("link", name="New release").wait_for()
        tab.said.clear()  # that it was not let in yet
    tab.wait_for_url(f"{served.origin}/")
    yield tab
    hosts = {re.match(r"\w+://[^/]+", url)[0] for url in tab.asked}
    assert hosts == {served.origin}
    said = [words for words in tab.said if "422" not in words]
    assert said == [], said
    context.close()


def upload(tab, served, tmp_path, name, text):
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    upload_file(tab, served, file)


def upload_file(tab, served, file):
    tab.goto(f"{served.origin}/data")
    tab.set_input_files("#file", file)
    tab.get_by_role("button", name="Upload").click()
    tab.get_by_role("heading", name="Sets of items").wait_for(timeout=LONG)


def choose_method(tab, name):
    tab.locator("html.scripted").wait_for(state="attached")
    tab.get_by_label("Method").select_option(name)
    tab.wait_for_url(f"**method={name}")


def attack(tab, attackers=("2 items of a person",)):
    """From the form of a method to the verdict, quickly."""
    tab.get_by_role("button", name="On to the attackers").click()
    tab.get_by_label("A first look").check()
    tab.get_by_label("Look for something better").uncheck()
    for box in tab.locator("input[name=threat]").all():
        box.set_checked(box.get_attribute("value") in attackers or attackers is None)
    tab.get_by_role("button", name="Start the attacks").click()
    tab.locator("#verdict").wait_for(timeout=LONG)


def noting_browser(folder, monkeypatch):
    """Have studios open a browser that only notes its command line, which every user of the machine can read."""
    noted, program = folder / "command-line", folder / "browser"
    program.write_text(f'#!/bin/sh\nprintf "%s" "$*" > {noted}.part\nmv {noted}.part {noted}\n')
    program.chmod(0o700)
    monkeypatch.setenv("BROWSER", f"{program} %s")
    return noted


def opened_by(noted, seconds=30.0):
    """What that browser was given."""
    ends = time.monotonic() + seconds
    while not noted.exists():
        assert time.monotonic() < ends, "no browser was opened"
        time.sleep(0.05)
    return noted.read_text()
