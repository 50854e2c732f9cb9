"""A release as one JSON file, without loss; here a disassociated one, one object per cluster.

The same content and order as the folder; see docs/reference/release-format.md. ``generalised_json`` does the same for
set-generalised releases.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ReleaseError
from cloven.kinds.disassociated.files import check_rare_items, check_version
from cloven.kinds.disassociated.release import Disassociated, Kind
from cloven.kinds.generalised import files as generalised_json
from cloven.kinds.generalised.release import SetGeneralised
from cloven.storage.manifest import build_manifest, check_manifest, expect, parameters_of, parse_json
from cloven.storage.parquet import read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from cloven.storage.formats import SetRelease

PARTS = ("joints", "clusters")
CLUSTER = {"size", "joint", "record_chunks", "term_chunk"}
JOINT = {"parent", "shared_chunks", "term_chunk"}
JOINT_OF_VERSION_1 = JOINT - {"term_chunk"}


def json_bytes(release: SetRelease) -> bytes:
    """A release in canonical order as JSON, a line for each of its parts; same release, same bytes."""
    parts = generalised_json.parts_of(release) if isinstance(release, SetGeneralised) else _parts_of(release)
    manifest = json.dumps(build_manifest(release, {}), ensure_ascii=False, sort_keys=True, allow_nan=False)
    lines = ",\n".join(f'"{name}": {_lines(values)}' for name, values in parts.items())
    return f'{{"manifest": {manifest},\n{lines}}}\n'.encode()


def _parts_of(release: Disassociated) -> dict[str, list[Any]]:
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


def read_json(path: Path) -> SetRelease:
    """Read a release from a JSON file; ``ReleaseError`` says what is wrong with it."""
    document = _document(path)
    if "blocks" in document:
        return generalised_json.of_document(document, str(path))
    return _of_document(document, str(path))


def _of_document(document: dict[str, Any], source: str) -> Disassociated:
    manifest = document["manifest"]
    check_version(manifest, source)
    fields = JOINT_OF_VERSION_1 if manifest["format"].endswith("/1") else JOINT
    joints, clusters = (
        objects(document, "joints", fields, source),
        objects(document, "clusters", CLUSTER, source),
    )
    rows = _Rows(source)
    for number, cluster in enumerate(clusters):
        rows.add_chunks(cluster["record_chunks"], Kind.RECORD, number, -1)
        if cluster["term_chunk"] != []:
            rows.add_chunks([[cluster["term_chunk"]]], Kind.TERM, number, -1)
    for number, joint in enumerate(joints):
        if joint.get("term_chunk", []) != []:
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
    return release


def read_json_manifest(path: Path) -> dict[str, Any]:
    """Read and check the manifest inside a JSON file."""
    return dict(_document(path)["manifest"])


def _document(path: Path) -> dict[str, Any]:
    document = parse_json(read_bytes(path), str(path))
    whole = isinstance(document, dict) and "manifest" in document
    expect(whole, str(path), "the file", "an object with a manifest", document)
    manifest = check_manifest(document["manifest"], str(path), in_json=True)
    generalised = manifest["format"].startswith("cloven.set-generalised/")
    parts = generalised_json.PARTS if generalised else PARTS
    whole = set(document) == {"manifest", *parts}
    expect(whole, str(path), "the file", f"an object with manifest, {' and '.join(parts)}", document)
    return dict(document)


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
        vocabulary, offsets, codes = coded(self.items, self.source)
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


def coded(
    lists: Sequence[list[str]], source: str
) -> tuple[tuple[str, ...], NDArray[np.int64], NDArray[np.int32]]:
    """Lists of items as their vocabulary, ascending by code point, offsets and codes."""
    vocabulary = sorted({item for row in lists for item in row})
    try:
        "".join(vocabulary).encode()
    except UnicodeEncodeError as error:
        message = f"{source}: an item is no valid Unicode ({error.reason}); get the file again"
        raise ReleaseError(message) from error
    code_of = {name: code for code, name in enumerate(vocabulary)}
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    codes = np.fromiter((code_of[item] for row in lists for item in row), np.int32, int(lengths.sum()))
    return tuple(vocabulary), np.concatenate(([0], np.cumsum(lengths))), codes


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
            (joints[joint] if cluster < 0 else clusters[cluster])["term_chunk"] = items
            continue
        chunks = joints[joint]["shared_chunks"] if kind == Kind.SHARED else clusters[cluster]["record_chunks"]
        if chunk == len(chunks):
            chunks.append([])
        chunks[chunk].append(items)


def objects(document: Mapping[str, Any], name: str, fields: set[str], source: str) -> list[dict[str, Any]]:
    """A list of objects with exactly these fields."""
    found = document[name]
    expect(isinstance(found, list), source, name, "a list", found)
    for number, value in enumerate(found):
        sound = isinstance(value, dict) and set(value) == fields
        expect(sound, source, f"{name}[{number}]", f"an object with {', '.join(sorted(fields))}", value)
    return list(found)


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


def _lines(values: list[Any]) -> str:
    lines = (json.dumps(value, ensure_ascii=False) for value in values)
    return "[\n" + ",\n".join(lines) + "\n]" if values else "[]"
