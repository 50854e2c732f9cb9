"""Data that memory does not hold: what is measured on parts of its release is what the whole release tells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cloven as cv
from cloven.audit.large import LargeAudit
from cloven.kinds.disassociated.covers.breaches import breaches
from cloven.kinds.disassociated.covers.covers import covers
from cloven.kinds.disassociated.parts.people import Drawn, KnownPersonTrial
from cloven.kinds.disassociated.spilled import trial
from cloven.statistics.mining import supports

METHOD = cv.Disassociation(k=3, m=2, max_cluster_size=30)


@pytest.fixture(scope="module")
def records():
    """With empty ones between them."""
    found = [sorted(record) for record in cv.sample("clinic")]
    return [
        record for number, each in enumerate(found) for record in ([each, []] if number % 9 == 0 else [each])
    ]


@pytest.fixture(scope="module")
def engine():
    return cv.Local(memory="600MB", part_clusters=7)


@pytest.fixture(scope="module")
def folder(records, tmp_path_factory):
    place = tmp_path_factory.mktemp("data") / "visits"
    place.mkdir()
    pq.write_table(pa.table({"items": records}), place / "part-0.parquet")
    return place


@pytest.fixture(scope="module")
def found(engine, folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("audit") / "out"
    plan = LargeAudit(engine, METHOD, effort=cv.Effort().quick(), people=100, sample=300, seed=3)
    return plan.run(engine.read(folder), out)


def test_the_release_is_the_one_of_memory(found, records):
    data = cv.Transactions.from_records(records)
    assert cv.read_release(found.release) == METHOD.anonymise(data).release
    assert sorted(place.name for place in found.release.parent.iterdir()) == ["out", "out.private"]


def test_covers_are_those_of_the_release(found):
    wanted = breaches(covers(cv.read_release(found.release))).to_dict()
    assert found.covers == {name: wanted[name] for name in found.covers}


def test_other_attackers_are_tried_on_a_sample(found):
    assert len(found.sample.data) == 300
    assert found.records == 1000
    told = [line.partition(":")[0] for line in found.lines_of_sample()]
    assert {"release alone", "method", "2 items of a person"} <= set(told)
    assert "a known person" not in told


def test_the_verdict_counts_what_the_release_tells(found):
    assert found.decision.verdict == "do not publish"
    reasons = [str(reason) for reason in found.decision.reasons]
    assert found.covers["everywhere"] > 0
    said = f"{found.covers['everywhere']} pairs of items have fewer than k candidates in the release"
    assert [said in reason for reason in reasons].count(True) == 1
    assert not any("(method) learns" in reason for reason in reasons)
    assert "300 of the 1,000 records" in reasons[-1]
    plain = found.to_dict()
    assert plain["on_the_release"]["counts"]["pairs"] == found.counts.pairs > 50
    assert plain["decision"]["verdict"] == found.decision.verdict
    assert plain["on_a_sample"]["records"] == 300
    assert len(found.lines()) == 3


def test_what_the_release_breaks_counts_whatever_the_sample_has(found):
    """A sample that splits nothing off, or has no doubts, does not hide what the release tells."""
    assert any("against the promise" in str(reason) for reason in found.decision.reasons)
    clean = replace(found.sample, outcome=replace(found.sample.outcome, risks=(), doubts=()))
    plan = LargeAudit(cv.Local(memory="600MB"), METHOD)
    harmless = replace(
        found.known, excess=None, tails=(), attacker=None, counts=False, doubt="", not_tried=""
    )
    decision = plan._decide(harmless, found.covers, clean, 3, found.records)
    assert decision.verdict == "do not publish"
    assert "against the promise" in str(decision.reasons[0])
    none = dict.fromkeys(found.covers, 0)
    assert plan._decide(harmless, none, clean, 3, found.records).verdict == "do not publish"


@pytest.mark.parametrize("sample", [100, 5000])
def test_nothing_is_published_on_a_sample(engine, tmp_path, sample):
    """The same harmless data, once seen in part, once seen whole."""
    lines = [f"{letter},{number % 7}" for number in range(1400) for letter in "ab"]
    (tmp_path / "in.csv").write_text("\n".join(lines) + "\n")
    source = engine.read(tmp_path / "in.csv", format="lines", delimiter=",")
    limits = cv.Limits(max_risk=1.0, max_tail=1.0)
    plan = LargeAudit(engine, METHOD, limits=limits, effort=cv.Effort().quick(), people=50, sample=sample)
    found = plan.run(source, tmp_path / "out")
    discarded = (tmp_path / "out.private" / "discarded").exists()
    assert discarded == (found.decision.verdict != "publish")
    if sample == 100:
        assert found.decision.verdict == "do not publish"
        assert [str(reason)[:9] for reason in found.decision.reasons] == ["Attackers"]
    else:
        assert [str(reason) for reason in found.decision.reasons] == [
            str(reason) for reason in found.sample.decision.reasons
        ]


def test_an_audit_that_breaks_off_leaves_nothing_to_publish(engine, folder, tmp_path, monkeypatch):
    def broken(*_given):
        raise KeyboardInterrupt

    monkeypatch.setattr(KnownPersonTrial, "risk", broken)
    with pytest.raises(KeyboardInterrupt):
        LargeAudit(engine, METHOD).run(engine.read(folder), tmp_path / "out")
    assert (tmp_path / "out.private" / "discarded").exists()
    assert sorted(place.name for place in tmp_path.iterdir()) == ["out", "out.private"]


def test_the_sample_fits_into_memory(engine):
    class Long:
        records, held = 1000, np.array([400_000])

    size, effort = LargeAudit(engine, METHOD)._room(Long(), 3)
    assert 30 <= size < 2000
    assert effort.most_candidates < 2_000_000
    assert LargeAudit(cv.Local(memory="64GB"), METHOD)._room(Long(), 3)[0] == 50_000


def test_people_are_told_as_much_as_in_memory(engine, folder, records, tmp_path):
    """The same people, asked about in the whole release and in releases of memory without them."""
    from cloven.kinds.disassociated.attack.known_person import readers
    from cloven.kinds.known_person import all_told, read_by, ways
    from cloven.statistics.telling import News, People

    data, source = cv.Transactions.from_records(records), engine.read(folder)
    engine.write(METHOD.anonymise(source, engine=engine), tmp_path / "out")
    (tmp_path / "scratch").mkdir()
    with trial.opened(engine, METHOD, source, tmp_path / "scratch") as large:
        assert large.held.tolist() == data.holders.tolist()
        plan = KnownPersonTrial(METHOD, large, tmp_path / "scratch", 40, 2, 5, lambda _step, _share: None)
        risk = plan.risk(tmp_path / "out")
        rng = np.random.default_rng([5, large.records])
        drawn, lots = Drawn.of(large, 40, 2, rng), int(rng.integers(2**32))
    place = {row: number for number, row in enumerate(data.source_rows.tolist())}
    asked = np.array([place[row] for row in drawn.people.source_rows.tolist()])
    assert [sorted(record) for record in data.take(asked)] == [sorted(record) for record in drawn.people]
    told = {}
    for left_out in (*drawn.left_out, np.zeros(len(asked), bool)):
        rest = np.setdiff1d(np.arange(len(data)), asked[left_out])
        release = METHOD.anonymise(data.take(rest)).release
        people = People.of(data, asked, release.vocabulary, data.holders, lots)
        sets = {way: way.of(people) for way in ways(2)}
        news = News().of(data, release.vocabulary)
        for key, one in read_by(readers(release), people, sets, news).items():
            told.setdefault(key, []).append(one)
    wanted = [each.to_dict() for each in all_told(told, drawn.left_out)]
    assert risk.details["ways"] == wanted


def test_counts_of_pairs_are_those_of_the_data(engine, folder, records, tmp_path):
    data = cv.Transactions.from_records(records)
    with trial.opened(engine, METHOD, engine.read(folder), tmp_path) as large:
        pairs = np.array([[0, 1], [0, 2], [3, 9], [5, 6]])
        names = [[large.names[code] for code in pair] for pair in pairs.tolist()]
        assert large.supports(pairs).tolist() == supports(data, names).tolist()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"engine": cv.Local()}, "use Audit"),
        ({"people": 0}, "people must be"),
        ({"sample": True}, "sample must be"),
        ({"sample": 20}, "at least 50"),
        ({"effort": cv.Effort(splits=0)}, "splits"),
        ({"method": cv.Mondrian()}, "Disassociation"),
    ],
)
def test_what_cannot_be_done_is_refused(engine, given, said):
    with pytest.raises(cv.ClovenError, match=said):
        LargeAudit(**{"engine": engine, **given})


def test_too_few_people_are_refused(engine, tmp_path):
    (tmp_path / "few.csv").write_text("a,b\n" * 8)
    source = engine.read(tmp_path / "few.csv", format="lines", delimiter=",")
    with pytest.raises(cv.ParameterError, match="too few"):
        LargeAudit(engine, cv.Disassociation(k=2)).run(source, Path(tmp_path) / "out")
