"""What a table tells of known persons: members beside outsiders beside population, and each person by name."""

from __future__ import annotations

import numpy as np
import pytest

import cloven as cv
from cloven.data.table import Attribute, Table
from cloven.kinds.tables.guesses import ValueGuesses
from cloven.kinds.tables.score.truth import Truth, value_telling
from cloven.report.page import page

ILL = ("Flu", "Gout", "HIV", "Mumps", "Ulcer")


def villages(people: int = 1_000, seed: int = 2) -> Table:
    """Everybody of the first of 50 villages has one illness; elsewhere it goes by lot."""
    rng = np.random.default_rng(seed)
    village, ill = np.arange(people) % 50, rng.integers(0, 5, people)
    ill[village == 0] = 2
    attributes = (
        Attribute("village", "quasi-identifier", tuple(f"v{number:02d}" for number in range(50))),
        Attribute("illness", "sensitive", ILL),
    )
    return Table(attributes, np.column_stack([village, ill]).astype(np.int32), np.arange(people))


@pytest.fixture(scope="module")
def report():
    return cv.Audit(cv.Mondrian(k=10), advise=False, seed=1).run(villages())


def known_person(report):
    return next(risk for risk in report.risks if risk.threat == "known person")


def test_all_figures_of_a_known_person_are_there(report):
    risk = known_person(report)
    (way,) = risk.details["ways"]
    assert (way["known"], way["size"]) == ("quasi-identifiers, for illness", 1)
    assert set(way["told"]) == {"0.5", "0.8", "0.95"}
    assert set(way["precision"]["outsiders"]) == {"0.5", "0.8", "0.95"}
    assert 0.01 <= way["told"]["0.95"]["members"][0] <= 0.03, "one village in fifty"
    assert way["precision"]["members"]["0.95"] == 1.0
    assert risk.details["calibration"]["bins"]
    assert [tail.name for tail in risk.tails] == ["told at 0.95", "certain", "likeliest claim right"]
    assert risk.population is not None
    assert risk.outsiders.value > 0, "others of the village tell it as well"


def test_the_owner_sees_of_whom_most_is_told(report):
    risk = known_person(report)
    first = risk.details["people"][0]
    assert (first["known"], first["told"], first["certain"]) == (["village = v00"], "illness = HIV", True)
    assert first["record"] % 50 == 0
    counts = [row["people"] for row in risk.details["histogram"]]
    assert sum(counts) == risk.details["people_of"]
    assert counts[-1] == sum(person["alike"] for person in risk.details["people"] if person["certain"])
    html = page(report.to_dict())
    assert "The people of whom most is told" in html
    assert "village = v00" in html
    public = page(report.to_dict("public"))
    assert "v00" not in public
    assert "HIV" not in public


def test_rows_of_other_people_tell_the_population(report):
    """Two hundred rows of the others hold four of the village, who all have it: that is no harm of the release."""
    risk = known_person(report)
    assert 0.01 <= risk.population.value <= 0.08


def test_guessing_right_too_often_is_judged_as_guesses_are():
    """With two values a bucket everybody is told nothing at 0.8, and half of all guesses are right."""
    rng = np.random.default_rng(4)
    houses = Attribute("house", "quasi-identifier", tuple(f"h{number:03d}" for number in range(600)))
    codes = np.column_stack([np.arange(600), rng.integers(0, 5, 600)]).astype(np.int32)
    data = Table((houses, Attribute("illness", "sensitive", ILL)), codes, np.arange(600))
    report = cv.Audit(cv.Anatomy(l=2), advise=False, seed=1).run(data)
    assert all(tail.excess.value < 0.01 for tail in known_person(report).tails[:2])
    assert report.decision.verdict == "do not publish"
    reasons = [str(reason) for reason in report.decision.reasons]
    assert any("likeliest claim right for" in reason and "20.0 % is too much" in reason for reason in reasons)


def test_every_person_of_a_table_is_in_the_frame_once():
    data = villages(200)
    frame = cv.person_risk(data, cv.Mondrian(k=4).anonymise(data).release)
    assert sorted(frame["record"].to_list()) == list(range(200))
    told = frame.filter(frame["certain"])
    assert {row["record"] for row in told.rows(named=True)} >= {0, 50, 100, 150}
    for row in told.rows(named=True):
        village, ill = data.codes[row["record"]]
        assert row["known"] == [f"village = v{village:02d}"]
        assert row["told"] == f"illness = {ILL[ill]}"
    least = frame.row(-1, named=True)
    assert (least["told"], least["probability"]) == (None, 0.0) or least["probability"] >= 0.5


def test_a_table_without_a_sensitive_attribute_tells_nothing():
    data = villages(200)
    plain = Table(data.attributes[:1], data.codes[:, :1], data.source_rows)
    with pytest.raises(cv.ClovenError, match="no sensitive attribute"):
        cv.person_risk(plain, cv.Mondrian(k=4).anonymise(plain).release)


def test_telling_by_hand():
    confidence = np.array([[1.0, 0.0], [0.3, 0.7], [0.5, 0.5], [0.0, 1.0]])
    guesses = ValueGuesses(
        "illness", ("Flu", "Gout"), confidence > 0, confidence, np.array([0.5, 0.5]), np.ones((4, 1), np.int64),
        np.zeros(4, np.int8), {}, {},
    )  # fmt: skip
    told = value_telling(guesses, Truth(4, np.arange(4), ("Flu", "Flu", "Flu", "Mumps")))
    assert told.told.tolist() == [1.0, 0.3, 0.5, 0.0]
    assert told.certain.tolist() == [True, False, False, False], (
        "a wrong value that is left alone tells nothing"
    )
    assert told.stated.tolist() == [1.0, 0.7, 0.5, 1.0]
    assert told.best.tolist() == [True, False, True, False]
