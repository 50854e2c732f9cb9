"""Were the buckets of a sliced table cut as ``partition = "replay-proof"`` promises: without a look at who has what?

The promise (docs/decisions/0010): what is done with a bucket follows from its quasi-identifiers, from how often it has
each sensitive value, and from lots. So whoever knows the table can say of every bucket, from the whole table on, how
it has to be cut, and this is done here by a code of its own:

- along the widest axis, at the border nearest to the middle, if both halves were l-diverse whoever had which value;
  else along the next widest;
- else along the widest axis into two halves of the same size, on the same condition; lots decide about equal rows;
- else, with one sensitive column, the rows of each sensitive value are dealt to both halves by lot, whatever their
  quasi-identifiers; if even that would break the promise, the bucket stays.

Where the cut is forced, no published bucket may lie on both sides of it, and none may stay whole. Where lots decide,
nobody can say which bucket a row must be in. Then lots are drawn here a number of times, and the published buckets must
be as many, and their rows as much alike, as lots make them: rows that were cut by what they are like instead of dealt
are far more alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from cloven.verification.faults import Fault, conclude
from cloven.verification.tables.chances import secrets
from cloven.verification.tables.ranks import ranks_of
from cloven.verification.tables.safe_cuts import SafeCuts
from cloven.verification.verdict import NOT_CHECKED, Check

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.published_table import Sliced
    from cloven.model.table import Table
    from cloven.verification.tables.promise import Promise

NAME = "cut as promised"
MOST_DRAWS, FEWEST_DRAWS, ROWS_DRAWN = 20, 3, 20_000
"""How often lots are drawn: so often that about so many rows are cut in all."""
ROUGHLY = {True: 1e-3, False: 5e-3}
"""Share of a figure that is never taken for a difference, after many draws and after few of many rows."""
FAR = 8.0
"""Standard deviations away from what lots make; replay-proof buckets do not get there, others are much farther."""


def check_replay(release: Sliced, promise: Promise, original: Table | None) -> list[Check]:
    """The promise of replay-proof buckets; nothing where it is not made."""
    given = release.parameters
    if given.get("partition") != "replay-proof":
        return []
    faults = [
        Fault(
            int(given.get("check") != "bucket"), "replay-proof buckets are each l-diverse by check = 'bucket'"
        ),
        Fault(
            int(given.get("companions", 0) != 0 and given.get("columns") != "chosen"),
            "companions were chosen by sensitive values, which replay-proof buckets do not allow",
        ),
    ]
    if any(fault.count for fault in faults):
        return [conclude(NAME, "release", release.buckets, faults, "")]
    why = _undecidable(release, promise, original)
    if why or original is None or promise.l is None:
        detail = (
            f"{NOT_CHECKED}: that buckets were cut without a look at who has which sensitive value; {why}"
        )
        return [Check(NAME, "release", passed=True, examined=0, detail=detail, decided=False)]
    found = _Replay(
        release,
        SafeCuts.of(release, ranks_of(release, original), promise.l, jointly=promise.jointly),
        SafeCuts.of_people(release, original, promise.l, jointly=promise.jointly),
    )
    found.follow()
    told = f"{found.forced:,} cuts are as they must be, {found.drawn:,} rows are in buckets as lots make them"
    return [conclude(NAME, "original", release.buckets, found.faults, told)]


def _undecidable(release: Sliced, promise: Promise, original: Table | None) -> str:
    """Why the cuts cannot be followed; nothing if they can."""
    if original is None:
        return "give the original"
    if promise.exchanged:
        return "values were exchanged after the cuts"
    if len(release) != len(original) or promise.invented:
        return "not all rows are published"
    if any(beside for _, beside in secrets(release, jointly=promise.jointly)):
        return "sensitive attributes stand in a column with others"
    if any(int(np.diff(domain.member_offsets).max(initial=1)) > 1 for domain in release.domains):
        return "cells are not single values"
    return ""


@dataclass
class _Replay:
    """Follow the cuts from the whole table down to the published buckets, or to where lots decide."""

    release: Sliced
    cuts: SafeCuts
    people: SafeCuts
    faults: list[Fault] = field(default_factory=list)
    forced: int = 0
    drawn: int = 0

    def __post_init__(self) -> None:
        sizes = np.diff(self.release.bucket_offsets)
        self.bucket = np.repeat(np.arange(len(sizes)), sizes)

    def follow(self) -> None:
        """Until every bucket is reached, or a fault is found."""
        waiting = [np.arange(len(self.release))]
        while waiting and not self.faults:
            waiting += self._step(waiting.pop())

    def _step(self, rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Cut these rows as they must be; gives the parts that are still to be followed."""
        whole = len(np.unique(self.bucket[rows])) == 1
        plain = self.cuts.plain(rows)
        if plain is not None:
            return self._parted(rows, *plain)
        if whole:
            sure = self.cuts.deal_is_sure(rows)
            return self._fault(rows, "were left in one bucket, though they can be dealt") if sure else []
        if not self.cuts.may_deal(rows):
            return self._fault(rows, "were cut, though no cut is safe whoever has which value")
        return self._by_lots(rows)

    def _parted(
        self, rows: NDArray[np.int64], left: NDArray[np.bool_], right: NDArray[np.bool_]
    ) -> list[NDArray[np.int64]]:
        """A forced cut; rows on neither side were drawn by lot, and go with their bucket if it tells the side."""
        mine = self.bucket[rows]
        sides = [np.isin(mine, mine[side]) for side in (left, right)]
        if (sides[0] & sides[1]).any():
            return self._fault(rows, "must be cut, and a bucket has rows of both sides")
        if not (
            sides[0] | sides[1]
        ).all():  # buckets of equal rows alone: the side that they are on is not told
            return self._by_lots(rows)
        if not (left | right).all() and int(sides[0].sum()) != len(rows) // 2:
            return self._fault(rows, "must be cut in the middle, and were not")
        self.forced += 1
        return [rows[side] for side in sides]

    def _by_lots(self, rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Draw lots several times: are there as many buckets, and are their rows as much alike?"""
        rng = np.random.default_rng(len(rows))
        draws = min(MOST_DRAWS, max(FEWEST_DRAWS, ROWS_DRAWN // len(rows)))
        made = [self._drawn(rows, rng) for _ in range(draws)]
        mean, deviation = np.mean(made, axis=0), np.std(made, axis=0, ddof=1)
        found = self._figures(rows, self.bucket[rows])
        least = ROUGHLY[draws >= MOST_DRAWS // 2] * mean
        room = FAR * np.maximum(deviation, np.maximum(least, (0.5, 0.0)))
        if abs(found[0] - mean[0]) > room[0]:
            many = f"have {found[0]:,.0f} buckets, and lots make about {mean[0]:,.0f}"
            return self._fault(rows, many)
        if abs(found[1] - mean[1]) > room[1]:
            more = "more" if found[1] < mean[1] else "less"
            return self._fault(rows, f"are {more} alike inside their buckets than lots make them")
        self.drawn += len(rows)
        return []

    def _drawn(self, rows: NDArray[np.int64], rng: np.random.Generator) -> tuple[float, float]:
        """The figures of one draw. Who is in the whole table is known; of a part, only what its buckets hold."""
        cuts = self.people if len(rows) == len(self.release) else self.cuts.shuffled(self.bucket, rng)
        bucket = cuts.buckets(rows, rng)
        return float(len(np.unique(bucket))), cuts.ranks.spread(rows, bucket)

    def _figures(self, rows: NDArray[np.int64], bucket: NDArray[np.int64]) -> tuple[float, float]:
        """How many buckets there are, and how far their rows lie apart."""
        return float(len(np.unique(bucket))), self.cuts.ranks.spread(rows, bucket)

    def _fault(self, rows: NDArray[np.int64], what: str) -> list[NDArray[np.int64]]:
        first = int(self.bucket[rows].min())
        self.faults.append(Fault(1, f"the {len(rows):,} rows around bucket {first} {what}"))
        return []
