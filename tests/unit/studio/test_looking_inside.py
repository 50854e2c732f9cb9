"""The inspector is made ready by a worker: the page says so, and the server only loads what is kept with the run."""

from __future__ import annotations

import os
import re
import signal

import numpy as np
import pytest

import cloven as cv
from cloven.studio import inspection_work
from cloven.studio.inspection import opened as of_opened
from cloven.studio.inspection import ranking, truth
from cloven.studio.inspection.drawer import Drawer
from cloven.studio.inspector_address import Address
from cloven.studio.inspector_sets import SetPages
from tests.unit.studio.studios import opened, until
from tests.unit.studio.test_desk import WANTED, planned, worker_of

TRUTH = (("truth", "1"),)


@pytest.fixture(scope="module")
def result():
    return cv.Disassociation(k=5, m=2, rare_items="cluster").anonymise(cv.sample("clinic"))


def seen(pages):
    """What pages show that take long: the worst clusters, a cluster as it is put back, hits, people."""
    names = ("lines", "places", "people", "sample")
    every = (
        pages.overview(Address("")),
        pages.group(Address("", query=(("rebuild", "1"),)), 3),
        pages.overview(Address("", query=(*TRUTH, ("by", "hits")))),
        pages.people(Address("", query=TRUTH)),
    )
    return [{name: shown[name] for name in names if name in shown} for _, shown in every]


def never(*_given, **_named):
    message = "this was found out before"
    raise AssertionError(message)


def test_what_is_kept_is_not_found_out_again(result, tmp_path, monkeypatch):
    made = result.release, result.key
    first = seen(SetPages.of(*made, None, Drawer(tmp_path)))
    assert first == seen(SetPages.of(*made, None, Drawer()))
    from cloven.relatedness.learned import Learned

    monkeypatch.setattr(Learned, "of_release", never)
    monkeypatch.setattr(ranking, "told_by_cluster", never)
    monkeypatch.setattr(truth, "hits_by_cluster", never)
    monkeypatch.setattr(truth, "worst_people", never)
    assert seen(SetPages.of(*made, None, Drawer(tmp_path))) == first
    with pytest.raises(AssertionError, match="found out before"):
        seen(SetPages.of(*made, None, Drawer()))


@pytest.mark.parametrize("content", [b"", b"[", b"{}", b"[[1]]", b'{"told": 1}', b"PK\x03\x04", b"\xff"])
def test_what_is_damaged_is_found_out_anew(result, tmp_path, content):
    made = result.release, result.key
    first = seen(SetPages.of(*made, None, Drawer(tmp_path)))
    files = sorted(tmp_path.iterdir())
    assert len(files) == 4
    for file in files:
        file.write_bytes(content)
    assert seen(SetPages.of(*made, None, Drawer(tmp_path))) == first


@pytest.mark.parametrize("digit", [b"9", b"99999999999999999999"])
def test_a_figure_that_changed_on_the_disk_is_not_believed(result, tmp_path, digit):
    made = result.release, result.key
    first = seen(SetPages.of(*made, None, Drawer(tmp_path)))
    for file in tmp_path.glob("*.json"):
        digest, figures = file.read_bytes().split(b"\n", 1)
        changed = re.sub(rb"[0-8]", digit, figures, count=1)
        assert changed != figures
        file.write_bytes(digest + b"\n" + changed)
    assert seen(SetPages.of(*made, None, Drawer(tmp_path))) == first


def test_what_is_kept_is_for_its_owner_alone(result, tmp_path):
    seen(SetPages.of(result.release, result.key, None, Drawer(tmp_path / "inspector")))
    assert {file.stat().st_mode & 0o077 for file in tmp_path.rglob("*")} == {0}


def test_where_nothing_goes_together_guessing_is_kept(tmp_path):
    data = cv.Transactions.from_records([[f"item {number}"] for number in range(8) for _ in range(5)])
    release = cv.Disassociation(k=2, m=1).anonymise(data).release
    for _ in range(2):
        assert of_opened.Opened(release, drawer=Drawer(tmp_path)).attack("release") is not None


def finished(client):
    path = planned(client)
    client.post(f"{path}/attack", data=WANTED)
    until(client, f"{path}/attack", ["To the verdict"])
    return path


def test_the_page_waits_for_a_worker_and_then_loads_what_it_kept(tmp_path):
    with opened(tmp_path / "ws") as client:
        path = finished(client)
        page = client.get(f"{path}/clusters/")
        assert "in a process of its own" in page.text
        assert f'data-events="{path}/inspector/events"' in page.text
        assert worker_of(client, path.replace("runs", "inspector")).process.pid != os.getpid()
        stream = client.get(f"{path}/inspector/events").text
        assert "event: end" in stream
        page = client.get(f"{path}/clusters/")
        assert "Records that look alike" in page.text
        folder = client.workspace.run(int(path.rpartition("/")[2])).inspector
        assert (folder / "ready").is_file()
        changed = (folder / "ready").stat().st_mtime_ns
        client.get(f"{path}/clusters/0")
        assert (folder / "ready").stat().st_mtime_ns == changed
        (folder / "ready").write_text("another version")
        assert "in a process of its own" in client.get(f"{path}/clusters/").text
        client.post(f"{path}/delete")
        assert not folder.exists()
        assert client.desk._workers == {}


@pytest.mark.slow
def test_a_worker_that_dies_says_so_and_can_be_asked_again(tmp_path):
    with opened(tmp_path / "ws") as client:
        path = finished(client)
        client.get(f"{path}/clusters/")
        os.killpg(worker_of(client, path.replace("runs", "inspector")).process.pid, signal.SIGKILL)
        page = until(client, f"{path}/clusters/", ["The worker was killed"])
        assert 'role="alert"' in page.text
        assert "in a process of its own" not in page.text
        again = client.post(f"{path}/inspector")
        assert again.url.path == f"{path}/clusters/"
        until(client, f"{path}/clusters/", ["Records that look alike"])


def test_the_worker_opens_every_kind_of_page(result, tmp_path):
    cv.write_release(result, tmp_path / "made", allow_unsafe=True)
    steps = []

    class Tell:
        def progress(self, step, share):
            steps.append((step, share))

    places = {"published": "made", "private": "made.private", "folder": "kept"}
    job = {name: str(tmp_path / place) for name, place in places.items()} | {
        "meanings": "sample",
        "stamp": "1",
    }
    assert inspection_work.inspect(job, Tell()) == {}
    names = {file.name for file in (tmp_path / "kept").iterdir()}
    assert names == {"told.json", "hits.json", "people.json", "learned.npz", "words.npz", "ready"}
    assert len({step for step, _ in steps}) == len(steps) >= 4
    assert list(np.diff([share for _, share in steps]) > 0) == [True] * (len(steps) - 1)
