"""The owner's private folder of a disassociated release: key, list of records, what was suppressed, and the receipt.

It lies beside the release, never inside it; folder mode 0700, files 0600. See docs/reference/release-format.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import among
from cloven.errors import ReleaseError
from cloven.kinds.disassociated.files import kind_names, kinds, part_name
from cloven.kinds.disassociated.key import Key
from cloven.kinds.disassociated.release import Kind
from cloven.storage.atomic import PRIVATE_FILE, PRIVATE_FOLDER
from cloven.storage.manifest import expect
from cloven.storage.parquet import (
    in_vocabulary,
    item_lists,
    list_column,
    name_lists,
    read_parts,
    text_column,
    whole_numbers,
    write_table,
)
from cloven.storage.receipt import write_receipt

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.kinds.disassociated.key import Anonymised
    from cloven.kinds.disassociated.release import Disassociated

KEY = {
    "record": "int64",
    "cluster": "int64",
    "joint": "int64",
    "chunk": "int32",
    "kind": "string",
    "row": "int64",
    "items": "list",
}
RECORDS = {"record": "int64", "cluster": "int64", "person": "int64"}
SUPPRESSED = {"record": "int64", "items": "list", "reason": "string"}


def write_key(result: Anonymised, place: Path, *, manifest_sha256: str, original: Any = None) -> None:
    """Write the private folder of a release whose manifest has this SHA-256."""
    key = result.key
    place.mkdir(mode=PRIVATE_FOLDER)
    for name, columns, values in (
        ("key.parquet", KEY, _key_columns(key, result.release)),
        ("records.parquet", RECORDS, _record_columns(key)),
        ("suppressed.parquet", SUPPRESSED, _suppressed_columns(key)),
    ):
        write_table(place / name, columns, values, PRIVATE_FILE)
    write_receipt(
        place,
        result.release,
        manifest_sha256=manifest_sha256,
        original=original,
        counts=_private_counts(key),
    )


def read_key(private: Path, release: Disassociated) -> Key:
    """Read the owner's key to a release from its private folder; ``cloven.storage.release`` says what may be wrong."""
    entries, records = _whole(private / "key.parquet", KEY), _whole(private / "records.parquet", RECORDS)
    return key_from(entries, records, release, private, _read_suppressed(private / "suppressed.parquet"))


def key_from(
    entries: Any, records: Any, release: Disassociated, private: Path, suppressed: dict[str, Any]
) -> Key:
    """The key to a release from the tables of its private folder."""
    path = private / "key.parquet"
    offsets, codes, names = item_lists(entries, path)
    key = Key(
        record=whole_numbers(entries, "record", path),
        release_row=_release_rows(entries, path, release),
        offsets=offsets,
        items=in_vocabulary(names, release.vocabulary, path)[codes],
        **_records(records, private / "records.parquet", release.clusters),
        **suppressed,
    )
    ascend = bool((key.records[1:] > key.records[:-1]).all())
    expect(ascend, str(private / "records.parquet"), "record", "ascending, each once", "another order")
    expect(bool((key.record[1:] >= key.record[:-1]).all()), str(path), "record", "ascending", "another order")
    strange = key.record[~among(key.record, key.records)]
    expect(not len(strange), str(path), "record", "one of records.parquet", strange[:1].tolist())
    expect(bool((offsets[1:] > offsets[:-1]).all()), str(path), "items", "one or more in each entry", "none")
    return key


def _whole(path: Path, columns: dict[str, str]) -> Any:
    """A table of the private folder, from one file or, where that is not there, from its parts."""
    import pyarrow as pa

    return pa.concat_tables(read_parts(parts_of(path), columns))


def parts_of(path: Path) -> list[Path]:
    """The files of a table of the private folder: one, or its parts where that is not there."""
    parts: list[Path] = []
    while not path.exists() and (part := path.with_name(part_name(path.stem, len(parts)))).exists():
        parts.append(part)
    return parts or [path]


def _key_columns(key: Key, release: Disassociated) -> dict[str, Any]:
    starts = _chunk_starts(release)
    row = key.release_row
    return {
        "record": key.record,
        "cluster": release.row_cluster[row],
        "joint": release.row_joint[row],
        "chunk": release.row_chunk[row],
        "kind": kind_names(release.row_kind[row]),
        "row": row - starts[np.searchsorted(starts, row, "right") - 1] if len(row) else row,
        "items": list_column(release.vocabulary, key.offsets, key.items),
    }


