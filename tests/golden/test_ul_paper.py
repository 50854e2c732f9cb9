"""Slicing and the upper/lower-level method against BinJubier et al. (2022), and cases small enough to do by hand."""

from __future__ import annotations

import csv
import gzip

import numpy as np
import pytest

from cloven.data.table import Attribute, Table, ValueTree
from cloven.errors import ParameterError
from cloven.kinds.tables.methods.columns import association, binned, contingency
from cloven.kinds.tables.methods.lots import lots_of
from cloven.kinds.tables.methods.slicing import Slicing
from cloven.kinds.tables.methods.swaps import compile_rules, meeting, rank_groups, swap_attribute
from cloven.kinds.tables.methods.ul import UL, generalise_cells
from cloven.kinds.tables.verify.checker import verify_table
from tests.laws.plain_chances import sensitive_chances


def table_of(columns, sensitive=(), trees=None):
    attributes, codes = [], []
    for name, texts in columns.items():
        values = tuple(sorted(set(texts)))
        role = "sensitive" if name in sensitive else "quasi-identifier"
        attributes.append(Attribute(name, role, values, None, (trees or {}).get(name)))
        codes.append([values.index(text) for text in texts])
    return Table(
        tuple(attributes), np.array(codes, np.int32).T.copy(), np.arange(len(codes[0]), dtype=np.int64)
    )


# --- Table 1: published data by slicing ---------------------------------------------------------------------------

TABLE_1 = table_of(
    {
        "age": ["30", "23", "28", "53", "39", "60"],
        "gender": ["F", "M", "F", "F", "F", "M"],
        "zip": ["130350", "130350", "130352", "130350", "130352", "130351"],
        "disease": ["ovarian cancer", "heart disease", "Flu", "heart disease", "Flu", "heart disease"],
    },
    sensitive=("disease",),
)
BUCKETS_1, COLUMNS_1 = np.array([0, 0, 0, 0, 1, 1]), ((0, 1), (2, 3))


def test_table_1_is_not_2_diverse_by_the_formula():
    """The paper says that zip 130350 gives 1/2. By the formula it gives 1/3 and 2/3; zip 130352 gives Flu for sure."""
    chances = sensitive_chances(TABLE_1, BUCKETS_1, COLUMNS_1)
    _flu, heart, ovarian = range(3)
    assert TABLE_1.attributes[3].values == ("Flu", "heart disease", "ovarian cancer")
    for person in (0, 1, 3):  # zip 130350, first bucket
        assert chances[person, ovarian] == pytest.approx(1 / 3)
        assert chances[person, heart] == pytest.approx(2 / 3)
    for person in (2, 4):  # zip 130352
        assert chances[person].tolist() == [1.0, 0.0, 0.0]
    assert chances[5, heart] == 1.0


def test_table_1_cannot_be_made_2_diverse_with_its_columns():
    with pytest.raises(ParameterError, match="l = 2 cannot be met"):
        Slicing(k=2, l=2, columns=(("age", "gender"), ("zip", "disease"))).anonymise(TABLE_1)
    alone = Slicing(k=2, l=2, columns=(("age", "gender"), ("zip",), ("disease",)))
    buckets = alone.buckets_of(TABLE_1, alone.columns_of(TABLE_1))
    assert sensitive_chances(TABLE_1, buckets, ((0, 1), (2,), (3,))).max() <= 1 / 2


# --- Equation 1 ---------------------------------------------------------------------------------------------------


def test_equation_1_gives_equal_attributes_one_half():
    """Dividing by min(d1, d2) makes 1 unreachable; the usual coefficient divides by min(d1, d2) - 1."""
    codes = np.array([0, 1, 0, 1, 1], np.int32)
    assert contingency(codes, codes, "min") == pytest.approx(0.5)
    assert contingency(codes, codes, "min-1") == pytest.approx(1.0)


REFERENCE = {  # min, min-1
    ("sex", "relationship"): (0.2112, 0.4224),
    ("marital", "relationship"): (0.1977, 0.2372),
    ("marital", "sex"): (0.1079, 0.2158),
    ("salary", "relationship"): (0.1031, 0.2063),
    ("marital", "salary"): (0.1003, 0.2007),
    ("sex", "occupation"): (0.0943, 0.1886),
    ("salary", "education"): (0.0673, 0.1346),
    ("workclass", "occupation"): (0.0400, 0.0467),
    ("sex", "education"): (0.0042, 0.0085),
}
FIELDS = {
    "workclass": 1, "education": 3, "marital": 5, "occupation": 6, "relationship": 7, "sex": 9, "salary": 14,
}  # fmt: skip


