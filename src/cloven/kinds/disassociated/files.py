"""The tables of a disassociated release, format ``cloven.disassociated/1`` (docs/reference/release-format.md)."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from cloven.data.arrays import distinct
from cloven.escapes import csv_cell
from cloven.kinds.disassociated.division import Divided, tops_of
from cloven.kinds.disassociated.guide import guide
from cloven.kinds.disassociated.release import KINDS, NOT_ENUMERATED, Disassociated, Kind, RareItems
from cloven.storage.manifest import MANIFEST, JsonForm, ReleaseFormat, expect, is_count, parameters_of
from cloven.storage.parquet import (
    expect_counting,
    item_lists,
    list_column,
    read_parts,
    read_table,
    whole_numbers,
)
from cloven.storage.release import coded, objects

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Longs
    from cloven.kinds.disassociated.key import Anonymised
    from cloven.storage.parquet import Written


CLUSTERS = {"cluster": "int64", "size": "int64", "joint": "int64"}
JOINTS = {"joint": "int64", "parent": "int64"}
CHUNKS = {"cluster": "int64", "joint": "int64", "chunk": "int32", "kind": "string", "items": "list"}


def part_name(table: str, number: int) -> str:
    """Name of a part of a table that is written in many."""
    return f"{table}-{number}.parquet"


def tables_of(release: Disassociated) -> tuple[Written, ...]:
    """Names, columns and values of the Parquet files."""
    numbers = np.arange(release.clusters)
    clusters = {"cluster": numbers, "size": release.cluster_size, "joint": release.cluster_joint}
    chunks = {
        "cluster": release.row_cluster,
        "joint": release.row_joint,
        "chunk": release.row_chunk,
        "kind": kind_names(release.row_kind),
        "items": list_column(release.vocabulary, release.row_offsets, release.row_items),
    }
    return (
        ("clusters.parquet", CLUSTERS, clusters),
        ("joints.parquet", JOINTS, {"joint": np.arange(release.joints), "parent": release.joint_parent}),
        ("chunks.parquet", CHUNKS, chunks),
    )


def to_frame(release: Disassociated) -> pa.Table:
    """The published parts, one in a row."""
    import pyarrow as pa

    _, _, (_, _, chunks) = tables_of(release)
    owners = {
        name: pa.array(chunks[name], pa.int64(), mask=np.asarray(chunks[name]) < 0)
        for name in ("cluster", "joint")
    }
    return pa.table({**chunks, **owners})


def read_disassociated(path: Path, manifest: Mapping[str, Any]) -> Disassociated:
    """Read the folder of a release whose manifest this is."""
    check_way(manifest, str(path / MANIFEST))
    joints = read_table(path / "joints.parquet", JOINTS)
    expect_counting(joints, "joint", path / "joints.parquet")
    parent = whole_numbers(joints, "parent", path / "joints.parquet", below=len(joints), null=True)
    clusters, chunks = _tables(path, manifest, parent)
    expect_counting(clusters, "cluster", path / "clusters.parquet")
    size = whole_numbers(clusters, "size", path / "clusters.parquet")
    expect(bool((size > 0).all()), str(path / "clusters.parquet"), "size", "1, 2, ...", 0)
    cluster_joint = whole_numbers(clusters, "joint", path / "clusters.parquet", below=len(joints), null=True)
    release = Disassociated(
        k=manifest["k"],
        m=manifest["m"],
        parameters=parameters_of(manifest),
        cluster_size=size,
        cluster_joint=cluster_joint,
        joint_parent=parent,
        **read_rows(chunks, path / "chunks.parquet", len(size), len(parent)),
    )
    names = ("clusters.parquet", "joints.parquet", "chunks.parquet")
    check_rare_items(release, *(str(path / name) for name in names))
    check_not_enumerated(release, str(path / MANIFEST))
    return release


def _tables(path: Path, manifest: Mapping[str, Any], parent: Longs) -> tuple[pa.Table, pa.Table]:
    """Clusters and chunks, each from one file, or both from parts."""
    names = [
        FORMATS[0].parts_of(table, manifest["files"]) for table in ("clusters.parquet", "chunks.parquet")
    ]
    clusters, chunks = (
        read_parts([path / name for name in files], columns)
        for files, columns in zip(names, (CLUSTERS, CHUNKS), strict=True)
    )
    divided = [files[0] in (part_name("clusters", 0), part_name("chunks", 0)) for files in names]
    both = divided[0] == divided[1]
    expect(both, str(path), "clusters and chunks", "both in parts, or both in one file", names[1][0])
    if not any(divided):
        return clusters[0], chunks[0]
    rooted = manifest["parameters"]["rare_items"] != "cluster" and (parent < 0).any()
    tops = tops_of(parent, int(np.argmax(parent < 0)) if rooted else -1, path / "joints.parquet")
    return Divided(path, clusters, chunks, tops).whole()


def check_way(manifest: Mapping[str, Any], source: str) -> None:
    """A release says where its rare items are."""
    found = manifest["parameters"].get("rare_items")
    expect(found in get_args(RareItems), source, "rare_items", "withhold, list or cluster", found)


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


def check_not_enumerated(release: Disassociated, source: str) -> None:
    """A release that says ``exact`` says in how many clusters that is not shown; no other release does."""
    found, most = release.parameters.get(NOT_ENUMERATED), release.clusters
    if release.parameters.get("safe") == "exact":
        sound, wanted = (
            is_count(found) and found in range(most + 1),
            f"a whole number of clusters, {most:,} at most",
        )
    else:
        sound, wanted = NOT_ENUMERATED not in release.parameters, "absent: safe is not exact"
    expect(sound, source, NOT_ENUMERATED, wanted, found)


def read_rows(table: pa.Table, path: Path, clusters: int, joints: int) -> dict[str, Any]:
    """The rows of a release from its table of chunks."""
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


def _count(release: Disassociated) -> dict[str, int]:
    maximum = release.parameters.get("max_cluster_size")
    kind = release.row_kind
    oversize = release.cluster_size > maximum if isinstance(maximum, int) else np.zeros(0, bool)
    return {
        "records": release.records,
        "clusters": release.clusters,
        "joints": release.joints,
        "items": len(release.vocabulary),
        "rows": release.rows,
        "record_chunks": _chunks(release, kind == Kind.RECORD),
        "term_chunks": _chunks(release, kind == Kind.TERM),
        "shared_chunks": _chunks(release, kind == Kind.SHARED),
        "oversize_clusters": int(oversize.sum()),
    }


def _chunks(release: Disassociated, rows: Flags) -> int:
    owner = np.maximum(release.row_cluster[rows], release.row_joint[rows])  # one of them is -1
    chunk = release.row_chunk[rows]
    return len(distinct(owner * (int(chunk.max(initial=0)) + 1) + chunk))


# One JSON file: an object for each joint and each cluster.

PARTS = ("joints", "clusters")
CLUSTER = {"size", "joint", "record_chunks", "term_chunk"}
JOINT = {"parent", "shared_chunks", "term_chunk"}


def parts_of(release: Disassociated) -> dict[str, list[Any]]:
    """What stands in the file beside the manifest."""
    clusters: list[dict[str, Any]] = [
        {"size": size, "joint": _or_null(joint), "record_chunks": [], "term_chunk": []}
        for size, joint in zip(release.cluster_size.tolist(), release.cluster_joint.tolist(), strict=True)
    ]
    joints: list[dict[str, Any]] = [
        {"parent": _or_null(parent), "shared_chunks": [], "term_chunk": []}
        for parent in release.joint_parent.tolist()
    ]
    _hand_out_rows(release, clusters, joints)
    return {"joints": joints, "clusters": clusters}


def of_document(document: dict[str, Any], source: str) -> Disassociated:
    """The release of a parsed file whose manifest is sound."""
    manifest = document["manifest"]
    check_way(manifest, source)
    joints, clusters = (
        objects(document, "joints", JOINT, source),
        objects(document, "clusters", CLUSTER, source),
    )
    rows = _Rows(source)
    for number, cluster in enumerate(clusters):
        rows.add_chunks(cluster["record_chunks"], Kind.RECORD, number, -1)
        if cluster["term_chunk"] != []:
            rows.add_chunks([[cluster["term_chunk"]]], Kind.TERM, number, -1)
    for number, joint in enumerate(joints):
        if joint["term_chunk"] != []:
            rows.add_chunks([[joint["term_chunk"]]], Kind.TERM, -1, number)
        rows.add_chunks(joint["shared_chunks"], Kind.SHARED, -1, number)
    release = Disassociated(
        k=manifest["k"],
        m=manifest["m"],
        parameters=parameters_of(manifest),
        cluster_size=_numbers([cluster["size"] for cluster in clusters], "size", source, None),
        cluster_joint=_numbers([cluster["joint"] for cluster in clusters], "joint", source, len(joints)),
        joint_parent=_numbers([joint["parent"] for joint in joints], "parent", source, len(joints)),
        **rows.arrays(),
    )
    check_rare_items(release, source, source, source)
    check_not_enumerated(release, source)
    return release


@dataclass
class _Rows:
    """Collects rows in the order of the file."""

    source: str
    places: list[tuple[int, int, int, int]] = field(default_factory=list)
    items: list[list[str]] = field(default_factory=list)

    def add_chunks(self, chunks: object, kind: Kind, cluster: int, joint: int) -> None:
        owner = f"joint {joint}" if cluster < 0 else f"cluster {cluster}"
        chunks = chunks if isinstance(chunks, list) else [None]
        for number, chunk in enumerate(chunks):
            rows = chunk if isinstance(chunk, list) else []
            sound = bool(rows) and all(_is_row(row) for row in rows)
            expect(sound, self.source, f"chunks of {owner}", "non-empty lists of lists of text", chunk)
            self.places.extend([(cluster, joint, number, int(kind))] * len(rows))
            self.items.extend(rows)

    def arrays(self) -> dict[str, Any]:
        vocabulary, offsets, codes = coded(self.items)
        place = np.array(self.places, np.int64).reshape(-1, 4)
        return {
            "vocabulary": vocabulary,
            "row_cluster": place[:, 0].copy(),
            "row_joint": place[:, 1].copy(),
            "row_chunk": place[:, 2].astype(np.int32),
            "row_kind": place[:, 3].astype(np.int8),
            "row_offsets": offsets,
            "row_items": codes,
        }


def _hand_out_rows(
    release: Disassociated, clusters: list[dict[str, Any]], joints: list[dict[str, Any]]
) -> None:
    offsets = release.row_offsets.tolist()
    names = [release.vocabulary[code] for code in release.row_items.tolist()]
    for row, (kind, cluster, joint, chunk) in enumerate(_places(release)):
        items = names[offsets[row] : offsets[row + 1]]
        if kind == Kind.TERM:
            (joints[joint] if cluster < 0 else clusters[cluster])["term_chunk"] = items
            continue
        chunks = joints[joint]["shared_chunks"] if kind == Kind.SHARED else clusters[cluster]["record_chunks"]
        if chunk == len(chunks):
            chunks.append([])
        chunks[chunk].append(items)


def _places(release: Disassociated) -> Iterator[tuple[int, int, int, int]]:
    """Kind, cluster, joint and chunk of each row."""
    columns = (release.row_kind, release.row_cluster, release.row_joint, release.row_chunk)
    return zip(*(column.tolist() for column in columns), strict=True)


def _numbers(values: list[object], name: str, source: str, below: int | None) -> Longs:
    """Numbers from 0; with a limit, null is allowed and stands as -1."""
    end = 2**63 if below is None else below
    for value in values:
        whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < end
        expect(whole or (below is not None and value is None), source, name, "a number in range", value)
    return np.array([-1 if value is None else value for value in values], np.int64)


def _is_row(row: object) -> bool:
    return isinstance(row, list) and all(isinstance(item, str) for item in row)


def _or_null(number: int) -> int | None:
    return None if number < 0 else number


def _written(result: Anonymised) -> Iterable[str]:
    return chain(result.release.vocabulary, *result.key.suppressed_items)


def shown(result: Any) -> Any:
    """The result as it is published: all of it."""
    return result


FORMATS = (
    ReleaseFormat(
        Disassociated,
        "cloven.disassociated",
        "disassociated",
        ("chunks.parquet", "clusters.parquet", "joints.parquet"),
        lambda release: release.m,
        frozenset(
            ("records", "clusters", "joints", "items", "rows", "record_chunks", "term_chunks", "shared_chunks",
             "oversize_clusters")
        ),
        _count,
        tables_of,
        read_disassociated,
        _written,
        divided=("chunks.parquet", "clusters.parquet"),
        json=JsonForm(PARTS, parts_of, of_document),
        guide=guide,
    ),
)  # fmt: skip


def kind_names(kind: NDArray[np.int8]) -> pa.Array:
    """The names of these kinds, as an Arrow array."""
    import pyarrow as pa

    return pa.array(KINDS).take(pa.array(kind))


def kinds(table: pa.Table, path: Path) -> NDArray[np.int8]:
    """The column ``kind`` as numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = table.column("kind")
    code = pc.index_in(column, value_set=pa.array(KINDS))
    strange = column.filter(pc.is_null(code)).slice(0, 1).to_pylist()
    expect(not strange, str(path), "kind", f"one of {', '.join(KINDS)}", strange)
    numbers: NDArray[np.int8] = code.to_numpy().astype(np.int8)
    return numbers


# A release as CSV for eyes and spreadsheets, one line per published row; not meant to be read back.


def csv_bytes(release: Disassociated) -> bytes:
    """Cluster, joint, chunk, kind and the items joined by ``" | "``."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("cluster", "joint", "chunk", "kind", "items"))
    for row, (kind, cluster, joint, chunk) in enumerate(_places(release)):
        items = csv_cell(" | ".join(release.row(row)))
        owners = ("" if number < 0 else number for number in (cluster, joint))
        writer.writerow((*owners, chunk, KINDS[kind], items))
    return text.getvalue().encode("utf-8", "backslashreplace")
