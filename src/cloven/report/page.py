"""The report as one page of HTML that needs nothing else: no script, no network, no file beside it.

Templates escape all that they are given. What comes from outside (items, threats, settings) is made visible first, see
``signed``; only drawings, which escape their own words, are taken as they are.
"""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from cloven.errors import InputError, OutputError
from cloven.escapes import signed
from cloven.figures import ends, interval
from cloven.report import drawing, rows, words
from cloven.report.words import COVERS, LINKAGES, kind_words, not_modelled, published, terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jinja2 import Environment


FORMAT = "cloven.audit/1"


def page(document: Mapping[str, Any]) -> str:
    """The page of an audit document; the public document gives the page that can be shared."""
    if document.get("format") != FORMAT:
        message = f"a report is made from a document of the format {FORMAT}; audit again with this version"
        raise InputError(message, value=str(document.get("format")))
    if "decision" not in document:
        return environment().get_template("facts.html").render(facts(document))
    return environment().get_template("report.html").render(view(document))


def pages(document: Mapping[str, Any]) -> dict[str, str]:
    """The owner's pages by the names of their files: the report, and where there is a standard what is to be signed."""
    from cloven.report.filing import filing

    filed = {"filing.html": filing(document)} if document.get("standard") else {}
    return {"report.html": page(document), **filed}


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
    return Markup(getattr(environment().get_template("parts.html").module, "icon")(tone))  # noqa: B009, S704


def _breakable(text: str) -> Markup:
    """Lines may break after commas and colons, where there is no space."""
    return Markup(re.sub(r"(?<=[,:])(?=\S)", "<wbr>", escape(signed(text))))  # noqa: S704 - escaped before


def _unbroken(text: str) -> Markup:
    """A figure stays on one line with its percent sign."""
    return escape(re.sub(r"(?<=\d) %", "\u00a0%", signed(text)))


@cache
def environment() -> Environment:
    """Templates with all that they are written with; each is compiled once."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("cloven.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    names = ("contents", "counted", "estimate", "figure", "percent", "plain")
    made.filters |= {name: getattr(words, name) for name in names}
    made.filters |= {"interval": ends, "span": _span, "prose": prose, "breakable": _breakable}
    return made


def _span(low: float, high: float) -> str:
    return interval(low, high, 3)


def _shown(value: Any) -> Any:
    """What an expression of a template gives, before it is escaped."""
    return value if isinstance(value, Markup) or not isinstance(value, str) else signed(value)


# What the templates show: the document, and beside it what has to be drawn, judged or sorted first.


STANDARD = (
    "by_kind",
    "calibration",
    "covers",
    "worst",
    "findings",
    "ways",
    "people",
    "people_of",
    "histogram",
)
"""Parts of the details of a risk that have a section of their own."""


def view(document: Mapping[str, Any]) -> dict[str, Any]:
    """All that a page is made from."""
    owner = document["audience"] == "owner"
    return {
        "document": document,
        "owner": owner,
        "title": document.get("title") or "Audit of a release",
        "settings": [document["setting"], *document["decision"]["better"]],
        "verdict": words.VERDICTS[document["decision"]["verdict"]],
        "told": _told(document),
        "gauges": _gauges(document),
        "kept": rows.kept(document),
        "utility_chart": drawing.utility(document) if rows.kept(document) else None,
        "tried": rows.tried(document),
        "failed": document.get("failed", ()),
        "trade_off": drawing.trade_off(document) if document["outcomes"] else None,
        "kinds": drawing.kinds(document),
        "calibrations": _calibrations(document),
        "sizes": drawing.sizes(document),
        "covers": {name: risk["details"]["covers"] for name, risk in _with(document, "covers")},
        "cover_words": COVERS,
        "worst": _worst(document),
        "findings": {name: risk["details"]["findings"] for name, risk in _with(document, "findings")},
        "further": _further(document),
        "terms": terms(document, calibrated=bool(rows.sure(document))),
        "speech": kind_words(document),
        "published": published(document),
        "linkages": LINKAGES,
        "measures": kind_words(document).measures if _with(document, "findings") else {},
        "not_modelled": not_modelled(document),
        "hashes": document.get("hashes", {}),
        "standard": document.get("standard"),
    }


def facts(document: Mapping[str, Any]) -> dict[str, Any]:
    """All that a page without figures of the rows is made from."""
    return {
        "document": document,
        "title": "Audit of a release",
        "speech": kind_words(document),
        "published": published(document),
        "further": {},
        "owner": False,
        "hashes": document["hashes"],
    }


def _gauges(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    charts, withheld = drawing.gauges(document), bool(document.get("withheld"))
    limits, holds = document["limits"], document["decision"]["verdict"] == "publish"
    return [
        {
            "name": name,
            "risk": risk,
            "sign": words.of_risk(
                risk,
                rows.limit_of(document, risk),
                limits,
                withheld=withheld or risk.get("withheld", False),
                holds=holds,
            ),
            "chart": charts.get(name),
        }
        for name, risk in rows.threats(document)
    ]


def _told(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What is told of known persons, each threat with its chart and its histogram."""
    return [
        {"found": each, "chart": drawing.told(each), "histogram": drawing.told_of(each)}
        for each in rows.told(document)
    ]