@pytest.fixture(scope="module")
def adult(data_dir):
    """Training rows of Adult with known work class and occupation, by name of the field."""
    path = data_dir / "relational" / "uci_adult" / "adult.data.gz"
    if not path.exists():
        pytest.skip(f"no {path}")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [row for row in csv.reader(lines, skipinitialspace=True) if len(row) == 15]
    rows = [row for row in rows if row[1] != "?" and row[6] != "?"]
    assert len(rows) == 30_718
    return {name: [row[place] for row in rows] for name, place in FIELDS.items()}


@pytest.mark.data
@pytest.mark.parametrize("check", ["matching", "bucket"])
def test_plain_cuts_end_early_on_adult(adult, check):
    """The paper's k = l = 6 with occupation: docs/decisions/0010."""
    table = table_of(adult, sensitive=("occupation",))
    made = {}
    for partition in ("strict", "stratified"):
        method = Slicing(k=6, l=6, partition=partition, check=check)
        columns = method.columns_of(table)
        buckets = method.buckets_of(table, columns)
        made[partition] = int(buckets.max()) + 1
        assert np.bincount(buckets).min() >= 6
        assert sensitive_chances(table, buckets, columns.all).max() <= 1 / 6 + 1e-12
    assert made["strict"] == 1
    assert made["stratified"] > 1_000


@pytest.mark.data
def test_education_cannot_be_6_diverse_on_adult(adult):
    """The paper reports l = 6 for education; a third of Adult finished high school, so nothing above 3 can hold."""
    with pytest.raises(
        ParameterError, match=r"l = 6 cannot be met: .* education = 'HS-grad'; choose l of at most 3"
    ):
        Slicing(k=6, l=6).anonymise(table_of(adult, sensitive=("education",)))


@pytest.mark.data
def test_association_on_adult(adult):
    table = table_of(adult)
    place = {name: number for number, name in enumerate(FIELDS)}
    printed, usual = association(table, normalisation="min"), association(table)
    for (left, right), (by_min, by_less) in REFERENCE.items():
        assert printed[place[left], place[right]] == pytest.approx(by_min, abs=5e-5)
        assert usual[place[left], place[right]] == pytest.approx(by_less, abs=5e-5)


# --- Figure 2 and Algorithm 2, five rows at a time ----------------------------------------------------------------

WORK = ("Federal-gov", "Local-gov", "Private", "Self-emp-inc", "Self-emp-not-inc", "State-gov")
FIGURE_2 = ValueTree((*WORK, "gov", "Self-employ", "*"), np.array([6, 6, 8, 7, 7, 6, 8, 8, 8], np.int32), 6)


def test_rank_groups_of_figure_2():
    groups = {}
    for value, group in zip(WORK, rank_groups(FIGURE_2).tolist(), strict=True):
        groups.setdefault(FIGURE_2.labels[group], set()).add(value)
    assert groups["gov"] == {"Federal-gov", "Local-gov", "State-gov"}
    assert groups["Self-employ"] == {"Self-emp-inc", "Self-emp-not-inc"}


def swap_third_row(work, *, rules=(), towns="AAABB"):
    """Exchange the work of row 2 of five; the class is the town. Gives the work after, and who was exchanged."""
    town = Attribute("town", "quasi-identifier", ("A", "B"))
    described = Attribute("work", "quasi-identifier", WORK, None, FIGURE_2)
    codes = np.array([["AB".index(t), WORK.index(w)] for t, w in zip(towns, work, strict=True)], np.int32)
    table = Table((town, described), codes, np.arange(5))
    coarse, after = binned(table, 10), codes.copy()
    done = swap_attribute(
        after,
        coarse.copy(),
        codes[:, 0].astype(np.int64),
        np.arange(5) == 2,
        FIGURE_2,
        meeting(table, coarse, 1),
        compile_rules(table, rules),
        lots_of(None),
    )
    return [WORK[code] for code in after[:, 1]], np.flatnonzero(done).tolist()


def test_swap_within_the_rank_group_with_another_class():
    """Row 4 is the only one of another town with other work of the same group: it is the partner, whatever the lots."""
    work = ["Local-gov", "State-gov", "Federal-gov", "Federal-gov", "State-gov"]
    after = ["Local-gov", "State-gov", "State-gov", "Federal-gov", "Federal-gov"]
    assert swap_third_row(work) == (after, [2, 4])


