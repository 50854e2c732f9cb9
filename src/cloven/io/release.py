"""A disassociated release as a folder of Parquet files, format ``cloven.disassociated/1``.

``read_release`` knows nothing of the key; ``write_release`` hands the key to ``cloven.io.key``. Both stand on
``cloven.io.tables``. See docs/reference/release-format.md.
"""

from __future__ import annotations

import hashlib
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import OutputError, ParameterError, shorten
from cloven.io.atomic import refuse_existing, staged, write_bytes
from cloven.io.manifest import (
    MANIFEST,
    build_manifest,
    check_manifest,
    expect,
    manifest_bytes,
    parameters_of,
    parse_json,
)
from cloven.io.tables import (
    item_lists,
    kind_names,
    kinds,
    list_column,
    read_bytes,
    read_table,
    whole_numbers,
    write_table,
)
from cloven.model.disassociated import Disassociated, Kind

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from cloven.model.key import Anonymised
    from cloven.model.transactions import Transactions

FORMATS = ("parquet", "json")
CLUSTERS = {"cluster": "int64", "size": "int64", "joint": "int64"}
JOINTS = {"joint": "int64", "parent": "int64"}
CHUNKS = {"cluster": "int64", "joint": "int64", "chunk": "int32", "kind": "string", "items": "list"}


def write_release(
    result: Anonymised,
    out: str | os.PathLike[str],
    *,
    original: Transactions | None = None,
    format: str = "parquet",
    allow_unsafe: bool = False,
    allow_seeded: bool = False,
    ledger: str | os.PathLike[str] | None = None,
) -> None:
    """Check a release, then write it to ``out`` and the owner's key to ``out.private``, both or neither.

    With ``original`` the release is also checked against the data it came from, and the key against both; the
    receipt then holds the fingerprint of the data. ``format="json"`` writes the file ``out.json``. The release is also
    noted in the folder ``ledger`` (default: the one that ``CLOVEN_LEDGER`` names, if it does).

    Raises:
        GuaranteeError: the release is not what it promises; nothing was written.
        OutputError: a place exists already or cannot be written; nothing was left there.

    >>> import tempfile
    >>> import cloven as cv
    >>> data = cv.Transactions.from_records([["flu", "fever"]] * 6)
    >>> result = cv.Disassociation(k=5, m=2).anonymise(data)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_release(result, Path(folder, "clinic"), original=data)
    ...     sorted(place.name for place in Path(folder).iterdir())
    ['clinic', 'clinic.private']
    """
    from cloven.io.key import write_key
    from cloven.io.ledger_file import check_ledger, remember
    from cloven.verification import verify

    public, private = places(Path(out), format)
    refuse_existing(private, public)
    check_ledger(ledger)
    key = None if original is None else result.key
    verdict = verify(
        result.release, original=original, key=key, allow_unsafe=allow_unsafe, allow_seeded=allow_seeded
    )
    verdict.raise_if_broken()
    _refuse_half_characters(result)
    with staged(private, public) as (private_place, public_place):
        digest = write_public(result.release, public_place, format)
        write_key(result, private_place, manifest_sha256=digest, original=original)
    remember(private, ledger)


def places(out: Path, format: str = "parquet") -> tuple[Path, Path]:
    """Where a release and its key go.

    >>> [place.name for place in places(Path("clinic"), "json")]
    ['clinic.json', 'clinic.private']
    """
    if format not in FORMATS:
        message = f"no format {format!r}; choose one of {', '.join(FORMATS)}"
        raise ParameterError(message)
    if out.name in ("", ".."):
        message = f"{out}: names no new folder; give it a name, such as {out / 'release'}"
        raise OutputError(message)
    stem = out.name.removesuffix(".json") if format == "json" else out.name
    return out.with_name(f"{stem}.json" if format == "json" else stem), out.with_name(f"{stem}.private")


