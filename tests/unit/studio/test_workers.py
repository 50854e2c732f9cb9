"""Workers: their limits, how they fail, and that none is left behind."""

from __future__ import annotations

import asyncio
import os
import time

import pytest

from cloven.studio import workers
from cloven.studio.workers import Worker


def listened(job, seconds=60.0, during=None):
    events = []

    async def run():
        worker = await Worker.begin(job)
        if during is not None:
            asyncio.get_running_loop().create_task(during(worker))
        return await worker.listen(events.append, seconds), worker.process.pid

    ended, pid = asyncio.run(run())
    return ended, events, pid


def gone(pid):
    try:
        os.killpg(pid, 0)
    except ProcessLookupError:
        return True
    return False


def looking(path, **limits):
    return {"work": "look", "place": str(path), "limits": limits}


def census(weights, third_and_fourth):
    """People in rows, as in the Adult data: their weights look like numbers of records, and some occur twice."""
    works, jobs = ("Private", "State-gov", "Never-worked"), ("Sales", "Craft-repair", "Armed-Forces", "Tech")
    rows = (
        f"{20 + i * 7 % 60},{works[i % 3]},{weight},{jobs[i * i % 7 % 4]},{'FM'[i % 2]},{'<>'[i % 5 > 1]}50K"
        for i, weight in enumerate(weights)
    )
    return "\n".join([f"age,workclass,{third_and_fourth},sex,salary", *rows]) + "\n"


@pytest.mark.parametrize("repeats", [1, 2, 4])
@pytest.mark.parametrize("third_and_fourth", ["fnlwgt,occupation", "ward,illness", "zip,disease"])
def test_people_in_rows_with_a_header_are_a_table_first(tmp_path, third_and_fourth, repeats):
    file = tmp_path / "census.csv"
    file.write_text(census((12_285 + i * 7 % (600 // repeats) for i in range(600)), third_and_fourth))
    looked = listened(looking(file))[0].done
    assert looked["table"]["complete"]
    assert looked["likely"] == "table"


def test_a_column_with_commas_in_it_makes_no_sets_of_people(tmp_path):
    file = tmp_path / "census.csv"
    text = census(range(600), "weight,occupation").replace(",", ";").replace("Sales", "Sales, retail")
    file.write_text(text.replace("Tech", "Tech, support"))
    looked = listened(looking(file))[0].done
    assert [way for way in looked["ways"] if way["options"].get("column") == "occupation"]
    assert looked["likely"] == "table"


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("order;article", "{0};{1}"),
        ("START,STOP,PATIENT,ENCOUNTER,CODE,DESCRIPTION", "2019-01-{2:02},,p{0},e{0},{1},{1} of the ear"),
        ("patient,age,sex,diagnoses", '{0},{2},f,"{1};{2}"'),
    ],
)
def test_what_several_rows_or_a_list_tell_of_somebody_is_sets_first(tmp_path, header, row):
    file = tmp_path / "rows.csv"
    lines = [row.format(i // 3, f"d{i * 7 % 40}", 10 + i % 20) for i in range(600)]
    file.write_text("\n".join([header, *lines]) + "\n")
    looked = listened(looking(file))[0].done
    assert looked["ways"]
    assert looked["likely"] == "sets"


def test_what_cannot_be_read_is_told_without_the_folder(tmp_path):
    file = tmp_path / "x.csv"
    file.write_bytes(b"\x00\x01\x02" * 100)
    ended, _, _ = listened(looking(file))
    assert ended.problem
    assert not ended.crashed
    assert str(tmp_path) not in ended.problem


def test_memory_is_limited(tmp_path):
    file = tmp_path / "big.csv"
    with file.open("w") as out:
        for start in range(0, 4_000_000, 10):
            out.write(",".join(f"i{number}" for number in range(start, start + 10)) + "\n")
    ended, _, pid = listened(looking(file, memory=300_000_000))
    assert "memory" in ended.problem
    assert gone(pid)


def test_time_is_limited(tmp_path):
    file = tmp_path / "baskets.csv"
    file.write_text("milk,bread\n" * 10)
    ended, _, pid = listened(looking(file), seconds=0.01)
    assert "longer than" in ended.problem
    assert gone(pid)


def test_a_worker_that_is_killed_says_so(tmp_path):
    file = tmp_path / "baskets.csv"
    file.write_text("milk,bread\n" * 10)

    async def kill(worker):
        worker.process.kill()

    ended, _, _ = listened(looking(file), during=kill)
    assert ended.crashed
    assert "killed" in ended.problem


def test_a_fault_is_told_with_the_last_words():
    ended, _, _ = listened({"work": "nonsense"})
    assert ended.crashed
    assert "KeyError" in ended.problem


def test_a_worker_ends_with_the_server(tmp_path):
    """The one that started it is killed, so that nothing but the closed pipe tells it."""
    import signal
    import subprocess
    import sys

    code = (
        "import asyncio, os\n"
        "from cloven.studio.workers import Worker\n"
        "async def run():\n"
        "    worker = await Worker.begin({'work': 'audit', 'folder': '/nowhere'})\n"
        "    print(worker.process.pid, flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
        "asyncio.run(run())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL
    ends = time.monotonic() + 30
    while not gone(int(done.stdout)) and time.monotonic() < ends:
        time.sleep(0.05)
    assert gone(int(done.stdout))


def test_events_come_as_they_are_told(tmp_path):
    file = tmp_path / "baskets.csv"
    file.write_text("milk,bread\nmilk\nbread,tea\n" * 20)
    ended, events, pid = listened(looking(file))
    assert events[0]["step"] == "look at the file"
    assert (ended.problem, ended.done["likely"], ended.done["head"][0]) == ("", "sets", "milk,bread")
    assert gone(pid)


@pytest.mark.parametrize("code", [0, 3])
def test_a_worker_that_says_nothing_has_failed(code, monkeypatch):
    class Silent:
        returncode = code

    assert str(code) in Worker(Silent())._how_it_died()
    assert workers.LAST_WORDS > 100
