"""What of a release in parts is checked on Spark with the original and the private folder."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from cloven.errors import ReleaseError
from cloven.intake.urls import file_url
from cloven.kinds.disassociated.files import FORMATS
from cloven.kinds.disassociated.spark import records
from cloven.kinds.disassociated.verify.original_frames import check_frames, frames_of
from cloven.storage.manifest import MANIFEST
from cloven.storage.parquet import read_bytes
from cloven.storage.receipt import read_receipt
from cloven.storage.release import read_manifest
from cloven.verification.verdict import Fault, conclude

if TYPE_CHECKING:
    from pathlib import Path

    from cloven.verification.verdict import Check


def against(session: Any, work: Path, public: Path, private: Path) -> list[Check]:
    """Hold a release and its key against the original, as it was kept in a working folder."""
    manifest = read_manifest(public)
    tables = {
        table: [public / name for name in FORMATS[0].parts_of(f"{table}.parquet", manifest["files"])]
        for table in ("clusters", "chunks")
    } | {table: sorted(private.glob(f"{table}*.parquet")) for table in ("key", "records", "suppressed")}
    rooted = manifest["parameters"]["rare_items"] != "cluster"
    return check_frames(frames_of(session, work / records.SOURCE, tables, k=manifest["k"], rooted=rooted))


def recognised(session: Any, source: Any, work: Path) -> str:
    """Keep an original in ``work``; its fingerprint."""
    kept, codes = work / records.SOURCE, work / "coded"
    records.keep(source, file_url(kept))
    told = records.count(session, kept, source.source, source.max_record_length)
    names = session.sparkContext.broadcast(told.names)
    try:
        records.code(session, told, names, codes)
        return records.fingerprint(session, codes, names, told)
    finally:
        names.unpersist()


def receipt_checks(public: Path, private: Path, fingerprint: str) -> list[Check]:
    """Whether the private folder belongs to the release, and to the data with this fingerprint."""
    try:
        receipt = read_receipt(private)
        digest = hashlib.sha256(read_bytes(public / MANIFEST)).hexdigest()
    except ReleaseError as error:
        return [conclude("private readable", "key", 1, [Fault(1, str(error))], "")]
    other = Fault(int(receipt["manifest_sha256"] != digest), "the receipt belongs to another manifest")
    data = Fault(int(receipt["input_sha256"] != fingerprint), "the receipt belongs to other data")
    said = "as it should be"
    return [conclude("receipt", "key", 1, [other], said), conclude("input", "key", 1, [data], said)]
