"""What the work of a cluster costs on one core: the functions that Spark's workers call, on data of the POS shape.

Seconds are those of the processor. Spark itself (sorting, rows between Java and Python, the joins that check a release
against its original) is not timed here.
"""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain, count
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.optimize import nnls

from benchmarks import cluster_model as model
from cloven.data.arrays import take_rows
from cloven.data.recognition import spelt_pieces
from cloven.datasets import SHAPES, shaped
from cloven.kinds.disassociated.blocks.clusters import Work, lists_of, rows_of
from cloven.kinds.disassociated.blocks.parts import Writer, left_rows, publish_clusters
from cloven.kinds.disassociated.blocks.splits import blocks_of, grown, tree_of
from cloven.kinds.disassociated.files import FORMATS
from cloven.kinds.disassociated.methods.disassociation import Disassociation
from cloven.kinds.disassociated.methods.labelling import prepare, terms_of, tie_order_of_names
from cloven.kinds.disassociated.parts.checks import looked_at
from cloven.kinds.disassociated.private_files import KEY, RECORDS, SUPPRESSED
from cloven.kinds.disassociated.spark.counting import _masks, _pairs, leaves_of
from cloven.kinds.disassociated.spark.keys import (
    ROWS_OF_RECORD,
    _counted,
    _key_packets,
    _key_part,
    _records_part,
    _suppressed_part,
    packets,
    unpacketed,
)
from cloven.kinds.disassociated.spark.publishing import MOST_BYTES, ROW_BYTES
from cloven.kinds.disassociated.spark.records import _item_counts, _pieces, _running, _write_coded, packed
from cloven.kinds.disassociated.spilled.counting import ShelfCounting
from cloven.storage.manifest import manifest_of
from cloven.storage.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.blocks.splits import Leaf, Node
    from cloven.kinds.disassociated.methods.labelling import Prepared

BATCH = 10_000
"""Records that Spark gives to Python at once."""
HELD = 1 << 28
TIMES = 3
Until = Literal["splits", "blocks", "end"]
KEY_PART = (1 << 20) // ROWS_OF_RECORD
WHOLE = 13
"""Halvings of a block of a million records until clusters are small."""


@dataclass
class Measured:
    """What was measured on data of one size: seconds and bytes by name, and what the method made of it."""

    occurrences: int
    items: int
    seconds: dict[str, float] = field(default_factory=dict)
    bytes: dict[str, float] = field(default_factory=dict)
    blocks: list[tuple[int, int, float]] = field(default_factory=list)
    driver: dict[str, float] = field(default_factory=dict)
    rounds: int = 0
    leaves: int = 0
    opened: float = 0.0
    passed: float = 0.0
    depth: int = 0
    splits: int = 0
    clusters: int = 0
    part_clusters: int = 0

    def timed(self, name: str, function: Callable[..., Any], *given: Any) -> Any:
        """What a function gives; the least seconds of some calls are added to those of this name."""
        took = []
        for _ in range(TIMES):
            start = process_time()
            found = function(*given)
            took.append(process_time() - start)
        self.seconds[name] = self.seconds.get(name, 0.0) + min(took)
        return found