def _record_columns(key: Key) -> dict[str, Any]:
    persons = np.full(len(key.records), -1, np.int64) if key.persons is None else key.persons
    return {"record": key.records, "cluster": key.record_cluster, "person": persons}


def _suppressed_columns(key: Key) -> dict[str, Any]:
    import pyarrow as pa

    return {
        "record": key.suppressed_record,
        "items": pa.array(map(list, key.suppressed_items), pa.list_(pa.string())),
        "reason": pa.array(key.suppressed_reason, pa.string()),
    }


def _private_counts(key: Key) -> dict[str, int]:
    return {
        "published_records": len(key.records),
        "suppressed_parts": len(key.suppressed_record),
        "suppressed_items": sum(map(len, key.suppressed_items)),
        "suppressed_records": len(np.setdiff1d(key.suppressed_record, key.records)),
    }


def _chunk_names(release: Disassociated) -> Longs:
    """Number the chunk of each row so that the numbers ascend in canonical order."""
    outside = release.row_cluster < 0
    owner = np.where(outside, release.clusters + release.row_joint, release.row_cluster)
    return _chunk_name(owner, release.row_kind, release.row_chunk, _most_chunks(release))


def _chunk_name(owner: Longs, kind: NDArray[np.int8], chunk: NDArray[Any], most: int) -> Longs:
    names: Longs = (owner * len(Kind) + kind) * most + chunk
    return names


def _most_chunks(release: Disassociated) -> int:
    return int(release.row_chunk.max(initial=0)) + 1


def _chunk_starts(release: Disassociated) -> Longs:
    """First row of each chunk."""
    names = _chunk_names(release)
    if np.any(names[1:] < names[:-1]):
        message = "the rows of the release are not in canonical order, so no key can point at them; verify it"
        raise ReleaseError(message)
    return np.flatnonzero(np.diff(names, prepend=-1))


def _release_rows(table: Any, path: Path, release: Disassociated) -> Longs:
    """Row numbers of the release from cluster or joint, chunk, kind and rank."""
    kind = kinds(table, path)
    cluster = whole_numbers(table, "cluster", path, below=release.clusters, null=True)
    joint = whole_numbers(table, "joint", path, below=release.joints, null=True)
    chunk = whole_numbers(table, "chunk", path, below=_most_chunks(release))
    rank = whole_numbers(table, "row", path)
    outside = cluster < 0
    placed = (joint >= 0) == outside
    owner = np.where(outside, release.clusters + joint, cluster)
    starts = _chunk_starts(release)
    names = _chunk_names(release)[starts]
    wanted = _chunk_name(owner, kind, chunk, _most_chunks(release))
    place = np.minimum(np.searchsorted(names, wanted), max(0, len(names) - 1))
    ends = np.append(starts[1:], release.rows)
    found = placed & (len(names) > 0)
    if len(names):
        found &= (names[place] == wanted) & (rank < (ends - starts)[place])
    wrong = np.flatnonzero(~found)
    example = table.slice(int(wrong[0]), 1).to_pylist() if len(wrong) else None
    expect(not len(wrong), str(path), "every entry", "about a row of the release", example)
    return starts[place] + rank if len(rank) else rank


def _records(table: Any, path: Path, clusters: int) -> dict[str, Any]:
    persons = whole_numbers(table, "person", path, null=True)
    unknown = int((persons < 0).sum())
    expect(
        unknown in (0, len(persons)), str(path), "person", "there for all records or none", f"{unknown} nulls"
    )
    return {
        "records": whole_numbers(table, "record", path),
        "record_cluster": whole_numbers(table, "cluster", path, below=clusters),
        "persons": None if unknown == len(persons) else persons,
    }


def _read_suppressed(path: Path) -> dict[str, Any]:
    table = _whole(path, SUPPRESSED)
    return {
        "suppressed_record": whole_numbers(table, "record", path),
        "suppressed_reason": text_column(table, "reason", path),
        "suppressed_items": name_lists(table, path),
    }
