"""Published tables in audits: threats, utility, remedies, reading and writing."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import cloven as cv
from cloven import registry
from cloven.audit.decision import Limits
from cloven.audit.loop import Audit
from cloven.data.table import Attribute, Table
from cloven.disclosure.risk import Estimate
from cloven.figures import percent
from cloven.kinds.tables.key import PublishedTable, TableKey
from cloven.kinds.tables.kind import TablesFamily
from cloven.kinds.tables.methods.diffgen import DiffGen
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.methods.slicing import Slicing
from cloven.kinds.tables.methods.ul import UL
from cloven.kinds.tables.reconstruction import untouched
from cloven.kinds.tables.threats import another_release, being_in_the_table, known_person
from cloven.protocols import Anonymiser
from cloven.settings import parse_setting, setting
from cloven.statistics.outsiders import Outsiders

QUICK = cv.Effort().quick()
ILLNESS = ("Flu", "Gout", "Mumps", "Ulcer")


def people(rows: int = 120, seed: int = 3) -> Table:
    """Age tells a good part of the illness."""
    rng = np.random.default_rng(seed)
    ages = np.arange(20.0, 60.0)
    age, sex = rng.integers(0, 40, rows), rng.integers(0, 2, rows)
    illness = np.where(rng.random(rows) < 0.4, age // 10, np.arange(rows) % 4)
    attributes = (
        Attribute("age", "quasi-identifier", tuple(f"{age:.0f}" for age in ages), ages),
        Attribute("sex", "quasi-identifier", ("f", "m")),
        Attribute("illness", "sensitive", ILLNESS),
    )
    return Table(attributes, np.column_stack([age, sex, illness]).astype(np.int32), np.arange(rows))


@pytest.fixture(scope="module")
def table():
    return people()


def lots():
    return np.random.default_rng(5)


def bare(table):
    """The original, published as it is."""
    order = np.lexsort(table.codes.T[::-1])
    return PublishedTable(
        untouched(table), TableKey(table.source_rows[order][:, None], None, np.zeros(0, np.int64))
    )


@pytest.mark.parametrize("name", registry.table_anonymisers())
def test_every_method_for_tables_keeps_the_laws(name, table):
    method = registry.anonymiser(name)
    assert isinstance(method, Anonymiser)
    assert json.loads(json.dumps(dict(method.parameters))) == dict(method.parameters)
    assert registry.family_of(method).name == "tables"
    assert parse_setting(setting(method)) == method
    assert method.parameters["method"] == name


@pytest.mark.parametrize("name", registry.table_anonymisers())
def test_every_method_makes_a_release_that_can_be_audited(name, table, tmp_path):
    shared = {"l": 2, "k": 4, "eps": 1.0, "seed": 1, "domains": "from-data"}
    method = parse_setting(name, **shared)
    result = method.anonymise(table)
    family = TablesFamily()
    assert family.verify(table, result).ok, str(family.verify(table, result))
    risk = known_person().try_on(table, result, lots(), QUICK)
    assert risk.attacker is not None, risk.not_tried
    assert 0 <= family.utility(table, result, QUICK, lots()).score() <= 1
    family.write(result, tmp_path / "out", tmp_path / "private", table)
    again = family.read(tmp_path / "out", tmp_path / "private")
    assert family.verify(table, again).ok
    assert family.published(again.release) == family.published(result.release)
    assert sum(family.sizes(again.release)) == len(again.release)


def test_what_is_not_protected_is_found_and_what_is_protected_less(table):
    found = known_person().try_on(table, bare(table), lots())
    safe = known_person().try_on(table, Slicing(k=4, l=3).anonymise(table), lots())
    assert found.attacker.value > 0.5 > safe.attacker.value
    assert found.beats
    assert found.broken == 0, "the original promises nothing"
    promising = replace(bare(table), release=replace(bare(table).release, parameters={"method": "x", "l": 2}))
    broken = known_person().try_on(table, promising, lots())
    assert broken.broken == round(broken.details["certain"] * broken.count) > 0


def test_a_second_release_leaves_fewer_values_than_one(table):
    """How often the likeliest value is right may go either way with the lots; what is left can only shrink."""
    mine = Mondrian(k=4, l=2).anonymise(table)
    other = Mondrian(k=6, l=2).anonymise(table.take(np.arange(100)))
    alone = known_person().try_on(table, mine, lots())
    both = another_release(other.release).try_on(table, mine, lots())
    left = [risk.details["findings"]["counts"]["matches"] for risk in (alone, both)]
    assert left[1] < left[0]
    assert "(100 rows, k=6)" in both.knows


def asked_who_is_in(data, method):
    outsiders = Outsiders(data, method, 3, 1)
    return being_in_the_table().try_on(data, method.anonymise(data), lots(), None, None, outsiders)


def test_membership_is_shown_and_does_not_count(table):
    risk = asked_who_is_in(table, Mondrian(k=4, l=2))
    assert (risk.linkage, risk.counts, risk.guessing.value) == ("table", False, 0.5)
    assert risk.doubt == ""
    assert f"{percent(risk.details['found'])} found at 1 % false alarms" in risk.meaning


@pytest.mark.parametrize(("method", "told"), [(cv.Anatomy(l=2, seed=1), True), (Mondrian(k=5, l=2), False)])
def test_a_table_that_tells_who_is_in_it_is_not_published(method, told):
    """Nearly all are alone with what is known of them, and Anatomy publishes that as it is; classes of k do not."""
    rng = np.random.default_rng(1)
    columns = {name: rng.integers(0, 60, 600).astype(str).tolist() for name in ("age", "town", "work")}
    columns["illness"] = rng.choice(list("stuvwxyz"), 600).tolist()
    data = cv.read_table(pa.table(columns), cv.Schema.of(["age", "town", "work"], ["illness"]))
    risk = asked_who_is_in(data, method)
    assert (risk.details["found"] >= 0.5) == told
    assert ("are found at 1 % false alarms" in risk.doubt) == told
    assert bool(Limits().passed_at((risk,), 4)) == told


def test_without_a_sensitive_attribute_nothing_can_be_found_out(table):
    plain = Table(table.attributes[:2], table.codes[:, :2], table.source_rows)
    risk = known_person().try_on(plain, Mondrian(k=4).anonymise(plain), lots())
    assert "no attribute is sensitive" in risk.not_tried


def test_threats_follow_from_what_is_known(table):
    release = Mondrian(k=4).anonymise(table).release
    knowledge = cv.Knowledge(cv.relatedness.Vectors.sample(), (release, release))
    names = [threat.name for threat in TablesFamily().threats(Mondrian(), knowledge)]
    assert names == [
        "known person", "learns from the table", "replays the method", "a person's row", "word meanings",
        "another release", "another release (2)", "being in the table",
    ]  # fmt: skip


def test_remedies_hide_more():
    family = TablesFamily()
    risk = known_person().risk(attacker=Estimate(0.9))

    def proposed(method, limit=0.2):
        return [setting(other) for other in family.remedies(method, (risk,), limit).values()]

    assert proposed(Mondrian(k=4, l=2)) == [
        "mondrian:k=4,l=5", "mondrian:k=4,l=7", "mondrian:k=8,l=2", "mondrian:k=4,l=2,partition=replay-proof",
        "slicing:k=4,l=5", "slicing:k=4,l=6",
    ]  # fmt: skip
    assert "mondrian:k=8,l=2" not in proposed(Mondrian(k=4, l=2), 1 / 4), (
        "a larger k would move the limit of 1/k"
    )
    assert proposed(Slicing(k=6, l=6), 1 / 6) == ["slicing:k=6,l=7", "slicing:k=6,l=10"]
    assert proposed(Slicing(k=6, l=6, partition="adaptive"), 1 / 6) == [
        "slicing:k=6,l=7,partition=adaptive", "slicing:k=6,l=10,partition=adaptive",
        "slicing:k=6,l=6,partition=replay-proof", "slicing:k=6,l=7,partition=replay-proof",
    ]  # fmt: skip
    assert proposed(DiffGen(eps=1.0))[0] == "diffgen:eps=0.5"
    assert family.remedies(Mondrian(k=4), (), 0.2) == {}


def test_owners_are_told_that_buckets_of_alike_people_tell_more_than_dealt_ones(table):
    family = TablesFamily()
    for method, told in ((Slicing(k=4, l=2, partition="adaptive"), True), (Slicing(k=4, l=2), False)):
        words = " ".join(family.cautions(table, method, method.anonymise(table)))
        assert ("--partition replay-proof" in words) == told


def test_an_audit_compares_methods_and_writes_the_release(table, tmp_path):
    audit = Audit(
        Mondrian(k=4, l=2),
        cv.Knowledge(
            releases=(cv.OtherRelease(Slicing(k=5, l=2).anonymise(table).release, table.source_rows),)
        ),
        cv.Limits(max_risk=0.9, max_tail=1.0),
        effort=QUICK,
        rivals=(Slicing(k=4, l=2),),
        seed=1,
    )
    report = audit.run(table)
    assert [risk.threat for risk in report.risks] == [
        "known person", "learns from the table", "replays the method", "a person's row", "another release",
        "being in the table",
    ]  # fmt: skip
    assert report.decision.verdict == "publish"
    digest = report.write(tmp_path / "out")
    folder = tmp_path / "out" / "published"
    assert cv.verify_folder(folder, original=table, private=tmp_path / "out.private").ok
    told = report.to_dict("owner", digest)
    assert told["data"]["records"] == told["published"]["records"] == 120
    assert {each["family"] for each in told["outcomes"]} == {"tables"}
    assert "known person" in (tmp_path / "out.private" / "report.html").read_text("utf-8")


def test_cautions_name_what_users_must_know(table):
    family, method = TablesFamily(), UL(k=4, l=2, seed=1)
    result = method.anonymise(table)
    changed = replace(result, key=replace(result.key, changed=np.ones(result.release.cells.shape, np.bool_)))
    told = " ".join(family.cautions(table, method, changed))
    assert "360 cells exchanged between persons" in told
    assert "drawn with a seed" in told
