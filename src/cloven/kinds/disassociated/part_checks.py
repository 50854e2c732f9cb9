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

import numpy as np

from cloven.data.arrays import run_starts
from cloven.errors import ReleaseError, shorten
from cloven.kinds.disassociated.files import CHUNKS, CLUSTERS, FORMATS, JOINTS, kinds, read_rows
from cloven.kinds.disassociated.release import Disassociated, Kind
from cloven.storage.inspection import file_faults, folder_faults
from cloven.storage.manifest import expect, parameters_of
from cloven.storage.parquet import allowed_of, expect_counting, item_lists, read_table, whole_numbers
from cloven.storage.release import read_manifest
from cloven.verification import verify
from cloven.verification.verdict import Check, Fault, Verdict, conclude

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Spread = Callable[[Callable[[str], str], Sequence[str]], Iterable[str]]

Content = tuple[tuple[tuple[tuple[str, ...], ...], ...], tuple[str, ...], int]


def in_parts(path: Path, manifest: Mapping[str, Any]) -> bool:
    """Whether a release lies in parts, and has a root of single items or none: what can be looked at by parts."""
    parameters, files = manifest["parameters"], manifest["files"]
    way = parameters.get("rare_items", "cluster")
    single = way == "cluster" or (way == "withhold" and parameters.get("root_chunks") == "single")
    joints = manifest["counts"]["joints"] == (way != "cluster")
    return path.is_dir() and "clusters-0.parquet" in files and single and joints


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
    clusters = FORMATS[0].parts_of("clusters.parquet", files)
    chunks = FORMATS[0].parts_of("chunks.parquet", files)
    enough = len(chunks) >= len(clusters)
    expect(enough, str(path), "parts of chunks", f"{len(clusters)} or more", len(chunks))
    inside = [{"clusters": one, "chunks": two} for one, two in zip(clusters, chunks, strict=False)]
    root = [{"root": name} for name in chunks[len(clusters) :]]
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
            told |= _root_part(folder / given["root"], given["allowed"])
        else:
            places = (folder / given["clusters"], folder / given["chunks"])
            told |= _cluster_part(*places, given["manifest"], given["allowed"])
    except ReleaseError as error:
        told["error"] = str(error)
    return json.dumps(told)


def _cluster_part(clusters: Path, chunks: Path, manifest: Mapping[str, Any], allowed: int) -> dict[str, Any]:
    """A part of clusters: what its checks say, its first and last cluster, and what it adds up to."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table, rows = read_table(clusters, CLUSTERS, allowed), read_table(chunks, CHUNKS, allowed)
    number = whole_numbers(table, "cluster", clusters)
    expect(len(number) > 0, str(clusters), "clusters", "one or more", 0)
    first = int(number[0])
    shifted = table.set_column(0, "cluster", pa.array(number - first))
    expect_counting(shifted, "cluster", clusters)
    owner = rows.column("cluster")
    expect(not owner.null_count, str(chunks), "rows", "of clusters", "one of the root")
    lowest = int(pc.min(owner).as_py() or first)
    expect(lowest >= first, str(chunks), "cluster", f"{first} or more", lowest)
    rows = rows.set_column(0, "cluster", pc.subtract(owner, first))
    rooted = parameters_of(manifest).get("rare_items", "cluster") != "cluster"
    joints = int(rooted)
    release = Disassociated(
        k=manifest["k"],
        m=manifest["m"],
        parameters={**parameters_of(manifest), "utility_groups": []},
        cluster_size=whole_numbers(table, "size", clusters),
        cluster_joint=whole_numbers(table, "joint", clusters, below=joints, null=True),
        joint_parent=np.full(joints, -1, np.int64),
        **read_rows(rows, chunks, len(number), joints),
    )
    verdict = verify(release)
    counts = FORMATS[0].count(release)
    return {
        "clusters": len(number),
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
    rows = np.flatnonzero(release.row_kind == Kind.RECORD)
    offsets, items = release.items_of(rows)
    owner = np.repeat(release.row_cluster[rows], np.diff(offsets))
    width = max(1, len(release.vocabulary))
    pairs = np.unique(owner * width + items)
    held = np.bincount(pairs % width, release.cluster_size[pairs // width], width)
    return {name: int(held[code]) for code, name in enumerate(release.vocabulary) if held[code]}


def _root_part(path: Path, allowed: int) -> dict[str, Any]:
    """A part of the root: runs of equal chunks, each with its item and rows."""
    table = read_table(path, CHUNKS, allowed)
    kind, chunk = kinds(table, path), whole_numbers(table, "chunk", path)
    joint = whole_numbers(table, "joint", path, below=1)
    outside = table.column("cluster").null_count == len(table) and bool((kind == Kind.SHARED).all())
    expect(outside and len(joint) > 0, str(path), "rows", "of shared chunks of the root", "others")
    offsets, codes, names = item_lists(table, path)
    single = bool((np.diff(offsets) == 1).all())
    expect(single, str(path), "rows", "of one item each, as root_chunks single says", "others")
    starts = run_starts(chunk, codes)
    lengths = np.diff(np.append(starts, len(chunk)))
    runs = [
        [int(chunk[at]), names[codes[at]], int(many)]
        for at, many in zip(starts.tolist(), lengths.tolist(), strict=True)
    ]
    return {"runs": runs, "rows": len(table)}


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
    if runs and manifest["parameters"].get("rare_items", "cluster") == "cluster":
        faults.append(Fault(1, "there is a root, but rare items are said to stand in clusters"))
    return _fault("chunks of the root", faults, len(runs))


def _joints(path: Path, manifest: Mapping[str, Any]) -> Check:
    """The root is the one joint, or there is none."""
    place = path / "joints.parquet"
    faults = [Fault(1, fault) for fault in file_faults(place, manifest["files"]["joints.parquet"])]
    table = read_table(place, JOINTS)
    expect_counting(table, "joint", place)
    wanted = int(manifest["parameters"].get("rare_items", "cluster") != "cluster")
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
    rooted = manifest["parameters"].get("rare_items", "cluster") != "cluster"
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
