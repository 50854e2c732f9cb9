"""What somebody is told who knows a few items of a person: fewer candidates with every item, and more of the rest.

Candidates are counted as the promise counts them, and what is told comes from the reader of a known person. Both see
the release alone.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from cloven.data.known_sets import LEAST_BEST, Known
from cloven.errors import ParameterError
from cloven.kinds.disassociated.attack.known_person_kernel import MOST_KNOWN
from cloven.kinds.disassociated.evidence import evidence
from cloven.statistics.telling import LEVELS, ROUNDING, News

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.compiled import Floats, Longs
    from cloven.statistics.telling import Reader
    from cloven.studio.inspection.opened import Opened

MOST_TOLD = 20
"""Items that are shown of those that are told."""
MOST_CLUSTERS = 10
LIMITS = {LEVELS[2]: "as good as certain", LEVELS[1]: "probable", LEVELS[0]: "more likely than not"}


def limit_words(probability: float) -> str:
    """How sure that is in words, if it is a limit that an audit judges; nothing below all limits."""
    return next((words for level, words in LIMITS.items() if probability >= level - ROUNDING), "")


class OfItems:
    """A release of sets: its items, and the code of each."""

    release: Any

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Published items."""
        names: tuple[str, ...] = self.release.vocabulary
        return names

    @cached_property
    def code_of(self) -> dict[str, int]:
        """Code of each published item."""
        return {name: code for code, name in enumerate(self.vocabulary)}


