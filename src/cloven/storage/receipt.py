"""``receipt.json`` of the private folder: to which release and which data it belongs, and what was released how.

See docs/reference/release-format.md.
"""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.errors import ReleaseError, shorten
from cloven.intake.files import open_plain
from cloven.storage.atomic import PRIVATE_FILE, write_bytes
from cloven.storage.fingerprint import Sketch, fingerprint, sketch
from cloven.storage.manifest import MARKS, build_manifest, expect, manifest_bytes, parse_json

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping
    from typing import BinaryIO

    from cloven.data.recognition import Recognisable
    from cloven.storage.manifest import Release

RECEIPT = "receipt.json"
FORMAT = "cloven.receipt/1"
MOST_BYTES = 1 << 20  # of one receipt
FIELDS = frozenset(("format", "counts", "input_sha256", "manifest_sha256", "release", "sketch"))
RELEASE_FIELDS = frozenset(("method", "parameters", "records", "items", "released", "version"))


def build_receipt(
    manifest: Mapping[str, Any],
    *,
    manifest_sha256: str,
    original: Recognisable | None,
    counts: Mapping[str, int],
    released: datetime | None = None,
) -> dict[str, Any]:
    """The receipt of a release of any family.

    Args:
        manifest: of the release; ``method``, ``version``, ``counts`` with records and items, and ``k``, ``m``,
            ``parameters`` and marks as far as they are there, become the entry in the ledger.
        manifest_sha256: hash of the file that holds the manifest.
        original: the data that was released, if it is at hand.
        counts: what must not be published.
        released: when; now if not told.
    """
    when = (released or datetime.now(UTC)).astimezone()
    return {
        "format": FORMAT,
        "manifest_sha256": manifest_sha256,
        "input_sha256": None if original is None else fingerprint(original),
        "counts": dict(counts),
        "release": release_of(manifest, when.isoformat(timespec="microseconds")),
        "sketch": None if original is None else sketch(original).to_dict(),
    }


def write_receipt(
    private: Path,
    release: Release,
    *,
    manifest_sha256: str,
    original: Recognisable | None,
    counts: Mapping[str, int],
) -> None:
    """Write the receipt of a release to its private folder; with the original, how many records it has is counted."""
    if original is not None:
        counts = {**counts, **original.read_counts}
    manifest = build_manifest(release, {})
    receipt = build_receipt(manifest, manifest_sha256=manifest_sha256, original=original, counts=counts)
    write_bytes(private / RECEIPT, manifest_bytes(receipt), PRIVATE_FILE)


def release_of(manifest: Mapping[str, Any], released: str) -> dict[str, Any]:
    """What a ledger tells of a release with this manifest."""
    promise = {name: manifest[name] for name in ("k", "m") if manifest.get(name) is not None}
    marks = {mark: True for mark in MARKS if manifest.get(mark)}
    return {
        "method": manifest["method"],
        "parameters": {**promise, **manifest.get("parameters", {}), **marks},
        "records": manifest["counts"]["records"],
        "items": manifest["counts"].get("items", manifest["counts"].get("attributes")),
        "released": released,
        "version": manifest["version"],
    }


def read_receipt(private: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the receipt of a private folder; ``input_sha256`` is None for a release written without the original.

    Raises:
        ReleaseError: it is missing or not as the format says.
    """
    path = Path(private) / RECEIPT
    return check_receipt(parse_json(read_small(path), str(path)), str(path))


def check_receipt(value: object, source: str) -> dict[str, Any]:
    """Return the receipt if every field is there and of its type, else raise ``ReleaseError``."""
    found = value.get("format") if isinstance(value, dict) else None
    if found != FORMAT:
        message = f"{source}: not a receipt of a release as {FORMAT} describes it; its format is {shorten(str(found))}"
        raise ReleaseError(message)
    receipt: dict[str, Any] = value  # type: ignore[assignment]  # checked
    expect(set(receipt) == FIELDS, source, "fields", sorted(FIELDS), value)
    for field in ("input_sha256", "manifest_sha256"):
        absent = field == "input_sha256" and receipt[field] is None
        digest = isinstance(receipt[field], str) and re.fullmatch("[0-9a-f]{64}", receipt[field])
        expect(absent or bool(digest), source, field, "a SHA-256", receipt[field])
    expect(isinstance(receipt["counts"], dict), source, "counts", "an object", receipt["counts"])
    _check_release(receipt["release"], source)
    _check_sketch(receipt["sketch"], source)
    return receipt


def read_small(path: Path, most: int = MOST_BYTES) -> bytes:
    """Content of a file that is not large, else raise ``ReleaseError``."""
    with plain_file(path) as handle:
        content = handle.read(most + 1)
    expect(len(content) <= most, str(path), "it", f"at most {most:,} bytes", "more")
    return content


@contextmanager
def plain_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that others may have put there: never waits for a pipe, never reads a device.

    Raises:
        ReleaseError: it cannot be read, or is no file.
    """
    try:
        with open_plain(path) as handle:
            yield handle
    except OSError as error:
        message = f"{path}: cannot be read ({error.strerror or error}); name another folder or get it again"
        raise ReleaseError(message) from error


def _check_release(release: object, source: str) -> None:
    whole = isinstance(release, dict) and set(release) == RELEASE_FIELDS
    expect(whole, source, "release", f"an object of {sorted(RELEASE_FIELDS)}", release)
    told: dict[str, Any] = release  # type: ignore[assignment]  # checked
    for field in ("method", "version"):
        plain = isinstance(told[field], str) and re.fullmatch(r"[\w.+-]{1,100}", told[field])
        expect(bool(plain), source, field, "a short name", told[field])
    for field in ("records", "items"):
        number = type(told[field]) is int and 0 <= told[field] < 2**63
        expect(number, source, field, "a whole number", told[field])
    expect(_is_plain(told["parameters"]), source, "parameters", "an object", told["parameters"])
    expect(is_moment(told["released"]), source, "released", "date, time and offset", told["released"])


def _check_sketch(plain: object, source: str) -> None:
    if plain is None:
        return
    expect(isinstance(plain, dict), source, "sketch", "an object or null", plain)
    try:
        Sketch.from_dict(plain)  # type: ignore[arg-type]  # checked
    except ValueError as error:
        expect(False, source, "sketch", "as it was written", error)


def _is_plain(parameters: object) -> bool:
    """Whether it is an object that can be written again: JSON as large as 1e999 is read as infinity."""
    try:
        json.dumps(parameters, allow_nan=False)
    except ValueError:
        return False
    return isinstance(parameters, dict)


def is_moment(text: object) -> bool:
    """Whether it is a date and time with its offset."""
    try:
        return datetime.fromisoformat(str(text)).tzinfo is not None
    except ValueError:
        return False
