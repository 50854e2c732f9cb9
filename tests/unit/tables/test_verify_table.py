"""The checker of tables: sound releases pass, and every kind of tampering is named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cloven.data.table import Attribute, Table
from cloven.errors import GuaranteeError, ParameterError
from cloven.kinds.tables.key import TableKey
from cloven.kinds.tables.methods.assembly import generalised, sliced
from cloven.kinds.tables.methods.constraints import DistinctL
from cloven.kinds.tables.methods.diffgen import DiffGen
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.release import CellDomain, GeneralisedTable, Sliced
from cloven.kinds.tables.verify.checker import verify_table
from cloven.kinds.tables.verify.original import unplaced
from cloven.kinds.tables.verify.promise import group_of_row

COLUMNS = ((0, 1), (2,), (3,), (4,))


@pytest.fixture
def coarse(people):
    return Mondrian(k=4, l=2).anonymise(people)


@pytest.fixture
def cut(people):
    buckets = Mondrian(k=8, constraints=(DistinctL(2),)).classes(people)
    return sliced(people, buckets, COLUMNS, k=8, parameters={"method": "slicing"})


def failed(release, original=None, key=None):
    return {check.name: check.detail for check in verify_table(release, original, key).failures}


def with_cells(release, change):
    cells = release.cells.copy()
    change(cells)
    return replace(release, cells=cells)


def test_sound_releases_pass_at_every_level(people, coarse, cut):
    for result in (coarse, cut):
        for given in ((), (people,), (people, result.key)):
            verdict = verify_table(result.release, *given)
            assert verdict.ok, str(verdict)
    names = [check.name for check in verify_table(coarse.release, people, coarse.key).checks]
    assert names == [
        "arrays", "canonical order", "labels", "parameters", "not unsafe", "not seeded", "class size",
        "distinct-l of illness", "distinct-l of drug", "attributes", "cells", "number of rows", "marginals",
        "nothing invented", "everybody covered", "key arrays", "persons", "content",
    ]  # fmt: skip


def test_key_needs_the_original(coarse):
    with pytest.raises(ParameterError, match="a key was given without the original"):
        verify_table(coarse.release, None, coarse.key)


def test_a_release_that_promises_more_than_it_keeps(coarse, cut):
    for release, name in ((coarse.release, "class size"), (cut.release, "bucket size")):
        smallest = int(np.bincount(group_of_row(release)).min())
        assert failed(replace(release, k=smallest)) == {}
        assert list(failed(replace(release, k=smallest + 1))) == [name]
    assert "class size" in failed(replace(coarse.release, k=30))
    promised = [{"demand": "distinct-l", "l": 4, "attributes": ["drug"]}]
    broken = failed(replace(coarse.release, parameters={"constraints": promised}))
    assert "promised is 4 different values" in broken["distinct-l of drug"]
    with pytest.raises(GuaranteeError, match="distinct-l of drug"):
        verify_table(replace(coarse.release, parameters={"constraints": promised})).raise_if_broken()


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ({"demand": "entropy-l", "l": 3.5, "attributes": ["illness"]}, "entropy-l of illness"),
        ({"demand": "recursive-l", "c": 0.1, "l": 3, "attributes": ["illness"]}, "recursive-l of illness"),
        (
            {"demand": "t-closeness", "t": 0.0, "distance": "equal", "attributes": ["drug"]},
            "t-closeness of drug",
        ),
        (
            {"demand": "t-closeness", "t": 0.0, "distance": "ordered", "attributes": ["drug"]},
            "t-closeness of drug",
        ),
        (
            {"demand": "t-closeness", "t": 0.9, "distance": "far", "attributes": ["drug"]},
            "t-closeness of drug",
        ),
        ({"demand": "distinct-l", "l": 2, "attributes": ["age"]}, "distinct-l of age"),
        ({"demand": "distinct-l", "l": 2}, "distinct-l"),
        ({"demand": "magic", "attributes": ["drug"]}, "magic of drug"),
    ],
)
def test_promises_that_are_broken_or_not_understood(coarse, entry, name):
    assert list(failed(replace(coarse.release, parameters={"constraints": [entry]}))) == [name]


def test_marks(coarse):
    assert list(failed(replace(coarse.release, parameters={"seeded": True}))) == ["not seeded"]
    unsafe = replace(coarse.release, parameters={"unsafe": True})
    assert list(failed(unsafe)) == ["not unsafe"]
    assert verify_table(unsafe, allow_unsafe=True).ok


def test_arrays_that_are_not_sound(coarse, cut):
    release = coarse.release
    domain = release.domains[0]

    def other(**changes):
        return replace(release, domains=(replace(domain, **changes), *release.domains[1:]))

    for broken, message in [
        (replace(release, k=0), "k is 0"),
        (with_cells(release, lambda cells: cells.fill(99)), "row 0 has no such cell of 'age'"),
        (with_cells(release, lambda cells: cells[:, 2].fill(0)), "of 'sex' is in no row"),
        (replace(release, cells=release.cells[:, :2]), "cells are not rows of 5 whole numbers"),
        (other(labels=domain.labels[1:]), "labels for"),
        (other(members=domain.members[::-1].copy()), "values of cell"),
        (other(members=domain.members + 50), "out of range"),
        (other(numbers=domain.numbers[::-1].copy()), "numbers of 'age' do not ascend"),
        (other(numbers=domain.numbers + 1), "is another number"),
        (other(name="sex"), "attribute 'sex' stands twice"),
        (replace(cut.release, columns=((0, 1), (2,), (3,))), "do not part the 5 attributes"),
        (replace(cut.release, bucket_offsets=cut.release.bucket_offsets[:-1]), "do not run from 0 to 40"),
    ]:
        assert message in failed(broken)["arrays"]


def test_orders_that_tell_more_than_the_content(coarse, cut):
    swapped = with_cells(coarse.release, lambda cells: cells.__setitem__(slice(None), cells[::-1].copy()))
    assert "row" in failed(swapped)["canonical order"]

    def mix(cells):
        cells[: cut.release.bucket_offsets[1], 0:2] = cells[: cut.release.bucket_offsets[1], 0:2][::-1].copy()

    assert "of column 0 is out of order" in failed(with_cells(cut.release, mix))["canonical order"]
    assert (
        "do not ascend" in failed(replace(cut.release, columns=cut.release.columns[::-1]))["canonical order"]
    )
    edges = cut.release.bucket_offsets
    order = np.concatenate([np.arange(edges[1], edges[-1]), np.arange(edges[1])])
    moved = replace(
        cut.release,
        cells=cut.release.cells[order],
        bucket_offsets=np.append(edges[1:] - edges[1], edges[-1]),
    )
    assert "does not come after the one before it" in failed(moved)["canonical order"]


def test_what_the_original_does_not_say(people, coarse, cut):
    fewer = people.take(np.arange(1, 40))
    assert {"number of rows", "marginals", "nothing invented"} <= set(failed(coarse.release, fewer))
    codes = people.codes.copy()
    codes[:20, 3] = 0
    assert {"marginals", "nothing invented"} <= set(failed(cut.release, replace(people, codes=codes)))
    # Same marginals, other rows.
    codes = people.codes.copy()
    codes[:, 0] = np.roll(codes[:, 0], 7)
    assert "nothing invented" in failed(cut.release, replace(people, codes=codes))
    assert "everybody covered" in failed(coarse.release, replace(people, codes=codes))
    renamed = (replace(people.attributes[0], name="years"), *people.attributes[1:])
    broken = failed(cut.release, replace(people, attributes=renamed))
    assert broken == {"attributes": "the original has no attribute 'age'"}


def test_keys_that_lie(people, coarse, cut):
    key = cut.key
    turned = replace(key, records=np.roll(key.records, 1, axis=0))
    assert {"content", "one bucket each"} & set(failed(cut.release, people, turned))
    twice = key.records.copy()
    twice[0] = twice[-1]
    for wrong, name in [
        (replace(key, records=key.records[:, :2]), "key arrays"),
        (replace(key, changed=np.zeros((2, 2), bool)), "key arrays"),
        (replace(key, records=key.records + 1000), "persons"),
        (replace(key, records=twice), "persons"),
        (replace(key, records=np.full_like(key.records, -1)), "persons"),
        (replace(key, suppressed=key.records[:1, 0]), "persons"),
        (replace(key, suppressed=np.array([7])), "persons"),
    ]:
        assert list(failed(cut.release, people, wrong)) == [name]
    other = TableKey(np.roll(coarse.key.records, 20, axis=0), None, coarse.key.suppressed)
    assert list(failed(coarse.release, people, other)) == ["content"]


def test_exchanged_values_must_be_marked(people):
    codes = people.codes.copy()
    changed = np.zeros(codes.shape, bool)
    first, second = 0, int(np.argmax(codes[:, 2] != codes[0, 2]))
    codes[[first, second], 2] = codes[[second, first], 2]
    changed[[first, second], 2] = True
    result = sliced(
        people,
        np.zeros(40, np.int64),
        COLUMNS,
        k=8,
        parameters={"swap_rate": 0.05},
        codes=codes,
        changed=changed,
    )
    verdict = verify_table(result.release, people, result.key)
    assert verdict.ok, str(verdict)
    assert verdict.checks[-1].detail == "2 cells show the value of somebody else of their rank group"
    assert list(failed(result.release, people, replace(result.key, changed=None))) == ["content"]
    silent = replace(result.release, parameters={})
    broken = failed(silent, people, result.key)
    assert "tells of no exchange" in broken["changed cells"]
    everywhere = failed(
        result.release, people, replace(result.key, changed=np.ones_like(result.key.changed))
    )["changed cells"]
    assert "is marked, and its person's own" in everywhere


def paper_table():
    """Table 1 of the UL paper, sliced: zip and illness, in two buckets."""
    zips, illnesses = ("130350", "130352", "130400"), ("Cancer", "Cold", "Flu")
    attributes = (
        Attribute("zip", "quasi-identifier", zips),
        Attribute("illness", "sensitive", illnesses),
    )
    codes = np.array([[0, 0], [0, 2], [1, 2], [1, 2], [2, 1], [2, 2]], np.int32)
    return Table(attributes, codes, np.arange(6))


@pytest.mark.parametrize(("l", "ok"), [(1.5, True), (2, False)])
def test_chance_over_matching_buckets_by_the_formula(l, ok):
    """Worked by hand: bucket one shows zips 350, 350, 352 with Cancer, Flu, Flu: Flu has 2/3, so l is 1.5."""
    table = paper_table()
    parameters = {"l": l, "check": "matching", "together": "separately"}
    result = sliced(table, np.array([0, 0, 0, 1, 1, 1]), ((0,), (1,)), k=3, parameters=parameters)
    verdict = verify_table(result.release, table)
    assert verdict.ok is ok
    found = next(check for check in verdict.checks if check.name == "l-diversity by matching buckets")
    assert "0.6667" in found.detail


def test_companions_narrow_what_matches():
    """With the zip beside the illness, 352 shows Flu for certain."""
    table = paper_table()
    for check in ("matching", "bucket"):
        parameters = {"l": 1.01, "check": check, "together": "separately"}
        result = sliced(table, np.array([0, 0, 0, 1, 1, 1]), ((0, 1),), k=3, parameters=parameters)
        broken = failed(result.release, table)
        assert "is told with chance 1, promised is at most 0.9901" in next(iter(broken.values()))


def test_a_promise_without_a_way_to_check_it(people):
    result = sliced(people, np.zeros(40, np.int64), COLUMNS, k=8, parameters={"l": 2})
    assert failed(result.release) == {
        "l-diversity": "the promise l = 2, checked by None, cannot be understood"
    }


@pytest.mark.parametrize("seed", range(8))
def test_filling_cells_against_brute_force(people, seed):
    """Ranges and other sets: as many cells stay empty as in the best of all matchings."""
    from scipy.optimize import linear_sum_assignment

    rng = np.random.default_rng(seed)
    place = (0, 2)[seed % 2]
    table = people.take(rng.choice(40, 12, replace=False))
    release = generalised(table, rng.integers(0, 3, 12), k=1, parameters={}).release
    values = rng.integers(0, len(table.attributes[place]), 12)
    domain = release.domains[place]
    held = [
        set(domain.members[domain.member_offsets[c] : domain.member_offsets[c + 1]])
        for c in release.cells[:, place]
    ]
    fits = np.array([[value in cell for value in values] for cell in held])
    rows, columns = linear_sum_assignment(fits, maximize=True)
    times = np.bincount(release.cells[:, place], minlength=len(domain.labels))
    there = np.bincount(values, minlength=len(domain.values))
    assert unplaced(domain, times, there) == 12 - fits[rows, columns].sum()


def test_an_exchange_that_makes_a_new_pair_of_values_is_found(people):
    """Federal and "m" never meet below; the marginals stay as they were."""
    codes = people.codes.copy()
    codes[codes[:, 1] == 0, 2] = 0
    table = replace(people, codes=codes)
    other = codes.copy()
    first, second = int(np.argmax(codes[:, 1] == 0)), int(np.argmax(codes[:, 2] == 1))
    other[[first, second], 2] = codes[[second, first], 2]
    result = sliced(
        table,
        np.zeros(40, np.int64),
        ((0,), (1, 2), (3,), (4,)),
        k=8,
        parameters={"swap_rate": 0.05},
        codes=other,
        changed=other != codes,
    )
    broken = failed(result.release, table, result.key)
    assert list(broken) == ["nothing invented"]
    assert "'Federal', 'm'" in broken["nothing invented"]


def test_labels_that_say_something_else(coarse, people):
    release = coarse.release

    def called(place, pick, label):
        domain = release.domains[place]
        sizes = np.diff(domain.member_offsets)
        cell = int(np.argmax(pick(sizes)))
        labels = (*domain.labels[:cell], label, *domain.labels[cell + 1 :])
        domains = (*release.domains[:place], replace(domain, labels=labels), *release.domains[place + 1 :])
        return failed(replace(release, domains=domains), people)

    for place in (2, 3):
        assert "is called 'Eve' and holds another value" in called(place, lambda s: s == 1, "Eve")["labels"]
    assert list(called(0, lambda s: s > 1, "20..999")) == ["labels", "cells"]
    assert list(called(1, lambda s: s > 1, "Private or not")) == ["cells"]
    assert list(called(2, lambda s: s > 1, "{f, m, Eve}")) == ["labels", "cells"]


def test_cells_that_no_taxonomy_allows(people):
    """Federal and Private are no group: State stands beside Federal below "gov"."""
    domain = CellDomain(
        "work", False, ("Federal", "Private", "State"), None, ("{Federal, Private}", "State"),
        np.array([0, 2, 3]), np.array([0, 1, 2], np.int32),
    )  # fmt: skip
    only = replace(people, attributes=(people.attributes[1],), codes=people.codes[:, 1:2])
    cells = np.sort((only.codes == 2).astype(np.int32), axis=0)
    broken = failed(GeneralisedTable(2, {}, (domain,), cells), only)
    assert broken == {"cells": "'{Federal, Private}' of 'work' is no group of its taxonomy"}
    loose = replace(only, attributes=(replace(only.attributes[0], tree=None),))
    assert failed(GeneralisedTable(2, {}, (domain,), cells), loose) == {}


def test_sensitive_values_are_not_coarse(people):
    domain = CellDomain(
        "illness", True, ("Flu", "Gout"), None, ("{Flu, Gout}",), np.array([0, 2]), np.array([0, 1], np.int32)
    )
    broken = failed(GeneralisedTable(2, {}, (domain,), np.zeros((3, 1), np.int32)))
    assert "no single value" in broken["labels"]


def test_roles_and_rows_of_the_original(people, coarse, cut):
    for result in (coarse, cut):
        open_ = tuple(replace(domain, sensitive=False) for domain in result.release.domains)
        parameters = {**result.release.parameters, "constraints": [], "l": None}
        broken = failed(replace(result.release, domains=open_, parameters=parameters, k=1), people)
        assert (
            "'illness' is published as quasi-identifier, the original has it as sensitive"
            in broken["attributes"]
        )
    fewer = generalised(people.take(np.arange(39)), np.zeros(39, np.int64), k=2, parameters={})
    assert failed(fewer.release, people) == {"number of rows": "39 rows of 40 persons"}
    sampled = replace(fewer.release, parameters={"sampling_rate": 0.9})
    assert failed(sampled, people) == {}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"note": "Eve is in it"}, "'note' is no parameter of mondrian"),
        ({"mode": "Eve"}, "mode cannot be 'Eve'"),
        ({"swap_rate": 0.1}, "'swap_rate' is no parameter of mondrian"),
        ({"invented_rows": True}, "'invented_rows' is no parameter of mondrian"),
        ({"constraints": []}, "l = 2 is promised, and no constraint asks for it of ['drug']; 2 such faults"),
        ({"constraints": [{"demand": "distinct-l", "l": 2, "why": "Eve"}]}, "constraints cannot be"),
    ],
    ids=str,
)
def test_parameters_that_tell_or_hide_something(coarse, change, said):
    release = replace(coarse.release, parameters={**coarse.release.parameters, **change})
    assert said in failed(release)["parameters"]


def test_noise_of_another_epsilon_than_is_promised(people):
    made = DiffGen(eps=2.0, domains="from-data").anonymise(people).release
    told = DiffGen(eps=2.0).parameters
    assert "parameters" not in failed(replace(made, parameters=told))
    less = {**told, "promise": {**told["promise"], "epsilon": 0.001}}
    assert failed(replace(made, parameters=less))["parameters"] == (
        "eps is '2.0', and the promise says epsilon '0.001'"
    )


def test_a_promise_about_nothing(people):
    nothing = tuple(replace(a, role="quasi-identifier") for a in people.attributes)
    table = replace(people, attributes=nothing)
    parameters = {"method": "slicing", "l": 2, "check": "matching"}
    release = sliced(table, np.zeros(40, np.int64), COLUMNS, k=2, parameters=parameters).release
    assert failed(release) == {"parameters": "l = 2 is promised, and no attribute is sensitive"}
    weak = replace(release, parameters={"method": "slicing"}, k=1)
    assert "k = 1 promises nothing" in failed(weak)["parameters"]


def test_a_value_that_the_original_cannot_have_where_rows_are_invented(people, cut):
    """Invented rows are compared with nobody; but their values are of the owner's domain."""
    place = next(at for at, domain in enumerate(cut.release.domains) if domain.numbers is None)
    domain = cut.release.domains[place]
    renamed = (*domain.values[:-1], domain.values[-1] + "!")
    other = replace(domain, values=renamed, labels=(*domain.labels[:-1], renamed[-1]))
    domains = (*cut.release.domains[:place], other, *cut.release.domains[place + 1 :])
    release = replace(cut.release, domains=domains, parameters={"invented_rows": True})
    assert failed(release) == {}
    assert "is no value of the original" in failed(release, people)["attributes"]