def spelt_bytes(table: pa.Table) -> int:
    """Bytes of a table as Arrow sends it, in batches as Spark makes them."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=BATCH)
    return int(sink.getvalue().size)


def held_bytes(make: Callable[[], object]) -> int:
    """Bytes of Python that hold what a function makes."""
    tracemalloc.start()
    kept = make()
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del kept
    return size


@dataclass
class Rounds:
    """Counting as the engine of one machine does it, whose every question is kept."""

    inner: ShelfCounting
    tops: list[tuple[Any, ...]] = field(default_factory=list)
    profiled: list[tuple[Any, ...]] = field(default_factory=list)

    def narrow(self, *asked: Any) -> None:
        """Leave behind what is settled."""
        self.inner.narrow(*asked)

    def top(self, tree: Any, spent: Any, many: int) -> Any:
        """Ask, and keep the question."""
        self.tops.append((tree, dict(spent)))
        return self.inner.top(tree, spent, many)

    def profiles(self, tree: Any, terms: Any) -> Any:
        """Ask, and keep the question."""
        self.profiled.append((tree, dict(terms)))
        return self.inner.profiles(tree, terms)


def measure(records: int, block_records: int, folder: Path, until: Until = "end") -> Measured:
    """Go the way of a run on Spark with the functions of its workers, on one core, or a part of the way."""
    folder.mkdir()
    data = shaped("pos", scale=records / SHAPES["pos"].records)
    method = Disassociation(block_records=block_records)
    out = Measured(len(data.codes), len(data.vocabulary))
    place = tie_order_of_names(data.vocabulary, method.tie_order)
    prepared = prepare(data, place)
    every = pa.table({
        "record": pa.array(prepared.source), "rank": pa.array(np.arange(len(data))),
        "content": packed(prepared.offsets, prepared.codes),
    })  # fmt: skip
    nodes, blocks = split(every, prepared, place, method, folder, out)
    if until == "splits":
        return out
    clusters = cluster(nodes, blocks, every, prepared, place, method, data, out)
    if until == "end":
        read(data, folder, out)
        publish(clusters, data, method, folder, out)
    return out


def read(data: Transactions, folder: Path, out: Measured) -> None:
    """Count items, write codes, and take the fingerprint."""
    items = pa.DictionaryArray.from_arrays(
        pa.array(data.codes), pa.array(data.vocabulary)
    ).dictionary_decode()
    file = folder / "source.parquet"
    lists = pa.ListArray.from_arrays(pa.array(data.offsets, pa.int32()), items)
    pq.write_table(pa.table({"items": lists}), file)
    out.bytes["stored"] = file.stat().st_size
    (folder / "coded").mkdir()
    out.timed("count", _item_counts, 0, str(file))
    out.timed("code", _write_coded, 0, str(file), 0, data.vocabulary, str(folder / "coded"))
    out.timed("fingerprint", fingerprint, folder / "coded", data)
    names = [name.encode() for name in data.vocabulary]
    out.driver["item"] = held_bytes(
        lambda: ({name.decode(): 1 << 40 for name in names}, tuple(name.decode() for name in names))
    )


def fingerprint(folder: Path, data: Transactions) -> str:
    """As one worker takes it."""
    digest = sha256()
    starts = chain((np.zeros(1, np.int64),), _running(folder))
    pieces = (codes for _, codes in _pieces(folder))
    for part in spelt_pieces(starts, pieces, (), data.vocabulary, len(data), len(data.codes)):
        digest.update(part)
    return digest.hexdigest()


def split(
    every: pa.Table, prepared: Prepared, place: Any, method: Disassociation, folder: Path, out: Measured
) -> tuple[list[Node], list[Leaf]]:
    """Find the blocks by counting; then time the questions of some rounds as Spark's workers answer them."""
    numbers = count()

    def shelf() -> Shelf:
        return Shelf(folder / f"shelf-{next(numbers)}.arrow", HELD)

    kept = shelf()
    for first in range(0, len(every), 1 << 17):
        rows = slice(first, min(len(every), first + (1 << 17)))
        bounds = prepared.offsets[rows.start : rows.stop + 1]
        codes = prepared.codes[bounds[0] : bounds[-1]]
        kept.put(0, pa.table({"codes": lists_of(bounds - bounds[0], codes)}))
    asked = Rounds(ShelfCounting(kept, place, frozenset(), HELD // 8, shelf))
    nodes = grown(asked, len(every), method.block_records)
    asked.inner.close()
    kept.remove()
    out.rounds, out.leaves = len(asked.tops), sum(len(spent) for _, spent in asked.tops)
    opened = [sum(nodes[leaf].size for leaf in spent) for _, spent in asked.tops]
    out.splits, out.opened, out.depth = len(nodes), sum(opened) / len(every), depth(nodes)
    out.passed = passed(opened, len(every)) / len(every)
    out.driver["split"] = held_bytes(
        lambda: [(frozenset(set(node.spent)), [node.size] * 5) for node in nodes]
    )
    if asked.profiled:
        passes(every, asked, place, out)
    return nodes, blocks_of(nodes, method.k)


def passed(opened: list[int], records: int) -> int:
    """Records that all passes read on Spark: two a round, and one more to set down what is left, once it is half."""
    read = 0
    for many in opened:
        if 2 * many <= records:
            read, records = read + records, many
        read += 2 * records
    return read


def depth(nodes: list[Node]) -> int:
    """Splits on the longest way down the tree."""
    deep = [0] * len(nodes)
    for at, node in enumerate(nodes):  # children come after their parents
        for child in (node.having, node.rest):
            if child >= 0:
                deep[child] = deep[at] + 1
    return max(deep)


def passes(every: pa.Table, asked: Rounds, place: Any, out: Measured) -> None:
    """Seconds of a pass: of some rounds, on some batches, as a share of all."""
    rng, width = np.random.default_rng(1), len(place)
    starts = rng.permutation(np.arange(0, len(every), BATCH))[:6]
    batches = [every.slice(int(start), BATCH).combine_chunks() for start in starts]
    rounds = np.unique(np.linspace(0, len(asked.profiled) - 1, 9).astype(int)).tolist()
    spent = process_time()
    for number in rounds:
        tree, used = asked.tops[number]
        banned = np.array(sorted(leaf * width + term for leaf, own in used.items() for term in own), np.int64)
        tree_two, own = asked.profiled[number]
        bits = sorted(
            (leaf * width + term, bit) for leaf, terms in own.items() for bit, term in enumerate(terms)
        )
        wanted, bit = (np.array(column, np.int64) for column in zip(*bits, strict=True))
        for batch in batches:
            _pairs(batch, tree, place, np.array(sorted(used), np.int64), banned)
            _masks(batch, tree_two, place, np.array(sorted(own), np.int64), wanted, bit)
    share = sum(len(batch) for batch in batches) / len(every)
    out.seconds["split"] = (process_time() - spent) / (2 * len(rounds)) / share


def cluster(
    nodes: list[Node], blocks: list[Leaf], every: pa.Table, prepared: Prepared, place: Any,
    method: Disassociation, data: Transactions, out: Measured,
) -> pa.Table:  # fmt: skip
    """Work on every block, and time each."""
    tree = tree_of(nodes)
    leaf, _, _ = out.timed("place", leaves_of, every, tree, place)
    block_of = np.full(len(tree.term), -1, np.int32)
    for number, block in enumerate(blocks):
        block_of[list(block.nodes)] = number
    chosen = block_of[leaf]
    out.bytes["sorted"] = spelt_bytes(every.select(["record", "content"]))
    out.bytes["blocked"] = spelt_bytes(every.append_column("block", pa.array(chosen)))
    work = Work(
        method, place, terms_of(method, data.vocabulary, place), tuple(block.spent for block in blocks)
    )
    order = np.argsort(chosen, kind="stable")
    starts = np.searchsorted(chosen[order], np.arange(len(blocks) + 1))
    made = []
    for number in range(len(blocks)):
        rows = order[starts[number] : starts[number + 1]]
        offsets, codes = take_rows(prepared.offsets, prepared.codes, rows)
        table = pa.table({"record": prepared.source[rows], "rank": rows, "codes": lists_of(offsets, codes)})
        before = process_time()
        made.append(work.clusters(number, table))
        out.blocks.append((len(rows), len(codes), process_time() - before))
    return pa.concat_tables(made).combine_chunks()


def publish(made: pa.Table, data: Transactions, method: Disassociation, folder: Path, out: Measured) -> None:
    """Root, parts, key and verification."""
    left = out.timed("root", left_rows, made)
    out.timed("root", np.bincount, left.column("item").to_numpy())
    ordered = made.sort_by([("content", "ascending"), ("block", "ascending"), ("cluster", "ascending")])
    ordered = ordered.append_column("number", pa.array(np.arange(len(made)))).combine_chunks()
    out.bytes["cluster"] = spelt_bytes(ordered)
    out.bytes["numbered"] = spelt_bytes(ordered.drop_columns(["content"]))
    out.clusters, out.part_clusters = len(made), fitting(made, data)
    (folder / "scratch").mkdir()
    writer = Writer(str(folder), str(folder / "scratch"), data.vocabulary)
    parameters = {**method.parameters, "persons": False}
    for part, first in enumerate(range(0, len(ordered), out.part_clusters)):
        piece = ordered.slice(first, out.part_clusters)
        files = dict(zip(*out.timed("write", published, writer, part, piece), strict=True))
        manifest = manifest_of(FORMATS[0], {"k": method.k, "m": method.m}, parameters, {}, files)
        asked = {"allowed": 1 << 40, "folder": str(folder), "manifest": manifest} | dict(
            zip(("clusters", "chunks"), sorted(files, reverse=True), strict=True)
        )
        told = out.timed("verify", looked_at, json.dumps(asked))
        if not part:
            out.driver |= told_bytes(told)
    private_tables(ordered, left, writer, out)


def told_bytes(told: str) -> dict[str, float]:
    """Bytes that the driver gets of a part for each item that it shows, as text, and with what it makes of that."""
    shown, text = len(json.loads(told)["items"]), len(told.encode())
    return {"text": text / shown, "told": (text + held_bytes(lambda: json.loads(told))) / shown}


def fitting(made: pa.Table, data: Transactions) -> int:
    """Clusters of a part, as ``Published`` finds it."""
    rows, items = (len(rows_of(made.column(name))[1]) for name in ("chunk", "item"))
    name = 8 + sum(map(len, data.vocabulary)) / len(data.vocabulary)
    return max(1, min(1 << 14, int(MOST_BYTES / ((rows * ROW_BYTES + items * name) / len(made) + ROW_BYTES))))


def published(writer: Writer, part: int, piece: pa.Table) -> tuple[list[str], list[str]]:
    """Names and hashes of the files of a part."""
    told = publish_clusters(writer, part, piece, rooted=True)
    return told.column("name").to_pylist(), told.column("sha256").to_pylist()


def private_tables(ordered: pa.Table, left: pa.Table, writer: Writer, out: Measured) -> None:
    """Key, list of records and what is suppressed: in packets to their parts, which are sorted and written."""
    starts, record = rows_of(ordered.column("record"))
    number = np.repeat(np.arange(len(ordered)), np.diff(starts))
    people = pa.table({"record": record, "cluster": number, "person": np.full(len(record), -1)})
    gone = left.select(["record", "item"]).append_column("reason", pa.array(np.zeros(len(left), np.int32)))
    tables: Sequence[tuple[str, Any, Any, Any]] = (
        ("key", KEY, _key_part, lambda: _key_packets(ordered, KEY_PART, rooted=True)),
        ("records", RECORDS, _records_part, lambda: packets(people, KEY_PART)),
        ("suppressed", SUPPRESSED, _suppressed_part, lambda: packets(gone, KEY_PART)),
    )
    out.bytes["packet"] = spelt_bytes(left)  # the root sorts them before they are part of the key
    for name, columns, turned, send in tables:
        sent = out.timed("key", send)
        out.bytes["packet"] += sum(map(len, sent.column("packet").to_pylist()))
        part = sent.column("part").to_numpy()
        for each in np.unique(part).tolist():
            table = sent.filter(pa.array(part == each))
            rows = out.timed("key", turned, out.timed("key", unpacketed, table))
            out.timed("key", _counted, writer, name, each, columns, rows)


def worker_bytes(records: int) -> tuple[int, int]:
    """Occurrences of a block, and the bytes by which the process grows while it is worked on."""
    data = shaped("pos", scale=records / SHAPES["pos"].records)
    method = Disassociation(block_records=max(records, 10))
    place = tie_order_of_names(data.vocabulary, method.tie_order)
    prepared = prepare(data, place)
    work = Work(method, place, terms_of(method, data.vocabulary, place), (frozenset(),))
    many, before = len(data.codes), _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    codes = lists_of(prepared.offsets.copy(), prepared.codes.copy())
    table = pa.table({"record": prepared.source.copy(), "rank": np.arange(len(data)), "codes": codes})
    work.clusters(0, table)
    return many, _status("VmHWM") - before


def _status(name: str) -> int:
    """Bytes that Linux tells of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name))


# From what was measured to constants.


def slope(sizes: Sequence[float], values: Sequence[float]) -> float:
    """How much each more of a size adds, the rest being what it costs to begin."""
    begin_and_each, _ = nnls(np.column_stack((np.ones(len(sizes)), sizes)), np.array(values))
    return float(begin_and_each[1])


def law_of(blocks: Sequence[tuple[int, int, float]]) -> model.BlockLaw:
    """The law that misses the seconds of blocks least, long ones by more than short ones."""
    records, occurrences, took = (np.array(column, float) for column in zip(*blocks, strict=True))
    levels = np.maximum(0, np.log2(records / model.GOAL))
    shape, weight = np.column_stack((np.ones(len(took)), occurrences, occurrences * levels)), np.sqrt(took)
    found, _ = nnls(shape / weight[:, None], weight)
    return model.BlockLaw(*map(float, found))


def constants(runs: Sequence[Measured], spark: model.SparkTold, worker: float) -> model.Constants:
    """Slopes over runs of several sizes."""
    size = [run.occurrences for run in runs]
    each = {name: slope(size, [run.seconds[name] for run in runs]) for name in runs[-1].seconds}
    moved = {name: slope(size, [run.bytes[name] for run in runs]) for name in runs[-1].bytes}
    last = runs[-1]
    law = law_of([block for run in runs for block in run.blocks])
    kernels = sum(value for name, value in each.items() if name != "split") + law.each + law.level * WHOLE
    return model.Constants(
        **{name: each[name] for name in ("count", "code", "fingerprint", "split", "root", "write", "key", "verify")},
        block=model.BlockLaw(law.fixed, law.each + each["place"], law.level),
        spark=max(0.0, spark.run - kernels), carried=max(0.0, spark.counting - each["split"]), job=spark.job,
        worker_bytes=worker,
        **{f"{name}_bytes": moved[name] for name in moved},
        item_bytes=last.driver["item"] / last.items, split_bytes=last.driver["split"] / last.splits,
        told_bytes=last.driver["told"], text_bytes=last.driver["text"],
    )  # fmt: skip
