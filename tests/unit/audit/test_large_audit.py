"""Data that memory does not hold: what is measured on parts of its release is what the whole release tells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cloven as cv
from cloven.audit.beside import Beside
from cloven.audit.large import LargeAudit
from cloven.kinds.disassociated.parts.people import Drawn, KnownPersonTrial
from cloven.kinds.disassociated.threats import release_alone, the_method
from cloven.registry import family_of
from cloven.storage.ledger_file import Entry
from tests.unit.audit.in_parts import InParts

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
    return InParts(clusters=7)


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


def test_every_attacker_is_tried_on_the_release(found):
    names = [risk.threat for risk in found.outcome.risks]
    threats = [each.name for each in family_of(METHOD).threats(METHOD, cv.Knowledge())]
    assert names == threats
    assert [risk.threat for risk in found.sample.risks] == ["being in it"]
    assert [line.partition(":")[0] for line in found.lines()[:5]] == names[:5]
    attacked, clusters = found.clusters
    assert 10 < attacked < clusters <= cv.read_release(found.release).clusters
    assert f"{attacked} of the {clusters} clusters" in found.lines()[5]
    assert [line.partition(":")[0] for line in found.lines_of_sample()] == [
        "being in it", "frequent combinations kept"
    ]  # fmt: skip


def test_the_verdict_counts_what_the_release_tells(found):
    assert found.decision.verdict == "do not publish"
    reasons = [str(reason) for reason in found.decision.reasons]
    assert found.covers["everywhere"] > 0
    said = f"learns {found.covers['everywhere']} pairs of items that have fewer than k candidates"
    assert [said in reason for reason in reasons].count(True) == 1
    plain = found.to_dict()
    assert plain["on_the_release"]["counts"]["pairs"] == found.counts.pairs > 50
    assert plain["decision"]["verdict"] == found.decision.verdict
    assert plain["on_a_sample"]["records"] == 300
    assert [risk["threat"] for risk in plain["on_the_release"]["risks"]][-1] == "method"


@pytest.mark.parametrize("rare", ["cluster", "withhold"])
def test_what_puts_records_together_is_what_it_is_in_memory(engine, tmp_path, rare):
    """Where all clusters are drawn: the root is learned from as well."""
    method = replace(METHOD, rare_items=rare, refine=False)
    data = cv.sample("clinic")
    pq.write_table(pa.table({"items": [sorted(record) for record in data]}), tmp_path / "in.parquet")
    effort, result = cv.Effort().quick(), method.anonymise(data)
    plan = LargeAudit(engine, method, effort=effort, people=20, sample=5000, seed=3)
    found = plan.run(engine.read(tmp_path / "in.parquet"), tmp_path / "out")
    risks = {risk.threat: risk for risk in found.outcome.risks}
    for threat in (release_alone(), the_method()):
        wanted = threat.try_on(data, result, np.random.default_rng(1), effort)
        said = risks[threat.name]
        assert (said.broken, said.count) == (wanted.broken, wanted.count)
        assert said.guessing.value == pytest.approx(wanted.guessing.value)
        assert said.attacker.value == pytest.approx(
            wanted.attacker.value, abs=0.001 if threat.name != "method" else 0.05
        )
    assert found.outcome.doubts == family_of(method).doubts(data, method, result)


LETTERS = [[letter, str(number % 7)] for number in range(1400) for letter in "ab"]
PATIENTS = [[f"P{number % 233:03}", f"a{number % 7}", f"b{number % 11}"] for number in range(1400)]
VISITS = [["a", f"b{number % 40}", f"c{number % 41}", f"d{number % 37}"] for number in range(700)]


@pytest.mark.parametrize(
    ("records", "said"),
    [(LETTERS, ""), (VISITS + VISITS, "several records of one person"), (PATIENTS, "names of persons")],
)
def test_the_verdict_is_that_of_memory(engine, tmp_path, records, said):
    """Once there is nothing against it, once people are in the data twice."""
    pq.write_table(pa.table({"items": records}), tmp_path / "in.parquet")
    limits, effort = cv.Limits(max_risk=1.0, max_tail=1.0), cv.Effort().quick()
    method = replace(METHOD, safe="no")
    plan = LargeAudit(engine, method, limits=limits, effort=effort, people=50, sample=100)
    found = plan.run(engine.read(tmp_path / "in.parquet"), tmp_path / "out")
    memory = cv.Audit(method, limits=limits, effort=effort, advise=False).run(
        cv.Transactions.from_records(records)
    )
    assert found.outcome.doubts == memory.outcome.doubts
    assert found.decision.verdict == memory.decision.verdict == ("do not publish" if said else "publish")
    (told,) = Entry.at(tmp_path / "out.private").audits
    assert told.verdict == found.decision.verdict
    assert said in " ".join(map(str, found.decision.reasons))


def test_an_audit_that_breaks_off_leaves_nothing_to_publish(engine, folder, tmp_path, monkeypatch):
    def broken(*_given):
        raise KeyboardInterrupt

    monkeypatch.setattr(KnownPersonTrial, "risk", broken)
    with pytest.raises(KeyboardInterrupt):
        LargeAudit(engine, METHOD).run(engine.read(folder), tmp_path / "out")
    assert Entry.at(tmp_path / "out.private").audits == ()
    assert sorted(place.name for place in tmp_path.iterdir()) == ["out", "out.private"]


def test_data_that_changes_meanwhile_is_refused(engine, records, tmp_path):
    """As many records, and as many of each item: two people are told apart otherwise."""
    place = tmp_path / "in.parquet"
    one, two, *rest = [record for record in records if record]
    assert two[0] not in one
    assert one[0] not in two
    pq.write_table(pa.table({"items": [one, two, *rest]}), place)
    other = [[two[0], *one[1:]], [one[0], *two[1:]], *rest]

    def changing(step, _share):
        if step == "verify":
            pq.write_table(pa.table({"items": other}), place)

    with pytest.raises(cv.InputError, match="changed while it was audited"):
        LargeAudit(engine, METHOD).run(engine.read(place), tmp_path / "out", changing)
    assert Entry.at(tmp_path / "out.private").audits == ()


def test_people_are_told_as_much_as_in_memory(engine, folder, records, tmp_path):
    """The same people, asked about in the whole release and in releases of memory without them."""
    from cloven.kinds.disassociated.attack.known_person import readers
    from cloven.kinds.known_person import all_told, read_by, ways
    from cloven.statistics.telling import News, People

    data, source = cv.Transactions.from_records(records), engine.read(folder)
    engine.write(METHOD.anonymise(source, engine=engine), tmp_path / "out")
    (tmp_path / "scratch").mkdir()
    with engine.opened(METHOD, source, tmp_path / "scratch") as large:
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
        sets = {way: way.of(people, 1_500) for way in ways(2)}
        news = News().of(data, release.vocabulary)
        for key, one in read_by(readers(release), people, sets, news).items():
            told.setdefault(key, []).append(one)
    wanted = [each.to_dict() for each in all_told(told, drawn.left_out)]
    assert risk.details["ways"] == wanted


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"engine": object()}, "got object; or use Audit"),
        ({"people": 0}, "people must be"),
        ({"sample": True}, "sample must be"),
        ({"sample": 20}, "at least 50"),
        ({"effort": cv.Effort(splits=0)}, "splits"),
        ({"method": cv.Mondrian()}, "Disassociation"),
        ({"limits": cv.Limits(min_utility=0.3)}, "min_utility is judged on all records"),
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


SINGLES = [[f"s{number % 20}"] for number in range(3000)]
LOTS = np.random.default_rng(1)
FEW_SPLIT = [
    sorted({f"g{number % 6}", *(f"x{number % 6}.{lot}" for lot in LOTS.integers(0, 12, 3))})
    for number in range(400)
]


@pytest.mark.parametrize("seed", [1, 2])
def test_what_few_clusters_hide_is_attacked(engine, tmp_path, seed):
    """Most clusters split nothing off; what is told by the few others counts, whichever lots are drawn."""
    method = cv.Disassociation(k=5, m=2, max_cluster_size=60)
    pq.write_table(pa.table({"items": SINGLES + FEW_SPLIT}), tmp_path / "in.parquet")
    plan = LargeAudit(engine, method, effort=cv.Effort().quick(), people=20, sample=60, seed=seed)
    found = plan.run(engine.read(tmp_path / "in.parquet"), tmp_path / "out")
    tried = {risk.threat: risk for risk in found.outcome.risks}
    alone = tried["release alone"]
    assert alone.counts
    assert alone.attacker is not None or (alone.missing and "draw more of them" in alone.not_tried)
    attacked, hiding = found.clusters
    assert attacked == 1 < hiding < cv.read_release(found.release).clusters
    assert tried["method"].broken == found.covers["everywhere"] > 0
    assert "against the promise" in " ".join(map(str, found.decision.reasons))


@pytest.mark.parametrize("seed", [1, 2])
def test_few_people_of_whom_much_can_be_known_are_not_passed_over(engine, tmp_path, seed):
    """Nearly everybody holds one item. Of the few others something is told, and lots may draw none of them."""
    triples = [[f"{letter}{number % 2}" for letter in "abc"] for number in range(10)]
    records, method = SINGLES + triples, cv.Disassociation(k=5, m=2, max_cluster_size=60)
    pq.write_table(pa.table({"items": records}), tmp_path / "in.parquet")
    limits = cv.Limits(max_risk=0.5, max_tail=0.1)
    plan = LargeAudit(engine, method, limits=limits, effort=cv.Effort().quick(), people=60, seed=seed)
    found = plan.run(engine.read(tmp_path / "in.parquet"), tmp_path / "out")
    tried = {risk.threat: risk for risk in found.outcome.risks}
    assert (tried["2 items of a person"].count, tried["3 items of a person"].count) == (10, 10)
    assert tried["2 items of a person"].counts
    assert found.decision.verdict == "do not publish"
    assert tried["a known person"].units < 10


def test_people_of_whom_nothing_is_published_are_not_passed(engine, tmp_path):
    records = [[f"only {number}"] for number in range(2000)] + [["all", str(n % 2)] for n in range(40)]
    pq.write_table(pa.table({"items": records}), tmp_path / "in.parquet")
    plan = LargeAudit(engine, cv.Disassociation(k=5), effort=cv.Effort().quick(), people=3, sample=60)
    found = plan.run(engine.read(tmp_path / "in.parquet"), tmp_path / "out")
    assert found.decision.verdict == "do not publish"
    assert "could not be tried" in " ".join(map(str, found.decision.reasons))


def often(contents, times):
    """Records of ten items each, so many times."""
    return [[f"{number}.{place}" for place in range(10)] for number in range(contents)] * times


@pytest.mark.parametrize(
    ("again", "share"), [(often(3, 1500), 0.45), (often(1500, 3), 0.45), (often(30, 150), 0.45), ([], 0.0)]
)
def test_repeated_records_are_found_among_very_many(engine, tmp_path, monkeypatch, again, share):
    """However often each of them comes: a few contents very often, or many a few times."""
    from cloven.kinds.disassociated.parts import doubts

    others = [[f"a{number}", f"b{number % 977}", f"c{number % 13}"] for number in range(10_000 - len(again))]
    pq.write_table(pa.table({"items": again + others}), tmp_path / "in.parquet")
    monkeypatch.setattr(doubts, "MOST_LOOKS", 500)
    with engine.opened(METHOD, engine.read(tmp_path / "in.parquet"), tmp_path) as large:
        assert doubts._repeated(large) == pytest.approx(share, rel=0.45)


def test_a_run_that_is_killed_once_the_release_is_there_leaves_nothing_to_publish(
    engine, folder, tmp_path, monkeypatch
):
    write = InParts.write

    def killed(self, plan, out):
        write(self, plan, out)
        raise KeyboardInterrupt

    monkeypatch.setattr(InParts, "write", killed)
    with pytest.raises(KeyboardInterrupt):
        LargeAudit(engine, METHOD).run(engine.read(folder), tmp_path / "out")
    assert Entry.at(tmp_path / "out.private").audits == ()


def test_nothing_is_published_before_earlier_releases_were_looked_at(engine, tmp_path):
    pq.write_table(pa.table({"items": LETTERS}), tmp_path / "in.parquet")
    limits = cv.Limits(max_risk=1.0, max_tail=1.0)
    plan = LargeAudit(engine, METHOD, limits=limits, effort=cv.Effort().quick(), people=50, sample=100)

    def broken(_digest):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plan.run(engine.read(tmp_path / "in.parquet"), tmp_path / "one", earlier=broken)
    assert Entry.at(tmp_path / "one.private").audits == ()
    held = Beside(("this data set was published earlier",), ("nobody saw a draft",), ("0" * 64,))
    found = plan.run(engine.read(tmp_path / "in.parquet"), tmp_path / "two", earlier=lambda *_: held)
    assert found.decision.verdict == "do not publish"
    assert found.to_dict()["cautions"] == ["nobody saw a draft"]
    (note,) = Entry.at(tmp_path / "two.private").audits
    assert (note.verdict, note.alone, note.beside) == ("do not publish", "publish", held.known)


def test_what_an_owner_should_know_is_no_reason_against_publishing(engine, tmp_path):
    pq.write_table(pa.table({"items": LETTERS}), tmp_path / "in.parquet")
    limits = cv.Limits(max_risk=1.0, max_tail=1.0)
    plan = LargeAudit(engine, METHOD, limits=limits, effort=cv.Effort().quick(), people=50, sample=100)
    held = Beside(cautions=("this very release was published",))
    found = plan.run(engine.read(tmp_path / "in.parquet"), tmp_path / "out", earlier=lambda *_: held)
    assert found.decision.verdict == "publish"
