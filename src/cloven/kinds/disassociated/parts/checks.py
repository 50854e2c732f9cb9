"""Verify a release that lies in parts, part by part: nobody needs to hold it whole.

Every part of clusters is a release of its own, with a root that says nothing: the checker of whole releases looks at
it. What is left is about numbers: clusters ascend from part to part too; a chunk of the root has one item, k rows or
more, and no more of them than there are records in clusters that do not show it; the manifest counts what is there.
``spread`` says where parts are looked at: one after another, or by the workers of a cluster.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.errors import ReleaseError, shorten
from cloven.kinds.disassociated.files import FORMATS, JOINTS
from cloven.kinds.disassociated.parts.folder import (
    in_parts,
    names_of_parts,
    read_part,
    read_root_part,
    tallied,
)
from cloven.storage.inspection import file_faults, folder_faults
from cloven.storage.parquet import allowed_of, expect_counting, read_table
from cloven.storage.release import read_manifest
from cloven.verification import verify
from cloven.verification.verdict import Check, Fault, Verdict, conclude

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.kinds.disassociated.parts.folder import Spread
    from cloven.kinds.disassociated.release import Disassociated

__all__ = ["in_parts", "verify_parts"]

Content = tuple[tuple[tuple[tuple[str, ...], ...], ...], tuple[str, ...], int]


def verify_parts(path: Path, spread: Spread) -> Verdict:
    """Verify a release in parts, without original and key; ``verify_folder`` gives the same answer."""
    try:
        manifest = read_manifest(path)
        checks = folder_faults(path, manifest)
        asked = _asked(path, manifest)
        found = [json.loads(each) for each in spread(looked_at, [json.dumps(each) for each in asked])]
        checks += _together(path, manifest, found)
    except ReleaseError as error:
        return Verdict("release", (_fault("readable", [Fault(1, str(error))], 1),))
    return Verdict("release", tuple(checks))


def _asked(path: Path, manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What to look at: a part of clusters with its chunks, or a part of the root."""
    files = manifest["files"]
    clusters, chunks = names_of_parts(path, manifest)
    inside = [{"clusters": one, "chunks": two} for one, two in clusters]
    root = [{"root": name} for name in chunks]
    allowed = allowed_of([path / name for name in files])
    return [
        {
            "allowed": allowed,
            "folder": str(path.absolute()),
            "manifest": {**manifest, "files": {name: files[name] for name in names.values()}},
            **names,
        }
        for names in (*inside, *root)
    ]


def looked_at(asked: str) -> str:
    """What one part is, as JSON; a fault of reading is told, not raised."""
    given = json.loads(asked)
    folder, files = Path(given["folder"]), given["manifest"]["files"]
    names = [given[name] for name in ("clusters", "chunks", "root") if name in given]
    told: dict[str, Any] = {
        "faults": [fault for name in names for fault in file_faults(folder / name, files[name])]
    }
    try:
        if "root" in given:
            runs, rows = read_root_part(folder / given["root"], given["allowed"])
            told |= {"runs": runs, "rows": rows}
        else:
            places = (folder / given["clusters"], folder / given["chunks"])
            told |= _cluster_part(*places, given["manifest"], given["allowed"])
    except ReleaseError as error:
        told["error"] = str(error)
    return json.dumps(told)


def _cluster_part(clusters: Path, chunks: Path, manifest: Mapping[str, Any], allowed: int) -> dict[str, Any]:
    """A part of clusters: what its checks say, its first and last cluster, and what it adds up to."""
    first, release = read_part(clusters, chunks, manifest, allowed)
    verdict = verify(release)
    counts = FORMATS[0].count(release)
    return {
        "clusters": release.clusters,
        "first": first,
        "checks": [[each.name, each.passed, each.examined, each.detail] for each in verdict.checks],
        "ends": [_content(release, 0), _content(release, release.clusters - 1)] if verdict.ok else [],
        "counts": counts,
        "shown": _shown(release),
        "items": release.vocabulary,
    }


def _content(release: Disassociated, number: int) -> list[Any]:
    cluster = release.cluster(number)
    return [cluster.record_chunks, cluster.term_chunk, cluster.size]


def _shown(release: Disassociated) -> dict[str, int]:
    """Records of the clusters that show each item in a record chunk."""
    held = tallied(release)[0]
    return {name: int(held[code]) for code, name in enumerate(release.vocabulary) if held[code]}


@dataclass
class _Totals:
    """What parts add up to."""

    counts: Counter[str]
    shown: Counter[str]
    items: set[str]


def _together(path: Path, manifest: Mapping[str, Any], found: list[dict[str, Any]]) -> list[Check]:
    """What holds of all parts together."""
    errors = [Fault(1, each["error"]) for each in found if "error" in each]
    hashes = [Fault(1, fault) for each in found for fault in each["faults"]]
    checks = [_fault("files of parts", hashes, len(found)), _fault("readable", errors, len(found))]
    if errors:
        return checks
    inside = [each for each in found if "ends" in each]
    root = [each for each in found if "runs" in each]
    totals = _Totals(Counter(), Counter(), set())
    for each in inside:
        totals.counts.update(each["counts"])
        totals.shown.update(each["shown"])
        totals.items.update(each["items"])
    runs = _runs(root)
    checks += _of_parts(inside)
    checks += [_even(inside, root), _order(inside), _root(manifest, runs, totals), _joints(path, manifest)]
    return [*checks, _groups(manifest, runs, totals), _counted(manifest, runs, totals)]


