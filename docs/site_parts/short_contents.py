"""The page of Python names: short entries in the table of contents, and all names at its top.

A hook of MkDocs. The headings of the page are whole signatures, which is right for reading and too long for a table of
contents.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

PAGE = "reference/api.md"
NAME = re.compile(r"^### `(?P<name>\w+)[^`]*`$", re.MULTILINE)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Give every name a short anchor, and list them all before the first section."""
    del config, files
    if page.file.src_uri != PAGE:
        return markdown
    names = sorted((match["name"] for match in NAME.finditer(markdown)), key=str.lower)
    listed = " · ".join(f"[`{name}`](#{name})" for name in names)
    marked = NAME.sub(r'\g<0> { #\g<name> data-toc-label="\g<name>" }', markdown)
    return marked.replace("\n## ", f"\n**All names:** {listed}\n\n## ", 1)
