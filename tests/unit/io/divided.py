"""A release folder written in parts, as Spark writes it, without Spark."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from cloven.kinds.disassociated.files import CHUNKS, CLUSTERS, part_name
from cloven.storage.manifest import manifest_bytes
from cloven.storage.parquet import write_table


def in_parts(folder: Path, clusters: int, rows: int) -> None:
    """Put parts in the place of the tables of a release: so many clusters each, so many rows of the root."""
    tables = {name: pq.read_table(folder / f"{name}.parquet") for name in ("clusters", "chunks")}
    owner = tables["chunks"].column("cluster").to_pylist()
    inside = sum(number is not None for number in owner)
    parts: dict[str, list[pa.Table]] = {"clusters": [], "chunks": []}
    for first in range(0, len(tables["clusters"]), clusters):
        parts["clusters"].append(tables["clusters"].slice(first, clusters))
        mine = [at for at, number in enumerate(owner[:inside]) if first <= number < first + clusters]
        parts["chunks"].append(tables["chunks"].slice(mine[0] if mine else 0, len(mine)))
    for first in range(inside, len(owner), rows):
        parts["chunks"].append(tables["chunks"].slice(first, rows))
    for name in parts:
        (folder / f"{name}.parquet").unlink()
        for number, part in enumerate(parts[name]):
            write_part(folder, name, number, part)
    (folder / "README.md").unlink(missing_ok=True)  # it tells of whole tables
    signed(folder)


def write_part(folder: Path, name: str, number: int, table: pa.Table) -> None:
    columns = CLUSTERS if name == "clusters" else CHUNKS
    place = folder / part_name(name, number)
    place.unlink(missing_ok=True)
    write_table(place, columns, {column: table.column(column) for column in columns})


def signed(folder: Path, **changes: object) -> None:
    """Write the manifest anew, with the hashes of what lies there."""
    import hashlib

    manifest = json.loads((folder / "manifest.json").read_text()) | changes
    manifest["files"] = {
        place.name: hashlib.sha256(place.read_bytes()).hexdigest() for place in folder.glob("*.parquet")
    }
    (folder / "manifest.json").write_bytes(manifest_bytes(manifest))
