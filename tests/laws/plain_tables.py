"""Published tables by brute force: rows, buckets and people one by one, in plain Python."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
from hypothesis import strategies as st

from cloven.data.table import Attribute, Table, ValueTree
from cloven.kinds.tables.methods.assembly import generalised, sliced
from cloven.kinds.tables.release import Sliced

LETTERS = ("a", "b", "c", "d")
TREE = ValueTree((*LETTERS, "ab", "cd", "*"), np.array([4, 4, 5, 5, 6, 6, 6], np.int32), 4)


def table_of(rows, *, tree=True):
    """Age (numbers 0..5), letter (with a tree) and town are quasi-identifiers, illness is sensitive."""
    attributes = (
        Attribute("age", "quasi-identifier", tuple("012345"), np.arange(6.0)),
        Attribute("letter", "quasi-identifier", LETTERS, None, TREE if tree else None),
        Attribute("town", "quasi-identifier", ("x", "y")),
        Attribute("illness", "sensitive", ("cold", "flu", "gout")),
    )
    codes = np.array(rows, np.int32).reshape(-1, 4)
    return Table(attributes, codes, np.arange(len(codes), dtype=np.int64))


def people(table, names=None):
    """What is known of each person: all quasi-identifiers, or some attributes."""
    names = table.names("quasi-identifier") if names is None else names
    every = [attribute.name for attribute in table.attributes]
    return [
        {name: value for name, value in zip(every, table.row(number), strict=True) if name in names}
        for number in range(len(table))
    ]


row = st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 1), st.integers(0, 2))
COLUMNS = (
    ((0, 1, 2), (3,)),
    ((0,), (1, 2), (3,)),
    ((0, 1), (2, 3)),
    ((0,), (1,), (2,), (3,)),
    ((0, 1, 2, 3),),
)


@st.composite
def tables(draw, least=4, most=10):
    return table_of(draw(st.lists(row, min_size=least, max_size=most)))


@st.composite
def results(draw, table, kinds=("generalised", "sliced")):
    """Some release of a table with its key, of either kind, with groups drawn at random."""
    groups = np.array(draw(st.lists(st.integers(0, 2), min_size=len(table), max_size=len(table))), np.int64)
    if draw(st.sampled_from(kinds)) == "generalised":
        return generalised(table, groups, k=1, parameters={})
    nodes = np.full((len(table), 4), -1, np.int32)
    raised = draw(st.lists(st.sampled_from((-1, -1, 0, 1)), min_size=len(table), max_size=len(table)))
    for number, levels in enumerate(raised):
        if levels >= 0:
            nodes[number, 1] = TREE.path(int(table.codes[number, 1]))[levels + 1]
    columns = draw(st.sampled_from(COLUMNS))
    return sliced(table, groups, columns, k=1, parameters={}, nodes=nodes)


@st.composite
def releases(draw, table, kinds=("generalised", "sliced")):
    """Some release of a table, without its key."""
    return draw(results(table, kinds)).release


def cell(release, attribute, code):
    """The values that a cell stands for."""
    domain = release.domains[attribute]
    start, end = domain.member_offsets[code], domain.member_offsets[code + 1]
    return {domain.values[member] for member in domain.members[start:end].tolist()}


def buckets(release):
    """Every bucket as a list of columns, each a list of parts: attribute name -> set of values."""
    rows = [
        [cell(release, place, code) for place, code in enumerate(codes)] for codes in release.cells.tolist()
    ]
    names = [domain.name for domain in release.domains]
    if isinstance(release, Sliced):
        edges = release.bucket_offsets.tolist()
        groups = [rows[start:end] for start, end in pairwise(edges)]
        columns = release.columns
    else:
        looks = {}
        for cells in rows:
            looks.setdefault(str([sorted(values) for values in cells[:-1]]), []).append(cells)
        groups, columns = list(looks.values()), (tuple(range(len(names))),)
    return [
        [[{names[place]: cells[place] for place in column} for cells in group] for column in columns]
        for group in groups
    ]


def fits(part, person):
    return all(person[name] in values for name, values in part.items() if name in person)


def chances(release, person, attribute, weight="share"):
    """p(t,s) of every value s, as written in the paper; and how many buckets match."""
    found = []
    for bucket in buckets(release):
        share, own = Fraction(1), {}
        for column in bucket:
            each = [part_weight(part, person, weight) for part in column]
            share *= Fraction(sum(each), 1) / len(column)
            if attribute in column[0] and sum(each):
                for part, how in zip(column, each, strict=True):
                    for value in part[attribute]:
                        own[value] = own.get(value, 0) + how / sum(each) / len(part[attribute])
        if share:
            found.append((share * (len(bucket[0]) if weight == "rows" else 1), own))
    total = sum(share for share, _ in found)
    out = {}
    for share, own in found:
        for value, how in own.items():
            if how:
                out[value] = out.get(value, 0) + share / total * how
    return out, len(found)


def part_weight(part, person, weight):
    if not fits(part, person):
        return Fraction(0)
    out = Fraction(1)
    for name, values in part.items():
        if weight == "rows" and name in person:
            out /= len(values)
    return out


def row_weights(release, person):
    """What every row weighs: for each bucket, each choice of one part in every column."""
    found = []
    for bucket in buckets(release):
        size, columns = len(bucket[0]), len(bucket)
        for parts in product(*bucket):
            weight = Fraction(size) ** (1 - columns)
            for part in parts:
                weight *= part_weight(part, person, "rows")
            found.append(weight)
    return found


def own_parts(result, person):
    """The parts of one person by the key: attribute name -> set of values; and the size of their bucket."""
    release, records = result.release, result.key.records
    names = [domain.name for domain in release.domains]
    cut = isinstance(release, Sliced)
    columns = release.columns if cut else (tuple(range(len(names))),)
    rows = [int(np.flatnonzero(records[:, number] == person)[0]) for number in range(len(columns))]
    parts = [
        {names[place]: cell(release, place, release.cells[row, place]) for place in column}
        for column, row in zip(columns, rows, strict=True)
    ]
    size = (
        next(end - start for start, end in pairwise(release.bucket_offsets) if start <= rows[0] < end)
        if cut
        else 1
    )
    return parts, int(size)
