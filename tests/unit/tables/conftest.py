"""A small table of persons."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.data.table import Attribute, Table
from cloven.data.taxonomy import Taxonomy, tree_of


@pytest.fixture
def people() -> Table:
    """Forty persons: age, work (with a tree), sex; illness and drug are sensitive."""
    rng = np.random.default_rng(7)
    values = ("Federal", "Private", "State")
    tree = tree_of(
        Taxonomy.from_rows([("Federal", "gov", "*"), ("Private", "*"), ("State", "gov", "*")]), values
    )
    ages = np.arange(20.0, 60.0, 2.0)
    attributes = (
        Attribute("age", "quasi-identifier", tuple(f"{age:.0f}" for age in ages), ages),
        Attribute("work", "quasi-identifier", values, None, tree),
        Attribute("sex", "quasi-identifier", ("f", "m")),
        Attribute("illness", "sensitive", ("Flu", "Gout", "Mumps", "Ulcer")),
        Attribute("drug", "sensitive", ("A", "B", "C")),
    )
    codes = np.column_stack([rng.integers(0, len(attribute), 40) for attribute in attributes]).astype(
        np.int32
    )
    return Table(attributes, codes, np.arange(100, 140))
