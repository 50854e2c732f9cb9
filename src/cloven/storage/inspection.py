"""Verify a release as it lies on disk: what ``verify`` checks, and that the files hold that and nothing else.

====================  ========  ============================================================================
check                 level     fault it catches
====================  ========  ============================================================================
files                 release   a file too many, such as a key or a note; a link instead of a file;
                                a README that is not made from the manifest
readable              release   a file that is missing, damaged or not of this format
manifest layout       release   a manifest with anything hidden in its spelling
hashes                release   a file changed after writing
parquet layout        release   metadata, dictionaries, statistics, unused bytes, uneven row groups
counts                release   a manifest that speaks of other content
private readable      key       a private folder that is missing, damaged or of another release
receipt               key       a manifest changed after writing, or a private folder of another release
input                 key       an original that is not the data which was anonymised
====================  ========  ============================================================================
"""

from __future__ import annotations

import hashlib
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.errors import ReleaseError, shorten
from cloven.intake.files import open_plain
from cloven.intake.pages import PagesError, chunks_of, parquet_file
from cloven.registry import rooms
from cloven.storage.fingerprint import fingerprint
from cloven.storage.manifest import MANIFEST, all_formats, count, format_named, manifest_bytes
from cloven.storage.parquet import ROW_GROUP, read_bytes
from cloven.storage.readme import README, readmes
from cloven.storage.receipt import read_receipt
from cloven.storage.release import parse_release, read_key, read_manifest, read_policy_kept

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    import pyarrow.parquet as pq

    from cloven.data.table import Table
    from cloven.data.transactions import Transactions
    from cloven.intake.pages import Chunk
    from cloven.kinds.disassociated.key import Key
    from cloven.kinds.generalised.key import GeneralisedKey
    from cloven.kinds.generalised.policy import Policy
    from cloven.kinds.tables.key import TableKey
    from cloven.storage.manifest import Release
    from cloven.verification.verdict import Check, Level, Verdict

WRITER = re.compile(r"parquet-cpp-arrow version \d{1,3}\.\d{1,3}\.\d{1,3}(\.?(dev|rc)\d{1,4}|-SNAPSHOT)?")


def verify_folder(
    path: str | os.PathLike[str],
    *,
    original: Transactions | Table | None = None,
    private: str | os.PathLike[str] | None = None,
    policy: Policy | None = None,
    allow_unsafe: bool = False,
    allow_seeded: bool = False,
) -> Verdict:
    """Verify a release folder or JSON file, with the original and the private folder if they are at hand.

    A file that cannot be read is a failed check, not an exception. Set-generalised releases are also checked against
    the ``policy`` that they were made by, if it is given or lies in the private folder. A release in parts is verified
    part by part, in the memory that one of them takes, unless the original or a key is given.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     verdict = verify_folder(Path(folder))
    >>> [check.name for check in verdict.failures]
    ['readable']
    """
    by_parts = None
    if original is None and private is None and policy is None and not (allow_unsafe or allow_seeded):
        by_parts = part_checks_of(Path(path))
    if by_parts is not None:
        found: Verdict = by_parts.verify_parts(Path(path), map)
        return found
    return verify_whole(
        path,
        original=original,
        private=private,
        policy=policy,
        allow_unsafe=allow_unsafe,
        allow_seeded=allow_seeded,
    )


def checks_of_read(path: str | os.PathLike[str], release: Release) -> tuple[Check, ...]:
    """What ``verify_folder`` checks, of a release that was read from there already."""
    from cloven.verification import verify

    manifest = read_manifest(Path(path))
    return (*_folder_checks(Path(path), manifest), _check_counts(manifest, release), *verify(release).checks)


def part_checks_of(path: Path) -> Any:
    """How a kind verifies a release by its parts; None where it does not, or the release does not lie in parts."""
    try:
        manifest = read_manifest(path)
    except ReleaseError:
        return None
    kind: Any = format_named(manifest["format"], str(path)).release
    room = rooms()[kind.family]
    if find_spec(f"{room}.parts") is None:
        return None
    checks = import_module(f"{room}.parts.checks")
    return checks if checks.in_parts(path, manifest) else None


