"""Small tables made of texts."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.data.table import Attribute, Table, ValueTree


def tree_of(values, groups):
    """A taxonomy with one level of groups between the values and the root; values in no group hang on the root."""
    names = list(groups)
    labels = (*values, *names, "*")
    root = len(labels) - 1
    parent = [root] * len(labels)
    for number, name in enumerate(names):
        for value in groups[name]:
            parent[values.index(value)] = len(values) + number
    return ValueTree(labels, np.array(parent, np.int32), len(values))


@pytest.fixture(scope="session")
def make_table():
    def make(columns, sensitive=(), numbers=(), groups=None):
        """Columns of texts by name; ``groups`` are the taxonomies by name."""
        attributes, codes = [], []
        for name, texts in columns.items():
            values = sorted(set(texts), key=float if name in numbers else None)
            attributes.append(
                Attribute(
                    name,
                    "sensitive" if name in sensitive else "quasi-identifier",
                    tuple(values),
                    np.array([float(v) for v in values]) if name in numbers else None,
                    tree_of(values, groups[name]) if groups and name in groups else None,
                )
            )
            codes.append([values.index(text) for text in texts])
        table = np.array(codes, np.int32).T.copy()
        return Table(tuple(attributes), table, np.arange(len(table), dtype=np.int64))

    return make
