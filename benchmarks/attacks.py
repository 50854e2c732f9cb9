"""Attacks on hidden parts, on known persons, on being in it, on what the method tells; all of the data against half.

RBA works on what COAT made. What an attack knows beforehand is not timed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import cloven as cv
from benchmarks.measuring import FILES, against_half, halved
from cloven.kinds.disassociated.attack.known_person import KnownPerson
from cloven.kinds.disassociated.attack.membership import Membership
from cloven.kinds.generalised.policy import random_items
from cloven.statistics.telling import People

if TYPE_CHECKING:
    from benchmarks.measuring import Extent, Row
    from cloven.data.transactions import Transactions

COOKING = "What's Cooking"
PAPERS_WAY = cv.Disassociation(k=3, m=2, max_cluster_size=30, rare_items="cluster", refine=True)
RUNS = 3
"""Rounds at most: some attacks take many seconds."""
PROTECTED = 0.1
"""Share of the items that COAT protects, as in the paper on RBA."""


def attacks(extent: Extent) -> list[Row]:
    """Sets of words, so that what they mean can be used; covers on clicks, as in their paper."""
    recipes = extent.some(cv.read(extent.file("named/whats_cooking_train.json.zip"), column="ingredients"))
    words = cv.relatedness.Vectors(str(extent.file("vectors/glove_6b_100d_150k.npy")))
    parts, runs = halved(recipes), min(RUNS, extent.runs)
    return [
        *_linking(parts, words, runs),
        *_asking(parts, runs),
        _eliminating(parts, words, runs),
        _covered(extent),
    ]


def _linking(parts: dict[int, Transactions], words: Any, runs: int) -> list[Row]:
    rows = []
    for way, method in (("default", cv.Disassociation()), ("papers' way", PAPERS_WAY)):
        releases = {many: method.anonymise(part).release for many, part in parts.items()}
        attack = cv.attacks.Semantic(words)
        rows += [
            against_half(f"semantic, {way}", COOKING, releases, attack.guess, runs),
            against_half(f"release alone, {way}", COOKING, releases, _alone, runs),
        ]
    return rows


def _alone(release: Any) -> object:
    """Learn from the release what goes together, as audits do, and guess by it."""
    return cv.attacks.Semantic(
        cv.relatedness.Learned.of_release(release, most_pairs=cv.Effort().most_pairs)
    ).guess(release)


def _asking(parts: dict[int, Transactions], runs: int) -> list[Row]:
    asked = {}
    for many, part in parts.items():
        release = cv.Disassociation().anonymise(part).release
        asked[many] = release, People.of(part, np.arange(many), release.vocabulary, part.holders)
    return [
        against_half("known person, everybody", COOKING, asked, _known, runs),
        against_half("being in it, everybody", COOKING, asked, _inside, runs),
    ]


def _known(given: tuple[Any, People]) -> object:
    release, people = given
    return KnownPerson.of(release).claims(people.rarest(2).known)


def _inside(given: tuple[Any, People]) -> object:
    release, people = given
    return Membership.of(release).scores(people.whole())


def _eliminating(parts: dict[int, Transactions], words: Any, runs: int) -> Row:
    releases = {}
    for many, part in parts.items():
        policy = random_items(part, PROTECTED, np.random.default_rng(1))
        releases[many] = cv.Coat(k=5, policy=policy, seeded=True).anonymise(part).release
    return against_half("RBA on COAT", COOKING, releases, cv.attacks.Elimination(words).guess, runs)


def _covered(extent: Extent) -> Row:
    name = "BMS-WebView-2"
    data = extent.some(cv.read(extent.file(FILES[name])))
    releases = {many: PAPERS_WAY.anonymise(part).release for many, part in halved(data).items()}
    return against_half("covers", name, releases, cv.attacks.covers, extent.runs)
