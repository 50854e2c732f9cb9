"""A small table of persons, for tests of published tables."""

from __future__ import annotations

import numpy as np

from cloven.data.table import Attribute, Table
from cloven.data.taxonomy import Taxonomy, tree_of

WORK = ("Federal", "Private", "State")


def people(rows: int = 60, seed: int = 7) -> Table:
    """Age (numbers), work (with a tree), sex; illness is sensitive."""
    rng = np.random.default_rng(seed)
    tree = tree_of(
        Taxonomy.from_rows([("Federal", "gov", "*"), ("Private", "*"), ("State", "gov", "*")]), WORK
    )
    ages = np.arange(20.0, 60.0, 2.0)
    attributes = (
        Attribute("age", "quasi-identifier", tuple(f"{age:.0f}" for age in ages), ages),
        Attribute("work", "quasi-identifier", WORK, None, tree),
        Attribute("sex", "quasi-identifier", ("f", "m")),
        Attribute("illness", "sensitive", ("Flu", "Gout", "Mumps", "Ulcer")),
    )
    codes = np.column_stack([rng.integers(0, len(attribute), rows) for attribute in attributes])
    codes[:, 3] = np.arange(rows) % 4
    return Table(attributes, codes.astype(np.int32), np.arange(100, 100 + rows))
