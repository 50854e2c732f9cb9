"""The tables of a disassociated release, format ``cloven.disassociated/2`` (docs/reference/release-format.md).

Version 1 had no root: rare items stood in the term chunks of their clusters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from cloven.kinds.disassociated.release import Disassociated, Kind, RareItems
from cloven.storage.manifest import MANIFEST, expect, parameters_of
from cloven.storage.parquet import (
    expect_counting,
    item_lists,
    kind_names,
    kinds,
    list_column,
    read_table,
    whole_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from cloven.storage.parquet import Written

CLUSTERS = {"cluster": "int64", "size": "int64", "joint": "int64"}
JOINTS = {"joint": "int64", "parent": "int64"}
CHUNKS = {"cluster": "int64", "joint": "int64", "chunk": "int32", "kind": "string", "items": "list"}


def tables_of(release: Disassociated) -> tuple[Written, ...]:
    """Names, columns and values of the Parquet files."""
    return (
        ("clusters.parquet", CLUSTERS, _cluster_columns(release)),
        ("joints.parquet", JOINTS, {"joint": np.arange(release.joints), "parent": release.joint_parent}),
        ("chunks.parquet", CHUNKS, _chunk_columns(release)),
    )


def read_disassociated(path: Path, manifest: Mapping[str, Any]) -> Disassociated:
    """Read the folder of a release whose manifest this is."""
    check_version(manifest, str(path / MANIFEST))
    clusters = read_table(path / "clusters.parquet", CLUSTERS)
    joints = read_table(path / "joints.parquet", JOINTS)
    expect_counting(clusters, "cluster", path / "clusters.parquet")
    expect_counting(joints, "joint", path / "joints.parquet")
    size = whole_numbers(clusters, "size", path / "clusters.parquet")
    cluster_joint = whole_numbers(clusters, "joint", path / "clusters.parquet", below=len(joints), null=True)
    parent = whole_numbers(joints, "parent", path / "joints.parquet", below=len(joints), null=True)
    release = Disassociated(
        k=manifest["k"],
        m=manifest["m"],
        parameters=parameters_of(manifest),
        cluster_size=size,
        cluster_joint=cluster_joint,
        joint_parent=parent,
        **_read_rows(path / "chunks.parquet", len(size), len(parent)),
    )
    names = ("clusters.parquet", "joints.parquet", "chunks.parquet")
    check_rare_items(release, *(str(path / name) for name in names))
    return release


def check_version(manifest: Mapping[str, Any], source: str) -> None:
    """Version 1 knows the papers' way only, which is also meant where nothing is said of rare items."""
    found = manifest["parameters"].get("rare_items")
    old = manifest["format"].endswith("/1")
    wanted = "absent: format /1 has no root" if old else "withhold, list or cluster"
    expect(found in ((None,) if old else (None, *get_args(RareItems))), source, "rare_items", wanted, found)


def check_rare_items(release: Disassociated, clusters: str, joints: str, chunks: str) -> None:
    """Term chunks stand where the release says that rare items are; where there is a root, it is above everything.

    The other arguments say where clusters, joints and chunks were read.
    """
    term, outside = release.row_kind == Kind.TERM, release.row_cluster < 0
    own, listed = int(np.count_nonzero(term & ~outside)), int(np.count_nonzero(term & outside))
    way = release.rare_items
    found = f"{listed} with rare_items {way}"
    if way == "cluster":
        expect(listed == 0, chunks, "lists of terms", "absent: there is no root", found)
        return
    tops = int(np.count_nonzero(release.joint_parent < 0))
    expect(tops == 1, joints, "joints without a parent", "one, the root", tops)
    apart = int(np.count_nonzero(release.cluster_joint < 0))
    expect(apart == 0, clusters, "clusters without a joint", "absent: the root is above all", apart)
    expect(own == 0, chunks, "term chunks of clusters", f"absent with rare_items {way}", own)
    expect(listed <= (way == "list"), chunks, "lists of terms", "one with rare_items list, else none", found)
    lower = int(np.count_nonzero(term & outside & (release.row_joint != release.root)))
    expect(lower == 0, chunks, "the list of terms", "at the root", "one of another joint")


def _read_rows(path: Path, clusters: int, joints: int) -> dict[str, Any]:
    table = read_table(path, CHUNKS)
    kind = kinds(table, path)
    cluster = whole_numbers(table, "cluster", path, below=clusters, null=True)
    joint = whole_numbers(table, "joint", path, below=joints, null=True)
    listed = (kind == Kind.TERM) & (cluster < 0)
    outside = (kind == Kind.SHARED) | listed
    misplaced = ((cluster < 0) != outside) | ((joint < 0) == outside)
    first = int(misplaced.argmax()) if len(misplaced) else 0
    expect(
        not misplaced.any(),
        str(path),
        f"row {first}",
        "in a joint alone if shared or listed, else in a cluster alone",
        table.slice(first, 1).to_pylist(),
    )
    offsets, codes, vocabulary = item_lists(table, path)
    return {
        "vocabulary": vocabulary,
        "row_cluster": cluster,
        "row_joint": joint,
        "row_chunk": whole_numbers(table, "chunk", path).astype(np.int32),
        "row_kind": kind,
        "row_offsets": offsets,
        "row_items": codes,
    }


def _cluster_columns(release: Disassociated) -> dict[str, Any]:
    return {
        "cluster": np.arange(release.clusters),
        "size": release.cluster_size,
        "joint": release.cluster_joint,
    }


def _chunk_columns(release: Disassociated) -> dict[str, Any]:
    return {
        "cluster": release.row_cluster,
        "joint": release.row_joint,
        "chunk": release.row_chunk,
        "kind": kind_names(release.row_kind),
        "items": list_column(release.vocabulary, release.row_offsets, release.row_items),
    }
