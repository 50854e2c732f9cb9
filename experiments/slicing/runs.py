"""Runs of the experiments on slicing (Tables 3 and 4, Figures 3 to 8 of BinJubier et al.): what is made, what is tried.

For every data set, sample and overlap each method publishes both tables. The risk is measured at every overlap, what a
release is worth, and what variants of the methods do, at the largest. Risk is that of the composition attack on the
people that both tables share. Every measure has up to five sides: ``value``; ``chance``, the same number of statements
drawn from the published distribution; ``control``, the same attack that knows the quasi-identifiers of the wrong
people; ``alone``, what the first release tells without the second; ``others``, what both tell about people who are in
neither, which no release can be blamed for. Of utility, ``value`` is that of the release.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.tables.attack.values import AttributeDisclosure, Composition
from cloven.kinds.tables.buckets import Buckets, cell_sizes
from cloven.kinds.tables.cells import shown_release, understood_by
from cloven.kinds.tables.guesses import Known
from cloven.kinds.tables.methods.columns import binned
from cloven.kinds.tables.methods.ul import MEASURES, UL, Look, count_selected, levels
from cloven.kinds.tables.reconstruction import untouched
from cloven.kinds.tables.score.score import score_values
from cloven.kinds.tables.score.truth import true_values
from cloven.kinds.tables.utility import classification, data_utility
from cloven.kinds.tables.utility.pairs import invalid_tuples, mean_distance, pair_distances
from cloven.kinds.tables.utility.queries import Workload, query_errors
from cloven.kinds.tables.verify.checker import verify_table
from experiments.slicing.data import ORIGINAL, RATES, K, L, Methods, largest_l

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cloven.data.table import Table
    from cloven.kinds.tables.key import TableKey
    from cloven.kinds.tables.release import GeneralisedTable, Sliced
    from cloven.kinds.tables.utility.queries import Query, QueryError
    from experiments.harness.runs import Found
    from experiments.slicing.data import Pair, Source

    Release = GeneralisedTable | Sliced

SEEDS = 8
QUERIES = 100
SELECTIVITY = 0.5
NEAREST = ("relationship", "marital status")
"""Class and attribute whose cells come closest to what Table 3 prints for its first column."""
RISKS = (
    "drr_soft", "drr_strict", "drr_soft_matches", "drr_strict_matches", "likeliest", "confidence", "left",
)  # fmt: skip
WITH, WITHOUT = "with", "without"
DIMENSIONS = (1, 2, 3, 4, 5)


@dataclass(frozen=True)
class Run:
    """One method on one pair of tables."""

    data: str
    seed: int
    overlap: int
    method: str
    found: Found


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


@dataclass(frozen=True)
class About:
    """A data set in words and numbers.

    Attributes:
        name: what tables call it.
        sensitive: the attribute to be hidden.
        values: how many values it has.
        most_common: its most common value and the rows that have it.
        all_rows: rows of the whole data set.
        rows: rows of a table without shared ones.
        l: what was promised.
        possible: largest l that each table allows.
    """

    name: str
    sensitive: str
    values: int
    most_common: tuple[str, int]
    all_rows: int
    rows: int
    l: int
    possible: tuple[int, ...]


def risk(first: Release, second: Release, pair: Pair, sensitive: str, seed: int) -> Found:
    """The composition attack on everybody in both tables; buckets are weighted by the rows to be expected."""
    attack, known = Composition(sensitive, "rows"), Known.of(pair.shared)
    rng = np.random.default_rng(seed)
    wrong = known.take(rng.permutation(len(known)))
    findings = score_values(
        attack.guess((first, second), known),
        true_values(pair.shared, sensitive),
        rng=rng,
        control=attack.guess((first, second), wrong),
        draws=2,  # intervals are over samples, not inside one
    )
    found: Found = {}
    for name in RISKS:
        one = findings.get(name)
        found[name] = {"value": one.value, "chance": one.chance, "control": one.control}
    alone = AttributeDisclosure(sensitive, "rows").guess(first, known)
    strangers = pair.test.take(rng.permutation(len(pair.test))[: len(pair.shared)])
    others = attack.guess((first, second), Known.of(strangers))
    for side, guesses, persons in (("alone", alone, pair.shared), ("others", others, strangers)):
        scored = score_values(guesses, true_values(persons, sensitive), rng=rng, draws=2)
        for name in RISKS:
            found[name][side] = scored.get(name).value
    counts = findings.counts
    found["single"] = {"value": counts["with_one_value_left"] / counts["persons"]}
    found["found"] = {"value": counts["found_everywhere"] / counts["persons"]}
    return found


def shape(table: Table, release: Release, key: TableKey | None) -> Found:
    """Data utility as the paper prints it, the groups, and how many values were exchanged or made coarse."""
    release = understood_by(release, table)
    buckets = Buckets.of(release)
    places = list(buckets.quasi_identifiers)
    sizes = [cell_sizes(buckets.domains[place])[buckets.cells[:, place]] for place in places]
    changed = None if key is None else key.changed
    figures = {
        "utility": data_utility(table, release, 0 if key is None else len(key.suppressed)) / 100,
        "rows": len(buckets.cells),
        "groups": len(buckets),
        "largest": int(buckets.sizes.max()),
        "coarse": float(np.mean([(size > 1).mean() for size in sizes])),
        "exchanged": 0.0 if changed is None else float(changed[:, places].any(axis=1).mean()),
    }
    return {name: {"value": float(value)} for name, value in figures.items()}


def worth(
    table: Table,
    release: Release,
    queries: Sequence[Query],
    rules: Sequence[Mapping[str, tuple[str, ...]]],
    target: str,
    test: Table,
    seed: int,
) -> Found:
    """What the printed utility hides: query error, pair distance, invalid rows, what can be learned."""
    rng = np.random.default_rng(seed)
    release = understood_by(release, table)
    found = asked(query_errors(table, release, queries, rng))
    found["pairs"] = {"value": mean_distance(pair_distances(table, release))}
    invalid = invalid_tuples(table, release, rng, rules=rules)
    found["invalid"] = {"value": invalid.pairs}
    found["absent"] = {"value": invalid.quasi_identifiers}
    found["rules"] = {"value": invalid.against_rules, "original": invalid.original_against_rules}
    told = classification(release, test, target)
    found["learned"] = {"value": told.accuracy, "chance": told.majority}
    found["balanced"] = {"value": told.balanced}
    return found


def asked(errors: Sequence[QueryError]) -> Found:
    """Errors by number of quasi-identifiers, with and without the sensitive attribute, and their mean over numbers."""
    found: Found = {}
    for sensitive, name in ((True, WITH), (False, WITHOUT)):
        mine = [each for each in errors if each.sensitive == sensitive and each.mean is not None]
        for each in mine:
            found[f"query {each.dimensions} {name}"] = {
                "value": each.mean,
                "median": each.median,
                "selectivity": each.selectivity,
            }
        for side, pick in (("value", "mean"), ("median", "median"), ("selectivity", "selectivity")):
            numbers = [getattr(each, pick) for each in mine]
            found.setdefault(f"query {name}", {})[side] = float(np.mean(numbers)) if numbers else None
    return found


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
        releases: tuple[Release, Release],
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
