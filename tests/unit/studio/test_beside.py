"""Two releases of the same people: what was downloaded speaks against the next one, as on the command line."""

from __future__ import annotations

import json

import pytest

from cloven.storage.ledger_file import Entry
from tests.unit.studio.studios import opened, until
from tests.unit.studio.test_desk import BASKETS, COAT, WANTED, planned, read_as_sets

LOOSE = {**WANTED, "max_risk": "100", "max_tail": "100", "effort": "full"}
UNTRIED = "was downloaded and not tried with this one"


def attacked(client, data, k, **more):
    """A finished run, in which every attacker is tried and nearly everything is accepted."""
    answer = client.post(f"{data}/protect", data={"method": "coat", **COAT, "k": k})
    path = answer.url.path.removesuffix("/attack")
    client.post(f"{path}/attack", data={**LOOSE, **more})
    until(client, f"{path}/attack", ["To the verdict"])
    return path


def verdict(client, path):
    """As the page, the list and the document say it."""
    text, listed = client.get(path).text, client.get("/runs").text
    row = listed[listed.index(f'href="{path}"') :].partition("</tr>")[0]
    document = json.loads((client.workspace.run(number(path)).private / "audit.json").read_text())
    page = "Do not publish" if "Do not publish" in text.partition("</h2>")[0] else "Publish"
    return page, "Do not publish" if "Do not publish" in row else "Publish", document["decision"]["verdict"]


def number(path):
    return int(path.rpartition("/")[2])


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("beside") / "ws") as client:
        yield client


@pytest.fixture(scope="module")
def data(client):
    client.post(f"{planned(client)}/delete")
    return "/data/1"


@pytest.fixture(scope="module")
def two(client, data):
    return attacked(client, data, "3"), attacked(client, data, "5")


def test_both_could_be_published_as_long_as_none_was(client, two):
    for path in two:
        assert verdict(client, path) == ("Publish", "Publish", "publish")


@pytest.mark.slow
def test_what_is_downloaded_speaks_against_the_others(client, data, two):
    first, second = two
    assert client.get(f"{first}/release.zip").status_code == 200
    assert verdict(client, first) == ("Publish", "Publish", "publish")
    assert verdict(client, second) == ("Do not publish", "Do not publish", "publish"), "it was written before"
    assert UNTRIED in client.get(second).text
    third = attacked(client, data, "6")
    assert verdict(client, third) == ("Do not publish", "Do not publish", "do not publish")
    assert UNTRIED in (client.workspace.run(number(third)).private / "report.html").read_text()
    tried = attacked(client, data, "7", other=str(number(first)))
    assert UNTRIED not in client.get(tried).text
    same = attacked(client, data, "3")
    assert verdict(client, same) == ("Publish", "Publish", "publish"), "the same release tells nothing more"


@pytest.mark.slow
def test_the_same_file_under_another_name_is_the_same_data(client, two):
    client.get(f"{two[0]}/release.zip")
    path = planned(client)
    client.post(f"{path}/delete")
    again = attacked(client, f"/data/{client.workspace.all_data()[0].number}", "5")
    assert verdict(client, again) == ("Do not publish", "Do not publish", "do not publish")
    data = f"/data/{client.workspace.all_data()[0].number}"
    tried = attacked(client, data, "6", other=[str(each) for each in sorted(client.workspace.handed_out())])
    assert UNTRIED not in client.get(tried).text


def test_who_asks_whether_a_release_is_there_does_not_get_it(client, data):
    path = attacked(client, data, "8")
    assert client.head(f"{path}/release.zip").status_code == 200
    assert client.workspace.noted(number(path)) == []


def test_a_release_that_is_downloaded_in_spite_of_its_verdict_counts(client, data):
    path = attacked(client, data, "4", max_risk="0")
    run = client.workspace.run(number(path))
    assert Entry.at(run.private).published is None
    for _ in range(2):
        client.get(f"{path}/release.zip")
    assert [each.verdict for each in Entry.at(run.private).notes] == ["do not publish", ""]


@pytest.mark.parametrize("other", ["999", "no number"])
def test_a_release_that_is_gone_is_not_silently_left_out(client, data, other):
    answer = client.post(f"{data}/protect", data={"method": "coat", **COAT})
    form = client.post(answer.url.path, data={**LOOSE, "other": other})
    assert form.status_code == 422
    assert "has no release that attackers could have" in form.text


def test_a_release_that_goes_while_a_run_waits_fails_it(client, data, two):
    path = client.post(f"{data}/protect", data={"method": "coat", **COAT}).url.path.removesuffix("/attack")
    wanted = {"runs": [999], "max_risk": 1.0, "max_tail": 1.0, "min_utility": 0.0}
    client.workspace.change_work("runs", number(path), "cancelled", wanted=wanted)
    client.post(f"{path}/go-on")
    page = until(client, f"{path}/attack", ["It failed"])
    assert "run 999, whose release attackers were to have, is gone" in page.text


def test_deleting_says_that_the_studio_forgets_what_was_downloaded(client, data, two):
    client.get(f"{two[0]}/release.zip")
    for path in (two[0], data):
        assert "was downloaded" in client.get(f"{path}/delete").text
    fresh = client.post(f"{data}/protect", data={"method": "coat", **COAT}).url.path.removesuffix("/attack")
    assert "was downloaded" not in client.get(f"{fresh}/delete").text


@pytest.mark.slow
def test_runs_on_a_file_that_changed_between_them_are_of_different_data(tmp_path):
    different = "These runs are on different data"
    file = tmp_path / "baskets.csv"
    file.write_bytes(BASKETS)
    with opened(tmp_path / "ws") as client:
        path = read_as_sets(client, client.post("/data/file", data={"path": str(file)}).url.path)
        runs = [attacked(client, path, "3"), attacked(client, path, "5")]
        numbers = [str(number(each)) for each in runs]
        assert different not in client.get("/compare", params={"run": numbers}).text
        file.write_bytes(BASKETS * 2)
        numbers.append(str(number(attacked(client, path, "5"))))
        assert different in client.get("/compare", params={"run": numbers}).text
