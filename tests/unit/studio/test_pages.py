"""Every page is opened in a browser, too: a new one cannot be forgotten."""

from __future__ import annotations

import re
from importlib.resources import files

from tests.browser.studio_pages import DOOR, VISITED


def test_every_page_is_visited_by_the_tests_in_a_browser():
    texts = {
        each.name: each.read_text(encoding="utf-8")
        for each in (files("cloven.studio") / "templates").iterdir()
        if each.name.endswith(".html")
    }
    frames = {name for text in texts.values() for name in re.findall(r'{% extends "([^"]+)"', text)}
    pages = {name for name, text in texts.items() if "{% extends" in text} - frames
    assert len(pages) > 25
    assert set(VISITED.values()) - {DOOR} == pages
