"""Full disks, stubborn folders, impatient owners, two tabs: the studio says what is the matter, and keeps its word."""

from __future__ import annotations

import errno
import os
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from cloven.studio import data_views, decide_views
from cloven.studio.access import Access
from tests.unit.studio.studios import COOKIE, opened, until
from tests.unit.studio.test_desk import BASKETS, WANTED, planned
from tests.unit.studio.test_looking_inside import finished

PEOPLE = "age,sex,illness\n" + "\n".join(
    f"{20 + i % 40},{'fm'[i % 2]},{['flu', 'gout', 'mumps', 'zoster'][i * 7 % 4]}" for i in range(120)
)


def full(*_given, **_named):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    "other", ['prefs={"a":1,"b":[2]}', "odd=a b c", 'open="x', "list[0]=1", "alone", "=", "caf\u00e9=1"]
)
@pytest.mark.parametrize("first", [True, False])
def test_cookies_of_other_servers_on_this_machine_lock_nobody_out(tmp_path, other, first):
    """Cookies know no ports: a browser sends those of every server on 127.0.0.1."""
    with opened(tmp_path / "ws") as client:
        ours = f"{COOKIE}={client.cookies[COOKIE]}"
        client.cookies.clear()
        sent = f"{other}; {ours}" if first else f"{ours}; {other}"
        assert client.get("/", headers={"cookie": sent.encode("latin-1")}).status_code == 200
        assert client.get("/", headers={"cookie": other.encode("latin-1")}).status_code == 401


def test_a_stale_cookie_of_the_same_name_locks_nobody_out(tmp_path):
    with opened(tmp_path / "ws") as client:
        ours = f"{COOKIE}={client.cookies[COOKIE]}"
        client.cookies.clear()
        for sent in (f"{COOKIE}=stale; {ours}", f"{ours}; {COOKIE}=stale"):
            assert client.get("/", headers={"cookie": sent}).status_code == 200


def test_a_full_disk_is_told_and_leaves_no_half_of_an_upload(tmp_path, monkeypatch):
    with opened(tmp_path / "ws") as client:
        with monkeypatch.context() as patched:
            patched.setattr(data_views.shutil, "copyfileobj", full)
            answer = client.post("/data/upload", files={"file": ("baskets.csv", BASKETS)})
        assert answer.status_code == 507
        assert "The disk is full" in answer.text
        assert list(client.workspace.passing.iterdir()) == []
        assert client.workspace.all_data() == []


@pytest.mark.slow
def test_a_full_disk_leaves_no_half_of_a_key(tmp_path, monkeypatch):
    with opened(tmp_path / "ws") as client:
        path = finished(client)
        with monkeypatch.context() as patched:
            patched.setattr(decide_views.shutil, "copyfileobj", full)
            answer = client.post(f"{path}/key.zip", data={"understood": "yes"})
        assert answer.status_code == 507
        assert list(client.workspace.passing.iterdir()) == []
        assert client.workspace.noted(1) == [], "nothing was handed out"
        assert client.post(f"{path}/key.zip", data={"understood": "yes"}).status_code == 200
        assert [what for _, what in client.workspace.noted(1)] == ["key"]


@pytest.mark.slow
def test_what_cannot_be_deleted_is_not_called_deleted(tmp_path, monkeypatch):
    with opened(tmp_path / "ws") as client:
        path = planned(client)
        folder = client.workspace.run(1).folder
        with monkeypatch.context() as patched:
            patched.setattr(shutil, "rmtree", lambda *_given, **_named: None)
            for what in (path, "/data/1"):
                answer = client.post(f"{what}/delete")
                assert answer.status_code == 500
                assert "could not be deleted" in answer.text
        assert folder.exists()
        assert client.workspace.run(1) is not None
        client.post("/data/1/delete")
        assert not folder.exists()


@pytest.mark.slow
def test_the_last_of_two_readings_is_the_one_that_counts(tmp_path):
    with opened(tmp_path / "ws") as client:
        path = client.post("/data/upload", files={"file": ("people.csv", PEOPLE.encode())}).url.path
        until(client, path, ["Read it as this table"])
        schema = client.workspace.data(1).looked["table"]["toml"]
        client.post(f"{path}/reading", data={"shape": "table", "schema": schema})
        client.post(f"{path}/reading", data={"shape": "sets", "format": "lines", "delimiter": ","})
        assert len([key for key in client.desk._workers if key == "data/1"]) <= 1
        until(client, path, ["Who can be singled out"])
        data = client.workspace.data(1)
        assert (data.reading.shape, data.summary["shape"]) == ("sets", "sets")


@pytest.mark.slow
def test_a_run_that_is_started_twice_works_once(tmp_path):
    with opened(tmp_path / "ws") as client:
        path = planned(client)
        begun = []
        begin = client.desk._begin
        client.desk._begin = lambda key, work: (begun.append(key), begin(key, work))
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: client.post(f"{path}/attack", data=WANTED).status_code, range(4)))
        assert begun == ["runs/1"]
        client.post(f"{path}/cancel")
        assert client.workspace.run(1).state == "cancelled"


def test_guesses_at_the_password_wait_for_each_other():
    access = Access(COOKIE)
    access.set_password("a long password")
    tried = []
    answer = access._matches

    def counted(password):
        tried.append(password)
        return answer(password)

    access._matches = counted
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(access.answer, [f"wrong password {number}" for number in range(8)])) == {None}
    assert len(tried) == 1, "the others came while one had just been wrong"


@pytest.mark.parametrize("asked", ["bytes=99999999-", "nonsense", "bytes=0-3", "bytes=0-1,3-4"])
def test_no_archive_stays_whatever_part_of_it_is_asked_for(tmp_path, asked):
    with opened(tmp_path / "ws") as client:
        client.workspace.add_data("a", None, own=False)
        run = client.workspace.add_run(1, "a", "coat", {})
        for folder in (run.published, run.private):
            folder.mkdir(parents=True)
            (folder / "file").write_bytes(b"x" * 1_000)
        for answer in (
            client.get("/runs/1/release.zip", headers={"range": asked}),
            client.post("/runs/1/key.zip", data={"understood": "yes"}, headers={"range": asked}),
        ):
            assert answer.status_code in (200, 206, 400, 416)
            assert list(client.workspace.passing.iterdir()) == []


@pytest.mark.slow
def test_files_of_a_run_that_are_damaged_or_gone_are_told(tmp_path):
    with opened(tmp_path / "ws") as client:
        path = finished(client)
        run = client.workspace.run(1)
        figures = (run.private / "audit.json").read_bytes()
        for content in (b"", figures[:1000], b"\xff" + figures, b"[]"):
            (run.private / "audit.json").write_bytes(content)
            for page in (path, "/compare?run=1&run=1"):
                answer = client.get(page)
                assert answer.status_code == 500
                assert "The figures of this run are damaged" in answer.text
        (run.private / "audit.json").unlink()
        assert client.get(path).status_code == 404
        (run.published / "manifest.json").unlink()
        answer = client.get(f"{path}/clusters/")
        assert answer.status_code == 404
        assert "it has no release" in answer.text
        shutil.rmtree(run.folder)
        for page in (f"{path}/clusters/", path, f"{path}/release.zip", f"{path}/key", f"{path}/report.html"):
            assert client.get(page).status_code == 404
        assert client.get("/runs").status_code == 200
        client.post(f"{path}/delete")
        assert client.workspace.run(1) is None