def verify_whole(
    path: str | os.PathLike[str],
    *,
    original: Transactions | Table | None = None,
    private: str | os.PathLike[str] | None = None,
    policy: Policy | None = None,
    allow_unsafe: bool = False,
    allow_seeded: bool = False,
) -> Verdict:
    """The same with all of the release in memory."""
    from cloven.verification import verify
    from cloven.verification.verdict import Verdict

    path = Path(path)
    checks: list[Check] = []
    level: Level = "release" if original is None else "original" if private is None else "key"
    try:
        manifest = read_manifest(path)
        checks += _folder_checks(path, manifest)
        release = parse_release(path, manifest)
    except ReleaseError as error:
        checks = checks or list(_folder_checks(path, None))
        return Verdict(level, (*checks, _check("readable", [str(error)], 1)))
    checks += [_check("readable", [], 1), _check_counts(manifest, release)]
    key = None
    if private is not None:
        key, kept, found = _private_checks(path, Path(private), release, original)
        policy = kept if policy is None else policy
        checks += found
    known = None if original is None else key  # a key says nothing without the data
    verdict = verify(
        release,
        original=original,
        key=known,
        policy=policy,
        allow_unsafe=allow_unsafe,
        allow_seeded=allow_seeded,
    )
    return Verdict(level, (*checks, *verdict.checks))


def folder_faults(folder: Path, manifest: dict[str, Any]) -> list[Check]:
    """What is checked of a folder without opening its tables: the files there, and the spelling of its manifest."""
    return [_check_files(folder, manifest), _check_spelling(folder, manifest)]


def file_faults(path: Path, digest: str) -> list[str]:
    """What is wrong with one table: it is not the one that the manifest speaks of, or hides something."""
    same = _sha256(path) == digest
    faults = [] if same else [f"{path.name} is not the file that the manifest speaks of"]
    return [*faults, *_layout_faults(path)]


def _folder_checks(folder: Path, manifest: dict[str, Any] | None) -> Iterator[Check]:
    """What is checked of the files of a folder, without a manifest if that cannot be read."""
    if not folder.is_dir():
        return
    yield _check_files(folder, manifest)
    if manifest is not None:
        yield from _check_manifest_and_hashes(folder, manifest)
    tables = [folder / name for name in _tables(folder, manifest) if (folder / name).is_file()]
    yield _check(
        "parquet layout", [fault for table in tables for fault in _layout_faults(table)], len(tables)
    )


def _check_files(folder: Path, manifest: dict[str, Any] | None) -> Check:
    """Nothing lies there but what belongs to a release."""
    expected = {MANIFEST, README, *_tables(folder, manifest)}
    present = sorted(folder.iterdir())
    strange = [entry.name for entry in present if entry.name not in expected]
    links = [entry.name for entry in present if entry.is_symlink() or not entry.is_file()]
    faults = [f"{shorten(name)} does not belong in a release" for name in dict.fromkeys(strange + links)]
    return _check("files", faults + _readme_faults(folder, manifest), len(present))


def _tables(folder: Path, manifest: dict[str, Any] | None) -> tuple[str, ...]:
    """Files that belong beside the manifest; of a manifest that cannot be read, those of any kind of release."""
    if manifest is not None:
        return format_named(manifest["format"], str(folder)).files(manifest["files"])
    present = [entry.name for entry in folder.iterdir()]
    return tuple(dict.fromkeys(name for each in all_formats() for name in each.files(present)))


def _check_manifest_and_hashes(folder: Path, manifest: dict[str, Any]) -> Iterator[Check]:
    yield _check_spelling(folder, manifest)
    faults = [
        f"{name} is not the file that the manifest speaks of"
        for name, digest in sorted(manifest["files"].items())
        if _sha256(folder / name) != digest
    ]
    yield _check("hashes", faults, len(manifest["files"]))


def _check_spelling(folder: Path, manifest: dict[str, Any]) -> Check:
    spelt = read_bytes(folder / MANIFEST) == manifest_bytes(manifest)
    faults = [] if spelt else [f"{MANIFEST} is not written with sorted keys and two spaces"]
    return _check("manifest layout", faults, 1)


