"""The pages of the inspector: what they show, that they harm nobody, and what they say to absurd addresses."""

from __future__ import annotations

import html
import random
import re
import warnings
from html.parser import HTMLParser
from urllib.parse import urlencode

import pyarrow as pa
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

import cloven as cv
from cloven.studio.inspection.drawer import Drawer
from cloven.studio.inspector import RELEASES, Shelf, inspector_routes

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # newer versions would rather have httpx2 than httpx; either will do
    from starlette.testclient import TestClient

HOSTILE = (
    "<script>alert(1)</script>", "=cmd()|' /C calc'!A0", "\u202etxt.exe\u202c", 'a" onclick="x', "{{ 7 * 7 }}", "a&b",
)  # fmt: skip

NINE = ["pain", "back", "hip", "skin", "eye", "child", "work", "ache", "stress"]


def hostile_data():
    rng = random.Random(5)
    names = [f"{hostile}{number}" if number else hostile for hostile in HOSTILE for number in range(4)]
    weights = [1 / (place + 1) for place in range(len(names))]
    rng.shuffle(names)
    return cv.Transactions.from_records(
        [set(rng.choices(names, weights, k=rng.choice((1, 2, 4, 6)))) for _ in range(150)]
    )


def people():
    rng = random.Random(3)
    rows = {
        "age": [rng.randint(20, 70) for _ in range(120)],
        "town <b>": [rng.choice(("Graz", "Linz <i>", "Wien")) for _ in range(120)],
        "illness": [rng.choice(("flu", "gout", "mumps", "<script>")) for _ in range(120)],
    }
    return cv.read_table(pa.table(rows), cv.Schema.of(["age", "town <b>"], ["illness"]))


@pytest.fixture(scope="module")
def results():
    clinic = cv.sample("clinic")
    return {
        "papers": cv.Disassociation(k=5, m=2, rare_items="cluster").anonymise(clinic),
        "root": cv.Disassociation(k=5, m=2).anonymise(clinic),
        "hostile": cv.Disassociation(k=3, m=2, rare_items="cluster").anonymise(hostile_data()),
        "sliced": cv.Slicing(k=5, l=2, seed=1).anonymise(people()),
        "blurred": cv.Pcta(k=4, m=1).anonymise(hostile_data()),
        "coarse": cv.Mondrian(k=5, l=2).anonymise(people()),
    }


@pytest.fixture(scope="module")
def client(results):
    def open_release(run):
        name, _, kept = run.partition("-")
        if name not in results:
            return None
        return results[name].release, None if kept == "public" else results[name].key

    mounted = Mount("/runs/{run}/clusters", routes=inspector_routes(open_release))
    with TestClient(Starlette(routes=[mounted])) as made:
        yield made


def page(client, run, path="", status=200, **query):
    found = client.get(f"/runs/{run}/clusters/{path}?{urlencode(query, doseq=True)}")
    assert found.status_code == status, found.text[-400:]
    return found.text


def part_of(text):
    return re.findall(r"part=(\d+(?:\.\d+)?)", text)


PAGES = [
    ("papers", "", {}),
    ("papers", "", {"by": "covers", "truth": 1}),
    ("papers", "", {"by": "hits", "truth": 1}),
    ("papers", "8", {"know": ["insomnia", "divorce"], "truth": 1, "rebuild": 1}),
    ("root", "3", {"all": 1, "rebuild": 1, "attack": "method"}),
    ("root", "known", {"know": "pain"}),
    ("root", "people", {"truth": 1}),
    ("root", "people", {}),
    ("hostile", "0", {"know": [HOSTILE[0], HOSTILE[2]], "truth": 1, "rebuild": 1}),
    ("hostile", "known", {"know": HOSTILE[3]}),
    ("sliced", "", {}),
    ("sliced", "0", {"truth": 1}),
    ("sliced", "known", {"q.age": "30", "q.town <b>": "Linz <i>"}),
    ("coarse", "1", {"truth": 1}),
    ("coarse", "known", {"q.town <b>": "Graz"}),
    ("blurred", "", {}),
    ("blurred", "0", {"know": HOSTILE[0], "truth": 1}),
    ("blurred", "known", {"know": HOSTILE[2]}),
    ("papers", "99999", {}),
    ("papers", "x", {}),
]


