"""A disassociated release as a folder of Parquet files, format ``cloven.disassociated/1``.

``read_release`` knows nothing of the key; ``write_release`` hands the key to ``cloven.io.key``. The small
Parquet layer at the end serves both. See docs/reference/release-format.md.
"""

from __future__ import annotations

import hashlib
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import OutputError, ParameterError, ReleaseError, shorten
from cloven.io.atomic import PUBLIC_FILE, new_file, refuse_existing, staged, write_bytes
from cloven.io.manifest import (
    MANIFEST,
    build_manifest,
    check_manifest,
    expect,
    manifest_bytes,
    parameters_of,
    parse_json,
)
from cloven.model.disassociated import Disassociated, Kind

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from cloven.model.key import Anonymised
    from cloven.model.transactions import Transactions

FORMATS = ("parquet", "json")
ROW_GROUP = 1 << 17
KINDS = tuple(kind.name.lower() for kind in Kind)
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
) -> None:
    """Check a release, then write it to ``out`` and the owner's key to ``out.private``, both or neither.

    With ``original`` the release is also checked against the data it came from, and the key against both; the
    receipt then holds the fingerprint of the data. ``format="json"`` writes the file ``out.json``.

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
    from cloven.verification import verify

    public, private = places(Path(out), format)
    refuse_existing(private, public)
    key = None if original is None else result.key
    verdict = verify(
        result.release, original=original, key=key, allow_unsafe=allow_unsafe, allow_seeded=allow_seeded
    )
    verdict.raise_if_broken()
    _refuse_half_characters(result)
    with staged(private, public) as (private_place, public_place):
        digest = write_public(result.release, public_place, format)
        write_key(result, private_place, manifest_sha256=digest, original=original)


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


def read_bytes(path: Path) -> bytes:
    """Content of one file of a release; that it cannot be read is a ``ReleaseError``."""
    try:
        return path.read_bytes()
    except OSError as error:
        message = (
            f"{path}: cannot be read ({error.strerror}); name the folder or JSON file of a whole release"
        )
        raise ReleaseError(message) from error


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


def kind_names(kind: NDArray[np.int8]) -> pa.Array:
    """The names of these kinds, as an Arrow array."""
    import pyarrow as pa

    return pa.array(KINDS).take(pa.array(kind))


def list_column(
    vocabulary: Sequence[str], offsets: NDArray[np.int64], codes: NDArray[np.int32]
) -> pa.ChunkedArray:
    """Rows of item codes as an Arrow column of lists of names, in pieces small enough for 32-bit offsets."""
    import pyarrow as pa

    names = pa.array(vocabulary, pa.string())
    pieces = []
    for first in range(0, len(offsets) - 1, ROW_GROUP):
        bounds = offsets[first : first + ROW_GROUP + 1]
        values = names.take(pa.array(codes[bounds[0] : bounds[-1]]))
        pieces.append(pa.ListArray.from_arrays(pa.array(bounds - bounds[0], pa.int32()), values))
    return pa.chunked_array(pieces, pa.list_(pa.string()))


def write_table(
    path: Path, columns: Mapping[str, str], values: Mapping[str, Any], mode: int = PUBLIC_FILE
) -> str:
    """Write a Parquet file whose bytes depend on its values alone; return its SHA-256. Below 0 means null."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema(columns)
    arrays = [
        pa.array(value, field.type, mask=value < 0) if isinstance(value, np.ndarray) else value
        for field, value in zip(schema, (values[name] for name in columns), strict=True)
    ]
    settings = {"use_dictionary": False, "compression": "zstd", "compression_level": 3, "version": "2.6"}
    with (
        new_file(path, mode) as handle,
        pq.ParquetWriter(handle, schema, store_schema=False, write_statistics=False, **settings) as writer,
    ):
        writer.write_table(pa.table(arrays, schema=schema), row_group_size=ROW_GROUP)
    with path.open("rb") as written:
        return hashlib.file_digest(written, "sha256").hexdigest()


def read_table(path: Path, columns: Mapping[str, str]) -> pa.Table:
    """Read a Parquet file that must have exactly these columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with path.open("rb") as handle, pq.ParquetFile(handle) as file:
            found = [(field.name, _type_name(field.type)) for field in file.schema_arrow]
            expect(found == list(columns.items()), str(path), "columns", columns, found)
            table = file.read()
        table.validate(full=True)
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        message = f"{path}: cannot be read as Parquet ({reason}); get the file again"
        raise ReleaseError(message) from error
    return table


def whole_numbers(
    table: pa.Table, column: str, path: Path, *, below: int | None = None, null: bool = False
) -> NDArray[np.int64]:
    """A column of numbers from 0, below a limit if there is one; -1 stands for null where null is allowed."""
    import pyarrow as pa

    values = table.column(column).cast(pa.int64())
    expect(null or not values.null_count, str(path), column, "without null", f"{values.null_count} nulls")
    valid = values.drop_null().to_numpy()
    wrong = valid[(valid < 0) | (valid >= (np.iinfo(np.int64).max if below is None else below))]
    limit = "from 0" if below is None else f"from 0 to below {below}"
    expect(not len(wrong), str(path), column, limit, wrong[:1].tolist())
    numbers: NDArray[np.int64] = valid if not values.null_count else values.fill_null(-1).to_numpy()
    return numbers


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


def item_lists(table: pa.Table, path: Path) -> tuple[NDArray[np.int64], NDArray[np.int32], tuple[str, ...]]:
    """The column ``items`` as offsets, codes and the names in use, ascending by code point."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lists = table.column("items")
    expect(not lists.null_count, str(path), "items", "lists without null", f"{lists.null_count} null lists")
    values = pa.chunked_array([piece.flatten() for piece in lists.chunks], pa.string())
    expect(
        not values.null_count, str(path), "items", "lists of text without null", f"{values.null_count} nulls"
    )
    offsets = np.concatenate(([0], np.cumsum(pc.list_value_length(lists).to_numpy(), dtype=np.int64)))
    names = values.unique()
    order = pc.sort_indices(names)  # bytes of UTF-8 sort like code points
    rank = np.empty(len(names), np.int32)
    rank[order.to_numpy()] = np.arange(len(names), dtype=np.int32)
    codes = rank[pc.index_in(values, value_set=names).to_numpy()] if len(names) else rank
    return offsets, codes, tuple(names.take(order).to_pylist())


def _schema(columns: Mapping[str, str]) -> pa.Schema:
    import pyarrow as pa

    types = {"int64": pa.int64(), "int32": pa.int32(), "string": pa.string(), "list": pa.list_(pa.string())}
    return pa.schema([pa.field(name, types[kind]) for name, kind in columns.items()])


def _type_name(kind: pa.DataType) -> str:
    import pyarrow as pa

    listed = pa.types.is_list(kind) and pa.types.is_string(kind.value_type)
    return "list" if listed else str(kind)