def _of_parts(inside: list[dict[str, Any]]) -> list[Check]:
    """The checks of all parts, one for each name; where parts begin is added to what a fault says."""
    merged: dict[str, list[tuple[int, bool, int, str]]] = {}
    for each in inside:
        for name, passed, examined, detail in each["checks"]:
            merged.setdefault(name, []).append((each["first"], passed, examined, detail))
    checks = []
    for name, rows in merged.items():
        faults = [
            Fault(1, f"counted from cluster {first}: {said}") for first, passed, _, said in rows if not passed
        ]
        checks.append(_fault(name, faults, sum(examined for _, _, examined, _ in rows)))
    return checks


def _even(inside: list[dict[str, Any]], root: list[dict[str, Any]]) -> Check:
    """Parts are equally long but the last, and count on from each other."""
    faults = []
    for what, sizes in (
        ("clusters", [each["clusters"] for each in inside]),
        ("the root", [each["rows"] for each in root]),
    ):
        if sizes and (len(set(sizes[:-1])) > 1 or sizes[-1] > sizes[0]):
            faults.append(Fault(1, f"parts of {what} are not equally long"))
    first = 0
    for each in inside:
        if each["first"] != first:
            faults.append(Fault(1, f"a part begins with cluster {each['first']} instead of {first}"))
        first += each["clusters"]
    return _fault("parts", faults, len(inside) + len(root))


def _order(inside: list[dict[str, Any]]) -> Check:
    """The last cluster of a part does not come after the first of the next."""
    faults = [
        Fault(1, f"cluster {two['first']} comes before the one of the part before it")
        for one, two in pairwise(inside)
        if one["ends"] and two["ends"] and _key(one["ends"][1]) > _key(two["ends"][0])
    ]
    return _fault("order of parts", faults, len(inside))


def _key(content: list[Any]) -> Content:
    chunks, terms, size = content
    return tuple(tuple(tuple(row) for row in chunk) for chunk in chunks), tuple(terms), size


def _runs(root: list[dict[str, Any]]) -> list[tuple[int, str, int]]:
    """Chunk, item and rows of each run; one that goes on in the next part is one."""
    runs: list[tuple[int, str, int]] = []
    for each in root:
        for chunk, item, many in each["runs"]:
            if runs and runs[-1][:2] == (chunk, item):
                many += runs.pop()[2]
            runs.append((chunk, item, many))
    return runs


def _root(manifest: Mapping[str, Any], runs: list[tuple[int, str, int]], totals: _Totals) -> Check:
    """Chunks count from 0, each with an item of its own, k rows or more, and records that may hold them."""
    faults, seen = [], set()
    for number, (chunk, item, many) in enumerate(runs):
        room = totals.counts["records"] - totals.shown[item]
        reasons = {
            f"stands where chunk {number} is expected": chunk != number,
            f"has item {shorten(item)} of an earlier chunk": item in seen,
            f"has {many} rows, k is {manifest['k']}": many < manifest["k"],
            f"has {many} rows for {room} records": many > room,
        }
        faults += [Fault(1, f"chunk {chunk} of the root {said}") for said, holds in reasons.items() if holds]
        seen.add(item)
    if runs and manifest["parameters"]["rare_items"] == "cluster":
        faults.append(Fault(1, "there is a root, but rare items are said to stand in clusters"))
    return _fault("chunks of the root", faults, len(runs))


def _joints(path: Path, manifest: Mapping[str, Any]) -> Check:
    """The root is the one joint, or there is none."""
    place = path / "joints.parquet"
    faults = [Fault(1, fault) for fault in file_faults(place, manifest["files"]["joints.parquet"])]
    table = read_table(place, JOINTS)
    expect_counting(table, "joint", place)
    wanted = int(manifest["parameters"]["rare_items"] != "cluster")
    if len(table) != wanted or table.column("parent").null_count != len(table):
        faults.append(Fault(1, f"{len(table)} joints instead of {wanted}, the root"))
    return _fault("joints", faults, len(table))


def _groups(manifest: Mapping[str, Any], runs: list[tuple[int, str, int]], totals: _Totals) -> Check:
    """Utility groups name only what is published."""
    known = totals.items | {item for _, item, _ in runs}
    groups = manifest["parameters"].get("utility_groups", [])
    sound = isinstance(groups, list) and all(
        isinstance(group, list) and all(isinstance(name, str) and name in known for name in group)
        for group in groups
    )
    faults = [] if sound else [Fault(1, "they name what is not published")]
    return _fault("utility groups", faults, len(groups) if isinstance(groups, list) else 1)


def _counted(manifest: Mapping[str, Any], runs: list[tuple[int, str, int]], totals: _Totals) -> Check:
    """The manifest counts what is there."""
    rooted = manifest["parameters"]["rare_items"] != "cluster"
    found = {
        **totals.counts,
        "joints": int(rooted),
        "items": len(totals.items | {item for _, item, _ in runs}),
        "rows": totals.counts["rows"] + sum(many for *_, many in runs),
        "shared_chunks": len(runs),
    }
    faults = [
        Fault(1, f"the manifest tells {told} {name}, the files hold {found.get(name, 0)}")
        for name, told in manifest["counts"].items()
        if told != found.get(name, 0)
    ]
    return _fault("counts", faults, len(found))


def _fault(name: str, faults: list[Fault], examined: int) -> Check:
    return conclude(name, "release", examined, faults, "as it should be")
