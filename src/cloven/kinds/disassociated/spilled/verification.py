"""Verify a release in parts with its original and key, none of which memory holds."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from cloven.errors import ReleaseError
from cloven.kinds.disassociated.parts.checks import verify_parts
from cloven.kinds.disassociated.parts.originals import Original, verify_original
from cloven.kinds.disassociated.spilled.gathering import gather
from cloven.storage.manifest import MANIFEST
from cloven.storage.parquet import read_bytes
from cloven.storage.receipt import read_receipt
from cloven.storage.release import read_manifest
from cloven.verification.verdict import Fault, Verdict, conclude

if TYPE_CHECKING:
    from pathlib import Path

    from cloven.kinds.disassociated.spilled.room import Room
    from cloven.verification.verdict import Check


def verify_within(places: tuple[Path, Path], source: Any, room: Room, folder: Path) -> Verdict:
    """Verify a release and its key against a file that is read piece by piece.

    Args:
        places: the public and the private folder.
        source: the original (``reading.pieces``).
        room: the memory there is.
        folder: for what does not stay there.

    A file of the release or of the key that cannot be read is a failed check.
    """
    public, private = places
    alone = verify_parts(public, map)
    try:
        manifest, receipt = read_manifest(public), read_receipt(private)
    except ReleaseError as error:
        return Verdict("key", (*alone.checks, _check("private readable", False, str(error))))
    data = gather(source, room, folder)
    digest = hashlib.sha256(read_bytes(public / MANIFEST)).hexdigest()
    known = receipt["input_sha256"]
    reason = "holds no fingerprint of the input" if known is None else "belongs to other data"
    checks = (
        _check("receipt", receipt["manifest_sha256"] == digest, "the receipt belongs to another manifest"),
        _check("input", known == data.fingerprint(), f"the receipt {reason}"),
    )
    original = Original(data.names, data.batches)
    beside = verify_original(places, manifest, original, folder, room.held)
    data.shelf.remove()
    return Verdict("key", (*alone.checks, *checks, *beside.checks))


def _check(name: str, holds: bool, said: str) -> Check:
    return conclude(name, "key", 1, [] if holds else [Fault(1, said)], "as it should be")
