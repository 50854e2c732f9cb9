"""Runs of the experiments on slicing (Tables 3 and 4, Figures 3 to 8 of BinJubier et al.): what is made, what is tried.

For every data set, sample and overlap each method publishes both tables. The risk is measured at every overlap, what a
release is worth, and what variants of the methods do, at the largest.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.tables.cells import shown_release
from cloven.kinds.tables.methods.columns import binned
from cloven.kinds.tables.methods.ul import MEASURES, UL, Look, count_selected, levels
from cloven.kinds.tables.reconstruction import untouched
from cloven.kinds.tables.utility.queries import Workload
from cloven.kinds.tables.verify.checker import verify_table
from experiments.slicing_data import largest_l
from experiments.slicing_figures import About
from experiments.slicing_methods import ORIGINAL, RATES, K, L, Methods
from experiments.slicing_trial import DIMENSIONS, Found, risk, shape, worth

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cloven.data.table import Table
    from cloven.kinds.tables.key import TableKey
    from cloven.kinds.tables.release import GeneralisedTable, Sliced
    from cloven.kinds.tables.utility.queries import Query
    from experiments.slicing_data import Pair, Source

SEEDS = 8
QUERIES = 100
SELECTIVITY = 0.5
NEAREST = ("relationship", "marital status")
"""Class and attribute whose cells come closest to what Table 3 prints for its first column."""


@dataclass(frozen=True)
class Run:
    """One method on one pair of tables."""

    data: str
    seed: int
    overlap: int
    method: str
    found: Found

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)


@dataclass(frozen=True)
class Selected:
    """What a swap rate selects of a table: Tables 3 and 4."""

    data: str
    seed: int
    overlap: int
    rate: float
    attribute: str
    within: str | None
    lower_cells: int
    lower_rows: int
    upper_cells: int
    upper_rows: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Arena:
    """A data set, and all that is drawn of it."""

    source: Source
    overlaps: tuple[int, ...]
    seeds: tuple[int, ...]

    @property
    def about(self) -> About:
        """The data set in numbers; l is the paper's, or the largest that every table of all samples allows."""
        pairs = (self.source.pair(seed, overlap) for seed in self.seeds for overlap in self.overlaps)
        possible = tuple(largest_l(table) for pair in pairs for table in (pair.first, pair.second))
        table = self.source.table
        return About(
            self.source.name,
            self.source.sensitive,
            len(table.attributes[table.positions("sensitive")[0]]),
            self.source.most_common,
            len(table),
            self.source.rows,
            min(L, *possible),
            possible,
        )

    def runs(self, l: int, seed: int) -> Iterator[Run]:
        """Every method at every overlap of one sample."""
        for overlap in self.overlaps:
            pair = self.source.pair(seed, overlap)
            last = overlap == max(self.overlaps)
            queries = self._queries(pair.first, seed) if last else ()
            raw = untouched(pair.first), untouched(pair.second)
            yield self._run(ORIGINAL, pair, raw, None, queries, seed)
            methods = Methods(self.source, l)
            mine, theirs = (methods.named(pair, 2 * seed + owner, variants=last) for owner in (0, 1))
            for (name, one), (_, other) in zip(mine, theirs, strict=True):
                made = one.anonymise(pair.first), other.anonymise(pair.second)
                releases = shown_release(made[0].release), shown_release(made[1].release)
                for release, table, result in zip(releases, (pair.first, pair.second), made, strict=True):
                    verify_table(release, table, result.key, allow_seeded=True).raise_if_broken()
                yield self._run(name, pair, releases, made[0].key, queries, seed)

    def selected(self, seed: int) -> Iterator[Selected]:
        """Tables 3 and 4: the attributes that the method protects, and the pair that comes nearest to the paper's."""
        for overlap in self.overlaps:
            table = self.source.pair(seed, overlap).first
            found = [*UL(k=K, l=2).selected_cells(table, RATES), *nearest(table)]
            for one in found:
                yield Selected(self.source.name, seed, overlap, **asdict(one))

    def _queries(self, table: Table, seed: int) -> tuple[Query, ...]:
        return Workload(DIMENSIONS, SELECTIVITY, "both", QUERIES).draw(table, np.random.default_rng(seed))

    def _run(
        self,
        name: str,
        pair: Pair,
        releases: tuple[GeneralisedTable | Sliced, GeneralisedTable | Sliced],
        key: TableKey | None,
        queries: Sequence[Query],
        seed: int,
    ) -> Run:
        source = self.source
        found = risk(*releases, pair, source.sensitive, seed) | shape(pair.first, releases[0], key)
        if queries:
            found |= worth(pair.first, releases[0], queries, source.rules, source.target, pair.test, seed)
        return Run(source.name, seed, len(pair.shared), name, found)


def nearest(table: Table) -> tuple[Any, ...]:
    """Cells of marital status among the rows with the same relationship, at every rate; nothing if there are none."""
    names = [attribute.name for attribute in table.attributes]
    if not set(NEAREST) <= set(names):
        return ()
    within, attribute = NEAREST
    look = Look(names.index(attribute), names.index(within))
    level = levels(binned(table, 10, "width"), look, MEASURES["share"])
    return count_selected([(attribute, within, level)], RATES)
