"""Set-generalised releases in an audit: threats, utility on the scale of disassociation, remedies, what is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import cloven as cv
from cloven.audit.decision import Limits
from cloven.audit.loop import Audit
from cloven.data.taxonomy import Taxonomy
from cloven.disclosure.risk import Estimate
from cloven.kinds.generalised.attack.frequency import FrequencyElimination
from cloven.kinds.generalised.kind import GeneralisationFamily
from cloven.kinds.generalised.methods.assembly import assemble
from cloven.kinds.generalised.threats import (
    another_release,
    guesses_by_frequency,
    known_person,
    protected_itemsets,
    release_alone,
    sampled,
    word_meanings,
)
from cloven.kinds.generalised.words import cautions, summary, unchanged_alone
from cloven.registry import family_of
from cloven.settings import setting
from cloven.statistics.outsiders import Outsiders

QUICK = cv.Effort().quick()


@pytest.fixture(scope="module")
def data():
    return cv.sample("clinic")


@pytest.fixture(scope="module")
def result(data):
    return cv.Coat(k=5, m=1).anonymise(data)


def lots():
    return np.random.default_rng(1)


def test_threats_follow_what_is_promised(data):
    family = GeneralisationFamily()
    other = cv.Disassociation(k=3).anonymise(data).release
    knowledge = cv.Knowledge(cv.relatedness.Vectors.sample(), (other, "no release"))
    assert [threat.name for threat in family.threats(cv.Coat(m=2), knowledge)] == [
        "a known person", "2 items of a person", "3 items of a person", "5 items of a person", "release alone",
        "guesses by frequency", "word meanings", "another release", "another release (2)", "being in it",
    ]  # fmt: skip
    listed = cv.Coat(policy=cv.Policy((("cough", "fever"),)))
    assert [threat.name for threat in family.threats(listed, cv.Knowledge())] == [
        "a known person", "protected itemset of a person", "1 item of a person", "3 items of a person", "release alone",
        "guesses by frequency", "being in it",
    ]  # fmt: skip


@pytest.mark.parametrize("size", [1, 2])
def test_known_items_leave_k_candidates_where_that_is_promised(data, size):
    result = cv.Coat(k=5, m=size).anonymise(data)
    kept = cv.known_items(size, promised=True).try_on(data, result, lots(), QUICK)
    assert kept.details["least"] >= 5
    assert (kept.broken, kept.counts) == (0, True)
    assert kept.attacker.value <= 0.2
    more = cv.known_items(size + 2, promised=False).try_on(data, result, lots(), QUICK)
    assert not more.counts
    assert more.attacker.value > kept.attacker.value


def test_a_release_that_breaks_its_promise_is_seen(data, result):
    broken = replace(result, release=replace(result.release, k=50))
    risk = cv.known_items(1, promised=True).try_on(data, broken, lots(), QUICK)
    assert risk.broken > 0


def test_protected_itemsets_are_looked_up(data):
    policy = cv.Policy((("cough", "fever"), ("absent", "cough"), ("rash", "tumour")))
    result = cv.Coat(k=5, policy=policy, ignore_unknown=True).anonymise(data)
    risk = protected_itemsets(policy).try_on(data, result, lots(), QUICK)
    assert risk.details["least"] >= 5
    assert risk.count <= 2
    nobody = protected_itemsets(cv.Policy((("absent",),))).try_on(data, result, lots(), QUICK)
    assert nobody.not_tried == "nobody has a protected itemset"


def test_words_tell_merged_items_apart_and_the_release_alone_does_not(data, result):
    alone = release_alone().try_on(data, result, lots(), QUICK)
    assert alone.attacker.value == pytest.approx(alone.guessing.value)
    assert not alone.beats
    words = word_meanings(cv.relatedness.Vectors.sample()).try_on(data, result, lots(), QUICK)
    assert words.beats
    assert words.attacker.value > words.guessing.value > alone.guessing.value > 0.3
    assert words.attacker.low > alone.guessing.value
    assert words.control.value < words.attacker.low
    assert "calibration" in words.details


def shop():
    """One article that half of the people buy, merged with ones that hardly anybody buys."""
    draw = np.random.default_rng(5)
    rows = []
    for number in range(600):
        row = {f"usual {draw.integers(4)}"}
        if draw.random() < 0.5:
            row.add("milk")
        if number % 12 == 0:
            row.add(f"rare {number // 12 % 5}")
        rows.append(row)
    data = cv.Transactions.from_records(rows)
    merged = [0 if name == "milk" or name.startswith("rare") else number + 1
              for number, name in enumerate(data.vocabulary)]  # fmt: skip
    return data, assemble(data, np.array(merged), k=5, parameters={})


@dataclass(frozen=True)
class Merging:
    """Merges what is not usual."""

    k: int = 5

    def anonymise(self, data, progress=None):
        merged = [
            number + 1 if name.startswith("usual") else 0 for number, name in enumerate(data.vocabulary)
        ]
        return assemble(data, np.array(merged), k=5, parameters={})


def test_who_knows_how_common_items_are_names_them():
    data, made = shop()
    outsiders = Outsiders(data, Merging(), 2, 1)
    risk = guesses_by_frequency().try_on(data, made, lots(), QUICK, outsiders=outsiders)
    alone = release_alone().try_on(data, made, lots(), QUICK)
    assert risk.counts
    assert not risk.outside
    assert risk.attacker.value > 0.8 > 0.3 > alone.attacker.value  # milk, against one in six
    assert risk.guessing.value < 0.3
    assert "drawing lots gets" in risk.public.sentence
    assert risk.exceeds(0.2)


def test_nobody_is_guessed_at_whose_record_taught_the_frequencies(monkeypatch):
    data, made = shop()
    outsiders = Outsiders(data, Merging(), 4, 1)
    seen = {}

    def guess(self, release, rng=None, progress=None):
        seen["people"], seen["rows"] = self.frequencies.people, release.records
        return FrequencyElimination.guess_(self, release, rng, progress)

    monkeypatch.setattr(FrequencyElimination, "guess_", FrequencyElimination.guess, raising=False)
    monkeypatch.setattr(FrequencyElimination, "guess", guess)
    guesses_by_frequency().try_on(data, made, lots(), QUICK, outsiders=outsiders)
    assert seen == {"people": 240, "rows": 360}  # two of four divisions: half of the people at most


def test_without_anybody_else_frequencies_are_not_known(data, result):
    risk = guesses_by_frequency().try_on(data, result, lots(), QUICK)
    assert risk.not_tried.startswith("nobody outside the release")
    assert risk.missing


def test_a_known_person_is_asked_about_in_and_out_of_a_release(data):
    method = cv.Coat(k=5, m=2)
    made = method.anonymise(data)
    risk = known_person(2).try_on(data, made, lots(), QUICK, outsiders=Outsiders(data, method, 1, 1))
    assert None not in (risk.attacker, risk.outsiders, risk.excess, risk.population)
    assert [tail.name for tail in risk.tails] == ["told at 0.95", "certain"]
    assert risk.counts
    assert {way["reader"] for way in risk.details["ways"]} == {"rows", "rows by frequency"}


def test_another_release_tells_them_apart(data, result):
    others = (
        cv.Disassociation(k=2, m=2, max_cluster_size=10).anonymise(data).release,
        cv.Pcta(k=2, m=1).anonymise(data).release,
    )
    alone = release_alone().try_on(data, result, lots(), QUICK)
    for other in others:
        risk = another_release(other).try_on(data, result, lots(), QUICK)
        assert risk.attacker.value > alone.guessing.value
        assert risk.guessing.value > alone.guessing.value  # it stands beside frequencies, not beside lots
    assert "k=2, m=1" in another_release(others[1]).knows


def test_where_nothing_is_merged_there_is_nothing_to_guess(data):
    result = cv.Coat(k=2, policy=cv.Policy((("cough",),))).anonymise(data)
    assert (
        release_alone()
        .try_on(data, result, lots(), QUICK)
        .not_tried.startswith("nothing to attack: nothing is split off")
    )


def test_a_sample_of_the_rows_is_a_release_with_its_key(data, result):
    part = sampled(result, 100, lots())
    assert 0 < part.release.records < result.release.records
    cells = (
        part.release.block_sizes[part.release.row_blocks]
        * (part.release.block_sizes[part.release.row_blocks] > 1)
    ).sum()
    assert cells <= 100
    rows = np.searchsorted(np.sort(result.key.records), np.sort(part.key.records))
    assert len(np.unique(rows)) == part.release.records
    for number in range(part.release.records):
        items = part.key.items[part.key.offsets[number] : part.key.offsets[number + 1]]
        shown = {item for block in part.release.row(number) for item in block}
        assert {part.release.vocabulary[item] for item in items.tolist()} <= shown
    assert sampled(result, 10**9, lots()) is result


def test_utility_has_the_headline_of_disassociation(data, result):
    family = GeneralisationFamily()
    found = family.utility(data, result, QUICK, lots())
    other = family_of(cv.Disassociation()).utility(data, cv.Disassociation().anonymise(data), QUICK, lots())
    assert found.headline == other.headline == "frequent combinations kept"
    shared = {each.name for each in found.measures} & {each.name for each in other.measures}
    assert {
        "frequent combinations kept",
        "items kept",
        "pairs kept",
        "tKd",
        "re",
        "records published",
    } <= shared
    coarse = family.utility(data, cv.Coat(k=5, m=2).anonymise(data), QUICK, lots())
    assert coarse.score() < found.score()
    assert coarse.get("NCP").value > found.get("NCP").value


def test_remedies_hide_more_and_pcta_may_keep_more(data):
    family = GeneralisationFamily()
    risk = release_alone().risk(attacker=Estimate(0.9))
    found = family.remedies(cv.Coat(k=5, m=2, max_suppressed=0.1), (risk,), 0.2)
    assert list(found) == ["-k 10", "-m 3", "pcta:k=5,m=2"]
    assert [setting(method) for method in found.values()] == [
        "coat:k=10,max_suppressed=0.1,m=2", "coat:k=5,max_suppressed=0.1,m=3", "pcta:k=5,max_suppressed=0.1,m=2",
    ]  # fmt: skip
    assert list(family.remedies(cv.Pcta(), (), 0.2)) == []
    taxonomy = Taxonomy.from_rows([["flu", "*"]])
    assert list(family.remedies(cv.AprioriKm(taxonomy=taxonomy), (risk,), 0.2)) == ["-k 10", "-m 3"]


def test_cautions_say_what_to_do(data):
    policy = cv.Policy((("cough", "fever"), ("abscess",)), groups=(("some", ("cough", "fever")),))
    method = cv.Coat(k=40, policy=policy, max_suppressed=0.1, reading="empty-is-enough", seeded=True)
    result = method.anonymise(data)
    told = " ".join(cautions(summary(data, result), method))
    for words in (
        "only 2 listed itemsets",
        "empty-is-enough",
        "suppressed",
        "drawn with a seed",
        "held by fewer than k",
    ):
        assert words in told
    plain = cv.Coat(k=5, m=2)
    assert cautions(summary(data, plain.anonymise(data)), plain) == []


def test_sizes_are_groups_of_equal_rows(data):
    release = cv.Pcta(k=5, m=2).anonymise(data).release
    sizes = GeneralisationFamily().sizes(release)
    counts: dict[tuple, int] = {}
    for row in release:
        counts[row] = counts.get(row, 0) + 1
    assert sorted(sizes) == sorted(counts.values())


# Rows are whole, so that who knows more than is promised reads all the others off them.


@pytest.fixture(scope="module")
def answers():
    """Twenty questions with five answers each: any two are common, all together are one person's alone."""
    rng = np.random.default_rng(2)
    return cv.Transactions.from_records(
        [f"{question} {answer}" for question, answer in enumerate(row)]
        for row in rng.integers(5, size=(1_000, 20)).tolist()
    )


