"""One release that the owner made before, as its receipt remembers it."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from cloven.errors import ReleaseError
from cloven.io.ledger_sketch import Sketch
from cloven.io.manifest import MANIFEST, check_manifest, parse_json
from cloven.io.receipt import read_receipt, read_small, release_of
from cloven.model.audience import is_differentially_private

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PRIVATE = ".private"
DISCARDED = "discarded"
"""File in a private folder that says that its release was never published."""
PROMISES = ("k", "m", "l", "t", "epsilon")  # parameters that say what is promised, in the order of speech


@dataclass(frozen=True)
class Entry:
    """An earlier release. What a receipt of format 1 does not tell is None.

    Attributes:
        private: the private folder.
        place: the release, or the private folder if the release is not beside it any more.
        manifest_sha256: hash of the release.
        input_sha256: fingerprint of the data; None if it was written without the original.
        method: name of the anonymiser.
        parameters: all of its parameters.
        records: how many were published.
        items: how many were published.
        released: when.
        version: of Cloven.
        sketch: by which records in common are counted.
    """

    private: Path
    place: Path
    manifest_sha256: str
    input_sha256: str | None
    method: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    records: int | None = None
    items: int | None = None
    released: datetime | None = None
    version: str | None = None
    sketch: Sketch | None = None

    @classmethod
    def of_receipt(cls, private: Path, receipt: Mapping[str, Any]) -> Entry:
        """The entry of a checked receipt that lies, or lay, in this private folder."""
        place = _release_beside(private)
        hashes = {name: receipt[name] for name in ("manifest_sha256", "input_sha256")}
        told = dict(receipt["release"] or _told_by_manifest(place, receipt["manifest_sha256"]))
        if told.get("released") is not None:
            told["released"] = datetime.fromisoformat(told["released"])
        known = None if receipt["sketch"] is None else Sketch.from_dict(receipt["sketch"])
        return cls(private, place, **hashes, **told, sketch=known)

    @classmethod
    def at(cls, private: Path) -> Entry:
        """The entry of a private folder, or a ``ReleaseError``."""
        return cls.of_receipt(private, read_receipt(private))

    @property
    def identity(self) -> tuple[str, datetime | None]:
        """Equal for two notes of one release."""
        return self.manifest_sha256, self.released

    @property
    def discarded(self) -> bool:
        """Whether the owner says that it was never published."""
        return (self.private / DISCARDED).is_file()

    @property
    def promise(self) -> str:
        """What was promised, in short: ``k=3 m=2``."""
        told = {name: self.parameters.get(name) for name in PROMISES} | {"eps": self.epsilon}
        return " ".join(f"{name}={value}" for name, value in told.items() if value is not None)

    @property
    def epsilon(self) -> float | None:
        """What it costs if it is differentially private, else None."""
        return epsilon_of(self.parameters)

    @property
    def day(self) -> str:
        """The day of the release where it was made, or an empty string."""
        return "" if self.released is None else self.released.date().isoformat()

    @property
    def has_release(self) -> bool:
        """Whether the release is still where it was written."""
        return self.place != self.private

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; of the sketch only how many records it speaks of."""
        return {
            "place": str(self.place),
            "private": str(self.private),
            "released": None if self.released is None else self.released.isoformat(),
            "method": self.method,
            "parameters": dict(self.parameters),
            "records": self.records,
            "items": self.items,
            "version": self.version,
            "input_sha256": self.input_sha256,
            "manifest_sha256": self.manifest_sha256,
            "epsilon": self.epsilon,
            "standing_out": None if self.sketch is None else self.sketch.records,
            "discarded": self.discarded,
        }


def epsilon_of(parameters: Mapping[str, Any]) -> float | None:
    """The epsilon that parameters of a release promise; None if that is not differential privacy.

    >>> epsilon_of({"promise": {"kind": "differential privacy", "epsilon": 0.3}}), epsilon_of({"eps": 0.3})
    (0.3, None)
    """
    if not is_differentially_private(parameters):
        return None
    told = parameters["promise"].get("epsilon")
    plain = isinstance(told, int | float) and not isinstance(told, bool) and 0 < told < float("inf")
    return float(told) if plain else None


def shown(path: Path) -> str:
    """A path as a person in the current folder would write it: whichever way is shorter.

    >>> from pathlib import Path
    >>> shown(Path("spring").absolute())
    'spring'
    """
    absolute = os.path.normpath(path.absolute())
    try:
        return min(os.path.relpath(absolute), absolute, key=len)
    except ValueError:  # another drive
        return absolute


def _release_beside(private: Path) -> Path:
    stem = private.with_name(private.name.removesuffix(PRIVATE) or private.name)
    in_json = stem.with_name(f"{stem.name}.json")
    found = {stem / "published": stem / "published" / MANIFEST, stem: stem / MANIFEST, in_json: in_json}
    return next((place for place, file in found.items() if file.is_file()), private)


def _told_by_manifest(place: Path, digest: str) -> dict[str, Any]:
    """What the manifest tells where the receipt does not, if it is the one that the receipt speaks of."""
    path = place / MANIFEST
    try:
        content = read_small(path)
        if hashlib.sha256(content).hexdigest() != digest:
            return {}
        return release_of(check_manifest(parse_json(content, str(path)), str(path)), None)
    except ReleaseError:
        return {}
