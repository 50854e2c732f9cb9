"""A real browser, where Playwright and Chromium are installed."""

from __future__ import annotations

import itertools
import shutil
import subprocess

import pytest

from reliability.served import Served
from tests.browser.studios import PASSWORD


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
def locked(tmp_path_factory):
    """A studio that a password opens, over TLS, with an empty workspace."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("no openssl on this machine to make a certificate with")
    folder = tmp_path_factory.mktemp("locked")
    names = {"--certificate": "certificate.pem", "--private-key": "key.pem", "--password-file": "password"}
    options = {option: str(folder / name) for option, name in names.items()}
    (folder / "password").write_text(PASSWORD, encoding="utf-8")
    made = "req -x509 -newkey rsa:2048 -noenc -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
    out = ["-out", options["--certificate"], "-keyout", options["--private-key"]]
    subprocess.run([program, *made.split(), *out], check=True, capture_output=True)
    found = Served(folder / "ws", tuple(itertools.chain.from_iterable(options.items())))
    found.start()
    yield found
    found.stop()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    found = Served(tmp_path_factory.mktemp("studio") / "ws")
    found.start()
    yield found
    found.stop()
