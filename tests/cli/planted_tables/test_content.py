"""Planted faults: tables that show or invent what they must not; `cloven verify` sees them.

The manifest and the receipt are made to agree with the fault, so it is the check which is there for the fault that must
find it. The table of what is seen where is in docs/reference/verify.md.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from spoiling import cell_of, place_of, read, with_cells, write_table_again


def test_label_that_tells_something_else(look, made):
    path = made.out / "cells.parquet"
    table = pq.read_table(path).to_pydict()
    row = next(number for number, held in enumerate(table["values"]) if len(held) == 1)
    table["label"][row] = "Eve, 33"
    write_table_again(path, table)
    assert all("labels" in found for found in look(made).values())


def test_name_of_a_group_that_tells_something_else(look, coarse):
    path = coarse.out / "cells.parquet"
    table = pq.read_table(path).to_pydict()
    row = table["label"].index("public")
    table["label"][row] = "public, and Eve"
    write_table_again(path, table)
    found = look(coarse)
    assert found == {"release": set(), "original": {"cells"}, "key": {"cells"}}


def test_cell_from_outside_the_taxonomy(plant, coarse):
    """Federal and Private instead of Federal and State."""
    release = read(coarse)
    place = place_of(release, "work")
    domain = release.domains[place]
    public = domain.labels.index("public")
    members = domain.members.copy()
    start = domain.member_offsets[public]
    members[start : start + 2] = [domain.values.index("Federal"), domain.values.index("Private")]
    other = (*release.domains[:place], replace(domain, members=members), *release.domains[place + 1 :])
    found = plant(coarse, replace(release, domains=other))
    assert {"cells", "everybody covered"} <= found["original"]
    assert "content" in found["key"]


def test_value_that_nobody_has(plant, made):
    """Renamed everywhere, in the same place of the order."""
    release = read(made)
    place = place_of(release, "illness")
    domain = release.domains[place]
    renamed = tuple("gout!" if value == "gout" else value for value in domain.values)
    domain = replace(domain, values=renamed, labels=renamed)
    other = (*release.domains[:place], domain, *release.domains[place + 1 :])
    found = plant(made, replace(release, domains=other))
    assert found["release"] == set()
    assert found["original"] & {"attributes", "marginals"}


def test_cells_that_no_row_shows(look, made):
    """A value more in the list of cells would tell of somebody who is not there."""
    path = made.out / "cells.parquet"
    table = pq.read_table(path).to_pydict()
    last = len(table["label"]) - 1
    for name, value in (("attribute", table["attribute"][last]), ("cell", table["cell"][last] + 1)):
        table[name].append(value)
    table["label"].append("zoster")
    table["holds"].append("set")
    table["values"].append(["zoster"])
    write_table_again(path, table)
    assert all(found & {"arrays", "counts"} for found in look(made).values())


def test_values_of_the_data_listed_inside_a_range(look, coarse):
    """A range is written by its ends; a list of the ages that occur tells more."""
    path = coarse.out / "cells.parquet"
    table = pq.read_table(path).to_pydict()
    row = table["holds"].index("range")
    low, high = map(int, table["values"][row])
    table["values"][row] = [str(age) for age in range(low, high + 1)]
    table["holds"][row] = "set"
    write_table_again(path, table)
    found = look(coarse)
    assert "cells" in found["original"]
    assert "cells" in found["key"]


def test_row_that_nobody_has(plant, coarse):
    """The exact age of one person goes to another row of the class: both are ranges, and the work is new there."""
    release = read(coarse)
    work = place_of(release, "work")
    cells = release.cells.copy()
    shown = {label: cell for cell, label in enumerate(release.domains[work].labels)}
    rows = np.flatnonzero(cells[:, work] == shown["Federal"])[:1]
    cells[rows, work] = shown["State"]
    found = plant(coarse, with_cells(release, cells))
    assert found["original"] & {"nothing invented", "everybody covered", "marginals"}
    assert found["key"] >= found["original"]


def test_combination_that_was_invented(plant, swapped):
    """Nobody who is his own master is a man here; work and sex are exchanged inside a bucket so that one is."""
    release = read(swapped)
    sex, work = place_of(release, "sex"), place_of(release, "work")
    assert any({sex, work} <= set(column) for column in release.columns)
    cells = release.cells.copy()
    row = int(np.argmax(cells[:, work] == cell_of(release, "work", "Self")))
    cells[row, sex] = cell_of(release, "sex", "m")
    found = plant(swapped, with_cells(release, cells))
    assert "nothing invented" in found["original"]


def test_value_given_to_one_more_person(plant, made):
    release = read(made)
    place = place_of(release, "illness")
    cells = release.cells.copy()
    row = int(np.argmax(cells[:, place] != cells[0, place]))
    cells[row, place] = cells[0, place]
    found = plant(made, with_cells(release, cells))
    assert "marginals" in found["original"]
    assert "content" in found["key"]


def test_row_left_out(plant, cut):
    release = read(cut)
    edges = release.bucket_offsets
    large = int(np.argmax(np.diff(edges)))
    assert np.diff(edges)[large] > 5
    keep = np.delete(np.arange(len(release)), edges[large])
    offsets = edges - (np.arange(len(edges)) > large)
    found = plant(
        cut,
        with_cells(replace(release, bucket_offsets=offsets, cells=release.cells[keep]), release.cells[keep]),
    )
    assert "number of rows" in found["original"]
    assert found["key"] & {"private readable", "key arrays", "persons"}


def test_columns_swapped(look, made):
    """Sex is called illness, and the other way round; the roles stay where they are."""
    path = made.out / "attributes.parquet"
    table = pq.read_table(path).to_pydict()
    one, two = table["name"].index("sex"), table["name"].index("illness")
    table["name"][one], table["name"][two] = "illness", "sex"
    write_table_again(path, table)
    assert "attributes" in look(made)["original"]


def test_parts_of_two_buckets_exchanged(plant, cut):
    """Every attribute keeps its values, and so does every column: only the key knows who stands in which bucket."""
    release = read(cut)
    column = next(list(column) for column in release.columns if place_of(release, "age") in column)
    edges = release.bucket_offsets.tolist()
    for first in range(release.buckets):
        for second in range(first + 1, release.buckets):
            cells = release.cells.copy()
            a, b = edges[first], edges[second + 1] - 1
            if (cells[a, column] != cells[b, column]).all():
                cells[[a, b]] = np.where(np.isin(np.arange(4), column), cells[[b, a]], cells[[a, b]])
                found = plant(cut, with_cells(release, cells))
                if found["original"] <= {"l-diversity by matching buckets"}:
                    assert found["key"] & {"content", "one bucket each"}
                    return
    pytest.fail("no two parts can be exchanged unseen")
