"""A search in the studio: every setting that was tried is a point, and every point a form to take up."""

from __future__ import annotations

import re
from urllib.parse import parse_qs

import pytest

import cloven as cv
from cloven.settings import setting
from cloven.studio.forms import form_of, made
from tests.unit.studio.studios import opened, until
from tests.unit.studio.test_desk import BASKETS, read_as_sets

pytest.importorskip("optuna", reason="optuna is not installed (extra `tune`)")

WANTED = {"k": "3", "m": "2", "trials": "2", "max_risk": "20", "min_utility": "0"}


@pytest.mark.parametrize(
    "name",
    [
        "disassociation:k=5,m=2",
        "disassociation:k=7,m=1,max_cluster_size=none,safe=cover",
        "coat:k=4,m=3",
        "slicing:k=6,l=3",
        "mondrian:k=5,l=2,mode=relaxed",
        "slicing:k=6,l=4,columns=age+sex/work",
        "slicing:k=6,l=4,columns=3",
    ],
)
def test_a_setting_is_taken_up_as_it_is(name):
    typed = {key: values[0] for key, values in parse_qs(form_of(name), keep_blank_values=True).items()}
    method = typed.pop("method")
    shape = "sets" if method in ("disassociation", "coat") else "table"
    built, told = made(shape, method, typed)
    assert told.errors == {}
    assert setting(built) == name


def test_what_cannot_be_typed_is_not_offered():
    assert form_of("no-such-method:k=3") is None
    assert form_of("coat:k=none") is None
    items = frozenset({"flu", "gout"})
    assert form_of(setting(cv.Disassociation(sensitive=items))) is None, (
        "its name does not say which they are"
    )


def test_bad_wishes_are_told_beside_their_fields(tmp_path):
    with opened(tmp_path / "ws") as client:
        path = read_as_sets(
            client, client.post("/data/upload", files={"file": ("baskets.csv", BASKETS)}).url.path
        )
        answer = client.post(f"{path}/tune", data={**WANTED, "k": "1", "trials": "many"})
        assert answer.status_code == 422
        assert re.search('data-error="k"[^>]*>must be from 2', answer.text)
        assert re.search('data-error="trials"[^>]*>must be a whole number', answer.text)
        assert client.workspace.searches_of(1) == []


@pytest.mark.slow
def test_a_search_grows_is_stopped_goes_on_and_is_deleted(tmp_path):
    with opened(tmp_path / "ws") as client:
        path = read_as_sets(
            client, client.post("/data/upload", files={"file": ("baskets.csv", BASKETS)}).url.path
        )
        page = client.post(f"{path}/tune", data=WANTED).url.path
        until(client, page, ["Take it"], 300)
        client.post(f"{page}/cancel")
        tried = client.workspace.search(1).found
    with opened(tmp_path / "ws") as client:
        client.post(f"{page}/go-on")
        shown = until(client, page, ["Finished"], 300).text
        done = client.workspace.search(1)
        assert len(done.found["rows"]) == 2
        assert done.found["rows"][: len(tried["rows"])][0]["setting"] == tried["rows"][0]["setting"]
        address = re.search(r'data-take="1" href="([^"]+)"', shown)[1].replace("&amp;", "&")
        assert 'id="k"' in client.get(address).text
        client.post(f"{page}/delete")
        assert not done.folder.exists()
        assert client.get(page).status_code == 404
