"""The report that somebody signs, as one page: what a standard asks, and what the audit answers.

It is drawn from the section ``standard`` of the owner's document, and from nothing else but the document around it. No
record, item or guess is on it, but figures that may be one person's; so it is the owner's to give away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.errors import InputError
from cloven.report.page import environment
from cloven.report.words import VERDICTS, Sign, kind_words, not_modelled, published

if TYPE_CHECKING:
    from collections.abc import Mapping

STATES: Mapping[str, Sign] = {
    "answered": Sign("good", "answered"),
    "failed": Sign("bad", "not met"),
    "needs a person": Sign("change", "needs a person"),
}
RESULTS: Mapping[str, str] = {
    "within the limits": "good",
    "no gain over chance": "good",
    "past the limits": "bad",
}
"""Colours of what came of an attacker; the rest is quiet."""


def filing(document: Mapping[str, Any]) -> str:
    """The page of an owner's document that names a standard."""
    if not document.get("standard"):
        message = "a report to sign needs a standard; audit with --standard and --context"
        raise InputError(message)
    return environment().get_template("filing.html").render(_view(document))


def _view(document: Mapping[str, Any]) -> dict[str, Any]:
    standard = document["standard"]
    return {
        "document": document,
        "standard": standard,
        "title": standard["title"],
        "owner": True,
        "verdict": VERDICTS[document["decision"]["verdict"]],
        "settings": [document["setting"], *document["decision"]["better"]],
        "told": [clause for clause in standard["clauses"] if clause["text"]],
        "left": [each for each in standard["clauses"] if each["person"] or each["state"] == "needs a person"],
        "states": STATES,
        "results": RESULTS,
        "speech": kind_words(document),
        "published": published(document),
        "not_modelled": not_modelled(document),
        "hashes": document.get("hashes", {}),
        "further": {},
    }
