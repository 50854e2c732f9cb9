"""Releases on disk, as a folder of Parquet files or one JSON file: written, and read back whichever kind they are.

What is special to a kind stands in the ``files`` of its room. ``read_release`` knows nothing of keys;
``write_release`` hands the key to ``private``. See docs/reference/release-format.md.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.errors import OutputError, ParameterError, ReleaseError, shorten
from cloven.registry import part
from cloven.storage.atomic import refuse_existing, staged, write_bytes
from cloven.storage.formats import format_named, format_of
from cloven.storage.manifest import MANIFEST, build_manifest, check_manifest, manifest_bytes, parse_json
from cloven.storage.parquet import read_bytes, write_table

if TYPE_CHECKING:
    import os

    from cloven.data.table import Table
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.key import Anonymised
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.generalised.key import Generalised
    from cloven.kinds.tables.key import PublishedTable
    from cloven.storage.formats import Release, SetRelease, TableRelease

FORMATS = ("parquet", "json")


def write_release(
    result: Anonymised | Generalised | PublishedTable,
    out: str | os.PathLike[str],
    *,
    original: Transactions | Table | None = None,
    format: str = "parquet",
    allow_unsafe: bool = False,
    allow_seeded: bool = False,
    ledger: str | os.PathLike[str] | None = None,
) -> None:
    """Check a release of any kind, then write it to ``out`` and the owner's key to ``out.private``, both or neither.

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
    from cloven.storage.ledger_file import check_ledger, remember
    from cloven.storage.private import write_key
    from cloven.verification import verify

    public, private = places(Path(out), format)
    refuse_existing(private, public)
    result = part(result.release, "files").shown(result)
    check_ledger(ledger)
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


def read_release(path: str | os.PathLike[str]) -> Release:
    """Read a release of any kind from its folder or ``.json`` file, in the order of the file.

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
        from cloven.storage.release_json import read_json

        return read_json(path)
    manifest = read_manifest(path)
    release: Release = format_named(manifest["format"], str(path)).read(path, manifest)
    return release


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


def read_disassociated_release(path: str | os.PathLike[str], what: str) -> Disassociated:
    """Read a release for something that works on disassociated ones alone."""
    release: Any = read_release(path)
    if release.family != "disassociation":
        about = format_of(release).about
        message = f"{path}: is a {about} release, and {what} is for disassociated ones; name one of those"
        raise ReleaseError(message)
    return release  # type: ignore[no-any-return]  # the family tells


def read_manifest(path: Path) -> dict[str, Any]:
    """Read and check the manifest of a release, folder or JSON file."""
    if not path.is_dir():
        from cloven.storage.release_json import read_json_manifest

        return read_json_manifest(path)
    file = path / MANIFEST
    return check_manifest(parse_json(read_bytes(file), str(file)), str(file))


def write_public(release: Release, place: Path, format: str) -> str:
    """Write the published part; return the SHA-256 of the file that holds the manifest."""
    if format == "json":
        from cloven.storage.release_json import json_bytes

        content = json_bytes(release)
        write_bytes(place, content)
        return hashlib.sha256(content).hexdigest()
    tables = format_of(release).tables_of(release)
    place.mkdir()
    files = {name: write_table(place / name, columns, values) for name, columns, values in tables}
    content = manifest_bytes(build_manifest(release, files))
    write_bytes(place / MANIFEST, content)
    return hashlib.sha256(content).hexdigest()


def _refuse_half_characters(result: Anonymised | Generalised | PublishedTable) -> None:
    """Half a surrogate pair, as some decoders leave behind, cannot be written in UTF-8."""
    for name in format_of(result.release).texts(result):
        if not name.isascii() and any("\ud800" <= letter <= "\udfff" for letter in name):
            message = (
                f"name {shorten(name)} is no valid Unicode and cannot be written; rename it in the input"
            )
            raise OutputError(message)