def test_no_swap_across_rank_groups():
    work = ["Local-gov", "Private", "Federal-gov", "Federal-gov", "Private"]
    assert swap_third_row(work) == (work, [])


def test_no_swap_inside_the_class():
    work = ["Local-gov", "State-gov", "Federal-gov", "Federal-gov", "State-gov"]
    assert swap_third_row(work, towns="AAAAA") == (work, [])


def test_no_swap_that_makes_a_combination_that_never_occurs():
    # Nobody in town A works for the state, so row 2 cannot take row 4's work.
    work = ["Local-gov", "Local-gov", "Federal-gov", "Federal-gov", "State-gov"]
    assert swap_third_row(work) == (work, [])
    # Nobody in town B works for the federation, so row 4 cannot take row 2's.
    work = ["Local-gov", "State-gov", "Federal-gov", "State-gov", "State-gov"]
    assert swap_third_row(work) == (work, [])


def test_no_swap_against_a_rule():
    work = ["Local-gov", "State-gov", "Federal-gov", "Federal-gov", "State-gov"]
    for rule in ({"town": ["A"], "work": ["State-gov"]}, {"town": ["B"], "work": ["Private", "Federal-gov"]}):
        assert swap_third_row(work, rules=(rule,)) == (work, [])
    harmless = {"town": ["A"], "work": ["Private"]}
    assert swap_third_row(work, rules=(harmless,))[1] == [2, 4]


@pytest.mark.parametrize(
    ("k", "shown"),
    [
        (2, ["gov", "Private", "gov", "Federal-gov", "State-gov"]),
        (3, ["*", "*", "*", "Federal-gov", "State-gov"]),
    ],
)
def test_fallback_generalises_the_cell_until_k_rows_of_its_class_show_it(k, shown):
    """Town A: local, private, federal; the last cannot be swapped. Two of three work for the government, all for *."""
    work = ("Local-gov", "Private", "Federal-gov", "Federal-gov", "State-gov")
    values = np.array([WORK.index(name) for name in work], np.int32)
    nodes = generalise_cells(values, np.array([0, 0, 0, 1, 1]), np.arange(5) == 2, FIGURE_2, k, lots_of(None))
    labels = [FIGURE_2.labels[node] if node >= 0 else name for node, name in zip(nodes, work, strict=True)]
    assert labels == shown


def test_the_whole_method_on_five_rows():
    """By hand: k = 3 leaves one bucket. Each work of town A is a third of it and selected, none of B is (one half).

    Nobody in B works for the town, so "Local-gov" has no partner. State (b) of A and Federal (b) of B may be exchanged,
    and Federal (c) of A with State (c) of B: all these works, towns and illnesses meet somewhere. The cell that is
    left becomes "gov", and so do the other two of A: fewer than three would point at it.
    """
    columns = {
        "town": list("AAABB"),
        "work": ["Local-gov", "State-gov", "Federal-gov", "Federal-gov", "State-gov"],
        "ill": list("abcbc"),
    }
    known = ("Federal-gov", "Local-gov", "State-gov")
    tree = ValueTree((*known, "gov"), np.array([3, 3, 3, 3], np.int32), 3)
    table = table_of(columns, sensitive=("ill",), trees={"work": tree})
    method = UL(k=3, l=2, swap_rate=0.34, columns=(("town", "work"), ("ill",)), protected=("work",))
    selected = method.selected_cells(table, (0.34,))
    assert [(each.within, each.lower_cells, each.upper_cells) for each in selected] == [("town", 3, 0)]
    result = method.anonymise(table)
    release = result.release
    shown = [
        [domain.labels[cell] for domain, cell in zip(release.domains, row, strict=True)]
        for row in release.cells.tolist()
    ]
    assert [row[:2] for row in shown] == [
        ["A", "gov"], ["A", "gov"], ["A", "gov"], ["B", "Federal-gov"], ["B", "State-gov"],
    ]  # fmt: skip
    assert [row[2] for row in shown] == list("abbcc")
    assert release.bucket_offsets.tolist() == [0, 5]
    # Person 4 of B now shows Federal, person 3 State: each has the other's former work, by way of A.
    assert result.key.records[3:, 0].tolist() == [4, 3]
    marked = set(result.key.records[result.key.changed[:, 1], 0].tolist())
    assert marked == {1, 2, 3, 4}
    verdict = verify_table(release, table, result.key)
    assert verdict.ok, str(verdict)
