"""The whole way by links and forms alone, as a browser without scripts goes it: sets, a table, and what goes wrong."""

from __future__ import annotations

import io
import json
import os
import re
import zipfile

import pytest

import cloven as cv
from cloven.studio.forms import fields_of
from tests.unit.studio.studios import opened, until
from tests.unit.studio.test_workers import census

PLAIN = {"max_risk": "20", "max_tail": "1", "min_utility": "0", "effort": "quick"}
QUICK = "2 items of a person"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("studio") / "ws") as client:
        yield client


def attackers(page):
    return re.findall(r'name="known-threat" value="([^"]+)"', page)


def settled(client, name, content, form):
    """Upload a file, say how it is read, and wait for its page; gives its address."""
    page = client.post("/data/upload", files={"file": (name, content)})
    path = page.url.path
    until(client, path, ["Likely ways", "A table of persons"])
    client.post(f"{path}/reading", data=form)
    until(client, path, ["Who can be singled out"])
    return path


def audited(client, path, method, typed, *, every=False):
    """Protect and attack, by every attacker or by a quick one alone; gives the address of the run."""
    page = client.post(f"{path}/protect", data={"method": method, **typed})
    attack = page.url.path
    assert attack.endswith("/attack"), page.text
    known = attackers(page.text)
    client.post(attack, data={**PLAIN, "threat": known if every else [x for x in known if x == QUICK]})
    until(client, attack, ["To the verdict", "It failed"])
    return attack.removesuffix("/attack")


