"""Manifest, README and receipt of a release in parts, which nobody holds whole."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple

from cloven.kinds.disassociated.files import FORMATS
from cloven.storage.atomic import PRIVATE_FILE, write_bytes
from cloven.storage.manifest import MANIFEST, manifest_bytes, manifest_of
from cloven.storage.readme import README, readmes
from cloven.storage.receipt import RECEIPT, build_receipt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from cloven.kinds.disassociated.methods.disassociation import Disassociation
    from cloven.storage.fingerprint import Sketch


class Recognised(NamedTuple):
    """By what data is known again, where nobody holds it whole: its fingerprint, and a sketch of who stands out."""

    sha256: str
    sketch: Sketch


def describe(
    method: Disassociation,
    shown: Sequence[str],
    files: Mapping[str, str],
    totals: Mapping[str, int],
    counts: Mapping[str, int],
    places: tuple[Path, Path],
    recognised: Recognised | None,
) -> dict[str, Any]:
    """Write what tells of a release beside its tables; the manifest.

    Args:
        method: what made it.
        shown: names of all items that are published.
        files: SHA-256 of each table.
        totals: the numbers of the manifest, without items.
        counts: what must not be published.
        places: the public and the private folder.
        recognised: of the data, if it is known.
    """
    known, (public, private) = set(shown), places
    groups = [[name for name in group if name in known] for group in method.parameters["utility_groups"]]
    parameters = {**method.parameters, "persons": False, "utility_groups": groups}
    promise = {"k": method.k, "m": method.m}
    manifest = manifest_of(FORMATS[0], promise, parameters, {**totals, "items": len(shown)}, files)
    content = manifest_bytes(manifest)
    write_bytes(public / MANIFEST, content)
    for text in readmes(manifest)[:1]:
        write_bytes(public / README, text)
    digest = hashlib.sha256(content).hexdigest()
    receipt = build_receipt(manifest, manifest_sha256=digest, original=None, counts=counts)
    if recognised is not None:
        receipt |= {"input_sha256": recognised.sha256, "sketch": recognised.sketch.to_dict()}
    write_bytes(private / RECEIPT, manifest_bytes(receipt), PRIVATE_FILE)
    return manifest
