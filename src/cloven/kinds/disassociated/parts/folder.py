"""The parts of a release, each read in the words of the whole, and asked some questions at once.

Every part of clusters is a release of its own. What it lacks are sums over the others (``Totals``): with them it tells
what it tells in the whole. Questions go out as arrays in a file and answers come back so, since there are many of both:
``spread`` carries no more than names of files. A group of parts is asked by one worker, which adds up what they say.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import among, distinct, offsets_of, run_starts
from cloven.errors import ParameterError
from cloven.intake.packing import arrays_in
from cloven.kinds.disassociated.files import CHUNKS, CLUSTERS, FORMATS, kinds, read_rows
from cloven.kinds.disassociated.release import Disassociated, Kind
from cloven.storage.manifest import expect, parameters_of
from cloven.storage.parquet import allowed_of, expect_counting, item_lists, read_table, whole_numbers
from cloven.storage.release import read_manifest, refuse_unsound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Floats, Longs

    Spread = Callable[[Callable[[str], str], Sequence[str]], Iterable[str]]
    Arrays = Mapping[str, NDArray[Any]]

SUMS = ("shown", "listed", "held", "named", "copies")
GROUPS = 16
"""Answers that are put together at most, unless somebody says otherwise: each may be large."""
SUMS_AT_ONCE = 1 << 22


def in_parts(path: Path, manifest: Mapping[str, Any]) -> bool:
    """Whether a release lies in parts, and has a root of single items or none: what can be looked at by parts."""
    parameters, files = manifest["parameters"], manifest["files"]
    way = parameters.get("rare_items")
    single = way == "cluster" or (way == "withhold" and parameters.get("root_chunks") == "single")
    joints = manifest["counts"]["joints"] == (way != "cluster")
    return path.is_dir() and "clusters-0.parquet" in files and single and joints


def names_of_parts(path: Path, manifest: Mapping[str, Any]) -> tuple[list[tuple[str, str]], list[str]]:
    """Files of clusters and chunks of each part, and those of the root."""
    files = manifest["files"]
    clusters = FORMATS[0].parts_of("clusters.parquet", files)
    chunks = FORMATS[0].parts_of("chunks.parquet", files)
    enough = len(chunks) >= len(clusters)
    expect(enough, str(path), "parts of chunks", f"{len(clusters)} or more", len(chunks))
    return list(zip(clusters, chunks, strict=False)), list(chunks[len(clusters) :])


def read_part(
    clusters: Path, chunks: Path, manifest: Mapping[str, Any], allowed: int
) -> tuple[int, Disassociated]:
    """Number of the first cluster of a part, and the part as a release, with a root that says nothing."""
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
    joints = int(parameters_of(manifest)["rare_items"] != "cluster")
    release = Disassociated(
        k=manifest["k"],
        m=manifest["m"],
        parameters={**parameters_of(manifest), "utility_groups": []},
        cluster_size=whole_numbers(table, "size", clusters),
        cluster_joint=whole_numbers(table, "joint", clusters, below=joints, null=True),
        joint_parent=np.full(joints, -1, np.int64),
        **read_rows(rows, chunks, len(number), joints),
    )
    return first, release


def read_root_part(path: Path, allowed: int) -> tuple[list[tuple[int, str, int]], int]:
    """Runs of equal chunks of a part of the root (chunk, item, rows), and how many rows there are."""
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
        (int(chunk[at]), names[codes[at]], int(many))
        for at, many in zip(starts.tolist(), lengths.tolist(), strict=True)
    ]
    return runs, len(table)


# What parts add up to, and a part in the words of the whole.


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums over all parts.

    Attributes:
        names: all published items, ascending by code point.
        records: records of all clusters.
        shown: for each item, records of the clusters that show it in a record chunk.
        listed: the same with those that name it in their term chunk.
        held: sub-records of record chunks with the item.
        named: term chunks that name it.
        copies: rows of the root with the item.
    """

    names: tuple[str, ...]
    records: int
    shown: Floats
    listed: Floats
    held: Floats
    named: Floats
    copies: Longs

    def plain(self) -> dict[str, NDArray[Any]]:
        """As arrays, to be sent."""
        spelt = [name.encode("utf-8", "surrogatepass") for name in self.names]
        return {
            "names": np.frombuffer(b"".join(spelt), np.uint8),
            "name_ends": offsets_of(np.array([len(each) for each in spelt], np.int64)),
            "records": np.array([self.records]),
            "shown": self.shown,
            "listed": self.listed,
            "held": self.held,
            "named": self.named,
            "copies": self.copies,
        }

    @classmethod
    def from_plain(cls, arrays: Arrays) -> Totals:
        """Back from arrays."""
        letters, ends = arrays["names"].tobytes(), arrays["name_ends"].tolist()
        names = tuple(letters[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise(ends))
        rest = (arrays[name] for name in SUMS)
        return cls(names, int(arrays["records"][0]), *rest)

    @cached_property
    def _code_of(self) -> dict[str, int]:
        return {name: code for code, name in enumerate(self.names)}

    def part(self, release: Disassociated, most: int | None = 1, first: int = 0) -> Part:
        """A part in the words of the whole, below a root that has each of its items ``most`` times at most.

        None stands for as often as a cluster of the part could use.
        """
        most = int(release.cluster_size.max(initial=0)) if most is None else most
        code = np.array([self._code_of[name] for name in release.vocabulary], np.int32)
        copies = np.minimum(self.copies, most if release.joints else 0)
        named = replace(release, vocabulary=self.names, row_items=code[release.row_items])
        whole = below_root(named, copies)
        shown, listed, *_ = tallied(whole)
        around = self.records - release.records, self.shown - shown, self.listed - listed
        return Part(whole, self, first, *around)


@dataclass(frozen=True, eq=False)
class Part:
    """Some clusters of a release, and what lies around them.

    Attributes:
        release: the clusters, with the items of all.
        totals: sums over all parts.
        first: number of the first of the clusters.
        records: records of the other parts.
        shown: for each item, records of their clusters that show it in a record chunk.
        listed: the same with those that name it in their term chunk.
    """

    release: Disassociated
    totals: Totals
    first: int
    records: int
    shown: Floats
    listed: Floats


def below_root(release: Disassociated, copies: Longs) -> Disassociated:
    """Clusters that have no root below one of single items, with so many rows of each."""
    rooted = np.repeat(np.arange(len(copies)), copies)
    many = len(rooted)
    chunk = np.cumsum(np.diff(rooted, prepend=-1) > 0).astype(np.int32) - 1
    return replace(
        release,
        row_cluster=np.append(release.row_cluster, np.full(many, -1)),
        row_joint=np.append(release.row_joint, np.zeros(many, np.int64)),
        row_chunk=np.append(release.row_chunk, chunk),
        row_kind=np.append(release.row_kind, np.full(many, Kind.SHARED, np.int8)),
        row_offsets=np.append(release.row_offsets, release.row_offsets[-1] + 1 + np.arange(many)),
        row_items=np.append(release.row_items, rooted.astype(np.int32)),
    )


def tallied(release: Disassociated) -> tuple[Floats, Floats, Floats, Floats]:
    """For each item what ``Totals`` has, but for the root."""
    width = max(1, len(release.vocabulary))
    row = np.repeat(np.arange(release.rows), np.diff(release.row_offsets))
    kind, cluster = release.row_kind[row], release.row_cluster[row]

    def records(rows: NDArray[Any]) -> Floats:
        pairs = distinct(cluster[rows] * width + release.row_items[rows])
        held = np.bincount(pairs % width, release.cluster_size[pairs // width], width)
        return held[: len(release.vocabulary)].astype(np.float64)

    def rows(kinds: NDArray[Any]) -> Floats:
        return np.bincount(release.row_items[kinds], minlength=len(release.vocabulary)).astype(np.float64)

    inside = kind == Kind.RECORD
    return records(inside), records(cluster >= 0), rows(inside), rows((kind == Kind.TERM) & (cluster >= 0))


# Asking.


@dataclass(frozen=True, eq=False)
class PartsFolder:
    """A release in parts that can be asked.

    Attributes:
        path: its folder.
        spread: calls a function with several texts, wherever that may be.
        scratch: a folder that all who are called see, for questions and answers.
        groups: answers that are put together at most.
        sums: numbers that an answer may hold, if there is a choice.
    """

    path: Path
    spread: Spread
    scratch: Path
    groups: int = GROUPS
    sums: int = SUMS_AT_ONCE

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The manifest.

        Raises:
            ParameterError: the release does not lie in parts that can be looked at one by one.
        """
        manifest = read_manifest(self.path)
        if not in_parts(self.path, manifest):
            message = f"{self.path}: does not lie in parts, or not in such that can be looked at alone; read it whole"
            raise ParameterError(message)
        return manifest

    @cached_property
    def totals(self) -> Totals:
        """Sums over all parts; everything is read once for them."""
        told = [json.loads(each) for each in self.spread(counted, self._asked(""))]
        sums: dict[str, Counter[str]] = {name: Counter() for name in SUMS}
        for each in told:
            for name, sum_of in sums.items():
                sum_of.update(each[name])
        names = tuple(sorted(sums["listed"].keys() | sums["copies"].keys()))
        arrays = {name: np.array([sums[name][item] for item in names], np.float64) for name in sums}
        copies = arrays.pop("copies").astype(np.int64)
        return Totals(names, sum(each["records"] for each in told), **arrays, copies=copies)

    def ask(self, function: Callable[[str], str], question: Arrays) -> Iterator[dict[str, NDArray[Any]]]:
        """What every group of parts answers; ``function`` is one that calls ``answer``."""
        place = self.scratch / "question.npz"
        _save(place, {**question, **self.totals.plain()})
        for told in self.spread(function, self._asked(str(place.absolute()))):
            answered = Path(told)
            yield arrays_in(answered)
            answered.unlink()
        place.unlink()

    def _asked(self, question: str) -> list[str]:
        """The parts in groups, and the root with the first of them where nothing is asked but sums."""
        inside, root = names_of_parts(self.path, self.manifest)
        files = self.manifest["files"]
        ends = np.linspace(0, len(inside), min(self.groups, len(inside)) + 1).astype(int).tolist()
        return [
            json.dumps({
                "allowed": allowed_of([self.path / name for name in files]),
                "folder": str(self.path.absolute()),
                "manifest": {**self.manifest, "files": {}},
                "parts": inside[first:last],
                "root": root if first == 0 else [],
                "question": question,
                "answer": str(self.scratch.absolute() / f"answer-{first}.npz"),
            })
            for first, last in pairwise(ends)
        ]  # fmt: skip


def counted(asked: str) -> str:
    """What a group of parts adds up to, as JSON."""
    given = json.loads(asked)
    sums: dict[str, Counter[str]] = {name: Counter() for name in SUMS}
    records = 0
    for _, release in _releases(given):
        records += release.records
        for name, values in zip(SUMS, tallied(release), strict=False):
            sums[name].update(dict(zip(release.vocabulary, values.tolist(), strict=True)))
    for name in given["root"]:
        for _, item, many in read_root_part(Path(given["folder"]) / name, given["allowed"])[0]:
            sums["copies"][item] += many
    return json.dumps({"records": records, **sums})


def answer(
    asked: str, work: Callable[[Iterable[Part], Arrays], Arrays], most: int | None = 1, only: str = ""
) -> str:
    """Have work done on the parts of a group, each below a root with ``most`` copies; say where the answer lies.

    ``only`` names an array of the question: then the root has no other items than these.
    """
    given = json.loads(asked)
    question = arrays_in(given["question"])
    totals = Totals.from_plain(question)
    if only:
        kept = among(np.arange(len(totals.copies)), question[only])
        totals = replace(totals, copies=np.where(kept, totals.copies, 0))
    parts = (totals.part(release, most, first) for first, release in _releases(given))
    _save(Path(given["answer"]), work(parts, question))
    return str(given["answer"])


def _releases(given: Mapping[str, Any]) -> Iterator[tuple[int, Disassociated]]:
    folder = Path(given["folder"])
    for clusters, chunks in given["parts"]:
        first, release = read_part(folder / clusters, folder / chunks, given["manifest"], given["allowed"])
        refuse_unsound(release, folder / chunks)
        yield first, release


def _save(place: Path, arrays: Arrays) -> None:
    np.savez(place, **dict(arrays))  # type: ignore[arg-type]
