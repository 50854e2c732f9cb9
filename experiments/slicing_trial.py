"""What one pair of releases gives away, and what the first of them is worth.

Risk is that of the composition attack on the people that both tables share. Every measure has up to five sides:
``value``; ``chance``, the same number of statements drawn from the published distribution; ``control``, the same
attack that knows the quasi-identifiers of the wrong people; ``alone``, what the first release tells without the second;
``others``, what both tell about people who are in neither, which no release can be blamed for.
Of utility, ``value`` is that of the release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.kinds.tables.attack.values import AttributeDisclosure, Composition
from cloven.kinds.tables.buckets import Buckets, cell_sizes
from cloven.kinds.tables.cells import understood_by
from cloven.kinds.tables.guesses import Known
from cloven.kinds.tables.score.score import score_values
from cloven.kinds.tables.score.truth import true_values
from cloven.kinds.tables.utility import classification, data_utility
from cloven.kinds.tables.utility.pairs import invalid_tuples, mean_distance, pair_distances
from cloven.kinds.tables.utility.queries import query_errors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cloven.data.table import Table
    from cloven.kinds.tables.key import TableKey
    from cloven.kinds.tables.release import GeneralisedTable, Sliced
    from cloven.kinds.tables.utility.queries import Query, QueryError
    from experiments.slicing_data import Pair

    Release = GeneralisedTable | Sliced

RISKS = (
    "drr_soft", "drr_strict", "drr_soft_matches", "drr_strict_matches", "likeliest", "confidence", "left",
)  # fmt: skip
WITH, WITHOUT = "with", "without"
DIMENSIONS = (1, 2, 3, 4, 5)
Found = dict[str, dict[str, "float | None"]]
"""Values by measure and side."""


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
