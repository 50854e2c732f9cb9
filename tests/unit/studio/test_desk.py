"""Runs that are cancelled, killed or cut short by the end of the app: they say so, and go on where they were."""

from __future__ import annotations

import asyncio
import hashlib
import os
import signal
import time
from contextlib import closing

import pytest

import cloven as cv
from cloven.storage.checkpoint import Checkpoint
from cloven.storage.fingerprint import fingerprint
from cloven.studio.desk import MOST_ATTEMPTS, Desk
from cloven.studio.forms import fields_of
from cloven.studio.workspace import Workspace
from tests.unit.studio.studios import opened, until

COAT = {"k": "3", "m": "2", "max_suppressed": "0", "reading": "subsets-too"}
WANTED = {"max_risk": "20", "max_tail": "1", "min_utility": "0", "effort": "quick"}
PLAIN = {
    "max_risk": 0.2, "max_tail": 0.01, "min_utility": 0.0, "quick": True, "advise": False, "relatedness": "",
    "rivals": [], "left_out": [], "runs": [],
}  # fmt: skip
"""The same as they are noted."""
BASKETS = b"milk,bread\nmilk,tea\nbread,tea\nmilk\nbread\n" * 20


def read_as_sets(client, path):
    """The address of data, once they are read."""
    until(client, path, ["Likely ways"])
    client.post(f"{path}/reading", data={"shape": "sets", "format": "lines", "delimiter": ","})
    until(client, path, ["Who can be singled out"])
    return path


def planned(client, file=None):
    """The address of a run that waits to be started, on a file of this machine or on one that is sent."""
    if file is None:
        answer = client.post("/data/upload", files={"file": ("baskets.csv", BASKETS)})
    else:
        answer = client.post("/data/file", data={"path": str(file)})
    path = read_as_sets(client, answer.url.path)
    return client.post(f"{path}/protect", data={"method": "coat", **COAT}).url.path.removesuffix("/attack")


def worker_of(client, path):
    """The process that works on a run, once it is there."""
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        worker = client.desk._workers.get(path.removeprefix("/"))
        if worker is not None:
            return worker
        time.sleep(0.01)
    raise AssertionError(path)


def test_a_worker_that_dies_leaves_the_app_alive_and_the_run_goes_on(tmp_path):
    with opened(tmp_path / "ws") as client:
        path = planned(client)
        client.post(f"{path}/attack", data=WANTED)
        os.killpg(worker_of(client, path).process.pid, signal.SIGKILL)
        page = until(client, f"{path}/attack", ["It failed"])
        assert "The worker was killed" in page.text
        assert client.get("/").status_code == 200
        client.post(f"{path}/go-on")
        until(client, f"{path}/attack", ["To the verdict"])


@pytest.mark.slow
def test_a_cancelled_run_stops_at_once_and_can_go_on(tmp_path):
    with opened(tmp_path / "ws") as client:
        path = planned(client)
        client.post(f"{path}/attack", data=WANTED)
        pid = worker_of(client, path).process.pid
        page = client.post(f"{path}/cancel")
        assert "Cancelled" in page.text
        with pytest.raises(ProcessLookupError):
            os.killpg(pid, 0)
        assert client.desk._workers == {}
        client.post(f"{path}/go-on")
        until(client, f"{path}/attack", ["To the verdict"])


@pytest.mark.slow
def test_a_run_that_is_deleted_while_it_works_is_gone(tmp_path):
    with opened(tmp_path / "ws") as client:
        path = planned(client)
        client.post(f"{path}/attack", data=WANTED)
        pid = worker_of(client, path).process.pid
        client.post(f"{path}/delete")
        assert client.workspace.all_runs() == []
        assert list((tmp_path / "ws" / "runs").iterdir()) == []
        with pytest.raises(ProcessLookupError):
            os.killpg(pid, 0)


@pytest.mark.slow
def test_one_works_and_the_others_wait_for_their_turn(tmp_path):
    with opened(tmp_path / "ws") as client:
        first = planned(client)
        client.post(f"{first}/attack", data=WANTED)
        worker_of(client, first)
        data = client.workspace.run(int(first.rpartition("/")[2])).data
        second = client.post(f"/data/{data}/protect", data={"method": "coat", **COAT}).url.path
        assert "waiting for its turn" in client.post(second, data=WANTED).text
        until(client, second, ["To the verdict"])
        assert client.workspace.run(int(first.rpartition("/")[2])).state == "done"


