"""Links lead somewhere, the map is complete, and the README starts as it should."""

from __future__ import annotations

import re

import pytest
from doc_pages import REPOSITORY, blocks_of, pages

import cloven

PAGES = [*pages(), REPOSITORY / "CHANGELOG.md", REPOSITORY / "examples" / "README.md"]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def prose(page):
    """The text of a page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page):
    """Anchors of the headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def local_links(page):
    return [
        link for link in LINK.findall(prose(page)) if "://" not in link and not link.startswith("mailto:")
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_lead_somewhere(page):
    for link in local_links(page):
        target, _, anchor = link.partition("#")
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), link
        assert file.is_relative_to(REPOSITORY), link
        if anchor:
            assert anchor in anchors(file), link


def test_index_maps_every_page():
    index = REPOSITORY / "docs" / "index.md"
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in local_links(index)}
    every = {page for page in (REPOSITORY / "docs").rglob("*.md") if "results" not in page.parts} - {index}
    assert every <= linked, f"not in docs/index.md: {sorted(every - linked)}"


def test_first_screen_has_exactly_two_commands():
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    first = blocks_of(text)[0]
    assert first.language == "sh"
    assert first.text.split("\n") == ["make demo", "make test", ""]
    assert text[: first.start].count("\n") < 12
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{task}:.*##", makefile, re.MULTILINE) for task in ("demo", "test"))


def test_ci_runs_the_test_command_of_the_readme():
    assert "make test" in (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8")


def test_python_in_the_readme_is_short():
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    code = [block.text for block in blocks_of(text) if block.language == "python"]
    assert len(code) == 1
    assert len(code[0].splitlines()) <= 8


def test_readme_and_changelog_speak_of_this_version():
    assert f"version {cloven.__version__}" in (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert cloven.__version__ in (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