def test_rows_that_are_published_as_they_were_are_not_published(answers):
    report = Audit(cv.Coat(k=5, m=2), effort=QUICK, advise=False, seed=1).run(answers)
    assert report.decision.verdict == "do not publish"
    reasons = [str(reason) for reason in report.decision.reasons]
    assert any("100.0 % of the people the whole record is published as it is" in reason for reason in reasons)
    assert any("disassociation" in reason for reason in reasons)
    five = next(risk for risk in report.outcome.risks if risk.threat == "5 items of a person")
    assert five.counts
    assert five.exceeds(0.2)
    assert any(reason.risk == five for reason in report.decision.reasons)


def test_more_known_items_than_promised_are_held_to_the_limit_of_all_and_not_to_k(answers):
    result = cv.Coat(k=5, m=2).anonymise(answers)
    beyond = family_of(cv.Coat(m=2)).threats(cv.Coat(k=5, m=2), cv.Knowledge())[2]
    risk = beyond.try_on(answers, result, lots(), QUICK)
    assert (risk.counts, risk.promised, risk.broken) == (True, False, 0)
    assert Limits(max_risk=0.5).limit_of(risk, 5) == 0.5


def test_rows_count_as_unchanged_if_no_other_is_equal_and_nothing_is_merged_or_lost():
    records = [*([["a", "b"]] * 5), *([["a", "c"]] * 4), ["a"], ["b", "c"], ["a", "b", "c"]]
    data = cv.Transactions.from_records(records)
    result = cv.Coat(k=4, m=1).anonymise(data)
    assert (result.release.block_sizes == 1).all()
    assert unchanged_alone(data, result) == pytest.approx(3 / 12)
    merged = cv.Coat(k=5, m=2).anonymise(cv.sample("clinic"))
    assert unchanged_alone(cv.sample("clinic"), merged) < 0.05


def test_being_in_it_speaks_against_publishing_where_most_are_found(answers):
    method = cv.Coat(k=5, m=2)
    outsiders = Outsiders(answers, method, 1, 1)
    found = family_of(method).threats(method, cv.Knowledge())[-1]
    risk = found.try_on(answers, method.anonymise(answers), lots(), QUICK, None, outsiders)
    assert risk.details["found"] >= 0.5
    assert "are found at 1 % false alarms" in risk.doubt
    assert not risk.counts
    assert Limits().passed_at((risk,), 5)
