"""Releases whose meaning was changed: `verify` accepts none that is broken; and brute force can say no."""

from __future__ import annotations

import pytest

from cloven.kinds.generalised.policy import Policy
from cloven.verification import Verdict
from reliability import meaning, meaning_disassociated, meaning_generalised, meaning_tables
from reliability.meaning import EACH, KINDS, Tally, ask, campaign, changed, findings
from reliability.meaning_plain import Group, Row

NAMES = [kind.name for kind in KINDS]
BY_NAME = dict(zip(NAMES, KINDS, strict=True))


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_no_changed_release_is_accepted_that_is_broken(kind):
    tally = campaign([kind], seed=5, seconds=600, most=EACH)[kind.name]
    assert tally.findings == {}
    assert tally.judged + tally.undecided == EACH - 1


@pytest.mark.parametrize(
    "name", ["disassociated, term chunks", "set-generalised, COAT", "mondrian, k", "slicing"]
)
def test_a_checker_that_accepts_everything_is_found_out(name, monkeypatch):
    monkeypatch.setattr(meaning, "THROUGH_FILES", 0.0)
    monkeypatch.setattr(meaning, "verify", lambda *_given, **_more: Verdict("release", ()))
    tally = Tally()
    for number in range(3 * EACH):
        meaning._try(BY_NAME[name], 5, number, tally)
    assert set(tally.findings) == {f"accepted at level {level}" for level in ("release", "original", "key")}


def test_a_release_is_a_function_of_seed_kind_and_number():
    for name in ("disassociated, root lists", "set-generalised, PCTA", "ul"):
        kind = BY_NAME[name]
        one, two = changed(kind, 7, 31), changed(kind, 7, 31)
        assert one is not None
        assert two is not None
        assert one[1] == two[1]
        first, second = kind.build(one[0]).release, kind.build(two[0]).release
        assert first.parameters == second.parameters
        assert repr(first) == repr(second)


def test_files_say_the_same_as_memory(monkeypatch):
    kind = BY_NAME["disassociated, root withholds"]
    monkeypatch.setattr(meaning, "IN_FULL", 1.0)
    for number in range(1, 6):
        said = []
        for share in (0.0, 1.0):
            monkeypatch.setattr(meaning, "THROUGH_FILES", share)
            asked = ask(kind, 9, number)
            assert asked is not None
            assert findings(asked) == []
            said.append({level: verdict.ok for level, verdict in asked.verdicts.items()})
        assert said[0] == said[1]


def chunk(*rows):
    return [Row(set(row)) for row in rows]


def disassociated(clusters, joints=(), *, k=2, m=2, way="cluster", original=()):
    return meaning_disassociated.Plain(
        k, m, {"rare_items": way}, list(clusters), list(joints), list(original)
    )


def test_judge_of_worlds_knows_the_lemma():
    """Five records, three a and three b, nobody empty: exactly one record holds both (algorithms A4)."""
    bare = Group(None, [chunk(*"aaa"), chunk(*"bbb")], None, 5)
    assert "ab" in meaning_disassociated.judge(disassociated([bare], k=3)).broken["release"]
    filled = Group(None, [chunk(*"aaa"), chunk(*"bbb")], Row({"x"}), 5)
    assert "release" not in meaning_disassociated.judge(disassociated([filled], k=3)).broken
    assert "release" not in meaning_disassociated.judge(disassociated([bare], k=3, m=1)).broken


def test_judge_of_worlds_knows_that_an_occurrence_is_published_once():
    joint = Group(None, [chunk("a", "a")], None)
    below = [Group(joint, [chunk("a", "a")], Row({item}), 2) for item in "xy"]
    assert "no world" in meaning_disassociated.judge(disassociated(below, [joint])).broken["release"]


def test_judge_of_worlds_knows_who_can_hold_a_listed_item():
    root = Group(None, [], Row({"a"}))
    below = [Group(root, [chunk("a", "a")], None, 2)]
    told = meaning_disassociated.judge(disassociated(below, [root], way="list")).broken["release"]
    assert "a is listed" in told


def test_judge_of_worlds_looks_for_the_original():
    made = Group(None, [chunk("ab", "ab", "a")], Row({"x"}), 3)
    plain = disassociated([made], original=[frozenset("ab"), frozenset("ab"), frozenset("ax")])
    plain.home = dict.fromkeys(range(3), made)
    assert meaning_disassociated.judge(plain).broken == {}
    plain.original[2] = frozenset("a")  # nobody holds x any more
    assert set(meaning_disassociated.judge(plain).broken) == {"original", "key"}