def _calibrations(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    charts = drawing.calibration(document)
    found = {risk[0]: risk[1]["details"]["calibration"] for risk in _with(document, "calibration")}
    return [
        {
            "name": name,
            "chart": charts[name],
            "words": words.of_confidence(list(each)),
            "figures": found[name],
        }
        for name, each in groupby(rows.sure(document), key=lambda row: row.threat)
    ]


def _worst(document: Mapping[str, Any]) -> dict[str, list[Cluster]]:
    return {
        name: [cluster(each) for each in risk["details"]["worst"]] for name, risk in _with(document, "worst")
    }


def _further(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Figures of a threat that no section knows: families may tell whatever they have."""
    found = {
        name: {key: value for key, value in risk["details"].items() if key not in STANDARD}
        for name, risk in rows.threats(document)
    }
    return {name: figures for name, figures in found.items() if figures}


def _with(document: Mapping[str, Any], key: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Threats that have something to tell under a key of their details."""
    return [(name, risk) for name, risk in rows.threats(document) if risk["details"].get(key)]


# Clusters that an attack does best on, as tables: every record's place with what was put back there.


@dataclass(frozen=True)
class Link:
    """One part on one place: put there with some confidence, rightly or wrongly; or missed, then with none."""

    items: Sequence[str]
    kind: str
    confidence: float | None
    right: bool


@dataclass(frozen=True)
class Place:
    """One record's place: the items that are published for it, what the attacker put back, and what was missed."""

    number: int
    published: Sequence[str]
    guessed: tuple[Link, ...]
    missed: tuple[Link, ...]


@dataclass(frozen=True)
class Cluster:
    """One cluster: how many of its hidden links were found, how many guessing expects, and the telling places."""

    number: int
    size: int
    links: int
    found: float
    expected: float
    places: tuple[Place, ...]
    not_shown: int


def cluster(plain: Mapping[str, Any]) -> Cluster:
    """The guessed links of one cluster, sorted by where they lead."""
    guessed: dict[int, list[Link]] = {row["slot"]: [] for row in plain["rows"]}
    missed: dict[int, list[Link]] = {row["slot"]: [] for row in plain["rows"]}
    for target in plain["targets"]:
        items, kind = target["items"], target["kind"]
        for each in target["guesses"]:
            guessed.get(each["slot"], []).append(Link(items, kind, each["confidence"], each["right"]))
        found = {each["slot"] for each in target["guesses"]}
        for slot in target["true"]:
            if slot not in found:
                missed.get(slot, []).append(Link(items, kind, None, right=True))
    places = tuple(
        Place(
            row["slot"] + 1,
            row["items"],
            tuple(sorted(guessed[row["slot"]], key=lambda link: -(link.confidence or 0))),
            tuple(missed[row["slot"]]),
        )
        for row in plain["rows"]
    )
    return Cluster(
        plain["cluster"],
        plain["size"],
        plain["links"],
        plain["found"],
        plain["expected"],
        places,
        plain["size"] - len(places),
    )