def _readme_faults(folder: Path, manifest: dict[str, Any] | None) -> list[str]:
    """A README is what the manifest makes it, to the byte; older releases have none."""
    if manifest is None or not (folder / README).is_file():
        return []
    try:
        told = read_bytes(folder / README) in readmes(manifest)
    except ReleaseError:
        told = False
    return [] if told else [f"{README} is not the text that belongs to this manifest"]


def _check_counts(manifest: dict[str, Any], release: Release) -> Check:
    counts = count(release)
    faults = [
        f"the manifest tells {manifest['counts'][name]} {name}, the files hold {number}"
        for name, number in counts.items()
        if manifest["counts"][name] != number
    ]
    return _check("counts", faults, len(counts))


def _private_checks(
    path: Path, private: Path, release: Release, original: Transactions | Table | None
) -> tuple[Key | GeneralisedKey | TableKey | None, Policy | None, list[Check]]:
    try:
        receipt, key = read_receipt(private), read_key(private, release)
        policy = read_policy_kept(private, release)
    except ReleaseError as error:
        return None, None, [_check("private readable", [str(error)], 1, "key")]
    same = receipt["manifest_sha256"] == _sha256(path / MANIFEST if path.is_dir() else path)
    faults = [] if same else ["the receipt belongs to another manifest"]
    checks = [_check("private readable", [], 1, "key"), _check("receipt", faults, 1, "key")]
    if original is not None:
        known = receipt["input_sha256"]
        reason = "holds no fingerprint of the input" if known is None else "belongs to other data"
        faults = [] if known == fingerprint(original) else [f"the receipt {reason}"]
        checks.append(_check("input", faults, 1, "key"))
    return key, policy, checks


def _layout_faults(path: Path) -> Iterator[str]:
    try:
        with open_plain(path, within=path.parent) as handle:
            file = parquet_file(handle)
            yield from (
                f"{path.name}: {fault}" for fault in _metadata_faults(file.metadata, file.schema_arrow)
            )
            chunks = [chunk for group in chunks_of(handle) for chunk in group]
            size = path.stat().st_size
            yield from (f"{path.name}: {fault}" for fault in _group_faults(file.metadata, chunks, size))
    except (OSError, PagesError):
        yield f"{path.name}: cannot be read as Parquet"


def _metadata_faults(metadata: pq.FileMetaData, schema: Any) -> Iterator[str]:
    if metadata.metadata or schema.metadata or any(field.metadata for field in schema):
        yield "has schema metadata"
    if not WRITER.fullmatch(metadata.created_by or ""):
        yield f"was made by {shorten(str(metadata.created_by))}, not by Arrow"


def _group_faults(metadata: pq.FileMetaData, chunks: list[Chunk], size: int) -> Iterator[str]:
    full, rest = divmod(metadata.num_rows, ROW_GROUP)
    sizes = [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]
    # An empty table, such as joints of a release that has none, is one empty group, or none at all.
    if sizes != [ROW_GROUP] * full + [rest] * (rest > 0) and sizes != [0]:
        yield f"its row groups do not hold {ROW_GROUP:,} rows each"
    if any(chunk.dictionary for chunk in chunks):
        yield "has a dictionary"
    if any(chunk.more for chunk in chunks):
        yield "has statistics or paths"
    used = sum(chunk.packed for chunk in chunks) + metadata.serialized_size
    if size != used + len(b"PAR1" + b"size" + b"PAR1"):
        yield "has bytes that belong to no column"


def _sha256(path: Path) -> str:
    """Of a file that is there; of anything else nothing, which no manifest names."""
    try:
        with open_plain(path, within=path.parent) as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()
    except OSError:
        return ""


def _check(name: str, faults: list[str], examined: int, level: Level = "release") -> Check:
    from cloven.verification.verdict import Check

    if not faults:
        return Check(name, level, passed=True, examined=examined, detail="as it should be")
    more = f"; {len(faults)} such faults" if len(faults) > 1 else ""
    return Check(name, level, passed=False, examined=examined, detail=faults[0] + more)
