"""Small tables for tests about published tables."""

from __future__ import annotations

import numpy as np

from cloven.data.table import Attribute, Table, ValueTree


def tree(values, groups):
    """A tree of two levels: group name -> values."""
    labels = (*values, *groups, "*")
    parent = np.full(len(labels), len(labels) - 1, np.int32)
    for number, members in enumerate(groups.values()):
        for member in members:
            parent[values.index(member)] = len(values) + number
    return ValueTree(labels, parent, len(values))


def table(columns, *, sensitive, numbers=(), trees=None):
    """A table from lists of values: name -> one value for each row."""
    attributes, codes = [], []
    for name, column in columns.items():
        values = tuple(map(str, sorted(set(column)))) if name in numbers else tuple(sorted(set(column)))
        found = {value: code for code, value in enumerate(values)}
        role = "sensitive" if name in sensitive else "quasi-identifier"
        attributes.append(
            Attribute(
                name,
                role,
                values,
                np.array([float(value) for value in values]) if name in numbers else None,
                tree(values, trees[name]) if trees and name in trees else None,
            )
        )
        codes.append([found[str(value)] for value in column])
    rows = len(next(iter(columns.values())))
    return Table(tuple(attributes), np.array(codes, np.int32).T.copy(), np.arange(rows, dtype=np.int64))


def people(rows=200, seed=1):
    """Random people: age, job (with a tree), town; an illness that goes with the job."""
    rng = np.random.default_rng(seed)
    jobs = ("baker", "cook", "judge", "lawyer")
    job = rng.integers(0, 4, rows)
    ill = np.where(rng.random(rows) < 0.5, job, rng.integers(0, 6, rows))
    return table(
        {
            "age": rng.integers(20, 60, rows).tolist(),
            "job": [jobs[code] for code in job],
            "town": [("north", "south")[code] for code in rng.integers(0, 2, rows)],
            "illness": [("asthma", "burn", "cold", "flu", "gout", "mumps")[code] for code in ill],
        },
        sensitive=("illness",),
        numbers=("age",),
        trees={"job": {"kitchen": ("baker", "cook"), "court": ("judge", "lawyer")}},
    )
