"""Families join an audit through the registry."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

import cloven as cv
from cloven import registry
from cloven.audit.loop import Audit
from cloven.disclosure.outcome import Measured, Utility
from cloven.disclosure.risk import Estimate
from cloven.errors import ParameterError
from cloven.kinds.disassociated.kind import suggested
from cloven.kinds.known_items import known_items
from cloven.registry import family_of
from cloven.threats import Effort, Knowledge, Threat
from cloven.verification.verdict import Check, Verdict

DATA = cv.Transactions.from_records([["flu", "fever"], ["flu"], ["cough", "fever"]] * 20)


@dataclass(frozen=True)
class Whispering:
    """A method of another package: it publishes how many records there are."""

    k: int = 2
    family: str = "whispering"

    @property
    def parameters(self):
        return {"method": "whispering"}

    def anonymise(self, data, progress=None):
        return SimpleNamespace(release=len(data), key=None)


class WhisperingFamily:
    """What an audit needs to know of it."""

    name = "whispering"

    def describe(self, data, method, rng):
        return SimpleNamespace(to_dict=lambda: {"records": len(data)})

    def fingerprint(self, data):
        return "00" * 32

    def verify(self, data, result):
        return Verdict("key", (Check("number", "key", result.release == len(data), 1, "right"),))

    def threats(self, method, knowledge):
        return (Threat("eavesdropper", "the number", "table", "share", self._attempt),)

    def _attempt(self, threat, case):
        return threat.risk(attacker=Estimate(0.75), guessing=Estimate(0.5), sentence="Hears most.")

    def utility(self, data, result, effort, rng):
        return Utility("records", (Measured("records", 1.0, None, None, 1.0, 0.0, "all"),))

    def published(self, release):
        return {"records": release}

    def counts(self, data, result):
        return {}

    def sizes(self, release):
        return [release]

    def cautions(self, data, method, result):
        return []

    def doubts(self, data, method, result):
        return ()

    def shares_totals(self, method):
        return True

    def remedies(self, method, risks, limit, data=None):
        return {"-k 9": Whispering(k=9)}


@pytest.fixture
def whispering(monkeypatch):
    point = SimpleNamespace(name="whispering", value="elsewhere", load=lambda: WhisperingFamily)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == "cloven.families" else [])


@pytest.mark.usefixtures("whispering")
def test_another_family_is_audited_without_touching_the_audit():
    report = Audit(Whispering(k=2)).run(DATA)
    assert report.decision.verdict == "do not publish"
    assert [outcome.name for outcome in report.others] == ["whispering:k=9"]
    assert report.to_dict()["risks"][0]["threat"] == "eavesdropper"
    assert report.to_dict("public")["risks"] == []  # nobody said that the public may know of the eavesdropper


@pytest.mark.usefixtures("whispering")
def test_families_are_compared_and_the_one_that_holds_is_named():
    audit = Audit(
        Whispering(k=2), rivals=(cv.Disassociation(k=2, refine=False),), effort=Effort().quick(), seed=1
    )
    report = audit.run(DATA)
    assert len(report.others) >= 1
    assert {outcome.family for outcome in (report.outcome, *report.others)} == {
        "whispering",
        "disassociation",
    }


def test_unknown_family_says_what_is_known():
    with pytest.raises(
        ParameterError, match=r"Whispering says its family is 'whispering'; .* disassociation"
    ):
        family_of(Whispering())


def test_threats_say_what_they_know_and_link():
    family = family_of(cv.Disassociation())
    other = cv.Disassociation(k=2).anonymise(DATA).release
    threats = family.threats(cv.Disassociation(), cv.Knowledge(cv.relatedness.Vectors.sample(), (other,)))
    assert [threat.name for threat in threats] == [
        "a known person",
        "2 items of a person",
        "3 items of a person",
        "release alone",
        "method",
        "word meanings",
        "another release",
        "being in it",
    ]
    assert {threat.linkage for threat in threats} == {"record", "attribute", "table"}


def test_known_items_leave_k_candidates_and_more_may_leave_fewer():
    data = cv.sample("clinic")
    method = cv.Disassociation(k=5, m=2, max_cluster_size=20)
    result = method.anonymise(data)
    two, three = (
        cv.known_items(size, promised=size == 2).try_on(data, result, np.random.default_rng(1))
        for size in (2, 3)
    )
    assert two.details["least"] >= 5
    assert two.broken == 0
    assert two.attacker.value < two.details["in_the_original"]
    assert not three.counts
    assert three.attacker.value > two.attacker.value


def test_who_finds_nobody_has_no_candidate_too_few():
    """Records that were left out are not published, so their items may be found nowhere; that breaks no promise."""
    data = cv.sample("clinic").take(np.arange(300))
    made = cv.Disassociation(k=5, m=2, max_cluster_size=12, small_clusters="suppress").anonymise(data)
    assert len(made.key.records) < len(data)
    risk = known_items(2, promised=True).try_on(data, made, np.random.default_rng(1), Effort())
    assert risk.broken == 0
    assert risk.details["least"] >= 5


def test_another_release_helps_the_attacker():
    data = cv.sample("clinic")
    result = cv.Disassociation(k=5, m=2).anonymise(data)
    other = cv.Disassociation(k=2, m=2, max_cluster_size=10).anonymise(data).release
    risk = cv.another_release(other).try_on(data, result, np.random.default_rng(1))
    assert risk.beats
    assert risk.attacker.low > risk.guessing.value


def test_another_release_of_a_strange_kind_is_not_passed_over_in_silence():
    threats = family_of(cv.Disassociation()).threats(cv.Disassociation(), Knowledge(releases=("a table",)))
    (threat,) = (each for each in threats if each.name == "another release")
    risk = threat.try_on(DATA, None, np.random.default_rng(1))
    assert (risk.threat, risk.attacker) == ("another release", None)
    assert "kind str" in risk.not_tried


def test_methods_that_cannot_be_told_apart_are_refused():
    """Their figures would be kept under one name, and one of them would vanish."""
    rivals = tuple(cv.Disassociation(sensitive=frozenset([item])) for item in ("flu", "fever"))
    with pytest.raises(
        ParameterError, match=r"two of the methods .* called disassociation:k=5,m=2,sensitive=\[1\]"
    ):
        Audit(rivals=rivals).run(DATA)


def test_nothing_to_try_is_said():
    data = cv.Transactions.from_records([["flu"]] * 20)
    report = Audit(cv.Disassociation(k=5, m=1), effort=Effort().quick(), advise=False).run(data)
    assert report.decision.verdict == "do not publish", "what was not tried is not passed"
    assert any(risk.not_tried for risk in report.risks)


@pytest.mark.parametrize(("records", "k", "size"), [(1000, 5, 120), (100, 5, 50), (30, 5, 15), (12, 5, 9)])
def test_defaults_follow_the_data(records, k, size):
    data = cv.Transactions.from_records([["flu", "fever", str(i % 3)] for i in range(records)])
    values, reasons = suggested(data, {})
    assert (values["k"], values["m"], values["max_cluster_size"]) == (k, 2, size)
    assert len(reasons) == 3
    assert cv.Disassociation(**values)


@pytest.mark.slow
def test_public_document_tells_no_single_person_and_no_other_release():
    data = cv.sample("clinic")
    other = cv.Disassociation(k=3).anonymise(data).release
    audit = Audit(
        cv.Disassociation(k=2, max_cluster_size=3), cv.Knowledge(releases=(other,)), effort=Effort().quick()
    )
    report = audit.run(data)
    owner, public = report.to_dict(), report.to_dict("public")
    assert owner["groups"] >= 100
    assert any(risk["threat"] == "another release" for risk in owner["risks"])
    assert not any(risk["threat"] == "another release" for risk in public["risks"])
    assert not any(
        "candidates" in risk["sentence"].split("among")[0]
        for risk in public["risks"]
        if risk["linkage"] == "record"
    )
    assert any(measure["name"] == "records published" for measure in owner["utility"]["measures"])
    assert not any(measure["name"] == "records published" for measure in public["utility"]["measures"])


def test_more_than_repair_is_proposed_where_repair_may_not_do():
    family, method = family_of(cv.Disassociation()), cv.Disassociation(k=5, max_cluster_size=30)
    risk = Threat("method", "how", "attribute", "share", None).risk(attacker=Estimate(0.1), broken=2)
    proposed = family.remedies(method, (risk,), 0.2)
    assert list(proposed) == [
        "--safe cover",
        "--max-cluster-size 120",
        "--safe cover --max-cluster-size 120",
        "--safe cover --max-cluster-size 120 -k 10",
    ]
    assert all(("--safe" in words) == (remedy.safe == "cover") for words, remedy in proposed.items())
    whole = Threat("m", "h", "attribute", "s", None).risk(attacker=Estimate(0.3))
    assert not any("--safe" in words for words in family.remedies(method, (whole,), 0.2))


def test_another_release_that_no_attack_can_use_is_named_by_every_kind():
    """An attacker that is left out without a word would look like one that was tried and found nothing."""
    import pyarrow as pa

    import cloven as cv
    from cloven.threats import Knowledge

    table = cv.read_table(
        pa.table({"age": ["1", "2"] * 5, "ill": ["a", "b"] * 5}), cv.Schema.of(["age"], ["ill"])
    )
    of_table = cv.Mondrian(k=2).anonymise(table).release
    of_sets = cv.Disassociation(k=2).anonymise(cv.Transactions.from_records([["a", "b"]] * 6)).release
    cases = [
        (cv.Disassociation(), of_table),
        (cv.Coat(policy=cv.Policy(protected=(("a",),))), of_table),
        (cv.Mondrian(), of_sets),
    ]
    for method, other in cases:
        found = [
            threat
            for threat in family_of(method).threats(method, Knowledge(releases=(other,)))
            if threat.name == "another release"
        ]
        assert len(found) == 1
        assert type(other).__name__ in found[0].knows
