"""Releases on disk, as a folder of Parquet files or one JSON file, and the owner's key beside them.

What is special to a kind stands in ``files`` and ``private_files`` of its room, which are asked for by name: reading a
release loads no key. See docs/reference/release-format.md.
"""

from __future__ import annotations

import hashlib
import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from cloven.errors import OutputError, ParameterError, ReleaseError, shorten
from cloven.registry import ROOMS, part
from cloven.storage.atomic import refuse_existing, staged, write_bytes
from cloven.storage.manifest import (
    MANIFEST,
    build_manifest,
    check_manifest,
    expect,
    format_named,
    format_of,
    manifest_bytes,
    parse_json,
)
from cloven.storage.parquet import read_bytes, write_table
from cloven.storage.readme import README, readmes

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.data.table import Table
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.key import Anonymised, Key
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.generalised.key import Generalised, GeneralisedKey
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.kinds.tables.key import PublishedTable, TableKey
    from cloven.kinds.tables.release import GeneralisedTable, Sliced
    from cloven.storage.manifest import JsonForm, Release, ReleaseFormat, SetRelease, TableRelease

FORMATS = ("parquet", "json")


def write_release(
    result: Anonymised | Generalised | PublishedTable,
    out: str | os.PathLike[str],
    *,
    original: Transactions | Table | None = None,
    format: str = "parquet",
    allow_unsafe: bool = False,
    allow_seeded: bool = False,
) -> None:
    """Check a release of any kind, then write it to ``out`` and the owner's key to ``out.private``, both or neither.

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
    from cloven.verification import verify

    if not hasattr(result, "release"):
        message = f"what a method made is written, got {type(result).__name__}; anonymise the data first"
        raise ParameterError(message)
    public, private = places(Path(out), format)
    refuse_existing(private, public)
    result = part(result.release, "files").shown(result)
    verdict = verify(
        result.release,
        original=original,
        key=None if original is None else result.key,
        policy=getattr(result, "policy", None),
        allow_unsafe=allow_unsafe,
        allow_seeded=allow_seeded,
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


def read_release(path: str | os.PathLike[str], manifest: dict[str, Any] | None = None) -> Release:
    """Read a release of any kind from its folder or ``.json`` file.

    Args:
        path: the folder or file.
        manifest: what ``read_manifest`` gave for this folder, if it was read already.

    Raises:
        ReleaseError: something is missing or not as the format says, or the content is not in canonical order.
            Counts, hashes and promises are not checked here: ``verify`` and ``verify_folder`` do that.

    >>> read_release(Path("nowhere"))
    Traceback (most recent call last):
    ...
    cloven.errors.ReleaseError: nowhere: ...
    """
    release = parse_release(path, manifest)
    refuse_unsound(release, path)
    return release


def parse_release(path: str | os.PathLike[str], manifest: dict[str, Any] | None = None) -> Release:
    """What the files of a release hold, in whatever order: for its checker, and for nobody else."""
    path = Path(path)
    if not path.is_dir():
        return _parse_json(path)
    manifest = read_manifest(path) if manifest is None else manifest
    release: Release = format_named(manifest["format"], str(path)).read(path, manifest)
    return release


def refuse_unsound(release: Release, source: str | os.PathLike[str]) -> None:
    """Raise ``ReleaseError`` if a release is not what everything relies on which reads one: compiled code trusts it."""
    for check in part(release, "verify.checker").CHECKER.structure(release):
        if not check.passed:
            message = f"{source}: {check.name}: {check.detail}; get the release again, or see `cloven verify`"
            raise ReleaseError(message)


def read_set_release(
    path: str | os.PathLike[str], what: str, remedy: str = "name such a release"
) -> SetRelease:
    """Read a release for something that works on sets of items, and not on tables of persons."""
    release: Any = read_release(path)
    if not format_of(release).of_sets:
        message = f"{path}: is a {format_of(release).about}, and {what} is for sets of items; {remedy}"
        raise ReleaseError(message)
    return release  # type: ignore[no-any-return]  # the format tells


def read_table_release(path: str | os.PathLike[str], what: str) -> TableRelease:
    """Read a release for something that works on published tables alone."""
    release: Any = read_release(path)
    if format_of(release).of_sets:
        about = format_of(release).about
        message = f"{path}: is a {about} release, and {what} is for published tables; name one of those"
        raise ReleaseError(message)
    return release  # type: ignore[no-any-return]  # the format tells


def read_release_of(family: str, path: str | os.PathLike[str], what: str) -> Any:
    """Read a release for something that works on those of one kind alone."""
    release: Any = read_release(path)
    if release.family != family:
        about, wanted = format_of(release).about, import_module(f"{ROOMS[family]}.files").FORMATS[0].about
        message = f"{path}: is a {about} release, and {what} is for {wanted} ones; name one of those"
        raise ReleaseError(message)
    return release


def read_manifest(path: Path) -> dict[str, Any]:
    """Read and check the manifest of a release, folder or JSON file."""
    if not path.is_dir():
        return dict(_document(path)["manifest"])
    file = path / MANIFEST
    return check_manifest(parse_json(read_bytes(file), str(file)), str(file))


def write_public(release: Release, place: Path, format: str) -> str:
    """Write the published part; return the SHA-256 of the file that holds the manifest."""
    if format == "json":
        content = json_bytes(release)
        write_bytes(place, content)
        return hashlib.sha256(content).hexdigest()
    tables = format_of(release).tables_of(release)
    place.mkdir()
    files = {name: write_table(place / name, columns, values) for name, columns, values in tables}
    manifest = build_manifest(release, files)
    content = manifest_bytes(manifest)
    write_bytes(place / MANIFEST, content)
    for text in readmes(manifest)[:1]:
        write_bytes(place / README, text)
    return hashlib.sha256(content).hexdigest()


def _refuse_half_characters(result: Anonymised | Generalised | PublishedTable) -> None:
    """Half a surrogate pair, as some decoders leave behind, cannot be written in UTF-8."""
    for name in format_of(result.release).texts(result):
        if not name.isascii() and any("\ud800" <= letter <= "\udfff" for letter in name):
            message = (
                f"name {shorten(name)} is no valid Unicode and cannot be written; rename it in the input"
            )
            raise OutputError(message)


# One JSON file, without loss: the manifest, and a line for each of the parts; the same content and order as the folder.


def json_bytes(release: Release) -> bytes:
    """A release in canonical order as JSON, a line for each of its parts; same release, same bytes."""
    parts = json_form(format_of(release)).parts_of(release)
    manifest = json.dumps(build_manifest(release, {}), ensure_ascii=False, sort_keys=True, allow_nan=False)
    lines = ",\n".join(f'"{name}": {_lines(values)}' for name, values in parts.items())
    return f'{{"manifest": {manifest},\n{lines}}}\n'.encode()


def _parse_json(path: Path) -> SetRelease:
    """The release in a JSON file; ``ReleaseError`` says what is wrong with it."""
    document = _document(path)
    form = json_form(format_named(document["manifest"]["format"], str(path)))
    release: SetRelease = form.of_document(document, str(path))
    return release


def json_form(format: ReleaseFormat) -> JsonForm:
    """How releases of a format stand in a JSON file; an error if they do not."""
    if format.json is None:
        message = f"a {format.about} is written as a folder of Parquet files; leave the format json out"
        raise ParameterError(message)
    return format.json


def _document(path: Path) -> dict[str, Any]:
    document = parse_json(read_bytes(path), str(path))
    whole = isinstance(document, dict) and "manifest" in document
    expect(whole, str(path), "the file", "an object with a manifest", document)
    manifest = check_manifest(document["manifest"], str(path), in_json=True)
    parts = json_form(format_named(manifest["format"], str(path))).parts
    whole = set(document) == {"manifest", *parts}
    expect(whole, str(path), "the file", f"an object with manifest, {' and '.join(parts)}", document)
    return dict(document)


def coded(lists: Sequence[list[str]]) -> tuple[tuple[str, ...], NDArray[np.int64], NDArray[np.int32]]:
    """Lists of items as their vocabulary, ascending by code point, offsets and codes."""
    vocabulary = sorted({item for row in lists for item in row})
    code_of = {name: code for code, name in enumerate(vocabulary)}
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    codes = np.fromiter((code_of[item] for row in lists for item in row), np.int32, int(lengths.sum()))
    return tuple(vocabulary), np.concatenate(([0], np.cumsum(lengths))), codes


def objects(document: Mapping[str, Any], name: str, fields: set[str], source: str) -> list[dict[str, Any]]:
    """A list of objects with exactly these fields."""
    found = document[name]
    expect(isinstance(found, list), source, name, "a list", found)
    for number, value in enumerate(found):
        sound = isinstance(value, dict) and set(value) == fields
        expect(sound, source, f"{name}[{number}]", f"an object with {', '.join(sorted(fields))}", value)
    return list(found)


def _lines(values: list[Any]) -> str:
    lines = (json.dumps(value, ensure_ascii=False) for value in values)
    return "[\n" + ",\n".join(lines) + "\n]" if values else "[]"


# The owner's key, in a folder of its own.


def write_key(
    result: Anonymised | Generalised | PublishedTable,
    place: Path,
    *,
    manifest_sha256: str,
    original: Any = None,
) -> None:
    """Write the private folder of a release of any kind whose manifest has this SHA-256."""
    files = part(result.release, "private_files")
    files.write_key(result, place, manifest_sha256=manifest_sha256, original=original)


@overload
def read_key(private: str | os.PathLike[str], release: Disassociated) -> Key: ...
@overload
def read_key(private: str | os.PathLike[str], release: SetGeneralised) -> GeneralisedKey: ...
@overload
def read_key(private: str | os.PathLike[str], release: GeneralisedTable | Sliced) -> TableKey: ...


def read_key(private: str | os.PathLike[str], release: Any) -> Any:
    """Read the owner's key to a release of any kind from its private folder.

    Raises:
        ReleaseError: a file is missing, broken, or speaks of parts that the release does not have.

    >>> import tempfile
    >>> import cloven as cv
    >>> result = cv.Disassociation(k=5, m=2).anonymise(cv.Transactions.from_records([["flu", "fever"]] * 6))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cv.write_release(result, Path(folder, "clinic"))
    ...     read_key(Path(folder, "clinic.private"), result.release) == result.key
    True
    """
    return part(release, "private_files").read_key(Path(private), release)


def read_policy_kept(private: Path, release: Any) -> Any:
    """The policy that the private folder keeps, if its kind of release is made by one."""
    kept = getattr(part(release, "private_files"), "read_private_policy", None)
    return None if kept is None else kept(private)
