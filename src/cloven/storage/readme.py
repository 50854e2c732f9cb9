"""``README.md`` of a release: what it is, what it promises, and how to read it, for whoever receives it.

A text beside a release could hide anything. So it is a function of the manifest alone, and only of numbers and short
names there; ``verify_folder`` accepts this text, or none, and no other. What was once written stays accepted: a new
wording is a new entry of ``WORDINGS``, before the older ones.
"""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

from cloven.storage.manifest import format_named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.storage.manifest import Guide

README = "README.md"


def readmes(manifest: Mapping[str, Any]) -> tuple[bytes, ...]:
    """All texts that may stand beside this manifest, the newest first; none if its kind has no guide."""
    guide = format_named(manifest["format"], README).guide
    if guide is None:
        return ()
    return tuple(wording(manifest, guide(manifest)).encode() for wording in WORDINGS)


def _first(manifest: Mapping[str, Any], guide: Guide) -> str:
    marks = [name for name in ("unsafe", "seeded") if manifest[name]]
    warning = (
        f"**This release is marked {' and '.join(marks)}: for experiments, not for use.**" if marks else ""
    )
    parts = [
        "# An anonymised release",
        warning,
        guide.what,
        "## What is promised",
        guide.promise,
        "## The files",
        "\n".join(fill(f"- {line}", 110, subsequent_indent="  ") for line in guide.tables),
        "## In Python",
        f'```python\nimport cloven as cv\n\nrelease = cv.read_release(".")\n{guide.python}\n```',
        "To check that this folder is what it says it is: `cloven verify .`",
        "## In SQL (DuckDB)",
        f"```sql\n{guide.sql}\n```",
        "## In R",
        f"```r\nlibrary(arrow)\n{guide.r}\n```",
        f"Written by Cloven {manifest['version']} from manifest.json alone.",
    ]
    shaped = (part if part.startswith(("#", "```", "- ")) else fill(part, 110) for part in parts if part)
    return "\n\n".join(shaped) + "\n"


WORDINGS = (_first,)
