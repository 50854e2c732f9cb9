"""Clusters that an attack does best on, as tables: every record's place with what was put back there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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
