"""What disassociation costs on many machines: a model of its stages, and a scheduler to hold it against.

The model knows constants (``cluster`` measures them) and sizes; it tells between which two times a stage must end. The
scheduler hands out tasks one by one, as Spark does: to whichever core is free, copies of slow ones too if asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from math import log2, sqrt
from statistics import median
from typing import NamedTuple

import numpy as np

GOAL = 120
"""Records of a cluster of the default method: HORPART goes on until parts are as small."""
PARTIAL = 24.0
"""Bytes of a count: part, item, number. Every task of the first of two passes counts all items of all open parts."""
DEVIATIONS = 3.5
"""Standard deviations above the mean that the fullest of some thousand partitions has."""


class Bounds(NamedTuple):
    """Seconds between which something ends."""

    least: float
    most: float

    def __contains__(self, seconds: object) -> bool:
        slack = 1e-9 * self.most
        return isinstance(seconds, int | float) and self.least - slack <= seconds <= self.most + slack


@dataclass(frozen=True)
class Cluster:
    """Machines.

    Attributes:
        machines: how many.
        cores: of each.
        network: bytes that each may send in a second.
        slow: share of the machines that are slow.
        slowness: times as long that these take.
        draw: which machines are slow is drawn by lot; another number is another lot.

    >>> Cluster(machines=10, cores=4, slow=0.2, slowness=4.0).capacity
    34.0
    """

    machines: int = 100
    cores: int = 4
    network: float = 1.25e9
    slow: float = 0.0
    slowness: float = 3.0
    draw: int = 0

    @property
    def speeds(self) -> tuple[float, ...]:
        """Speed of each core, the first ones of all machines first: so they get their tasks."""
        order = np.random.default_rng(self.draw).permutation(self.machines)
        slow = round(self.slow * self.machines)
        return tuple(1.0 / self.slowness if place < slow else 1.0 for place in order) * self.cores

    @property
    def capacity(self) -> float:
        """Work of a good core that is done in a second."""
        return sum(self.speeds)


@dataclass(frozen=True)
class Stage:
    """Tasks that may run in any order; no other stage begins before the last has ended.

    Attributes:
        name: what is done.
        work: seconds of a good core for all tasks of a pass.
        tasks: how many of a pass.
        largest: seconds of a good core for the largest of them.
        moved: bytes that go from machine to machine in a pass.
        passes: how often all of it is done, one after another.
        wait: seconds that each pass takes whatever it does.

    >>> Stage("split", work=100.0, tasks=50, largest=4.0).seconds(Cluster(machines=5, cores=2))
    Bounds(least=10.0, most=14.0)
    >>> Stage("one worker reads all", work=60.0, tasks=1, largest=60.0).seconds(Cluster())
    Bounds(least=60.0, most=60.0)
    """

    name: str
    work: float
    tasks: int
    largest: float
    moved: float = 0.0
    passes: int = 1
    wait: float = 0.0

    def computing(self, cluster: Cluster) -> Bounds:
        """Seconds of the tasks of one pass.

        The task that begins last does so when all other cores are busy: until then all work was done at full
        capacity, and then it is left, on a slow core at worst (Graham 1966, for cores of two speeds).
        """
        speeds = sorted(cluster.speeds, reverse=True)
        least = max(self.work / sum(speeds[: self.tasks]), self.largest)
        worst = self.largest / min(speeds)
        return Bounds(least, worst if self.tasks <= len(speeds) else self.work / sum(speeds) + worst)

    def moving(self, cluster: Cluster) -> float:
        """Seconds that the network needs for a pass, if all machines send at once."""
        away = self.moved * (cluster.machines - 1) / cluster.machines
        return away / (cluster.machines * cluster.network)

    def seconds(self, cluster: Cluster) -> Bounds:
        """Seconds of all passes; what is moved is moved before tasks begin."""
        once, before = self.computing(cluster), self.wait + self.moving(cluster)
        return Bounds(self.passes * (before + once.least), self.passes * (before + once.most))


@dataclass(frozen=True)
class BlockLaw:
    """Seconds of a block: some for itself, some for each occurrence, more for each halving until clusters are small.

    >>> BlockLaw(fixed=0.5, each=2.0, level=0.25).seconds(480, 100)
    250.5
    """

    fixed: float
    each: float
    level: float

    def seconds(self, records: float, occurrences: float) -> float:
        """Seconds of a block of this size."""
        levels = max(0.0, log2(max(records, 1.0) / GOAL))
        return self.fixed + occurrences * (self.each + self.level * levels)


@dataclass(frozen=True)
class SparkTold:
    """What only Spark can tell: seconds of a core.

    Attributes:
        run: for each occurrence of a whole run in one block.
        counting: for each occurrence of a pass that counts for top splits.
        job: of such a pass that has next to nothing to count.
    """

    run: float
    counting: float
    job: float


@dataclass(frozen=True)
class Constants:
    """What was measured on one core; seconds and bytes are those of an occurrence, unless it is said."""

    count: float
    code: float
    fingerprint: float
    split: float
    block: BlockLaw
    root: float
    write: float
    key: float
    verify: float
    spark: float
    carried: float
    job: float
    stored_bytes: float
    sorted_bytes: float
    blocked_bytes: float
    cluster_bytes: float
    numbered_bytes: float
    packet_bytes: float
    worker_bytes: float
    item_bytes: float
    split_bytes: float
    told_bytes: float
    text_bytes: float


@dataclass(frozen=True)
class Workload:
    """Data, and what the method makes of it.

    Attributes:
        occurrences: items of all records.
        items: different ones.
        sizes: records and occurrences of each block.
        rounds: of counting, until blocks are found.
        passed: how often all records are read in these rounds, on the whole.
        leaves: open parts, added up over the rounds.
        splits: of the tree that finds blocks.
        parts: files of clusters that are published.
    """

    occurrences: float
    items: int
    sizes: tuple[tuple[float, float], ...]
    rounds: int
    passed: float
    leaves: int
    splits: int
    parts: int

    def times(self, law: BlockLaw) -> list[float]:
        """Seconds of each block."""
        return [law.seconds(*size) for size in self.sizes]


def stages(known: Constants, load: Workload, partitions: int) -> list[Stage]:
    """Stages of a run on Spark, in their order; those that one worker does alone have one task."""

    def even(name: str, each: float, moved: float = 0.0, passes: int = 1, wait: float = 0.0) -> Stage:
        work = each * load.occurrences
        return Stage(name, work, partitions, work / partitions, moved * load.occurrences, passes, wait)

    alone = known.fingerprint * load.occurrences
    passes = 2 * max(1, load.rounds)
    partial = PARTIAL * load.leaves * load.items * partitions / (passes * load.occurrences)
    read = (known.split + known.carried) * load.passed / passes
    return [
        even("count items", known.count),
        even("code records", known.code),
        Stage("fingerprint", alone, 1, alone),
        even("sort records", 0.0, known.sorted_bytes),
        even("top splits", read, partial, 2 * load.rounds, known.job),
        block_stage(load.times(known.block), partitions, known.blocked_bytes * load.occurrences),
        even("root", known.root),
        even("number and write", known.write, known.cluster_bytes + known.numbered_bytes),
        even("key", known.key, known.packet_bytes),
        even("verify parts", known.verify),
        even("Spark itself", known.spark),
    ]


def block_stage(times: list[float], partitions: int, moved: float) -> Stage:
    """Blocks go to partitions by a hash: the fullest has the largest block, or many."""
    mean = sum(times) / partitions
    spread = DEVIATIONS * sqrt(sum(time * time for time in times) / partitions)
    return Stage("blocks", sum(times), partitions, min(sum(times), mean + max(max(times), spread)), moved)


def driver_bytes(known: Constants, load: Workload) -> dict[str, float]:
    """What the driver holds at most of everything that grows."""
    return {
        "items": known.item_bytes * load.items,
        "splits": known.split_bytes * load.splits,
        "what parts tell": known.told_bytes * load.items * load.parts,
        "of which text": known.text_bytes * load.items * load.parts,
    }


# Partitions and tasks as Spark deals them out.


def spark_hash(number: int) -> int:
    """Spark's hash of an int: MurmurHash3 of 32 bits with seed 42.

    >>> spark_hash(0), spark_hash(1)
    (933211791, -559580957)
    """
    mask = 0xFFFFFFFF

    def turned(value: int, by: int) -> int:
        return ((value << by) | (value >> (32 - by))) & mask

    mixed = 42 ^ (turned((number & mask) * 0xCC9E2D51 & mask, 15) * 0x1B873593 & mask)
    mixed = ((turned(mixed, 13) * 5 + 0xE6546B64) & mask) ^ 4  # four bytes long
    mixed = ((mixed ^ (mixed >> 16)) * 0x85EBCA6B) & mask
    mixed = ((mixed ^ (mixed >> 13)) * 0xC2B2AE35) & mask
    mixed ^= mixed >> 16
    return mixed - (1 << 32) if mixed >> 31 else mixed


def dealt(times: list[float], partitions: int) -> list[float]:
    """Seconds of each partition, given those of each block."""
    sums = [0.0] * partitions
    for block, time in enumerate(times):
        sums[spark_hash(block) % partitions] += time
    return sums


@dataclass(frozen=True)
class Copies:
    """When a task gets a copy: so many are done, and it has run so many times as long as the median of these.

    These are the numbers of Spark 4; before it they were 0.75 and 1.5.
    """

    quantile: float = 0.9
    multiplier: float = 3.0


def makespan(tasks: list[float], cluster: Cluster, copies: Copies | None = None) -> float:
    """Seconds until the last task is done, if each goes to the core that is free first.

    >>> makespan([3.0, 3.0, 2.0], Cluster(machines=2, cores=1))
    5.0
    >>> slow = Cluster(machines=10, cores=1, slow=0.1, slowness=5.0)
    >>> makespan([1.0] * 10, slow), makespan([1.0] * 10, slow, Copies(multiplier=1.5))
    (5.0, 2.5)
    """
    speeds, running, took = cluster.speeds, list[tuple[float, int, int, float]](), list[float]()
    idle = list(range(len(speeds)))
    waiting, done, settled, now = list(range(len(tasks)))[::-1], set[int](), set[int](), 0.0
    while len(done) < len(tasks):
        late = _late(running, settled, took, len(tasks), copies, now) if idle and not waiting else []
        while idle and (waiting or late):
            settled |= set() if waiting else {late[0]}  # it gets no other copy
            task = waiting.pop() if waiting else late.pop(0)
            core = heappop(idle)
            heappush(running, (now + tasks[task] / speeds[core], task, core, now))
        look = _next_look(running, settled, took, len(tasks), copies, now) if idle else None
        if look is not None and look < running[0][0]:
            now = look
            continue
        now, task, core, began = heappop(running)
        heappush(idle, core)
        if task not in done:
            done.add(task)
            settled.add(task)
            took.append(now - began)
    return now


def _limit(took: list[float], many: int, copies: Copies | None) -> float | None:
    """Seconds after which a task gets a copy; None while too few are done."""
    enough = copies is not None and took and len(took) >= copies.quantile * many
    return copies.multiplier * median(took) if enough and copies is not None else None


def _late(
    running: list[tuple[float, int, int, float]], settled: set[int], took: list[float], many: int,
    copies: Copies | None, now: float,
) -> list[int]:  # fmt: skip
    limit = _limit(took, many, copies)
    if limit is None:
        return []
    return [task for _, task, _, began in running if task not in settled and began + limit <= now]


def _next_look(
    running: list[tuple[float, int, int, float]], settled: set[int], took: list[float], many: int,
    copies: Copies | None, now: float,
) -> float | None:  # fmt: skip
    """When the next task is late."""
    limit = _limit(took, many, copies)
    if limit is None:
        return None
    looks = [began + limit for _, task, _, began in running if task not in settled]
    return min((look for look in looks if look > now), default=None)
