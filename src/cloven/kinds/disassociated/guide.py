"""What the README of a disassociated release says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.figures import counted
from cloven.storage.manifest import Guide

if TYPE_CHECKING:
    from collections.abc import Mapping


def guide(manifest: Mapping[str, Any]) -> Guide:
    """Sentences and code for whoever receives the release."""
    counts, k, m = manifest["counts"], manifest["k"], manifest["m"]
    divided = "chunks-0.parquet" in manifest["files"]
    chunks, clusters = (f"{name}{'-*' if divided else ''}.parquet" for name in ("chunks", "clusters"))
    many = 'open_dataset(Sys.glob("chunks-*.parquet")) |> dplyr::collect()'
    read_in_r = many if divided else 'read_parquet("chunks.parquet")'
    return Guide(
        what=f"Data of {counted(counts['records'], 'records')}, each a set of items, of which"
        f" {counted(counts['items'], 'different items')} are published. No item was invented. Records were put into"
        f" {counted(counts['clusters'], 'clusters')} and cut into parts; which parts of a cluster belong to the same"
        " record is hidden.",
        promise=f"Who knows up to {counted(m, 'items')} of a record is left with at least {k} candidates for it."
        f" Items may have been withheld where fewer than {k} people hold them. Nothing is promised against somebody who"
        " knows more, or who has another release about the same people.",
        tables=(
            f"{chunks}: a row for each part, with its cluster, chunk and items; parts without a cluster belong to"
            " a joint, which is a group of clusters",
            f"{clusters}: the number of records of each cluster, and its joint",
            "joints.parquet: the joint above each joint",
            "manifest.json: method, parameters, counts, and the SHA-256 of each table",
        ),
        python='release.count(["a", "b"])     # certain, likely with an interval, at most\n'
        "release.top_itemsets(10)\n"
        "release.rules(10)\n"
        "frame = cv.to_frame(release)   # PyArrow; .to_pandas() makes pandas of it",
        sql="select item, count(*) as held_by\n"  # noqa: S608 - a text, run by nobody here
        f"from (select unnest(items) as item from '{chunks}' where kind <> 'term')\n"
        "group by item order by held_by desc, item limit 10;",
        r=f"chunks <- {read_in_r}\n"
        'items <- unlist(chunks$items[chunks$kind != "term"])\n'
        "head(sort(table(items), decreasing = TRUE), 10)",
    )
