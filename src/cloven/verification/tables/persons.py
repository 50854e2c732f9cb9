"""Where somebody has several rows: k distinct persons in every class, not only k rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.verification.faults import conclude, spot
from cloven.verification.tables.groups import group_of_row
from cloven.verification.verdict import NOT_CHECKED, Check

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.key_table import TableKey
    from cloven.model.published_table import GeneralisedTable, Sliced
    from cloven.model.table import Table

NAME = "persons counted"


def check_table_persons(
    release: GeneralisedTable | Sliced, original: Table | None, key: TableKey | None
) -> list[Check]:
    """What the release says about persons against original and key; no check where nobody speaks of persons."""
    claimed = release.parameters.get("persons") is True
    if original is None:
        told = f"{NOT_CHECKED}: that k persons, not only k rows, stand in each class; give the original and the key"
        return [Check(NAME, "release", passed=True, examined=0, detail=told, decided=False)] * claimed
    several = original.persons is not None and len(set(original.persons.tolist())) < len(original)
    if not claimed and not several:
        return []
    if not claimed or original.persons is None or not several:
        said = (
            f"the release counts rows, and the {len(original):,} rows are of {original.people:,} persons; make it with"
            " the role person in the schema"
            if several
            else "the release says that persons were counted, and the original names none that have several rows;"
            " give their column the role person in the schema"
        )
        return [Check(NAME, "original", passed=False, examined=len(original), detail=said)]
    if key is None:
        told = f"{NOT_CHECKED}: the original names {original.people:,} persons; give the key too"
        return [Check(NAME, "original", passed=True, examined=original.people, detail=told, decided=False)]
    return [_counted(release, original.source_rows, original.persons, key)]


def _counted(
    release: GeneralisedTable | Sliced, rows: NDArray[np.int64], persons: NDArray[np.int64], key: TableKey
) -> Check:
    """Persons of each class, by the owner's key."""
    who = dict(zip(rows.tolist(), persons.tolist(), strict=True))
    groups: dict[int, set[int]] = {}
    for group, row in zip(group_of_row(release).tolist(), key.records[:, 0].tolist(), strict=True):
        groups.setdefault(group, set()).update({who[row]} if row in who else set())
    found = np.array([len(groups[group]) for group in sorted(groups)], np.int64)
    fault = spot(found < release.k, lambda at: f"class {at} has {found[at]} persons, k is {release.k}")
    return conclude(NAME, "key", len(found), [fault], f"every class has at least {release.k} persons")
