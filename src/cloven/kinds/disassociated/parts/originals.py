"""Hold a release in parts, with its key, against the records it was made from, part by part.

The key says which record every published row comes from. Two passes show that nothing is invented, and nothing lost
but what the key names:

1. Records in the order of the source, beside the key: what a record has in the key and what is suppressed of it are
   its items, each once. A record is in one cluster or in none.
2. Parts of the release, beside the entries of the key that speak of them: every row of a record chunk or of the root is
   claimed by one record, with these items; a term chunk lists what its records give, and nothing else.

Nothing of what made the release is used here: files are read as they lie there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import among, distinct, offsets_of, run_starts
from cloven.errors import ReleaseError
from cloven.kinds.disassociated.files import CHUNKS, CLUSTERS, FORMATS, kinds, part_name
from cloven.kinds.disassociated.private_files import KEY, RECORDS, SUPPRESSED
from cloven.kinds.disassociated.release import Kind
from cloven.storage.parquet import allowed_of, item_lists, read_table, text_column, whole_numbers
from cloven.storage.shelf import Shelf
from cloven.verification.verdict import Check, Fault, Verdict, conclude

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Longs

    Records = Iterable[tuple[Longs, Longs, NDArray[Any]]]

RARE = "rare"
WHOLE = "small cluster"


@dataclass
class _Found:
    """Faults by the name of a check, the first of each, and how much was looked at."""

    faults: dict[str, Fault] = field(default_factory=dict)
    examined: dict[str, int] = field(default_factory=dict)

    def look(self, name: str, wrong: Flags | int, said: Callable[[int], str], many: int) -> None:
        """Note what is wrong of so many; ``said`` words the first."""
        at = np.flatnonzero(wrong) if isinstance(wrong, np.ndarray) else np.arange(wrong)
        self.examined[name] = self.examined.get(name, 0) + many
        if len(at):
            before = self.faults.get(name)
            first = said(int(at[0])) if before is None else before.first
            self.faults[name] = Fault(len(at) + (0 if before is None else before.count), first)

    def checks(self) -> list[Check]:
        return [
            conclude(name, "key", many, [self.faults[name]] if name in self.faults else [], "as it should be")
            for name, many in self.examined.items()
        ]


@dataclass(frozen=True)
class Original:
    """The records that a release was made from: their items by name, and a way to read them again."""

    names: tuple[str, ...]
    batches: Callable[[], Records]


def verify_original(
    places: tuple[Path, Path], manifest: Mapping[str, Any], original: Original, folder: Path, held: int
) -> Verdict:
    """Hold a release and its key against the original.

    Args:
        places: the public and the private folder.
        manifest: of the release.
        original: the records, ascending by their number in the source.
        folder: for what does not stay in memory.
        held: bytes that may wait there before they are written.
    """
    found = _Found()
    try:
        layout = _Layout.of(places[0], manifest)
        claims = Shelf(folder / "claims.arrow", held)
        _pass_records(places[1], original, layout, claims, found)
        _pass_parts(layout, claims, original, found)
        claims.remove()
    except ReleaseError as error:
        reason = str(error)
        found.look("readable with the key", 1, lambda _: reason, 1)
    return Verdict("key", tuple(found.checks()))


@dataclass(frozen=True)
class _Layout:
    """Where clusters and rows of the root stand: parts of both, and the first row of each chunk of the root."""

    folder: Path
    k: int
    clusters: tuple[Path, ...]
    chunks: tuple[Path, ...]
    size: Longs
    each: int
    root: tuple[Path, ...]
    root_start: Longs
    root_rows: tuple[int, ...]
    allowed: int

    @classmethod
    def of(cls, folder: Path, manifest: Mapping[str, Any]) -> _Layout:
        files = manifest["files"]
        clusters = [folder / name for name in FORMATS[0].parts_of("clusters.parquet", files)]
        chunks = [folder / name for name in FORMATS[0].parts_of("chunks.parquet", files)]
        allowed = allowed_of([*clusters, *chunks])
        size = [whole_numbers(read_table(path, CLUSTERS, allowed), "size", path) for path in clusters]
        root = tuple(chunks[len(clusters) :])
        rows, many = [], np.zeros(manifest["counts"]["shared_chunks"], np.int64)
        for path in root:
            number = whole_numbers(read_table(path, CHUNKS, allowed), "chunk", path, below=len(many))
            many += np.bincount(number, minlength=len(many))
            rows.append(len(number))
        return cls(
            folder, manifest["k"], tuple(clusters), tuple(chunks[: len(clusters)]), np.concatenate(size),
            len(size[0]), root, offsets_of(many), tuple(rows), allowed,
        )  # fmt: skip


class _Stream:
    """A table of the private folder in parts, taken up to a record at a time."""

    def __init__(self, private: Path, name: str, columns: Mapping[str, str]) -> None:
        self._private, self._name, self._columns = private, name, columns
        self._allowed = allowed_of(list(private.glob(f"{name}-*.parquet")))
        self._parts = self._read()
        self._rest: pa.Table | None = next(self._parts, None)

    def _read(self) -> Iterator[pa.Table]:
        part = 0
        while (path := self._private / part_name(self._name, part)).exists() or not part:
            yield read_table(path, self._columns, self._allowed)
            part += 1

    def up_to(self, record: int) -> pa.Table | None:
        """Rows of records up to this one that were not taken yet."""
        import pyarrow as pa

        taken: list[pa.Table] = []
        while self._rest is not None:
            at = self._rest.column("record").to_numpy()
            end = int(np.searchsorted(at, record, "right"))
            taken.append(self._rest.slice(0, end))
            if end < len(at):
                self._rest = self._rest.slice(end)
                break
            self._rest = next(self._parts, None)
        return pa.concat_tables(taken) if taken else None

    @property
    def left(self) -> int:
        """Rows of the parts at hand that nobody asked for."""
        return 0 if self._rest is None else len(self._rest)


# 1. Records beside the key.


def _pass_records(private: Path, original: Original, layout: _Layout, claims: Shelf, found: _Found) -> None:
    code_of = {name: code for code, name in enumerate(original.names)}
    streams = {name: _Stream(private, name, columns) for name, columns in
               (("key", KEY), ("records", RECORDS), ("suppressed", SUPPRESSED))}  # fmt: skip
    members, rare = np.zeros(len(layout.size), np.int64), np.zeros(len(original.names), np.int64)
    for record, offsets, codes in original.batches():
        if not len(record):
            continue
        last = int(record[-1])
        key = _entries(streams["key"].up_to(last), private / "key", code_of, found)
        gone = _gone(streams["suppressed"].up_to(last), private / "suppressed", code_of, found)
        listed = _whole(streams["records"].up_to(last), RECORDS)
        who, cluster = (whole_numbers(listed, name, private / "records") for name in ("record", "cluster"))
        members += _members(who, cluster, len(members), found)
        rare += np.bincount(gone.codes[~np.repeat(gone.whole, np.diff(gone.offsets))], minlength=len(rare))
        _rebuilt((record, offsets, codes), key, gone, (who, cluster), found, len(code_of))
        _claim(key, (who, cluster), layout, claims, found)
    size = layout.size
    found.look(
        "cluster members", members != size,
        lambda at: f"cluster {at} has {members[at]} records, published as {size[at]}", len(size),
    )  # fmt: skip
    left = sum(stream.left for stream in streams.values())
    found.look("records rebuilt", left, lambda _: f"{left:,} rows of the key are about no record", 0)
    many, k = rare, layout.k
    found.look(
        "withheld", many >= k,
        lambda at: f"item {original.names[at]!r} is withheld from {many[at]} records, k is {k}", len(many),
    )  # fmt: skip
    claims.close()


def _members(who: Longs, cluster: Longs, many: int, found: _Found) -> Longs:
    """How many of these records are in each cluster."""
    outside = (cluster < 0) | (cluster >= many)
    found.look("cluster members", outside, lambda at: f"record {who[at]} is in no cluster", 0)
    return np.bincount(cluster[~outside], minlength=many)


@dataclass(frozen=True)
class _Entries:
    """Entries of the key."""

    record: Longs
    cluster: Longs
    chunk: Longs
    kind: NDArray[np.int8]
    row: Longs
    offsets: Longs
    codes: Longs


@dataclass(frozen=True)
class _Gone:
    """What is suppressed of records, and whether that is all of a record."""

    record: Longs
    offsets: Longs
    codes: Longs
    whole: Flags


def _codes(table: pa.Table, path: Path, code_of: Mapping[str, int], found: _Found) -> tuple[Longs, Longs]:
    """Lists of items as codes of the original; one that it does not have is a fault."""
    offsets, codes, names = item_lists(table, path)
    known = np.array([code_of.get(name, -1) for name in names], np.int64)
    found.look("items known", known < 0, lambda at: f"{names[at]!r} is not in the original", len(names))
    return offsets, np.maximum(known, 0)[codes] if len(names) else codes.astype(np.int64)


def _entries(table: pa.Table | None, path: Path, code_of: Mapping[str, int], found: _Found) -> _Entries:
    table = _whole(table, KEY)
    offsets, codes = _codes(table, path, code_of, found)
    numbers = {name: whole_numbers(table, name, path, null=name == "cluster")
               for name in ("record", "cluster", "chunk", "row")}  # fmt: skip
    return _Entries(kind=kinds(table, path), offsets=offsets, codes=codes, **numbers)


def _gone(table: pa.Table | None, path: Path, code_of: Mapping[str, int], found: _Found) -> _Gone:
    table = _whole(table, SUPPRESSED)
    offsets, codes = _codes(table, path, code_of, found)
    reason = np.array(text_column(table, "reason", path), object)
    known = (reason == RARE) | (reason == WHOLE)
    found.look("reasons", ~known, lambda at: f"suppressed as {reason[at]!r}", len(reason))
    return _Gone(whole_numbers(table, "record", path), offsets, codes, reason == WHOLE)


def _whole(table: pa.Table | None, columns: Mapping[str, str]) -> pa.Table:
    import pyarrow as pa

    if table is not None:
        return table.combine_chunks()
    kinds = {"int64": pa.int64(), "int32": pa.int32(), "string": pa.string(), "list": pa.list_(pa.string())}
    return pa.schema([(name, kinds[kind]) for name, kind in columns.items()]).empty_table()


def _rebuilt(
    truth: tuple[Longs, Longs, NDArray[Any]], key: _Entries, gone: _Gone, listed: tuple[Longs, Longs],
    found: _Found, width: int,
) -> None:  # fmt: skip
    """Entries of the key and what is suppressed are the items of each record, each once."""
    record, offsets, codes = truth
    wanted = np.repeat(record, np.diff(offsets)) * width + codes
    given = np.sort(np.concatenate((
        np.repeat(key.record, np.diff(key.offsets)) * width + key.codes,
        np.repeat(gone.record, np.diff(gone.offsets)) * width + gone.codes,
    )))  # fmt: skip
    if not np.array_equal(wanted, given):
        missing, added = np.setdiff1d(wanted, given), np.setdiff1d(given, wanted)
        twice = given[1:][given[1:] == given[:-1]]
        wrong = np.concatenate((missing, added, twice)) // width
        found.look("records rebuilt", len(wrong), lambda at: f"record {wrong[at]} is not rebuilt", 0)
    found.look("records rebuilt", 0, str, len(record))
    published = record[~among(record, gone.record[gone.whole])]
    same = np.array_equal(published, listed[0])
    found.look("records listed", int(not same), lambda _: f"about record {record[0]}", len(record))


def _claim(key: _Entries, listed: tuple[Longs, Longs], layout: _Layout, claims: Shelf, found: _Found) -> None:
    """Put entries of the key where the part lies that they speak of; a root entry also where its record is."""
    who, cluster = listed
    at = np.minimum(np.searchsorted(who, key.record), max(0, len(who) - 1))
    home = np.where(who[at] == key.record, cluster[at], -1) if len(who) else np.full(len(key.record), -1)
    shared = key.kind == Kind.SHARED
    astray = (home < 0) | (~shared & (home != key.cluster)) | (shared & (key.cluster >= 0))
    found.look(
        "parts in place", astray, lambda one: f"record {key.record[one]} has a part elsewhere", len(astray)
    )
    place = np.lexsort((key.chunk, key.kind, key.record))
    again = np.zeros(len(place), bool)
    again[1:] = ~np.isin(np.arange(1, len(place)), run_starts(*(
        column[place] for column in (key.record, key.kind, key.chunk))))  # fmt: skip
    found.look("parts in place", again, lambda one: f"record {key.record[place[one]]} is twice in a chunk", 0)
    sound = np.flatnonzero(~astray)
    parts = len(layout.clusters)
    claims.scatter(home[sound] // layout.each, _claims(key, home, sound))
    root = sound[shared[sound]]
    if not len(root):
        return
    inside = (key.chunk[root] < len(layout.root_start) - 1) if len(root) else np.empty(0, bool)
    found.look(
        "rows claimed", ~inside, lambda one: f"chunk {key.chunk[root[one]]} of the root is not there", 0
    )
    root = root[inside]
    ordinal = layout.root_start[key.chunk[root]] + key.row[root]
    ends = np.cumsum(layout.root_rows)
    claims.scatter(parts + np.searchsorted(ends, ordinal, "right"), _claims(key, ordinal, root, own=True))


def _claims(key: _Entries, place: Longs, rows: Longs, *, own: bool = False) -> pa.Table:
    import pyarrow as pa

    where = place if own else place[rows]
    lengths = np.diff(key.offsets)[rows]
    starts = offsets_of(lengths)
    inner = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
    codes = key.codes[np.repeat(key.offsets[:-1][rows], lengths) + inner]
    return pa.table({
        "place": pa.array(where, pa.int64()),
        "kind": pa.array(key.kind[rows], pa.int8()),
        "chunk": pa.array(key.chunk[rows], pa.int64()),
        "row": pa.array(key.row[rows], pa.int64()),
        "items": pa.ListArray.from_arrays(pa.array(starts, pa.int32()), pa.array(codes, pa.int32())),
    })  # fmt: skip


# 2. Parts of the release beside the entries that speak of them.


def _pass_parts(layout: _Layout, claims: Shelf, original: Original, found: _Found) -> None:
    code_of = {name: code for code, name in enumerate(original.names)}
    for number, path in enumerate(layout.chunks):
        _cluster_rows(path, claims.take(number), code_of, found, layout.allowed)
    first = 0
    for number, path in enumerate(layout.root):
        table = claims.take(len(layout.chunks) + number)
        _root_rows(path, table, code_of, found, layout.allowed, first)
        first += layout.root_rows[number]


@dataclass(frozen=True)
class _Rows:
    """Rows in an order that both sides can be brought to: their place, and the items of each."""

    columns: tuple[Longs, ...]
    offsets: Longs
    codes: Longs

    def picked(self, rows: Longs) -> _Rows:
        lengths = np.diff(self.offsets)[rows]
        starts = offsets_of(lengths)
        inner = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
        codes = self.codes[np.repeat(self.offsets[:-1][rows], lengths) + inner]
        return _Rows(tuple(column[rows] for column in self.columns), starts, codes)

    def ordered(self) -> _Rows:
        return self.picked(np.lexsort(self.columns[::-1]))

    def same(self, other: _Rows) -> bool:
        mine = (*self.columns, self.offsets, self.codes)
        return all(map(np.array_equal, mine, (*other.columns, other.offsets, other.codes)))


def _claimed(table: pa.Table | None) -> tuple[_Rows, NDArray[Any]]:
    """Entries as rows by place, chunk and row; and their kinds."""
    if table is None:
        empty = np.empty(0, np.int64)
        return _Rows((empty, empty, empty), np.zeros(1, np.int64), empty), empty
    table = table.combine_chunks()
    lists = table.column("items").combine_chunks()
    lists = lists.chunk(0) if hasattr(lists, "chunk") else lists
    lengths = np.asarray(lists.value_lengths().to_numpy(zero_copy_only=False), np.int64)
    codes = lists.flatten().to_numpy(zero_copy_only=False).astype(np.int64)
    columns = tuple(table.column(name).to_numpy() for name in ("place", "chunk", "row"))
    return _Rows(columns, offsets_of(lengths), codes), table.column("kind").to_numpy()


def _published(
    path: Path, code_of: Mapping[str, int], found: _Found, allowed: int
) -> tuple[_Rows, NDArray[Any]]:
    """Rows of a part by cluster, chunk and row in the chunk; and their kinds."""
    table = read_table(path, CHUNKS, allowed)
    offsets, codes = _codes(table, path, code_of, found)
    kind, chunk = kinds(table, path), whole_numbers(table, "chunk", path)
    cluster = whole_numbers(table, "cluster", path, null=True)
    starts = run_starts(cluster, kind, chunk)
    row = np.arange(len(chunk)) - np.repeat(starts, np.diff(np.append(starts, len(chunk))))
    return _Rows((cluster, chunk, row), offsets, codes), kind


def _cluster_rows(
    path: Path, table: pa.Table | None, code_of: Mapping[str, int], found: _Found, allowed: int
) -> None:
    """Rows of record chunks come from one record each, term chunks list what records give."""
    shown, kind = _published(path, code_of, found, allowed)
    claimed, of = _claimed(table)
    records = shown.picked(np.flatnonzero(kind == Kind.RECORD))
    mine = claimed.picked(np.flatnonzero(of == Kind.RECORD)).ordered()
    wrong = int(not records.same(mine))
    found.look("rows claimed", wrong, lambda _: f"{path.name} holds other rows than the key", len(kind))
    width = len(code_of) + 1
    terms, given = (
        rows.picked(np.flatnonzero(kinds == Kind.TERM)) for rows, kinds in ((shown, kind), (claimed, of))
    )
    listed = _pairs(terms, width)
    single = not terms.columns[2].any() and not given.columns[2].any()
    wrong = int(not single or not np.array_equal(listed, _pairs(given, width)))
    found.look(
        "term chunks claimed", wrong, lambda _: f"{path.name} lists other terms than the key", len(listed)
    )
    elsewhere = among(
        _pairs(claimed.picked(np.flatnonzero(of == Kind.SHARED)), width), _pairs(records, width)
    )
    found.look(
        "shared origin", elsewhere, lambda _: f"the root repeats what {path.name} shows", len(elsewhere)
    )


def _pairs(rows: _Rows, width: int) -> Longs:
    """Clusters with each of their items."""
    return distinct(np.repeat(rows.columns[0], np.diff(rows.offsets)) * width + rows.codes)


def _root_rows(
    path: Path, table: pa.Table | None, code_of: Mapping[str, int], found: _Found, allowed: int, first: int
) -> None:
    """Rows of the root come from one record each."""
    shown, _ = _published(path, code_of, found, allowed)
    claimed, _ = _claimed(table)
    order = np.argsort(claimed.columns[0], kind="stable")
    mine = claimed.picked(order)
    places = np.arange(first, first + len(shown.columns[0]))
    same = (
        np.array_equal(mine.columns[0], places)
        and np.array_equal(mine.columns[1], shown.columns[1])
        and np.array_equal(mine.codes, shown.codes)
        and np.array_equal(mine.offsets, shown.offsets)
    )
    found.look(
        "rows claimed", int(not same), lambda _: f"{path.name} holds other rows than the key", len(places)
    )