def read_release(path: str | os.PathLike[str]) -> Disassociated:
    """Read a release from its folder or ``.json`` file, in the order of the file.

    Raises:
        ReleaseError: something is missing or not as the format says. Order, counts and hashes are not checked
            here: ``verify`` and ``verify_folder`` do that.

    >>> read_release(Path("nowhere"))
    Traceback (most recent call last):
    ...
    cloven.errors.ReleaseError: nowhere: ...
    """
    path = Path(path)
    if not path.is_dir():
        from cloven.io.release_json import read_json

        return read_json(path)
    manifest = read_manifest(path)
    clusters = read_table(path / "clusters.parquet", CLUSTERS)
    joints = read_table(path / "joints.parquet", JOINTS)
    size = whole_numbers(clusters, "size", path / "clusters.parquet")
    number = whole_numbers(clusters, "cluster", path / "clusters.parquet")
    cluster_joint = whole_numbers(clusters, "joint", path / "clusters.parquet", below=len(joints), null=True)
    _expect_counting(number, "cluster", path / "clusters.parquet")
    _expect_counting(
        whole_numbers(joints, "joint", path / "joints.parquet"), "joint", path / "joints.parquet"
    )
    parent = whole_numbers(joints, "parent", path / "joints.parquet", below=len(joints), null=True)
    rows = _read_rows(path / "chunks.parquet", len(size), len(parent))
    return Disassociated(
        k=manifest["k"],
        m=manifest["m"],
        parameters=parameters_of(manifest),
        cluster_size=size,
        cluster_joint=cluster_joint,
        joint_parent=parent,
        **rows,
    )


def read_manifest(path: Path) -> dict[str, Any]:
    """Read and check the manifest of a release, folder or JSON file."""
    if not path.is_dir():
        from cloven.io.release_json import read_json_manifest

        return read_json_manifest(path)
    file = path / MANIFEST
    return check_manifest(parse_json(read_bytes(file), str(file)), str(file))


def _read_rows(path: Path, clusters: int, joints: int) -> dict[str, Any]:
    table = read_table(path, CHUNKS)
    kind = kinds(table, path)
    cluster = whole_numbers(table, "cluster", path, below=clusters, null=True)
    joint = whole_numbers(table, "joint", path, below=joints, null=True)
    shared = kind == Kind.SHARED
    misplaced = ((cluster < 0) != shared) | ((joint < 0) == shared)
    first = int(misplaced.argmax()) if len(misplaced) else 0
    expect(
        not misplaced.any(),
        str(path),
        f"row {first}",
        "in a joint alone if shared, else in a cluster alone",
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


def _expect_counting(numbers: NDArray[np.int64], column: str, path: Path) -> None:
    wrong = np.flatnonzero(numbers != np.arange(len(numbers)))
    if len(wrong):
        expect(False, str(path), f"{column} of row {wrong[0]}", str(wrong[0]), numbers[wrong[0]])


def _refuse_half_characters(result: Anonymised) -> None:
    """Half a surrogate pair, as some decoders leave behind, cannot be written in UTF-8."""
    for name in chain(result.release.vocabulary, *result.key.suppressed_items):
        if not name.isascii() and any("\ud800" <= letter <= "\udfff" for letter in name):
            message = (
                f"item {shorten(name)} is no valid Unicode and cannot be written; rename it in the input"
            )
            raise OutputError(message)


def write_public(release: Disassociated, place: Path, format: str) -> str:
    """Write the published part; return the SHA-256 of the file that holds the manifest."""
    if format == "json":
        from cloven.io.release_json import json_bytes

        content = json_bytes(release)
        write_bytes(place, content)
        return hashlib.sha256(content).hexdigest()
    place.mkdir()
    files = {
        name: write_table(place / name, columns, values)
        for name, columns, values in (
            ("clusters.parquet", CLUSTERS, _cluster_columns(release)),
            ("joints.parquet", JOINTS, {"joint": np.arange(release.joints), "parent": release.joint_parent}),
            ("chunks.parquet", CHUNKS, _chunk_columns(release)),
        )
    }
    content = manifest_bytes(build_manifest(release, files))
    write_bytes(place / MANIFEST, content)
    return hashlib.sha256(content).hexdigest()


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
