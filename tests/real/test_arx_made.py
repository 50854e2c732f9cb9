"""Tables that ARX made, audited against their originals: k, l and t as pyCANON measures them, and the verdict.

The files are those of pyCANON's own examples, with the roles it gives them.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from cloven.audit.foreign import audit_published
from cloven.data.schema import Column, Schema
from cloven.kinds.tables.cells import shown_release
from cloven.kinds.tables.foreign.table import read_foreign
from cloven.kinds.tables.verify.checker import verify_table

pytestmark = pytest.mark.data

ADULT = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex capital-gain"
    " capital-loss hours-per-week native-country salary-class"
)


@dataclass(frozen=True)
class Original:
    """What a table was made from, and the roles of its columns."""

    file: str
    known: str
    sensitive: str
    naming: tuple[str, ...] = ()
    schema: Schema | None = None


def adult_schema():
    known = ("age", "education", "occupation", "relationship", "sex", "native-country")
    columns = [Column(name, "quasi-identifier", None if name == "age" else "category") for name in known]
    return Schema(
        (*columns, Column("salary-class", "sensitive")), missing="keep", header=tuple(ADULT.split())
    )


STROKE = Original(
    "arx_made/healthcare-dataset-stroke-data.csv.gz",
    "gender age hypertension heart_disease ever_married work_type Residence_type smoking_status",
    "stroke",
    ("id",),
)
STUDENTS = Original(
    "arx_made/StudentsMath_Score.csv.gz", "Teacher Gender Ethnic Freeredu wesson", "Score", ("Student",)
)
DRUGS = Original("arx_made/drug_type.csv.gz", "Age Sex BP Cholesterol Na_to_K", "Drug")
UCI = Original(
    "uci_adult/adult.data.gz",
    "age education occupation relationship sex native-country",
    "salary-class",
    schema=adult_schema(),
)
MADE = {
    "stroke_k2": (STROKE, 2, 1),
    "stroke_k5": (STROKE, 5, 1),
    "stroke_k10": (STROKE, 10, 1),
    "stroke_k5_anonymized_l2": (STROKE, 5, 2),
    "StudentsMath_Score_k2": (STUDENTS, 2, 2),
    "StudentsMath_Score_k5": (STUDENTS, 5, 4),
    "StudentsMath_Score_k5_anonymized_l5": (STUDENTS, 5, 5),
    "StudentsMath_Score_k7": (STUDENTS, 7, 6),
    "drugs_k5": (DRUGS, 5, 2),
    "adult_anonymized_3": (UCI, 3, 1),
    "adult_anonymized_10": (UCI, 10, 1),
}


@pytest.fixture
def made(data_dir):
    def find(name):
        original = MADE[name][0]
        places = (
            data_dir / "relational" / "arx_made" / f"{name}.csv.gz",
            data_dir / "relational" / original.file,
        )
        for place in places:
            if not place.exists():
                pytest.skip(f"no {place}")
        return places

    return find


@pytest.mark.parametrize("name", MADE)
def test_roles_people_and_figures_are_found(made, name):
    original, k, l = MADE[name]
    found = read_foreign(*made(name), original.schema)
    assert (found.k, found.diversities[0].distinct) == (k, l)
    assert found.names == original.naming
    assert set(found.data.names("quasi-identifier")) == set(original.known.split())
    assert found.data.names("sensitive") == (original.sensitive,)
    assert found.compared.lost == 0
    assert found.judged == k
    assert found.crossed == ()
    assert (found.loose, found.strange) == ((), ())
    verdict = verify_table(shown_release(found.result.release), found.data, found.result.key)
    assert verdict.ok, verdict


def test_oddities_of_real_files_are_told(made):
    drugs = read_foreign(*made("drugs_k5"))
    assert [(name, cell.text) for name, cell, _ in drugs.compared.unread] == [("Na_to_K", "[87, 38.248[")]
    stroke = read_foreign(*made("stroke_k5"))
    name, cell = stroke.compared.learned[0]
    ages = [float(stroke.data.attributes[1].values[code]) for code in cell.codes]
    assert (name, cell.text) == ("age", "0")
    assert max(ages) < 2  # ages in months were published as 0, up to the second birthday


@pytest.mark.slow
@pytest.mark.parametrize("name", MADE)
def test_pycanon_measures_the_same(made, name):
    anonymity = pytest.importorskip("pycanon.anonymity", reason="pip install --no-deps pycanon")
    pandas = pytest.importorskip("pandas")
    published, original = made(name)
    roles, known = MADE[name][0], MADE[name][0].known.split()
    found = read_foreign(published, original, roles.schema)
    ours = found.diversities[0]
    frame = pandas.read_csv(published)
    assert anonymity.k_anonymity(frame, known) == found.k
    assert anonymity.l_diversity(frame, known, [roles.sensitive]) == ours.distinct
    # It rounds the entropy down to a whole number; exactly 2 may come out as 1 there.
    theirs = anonymity.entropy_l_diversity(frame, known, [roles.sensitive])
    assert theirs in (int(ours.entropy + 1e-9), int(ours.entropy - 1e-9))
    assert anonymity.t_closeness(frame, known, [roles.sensitive]) == pytest.approx(ours.t)


@pytest.mark.slow
@pytest.mark.parametrize("name", MADE)
def test_none_of_them_is_to_be_published_and_the_reason_is_named(made, name):
    original, k, l = MADE[name]
    report = audit_published(*made(name), original.schema)
    reasons = " ".join(map(str, report.decision.reasons))
    assert report.decision.verdict == "do not publish"
    assert ("finds the rows of the people on it" in reasons) is bool(original.naming)
    assert (f"{original.sensitive} is certain" in reasons) is (l == 1)
    assert (f"k = {k} is little" in reasons) is (k < 3)
    tried = {risk.threat for risk in report.risks if not risk.not_tried} - {"nearest ranges"}
    assert tried == {
        "names left in",
        "known person",
        "learns from the table",
        "a person's row",
        "being in the table",
    }
    row = next(risk for risk in report.risks if risk.threat == "a person's row")
    assert row.details["least"] == k
