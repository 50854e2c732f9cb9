"""What the README of a published table says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cloven.figures import counted
from cloven.storage.manifest import Guide

if TYPE_CHECKING:
    from collections.abc import Mapping


_CELLS = (
    "cells.parquet: the cells of each attribute, with the values that each stands for",
    "attributes.parquet: names and roles of the attributes",
    "manifest.json: method, parameters, counts, and the SHA-256 of each table",
)


def whole_guide(manifest: Mapping[str, Any]) -> Guide:
    """Sentences and code for whoever receives a table with coarse cells."""
    counts, k = manifest["counts"], manifest["k"]
    return Guide(
        what=f"A table of {counted(counts['records'], 'rows')}, made by the method {manifest['method']}. A cell stands"
        " for one value or for several: a group or a range.",
        promise=f"The method was asked that at least {k} rows look alike to whoever knows the quasi-identifiers of a"
        " person; manifest.json has all parameters. Nothing is promised against somebody who knows more, or who has"
        " another release about the same people.",
        tables=(
            "rows.parquet: a row for each row of the table, with a cell number for each attribute",
            *_CELLS,
        ),
        python='release.count({"name": "value"})   # certain, likely, at most\n'
        "frame = cv.to_frame(release)        # PyArrow; .to_pandas() makes pandas of it",
        sql="select label, count(*) as held_by\nfrom 'rows.parquet' as rows join 'cells.parquet' as cells\n"
        "on cells.attribute = 0 and cells.cell = rows.cells[1]\ngroup by label order by held_by desc, label limit 10;",
        r='rows <- read_parquet("rows.parquet")\ncells <- read_parquet("cells.parquet")\n'
        "first <- cells[cells$attribute == 0, ]\n"
        "table(first$label[match(sapply(rows$cells, function(row) row[1]), first$cell)])",
    )


def sliced_guide(manifest: Mapping[str, Any]) -> Guide:
    """Sentences and code for whoever receives a table that is cut into columns and buckets."""
    counts, k = manifest["counts"], manifest["k"]
    return replace(
        whole_guide(manifest),
        what=f"A table of {counted(counts['records'], 'rows')}, made by the method {manifest['method']}. Its attributes"
        f" were cut into {counted(counts['columns'], 'columns')}, its rows into buckets. Which parts of a bucket belong"
        " to the same row is hidden.",
        promise=f"The method was asked that every bucket hide at least {k} rows among each other; manifest.json has all"
        " parameters. Nothing is promised against somebody who knows more, or who has another release about the same"
        " people.",
        tables=(
            "column-0.parquet and so on: the parts of each column, with bucket and cell numbers",
            *_CELLS,
        ),
        sql="select label, count(*) as held_by\nfrom 'column-0.parquet' as parts join 'cells.parquet' as cells\n"
        "on cells.attribute = (select min(attribute) from 'attributes.parquet' as a where a.\"column\" = 0)"
        " and cells.cell = parts.cells[1]\ngroup by label order by held_by desc, label limit 10;",
        r='parts <- read_parquet("column-0.parquet")\nattributes <- read_parquet("attributes.parquet")\n'
        "attributes[attributes$column == 0, ]\nhead(parts)",
    )
