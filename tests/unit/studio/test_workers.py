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


def test_a_file_is_looked_at(tmp_path):
    file = tmp_path / "baskets.csv"
    file.write_text("milk,bread\nmilk\nbread,tea\n" * 20)
    ended, _, pid = listened(looking(file))
    assert ended.problem == ""
    assert ended.done["likely"] == "sets"
    assert ended.done["head"][0] == "milk,bread"
    assert gone(pid)


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
    _, events, _ = listened(looking(file))
    assert events[0]["step"] == "look at the file"


@pytest.mark.parametrize("code", [0, 3])
def test_a_worker_that_says_nothing_has_failed(code, monkeypatch):
    class Silent:
        returncode = code

    assert str(code) in Worker(Silent())._how_it_died()
    assert workers.LAST_WORDS > 100
