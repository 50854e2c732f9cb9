"""Laws of what counts in tables: persons, not rows; values that harm; numbers that lie near to each other."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import cloven as cv
from cloven.data.table import Attribute, Harm, Table
from cloven.kinds.tables.attack.replay import Crowd, Replayed
from cloven.kinds.tables.guesses import ValueGuesses
from cloven.kinds.tables.score.truth import Truth, value_telling
from cloven.kinds.tables.verify.checker import verify_table
from tests.effort import tries

WAGES = (100.0, 104.0, 109.0, 150.0, 156.0, 300.0)


def table_of(rng, size, harm=None, people=None):
    attributes = (
        Attribute("age", "quasi-identifier", tuple(map(str, range(20, 30))), np.arange(20.0, 30.0)),
        Attribute("town", "quasi-identifier", ("east", "north", "south")),
        Attribute(
            "wage", "sensitive", tuple(f"{wage:.0f}" for wage in WAGES), np.array(WAGES), harm=harm or Harm()
        ),
    )
    codes = np.column_stack([rng.integers(0, len(each), size) for each in attributes]).astype(np.int32)
    persons = None if people is None else rng.integers(0, people, size)
    return Table(attributes, codes, np.arange(size), persons)


def is_near(harm, one, two):
    """By the words of the schema."""
    most = harm.within * max(abs(one), abs(two)) if harm.relative else harm.within
    return abs(one - two) <= most + 1e-9


def different(harm, numbers):
    """The most numbers no two of which are near, by trying all sets."""
    found = sorted(set(numbers))
    for size in range(len(found), 0, -1):
        for some in combinations(found, size):
            if not any(is_near(harm, one, two) for one, two in combinations(some, 2)):
                return size
    return 0


HARMS = st.builds(
    Harm,
    st.sampled_from([frozenset(), frozenset({"100"}), frozenset({"100", "104", "300"})]),
    st.sampled_from([0.0, 4.0, 9.0, 60.0]),
) | st.builds(
    Harm, st.just(frozenset()), st.sampled_from([0.04, 0.1, 0.35]), st.just(True)
)  # fmt: skip


def classes_of(release):
    held = {}
    for row in release.cells.tolist():
        held.setdefault(tuple(row[:-1]), []).append(float(release.domains[-1].labels[row[-1]]))
    return list(held.values())


@settings(max_examples=tries(60))
@given(st.integers(0, 2**32 - 1), HARMS, st.integers(2, 3))
def test_every_class_has_l_different_values_or_none_that_harms(seed, harm, l):
    table = table_of(np.random.default_rng(seed), 40, harm)
    assume(different(harm, [WAGES[code] for code in set(table.codes[:, 2].tolist())]) >= l)
    result = cv.Mondrian(k=3, l=l).anonymise(table)
    for numbers in classes_of(result.release):
        enough = different(harm, numbers) >= l
        assert enough or all(f"{number:.0f}" in harm.harmless for number in numbers)
    assert verify_table(result.release, table, result.key).ok
    assert verify_table(result.release).ok


@given(st.integers(0, 2**32 - 1), HARMS)
def test_the_checker_counts_for_itself(seed, harm):
    """A release with classes by lot: promised or not, checker and brute force agree."""
    from cloven.kinds.tables.methods.assembly import generalised

    rng = np.random.default_rng(seed)
    table = table_of(rng, 24, harm)
    promised = {"demand": "distinct-l", "l": 2, "attributes": ["wage"], **harm.parameters}
    told = {
        "method": "mondrian",
        "unsafe": False,
        "seeded": False,
        "mode": "relaxed",
        "l": 2,
        "constraints": [promised],
    }
    result = generalised(table, np.arange(24) % 6, k=2, parameters=told)
    holds = all(
        different(harm, numbers) >= 2 or all(f"{number:.0f}" in harm.harmless for number in numbers)
        for numbers in classes_of(result.release)
    )
    (check,) = (check for check in verify_table(result.release).checks if check.name.startswith("distinct-l"))
    assert check.passed == holds


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(8, 20))
def test_every_class_has_k_persons(seed, k, people):
    table = table_of(np.random.default_rng(seed), 60, people=people)
    assume(table.people >= k)
    result = cv.Mondrian(k=k).anonymise(table)
    who = table.persons[result.key.records[:, 0]]
    held = {}
    for row, person in zip(result.release.cells.tolist(), who.tolist(), strict=True):
        held.setdefault(tuple(row[:-1]), set()).add(person)
    assert min(map(len, held.values())) >= k
    assert result.release.parameters["persons"] is True
    assert verify_table(result.release, table, result.key).ok


@given(st.integers(0, 2**32 - 1))
def test_persons_with_one_row_each_change_no_byte(seed):
    table = table_of(np.random.default_rng(seed), 40)
    named = replace(table, persons=np.random.default_rng(seed).permutation(40))
    for method in (cv.Mondrian(k=3, l=2), cv.Slicing(k=3, l=2, seed=1), cv.Anatomy(l=2, seed=1)):
        try:
            plain = method.anonymise(table)
        except cv.ParameterError:  # one wage is too common
            with pytest.raises(cv.ParameterError):
                method.anonymise(named)
            continue
        again = method.anonymise(named)
        assert again.release.parameters == plain.release.parameters
        np.testing.assert_array_equal(again.release.cells, plain.release.cells)
        np.testing.assert_array_equal(again.key.records, plain.key.records)


def guesses_of(confidence):
    people, width = confidence.shape
    return ValueGuesses(
        "wage", tuple(f"{wage:.0f}" for wage in WAGES[:width]), confidence > 0, confidence,
        np.full(width, 1 / width), np.ones((people, 1), np.int64), np.zeros(people, np.int8), {}, {},
    )  # fmt: skip


def test_no_claim_is_surer_than_certain():
    """Shares of numbers that are as good as one add up to a hair above 1."""
    shares = np.random.default_rng(16).integers(1, 9, 6).astype(float)
    confidence = (shares / shares.sum())[None, :]
    assert np.cumsum(confidence)[-1] > 1
    told = value_telling(
        guesses_of(confidence), Truth(1, np.zeros(1, np.int64), ("100",), Harm.of(within=1000))
    )
    assert (told.stated.max(), told.told.max()) == (1.0, 1.0)


@given(st.integers(0, 2**32 - 1), HARMS)
def test_told_is_the_likeliest_right_claim_that_harms(seed, harm):
    """Claims are all stretches of near numbers; each is tried. A true number need not be among those guessed."""
    rng = np.random.default_rng(seed)
    confidence = rng.dirichlet(np.full(6, 0.3), size=5) * (rng.random((5, 6)) < 0.7)
    confidence[:, 0] += confidence.sum(axis=1) == 0
    confidence /= confidence.sum(axis=1, keepdims=True)
    person, true = rng.integers(0, 5, 9), rng.choice([*WAGES[:6], WAGES[1] + 7, WAGES[3] - 3, 31], 9)
    truth = Truth(5, person, tuple(f"{wage:.0f}" for wage in true), harm)
    told = value_telling(guesses_of(confidence), truth)
    stretches = [
        list(range(low, high + 1))
        for low in range(6)
        for high in range(low, 6)
        if is_near(harm, WAGES[low], WAGES[high])
    ]

    def holds(chosen, wage):
        """Whether numbers at some places and this one are as good as one."""
        if not harm.within:
            return [WAGES[place] for place in chosen] == [wage]
        all_of_them = [wage, *(WAGES[place] for place in chosen)]
        return is_near(harm, min(all_of_them), max(all_of_them))

    for who in range(5):
        mine = [wage for wage, owner in zip(true.tolist(), person, strict=True) if owner == who]
        harmful = [wage for wage in mine if f"{wage:.0f}" not in harm.harmless]
        around = [
            confidence[who, stretch].sum() for stretch in stretches for wage in harmful if holds(stretch, wage)
        ]  # fmt: skip
        assert told.told[who] == pytest.approx(max(around, default=0.0))
        left = np.flatnonzero(confidence[who] > 0).tolist()
        assert told.certain[who] == any(holds(left, wage) for wage in harmful)
        best = max(confidence[who, stretch].sum() for stretch in stretches)
        assert told.stated[who] == pytest.approx(best)
        if told.best[who]:
            assert any(holds(stretch, wage) and confidence[who, stretch].sum() == pytest.approx(best)
                       for stretch in ([place for place in each if confidence[who, place] > 0] for each in stretches)
                       for wage in harmful)  # fmt: skip


def test_several_rows_of_one_person_are_one_truth():
    table = table_of(np.random.default_rng(3), 12, people=4)
    rows = np.array([np.flatnonzero(table.persons == person)[0] for person in range(4)])
    truth = Truth.of(table, "wage", rows)
    for place, row in enumerate(rows.tolist()):
        mine = {value for value, who in zip(truth.values, truth.person, strict=True) if who == place}
        theirs = table.codes[table.persons == table.persons[row], 2]
        assert mine == {f"{WAGES[code]:.0f}" for code in theirs.tolist()}


def test_harm_is_read_as_it_is_written():
    assert Harm.of(within="5 %") == Harm(within=0.05, relative=True)
    assert Harm.of(within="0.5%").parameters == {"within": "0.5 %"}
    assert Harm.of(["no"], 500).parameters == {"harmless": ["no"], "within": 500.0}
    assert Harm().parameters == {}
    for wrong in (0, -1, "0 %", "100 %", "much", True, float("nan"), float("inf")):
        with pytest.raises(cv.ParameterError, match="within must be a number above 0"):
            Harm.of(within=wrong)


@pytest.mark.slow
@settings(max_examples=tries(25), deadline=None)
@given(st.integers(0, 2**32 - 1), HARMS, st.booleans(), st.sampled_from(["adaptive", "replay-proof"]))
def test_whoever_replays_is_never_wrong(seed, harm, several, partition):
    """All tables with these quasi-identifiers that give the very same release: what is certain holds in each."""
    rng = np.random.default_rng(seed)
    table = table_of(rng, 6, harm)
    if several:
        table = replace(table, persons=rng.permutation([0, 0, 0, 1, 2, 3]))
        table.codes[:, :2] = table.codes[table.persons, :2]
    wages = rng.choice(6, 3, replace=False)
    table.codes[:, 2] = wages[rng.integers(0, 3, 6)]
    method = cv.Mondrian(k=2, l=2, partition=partition)
    try:
        release = method.anonymise(table).release
    except cv.ParameterError:  # two values that differ are not there
        return
    found = Replayed("wage").guess(
        release, Crowd.of(table), cv.attacks.Known.of(table), rng=np.random.default_rng(1)
    )
    left = np.zeros((6, len(found.values)), bool)
    at = {value: place for place, value in enumerate(found.values)}
    for values in product(wages.tolist(), repeat=6):
        world = replace(table, codes=np.column_stack([table.codes[:, :2], values]).astype(np.int32))
        try:
            other = method.anonymise(world).release
        except cv.ParameterError:
            continue
        if same(other, release):
            left[np.arange(6), [at[table.attributes[2].values[value]] for value in values]] = True
    assert left[np.arange(6), [at[table.attributes[2].values[code]] for code in table.codes[:, 2]]].all()
    assert not (left & ~found.candidate).any(), "what is possible is a candidate"


def same(one, other):
    """Whether two releases show the same rows."""

    def rows(release):
        return sorted(
            tuple(domain.labels[cell] for domain, cell in zip(release.domains, row, strict=True))
            for row in release.cells.tolist()
        )

    return rows(one) == rows(other)
