"""Published tables that the command line made, and what it takes to spoil them without a trace."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cloven.storage.manifest import manifest_bytes
from cloven.storage.parquet import write_table
from cloven.storage.release import read_table_release

LEVELS = ("release", "original", "key")
ILLNESS = ("cough", "flu", "gout", "mumps", "ulcer")
METHODS = {
    "mondrian": ("-k", 5, "-l", 3),
    "slicing": ("-k", 5, "-l", 3, "--partition", "adaptive", "--check", "matching"),
    "ul": ("-k", 5, "-l", 3, "--swap-rate", 0.4, "--columns", "age/work+sex/illness", "--protected", "work"),
}


@dataclass(frozen=True)
class MadeTable:
    """A published table made by the command line, and what it was made from."""

    original: Path
    schema: Path
    out: Path

    @property
    def private(self) -> Path:
        return self.out.with_name(f"{self.out.name}.private")

    def level(self, level: str) -> list[object]:
        known = {"release": [], "original": ["--original", self.original, "--schema", self.schema]}
        known["key"] = [*known["original"], "--private", self.private]
        return ["verify", self.out, *known[level], "--json"]


def copied(made, folder):
    for path in (made.out, made.private):
        shutil.copytree(path, folder / path.name)
    return replace(made, out=folder / made.out.name)


def digest(path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def agree(made) -> None:
    """Hashes of the files in the manifest, hash of the manifest in the receipt."""
    manifest_path, receipt_path = made.out / "manifest.json", made.private / "receipt.json"
    manifest = json.loads(manifest_path.read_text())
    manifest["files"] = {name: digest(made.out / name) for name in manifest["files"]}
    manifest_path.write_bytes(manifest_bytes(manifest))
    receipt = json.loads(receipt_path.read_text())
    receipt_path.write_bytes(manifest_bytes(receipt | {"manifest_sha256": digest(manifest_path)}))


def read(made):
    return read_table_release(made.out, "a test")


def place_of(release, name) -> int:
    return [domain.name for domain in release.domains].index(name)


def cell_of(release, name, label) -> int:
    return release.domains[place_of(release, name)].labels.index(label)


def with_cells(release, cells):
    """Other cells, put in canonical order again as whoever knows the format would do."""
    cells = np.array(cells, np.int32)
    if not hasattr(release, "bucket_offsets"):
        return replace(release, cells=cells[np.lexsort(cells.T[::-1])])
    edges = release.bucket_offsets.tolist()
    buckets = []
    for start, end in pairwise(edges):
        part = cells[start:end].copy()
        for column in map(list, release.columns):
            part[:, column] = part[np.lexsort(part[:, column].T[::-1])][:, column]
        buckets.append(part.tolist())
    buckets.sort()
    offsets = np.cumsum([0, *map(len, buckets)]).astype(np.int64)
    return replace(
        release,
        cells=np.array([row for bucket in buckets for row in bucket], np.int32),
        bucket_offsets=offsets,
    )


def edit_manifest(made, **change):
    path = made.out / "manifest.json"
    manifest = json.loads(path.read_text())
    for name, value in change.items():
        manifest[name] = manifest[name] | value if isinstance(value, dict) else value
    path.write_bytes(manifest_bytes(manifest))


def edit_key(made, name, change):
    path = made.private / name
    table = pq.read_table(path)
    columns = table.to_pydict()
    change(columns)
    pq.write_table(pa.table(columns, schema=table.schema), path)


def write_table_again(path, columns):
    from cloven.kinds.tables.files import ATTRIBUTES, CELLS

    schema = ATTRIBUTES if path.name == "attributes.parquet" else CELLS
    types = {"int64": pa.int64(), "string": pa.string(), "list": pa.list_(pa.string())}
    arrays = {name: pa.array(columns[name], types[schema[name]]) for name in schema}
    path.unlink()
    write_table(path, schema, arrays)