class Faults(HTMLParser):
    """Collects what a strict policy forbids, and what people who listen would miss."""

    def __init__(self):
        super().__init__()
        self.found, self.ids, self.labels, self.fields, self.heads = [], [], set(), [], []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids += [given["id"]] if "id" in given else []
        if tag in ("script", "style", "iframe", "object") or "style" in given:
            self.found.append((tag, given))
        self.found += [(tag, name) for name in given if name.startswith("on")]
        for name in ("href", "src", "action"):
            if name in given and not re.match(r"/runs/|#|data:,$", given[name] or ""):
                self.found.append((tag, given[name]))
        if tag == "label":
            self.labels.add(given.get("for"))
        if tag in ("select", "input") and given.get("type") not in ("hidden", "checkbox"):
            self.fields.append(given.get("id"))
        if re.fullmatch("h[1-6]", tag):
            self.heads.append(int(tag[1]))


@pytest.mark.parametrize(("run", "path", "query"), PAGES)
def test_pages_are_plain_and_can_be_listened_to(client, run, path, query):
    status = {"99999": 404, "x": 400}.get(path, 200)
    text = page(client, run, path, status, **query)
    faults = Faults()
    faults.feed(text)
    assert faults.found == []
    assert len(faults.ids) == len(set(faults.ids))
    assert set(faults.fields) <= faults.labels
    assert faults.heads[0] == 1
    assert faults.heads.count(1) == 1
    assert all(later - sooner <= 1 for sooner, later in zip(faults.heads, faults.heads[1:], strict=False))
    assert text.count("<table") == text.count('class="wide"')
    assert "<script>alert" not in text
    assert "\u202e" not in re.sub(r'value="[^"]*"', "", text)


