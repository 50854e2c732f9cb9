"""How the page of an audit speaks of one kind of release: each room fills it in its ``words``, ``report`` reads it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

NEGATIVE: Final = (
    "Negative knowledge.",
    "That somebody does not have an item; one such fact can remove candidates.",
)
MORE: Final = "More knowledge than was tried."
COMBINED: Final = (
    "Several kinds of knowledge at once.",
    "Each attack above uses one; somebody who combines them may do better.",
)
BEING_THERE: Final = (
    "Being in the data.",
    "The release does not hide who is in it, and no attack here asks.",
)
JOINED: Final = (
    "Who joined or left.",
    "Two releases tell by their difference; attacks with another release do not ask for it.",
)
OUTSIDE: Final = ("Anything outside the files.", "Who was sent the key, who kept a copy of the original.")


@dataclass(frozen=True)
class PageWords:
    """How a page speaks of one kind of release; without arguments, of sets of items.

    Attributes:
        records: what a person has.
        groups: what hides persons among each other.
        told: what is told of a known person.
        not_there: what a public page never shows.
        counts: nouns for counts of the release that are called otherwise in the document.
        terms: words of the page that mean something else here, each in a sentence.
        not_modelled: what no attack on this kind tries: a name, and what it is.
        measures: what the figures of attacks are, each with ``sentence`` and ``higher_is_worse``.
        promise: what the release promises, in a sentence that the manifest bears out; empty if nobody can say it.
    """

    records: str = "records"
    groups: str = "groups"
    told: str = "a further item"
    not_there: str = "No guess, no record, no item."
    counts: Mapping[str, str] = field(default_factory=dict)
    terms: Mapping[str, str] = field(default_factory=dict)
    not_modelled: tuple[tuple[str, str], ...] = (
        NEGATIVE,
        (MORE, "More items of a person, better word vectors, a list that nobody thought of."),
        COMBINED,
        BEING_THERE,
        (
            "Groups.",
            "If all candidates share something, it is known of each of them. Nothing here asks for diversity.",
        ),
        JOINED,
        (
            "Text inside items.",
            "An item is a name, compared letter by letter; what it says is published as it is.",
        ),
        OUTSIDE,
    )
    measures: Mapping[str, Any] = field(default_factory=dict)
    promise: str = ""
