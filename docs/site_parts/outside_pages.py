"""Pages of the site that do not lie in docs/: README, CONTRIBUTING, the changelog, the licence and the examples.

A hook of MkDocs. Pages link to these files as they lie in the repository, so that the links work there; here the files
join the site, and every link that crosses the border of docs/ is turned to where its target has gone.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.structure.files import File, InclusionLevel

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

DOCS = "docs"
PLACES = {
    "README.md": "project/readme-page.md",  # a README would become the index of its folder
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "LICENSE": "project/licence.md",
    "examples/README.md": "examples/index.md",
}
LINK = re.compile(r"(?P<before>\]\()(?P<target>[^)\s#]*)(?P<rest>[^)\s]*\))")
NAMED = re.compile(r"^(```\w+) file=\S+$", re.MULTILINE)
"""A block that a reader saves as a file: the site knows no such names, and would take it for a paragraph."""
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Let the files outside docs/ join."""
    repository = Path(config.docs_dir).parent
    for origin, place in _places(repository).items():
        level = InclusionLevel.INCLUDED if origin in PLACES else InclusionLevel.NOT_IN_NAV
        files.append(File.generated(config, place, content=_page(repository / origin), inclusion=level))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links that cross the border of docs/ to where their target has gone."""
    del files
    markdown = NAMED.sub(r"\1", markdown)
    places = _places(Path(config.docs_dir).parent)
    origins = {place: origin for origin, place in places.items()}
    here = page.file.src_uri
    origin = origins.get(here, f"{DOCS}/{here}")

    def turned(link: re.Match[str]) -> str:
        if not link["target"] or ":" in link["target"]:
            return link[0]
        meant = posixpath.normpath(posixpath.join(posixpath.dirname(origin), link["target"]))
        place = places.get(meant) or places.get(f"{meant}/README.md")
        if place is None and meant.startswith(f"{DOCS}/"):
            place = meant.removeprefix(f"{DOCS}/")
        if place is None:
            return link[0]  # MkDocs will say that it leads nowhere
        return f"{link['before']}{posixpath.relpath(place, posixpath.dirname(here) or '.')}{link['rest']}"

    # Every second part is a fenced block, which is left as it is.
    parts = FENCE.split(markdown)
    return "".join(part if number % 2 else LINK.sub(turned, part) for number, part in enumerate(parts))


def _places(repository: Path) -> dict[str, str]:
    """Where each file outside docs/ stands in the site."""
    scripts = sorted(path.stem for path in (repository / "examples").glob("*.py"))
    return PLACES | {f"examples/{name}.py": f"examples/{name}.md" for name in scripts}


def _page(file: Path) -> str:
    """A file as a page."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        return f"# {file.name}\n\n```python\n{text}```\n"
    return text if file.suffix == ".md" else f"# Licence\n\n```text\n{text}```\n"