@pytest.mark.parametrize(
    ("run", "path", "query"), [each for each in PAGES if each[0] in ("papers", "hostile", "sliced")]
)
def test_every_link_leads_somewhere(client, run, path, query):
    status = {"99999": 404, "x": 400}.get(path, 200)
    links = dict.fromkeys(re.findall(r'href="(/runs/[^"#]*)', page(client, run, path, status, **query)))
    for link in list(links)[:: max(1, len(links) // 12)]:
        assert client.get(html.unescape(link)).status_code == 200, link


def test_hostile_names_are_shown_and_sent_back_as_they_are(client):
    text = page(client, "hostile", "0")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "⟨U+202E⟩txt.exe" in text
    assert part_of(text), "there is nothing to attach"
    sent = {html.unescape(value) for value in re.findall(r'name="know" value="([^"]*)"', text)}
    assert sent <= set(hostile_data().vocabulary)
    assert any("\u202e" in item for item in sent)
    for item in sorted(sent)[:8]:
        assert "candidates" in page(client, "hostile", "0", know=item)
    assert "49" not in re.findall(r"<bdi>[^<]*</bdi>", page(client, "hostile", "known", know=HOSTILE[4]))


def test_a_part_is_attached_and_judged(client):
    part = part_of(page(client, "papers", "8"))[0]
    text = page(client, "papers", "8", part=part)
    assert "Guessing gives each place" in text
    assert "In truth" not in text
    assert "In truth" in page(client, "papers", "8", part=part, truth=1)
    term = next(each for each in part_of(page(client, "papers", "8")) if "." in each)
    assert "an unknown number of records" in page(client, "papers", "8", part=term)
    assert "attack=method" in page(client, "papers", "8", part=part, attack="method")


def test_cover_problems_are_marked_with_their_sentence(client, results):
    from cloven.kinds.disassociated.covers.covers import covers

    found = list(covers(results["papers"].release))
    number = found[0].cluster
    text = page(client, "papers", str(number))
    here = [each for each in found if each.cluster == number]
    assert text.count("of this cluster hold") == len(here)
    assert all(f"hold {each.item} together with" in text for each in here)
    assert 'href="#covers"' in text


def test_the_truth_is_off_by_default_and_needs_the_key(client):
    assert "Show the truth" in page(client, "papers")
    text = page(client, "papers-public")
    assert "truth" not in text.lower()
    assert "the key of this run is not here" in page(client, "papers-public", "8", 404, truth=1).lower()
    assert "owner&#39;s to know" in page(client, "papers", "", 400, by="hits")
    people_page = page(client, "papers", "people")
    assert "Record" not in people_page


def test_without_the_truth_a_page_is_the_same_for_everybody(client):
    """The owner's page without the truth says nothing that it does not say without the key."""
    for path, query in (("8", {"know": "insomnia", "rebuild": 1}), ("known", {"know": "pain"}), ("", {})):
        own, other = (page(client, run, path, **query) for run in ("papers", "papers-public"))
        both = [
            re.sub(r"<nav aria-label=\"Inspector\">.*?</nav>", "", text, flags=re.DOTALL)
            for text in (own, other)
        ]
        assert both[0] == both[1].replace("papers-public", "papers")


@pytest.mark.parametrize(
    ("run", "path", "query", "status", "words"),
    [
        ("nobody", "", {}, 404, "There is no such run"),
        ("papers", "21", {}, 404, "There is no cluster 21"),
        ("papers", "-1", {}, 400, "whole number"),
        ("papers", "9" * 400, {}, 400, "whole number"),
        ("papers", "½", {}, 400, "whole number"),
        ("papers", "", {"page": 99}, 404, "There is no page 99"),
        ("papers", "", {"page": 0}, 404, "There is no page 0"),
        ("papers", "", {"by": "luck"}, 400, "cannot be put in the order"),
        ("papers", "3", {"part": "abc"}, 400, "whole number"),
        ("papers", "3", {"part": "999999"}, 404, "has no row 999999"),
        ("papers", "3", {"attack": "magic"}, 400, "No attack is called"),
        ("papers", "3", {"know": "a unicorn"}, 400, "does not contain"),
        (
            "papers",
            "3",
            {"know": NINE},
            400,
            "up to 8",
        ),
        ("blurred", "9999", {}, 404, "There is no group 9,999"),
        ("blurred", "", {"by": "luck"}, 400, "cannot be put in the order"),
        ("blurred", "people", {}, 404, "no list of people"),
        ("sliced", "9999", {}, 404, "There is no group 9,999"),
        ("sliced", "0", {"column": 9}, 404, "column 9"),
        ("sliced", "people", {"truth": 1}, 404, "no list of people"),
        ("sliced", "known", {"q.age": "old"}, 400, "must be a number"),
        ("sliced", "known", {"q.wage": "1"}, 400, "Nobody is known by"),
        ("sliced", "", {"attribute": "age"}, 400, "No sensitive attribute"),
    ],
)
def test_absurd_addresses_get_a_page_in_words(client, run, path, query, status, words):
    text = html.unescape(page(client, run, path, status, **query))
    assert words.lower() in text.lower()
    assert "<h1>" in text


def test_releases_are_arranged_once_and_few_are_kept(results):
    shelf, made = Shelf(), results["root"]
    first = shelf.take("a", made.release, made.key, None, Drawer())
    assert shelf.take("a", made.release, made.key, None, Drawer()) is first
    assert shelf.take("a", made.release, None, None, Drawer()) is not first, "another key is another page"
    for number in range(RELEASES):
        shelf.take(str(number), made.release, made.key, None, Drawer())
    assert len(shelf.held) == RELEASES
    assert "a" not in shelf.held


def test_kinds_without_groups_say_so():
    routes = inspector_routes(lambda _run: (object(), None))
    with TestClient(Starlette(routes=[Mount("/runs/{run}/clusters", routes=routes)])) as client:
        found = client.get("/runs/1/clusters/")
    assert found.status_code == 404
    assert "the report tells" in found.text


def test_what_words_mean_is_tried_where_there_is_something_to_try_it_with(results):
    made = results["root"]
    routes = inspector_routes(
        lambda _run: (made.release, None), relatedness=lambda _run: cv.relatedness.Vectors.sample()
    )
    with TestClient(Starlette(routes=[Mount("/runs/{run}/clusters", routes=routes)])) as client:
        text = client.get("/runs/1/clusters/3").text
        part = part_of(text)[0]
        assert "how related words are" in text
        assert client.get(f"/runs/1/clusters/3?part={part}&attack=words").status_code == 200
