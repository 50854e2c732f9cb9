"""What the public reads of an audit: nothing that was not declared public."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pytest

import cloven as cv
from cloven.audit.loop import Audit
from cloven.data.schema import Column, Schema
from cloven.disclosure.risk import Estimate
from cloven.kinds.tables.key import PublishedTable, TableKey
from cloven.kinds.tables.methods.anatomy import Anatomy
from cloven.kinds.tables.methods.diffgen import DiffGen
from cloven.reading.tables import read_table
from cloven.report.page import page
from cloven.threats import Effort, Threat

DATA = cv.sample("clinic").take(np.arange(320))
SMALL = cv.Disassociation(k=2, max_cluster_size=3, rare_items="cluster")
"""It makes more than a hundred clusters, so that totals are shared."""


def audited(threats=None, limits=None, method=SMALL, **more):
    return Audit(
        method,
        limits=limits or cv.Limits(),
        effort=Effort().quick(),
        threats=threats,
        advise=False,
        seed=1,
        **more,
    ).run(DATA)


def shared(report):
    """All that anybody can read: the document and the page."""
    public = report.to_dict("public")
    return json.dumps(public, ensure_ascii=False), page(public)


def test_another_release_by_any_name_stays_with_the_owner():
    other = cv.Disassociation(k=3, m=2).anonymise(cv.sample("clinic").take(np.arange(90))).release
    threat = cv.another_release(other, name="last year's release")
    for limits in (cv.Limits(), cv.Limits(max_risk=0.001)):
        report = audited((cv.release_alone(), threat), limits)
        assert report.outcome.groups >= 100
        assert "90 records, k=3, m=2" in report.to_json()
        for text in shared(report):
            assert "last year" not in text
            assert "90 records" not in text
            assert "another one about the same people" not in text


def test_no_public_measure_tells_how_much_was_withheld():
    """The release is the same with items that only one person holds, and so is what the public reads of its use."""
    method = cv.Disassociation(k=2, max_cluster_size=3)
    plain = [sorted(record) for record in DATA]
    more = [[*record, f"only {number}"] if number < 40 else record for number, record in enumerate(plain)]
    measured = []
    for records in (plain, more):
        data = cv.Transactions.from_records(records)
        report = Audit(method, effort=Effort().quick(), threats=(), advise=False, seed=1).run(data)
        assert report.outcome.groups >= 100
        measured.append(report.to_dict("public")["utility"])
    assert measured[0] == measured[1]
    assert len(measured[0]["measures"]) > 5


def test_figures_of_an_attacker_that_is_not_named_are_in_no_total():
    """The risk of a setting is that of the attackers on the page."""

    def attempt(threat, *_given):
        return threat.risk(attacker=Estimate(0.8765, 0.87, 0.8888), count=5000, broken=7777, sentence="Much.")

    report = audited((cv.release_alone(), Threat("neighbour", "all", "attribute", "share", attempt)))
    assert (report.outcome.risk, report.outcome.broken) == (0.8888, 7777)
    public = report.to_dict("public")
    assert public["outcomes"][0]["worst"]["threat"] == "release alone"
    for text in shared(report):
        for figure in ("0.8765", "0.8888", "87.6 %", "88.9 %", "7777", "7,777"):
            assert figure not in text, figure


def test_a_verdict_that_rests_on_what_only_the_owner_knows_is_a_word():
    def attempt(threat, *_given):
        return threat.risk(attacker=Estimate(0.9), count=5000, sentence="A neighbour talks.")

    rival = replace(SMALL, k=3, max_cluster_size=6)
    report = audited(
        (cv.release_alone(), Threat("neighbour", "all", "attribute", "share", attempt)),
        cv.Limits(max_risk=0.6),
        rivals=(rival,),
    )
    assert report.decision.verdict == "do not publish"
    told = report.to_dict("public")["decision"]
    assert told == {
        "verdict": "do not publish",
        "sentence": "Do not publish.",
        "reasons": [
            "k = 2 is little: publish nothing with k below 3.",
            "An attacker (a known person) was left out.",
            "An attacker (2 items of a person) was left out.",
            "An attacker (3 items of a person) was left out.",
            "An attacker (method) was left out.",
        ],
        "better": [],
        "words": "",
    }


def test_reasons_and_the_better_setting_are_told_where_their_figures_are():
    report = audited(limits=cv.Limits(min_utility=0.99, measure="pair counts"))
    told = report.to_dict("public")["decision"]
    assert any("Utility (pair counts)" in reason for reason in told["reasons"])
    left = audited(
        limits=cv.Limits(min_utility=1.0, measure="records published"), threats=(cv.release_alone(),)
    )
    public = left.to_dict("public")
    assert "records published" not in json.dumps(public), "it tells how many were left out"


@pytest.mark.parametrize("name", ["items kept", "pairs kept", "re", "re chunks"])
def test_what_tells_how_much_was_withheld_is_the_owners(name):
    report = audited((cv.release_alone(),), cv.Limits(min_utility=0.9999, measure=name))
    assert any(measure["name"] == name for measure in report.to_dict()["utility"]["measures"])
    for text in shared(report):
        assert f"({name})" not in text
        assert f'"{name}"' not in text


def test_totals_of_members_and_outsiders_are_public_and_their_details_are_not():
    found = Audit(SMALL, effort=Effort().quick(), advise=False, seed=1).run(cv.sample("clinic"))
    owner, public = (found.to_dict(audience)["risks"][0] for audience in ("owner", "public"))
    assert owner["threat"] == public["threat"] == "a known person"
    for name in ("attacker", "outsiders", "excess", "tails", "promised", "outside"):
        assert public[name] == owner[name]
    assert public["details"] == {}
    assert {"ways", "people", "histogram", "people_of", "calibration"} <= set(owner["details"])
    few = replace(found.outcome, groups=99)
    public = replace(found, outcome=few).to_dict("public")["risks"][0]
    assert (public["outsiders"], public["excess"], public["tails"]) == (None, None, [])


def test_words_with_what_is_not_published_are_not_shared():
    """A seed is not in the manifest: whoever knows it draws the same lots."""
    method, rival = Anatomy(l=2, seed=987_654), Anatomy(l=2, seed=987_653)
    report = Audit(method, effort=Effort().quick(), seed=1, rivals=(rival,), advise=False).run(workers(900))
    assert report.outcome.groups >= 100
    assert "seed=987654" in report.to_json()
    assert len(report.to_dict("public")["outcomes"]) == 2
    for text in shared(report):
        assert "98765" not in text
        assert "987,65" not in text


ILL = ("flu", "gout", "rare")
TOWNS, TRADES = tuple(f"town {i:02}" for i in range(12)), tuple(f"trade {i:02}" for i in range(12))


def workers(rows, *more):
    """Everybody is of an even town; one more may be of an odd one."""
    people = [(TOWNS[i % 6 * 2], TRADES[i // 6 % 12], ILL[i % 2]) for i in range(rows)] + list(more)
    columns = (
        Column("town", "quasi-identifier", values=TOWNS),
        Column("trade", "quasi-identifier", values=TRADES),
        Column("illness", "sensitive", values=ILL),
    )
    data = {column.name: values for column, values in zip(columns, zip(*people, strict=True), strict=True)}
    return read_table(pa.table(data), Schema(columns))


@dataclass(frozen=True)
class SameRelease(DiffGen):
    """Differential privacy whose lots fall so that two neighbours have the same release."""

    def anonymise(self, table, progress=None):
        release = DiffGen(eps=2.0, specialisations=30, seed=3).anonymise(workers(900)).release
        release = replace(release, parameters=self.parameters)
        nobody = np.full((len(release), 1), -1, np.int64)
        return PublishedTable(release, TableKey(nobody, None, np.sort(table.source_rows)))


@pytest.fixture(scope="module")
def neighbours():
    def audit(table):
        return Audit(SameRelease(eps=2.0, specialisations=30), effort=Effort().quick(), seed=1).run(table)

    return audit(workers(900)), audit(workers(900, ("town 03", "trade 11", "rare")))


def test_beside_differential_privacy_no_figure_of_the_rows_is_shared(neighbours):
    one, other = neighbours
    assert one.to_dict()["utility"] != other.to_dict()["utility"], "the owner sees a difference"
    assert shared(one) == shared(other)
    public = one.to_dict("public")
    for key in ("risks", "utility", "decision", "outcomes", "sample", "limits"):
        assert key not in public
    assert public["parameters"]["promise"]["kind"] == "differential privacy"
    text = " ".join(page(public).split())
    assert "differential privacy" in text
    assert "Do not publish" not in text
    assert "absent rows" not in text


def test_that_a_sample_was_audited_is_not_counted_beside_differential_privacy():
    table = workers(900)
    report = Audit(SameRelease(eps=2.0), effort=replace(Effort().quick(), most_records=500), seed=1).run(
        table
    )
    assert report.sampled
    public = report.to_dict("public")
    shown = page(public).partition("<body>")[2]
    for text in (json.dumps(public), shown):
        assert "900" not in text
        assert "500" not in text


def test_domains_of_the_data_promise_nothing_so_figures_are_shared():
    report = Audit(
        DiffGen(eps=2.0, domains="from-data", seed=1), effort=Effort().quick(), seed=1, advise=False
    ).run(workers(900))
    assert "decision" in report.to_dict("public")
