"""What guesses have in common on disk: to which release they belong, and tables that others may write.

``cloven attack`` writes them by the ``guesses_files`` of a room, ``cloven score`` reads them.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ReleaseError
from cloven.storage.atomic import PRIVATE_FILE, new_file
from cloven.storage.manifest import expect, format_of, parse_json
from cloven.storage.parquet import parquet, read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from cloven.storage.manifest import SetRelease


CONTROL = "control"


def release_digest(release: SetRelease) -> str:
    """SHA-256 over what a release publishes, whichever file it came from."""
    digest = hashlib.sha256(f"{release.k}/{format_of(release).known_items(release)}".encode())
    for names in (release.vocabulary, getattr(release, "block_labels", ())):
        digest.update("\0".join(names).encode("utf-8", "surrogatepass"))
    for name in release.ARRAYS:
        digest.update(np.ascontiguousarray(getattr(release, name), np.int64).tobytes())
    return digest.hexdigest()


def about_of(folder: Path, name: str, wanted: str, digest: str) -> dict[str, Any]:
    """What a folder of answers says about itself, if it has this format and is about the release with this hash."""
    file = folder / name
    if not file.is_file():
        what = name.removesuffix(".json")
        message = (
            f"{folder}: cannot be read as {what}, it has no {name}; name a folder that `cloven attack` wrote"
        )
        raise ReleaseError(message)
    about = parse_json(read_bytes(file), str(file))
    found = about.get("format") if isinstance(about, dict) else about
    expect(found == wanted, str(file), "format", wanted, found)
    for field in ("attack", "notes"):
        expect(isinstance(about.get(field), dict), str(file), field, "an object", about.get(field))
    if about.get("release") != digest:
        message = f"{folder}: these guesses are about another release; run `cloven attack` on this one"
        raise ReleaseError(message)
    return dict(about)


def cast_columns(file: Path, kinds: Mapping[str, pa.DataType]) -> list[pa.ChunkedArray]:
    """Columns of a table that has exactly these, as these types."""
    import pyarrow as pa

    table = read_loose(file)
    expect(tuple(table.column_names) == tuple(kinds), str(file), "columns", tuple(kinds), table.column_names)
    try:
        return [table.column(name).cast(kind) for name, kind in kinds.items()]
    except pa.ArrowException as error:
        page = "eliminations-format" if "item" in kinds else "guesses-format"
        message = f"{file}: a column has the wrong type ({error}); see docs/reference/{page}.md"
        raise ReleaseError(message) from error


def read_answers(file: Path, rows: int, known: Sequence[str]) -> list[str]:
    """The column ``answer`` of a table of so many rows; every answer is one of the known."""
    table = read_loose(file)
    once = table.column_names.count("answer") == 1
    expect(once, str(file), "columns", "with one answer", table.column_names)
    expect(len(table) == rows, str(file), "rows", f"{rows:,}", f"{len(table):,}")
    listed: list[str] = table.column("answer").to_pylist()
    strange = [name for name in listed if name not in known]
    expect(not strange, str(file), "answer", f"one of {', '.join(known)}", strange[:1])
    return listed


def write_loose(path: Path, table: pa.Table) -> None:
    """Write a Parquet file for the owner's eyes; unlike those of releases its bytes may vary with the library."""
    import pyarrow.parquet as pq

    with new_file(path, PRIVATE_FILE) as handle:
        pq.write_table(table, handle, compression="zstd", compression_level=3)


def read_loose(path: Path) -> pa.Table:
    """Read a Parquet file that any program may have written."""
    return parquet(path, "run `cloven attack` again")