@pytest.mark.parametrize(("l", "told"), [(2, set()), (3, {"possible persons"})])
def test_chances_where_nobody_is_known_by_anything(l, told):
    """All attributes are called sensitive: everybody matches every bucket."""
    illness = CellDomain(
        "illness", True, ("f", "g"), None, ("f", "g"), np.array([0, 1, 2]), np.array([0, 1], np.int32)
    )
    release = Sliced(
        2,
        {"l": l, "check": "matching"},
        (illness,),
        ((0,),),
        np.array([0, 2, 4]),
        np.array([[0], [1], [0], [1]], np.int32),
    )
    assert set(failed(release)) == told


def test_near_values_that_are_no_numbers(coarse):
    """A manifest may say anything: it is refused, and the checker goes on."""
    promised = [{"demand": "distinct-l", "l": 2, "attributes": ["illness"], "within": 5}]
    found = failed(replace(coarse.release, parameters={"constraints": promised}))
    assert "no numbers" in found["distinct-l of illness"]


def test_a_constraint_on_values_that_are_not_published_together():
    """The persons are (f, q) twice and (g, p); sorted for themselves, the parts look like three combinations."""
    domains = tuple(
        CellDomain(
            name,
            name != "age",
            values,
            None,
            values,
            np.arange(len(values) + 1),
            np.arange(len(values), dtype=np.int32),
        )
        for name, values in (("age", ("x",)), ("illness", ("f", "g")), ("drug", ("p", "q")))
    )
    attributes = tuple(
        Attribute(domain.name, "sensitive" if domain.sensitive else "quasi-identifier", domain.values)
        for domain in domains
    )
    original = Table(attributes, np.array([[0, 0, 1], [0, 0, 1], [0, 1, 0]], np.int32), np.arange(3))
    promised = [{"demand": "distinct-l", "l": 3, "attributes": ["illness", "drug"]}]
    cells = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 1]], np.int32)
    release = Sliced(2, {"constraints": promised}, domains, ((0,), (1,), (2,)), np.array([0, 3]), cells)
    key = TableKey(np.array([[0, 0, 2], [1, 1, 0], [2, 2, 1]]), None, np.empty(0, np.int64))
    for given in ((), (original,), (original, key)):
        found = failed(release, *given)
        assert set(found) == {"distinct-l of illness, drug"}
        assert "in several columns" in found["distinct-l of illness, drug"]
