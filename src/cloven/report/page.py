"""The report as one page of HTML that needs nothing else: no script, no network, no file beside it.

Templates escape all that they are given. What comes from outside (items, threats, settings) is made visible first, see
``visible``; only drawings, which escape their own words, are taken as they are.
"""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from cloven.errors import InputError, OutputError
from cloven.report import words
from cloven.report.view import facts, view
from cloven.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jinja2 import Environment

FORMAT = "cloven.audit/3"


def page(document: Mapping[str, Any]) -> str:
    """The page of an audit document; the public document gives the page that can be shared."""
    if document.get("format") != FORMAT:
        message = f"a report is made from a document of the format {FORMAT}; audit again with this version"
        raise InputError(message, value=str(document.get("format")))
    if "decision" not in document:
        return _environment().get_template("facts.html").render(facts(document))
    return _environment().get_template("report.html").render(view(document))


def save_page(document: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write the page to a file; only its owner may read the owner's page."""
    place = Path(path)
    mode = 0o600 if document.get("audience") == "owner" else 0o644
    text = page(document)
    beside = place.with_name(f".{place.name}.{secrets.token_hex(8)}.partial")
    try:
        # A new file that takes the old one's place: an old one could be read by others, or keep half a page.
        with open(
            beside, "x", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, mode)
        ) as file:
            file.write(text)
        beside.replace(place)
    except OSError as error:
        message = (
            f"{place}: the report cannot be written ({error.strerror}); name another place or make room there"
        )
        raise OutputError(message) from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def prose(text: str, typed: Sequence[str] = ()) -> Markup:
    """Escaped text; words between backticks and those of ``typed`` are shown as what is typed.

    >>> str(prose("see `cloven tune` & <b>")), str(prose("k=5 holds", ["k=5"]))
    ('see <code>cloven tune</code> &amp; &lt;b&gt;', '<code>k=5</code> holds')
    """
    longest_first = sorted(filter(None, typed), key=len, reverse=True)
    pattern = "|".join(["`[^`]+`", *map(re.escape, longest_first)])
    parts = re.split(f"({pattern})", text)
    return Markup().join(
        Markup("<code>{}</code>").format(_breakable(part.strip("`"))) if number % 2 else _unbroken(part)
        for number, part in enumerate(parts)
    )


def icon(tone: str) -> Markup:
    """The sign that goes with a tone."""
    return Markup(getattr(_environment().get_template("parts.html").module, "icon")(tone))  # noqa: B009, S704


def _breakable(text: str) -> Markup:
    """Lines may break after commas and colons, where there is no space."""
    return Markup(re.sub(r"(?<=[,:])(?=\S)", "<wbr>", escape(visible(text))))  # noqa: S704 - escaped before


def _unbroken(text: str) -> Markup:
    """A figure stays on one line with its percent sign."""
    return escape(re.sub(r"(?<=\d) %", "\u00a0%", visible(text)))


def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("cloven.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    names = ("contents", "counted", "estimate", "figure", "interval", "percent", "plain")
    made.filters |= {name: getattr(words, name) for name in names} | {"prose": prose, "breakable": _breakable}
    return made


def _shown(value: Any) -> Any:
    """What an expression of a template gives, before it is escaped."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else visible(value)
