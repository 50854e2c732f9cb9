"""What the README of a set-generalised release says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.figures import counted
from cloven.storage.manifest import Guide

if TYPE_CHECKING:
    from collections.abc import Mapping


def guide(manifest: Mapping[str, Any]) -> Guide:
    """Sentences and code for whoever receives the release."""
    counts, k, m = manifest["counts"], manifest["k"], manifest["m"]
    known = "a protected combination of items" if m is None else f"up to {counted(m, 'items')} of a record"
    return Guide(
        what=f"Data of {counted(counts['records'], 'records')}, each a set of items. Items were put into"
        f" {counted(counts['blocks'], 'blocks')}. A record shows the blocks that it touches: a block of one item says"
        " that the record holds it, a larger one that it holds at least one of its items, and not which.",
        promise=f"Who knows {known} is left with at least {k} candidates for it. Nothing is promised against somebody"
        " who knows more, or who has another release about the same people.",
        tables=(
            "rows.parquet: a row for each record, with the numbers of its blocks",
            "blocks.parquet: the items of each block",
            "manifest.json: method, parameters, counts, and the SHA-256 of each table",
        ),
        python='release.count(["a", "b"])     # certain, likely, at most\n'
        "frame = cv.to_frame(release)   # PyArrow; .to_pandas() makes pandas of it",
        sql="select items, count(*) as held_by\n"
        "from (select unnest(blocks) as block from 'rows.parquet') join 'blocks.parquet' using (block)\n"
        "group by items order by held_by desc, items limit 10;",
        r='rows <- read_parquet("rows.parquet")\nhead(sort(table(unlist(rows$blocks)), decreasing = TRUE), 10)',
    )
