"""The model of a cluster holds what a scheduler does, and that does what can be tried by hand on tiny cases."""

from __future__ import annotations

import doctest
from dataclasses import replace
from itertools import product
from random import Random

import pytest

from benchmarks import cluster_model
from benchmarks.cluster_model import (
    BlockLaw,
    Bounds,
    Cluster,
    Constants,
    Copies,
    Stage,
    Workload,
    block_stage,
    dealt,
    driver_bytes,
    makespan,
    spark_hash,
    stages,
)  # fmt: skip


def test_examples_run():
    assert doctest.testmod(cluster_model) == (0, 8)


def stage_of(tasks):
    return Stage("any", sum(tasks), len(tasks), max(tasks))


def random_case(seed):
    rng = Random(seed)
    tasks = [rng.choice([0.5, 1.0, 1.5, 2.0, 7.0]) for _ in range(rng.randint(1, 30))]
    cluster = Cluster(rng.randint(1, 5), rng.randint(1, 3), slow=rng.choice([0.0, 0.4]), draw=seed)
    return tasks, cluster


@pytest.mark.parametrize("copies", [None, Copies(), Copies(0.5, 1.2)])
@pytest.mark.parametrize("seed", range(40))
def test_the_scheduler_stays_within_the_bounds_of_the_model(seed, copies):
    tasks, cluster = random_case(seed)
    assert makespan(tasks, cluster, copies) in stage_of(tasks).seconds(cluster)


def best(tasks, speeds):
    """The shortest time of all ways to give tasks to cores."""
    ways = product(range(len(speeds)), repeat=len(tasks))
    return min(
        max(
            sum(task for task, to in zip(tasks, way, strict=False) if to == core) / speed
            for core, speed in enumerate(speeds)
        )
        for way in ways
    )


@pytest.mark.parametrize("seed", range(10))
def test_no_schedule_beats_the_best_of_all_and_graham_holds(seed):
    rng = Random(seed)
    tasks = [float(rng.randint(1, 6)) for _ in range(6)]
    cluster = Cluster(machines=3, cores=1)
    least, found = best(tasks, cluster.speeds), makespan(tasks, cluster)
    assert least <= found <= (2 - 1 / 3) * least
    assert stage_of(tasks).seconds(cluster).least <= least


def test_more_machines_are_never_slower_for_equal_tasks():
    ends = [makespan([1.0] * 50, Cluster(machines, 2)) for machines in range(1, 30)]
    assert ends == sorted(ends, reverse=True)
    assert ends[0] == 25.0
    assert ends[-1] == 1.0


@pytest.mark.parametrize("seed", range(20))
def test_the_model_never_foretells_more_for_more_machines(seed):
    tasks, cluster = random_case(seed)
    cluster = replace(cluster, slow=0.0)
    more = replace(cluster, machines=cluster.machines + 1)
    moved = replace(stage_of(tasks), moved=1e9)
    assert moved.computing(more).least <= moved.computing(cluster).least
    assert moved.seconds(cluster).least <= moved.seconds(cluster).most


@pytest.mark.parametrize("seed", range(20))
def test_copies_never_make_it_longer(seed):
    tasks, cluster = random_case(seed)
    assert makespan(tasks, cluster, Copies(0.5, 1.2)) <= makespan(tasks, cluster)


def test_copies_of_spark_4_do_not_see_a_machine_three_times_as_slow():
    cluster = Cluster(machines=20, cores=1, slow=0.05, slowness=3.0)
    assert makespan([1.0] * 20, cluster, Copies()) == 3.0
    assert makespan([1.0] * 20, cluster, Copies(0.75, 1.5)) == 2.5


def test_blocks_go_where_spark_sends_them():
    assert [spark_hash(number) for number in (0, 1, 12345)] == [933211791, -559580957, -2122148428]
    assert spark_hash(7) % 200 == 107
    assert sum(dealt([1.0, 2.0, 4.0], 5)) == 7.0
    assert dealt([1.0] * 8, 200)[107] == 1.0


def test_a_partition_holds_its_largest_block():
    stage = block_stage([1.0, 9.0, 1.0, 1.0], 4, moved=8.0)
    assert stage.work == 12.0
    assert 9.0 <= stage.largest <= 12.0


def ones(**other):
    names = [name for name in Constants.__dataclass_fields__ if name != "block"]
    return Constants(block=BlockLaw(0.0, 1.0, 0.0), **dict.fromkeys(names, 1.0) | other)


LOAD = Workload(100.0, 7, ((60.0, 90.0), (5.0, 10.0)), rounds=3, passed=6.0, leaves=4, splits=11, parts=2)


def test_stages_add_up():
    found = {stage.name: stage for stage in stages(ones(), LOAD, partitions=10)}
    assert found["count items"].work == 100.0
    assert found["fingerprint"].tasks == 1
    assert found["fingerprint"].seconds(Cluster()) == Bounds(100.0, 100.0)
    assert found["top splits"].passes == 6
    assert found["top splits"].moved * 6 == pytest.approx(24 * 4 * 7 * 10)
    assert found["blocks"].work == 100.0
    assert found["number and write"].moved == 200.0
    assert driver_bytes(ones(), LOAD) == {
        "items": 7.0, "splits": 11.0, "what parts tell": 14.0, "of which text": 14.0
    }  # fmt: skip


def test_the_network_carries_what_leaves_a_machine():
    stage = Stage("any", 0.0, 4, 0.0, moved=8e9)
    assert stage.moving(Cluster(machines=4, network=1e9)) == pytest.approx(1.5)
    assert stage.moving(Cluster(machines=1, network=1e9)) == 0.0