def test_judge_of_itemsets():
    one, two = meaning_generalised.Block({"a"}), meaning_generalised.Block({"b", "c"})
    original = [frozenset("a"), frozenset("ab"), frozenset("c")]
    rows = [meaning_generalised.Row([one], 0, {"a"}), meaning_generalised.Row([one, two], 1, {"a", "b"})]
    rows.append(meaning_generalised.Row([two], 2, {"c"}))
    plain = meaning_generalised.Plain(2, {"all_up_to": 1}, [one, two], rows, original, None)
    assert meaning_generalised.judge(plain).broken == {}
    plain.policy = Policy(protected=(("a", "c"),))
    assert "shown by 1" in meaning_generalised.judge(plain).broken["release"]
    plain.policy, plain.parameters = None, {"all_up_to": 2}
    assert "fewer than 2" in meaning_generalised.judge(plain).broken["release"]
    rows[0].blocks.append(two)
    assert "images" in meaning_generalised.judge(plain).broken["original"]


def table(rows, published, *, columns, k=2, **parameters):
    """A table of age and illness, published in buckets of such parts."""
    source = meaning_tables.Source(meaning_tables.table_of(rows, ["age", "illness"]), tuple(map(tuple, rows)))
    buckets = []
    for bucket in published:
        parts = [[{at: frozenset(row[at]) for at in column} for row in bucket] for column in columns]
        buckets.append([[meaning_tables.Part(cells, 0) for cells in column] for column in parts])
    values = [list("012345"), list("fgmu")]
    return meaning_tables.Plain(
        k,
        parameters,
        ["age", "illness"],
        [False, True],
        values,
        len(columns) > 1,
        columns,
        buckets,
        source,
        [],
        False,
    )


PEOPLE = [["0", "f"], ["1", "g"], ["2", "f"], ["2", "f"]]
WHOLE, CUT = [[0, 1]], [[0], [1]]


@pytest.mark.parametrize(
    ("published", "columns", "parameters", "level", "told"),
    [
        ([[("01", "f"), ("01", "g"), ("2", "f"), ("2", "f")]], WHOLE, {}, None, ""),
        ([[("01", "f"), ("01", "g"), ("2", "f"), ("2", "f")]], WHOLE, {"k": 3}, "release", "group of 2"),
        ([[("01", "f"), ("01", "g"), ("2", "f"), ("2", "f")]], WHOLE, {"l": 2}, "release", "fewer than 2"),
        ([[("01", "f"), ("01", "g"), ("2", "f"), ("2", "g")]], WHOLE, {}, "original", "nobody"),
        ([[("01", "fg"), ("01", "g"), ("2", "f"), ("2", "f")]], WHOLE, {}, "release", "several values"),
        ([PEOPLE[:2], PEOPLE[2:]], CUT, {"l": 2, "check": "bucket"}, "release", "more than 1/2"),
        ([PEOPLE[:2], PEOPLE[2:]], CUT, {"l": 2, "check": "matching"}, "original", "more than 1/2"),
        ([[PEOPLE[0], PEOPLE[2]], [PEOPLE[1], PEOPLE[3]]], CUT, {}, None, ""),
        ([[("0", "f"), ("2", "g")], [("1", "f"), ("2", "f")]], CUT, {}, "key", "no way"),
    ],
    ids=str,
)  # fmt: skip
def test_judge_of_tables(published, columns, parameters, level, told):
    broken = meaning_tables.judge(table(PEOPLE, published, columns=columns, **parameters)).broken
    assert told in broken[level] if level else broken == {}


@pytest.mark.parametrize(
    "demand",
    [
        {"demand": "distinct-l", "l": 2},
        {"demand": "entropy-l", "l": 1.2},
        {"demand": "recursive-l", "l": 2, "c": 4.0},
        {"demand": "t-closeness", "t": 0.2, "distance": "equal"},
        {"demand": "t-closeness", "t": 0.2, "distance": "ordered"},
    ],
    ids=lambda demand: demand["demand"],
)
def test_judge_of_constraints(demand):
    """A class of one value alone, beside one of two."""
    asked = [demand | {"attributes": ["illness"]}]
    published = [[("01", "f"), ("01", "g"), ("2", "f"), ("2", "f")]]
    broken = meaning_tables.judge(table(PEOPLE, published, columns=WHOLE, constraints=asked)).broken
    assert "is not kept" in broken["release"]
    whole = [[("012", "f"), ("012", "g"), ("012", "f"), ("012", "f")]]
    assert meaning_tables.judge(table(PEOPLE, whole, columns=WHOLE, constraints=asked)).broken == {}