@pytest.fixture(scope="module")
def small_run(client):
    """A quick run on a few baskets, tried by the quickest attacker alone."""
    names = ["milk", "bread", "tea", "rice", "eggs", "beer"]
    lines = [",".join(sorted({names[i % 6], names[i * 5 % 6], names[i // 7 % 6]})) for i in range(80)]
    path = settled(client, "baskets.csv", "\n".join(lines).encode(), {"shape": "sets", "format": "lines"})
    return audited(client, path, "coat", COAT | {"name": "first"})


COAT = {"k": "3", "m": "2", "max_suppressed": "0", "reading": "subsets-too"}


@pytest.mark.slow
def test_the_sample_from_data_to_verdict(client):
    path = client.post("/data/sample").url.path
    until(client, path, ["Who can be singled out"])
    typed = {each.name: each.default for each in fields_of(cv.Disassociation)}
    sample_run = audited(client, path, "disassociation", typed | {"max_cluster_size": "120"}, every=True)
    assert 'id="verdict"' in client.get(sample_run).text
    number = int(sample_run.rpartition("/")[2])
    run = client.workspace.run(number)
    assert run.headline["setting"].startswith("disassociation:k=5,m=2")
    release = cv.read_release(run.published)
    assert release.records == 1000
    assert cv.verify_folder(run.published).ok
    document = json.loads((run.private / "audit.json").read_text())
    assert document["decision"]["verdict"] == run.headline["verdict"]
    assert not list(run.folder.glob("*.unfinished"))


def test_the_release_can_be_taken_home_and_the_key_only_with_a_word(client, small_run):
    packed = client.get(f"{small_run}/release.zip")
    names = zipfile.ZipFile(io.BytesIO(packed.content)).namelist()
    assert "release/published/manifest.json" in names
    assert not [name for name in names if "key" in name or "private" in name]
    assert client.get(f"{small_run}/key.zip").status_code == 405
    assert "undoes the whole release" in client.get(f"{small_run}/key").text
    assert client.post(f"{small_run}/key.zip", data={}).headers["content-type"].startswith("text/html")
    key = client.post(f"{small_run}/key.zip", data={"understood": "yes"})
    assert any("key" in name for name in zipfile.ZipFile(io.BytesIO(key.content)).namelist())
    number = int(small_run.rpartition("/")[2])
    assert [what for _, what in client.workspace.noted(number)] == ["key", "release"]
    assert list(client.workspace.passing.iterdir()) == []


def test_the_same_release_is_the_same_file_whenever_and_in_whichever_run_it_was_made(tmp_path):
    asked = {"release.zip": "get", "key.zip": "post"}
    with opened(tmp_path / "ws") as client:
        client.workspace.add_data("a", None, own=False)
        answers = []
        for made, mode in ((1_000_000_000, 0o600), (1_500_000_000, 0o644)):
            run = client.workspace.add_run(1, "a", "coat", {})
            for folder in (run.published, run.private):
                folder.mkdir(parents=True)
                (folder / "rows").write_bytes(b"flu,fever\n" * 9)
                (folder / "rows").chmod(mode)
                os.utime(folder / "rows", (made, made))
            answers.append(
                [
                    client.request(how, f"/runs/{run.number}/{name}", data={"understood": "yes"})
                    for name, how in asked.items()
                ]
            )
        for one, other in zip(*answers, strict=True):
            assert one.content == other.content
            assert one.headers["content-disposition"] == other.headers["content-disposition"]
            inside = zipfile.ZipFile(io.BytesIO(one.content)).infolist()
            assert [each.date_time for each in inside] == [(1980, 1, 1, 0, 0, 0)]
            assert zipfile.ZipFile(io.BytesIO(one.content)).read(inside[0]) == b"flu,fever\n" * 9


def test_reports_are_pages_of_their_own_without_scripts(client, small_run):
    for name in ("report.html", "public-report.html"):
        answer = client.get(f"{small_run}/{name}")
        assert answer.status_code == 200
        assert answer.headers["content-security-policy"].endswith("sandbox")
        assert "script-src" not in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("name", "content", "order"),
    [
        (
            "people.csv",
            census((100_000 + i % 300 for i in range(600)), "fnlwgt,occupation"),
            ["table", "sets"],
        ),
        (
            "orders.csv",
            "order;article\n" + "".join(f"{i // 3};a{i * 7 % 40}\n" for i in range(90)),
            ["sets", "table"],
        ),
    ],
)
def test_the_likely_reading_comes_first_and_has_the_button_that_stands_out(client, name, content, order):
    path = client.post("/data/upload", files={"file": (name, content)}).url.path
    page = until(client, path, ["Likely ways"]).text
    assert re.findall(r'id="(sets|table)-title"', page) == order
    first, second = page.split("</section>")[-3:-1]
    assert 'class="primary"' in first
    assert 'class="primary"' not in second


def test_the_stream_of_a_finished_run_ends(client, small_run):
    answer = client.get(f"{small_run}/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert "event: end" in answer.text


def test_runs_are_named_compared_and_deleted_for_good(client, small_run):
    client.post(f"{small_run}/name", data={"name": "the <b>first</b>"})
    page = client.get(small_run).text
    assert "the &lt;b&gt;first&lt;/b&gt;" in page
    assert "<b>first" not in page
    data = client.workspace.run(int(small_run.rpartition("/")[2])).data
    other = audited(client, f"/data/{data}", "coat", COAT | {"k": "4", "m": "1"})
    numbers = [path.rpartition("/")[2] for path in (small_run, other)]
    page = client.get("/compare", params={"run": [*numbers, "999", "x"]}).text
    assert "coat:k=4" in page
    assert 'aria-label="Risk against utility of 2 settings' in page
    client.get(f"{small_run}/release.zip")
    assert "was downloaded before" in client.get(other).text
    run = client.workspace.run(int(numbers[1]))
    assert "for good" in client.get(f"{other}/delete").text
    assert run.private.is_dir()
    client.post(f"{other}/delete")
    assert not run.folder.exists()
    assert client.get(other).status_code == 404


@pytest.mark.parametrize(
    "name",
    [
        "../../escape.csv",
        "/etc/passwd.csv",
        "..\\..\\x.csv",
        "a\x00b.csv",
        "\u202egnp.csv",
        "x" * 500 + ".csv",
    ],
)
def test_names_of_files_are_never_paths(client, name):
    page = client.post("/data/upload", files={"file": (name, b"a,b\nb\n")})
    number = int(page.url.path.rpartition("/")[2])
    data = client.workspace.data(number)
    assert data.place == str(client.workspace.data_folder(number) / "data.csv")
    assert not set(data.name) & set("/\\\u202e\x00")
    client.post(f"/data/{number}/delete")


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "choose a file first"),
        ({"file": ("noending", b"a")}, "has no ending"),
        ({"file": ("a.csv", b"")}, "is empty"),
    ],
)
def test_a_bad_upload_is_told_beside_its_field(client, files, says):
    before = len(client.workspace.all_data())
    answer = client.post("/data/upload", files=files or {"other": b""})
    assert answer.status_code == 422
    assert re.search(f'data-error="file"[^>]*>[^<]*{says}', answer.text)
    assert len(client.workspace.all_data()) == before


@pytest.mark.parametrize("path", ["", "relative.csv", "/no/such/file.csv", "/", "/dev/null", "/tmp/\x00"])  # noqa: S108
def test_a_bad_path_is_told_beside_its_field(client, path):
    answer = client.post("/data/file", data={"path": path})
    assert answer.status_code == 422
    assert re.search('data-error="path"[^>]*>[^<]*no such file', answer.text)


def test_a_file_on_this_machine_stays_where_it_is(client, tmp_path):
    file = tmp_path / "baskets.csv"
    file.write_text("milk,bread\nmilk\nbread,tea\n" * 20)
    path = client.post("/data/file", data={"path": str(file)}).url.path
    until(client, path, ["Likely ways"])
    client.post(f"{path}/reading", data={"shape": "sets", "format": "lines", "delimiter": ","})
    until(client, path, ["Who can be singled out"])
    client.post(f"{path}/delete")
    assert file.read_text().startswith("milk")


def test_a_file_that_cannot_be_read_says_why_and_the_app_lives(client):
    path = client.post("/data/upload", files={"file": ("a.parquet", b"PAR1" + bytes(range(256)))}).url.path
    page = until(client, path, ["could not be read"])
    assert 'role="alert"' in page.text
    assert client.get("/").status_code == 200


def test_a_text_that_cannot_be_read_as_it_is_can_be_read_another_way(client):
    path = client.post("/data/upload", files={"file": ("a.csv", b'a;"b\nb;c"d\n"e;f\n' * 3)}).url.path
    page = until(client, path, ["Another way"])
    assert "How it begins" in page.text
    assert client.workspace.data(int(path.rpartition("/")[2])).state == "unsure"


@pytest.mark.slow
def test_options_of_reading_that_cannot_be_are_told(client):
    path = settled(client, "b.csv", b"a;b\nb;c\n" * 9, {"shape": "sets", "format": "lines", "delimiter": ";"})
    answer = client.post(f"{path}/reading", data={"shape": "sets", "delimiter": "long one"})
    assert answer.status_code == 422
    assert re.search('data-error="delimiter"[^>]*>[^<]*one ASCII character', answer.text)


def test_what_is_typed_badly_is_told_beside_its_field(client, small_run):
    data = client.workspace.run(int(small_run.rpartition("/")[2])).data
    answer = client.post(f"/data/{data}/protect", data={"method": "disassociation", "k": "x"})
    assert answer.status_code == 422
    assert re.search('data-error="k"[^>]*>must be a whole number', answer.text)
    usual = COAT | {"k": "5"}
    told = client.get(f"/data/{data}/meaning", params={"method": "coat", **usual, "k": "1"}).json()
    assert list(told["errors"]) == ["k"]
    told = client.get(f"/data/{data}/meaning", params={"method": "coat", **usual}).json()
    assert told["errors"] == {}
    assert "at least 5 people" in told["sentences"][0]
    page = client.post(f"/data/{data}/protect", data={"method": "coat", **usual})
    answer = client.post(page.url.path, data={**PLAIN, "max_risk": "200"})
    assert answer.status_code == 422
    assert re.search('data-error="max_risk"[^>]*>must be a share', answer.text)
    answer = client.post(page.url.path, data={**PLAIN, "relatedness": "vectors:/no/such"})
    assert re.search('data-error="relatedness"[^>]*>[^<]*no file or folder', answer.text)


@pytest.mark.parametrize(
    "path",
    [
        "/data/999",
        "/runs/999",
        "/runs/999/events",
        "/runs/999/release.zip",
        "/what",
        *(f"/{kind}/{'9' * 30}" for kind in ("data", "runs", "searches")),
    ],
)
def test_what_is_not_there_is_said_so(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "Nothing is here" in answer.text


@pytest.mark.parametrize("number", ["²", "-1", "9" * 900])
def test_numbers_that_no_run_can_have_are_no_fault_of_the_studio(client, number):
    assert client.get(f"/runs/{number}/clusters/").status_code == 404
    assert client.get("/compare", params={"run": number}).status_code == 200
    data = client.post("/data/sample").url.path
    until(client, data, ["Who can be singled out"])
    assert client.get(f"{data}/protect", params={"from": number}).status_code == 200


@pytest.mark.slow
def test_a_setting_that_cannot_be_met_fails_with_its_reason(client):
    path = settled(client, "c.csv", b"a;b\nb;c\n" * 3, {"shape": "sets", "format": "lines", "delimiter": ";"})
    run = audited(client, path, "coat", COAT | {"k": "50"})
    page = client.get(f"{run}/attack").text
    assert "It failed" in page
    assert 'role="alert"' in page
