"""Clusters on their way to disk: numbered by content, written in parts, the key beside them.

What belongs to records is put together by ranges of their numbers, what belongs to the root by ranges of their rank:
each range is sorted in memory, and all of them follow each other.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import offsets_of, run_starts
from cloven.errors import ParameterError
from cloven.kinds.disassociated.blocks.clusters import lists_of, rows_of
from cloven.kinds.disassociated.blocks.description import describe
from cloven.kinds.disassociated.blocks.parts import (
    OUTER,
    Root,
    Writer,
    key_rows,
    key_table,
    left_rows,
    publish_clusters,
    write_private,
)
from cloven.kinds.disassociated.files import JOINTS
from cloven.kinds.disassociated.methods.root import growth_order
from cloven.kinds.disassociated.private_files import KEY, RECORDS, SUPPRESSED
from cloven.kinds.disassociated.release import Kind
from cloven.kinds.disassociated.spilled.ordering import Order
from cloven.kinds.disassociated.spilled.room import PER_OCCURRENCE
from cloven.storage.parquet import write_table
from cloven.storage.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa

    from cloven.compiled import Longs
    from cloven.kinds.disassociated.blocks.description import Recognised
    from cloven.kinds.disassociated.methods.disassociation import Disassociation
    from cloven.kinds.disassociated.methods.labelling import Terms
    from cloven.kinds.disassociated.spilled.gathering import Gathered
    from cloven.kinds.disassociated.spilled.room import Room, Sizes

PER_ROW = 1_500
"""Bytes that a row of the key may take while parts of it are written and compared."""
REASONS = ("rare", "small cluster")


class Publication:
    """Takes the clusters of each block, and writes both folders when there are no more."""

    def __init__(
        self, method: Disassociation, data: Gathered, place: Any, terms: Terms, room: Room, sizes: Sizes,
        work: Path, step: Callable[[str], None],
    ) -> None:  # fmt: skip
        """Of the data of this run; ``work`` is its folder, ``step`` is told what is done next."""
        self._method, self._data, self._place, self._terms = method, data, place, terms
        self._room, self._sizes, self._work, self._step = room, sizes, work, step
        self._rooted = method.rare_items != "cluster"
        self._clusters, self._contents = self._shelf("clusters"), self._shelf("contents")
        self._many = 0
        self._most = 0  # of the tokens of contents
        self._left = np.zeros(len(data.names), np.int64)
        self._shown = np.zeros(len(data.names), bool)
        self._totals: Counter[str] = Counter()

    def _shelf(self, name: str) -> Shelf:
        return Shelf(self._work / f"{name}.arrow", self._room.held)

    # Clusters as they come.

    def add(self, table: pa.Table) -> None:
        """Keep the clusters of a block, and count what they add up to."""
        import pyarrow as pa

        inside = table.column("cluster").to_numpy() >= 0
        many = int(inside.sum())
        number = np.where(inside, self._many + np.cumsum(inside) - 1, -1)
        kept = table.drop_columns(["block", "content"]).append_column("number", pa.array(number))
        self._clusters.put(0, kept)
        if many:
            clusters = table.slice(0, many)  # those who are left out stand last
            self._contents.put(0, self._content(clusters))
            self._count(clusters)
        self._many += many

    def _content(self, clusters: pa.Table) -> pa.Table:
        """Contents of clusters as lists of tokens."""
        import pyarrow as pa

        content = clusters.column("content").combine_chunks()
        content = pa.concat_arrays(content.chunks) if isinstance(content, pa.ChunkedArray) else content
        _, starts, letters = content.buffers()
        ends = np.frombuffer(starts, np.int32)[content.offset : content.offset + len(content) + 1] // 4
        tokens = np.frombuffer(letters, ">u4")[ends[0] : ends[-1]].astype(np.int32)
        self._most = max(self._most, int(tokens.max(initial=0)))
        number = np.arange(self._many, self._many + len(clusters))
        return pa.table({"cluster": pa.array(number), "content": lists_of(ends - ends[0], tokens)})

    def _count(self, clusters: pa.Table) -> None:
        size = clusters.column("size").to_numpy()
        starts, chunk = rows_of(clusters.column("chunk"))
        left_starts, left = rows_of(clusters.column("left_item"))
        self._left += np.bincount(left, minlength=len(self._left))
        self._shown[rows_of(clusters.column("item"))[1]] = True
        last = np.zeros(len(size), np.int64)
        filled = np.flatnonzero(np.diff(starts))
        last[filled] = np.maximum.reduceat(chunk, starts[filled]) + 1 if len(filled) else 0
        terms = 0 if self._rooted else int(np.count_nonzero(np.diff(left_starts)))
        maximum = self._method.max_cluster_size
        self._totals.update({
            "records": int(size.sum()),
            "clusters": len(size),
            "rows": len(chunk) + terms,
            "inside": len(rows_of(clusters.column("item"))[1]),
            "record_chunks": int(last.sum()),
            "term_chunks": terms,
            "oversize_clusters": 0 if maximum is None else int((size > maximum).sum()),
        })  # fmt: skip

    # Both folders.

    def write(
        self, public: Path, private: Path, recognised: Recognised, supports: Longs
    ) -> dict[str, int | float]:
        """Write both folders; what commands print of it (``words.summary``), given the supports of all items."""
        if not self._many:
            k = self._method.k
            message = f"every cluster is below k = {k}: suppressing them leaves nothing to publish; use 'add'"
            raise ParameterError(message)
        self._step("root")
        root = self._root()
        self._step("number clusters")
        number = self._numbers()
        self._step("write")
        scratch = str(self._work / "scratch")
        writer = Writer(str(public), scratch, self._data.names)
        owner = Writer(str(private), scratch, self._data.names, private=True)
        parts, key, members, left = self._placed(number)
        files = self._publish(writer, parts, root, public)
        suppressed = self._shelf("suppressed")
        self._hand_out(left, root, key, suppressed)
        filled = self._write_key(owner, key)
        self._write_members(owner, members)
        gone = self._write_suppressed(owner, suppressed)
        counts = self._describe(root, files, gone, (public, private), recognised)
        return self._figures(counts, gone, filled, root, supports)

    def _root(self) -> Root:
        """The root, from counts of what is left over."""
        if not self._rooted:
            return Root(np.empty(0, np.int64), np.zeros(1, np.int64))
        held = np.zeros(len(self._left), np.int64)
        held[self._place] = self._left
        ranked = growth_order(np.flatnonzero(held >= self._method.k), self._terms.group, held)
        return Root(np.argsort(self._place)[ranked].astype(np.int64), offsets_of(held[ranked]))

    def _numbers(self) -> Longs:
        """Canonical number of each cluster."""
        self._contents.close()
        number, first = np.empty(self._many, np.int64), 0
        order = Order(self._work, self._room.work, "content", self._most)
        for table in order.sorted(self._contents, "contents"):
            number[table.column("cluster").to_numpy()] = np.arange(first, first + len(table))
            first += len(table)
        return number

    def _span(self, rows: int) -> int:
        """How many records, or ranks, make a range that can be sorted in memory."""
        ranges = 4 * self._data.occurrences * PER_OCCURRENCE // self._room.work + 1
        return rows // ranges + 1

    def _part_clusters(self) -> int:
        """Clusters of a part: as many as wanted, or fewer that fit."""
        mean = max(1.0, self._data.occurrences / self._many)
        return max(1, min(self._sizes.clusters, int(self._room.verified / mean)))

    def _placed(self, number: Longs) -> tuple[Shelf, Shelf, Shelf, Shelf]:
        """Clusters by part; parts and members by ranges of records; leftovers by ranges of ranks."""
        import pyarrow as pa

        parts, key, members, left = map(self._shelf, ("parts", "key", "members", "left"))
        size, span = self._part_clusters(), self._span(self._data.records + self._data.empty)
        ranks = self._span(self._data.records)
        self._clusters.close()
        for table in self._clusters.pieces(0):
            at = table.column("number").to_numpy()
            table = table.set_column(
                table.schema.get_field_index("number"), "number", pa.array(np.where(at < 0, -1, number[at]))
            )
            gone = left_rows(table)
            gone = gone if self._rooted else gone.filter(pa.array(gone.column("cluster").to_numpy() < 0))
            left.scatter(gone.column("rank").to_numpy() // ranks, gone)
            inside = table.filter(pa.array(at >= 0)).combine_chunks()
            own = key_rows(inside, rooted=self._rooted)
            key.scatter(own.column("record").to_numpy() // span, own)
            who = rows_of(inside.column("record"))[1]
            cluster = np.repeat(inside.column("number").to_numpy(), inside.column("size").to_numpy())
            here = pa.table({"record": pa.array(who, pa.int64()), "cluster": pa.array(cluster, pa.int64())})
            members.scatter(who // span, here)
            shown = inside.select(["number", "size", "chunk", "length", "item", "left_item"])
            parts.scatter(inside.column("number").to_numpy() // size, shown)
        self._clusters.remove()
        for shelf in (parts, members, left):
            shelf.close()
        return parts, key, members, left

    def _publish(self, writer: Writer, parts: Shelf, root: Root, public: Path) -> dict[str, str]:
        """Write the release; SHA-256 of its files."""
        files: dict[str, str] = {}
        for part in parts.numbers:
            made = publish_clusters(writer, part, parts.take(part), rooted=self._rooted)
            files |= dict(zip(*(made.column(name).to_pylist() for name in ("name", "sha256")), strict=True))
        first, rows = len(parts.numbers), self._rows()
        for many in range(-(-int(root.start[-1]) // rows)):
            files |= [root.publish(writer, first, many, rows)]
        parts.remove()
        joints = {"joint": np.zeros(int(self._rooted), np.int64), "parent": np.full(int(self._rooted), -1)}
        return files | {"joints.parquet": write_table(public / "joints.parquet", JOINTS, joints)}

    def _rows(self) -> int:
        return max(1, min(self._sizes.rows, self._room.work // PER_ROW))

    def _hand_out(self, left: Shelf, root: Root, key: Shelf, suppressed: Shelf) -> None:
        """Leftovers go to the root, its rows to the holders of an item in their order; or they are suppressed."""
        import pyarrow as pa

        span = self._span(self._data.records + self._data.empty)
        chunk_of, used = np.full(len(self._left), -1, np.int64), np.zeros(len(self._left), np.int64)
        chunk_of[root.item] = np.arange(len(root.item))
        for number in left.numbers:
            table = left.take(number)
            item, rank = table.column("item").to_numpy(), table.column("rank").to_numpy()
            record, out = table.column("record").to_numpy(), table.column("cluster").to_numpy() < 0
            moving = np.flatnonzero(~out & (chunk_of[item] >= 0))
            moving = moving[np.lexsort((rank[moving], item[moving]))]
            starts = run_starts(item[moving])
            many = np.diff(np.append(starts, len(moving)))
            first = np.repeat(used[item[moving][starts]] - starts, many)
            used[item[moving][starts]] += many
            rows = _root_rows(
                record[moving], chunk_of[item[moving]], first + np.arange(len(moving)), item[moving]
            )
            key.scatter(record[moving] // span, rows)
            gone = np.flatnonzero(out | (chunk_of[item] < 0))
            suppressed.scatter(record[gone] // span, pa.table({
                "record": pa.array(record[gone], pa.int64()),
                "reason": pa.array(out[gone].astype(np.int8)),
                "item": pa.array(item[gone], pa.int32()),
            }))  # fmt: skip
        left.remove()
        key.close()
        suppressed.close()

    def _write_key(self, writer: Writer, key: Shelf) -> int:
        """Which record every part comes from; how many records have any."""
        filled = 0

        def tables() -> Iterator[pa.Table]:
            nonlocal filled
            for number in key.numbers:
                table = _by_turn(key.take(number))
                filled += len(run_starts(table.column("record").to_numpy()))
                yield table.select(list(KEY))

        write_parts(writer, "key", KEY, tables(), self._rows())
        key.remove()
        return filled

    def _write_members(self, writer: Writer, members: Shelf) -> None:
        """Which cluster every record is in."""
        import pyarrow as pa

        tables = (members.take(number).sort_by("record") for number in members.numbers)
        nobody = (table.append_column("person", pa.array(np.full(len(table), -1))) for table in tables)
        write_parts(writer, "records", RECORDS, nobody, self._rows())
        members.remove()

    def _write_suppressed(self, writer: Writer, suppressed: Shelf) -> dict[str, int]:
        """What is not published, and how much that is."""
        names = ("suppressed_parts", "suppressed_items", "suppressed_records", "withheld_items")
        counts = Counter(dict.fromkeys(names, 0))

        def tables() -> Iterator[pa.Table]:
            for number in suppressed.numbers:
                found = suppressed.take(number)
                rare = int((found.column("reason").to_numpy() == 0).sum())
                table, small = _suppressed(found)
                counts.update(suppressed_parts=len(table), suppressed_items=len(found), withheld_items=rare)
                counts["suppressed_records"] += small
                yield table

        write_parts(writer, "suppressed", SUPPRESSED, tables(), self._rows())
        suppressed.remove()
        return dict(counts)

    def _describe(
        self, root: Root, files: Mapping[str, str], counts: Mapping[str, int], places: tuple[Path, Path],
        recognised: Recognised,
    ) -> dict[str, int]:  # fmt: skip
        """Manifest, README and receipt; the counts of the manifest."""
        shown = self._shown.copy()
        shown[root.item] = True
        if not self._rooted:
            shown |= self._left > 0
        totals = {
            **{name: many for name, many in self._totals.items() if name != "inside"},
            "rows": self._totals["rows"] + int(root.start[-1]),
            "joints": int(self._rooted),
            "shared_chunks": len(root.item),
        }
        private = {
            "published_records": self._totals["records"],
            **{name: many for name, many in counts.items() if name != "withheld_items"},
            "read_records": self._data.records,
            "empty_records": self._data.empty,
        }
        names = [self._data.names[code] for code in np.flatnonzero(shown)]
        self._shown = shown
        manifest = describe(self._method, names, files, totals, private, places, recognised)
        return dict(manifest["counts"])

    def _figures(
        self, counts: dict[str, int], gone: Mapping[str, int], filled: int, root: Root, supports: Longs
    ) -> dict[str, int | float]:
        kept = self._totals["inside"] + int(root.start[-1])
        return {
            **counts,
            "records_read": self._data.records,
            "records_suppressed": self._data.records - counts["records"],
            "occurrences_suppressed": 0,
            "occurrences_withheld": gone["withheld_items"],
            "records_with_nothing": counts["records"] - filled,
            "clusters_not_enumerated": 0,
            "items_left_out": len(self._shown) - counts["items"],
            "rare_items_published": int((supports[self._shown] < self._method.k).sum()),
            "items_kept": kept / self._data.occurrences,
        }


def _by_turn(table: pa.Table) -> pa.Table:
    """Entries of the key by record, and by their turn in it."""
    import pyarrow as pa

    record, turn = table.column("record").to_numpy(), table.column("turn").to_numpy()
    first, last = int(record.min()), int(record.max())
    if last - first < 1 << 29:  # one number tells both: sorting by two takes several times as long
        order = np.argsort(((record - first) << 33) + (turn + 1), kind="stable")
    else:
        order = np.lexsort((turn, record))
    return table.take(pa.array(order))


def _root_rows(record: Longs, chunk: Longs, row: Longs, item: Any) -> pa.Table:
    """Entries of the key about rows of the root."""
    nowhere = np.full(len(record), -1)
    offsets = np.arange(len(record) + 1)
    return key_table(record, chunk + OUTER, nowhere, chunk, Kind.SHARED, row, offsets, item, joint=0)


def _suppressed(table: pa.Table) -> tuple[pa.Table, int]:
    """A row for each record and reason, and how many of them are whole records."""
    import pyarrow as pa

    record, reason, item = (table.column(name).to_numpy() for name in ("record", "reason", "item"))
    order = np.lexsort((item, reason, record))
    record, reason, item = record[order], reason[order], item[order]
    starts = run_starts(record, reason)
    made = pa.table({
        "record": pa.array(record[starts], pa.int64()),
        "items": lists_of(np.append(starts, len(item)), item),
        "reason": pa.array(REASONS).take(pa.array(reason[starts])),
    })  # fmt: skip
    return made, int(reason[starts].sum())


def write_parts(
    writer: Writer, name: str, columns: Mapping[str, str], tables: Iterator[pa.Table], rows: int
) -> None:
    """Write tables that follow each other as parts of so many rows; one without rows is a part too."""
    import pyarrow as pa

    waiting: pa.Table | None = None
    part = 0
    for table in tables:
        waiting = table if waiting is None else pa.concat_tables((waiting, table))
        while len(waiting) >= rows:
            write_private(writer, name, part, columns, waiting.slice(0, rows).combine_chunks())
            waiting, part = waiting.slice(rows), part + 1
    if waiting is None:
        waiting = _empty(columns)
    if len(waiting) or not part:
        write_private(writer, name, part, columns, waiting.combine_chunks())


def _empty(columns: Mapping[str, str]) -> pa.Table:
    import pyarrow as pa

    kinds = {"int64": pa.int64(), "int32": pa.int32(), "string": pa.string(), "list": pa.list_(pa.int32())}
    fields = [(name, pa.int32() if name == "kind" else kinds[kind]) for name, kind in columns.items()]
    return pa.schema(fields).empty_table()
