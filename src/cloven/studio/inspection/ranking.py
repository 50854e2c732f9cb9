"""Clusters, the worst first: by what is told of the people in them, by cover problems, or by size.

Every row of a record chunk is one person's, so whoever knows two items of somebody may well know two of one row. For
each row its two rarest items are looked up by the reader of a known person; the likeliest further item that is news
counts. The release alone is read.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.data.known_sets import Known
from cloven.kinds.disassociated.release import Kind
from cloven.statistics.telling import LEVELS, ROUNDING, News
from cloven.studio.inspection.listing import page_of, refuse_order

if TYPE_CHECKING:
    from cloven.compiled import Floats, Longs
    from cloven.studio.inspection.opened import Opened

ORDERS = {
    "told": "most told of the people in it",
    "covers": "most cover problems",
    "size": "fewest records",
}


class Told(NamedTuple):
    """What is told of the people of each cluster, at worst.

    Attributes:
        probability: of the likeliest claim that is news; 0 for none.
        item: what is claimed, -1 for nothing.
        known: the two items that tell it (the same twice for one), -1 for nothing.
        rows: rows of record chunks of which something is told with 0.8 or more.
    """

    probability: Floats
    item: Longs
    known: Longs
    rows: Longs

    def to_plain(self) -> list[Any]:
        """Plain values for JSON."""
        return [each.tolist() for each in self]

    @classmethod
    def of_plain(cls, plain: list[Any], clusters: int) -> Told:
        """Back from them.

        Raises:
            ValueError: they are not of so many clusters.
        """
        probability, item, known, rows = plain
        found = cls(np.array(probability, float), *(np.array(each, np.int64) for each in (item, known, rows)))
        if [each.shape for each in found] != [(clusters,), (clusters,), (clusters, 2), (clusters,)]:
            message = f"not of {clusters:,} clusters"
            raise ValueError(message)
        return found


@dataclass(frozen=True)
class Ranked:
    """One line of the list.

    Attributes:
        number: the cluster.
        size: its records.
        covers: pairs of items that cover problems give away.
        exposed: those that break the promise of the whole release.
        probability: with which something is told of somebody in it, at worst.
        known: what must be known for that.
        told: what is told.
        rows: sub-records of which something is told with 0.8 or more.
        found: hidden links that the attack found; None unless the truth is asked for, as the next two.
        links: how many there are.
        by_luck: how many guessing finds.
    """

    number: int
    size: int
    covers: int
    exposed: int
    probability: float
    known: tuple[str, ...]
    told: str
    rows: int
    found: float | None = None
    links: int | None = None
    by_luck: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Ranking:
    """All clusters of a release, ready to be put in order."""

    opened: Opened

    @cached_property
    def told(self) -> Told:
        """What is told of the people of each cluster."""
        clusters = self.opened.release.clusters
        return self.opened.drawer.kept(
            "told",
            lambda: told_by_cluster(self.opened),
            Told.to_plain,
            lambda plain: Told.of_plain(plain, clusters),
        )

    @cached_property
    def covers(self) -> tuple[Longs, Longs]:
        """Of each cluster: pairs that covers give away, and those of the whole release."""
        found, clusters = self.opened.covers, self.opened.release.clusters
        cluster = found.cluster[found.leaks[0]]
        every = np.bincount(cluster, minlength=clusters)
        return every, np.bincount(cluster[found.everywhere], minlength=clusters)

    def order(self, by: str) -> Longs:
        """Clusters, the worst first.

        Raises:
            ParameterError: there is no such order.
        """
        refuse_order(by, ORDERS, "clusters")
        size, number = self.opened.release.cluster_size, np.arange(self.opened.release.clusters)
        every, exposed = self.covers
        told = (number, size, -every, -self.told.rows, -self.told.probability)
        keys = {"told": told, "covers": (*told, -every, -exposed), "size": (number, size)}
        return np.lexsort(keys[by])

    def line(self, number: int) -> Ranked:
        """One cluster."""
        opened, told = self.opened, self.told
        names, item = opened.release.vocabulary, int(told.item[number])
        known = () if item < 0 else tuple(dict.fromkeys(names[code] for code in told.known[number].tolist()))
        return Ranked(
            number,
            int(opened.release.cluster_size[number]),
            int(self.covers[0][number]),
            int(self.covers[1][number]),
            float(told.probability[number]),
            known,
            "" if item < 0 else names[item],
            int(told.rows[number]),
        )

    def page(self, by: str, page: int = 1) -> tuple[tuple[Ranked, ...], int]:
        """Lines of one page, from 1 on, and how many pages there are.

        Raises:
            NotThereError: there is no such page.
            ParameterError: there is no such order.
        """
        return paged(self, self.order(by), page)


def paged(ranking: Ranking, order: Longs, page: int) -> tuple[tuple[Ranked, ...], int]:
    """Lines of one page of an order.

    Raises:
        NotThereError: there is no such page.
    """
    shown, pages = page_of(order, page)
    return tuple(ranking.line(number) for number in shown.tolist()), pages


def told_by_cluster(opened: Opened) -> Told:
    """Look up the two rarest items of every row; of each cluster the worst row counts."""
    release, width = opened.release, max(1, len(opened.release.vocabulary))
    rows = np.flatnonzero((release.row_kind == Kind.RECORD) & (np.diff(release.row_offsets) > 0))
    rare = _rarest_two(opened, rows)
    keys, of = np.unique(rare[:, 0] * width + rare[:, 1], return_inverse=True)
    first, second = np.divmod(keys, width)
    alone = first == second
    lengths = np.where(alone, 1, 2)
    flat = np.column_stack((first, second)).ravel()[
        np.column_stack((np.ones(len(keys), bool), ~alone)).ravel()
    ]
    known = Known.from_arrays(np.concatenate(([0], np.cumsum(lengths))), flat)
    best, item = _best(opened, known)
    chance = best[of.ravel()]
    return _worst(release.row_cluster[rows], chance, item[of.ravel()], rare, release.clusters)


def _rarest_two(opened: Opened, rows: Longs) -> Longs:
    """The two rarest items of each row, ascending by code; one twice where there is no other."""
    release = opened.release
    starts, items = release.items_of(rows)
    row = np.repeat(np.arange(len(rows)), np.diff(starts))
    order = np.lexsort((items, opened.shares[items], row))
    one = items[order[starts[:-1]]]
    other = items[order[np.minimum(starts[:-1] + 1, starts[1:] - 1)]]
    return np.sort(np.column_stack((one, other)).astype(np.int64), axis=1)


def _best(opened: Opened, known: Known) -> tuple[Floats, Longs]:
    """The likeliest claim that is news of each known set, 0 and -1 for none that is more likely than not."""
    news = News().from_shares(opened.shares, opened.release.vocabulary)
    claims = opened.reader.claims(known, np.isfinite(news), LEVELS[0], best=False)
    number = np.repeat(np.arange(len(known)), np.diff(claims.offsets))
    counts = claims.probability >= news[claims.items] - ROUNDING
    number, items, stated = number[counts], claims.items[counts], claims.probability[counts]
    order = np.lexsort((items, -stated, number))
    first = order[np.flatnonzero(np.diff(number[order], prepend=-1))]
    best, item = np.zeros(len(known)), np.full(len(known), -1)
    best[number[first]], item[number[first]] = stated[first], items[first]
    return best, item


def _worst(cluster: Longs, chance: Floats, item: Longs, rare: Longs, clusters: int) -> Told:
    found = Told(
        np.zeros(clusters), np.full(clusters, -1), np.full((clusters, 2), -1),
        np.bincount(cluster[chance >= LEVELS[1] - ROUNDING], minlength=clusters),
    )  # fmt: skip
    order = np.lexsort((-chance, cluster))
    first = order[np.flatnonzero(np.diff(cluster[order], prepend=-1))]
    first = first[item[first] >= 0]
    found.probability[cluster[first]], found.item[cluster[first]] = chance[first], item[first]
    found.known[cluster[first]] = rare[first]
    return found


def with_hits(line: Ranked, found: float, links: int, by_luck: float) -> Ranked:
    """The same line with what an attack found; the truth is joined here and nowhere before."""
    return replace(line, found=found, links=links, by_luck=by_luck)