class Readable(Protocol):
    """A release of sets, arranged for whoever knows some items of a person."""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Published items."""
        ...

    @property
    def code_of(self) -> dict[str, int]:
        """Code of each published item."""
        ...

    @property
    def shares(self) -> Floats:
        """Share of all records that are expected to hold each item."""
        ...

    @property
    def reader(self) -> Reader:
        """Who reads it."""
        ...


@dataclass(frozen=True)
class Step:
    """What one more known item changes.

    Attributes:
        item: the item.
        candidates: records of the whole release that may hold all items known so far, at most.
        certain: records that hold them for sure.
        here: candidates in the cluster that is looked at; None if none is.
        clusters: clusters that may hold such a record.
        told: the likeliest further item that is news; empty if none is likely.
        probability: its probability; 0 for none.
    """

    item: str
    candidates: int
    certain: int
    here: int | None
    clusters: int
    told: str
    probability: float


@dataclass(frozen=True)
class Claim:
    """A further item.

    Attributes:
        code: its code.
        item: its name.
        probability: that the person holds it, by the reader who knows the items.
        anybody: the share of all records that hold it: what is told of people of whom nothing is known.
        certain: whether it follows by logic.
        limit: how sure that is in words, if it is a limit that an audit judges; empty below all of them.
        news: whether it counts as told: what most people hold is no news.
    """

    code: int
    item: str
    probability: float
    anybody: float
    certain: bool
    limit: str
    news: bool


@dataclass(frozen=True)
class Where:
    """A cluster where the person may be: its candidates, and how likely the person is there."""

    cluster: int
    candidates: int
    probability: float


@dataclass(frozen=True)
class Knowing:
    """What is told of somebody of whom these items are known.

    Attributes:
        known: the items, in the order in which they were given.
        steps: what each of them changed.
        expected: records that are expected to hold them all.
        claims: further items, the likeliest first.
        left_out: further ones with at least the least probability that are not given.
        least: the least probability.
        where: clusters where the person may be, the likeliest first.
        clusters: how many these are.
        promised: whether the release promises k candidates for so many items.
    """

    known: tuple[str, ...]
    steps: tuple[Step, ...]
    expected: float
    claims: tuple[Claim, ...]
    left_out: int
    least: float
    where: tuple[Where, ...]
    clusters: int
    promised: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def known_codes(opened: Readable, items: Sequence[str]) -> list[int]:
    """Codes of known items, in their order and each once.

    Raises:
        ParameterError: no item is given, one is not published, or there are too many.
    """
    names = list(dict.fromkeys(items))
    if not names:
        message = "no item is known; choose at least one"
        raise ParameterError(message)
    strange = [name for name in names if name not in opened.code_of]
    if strange:
        message = f"the release does not contain {strange[0]!r}, so it says nothing of who has it; take another item"
        raise ParameterError(message)
    if len(names) > MOST_KNOWN:
        message = f"up to {MOST_KNOWN} items can be known at once, got {len(names)}; take some away"
        raise ParameterError(message)
    return [opened.code_of[name] for name in names]


def knowing(
    opened: Opened, items: Sequence[str], cluster: int | None = None, most: int | None = MOST_TOLD
) -> Knowing:
    """What is told of somebody of whom these items are known; ``cluster`` is the one that is looked at.

    Raises:
        ParameterError: no item is given, or not one that is published.
    """
    codes, release = known_codes(opened, items), opened.release
    steps = _steps(opened, codes, cluster)
    found = evidence(release, np.array(sorted(codes), np.int64))
    return replace(
        told_of(opened, codes, steps, release.m, most),
        where=_where(found.at_most, found.expected),
        clusters=int((found.at_most > 0).sum()),
    )


def told_of(
    opened: Readable, codes: list[int], steps: tuple[Step, ...], promised: int, most: int | None
) -> Knowing:
    """What is told of somebody of whom these items are known, wherever they are; ``promised`` is how many may be."""
    claims, expected = claims_of(opened, codes)
    shown = claims[:most]
    return Knowing(
        tuple(opened.vocabulary[code] for code in codes),
        steps,
        expected,
        tuple(shown),
        len(claims) - len(shown),
        LEAST_BEST,
        (),
        0,
        len(codes) <= promised,
    )


def likeliest_news(opened: Readable, codes: list[int]) -> tuple[str, float]:
    """The likeliest further item that is news, and its probability; nothing, and 0, if none is likely."""
    news = next((claim for claim in claims_of(opened, codes)[0] if claim.news), None)
    return ("", 0.0) if news is None else (news.item, news.probability)


def _steps(opened: Opened, codes: list[int], cluster: int | None) -> tuple[Step, ...]:
    """What each known item changes.

    A bound for some items holds for all sets with these items, so that the least of all is taken: that for a set may be
    larger than that for a part of it.
    """
    most, here, out = opened.release.records, opened.release.records, list[Step]()
    for count, code in enumerate(codes, 1):
        alone = evidence(opened.release, np.array([code]))
        found = evidence(opened.release, np.array(sorted(codes[:count]), np.int64))
        most = min(most, alone.total_at_most, found.total_at_most)
        if cluster is not None:
            here = min(here, most, int(alone.at_most[cluster]), int(found.at_most[cluster]))
        out.append(
            Step(
                opened.release.vocabulary[code],
                most,
                found.total_at_least,
                None if cluster is None else here,
                int((found.at_most > 0).sum()),
                *likeliest_news(opened, codes[:count]),
            )
        )
    return tuple(out)


def claims_of(opened: Readable, codes: list[int]) -> tuple[list[Claim], float]:
    """All that is told with the least probability or more, likeliest first; and expected records."""
    known = Known.from_sets([codes])
    found = opened.reader.claims(known, floor=LEAST_BEST)
    certain = set(opened.reader.certain(known).of(0))
    news = News().from_shares(opened.shares, opened.vocabulary)
    told = found.of(0) | dict.fromkeys(certain, 1.0)
    claims = [
        Claim(
            code,
            opened.vocabulary[code],
            probability,
            float(opened.shares[code]),
            code in certain,
            limit_words(probability),
            bool(probability >= news[code] - ROUNDING),
        )
        for code, probability in told.items()
    ]
    claims.sort(key=lambda claim: (-claim.certain, -claim.probability, claim.code))
    return claims, float(found.expected[0])


def _where(at_most: Longs, expected: Any) -> tuple[Where, ...]:
    total = float(expected.sum())
    some = np.flatnonzero(at_most > 0)
    order = some[np.lexsort((some, -at_most[some], -expected[some]))][:MOST_CLUSTERS]
    return tuple(
        Where(int(at), int(at_most[at]), float(expected[at]) / total if total else 0.0)
        for at in order.tolist()
    )
