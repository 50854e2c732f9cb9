"""Tables as other tools write them, read beside their originals: roles, people, figures, oddities."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloven.audit.decision import Limits
from cloven.audit.foreign import audit_published
from cloven.data.schema import Column, Schema
from cloven.errors import InputError, ParameterError
from cloven.kinds.tables.cells import shown_release
from cloven.kinds.tables.foreign.notes import objections, remarks
from cloven.kinds.tables.foreign.table import read_foreign
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.methods.slicing import Slicing
from cloven.kinds.tables.verify.checker import verify_table
from cloven.kinds.tables.verify.promise import counted, group_of_row
from cloven.kinds.tables.whole_rows import whole_rows
from cloven.reading.tables import read_table
from cloven.standards.claim import Claim
from cloven.standards.context import Context
from cloven.standards.standard import standard
from cloven.threats import Effort

KNOWN = ("age", "sex")
SCHEMA = Schema.of(KNOWN, ["illness"])


def people(rows=120, seed=1):
    rng = np.random.default_rng(seed)
    return {
        "id": [f"P{number:03d}" for number in range(rows)],
        "age": rng.integers(20, 60, rows).tolist(),
        "sex": rng.choice(["f", "m"], rows).tolist(),
        "illness": rng.choice(["flu", "gout", "mumps", "zoster"], rows).tolist(),
    }


def coarse(original, form="[{}, {}[", width=20):
    """The same with ages in ranges, and without names."""
    low = [age // width * width for age in original["age"]]
    return {
        "age": [form.format(each, each + width) for each in low],
        "sex": original["sex"],
        "illness": original["illness"],
    }


def shuffled(columns, seed=3):
    order = np.random.default_rng(seed).permutation(len(columns["age"]))
    return {name: [values[at] for at in order] for name, values in columns.items()}


def read(published, original, schema=None):
    return read_foreign(pa.table(published), pa.table(original), schema)


def said(found):
    return " ".join(map(str, objections(found)))


@pytest.mark.parametrize("form", ["[{}, {}[", "[{}, {})", "[{},{})"])
def test_a_generalised_table_is_read_and_verified(form):
    original = people()
    found = read(shuffled(coarse(original, form)), original)
    roles = {column.name: column.role for column in found.roles.schema.columns}
    assert roles == {"age": "quasi-identifier", "sex": "quasi-identifier", "illness": "sensitive"}
    assert found.compared.links.way == "fit"
    assert found.compared.lost == 0
    release = found.result.release
    assert found.k == np.bincount(group_of_row(release)).min()
    place = [domain.name for domain in release.domains].index("illness")
    shown = counted(group_of_row(release), release.cells[:, [place]])
    assert found.diversities[0].distinct == (shown > 0).sum(axis=1).min()
    assert verify_table(shown_release(release), found.data, found.result.key).ok


@pytest.mark.parametrize("in_the_original", [True, False])
def test_an_address_that_two_rows_share_is_a_name(in_the_original):
    original = people()
    contact = [f"family{number // 2}@example.org" for number in range(len(original["age"]))]
    published = coarse(original) | {"contact": contact}
    found = read(published, original | {"contact": contact} if in_the_original else original)
    assert found.names == ("contact",)
    assert "contact: names people (holds e-mail addresses)" in found.roles.assumed or not in_the_original
    report = audit_published(pa.table(published), pa.table(original | {"contact": contact}))
    assert report.decision.verdict != "publish"
    assert any("contact" in risk.sentence for risk in report.outcome.risks)


def test_coarse_columns_and_few_values_are_no_names():
    original = people()
    assert read(coarse(original), original).names == ()


def test_everybody_behind_a_row_fits_it():
    original = people()
    found = read(shuffled(coarse(original)), original)
    release, records = found.result.release, found.result.key.records[:, 0]
    for place, attribute in enumerate(found.data.attributes):
        domain = release.domains[place]
        for row, person in enumerate(records.tolist()):
            cell = release.cells[row, place]
            held = domain.members[domain.member_offsets[cell] : domain.member_offsets[cell + 1]]
            assert found.data.codes[person, place] in held, attribute.name


def test_suppressed_rows_are_people_outside():
    original = people()
    published = {name: values[:90] for name, values in coarse(original).items()}
    found = read(shuffled(published), original)
    assert len(found.result.key.suppressed) == 30
    assert any("30 rows of the original (25 %) not in the release" in line for line in remarks(found))


def test_local_suppression_of_sdcmicro_is_no_value():
    """``NA`` where a value was taken out, ranges of ``cut``; the file keeps the order of the original."""
    original = people()
    low = [(age - 1) // 20 * 20 for age in original["age"]]
    published = {
        "age": [None if at % 17 == 0 else f"({each},{each + 20}]" for at, each in enumerate(low)],
        "sex": ["NA" if at % 13 == 0 else sex for at, sex in enumerate(original["sex"])],
        "illness": original["illness"],
    }
    found = read(published, original, SCHEMA)
    assert found.compared.links.way == "order"
    assert found.compared.lost == 0
    assert "Rows stand in the order of the original" in said(found)
    assert "shuffle the rows" in said(found)
    assert "in the order of the original" not in said(read(shuffled(published), original, SCHEMA))
    hidden = next(domain for domain in found.result.release.domains if domain.name == "sex")
    assert [len(held) for held in np.split(hidden.members, hidden.member_offsets[1:-1])].count(2) == 1
    assert verify_table(shown_release(found.result.release), found.data, found.result.key).ok


def test_a_value_that_was_taken_out_hides_among_all():
    """Counted by what rows look like, one that lacks a value stands alone; counted by what fits it does not."""
    original = people(600)
    published = coarse(original)
    published["sex"] = ["NA" if at == 5 else sex for at, sex in enumerate(published["sex"])]
    found = read(shuffled(published), original, SCHEMA)
    assert found.k == 1
    assert found.fits.rows > 50
    assert found.fits.people > 100
    assert any("rows look alike in classes of 1 or more, but" in line for line in remarks(found))
    assert verify_table(shown_release(found.result.release), found.data, found.result.key).ok
    plainly = read(shuffled(coarse(original)), original, SCHEMA)
    assert plainly.fits.rows == plainly.fits.people == plainly.k


def test_missing_values_of_the_original_are_values():
    original = people()
    original["age"] = [None if at % 11 == 0 else age for at, age in enumerate(original["age"])]
    published = {
        "age": [
            "" if age is None else f"[{age // 20 * 20}, {age // 20 * 20 + 20}[" for age in original["age"]
        ],
        "sex": original["sex"],
        "illness": original["illness"],
    }
    found = read(shuffled({**published, "age": published["age"]}), original)
    assert found.compared.lost == 0
    assert verify_table(shown_release(found.result.release), found.data, found.result.key).ok


def test_names_that_were_left_in_are_found_and_used():
    original = people()
    found = read(shuffled({"id": original["id"], **coarse(original)}), original)
    assert found.names == ("id",)
    assert (found.compared.links.way, found.compared.links.by) == ("names", "id")


def test_numbers_of_rows_that_were_left_in_are_found():
    """As pandas does with ``reset_index``."""
    original = people()
    published = {"index": list(range(120)), **coarse(original)}
    kept = {name: [value for at, value in enumerate(values) if at % 9] for name, values in published.items()}
    found = read(shuffled(kept), original)
    assert found.names == ("index",)
    assert found.strange == ()
    assert found.compared.links.way == "names"


def test_ranges_that_hold_the_other_end_are_read_as_they_are_meant():
    """As ``generate_intervals`` of anjana 1.2.3 writes them: ``[20, 40)`` for whoever is 40, not 20."""
    original = people()
    low = [(age - 1) // 20 * 20 for age in original["age"]]
    published = {**coarse(original), "age": [f"[{each}, {each + 20})" for each in low]}
    found = read(shuffled(published), original)
    assert found.compared.turned == ("age",)
    assert found.compared.lost == 0
    assert any("hold the other end than they say" in line for line in remarks(found))


def test_cells_that_only_the_people_behind_them_explain_are_learned():
    original = people()
    decades = [f"about {age // 10 * 10}" for age in original["age"]]
    found = read(shuffled({"id": original["id"], **coarse(original), "age": decades}), original)
    assert found.compared.unread == ()
    name, cell = found.compared.learned[0]
    assert name == "age"
    ages = {found.data.attributes[0].values[code] for code in cell.codes}
    assert {int(age) // 10 for age in ages} == {int(cell.text.split()[1]) // 10}
    assert any("is no value of the original; the people behind it have" in line for line in remarks(found))


def test_cells_that_nobody_can_read_speak_against_publishing_unless_all_have_the_same():
    original = people()
    decades = ["old" if age > 40 else "young" for age in original["age"]]
    assert "Column 'age' shows 'old' and the like in 120 rows, which cannot be read" in said(
        read(shuffled({**coarse(original), "age": decades}), original)
    )
    same = read(shuffled({**coarse(original), "age": ["[87, 38.248["] * 120}), original)
    assert "cannot be read" not in said(same)
    assert any("'[87, 38.248[' of age (120 rows) cannot be read" in line for line in remarks(same))


def test_changed_values_speak_against_publishing():
    original = people()
    published = coarse(original)
    published["age"] = ["[20, 40[" if at < 20 else text for at, text in enumerate(published["age"])]
    told = said(read({"id": original["id"], **published}, original))
    assert "Column 'age' does not show what the person behind the row has in" in told
    assert "such as '[20, 40[' for '4" in told or "such as '[20, 40[' for '5" in told
    assert "fit nobody in the original" in said(read(shuffled(published), original))


def test_columns_without_a_role_speak_against_publishing():
    original = {**people(), "town": ["Graz", "Linz"] * 60}
    published = {**coarse(original), "town": original["town"], "weight": ["1", "2"] * 60}
    told = said(read(shuffled(published), original, SCHEMA))
    assert "Column 'town' is published and has no role" in told
    assert "Column 'weight' is published and not in the original" in told


def test_a_sensitive_column_must_show_values():
    original = people()
    with pytest.raises(ParameterError, match="'age' is sensitive and shows"):
        read(coarse(original), original, Schema.of(["sex", "illness"], ["age"]))


def test_a_hierarchy_of_the_schema_is_read():
    original = people()
    tree = {"ill": {"viral": ["flu", "mumps", "zoster"], "other": ["gout"]}}
    published = {
        "age": original["age"],
        "sex": original["sex"],
        "illness": ["other" if each == "gout" else "viral" for each in original["illness"]],
    }
    columns = (Column("illness", "quasi-identifier", tree=tree), Column("sex", "sensitive"))
    found = read(shuffled(published), original, Schema((*columns, Column("age", "quasi-identifier"))))
    assert found.compared.unread == ()
    assert verify_table(shown_release(found.result.release), found.data, found.result.key).ok


@pytest.mark.parametrize(
    ("published", "original", "told"),
    [
        ({"height": ["1"]}, {"age": ["1"]}, "shares no column with the original"),
        ({"age": ["1", "2"]}, {"age": ["1"]}, "has 2 rows, and the original frame has 1"),
        ({"age": pa.array([], pa.string())}, {"age": ["1"]}, "no rows below the header"),
    ],
)
def test_files_that_do_not_belong_together_are_refused(published, original, told):
    with pytest.raises(InputError, match=told):
        read(published, original)


def test_a_table_of_other_people_is_refused():
    schema = Schema.of(["age", "sex"])
    others = {"age": ["2"] * 4, "sex": ["f"] * 4}
    with pytest.raises(InputError, match="75% of the rows fit nobody"):
        read(others, {"age": ["1", "1", "1", "2", "1"], "sex": ["f"] * 5}, schema)


def test_persons_are_counted_where_the_schema_names_them():
    original = people()
    original["id"] = [f"P{number // 3}" for number in range(120)]
    schema = Schema((*SCHEMA.columns, Column("id", "person")))
    rows = read(shuffled(coarse(original)), original, SCHEMA)
    persons = read(shuffled(coarse(original)), original, schema)
    assert persons.k < rows.k
    assert persons.fits.fewest == persons.k
    assert verify_table(shown_release(persons.result.release), persons.data, persons.result.key).ok


@given(st.integers(2, 6), st.integers(0, 10))
def test_our_own_tables_are_read_back_with_their_k(k, seed):
    original = pa.table(people(60, seed))
    release = Mondrian(k=k).anonymise(read_table(original, SCHEMA)).release
    found = read_foreign(whole_rows(release), original, SCHEMA)
    assert found.k >= k
    assert found.compared.lost == 0
    assert found.compared.unread == ()


def test_sliced_tables_are_refused():
    release = Slicing(k=5, l=2).anonymise(read_table(pa.table(people()), SCHEMA)).release
    with pytest.raises(ParameterError, match="cut into parts"):
        whole_rows(release)


# The audit itself.


def test_a_table_that_hides_people_may_be_published_if_the_roles_are_given():
    original = people(2400)
    published = pa.table(shuffled(coarse(original)))
    report = audit_published(published, pa.table(original), SCHEMA)
    assert report.decision.verdict == "publish", report.decision.reasons
    assumed = audit_published(published, pa.table(original))
    assert assumed.decision.verdict == "do not publish"
    assert [str(reason)[:46] for reason in assumed.decision.reasons] == [
        "What the columns are was found, not given, and"
    ]


def test_local_suppression_is_judged_by_what_fits():
    """A row without a value stands alone by its looks; that tells of nobody, unless all that fits somebody agrees."""
    original = people(2400)
    published = coarse(original)
    published["sex"] = ["NA" if at % 600 == 5 else sex for at, sex in enumerate(published["sex"])]
    report = audit_published(pa.table(shuffled(published)), pa.table(original), SCHEMA)
    method = report.audit.method
    assert method.table.k < 3 <= method.k == method.parameters["k"]
    assert method.parameters["k by looks"] == method.table.k
    assert report.decision.verdict == "publish", report.decision.reasons
    claim = Claim(standard("ema"), Context("everybody", "research", "public", "us@clinic.example"))
    filed = audit_published(
        pa.table(shuffled(published)), pa.table(original), SCHEMA, limits=Limits(claim=claim)
    )
    assert not any("promises" in str(reason) for reason in filed.decision.reasons)
    original["illness"] = [
        "gout" if sex == "f" and age >= 40 else ill
        for age, sex, ill in zip(original["age"], original["sex"], original["illness"], strict=True)
    ]
    alike = {**published, "illness": original["illness"]}
    alike["sex"] = [
        "NA" if at % 600 == 5 and ill == "gout" else sex
        for at, (sex, ill) in enumerate(zip(original["sex"], original["illness"], strict=True))
    ]
    report = audit_published(pa.table(shuffled(alike)), pa.table(original), SCHEMA)
    assert report.decision.verdict == "do not publish"
    assert any("illness is certain" in str(reason) for reason in report.decision.reasons)


def drawn_around(rows=400, below=15, above=15):
    """Ages and postcodes as ranges around each value, and the original."""
    rng = np.random.default_rng(3)
    original = {**people(rows), "zip": rng.integers(10_000, 20_000, rows).tolist()}
    published = {
        "age": [f"[{age - below}, {age + above}]" for age in original["age"]],
        "zip": [f"[{code - 200 * below}, {code + 200 * above}]" for code in original["zip"]],
        "sex": original["sex"],
        "illness": original["illness"],
    }
    return shuffled(published), original


@pytest.mark.parametrize(("below", "above", "point"), [(15, 15, "middle"), (0, 30, "low end")])
def test_ranges_around_a_value_do_not_hide_it(below, above, point):
    """Many people fit each row, and whoever takes the middle (or the end) finds nearly everybody."""
    published, original = drawn_around(400, below, above)
    schema = Schema.of(["age", "zip", "sex"], ["illness"])
    found = read(published, original, schema)
    assert found.k == found.judged == 1
    assert found.fits.fewest > 5 or below == 0  # who is oldest fits fewest ranges that begin at ages
    assert found.crossed == ("age", "zip")
    assert "Ranges of column 'age' overlap, so that their ends may tell who is meant" in said(found)
    assert not any("these are judged" in line for line in remarks(found))
    report = audit_published(pa.table(published), pa.table(original), schema, effort=Effort().quick())
    reasons = " ".join(map(str, report.decision.reasons))
    assert report.decision.verdict == "do not publish"
    assert "k = 1 is little" in reasons
    assert "illness is certain" in reasons
    near = next(risk for risk in report.risks if risk.threat == "nearest ranges")
    assert near.counts
    assert near.attacker.value > 0.9
    assert near.control.value < 0.1
    assert near.details["point"] == point


def test_ranges_of_classes_that_part_the_people_do_not_overlap():
    """Men are parted at 40 and women at 35; and one end in both ranges is no overlap."""
    original = people(600)
    parted = [(20, 40, 60) if sex == "m" else (20, 35, 60) for sex in original["sex"]]
    published = {
        "age": [
            f"[{ends[0]}, {ends[1]}]" if age <= ends[1] else f"[{ends[1]}, {ends[2]}]"
            for age, ends in zip(original["age"], parted, strict=True)
        ],
        "sex": original["sex"],
        "illness": original["illness"],
    }
    assert read(shuffled(published), original, SCHEMA).crossed == ()
    hidden = {**published, "sex": ["*"] * 600}
    assert read(shuffled(hidden), original, SCHEMA).crossed == ("age",)


def test_without_overlaps_the_nearest_ranges_tell_no_more_than_k():
    original = people(600)
    report = audit_published(
        pa.table(shuffled(coarse(original))), pa.table(original), SCHEMA, effort=Effort().quick()
    )
    risks = {risk.threat: risk for risk in report.risks}
    assert risks["nearest ranges"].attacker.value == pytest.approx(risks["a person's row"].attacker.value)
    assert risks["nearest ranges"].promised
    plain = {"age": original["age"], "sex": original["sex"], "illness": original["illness"]}
    report = audit_published(pa.table(shuffled(plain)), pa.table(original), SCHEMA, effort=Effort().quick())
    untried = next(risk for risk in report.risks if risk.threat == "nearest ranges")
    assert untried.not_tried
    assert not untried.counts


def test_a_class_with_one_value_is_named_though_k_is_large():
    original = people(600)
    original["illness"] = [
        "gout" if sex == "f" and age < 40 else ill
        for age, sex, ill in zip(original["age"], original["sex"], original["illness"], strict=True)
    ]
    report = audit_published(pa.table(shuffled(coarse(original))), pa.table(original), SCHEMA)
    assert report.audit.method.k > 50
    assert report.audit.method.l == 1
    assert report.decision.verdict == "do not publish"
    assert any("illness is certain" in str(reason) for reason in report.decision.reasons)


def test_names_left_in_are_an_attack_and_the_report_writes_no_release(tmp_path):
    original = people(300)
    published = pa.table(shuffled({"id": original["id"], **coarse(original)}))
    report = audit_published(published, pa.table(original), SCHEMA)
    named = next(risk for risk in report.risks if risk.threat == "names left in")
    assert named.attacker.value == 1.0
    assert "cloven tune" not in report.decision.sentence
    report.write(tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"report.html"}
    assert {path.name for path in (tmp_path / "out.private").iterdir()} == {"audit.json", "report.html"}
    shared = (tmp_path / "out" / "report.html").read_text()
    assert "P001" not in shared


def test_people_left_out_do_not_hide_what_is_told_of_the_others():
    """Of four people in five nothing is published; what is told of the rest counts in full."""
    original = people(1000)
    kept = [
        at
        for at, (age, sex) in enumerate(zip(original["age"], original["sex"], strict=True))
        if age >= 52 and sex == "f"
    ]
    original["illness"] = ["gout" if at in set(kept[:-1]) else "flu" for at in range(1000)]
    published = {name: [values[at] for at in kept] for name, values in coarse(original).items()}
    report = audit_published(pa.table(shuffled(published)), pa.table(original), SCHEMA)
    known = next(risk for risk in report.risks if risk.threat == "known person")
    assert known.attacker.value > 0.95
