"""DiffGen promises differential privacy only for domains that are stated, and spends no more than its budget."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import cloven as cv
from cloven.data.schema import Column, Schema
from cloven.errors import ParameterError
from cloven.kinds.tables.cells import shown_release
from cloven.kinds.tables.files import table_csv_bytes
from cloven.kinds.tables.kind import TablesFamily
from cloven.kinds.tables.methods.diffgen import DiffGen
from cloven.kinds.tables.methods.lots import noise_scale
from cloven.kinds.tables.verify.checker import verify_table
from cloven.reading.tables import read_table
from cloven.storage.release import read_key, read_release, write_release

ILL = Column("illness", "sensitive", values=("flu", "gout", "rare"))


def incomes(*more):
    rng = np.random.default_rng(0)
    money = rng.integers(20, 80, 400).astype(float) * 1000
    return {
        "income": np.r_[money, [income for income, _ in more]],
        "illness": [*rng.choice(["flu", "gout"], 400).tolist(), *(illness for _, illness in more)],
    }


def read(data, income=None, illness=ILL):
    column = income or Column("income", "quasi-identifier", range=(0, 1_000_000), round=10_000)
    return read_table(pa.table(data), Schema((column, illness)))


def shown(table, seed, **settings):
    made = DiffGen(eps=0.5, specialisations=3, seed=seed, **settings).anonymise(table)
    assert verify_table(shown_release(made.release), table, made.key, allow_seeded=True).ok
    return shown_release(made.release)


def test_what_may_be_shown_is_the_same_with_and_without_somebody():
    """Ends of ranges and sensitive values are those that the schema states."""
    with_, without = read(incomes((987_654.0, "rare"))), read(incomes())
    ends = [
        {
            float(end)
            for seed in range(25)
            for label in shown(table, seed).domains[0].labels
            for end in label.split("..")
        }
        for table in (with_, without)
    ]
    for found in ends:
        assert all(end % 10_000 in (0, 9999) for end in found)
    assert [
        "rare" in {label for seed in range(25) for label in shown(table, seed).domains[1].labels}
        for table in (with_, without)
    ] == [True, True]


def test_domains_that_nobody_stated_are_refused_with_what_to_write():
    bare = read(incomes(), Column("income", "quasi-identifier"), Column("illness", "sensitive"))
    with pytest.raises(ParameterError) as raised:
        DiffGen().anonymise(bare)
    told = str(raised.value)
    assert "[columns.income] range = [LOWEST, HIGHEST]" in told
    assert '[columns.illness] values = ["...", "..."]' in told
    assert '"from-data"' in told
    assert "\n" not in told
    half = read(incomes(), illness=Column("illness", "sensitive"))
    with pytest.raises(ParameterError) as raised:
        DiffGen().anonymise(half)
    assert "columns.income" not in str(raised.value)
    rounded = read(incomes(), Column("income", "quasi-identifier", round=10_000))
    with pytest.raises(ParameterError, match=r"\[columns.income\] range"):
        DiffGen().anonymise(rounded)
    coarse = Schema(
        (
            Column("illness", "quasi-identifier", values=ILL.values),
            Column("income", "sensitive", cuts=(0, 10**5)),
        )
    )
    with pytest.raises(ParameterError, match="without round or cuts"):
        DiffGen().anonymise(read_table(pa.table(incomes()), coarse))


def test_domains_of_the_data_promise_nothing():
    table = read(incomes(), Column("income", "quasi-identifier"), Column("illness", "sensitive"))
    method = DiffGen(eps=1.0, seed=1, domains="from-data")
    made = method.anonymise(table)
    assert made.release.parameters["promise"] is None
    assert verify_table(made.release, table, made.key, allow_seeded=True).ok
    told = " ".join(TablesFamily().cautions(table, method, made))
    assert "eps promises nothing" in told
    stated = DiffGen(eps=1.0)
    assert stated.parameters["promise"]["epsilon"] == 1.0
    assert "promises nothing" not in " ".join(TablesFamily().cautions(table, stated, made))


def test_a_promise_for_domains_of_the_data_is_found():
    from dataclasses import replace

    table = read(incomes(), Column("income", "quasi-identifier"), Column("illness", "sensitive"))
    release = DiffGen(seed=1, domains="from-data").anonymise(table).release
    lie = {**release.parameters, "promise": DiffGen().parameters["promise"]}
    verdict = verify_table(replace(release, parameters=lie), allow_seeded=True)
    assert [check.name for check in verdict.failures] == ["parameters"]


def test_a_tree_of_numbers_is_specialised_along_its_nodes():
    tree = {f"{low}s": [str(low + more) for more in range(10)] for low in range(20, 70, 10)}
    data = {"age": np.arange(20, 70).tolist() * 6, "illness": ["flu", "gout", "rare"] * 100}
    table = read(data, Column("age", "quasi-identifier", tree=tree))
    found = {label for seed in range(6) for label in shown(table, seed).domains[0].labels}
    assert found <= {f"{low}..{low + 9}" for low in range(20, 70, 10)} | {"20..69"} | set(
        map(str, range(20, 70))
    )
    assert len(found) > 3


def test_sensitive_numbers_have_a_stated_grid():
    schema = Schema(
        (Column("town", "quasi-identifier", values=("x", "y")), Column("rooms", "sensitive", range=(1, 6)))
    )
    table = read_table(pa.table({"town": ["x", "y"] * 50, "rooms": [1, 2] * 50}), schema)
    made = DiffGen(eps=0.2, specialisations=1, counts="clip", seed=1).anonymise(table)
    assert set(shown_release(made.release).domains[1].labels) > {"3", "4"}
    assert verify_table(shown_release(made.release), table, made.key, allow_seeded=True).ok


@pytest.mark.parametrize("eps", [0.3, 0.1 * 0.475, 1 / 3, 0.0123456789123, 7.5e-7, 2.5e-6 / 2])
def test_no_more_than_the_budget_is_spent(eps):
    assert 1 / noise_scale(1, eps) <= Fraction(repr(eps))
    assert float(1 / noise_scale(1, eps)) == pytest.approx(eps, rel=1e-2)


def test_a_budget_too_small_is_told():
    with pytest.raises(ParameterError, match=r"eps must be a number of at least 0.001 .*got 1e-05"):
        DiffGen(eps=1e-5)
    with pytest.raises(ParameterError, match="choose a larger eps"):
        noise_scale(1, 1e-12)


def emptied(specialisations=2):
    """The first seed at which noise takes every row away."""
    table = read(incomes())
    made = (
        DiffGen(eps=0.001, specialisations=specialisations, seed=seed).anonymise(table) for seed in range(30)
    )
    return table, next(each for each in made if not len(each.release))


@pytest.mark.parametrize("specialisations", [0, 2])
def test_where_noise_takes_every_row_the_table_is_empty(specialisations):
    table, made = emptied(specialisations)
    shown = shown_release(made.release)
    assert shown.cells.shape == (0, 2)
    assert [(domain.name, domain.labels, domain.values) for domain in shown.domains] == [
        ("income", (), ()),
        ("illness", (), ()),
    ]
    assert made.key.records.shape == (0, 1)
    assert verify_table(shown, table, made.key, allow_seeded=True).ok
    assert table_csv_bytes(made.release) == b"income,illness\r\n"


def test_every_seed_gives_a_table_and_some_are_empty():
    """A refusal would be an answer that the budget does not pay for."""
    rows = [len(DiffGen(eps=0.001, specialisations=0, seed=seed).anonymise(read(incomes())).release)
            for seed in range(30)]  # fmt: skip
    assert 0 in rows
    assert max(rows) > 0


def test_an_empty_table_survives_the_way_to_disk_and_back(tmp_path):
    table, made = emptied()
    write_release(made, tmp_path / "out", original=table, allow_seeded=True)
    found = read_release(tmp_path / "out")
    assert len(found) == 0
    assert [(domain.name, domain.sensitive, domain.labels) for domain in found.domains] == [
        ("income", False, ()),
        ("illness", True, ()),
    ]
    private = read_key(tmp_path / "out.private", found)
    assert verify_table(found, table, private, allow_seeded=True).ok
    counts = json.loads((tmp_path / "out" / "manifest.json").read_text())["counts"]
    assert (counts["records"], counts["groups"]) == (0, 0)


def test_a_table_of_persons_may_not_be_empty():
    _, made = emptied()
    plain = {name: value for name, value in made.release.parameters.items() if name != "invented_rows"}
    found = verify_table(replace(shown_release(made.release), parameters=plain), allow_seeded=True)
    assert "there is no row, though rows are those of persons" in str(found)


def test_an_empty_table_with_cells_that_no_row_shows_is_refused():
    table = read(incomes())
    other = next(
        each
        for seed in range(30)
        if len(each := DiffGen(eps=0.001, specialisations=0, seed=seed).anonymise(table).release)
    )
    found = verify_table(replace(shown_release(other), cells=np.empty((0, 2), np.int32)), allow_seeded=True)
    assert "is in no row" in str(found)


def test_an_empty_table_is_no_success_though_nobody_could_be_attacked():
    table, made = emptied()
    family, method = TablesFamily(), DiffGen(eps=0.001, specialisations=2)
    for threat in family.threats(method, cv.Knowledge()):
        risk = threat.try_on(table, made, np.random.default_rng(1))
        assert risk.not_tried == "the table holds no row, so nobody is told anything"
        assert not risk.missing
    utility = family.utility(table, made, cv.Effort(), np.random.default_rng(1))
    assert (utility.headline, utility.score()) == ("agreement of counts with sensitive values", 0.0)
    (doubt,) = family.doubts(table, method, made)
    assert "nothing is left that anybody could use" in str(doubt)
    assert family.sizes(made.release) == []
    told = " ".join(family.cautions(table, method, made))
    assert "noise has taken every row away" in told


def test_too_many_counts_are_refused_before_they_are_made():
    rng = np.random.default_rng(1)
    many = {f"s{number}": [f"a{value}" for value in rng.integers(0, 300, 900)] for number in range(9)}
    table = read_table(pa.table({"x": rng.integers(0, 9, 900), **many}), Schema.of(["x"], list(many)))
    with pytest.raises(
        ParameterError, match=r"combinations, and diffgen counts them all \(at most 2,000,000\)"
    ):
        DiffGen(domains="from-data").anonymise(table)
    rows = 20_000
    money = {"income": np.arange(rows) * 1.5, "salary": np.arange(rows) * 2.5}
    table = read_table(pa.table(money), Schema.of(["income"], ["salary"]))
    with pytest.raises(ParameterError, match="20,000 values of 'income' with each of 20,000 sensitive ones"):
        DiffGen(domains="from-data").anonymise(table)
    names = [f"q{number}" for number in range(17)]
    trees = {name: {"*": ["a", "b"]} for name in names} | {"illness": {"*": ["flu", "gout"]}}
    data = {name: ["a", "b"] * 20 for name in names} | {"illness": ["flu", "gout"] * 20}
    table = read_table(pa.table(data), Schema.of(names, ["illness"], trees=trees))
    with pytest.raises(ParameterError, match="clipped counts would make up about"):
        DiffGen(eps=0.001, specialisations=60, counts="clip", seed=1).anonymise(table)