def test_the_app_ends_in_the_middle_and_the_run_goes_on_by_itself(tmp_path):
    with opened(tmp_path / "ws") as client:
        path = planned(client)
        client.post(f"{path}/attack", data=WANTED)
        worker_of(client, path)
    with opened(tmp_path / "ws") as client:
        number = int(path.rpartition("/")[2])
        assert client.workspace.run(number).attempts == 1
        until(client, f"{path}/attack", ["To the verdict"])
        assert client.workspace.run(number).attempts == 0


@pytest.mark.slow
def test_a_run_that_never_gets_through_is_not_tried_for_ever(tmp_path):
    with opened(tmp_path / "ws") as client:
        path = planned(client)
        number = int(path.rpartition("/")[2])
    with opened(tmp_path / "ws") as client:
        client.workspace.change_work("runs", number, "running", attempts=MOST_ATTEMPTS)
    with opened(tmp_path / "ws") as client:
        page = client.get(f"{path}/attack").text
        assert "Interrupted" in page
        assert "several times" in page


def test_a_file_that_was_being_read_is_read_after_a_restart(tmp_path):
    with opened(tmp_path / "ws") as client:
        path = client.post("/data/upload", files={"file": ("baskets.csv", BASKETS)}).url.path
    with opened(tmp_path / "ws") as client:
        until(client, path, ["Likely ways"])


def digests(folder):
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.rglob("*.parquet")
        if file.is_file()
    }


@pytest.mark.slow
def test_what_was_finished_before_the_end_is_not_done_again(tmp_path):
    """The method draws lots, so that a release made twice would be another one."""
    with opened(tmp_path / "ws") as client:
        path = client.post("/data/sample").url.path
        until(client, path, ["Who can be singled out"])
        usual = {each.name: each.default for each in fields_of(cv.Disassociation)}
        usual |= {"k": "2", "m": "2", "max_cluster_size": "60", "safe": "cover"}
        page = client.post(f"{path}/protect", data={"method": "disassociation", **usual})
        attack = page.url.path
        client.post(
            attack, data={**WANTED, "threat": ["2 items of a person", "release alone", "being in it"]}
        )
        number = int(attack.split("/")[2])
        ends = time.monotonic() + 300
        while not client.workspace.run(number).found and time.monotonic() < ends:
            time.sleep(0.02)
        run = client.workspace.run(number)
        found = dict(run.found)
        (unfinished,) = run.folder.glob("*.unfinished")
        made = digests(next(unfinished.glob("step-*")) / "published")
        assert made
    with opened(tmp_path / "ws") as client:
        until(client, attack, ["To the verdict"], 300)
        done = client.workspace.run(number)
        assert found.items() <= done.found.items()
        assert digests(done.published) == made


def test_what_changes_while_a_page_is_told_is_not_missed(tmp_path):
    async def heard(desk):
        changes = desk.changes("runs/1", 0.05)
        desk._tell("runs/1")  # between what was read and the wait for more
        first = await anext(changes)
        return first, await anext(changes)

    with closing(Workspace.at(tmp_path / "ws")) as workspace:
        assert asyncio.run(heard(Desk(workspace))) == (True, False)


@pytest.mark.slow
def test_what_was_found_in_a_file_is_not_shown_of_another_one(tmp_path):
    """A run is cancelled, the file changes where it is, and the run goes on: it begins anew, and its page, too."""
    file = tmp_path / "baskets.csv"
    file.write_bytes(BASKETS)
    with opened(tmp_path / "ws") as client:
        run = planned(client, file)
        client.workspace.change_work("runs", 1, "cancelled", found={"attack (old)": {}}, wanted=PLAIN)
        client.post(f"{run}/go-on")
        until(client, f"{run}/attack", ["To the verdict"])
        assert "attack (old)" not in client.workspace.run(1).found
        assert client.workspace.run(1).found


@pytest.mark.slow
def test_steps_that_were_damaged_are_told_of(tmp_path):
    """They are done again, and the page of the run says so, without a word on where they lay."""
    file = tmp_path / "baskets.csv"
    file.write_bytes(BASKETS)
    with opened(tmp_path / "ws") as client:
        run = planned(client, file)
        client.workspace.change_work("runs", 1, "cancelled", wanted=PLAIN)
        unfinished = client.workspace.run(1).folder / "release.private.unfinished"
        data = cv.read(file, format="lines", delimiter=",")
        Checkpoint.open(unfinished, fingerprint(data), "others")
        with (unfinished / "journal.log").open("a") as journal:
            journal.write("damaged\n")
        client.post(f"{run}/go-on")
        page = until(client, f"{run}/attack", ["To the verdict"]).text
        assert "1 line damaged" in page
        assert "what they told is done again" in page
        assert str(tmp_path) not in page
