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
    """Put parts in the place of the tables of a release: so many clusters each, so many rows of the root.

    Trees of joints below the root stay whole.
    """
    tables = {name: pq.read_table(folder / f"{name}.parquet") for name in ("clusters", "chunks")}
    tree, of_joint = _trees(folder, tables["clusters"].column("joint").to_pylist())
    owner, joint = (tables["chunks"].column(name).to_pylist() for name in ("cluster", "joint"))
    rows_of: dict[str, list[int]] = {}
    for at, (number, over) in enumerate(zip(owner, joint, strict=True)):
        rows_of.setdefault(of_joint[over] if number is None else tree[number], []).append(at)
    clusters_of: dict[str, list[int]] = {}
    for number, name in enumerate(tree):
        clusters_of.setdefault(name, []).append(number)
    parts: dict[str, list[pa.Table]] = {"clusters": [], "chunks": []}
    waiting = list(clusters_of)
    while waiting:
        numbers: list[int] = []
        found: list[int] = []
        while waiting and len(numbers) < clusters:
            name = waiting.pop(0)
            numbers += clusters_of[name]
            found += rows_of.get(name, [])
        parts["clusters"].append(tables["clusters"].take(sorted(numbers)))
        parts["chunks"].append(tables["chunks"].take(pa.array(sorted(found), pa.int64())))
    rooted = rows_of.get("root", [])
    for first in range(0, len(rooted), rows):
        parts["chunks"].append(tables["chunks"].take(rooted[first : first + rows]))
    for name in parts:
        (folder / f"{name}.parquet").unlink()
        for number, part in enumerate(parts[name]):
            write_part(folder, name, number, part)
    (folder / "README.md").unlink(missing_ok=True)  # it tells of whole tables
    signed(folder)


def _trees(folder: Path, joints: list[int | None]) -> tuple[list[str], dict[int | None, str]]:
    """The tree of each cluster, or the cluster itself, and the tree of each joint."""
    parents = pq.read_table(folder / "joints.parquet").column("parent").to_pylist()
    manifest = json.loads((folder / "manifest.json").read_text())
    root = parents.index(None) if manifest["parameters"]["rare_items"] != "cluster" else None
    of_joint: dict[int | None, str] = {}
    for number in range(len(parents)):
        top = number
        while parents[top] not in (None, root):
            top = parents[top]
        of_joint[number] = "root" if number == root else f"tree {top}"
    tree = [f"cluster {at}" if joint in (None, root) else of_joint[joint] for at, joint in enumerate(joints)]
    return tree, of_joint


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
