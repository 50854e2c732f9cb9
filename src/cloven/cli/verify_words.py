"""What a release promises, and what a level of verification cannot see, in lines."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from cloven.cli.console import many
from cloven.cli.verify_table_words import claimed_of_table, table_claim
from cloven.errors import ReleaseError

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path


def claim_of(release: Path) -> dict[str, Any] | None:
    """What the manifest promises; None if it cannot be read (a failed check says so)."""
    from cloven.io.release import read_manifest

    try:
        manifest = read_manifest(release)
    except ReleaseError:
        return None
    file = release / "manifest.json" if release.is_dir() else release
    parameters = manifest["parameters"]
    claim = {
        "format": manifest["format"],
        "method": manifest["method"],
        "k": manifest["k"],
        "m": manifest["m"],
        "listed": parameters.get("protected", 0),
        "reading": parameters.get("reading"),
        "persons": bool(parameters.get("persons")),
        "records": manifest["counts"]["records"],
        "manifest_sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
    }
    if is_table(claim):
        claim |= table_claim(parameters, release)
    return claim


def claimed(claim: dict[str, Any] | None) -> str:
    """The promise in a sentence, and the hash of the manifest."""
    if claim is None:
        return "promises nothing that can be read"
    if is_table(claim):
        return claimed_of_table(claim)
    known = [] if claim["m"] is None else [f"up to m = {claim['m']} items"]
    if claim["listed"]:
        known.append(
            "the listed itemset" if claim["listed"] == 1 else f"one of {claim['listed']:,} listed itemsets"
        )
    how = claim["method"] + (f", {claim['reading']} combinations" if _in_chunks(claim) else "")
    return (
        f"promises: who knows {' or '.join(known) or 'nothing'} of a record has at least k = {claim['k']} candidates"
        f" among {many(claim['records'], 'record')} ({how})\n"
        f"manifest {claim['manifest_sha256']}"
    )


def open_questions(claim: dict[str, Any] | None, level: str, checks: Collection[str]) -> list[str]:
    """What the level that was run cannot see, given the names of the checks that were made."""
    if claim and is_table(claim):
        return _open_of_table(claim, level, checks)
    out = []
    if level == "release":
        out.append("without --original: that no item was lost or invented")
    if claim and claim["listed"] and "itemsets" not in checks:
        out.append("without --policy or --private: that the listed itemsets are protected")
    if claim and not _in_chunks(claim):
        if level == "release":
            out.append("without --original: that rows show what records have")
            out += [f"without --original: {_PERSONS}"] if claim["persons"] else []
        return out
    if level != "key":
        out.append("without --original and --private: that every part comes from a record of its cluster")
        if claim and claim["persons"]:
            out.append(f"without --original and --private: {_PERSONS}")
    return out


_PERSONS = "that k persons, not only k records, stand behind each count"


def _open_of_table(claim: dict[str, Any], level: str, checks: Collection[str]) -> list[str]:
    out = []
    if claim["promise"] is not None:
        out.append(
            f"at any level: {claim['promise']}, which is a property of how a table is made; a table without any noise"
            " would pass the same checks"
        )
    if level == "release":
        out.append(
            "without --original and --schema: that cells hold values of the original, and nothing is invented"
        )
    if level == "release" and not any("diversity" in name or "-l of" in name for name in checks):
        out.append("without --original and --schema: how well sensitive values are hidden")
    if level != "key":
        out.append(
            "without --original, --schema and --private: that every part comes from the person it should"
        )
    return out


def is_table(claim: dict[str, Any]) -> bool:
    """Whether it is the claim of a published table."""
    return str(claim["format"]).startswith(("cloven.table/", "cloven.sliced/"))


def _in_chunks(claim: dict[str, Any]) -> bool:
    return str(claim["format"]).startswith("cloven.disassociated/")
