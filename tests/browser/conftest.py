"""A real browser, where Playwright and Chromium are installed."""

from __future__ import annotations

import shutil

import pytest

from reliability.served import Served


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium; tests that need it are skipped with a reason where it is missing."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed (group `browser`)"
    )
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no chromium on this machine; the Debian package is called chromium")
    quiet = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=program, args=[*quiet, "--disable-sync"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    found = Served(tmp_path_factory.mktemp("studio") / "ws")
    found.start()
    yield found
    found.stop()
