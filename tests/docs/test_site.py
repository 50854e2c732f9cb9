"""The documentation builds into a site without a complaint, and the site needs nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from doc_pages import REPOSITORY

DOCS = REPOSITORY / "docs"
PICTURES = DOCS / "pictures"
REMOTE = re.compile(r"^(https?:)?//", re.IGNORECASE)
# What a browser fetches by itself; a link (a, area) it follows only when told to.
FETCHED = ("src", "srcset", "href", "data", "poster", "action", "xlink:href")
FOLLOWED = ("a", "area")
IN_STYLE = re.compile(r"""(?:url\(|@import)\s*['"]?((?:https?:)?//[^'")\s]+)""", re.IGNORECASE)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=REPOSITORY,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


class Page(HTMLParser):
    """What a page fetches, where its links lead, and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.fetched, self.links, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors |= {values["id"]} if values.get("id") else set()
        if tag in FOLLOWED:
            self.links.append(values.get("href") or "")
        elif (tag, values.get("rel")) != ("link", "canonical"):
            self.fetched += [values[name] for name in FETCHED if values.get(name)]
        self.fetched += IN_STYLE.findall(values.get("style") or "")


def parsed(site):
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def test_the_search_for_remote_hosts_finds_them():
    page = Page(
        '<link rel="preconnect" href="https://fonts.gstatic.com"><script src="//cdn.example/x.js"></script>'
        '<p style="background: url(https://cdn.example/x.png)"><a href="https://example.org">a link</a>'
    )
    assert len([target for target in page.fetched if REMOTE.match(target)]) == 3
    assert (
        IN_STYLE.findall('@import "https://cdn.example/x.css"; a { background: url(//cdn.example/y.png) }')
        != []
    )


def test_no_page_fetches_anything_from_a_remote_host(site):
    pages = parsed(site)
    assert len(pages) > 40
    assert any(page.fetched for page in pages.values())
    for path, page in pages.items():
        assert not [target for target in page.fetched if REMOTE.match(target)], path.name


def test_no_style_and_no_picture_fetches_anything_from_a_remote_host(site):
    files = [*site.rglob("*.css"), *site.rglob("*.svg")]
    assert len(files) > 10
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert not IN_STYLE.findall(text), path.name
        if path.suffix == ".svg":
            assert not [target for target in Page(text).fetched if REMOTE.match(target)], path.name


def test_every_link_leads_to_a_page_and_an_anchor_of_the_site(site):
    pages = parsed(site)
    for path, page in pages.items():
        for link in page.links:
            target, _, anchor = unquote(link).partition("#")
            if ":" in target or path.name == "404.html":
                continue
            file = (path.parent / target).resolve() if target else path
            file = file / "index.html" if file.is_dir() else file
            assert file.exists(), f"{path.name}: {link}"
            if anchor and file in pages and not anchor.startswith("__"):
                assert anchor in pages[file].anchors, f"{path.name}: {link}"


def test_every_page_of_the_documentation_is_in_the_navigation():
    text = (REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = re.findall(r"([\w./-]+\.md)$", text, re.MULTILINE)
    every = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert len(listed) == len(set(listed)), "a page is listed twice"
    assert every <= set(listed), f"not in mkdocs.yml: {sorted(every - set(listed))}"


def test_every_public_name_can_be_linked_to(site):
    import cloven

    page = Page((site / "reference" / "api.html").read_text(encoding="utf-8"))
    names = set(dir(cloven)) - {"__version__"}
    assert names <= page.anchors
    assert {f"#{name}" for name in names} <= set(page.links)


def test_examples_and_the_readme_are_part_of_the_site(site):
    scripts = sorted(path.stem for path in (REPOSITORY / "examples").glob("*.py"))
    assert all((site / "examples" / f"{name}.html").exists() for name in scripts)
    readme = Page((site / "project" / "readme-page.html").read_text(encoding="utf-8"))
    assert "../explanation/promise.html" in readme.links


def test_pictures_are_what_their_script_draws(tmp_path):
    subprocess.run([sys.executable, str(PICTURES / "make.py"), str(tmp_path)], check=True)
    drawn = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.svg")}
    # Those of charts show measurements and take a minute: docs/pictures/charts.py makes them.
    measured = {
        path for path in PICTURES.glob("*.svg") if path.stem == "report" or path.stem.startswith("chart-")
    }
    assert len(measured) > 1
    kept = {path.name: path.read_text(encoding="utf-8") for path in set(PICTURES.glob("*.svg")) - measured}
    assert sorted(drawn) == sorted(kept)
    assert drawn == kept, "run python docs/pictures/make.py"


def test_every_picture_is_shown_and_described():
    shown = {}
    for page in (REPOSITORY / "README.md", *DOCS.rglob("*.md")):
        for words, target in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            assert words.strip(), f"{page.name}: {target} says nothing to those who do not see it"
            file = (page.parent / target).resolve()
            assert file.exists(), f"{page.name}: {target}"
            shown[file] = page
    unused = {path for path in PICTURES.glob("*.svg") if path.stem != "favicon"} - set(shown)
    assert not unused
