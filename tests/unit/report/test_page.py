"""The page: what it says, what it hides, and what it makes of hostile names."""

from __future__ import annotations

import itertools
import re
import stat
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import cloven as cv
from cloven.disclosure.outcome import Measured, Utility
from cloven.disclosure.risk import Estimate
from cloven.errors import InputError, OutputError
from cloven.kinds.transactions import HEADLINE
from cloven.report.page import page, save_page

EVIL = "<script>alert(1)</script>"


class Reader(HTMLParser):
    """All tags with their attributes, and all text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


def put_in(plain, name):
    """The document with every text of it replaced, where a text may be anything."""
    if isinstance(plain, dict):
        fixed = {"format", "audience", "verdict", "linkage", "withheld", "level", "version"}
        return {key: value if key in fixed else put_in(value, name) for key, value in plain.items()}
    if isinstance(plain, list):
        return [put_in(value, name) for value in plain]
    return f"{name} {plain}" if isinstance(plain, str) and plain else plain


def test_verdict_is_colour_icon_and_word(owner):
    words = {
        "publish": ("good", "Publish"),
        "change settings": ("change", "Change these settings"),
        "use another method": ("other", "Use that method instead"),
        "do not publish": ("bad", "Do not publish"),
    }
    for verdict, (tone, word) in words.items():
        owner["decision"]["verdict"] = verdict
        assert re.search(
            rf'class="card verdict {tone}".*?<svg class="icon".*?</svg>{word}</h2>', page(owner), re.DOTALL
        )


def test_nothing_is_loaded_and_nothing_can_run(owner):
    read = Reader(page(owner))
    assert not {"script", "iframe", "object", "embed", "base", "form", "img"} & {tag for tag, _ in read.tags}
    for _, attributes in read.tags:
        assert not [key for key in attributes if key.startswith("on")]
        for key in ("src", "href", "action", "xlink:href"):
            assert attributes.get(key, "#").startswith(("#", "data:,"))
    policy = next(a["content"] for tag, a in read.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy
    assert "url(" not in page(owner)


def test_headings_and_anchors_are_in_order(owner):
    read = Reader(page(owner))
    levels = [int(tag[1]) for tag, _ in read.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(two <= one + 1 for one, two in itertools.pairwise(levels))
    ids = [a["id"] for _, a in read.tags if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for tag, a in read.tags if tag == "a"} <= set(ids)
    assert all(a.get("aria-label") for tag, a in read.tags if tag == "svg" and a.get("role") == "img")


@pytest.mark.parametrize(
    "name", [EVIL, '" onload="x', "'><b>", "{{ 7 * 7 }}", "</style><b>", "</svg><b>", "&amp;"]
)
def test_hostile_text_anywhere_stays_text(owner, name):
    quiet = re.sub(r"\S", "q", name)  # as long, so that lines of charts break at the same places
    plain, hostile = Reader(page(put_in(owner, quiet))), Reader(page(put_in(owner, name)))
    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in plain.tags]
    assert [set(given) for _, given in hostile.tags] == [set(given) for _, given in plain.tags]
    assert hostile.text.count(name) == plain.text.count(quiet) > 50


def test_hidden_and_turning_characters_are_made_visible(owner):
    text = page(put_in(owner, "a\u202eb\x07c\ud800"))
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x07]", text)
    assert "a⟨U+202E⟩b␇c⟨U+D800⟩" in text
    text.encode("utf-8")


def test_public_page_has_no_name_of_an_item_and_no_guess(enough):
    """Every published item is searched for, rare ones too; common words of the page itself are told apart by the
    page of another data set."""
    names = {f"item-{number:03d}-zq" for number in range(423)}
    plain = cv.sample("clinic")
    renamed = dict(zip(plain.vocabulary, sorted(names), strict=True))
    secret = cv.Transactions.from_records([[renamed[item] for item in record] for record in plain])
    from cloven.audit.loop import Audit
    from cloven.threats import Effort

    found = Audit(cv.Disassociation(k=5, m=2), effort=Effort().quick(), advise=False, seed=1).run(secret)
    for document in (found.to_dict("public"), enough(found).to_dict("public")):
        text = page(document)
        assert "zq" not in text
        for word in ("✓ right:", "✗ wrong:", "Worst clusters", found.to_dict()["hashes"]["input_sha256"]):
            assert word not in text
    assert "zq" in page(found.to_dict()), "the search would find a name"


def test_every_total_that_is_shared_is_over_enough_clusters(report, enough):
    """Of a setting that was compared and of one kind of parts as well, even where the release has enough."""
    large = enough(report, groups=150)
    kept = Measured(HEADLINE, 0.123456, None, None, 1.0, 0.0, "", "public")
    rival = replace(
        large.others[0],
        groups=40,
        utility=Utility(HEADLINE, (kept,)),
        risks=tuple(replace(risk, attacker=Estimate(0.0654321)) for risk in large.others[0].risks),
    )
    decision = replace(large.decision, verdict="change settings", better=(rival.name,))
    found = replace(large, others=(rival,), decision=decision).to_dict("public")
    assert [each["name"] for each in found["outcomes"]] == [large.outcome.name]
    assert found["decision"]["sentence"] == f"Change settings: {rival.name} holds."
    for figure in ("12.3 %", "6.5 %"):
        assert figure not in page(found)
    risks = enough(report, kinds=3).outcome.risks
    assert not any(
        risk["details"].get("by_kind")
        for risk in replace(large, outcome=large.outcome.of_risks(risks)).to_dict("public")["risks"]
    ), "the third is the total less the others"
    assert any(risk["details"].get("by_kind") for risk in large.to_dict("public")["risks"])


def test_totals_over_few_guesses_are_kept_back(report, shared, enough):
    """A quick audit looks up the items of sixty persons."""
    few = next(risk for risk in shared["risks"] if risk["threat"] == "2 items of a person")
    assert (few["attacker"], few["meaning"], few["count"]) == (None, "", 0)
    many = next(risk for risk in shared["risks"] if risk["threat"] == "release alone")
    assert many["attacker"] is not None
    text = Reader(page(shared)).text
    assert text.count("withheld: totals over fewer than 100") == 2
    assert "nothing to measure" not in text
    counted = tuple(replace(risk, count=100) for risk in report.risks)
    told = enough(replace(report, outcome=report.outcome.of_risks(counted))).to_dict("public")
    assert all(risk["attacker"] for risk in told["risks"])


def test_why_an_attack_was_not_tried_stays_with_the_owner(report, enough):
    risks = list(report.risks)
    risks[2] = replace(risks[2], attacker=None, not_tried="'secret item' has no vector", sentence="")
    found = enough(replace(report, outcome=report.outcome.of_risks(tuple(risks))))
    text = Reader(page(found.to_dict("public"))).text
    assert "secret item" not in text
    assert "Not tried; the owner knows why." in text
    assert "'secret item' has no vector" in Reader(page(found.to_dict())).text


def test_kinds_count_the_clusters_they_come_from():
    """As the papers publish: rare items in term chunks, shared chunks in joints."""
    data = cv.sample("clinic")
    made = cv.Disassociation(k=5, m=2, max_cluster_size=30, refine=True, rare_items="cluster").anonymise(data)
    risk = cv.release_alone().try_on(data, made, np.random.default_rng(1), cv.Effort().quick())
    kinds, release = risk.details["by_kind"], made.release
    clusters = [release.cluster(number) for number in range(release.clusters)]
    groups = {each["kind"]: each["groups"] for each in kinds}
    assert groups["record chunks"] == sum(len(cluster.record_chunks) > 1 for cluster in clusters)
    assert groups["term chunks"] == sum(bool(cluster.term_chunk) for cluster in clusters)

    def shares(joint):
        return joint is not None and (
            bool(release.joint(joint).shared_chunks) or shares(release.joint(joint).parent)
        )

    assert groups["shared chunks"] == sum(shares(cluster.joint) for cluster in clusters)


def test_public_page_keeps_totals_back_and_says_so(withheld, shared, owner):
    kept_back, told = Reader(page(withheld)), Reader(page(shared))
    assert "kept back here" in kept_back.text
    assert "The owner has them" in kept_back.text
    assert "kept back here" not in told.text
    for words in ("The people of whom most is told", "How much is told of people", "Every way of knowing"):
        assert words not in told.text
        assert words in Reader(page(owner)).text
    assert owner["risks"][0]["details"]["people"][0]["told"] in Reader(page(owner)).text
    shares = re.compile(r"\d+\.\d+ %")
    assert not shares.search(kept_back.text.partition("What was not modelled")[0])
    assert shares.search(told.text)
    for risk in withheld["risks"]:
        assert risk["threat"] in kept_back.text


def test_page_of_a_family_with_other_figures_names_nothing_it_was_not_told(owner):
    """A family without clusters, chunks, m or word meanings, with one threat."""
    owner |= {
        "family": "slicing",
        "setting": "slicing:k=4",
        "parameters": {"k": 4, "columns": 3},
        "published": {"rows": 100, "buckets": 25},
        "data": {"rows": 100, "attributes": ["age", "zip"]},
        "counts": {},
        "risks": [
            owner["risks"][0] | {"threat": "one bucket", "linkage": "table", "details": {"buckets": 3}}
        ],
    }
    owner["utility"]["measures"] = [owner["utility"]["measures"][0]]
    owner["decision"] |= {
        "verdict": "publish",
        "sentence": "Publish.",
        "reasons": [],
        "better": [],
        "words": "",
    }
    owner["outcomes"], owner["cautions"], owner["verification"]["checks"] = owner["outcomes"][:1], [], []
    owner["outcomes"][0]["name"], owner["seconds"] = "slicing:k=4", {}
    read = Reader(page(owner))
    assert "100 rows and 25 buckets" in read.text
    assert "Being in the data." not in read.text  # it was tried
    for word in ("chunk", "cluster", "disassociation", "word meaning"):
        assert word not in read.text


def test_nothing_tried_and_samples_are_said(owner):
    owner["sample"] = {"records": 1000, "of": 50000}
    owner["risks"] = []
    text = Reader(page(owner)).text
    assert "No attack was tried" in text
    assert "1,000 of 50,000 records" in text
    assert "Sampling." in text


def test_document_of_another_format_is_refused(owner):
    with pytest.raises(InputError, match=r"cloven\.audit/1.*got 'cloven\.audit/2'"):
        page(owner | {"format": "cloven.audit/2"})


def test_only_the_owner_may_read_the_owners_page(owner, withheld, tmp_path):
    save_page(owner, tmp_path / "owner.html")
    save_page(withheld, tmp_path / "public.html")
    assert stat.S_IMODE((tmp_path / "owner.html").stat().st_mode) == 0o600
    assert (tmp_path / "public.html").read_text(encoding="utf-8") == page(withheld)
    with pytest.raises(OutputError, match="cannot be written"):
        save_page(owner, tmp_path / "none" / "owner.html")


def test_an_old_page_that_others_could_read_is_replaced(owner, tmp_path):
    place = tmp_path / "page.html"
    place.write_text("old")
    place.chmod(0o644)
    save_page(owner, place)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
