"""A disassociated release as one JSON file, one object per cluster, without loss.

The same content and order as the folder; see docs/reference/release-format.md.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ReleaseError
from cloven.io.manifest import build_manifest, check_manifest, expect, parameters_of, parse_json
from cloven.io.tables import read_bytes
from cloven.model.disassociated import Disassociated, Kind

if TYPE_CHECKING:
    from pathlib import Path

CLUSTER = {"size", "joint", "record_chunks", "term_chunk"}
JOINT = {"parent", "shared_chunks"}


def json_bytes(release: Disassociated) -> bytes:
    """A release in canonical order as JSON, one line per joint and cluster; same release, same bytes."""
    clusters: list[dict[str, Any]] = [
        {"size": size, "joint": _or_null(joint), "record_chunks": [], "term_chunk": []}
        for size, joint in zip(release.cluster_size.tolist(), release.cluster_joint.tolist(), strict=True)
    ]
    joints: list[dict[str, Any]] = [
        {"parent": _or_null(parent), "shared_chunks": []} for parent in release.joint_parent.tolist()
    ]
    _hand_out_rows(release, clusters, joints)
    manifest = json.dumps(build_manifest(release, {}), ensure_ascii=False, sort_keys=True, allow_nan=False)
    text = f'{{"manifest": {manifest},\n"joints": {_lines(joints)},\n"clusters": {_lines(clusters)}}}\n'
    return text.encode()


def read_json(path: Path) -> Disassociated:
    """Read a release from a JSON file; ``ReleaseError`` says what is wrong with it."""
    source = str(path)
    document = _document(path)
    manifest = document["manifest"]
    joints, clusters = (
        _objects(document, "joints", JOINT, source),
        _objects(document, "clusters", CLUSTER, source),
    )
    rows = _Rows(source)
    for number, cluster in enumerate(clusters):
        rows.add_chunks(cluster["record_chunks"], Kind.RECORD, number, -1)
        if cluster["term_chunk"] != []:
            rows.add_chunks([[cluster["term_chunk"]]], Kind.TERM, number, -1)
    for number, joint in enumerate(joints):
        rows.add_chunks(joint["shared_chunks"], Kind.SHARED, -1, number)
    return Disassociated(
        k=manifest["k"],
        m=manifest["m"],
        parameters=parameters_of(manifest),
        cluster_size=_numbers([cluster["size"] for cluster in clusters], "size", source, None),
        cluster_joint=_numbers([cluster["joint"] for cluster in clusters], "joint", source, len(joints)),
        joint_parent=_numbers([joint["parent"] for joint in joints], "parent", source, len(joints)),
        **rows.arrays(),
    )


def read_json_manifest(path: Path) -> dict[str, Any]:
    """Read and check the manifest inside a JSON file."""
    return dict(_document(path)["manifest"])


def _document(path: Path) -> dict[str, Any]:
    document = parse_json(read_bytes(path), str(path))
    whole = isinstance(document, dict) and set(document) == {"manifest", "joints", "clusters"}
    expect(whole, str(path), "the file", "an object with manifest, joints and clusters", document)
    check_manifest(document["manifest"], str(path), tables=())
    return dict(document)


@dataclass
class _Rows:
    """Collects rows in the order of the file."""

    source: str
    places: list[tuple[int, int, int, int]] = field(default_factory=list)
    items: list[list[str]] = field(default_factory=list)

    def add_chunks(self, chunks: object, kind: Kind, cluster: int, joint: int) -> None:
        owner = f"joint {joint}" if kind == Kind.SHARED else f"cluster {cluster}"
        chunks = chunks if isinstance(chunks, list) else [None]
        for number, chunk in enumerate(chunks):
            rows = chunk if isinstance(chunk, list) else []
            sound = bool(rows) and all(_is_row(row) for row in rows)
            expect(sound, self.source, f"chunks of {owner}", "non-empty lists of lists of text", chunk)
            self.places.extend([(cluster, joint, number, int(kind))] * len(rows))
            self.items.extend(rows)

    def arrays(self) -> dict[str, Any]:
        vocabulary = sorted({item for row in self.items for item in row})
        try:
            "".join(vocabulary).encode()
        except UnicodeEncodeError as error:
            message = f"{self.source}: an item is no valid Unicode ({error.reason}); get the file again"
            raise ReleaseError(message) from error
        code_of = {name: code for code, name in enumerate(vocabulary)}
        lengths = np.fromiter(map(len, self.items), np.int64, len(self.items))
        codes = np.fromiter((code_of[i] for row in self.items for i in row), np.int32, int(lengths.sum()))
        place = np.array(self.places, np.int64).reshape(-1, 4)
        return {
            "vocabulary": tuple(vocabulary),
            "row_cluster": place[:, 0].copy(),
            "row_joint": place[:, 1].copy(),
            "row_chunk": place[:, 2].astype(np.int32),
            "row_kind": place[:, 3].astype(np.int8),
            "row_offsets": np.concatenate(([0], np.cumsum(lengths))),
            "row_items": codes,
        }


def _hand_out_rows(
    release: Disassociated, clusters: list[dict[str, Any]], joints: list[dict[str, Any]]
) -> None:
    offsets = release.row_offsets.tolist()
    names = [release.vocabulary[code] for code in release.row_items.tolist()]
    places = zip(
        release.row_kind.tolist(),
        release.row_cluster.tolist(),
        release.row_joint.tolist(),
        release.row_chunk.tolist(),
        strict=True,
    )
    for row, (kind, cluster, joint, chunk) in enumerate(places):
        items = names[offsets[row] : offsets[row + 1]]
        if kind == Kind.TERM:
            clusters[cluster]["term_chunk"] = items
            continue
        chunks = joints[joint]["shared_chunks"] if kind == Kind.SHARED else clusters[cluster]["record_chunks"]
        if chunk == len(chunks):
            chunks.append([])
        chunks[chunk].append(items)


def _objects(document: dict[str, Any], name: str, fields: set[str], source: str) -> list[dict[str, Any]]:
    objects = document[name]
    expect(isinstance(objects, list), source, name, "a list", objects)
    for number, value in enumerate(objects):
        sound = isinstance(value, dict) and set(value) == fields
        expect(sound, source, f"{name}[{number}]", f"an object with {', '.join(sorted(fields))}", value)
    return list(objects)


def _numbers(
    values: list[object], name: str, source: str, below: int | None
) -> np.ndarray[Any, np.dtype[np.int64]]:
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


def _lines(objects: list[dict[str, Any]]) -> str:
    lines = (json.dumps(value, ensure_ascii=False) for value in objects)
    return "[\n" + ",\n".join(lines) + "\n]" if objects else "[]"
