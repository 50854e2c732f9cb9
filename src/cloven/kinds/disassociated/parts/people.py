"""A known person in data of any size: some people are looked at as members and as outsiders, in releases in parts.

As in ``kinds/known_person``, but data and releases stay where an engine has them. A few people are drawn; for each of
several divisions some of them are left out, a release is made of everybody else, and its parts are asked about all who
were drawn; so is the release that is to be published. Only what these people hold is brought together. How many they
are is what intervals are made of.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from cloven.data.arrays import among, lots
from cloven.data.transactions import Transactions
from cloven.errors import ParameterError
from cloven.kinds.disassociated.parts.known_person import readers
from cloven.kinds.known_person import (
    all_told,
    judged_of,
    known_person,
    nothing_counts,
    read_by,
    told_without,
    ways,
)
from cloven.statistics.outsiders import FEWEST, SHARE
from cloven.statistics.telling import News, People
from cloven.threats import Effort

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs
    from cloven.disclosure.risk import Estimate, Risk
    from cloven.kinds.disassociated.methods.disassociation import Disassociation
    from cloven.kinds.disassociated.parts.folder import PartsFolder
    from cloven.kinds.known_person import Known as Way
    from cloven.statistics.telling import Telling

    Report = Callable[[str, float], None]
    Work = Callable[[Longs, Longs, NDArray[Any]], NDArray[Any]]


class Large(Protocol):
    """Records, wherever an engine has them."""

    @property
    def names(self) -> tuple[str, ...]:
        """All items, ascending by code point."""
        ...

    @property
    def held(self) -> Longs:
        """How many records hold each item."""
        ...

    @property
    def records(self) -> int:
        """Records with items."""
        ...

    @property
    def numbers(self) -> int:
        """Numbers of records lie below this; empty ones have one too."""
        ...

    def known_by(self, receipt: Mapping[str, Any]) -> bool:
        """Whether these are the records that the receipt of a release speaks of."""
        ...

    def parts(self, release: Path) -> PartsFolder:
        """The parts of a release, to be asked by whoever works here."""
        ...

    def some(self, numbers: Longs) -> tuple[Longs, Longs, Longs]:
        """Those of some records that have items: their numbers, ascending, their lengths, and their item codes."""
        ...

    def over(self, work: Work, *, sums: bool = False) -> Iterable[NDArray[Any]]:
        """What work gives of all records, piece by piece, wherever they are; none is empty.

        Each piece comes as numbers of records, offsets and item codes. What are ``sums`` may be added up on the way:
        pieces are many, and go to one place.
        """
        ...

    def publish_without(self, numbers: Longs, place: Path) -> None:
        """Make a release of all other records, in ``place``; it is measured and thrown away."""
        ...


def supports(large: Large, sets: Longs) -> Longs:
    """How many records hold each of some sets of items of the same size, by code, one in each row."""
    found = np.zeros(len(sets), np.int64)
    for told in large.over(partial(_supports_in, sets, len(large.names)), sums=True):
        found += told
    return found


def _supports_in(sets: Longs, width: int, _records: Longs, offsets: Longs, codes: NDArray[Any]) -> Longs:
    from scipy.sparse import csr_matrix

    records = len(offsets) - 1
    ones = np.ones(len(codes), np.int32)
    held = csr_matrix((ones, codes, offsets), shape=(records, width)).tocsc()
    items, at = np.unique(sets, return_inverse=True)
    dense, found = held[:, items], np.empty(len(sets), np.int64)
    for number, row in enumerate(at.reshape(sets.shape)):
        both = dense[:, row[0]]
        for other in row[1:]:
            both = both.multiply(dense[:, other])
        found[number] = both.nnz
    return found


def random_records(large: Large, most: int, rng: np.random.Generator) -> Transactions:
    """Random records, or all where there are no more; their numbers in the source are ``source_rows``."""
    # Some numbers are of empty records, so that more are drawn; what is too many is put back.
    wanted = min(large.numbers, int(1.2 * most * large.numbers / large.records) + 20)
    return _some_of(large, np.sort(rng.choice(large.numbers, wanted, replace=False)), most, rng)


def _some_of(large: Large, numbers: Longs, most: int, rng: np.random.Generator) -> Transactions:
    """Those of some records that are not empty, so many at most."""
    number, lengths, codes = large.some(numbers)
    kept = np.sort(rng.permutation(len(number))[:most])
    inside = np.repeat(among(np.arange(len(number)), kept), lengths)
    return Transactions.from_arrays(
        lengths[kept], codes[inside].astype(np.int32), large.names, source_rows=number[kept]
    )


def records_with(large: Large, most: int) -> Longs:
    """How many records have no item or more, one or more, and so on up to ``most``."""
    found = np.zeros(most + 1, np.int64)
    for told in large.over(partial(_lengths_in, most), sums=True):
        found += told
    return np.cumsum(found[::-1])[::-1]


def _lengths_in(most: int, _records: Longs, offsets: Longs, _codes: NDArray[Any]) -> Longs:
    return np.bincount(np.minimum(np.diff(offsets), most), minlength=most + 1)


def long_records(large: Large, least: int, there: int, most: int, rng: np.random.Generator) -> Transactions:
    """Random ones of the records with so many items at least, of which so many are there; or all of them."""
    # Each is drawn by its own lot, so that more are drawn than wanted; what is too many is put back.
    share = min(1.0, (1.2 * most + 20) / max(1, there))
    found = large.over(partial(_long_in, least, share, int(rng.integers(2**32))))
    return _some_of(large, np.sort(np.concatenate([np.empty(0, np.int64), *found])), most, rng)


def _long_in(
    least: int, share: float, seed: int, records: Longs, offsets: Longs, _codes: NDArray[Any]
) -> Longs:
    return records[(np.diff(offsets) >= least) & (lots(records, seed) < share)]


def rarity(large: Large, data: Transactions) -> Longs:
    """How many records hold each item of some of them."""
    at = np.searchsorted(np.array(large.names, object), np.array(data.vocabulary, object))
    found: Longs = large.held[at]
    return found


@dataclass(frozen=True, eq=False)
class Drawn:
    """People who are asked about.

    Attributes:
        people: what they hold; their numbers in the source are its ``source_rows``.
        left_out: for each division, whether each of them is left out.
    """

    people: Transactions
    left_out: Flags

    @classmethod
    def of(cls, large: Large, people: int, splits: int, rng: np.random.Generator) -> Drawn:
        """Draw so many people for each division, everybody for one; beside a single one as many who are in it."""
        groups = max(2, splits)
        many = min(people, int(large.records * SHARE / groups))
        if large.records < FEWEST or many < 1:
            message = (
                f"{large.records:,} people are too few to leave some out of each of {splits} releases; at least"
                f" {FEWEST} are needed, and more for more releases"
            )
            raise ParameterError(message)
        found = random_records(large, many * groups, rng)
        division = rng.permutation(len(found)) % groups
        return cls(found, np.arange(splits)[:, None] == division)


@dataclass(frozen=True, eq=False)
class KnownPersonTrial:
    """What known persons are told of, members beside outsiders.

    Attributes:
        method: makes the releases.
        large: the records.
        scratch: a folder for releases that are thrown away, questions and answers.
        people: people who are left out of each division.
        splits: divisions.
        seed: draws the people.
        report: is told of each step.
    """

    method: Disassociation
    large: Large
    scratch: Path
    people: int
    splits: int
    seed: int
    report: Report

    def risk(self, release: Path) -> Risk:
        """What being in the release, which lies in parts in this folder, costs."""
        news, tried = News(self.method.sensitive), ways(self.method.m)
        threat = known_person(self.method.m, lambda _release: lambda _known, _floor: {})
        rng = np.random.default_rng([self.seed, self.large.records])
        drawn = Drawn.of(self.large, self.people, self.splits, rng)
        lots, found = int(rng.integers(2**32)), dict[tuple["Way", str], list["Telling"]]()
        vocabulary: tuple[str, ...] = ()
        for number in range(self.splits + 1):
            place = self._release(drawn, number, release)
            folder = self.large.parts(place)
            self.report(f"ask about members and outsiders ({number + 1} of {self.splits + 1})", 0.0)
            vocabulary = folder.totals.names
            counts = self._news(news, vocabulary)
            if not np.isfinite(counts).any():
                return threat.risk(not_tried=nothing_counts(news))
            for key, told in self._told(folder, drawn, tried, counts, lots).items():
                found.setdefault(key, []).append(told)
        # More items than that are not known by any way that counts.
        longest = np.flatnonzero(records_with(self.large, max(way.size for way in tried))).max()
        return judged_of(
            threat, all_told(found, drawn.left_out), vocabulary, drawn.people.source_rows,
            lambda way: self._without(drawn, news, way), int(longest), doubted=True,
        )  # fmt: skip

    def _release(self, drawn: Drawn, number: int, release: Path) -> Path:
        """The release of a division, made here; the last is the one that is to be published."""
        if number == self.splits:
            return release
        self.report(f"release without {int(drawn.left_out[number].sum()):,} people", 0.0)
        place = self.scratch / f"division-{number}"
        self.large.publish_without(drawn.people.source_rows[drawn.left_out[number]], place)
        return place

    def _told(
        self, folder: PartsFolder, drawn: Drawn, tried: Sequence[Way], news: Floats, lots: int
    ) -> dict[tuple[Way, str], Telling]:
        """What all readers of one release tell, for all ways of knowing at once."""
        data = drawn.people
        people = People.of(data, np.arange(len(data)), folder.totals.names, rarity(self.large, data), lots)
        sets = {way: way.of(people, Effort.most_searched) for way in tried}
        return read_by(partial(readers, folder), people, sets, news)

    def _news(self, news: News, vocabulary: tuple[str, ...]) -> Floats:
        held = dict(zip(self.large.names, self.large.held.tolist(), strict=True))
        shares = np.array([held.get(name, 0) for name in vocabulary], np.float64) / self.large.records
        return news.from_shares(shares, vocabulary)

    def _without(self, drawn: Drawn, news: News, way: Way) -> Estimate:
        out = np.flatnonzero(drawn.left_out[0])
        others = np.flatnonzero(~drawn.left_out[0])
        data = drawn.people
        return told_without(
            data, rarity(self.large, data), out, others, way, lambda names: self._news(news, names),
            Effort.most_searched,
        )  # fmt: skip
