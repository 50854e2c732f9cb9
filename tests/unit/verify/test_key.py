"""Key against release and original: a planted fault for each check of the key level."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cloven.errors import ParameterError
from cloven.verification import verify

from .keys import edited, group, join, publish, transactions
from .releases import changed_arrays, failed

DATA = ["abx", "ab", "abs", "as", "cst", "ct", "c", "cdt", "e", "ey", "ez"]


def plans():
    joined = join(["s", "t"], [group([0, 1, 2, 3], ["ab"], "x"), group([4, 5, 6, 7], ["c"], "d")])
    return [joined, group([8, 9, 10], ["e"], "yz")]


def judge(made, data=DATA, **changes):
    return verify(made.release, original=transactions(data), key=edited(made.key, **changes))


def detail(verdict, name):
    return next(check.detail for check in verdict.checks if check.name == name)


def entry(made, record, items):
    """Number of the part by which a record contributes these items."""
    key = made.key
    for at in range(len(key.record)):
        codes = key.items[key.offsets[at] : key.offsets[at + 1]]
        if key.record[at] == record and {made.release.vocabulary[code] for code in codes} == set(items):
            return at
    raise AssertionError


def test_sound_key_passes():
    verdict = judge(publish(DATA, plans()))
    assert failed(verdict) == []
    assert verdict.level == "key"
    assert sum(check.level == "key" for check in verdict.checks) == 8


def test_key_needs_the_original():
    made = publish(DATA, plans())
    with pytest.raises(ParameterError, match="without the original"):
        verify(made.release, key=made.key)


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("release_row", lambda values: values[:-1]),
        ("release_row", lambda values: values + 100),
        ("offsets", lambda values: values + 1),
        ("items", lambda values: values + 100),
        ("record_cluster", lambda values: values + 100),
        ("records", lambda values: values[::-1]),
        ("records", lambda values: values + 100),
        ("record", lambda values: values + 100),
        ("suppressed_reason", lambda values: ("rare item",)),
        ("persons", lambda values: np.array([1])),
    ],
)
def test_unsound_key(field, change):
    made = publish(DATA, plans())
    verdict = judge(made, **{field: change(getattr(made.key, field))})
    assert failed(verdict) == ["key arrays"]


def test_suppressed_record_that_is_unknown():
    made = publish(DATA, plans())
    changes = {"suppressed_record": [99], "suppressed_reason": ("rare item",), "suppressed_items": (("a",),)}
    assert failed(judge(made, **changes)) == ["key arrays"]


def test_repeated_source_positions():
    made = publish(DATA, plans())
    data = transactions(DATA)
    again = data.take(np.array([0, *range(10)]))
    assert "key arrays" in failed(verify(made.release, original=again, key=made.key))


def test_records_are_found_by_source_position():
    """The original may be in another order, and may have lost empty records."""
    made = publish(DATA, plans())
    data = transactions(DATA).take(np.arange(len(DATA))[::-1])
    assert failed(verify(made.release, original=data, key=made.key)) == []
    shifted = transactions(["", *DATA])
    key = edited(made.key, record=made.key.record + 1, records=made.key.records + 1)
    assert failed(verify(made.release, original=shifted, key=key)) == []
    assert "key arrays" in failed(verify(made.release, original=shifted, key=made.key))


def test_cluster_members():
    made = publish(DATA, plans())
    cluster = made.key.record_cluster.copy()
    cluster[0] = cluster[4]
    verdict = judge(made, record_cluster=cluster)
    assert "cluster members" in failed(verdict)
    assert "parts in place" in failed(verdict)


def test_shared_item_that_a_joint_further_in_shares():
    """The s of record 0 and of record 8 stand for each other: the first lies in the outer joint now."""
    data = ["as", "as", "a", "a", "bs", "bs", "b", "b", "cs", "cs", "cs", "c"]
    first, second, third = (
        group(list(range(at, at + 4)), [item]) for at, item in ((0, "a"), (4, "b"), (8, "c"))
    )
    made = publish(data, [join(["s"], [join(["s"], [first, second]), third])])
    assert failed(judge(made, data)) == []
    record, inner, outer = made.key.record.copy(), entry(made, 0, "s"), entry(made, 8, "s")
    record[inner], record[outer] = 8, 0
    verdict = judge(made, data, record=record)
    assert failed(verdict) == ["parts in place", "shared origin"]
    joint = made.release.row_joint[made.key.release_row[outer]]
    assert f"record 0 contributes 's' to joint {joint}, shared chunk 0" in detail(verdict, "shared origin")


@pytest.mark.parametrize("other", ["r", "t"])
def test_shared_item_of_a_joint_that_was_left_and_of_the_one_around(other):
    """Whatever is looked at first: s is shared inside, beside it, and outside, and only from outside is it taken."""
    data = ["as", "as", "a", "bs", "bs", "b", "cs" + other, "cs" + other, "c", "ds" + other, "d" + other, "d"]
    data += ["es", "es", "es"]
    a, b, c, d, e = (group(list(range(3 * at, 3 * at + 3)), ["abcde"[at]]) for at in range(5))
    made = publish(data, [join(["s"], [join(["s"], [join(["s"], [a, b]), join([other], [c, d])]), e])])
    assert failed(judge(made, data)) == []
    record, inner, outer = made.key.record.copy(), entry(made, 6, "s"), entry(made, 12, "s")
    record[inner], record[outer] = 12, 6
    verdict = judge(made, data, record=record)
    assert failed(verdict) == ["parts in place", "shared origin"]
    assert "record 6 contributes 's'" in detail(verdict, "shared origin")


def test_suppressed_items_and_records():
    data = [*DATA, "ab", "qe"]
    taken = [(11, "ab", "small cluster"), (12, "q", "rare item"), (12, "e", "small cluster")]
    made = publish(data, plans(), suppressed=taken, small_clusters="suppress")
    assert failed(judge(made, data)) == []
    fewer = {
        "suppressed_record": made.key.suppressed_record[1:],
        "suppressed_reason": made.key.suppressed_reason[1:],
        "suppressed_items": made.key.suppressed_items[1:],
    }
    verdict = judge(made, data, **fewer)
    assert failed(verdict) == ["records rebuilt"]
    assert "record 11 is not rebuilt: lost {'a', 'b'}" in detail(verdict, "records rebuilt")


def test_suppressed_item_that_was_published_all_the_same():
    made = publish(DATA, plans())
    changes = {"suppressed_record": [0], "suppressed_reason": ("rare item",), "suppressed_items": (("x",),)}
    assert failed(judge(made, **changes)) == ["records rebuilt"]


SIX = ["ab", "ab", "ab", "a", "b", "c"]


def persons(numbers, chunks=("ab",), term="c", data=SIX):
    made = publish(data, [group(list(range(len(data))), list(chunks), term)], persons=numbers)
    return verify(
        made.release,
        original=replace(transactions(data), persons=np.array(numbers)),
        key=made.key,
    )


def test_distinct_persons_pass():
    assert failed(persons([7, 8, 9, 7, 8, 9])) == []


def test_cluster_of_two_persons():
    verdict = persons([7, 8, 7, 8, 7, 8], chunks=["a"], term="c", data=["a"] * 5 + ["c"])
    assert failed(verdict) == ["persons in clusters", "persons in record chunks"]


def test_pair_held_by_two_persons():
    verdict = persons([7, 8, 8, 9, 9, 9])
    assert failed(verdict) == ["persons in record chunks"]
    assert "{'a', 'b'} is held by 2 persons, k is 3" in detail(verdict, "persons in record chunks")


def test_key_that_names_other_persons():
    made = publish(SIX, [group(list(range(6)), ["ab"], "c")], persons=[7, 8, 9, 7, 8, 8])
    assert failed(judge(made, SIX)) == []
    data = replace(transactions(SIX), persons=np.array([7, 8, 9, 7, 8, 9]))
    assert failed(verify(made.release, original=data, key=made.key)) == ["persons agree"]


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [([1, 2, 3, 4, 1, 2, 4, 5], []), ([1, 2, 3, 4, 1, 2, 3, 4], ["persons in shared chunks"])],
)
@pytest.mark.parametrize("shown", [False, True])
def test_persons_of_shared_chunks(numbers, expected, shown):
    """Records 2, 6, 7 hold s: three persons are needed, also if s is shown elsewhere below the joint."""
    data = ["a", "a", "as", "a", "c", "c", "cs", "cs"]
    children = [group([0, 1, 2, 3], ["a"], "x"), group([4, 5, 6, 7], ["c"], "y")]
    if shown:
        data = [*data, "s", "s", "s"]
        numbers = [*numbers, 1, 2, 3]
        children.append(group([8, 9, 10], ["s"]))
    data[0], data[4] = "ax", "cy"
    made = publish(data, [join(["s"], children)], persons=numbers)
    assert failed(judge(made, data)) == expected


def test_key_level_on_a_release_out_of_order():
    """The key names rows by their number in the release, whatever their order."""
    made = publish(DATA, plans())
    back = np.arange(made.release.rows)[::-1]
    lengths = np.diff(made.release.row_offsets)[back]
    pieces = np.split(made.release.row_items, made.release.row_offsets[1:-1])
    release = changed_arrays(
        made.release,
        row_offsets=np.append(0, np.cumsum(lengths)),
        row_items=np.concatenate(pieces[::-1]),
        **{
            name: getattr(made.release, name)[back]
            for name in ("row_cluster", "row_joint", "row_chunk", "row_kind")
        },
    )
    key = edited(made.key, release_row=made.release.rows - 1 - made.key.release_row)
    verdict = verify(release, original=transactions(DATA), key=key)
    assert failed(verdict) == ["order of rows"]


@pytest.mark.parametrize(
    ("claimed", "told", "failed_at_key"),
    [
        (True, [7, 8, 9, 7, 8, 9], []),
        (True, None, ["persons counted"]),
        (False, [7, 8, 9, 7, 8, 9], ["persons counted"]),
        (False, [1, 2, 3, 4, 5, 6], []),
        (False, None, []),
    ],
)
def test_the_claim_to_count_persons(claimed, told, failed_at_key):
    made = publish(SIX, [group(list(range(6)), ["ab"], "c")], persons=told)
    release = replace(made.release, parameters=dict(made.release.parameters) | {"persons": claimed})
    data = replace(transactions(SIX), persons=None if told is None else np.array(told))
    alone, compared = verify(release), verify(release, original=data)
    assert alone.ok
    assert [check.name for check in alone.undecided] == ["persons counted"] * claimed
    assert failed(compared) == failed_at_key
    assert [check.name for check in compared.undecided] == ["persons counted"] * (
        claimed and told is not None
    )
    whole = verify(release, original=data, key=made.key)
    assert failed(whole) == failed_at_key
    assert whole.undecided == ()


def test_a_key_without_persons_contradicts_the_claim():
    numbers = [7, 8, 9, 7, 8, 9]
    made = publish(SIX, [group(list(range(6)), ["ab"], "c")], persons=numbers)
    data = replace(transactions(SIX), persons=np.array(numbers))
    verdict = verify(made.release, original=data, key=replace(made.key, persons=None))
    assert failed(verdict) == ["persons counted"]
    assert "persons were counted, and the key names none" in detail(verdict, "persons counted")


BEHIND = [2**62, 2**63 - 1, -(2**63), -(2**62), -5]
"""Each seems larger than the one before, when differences are taken of numbers that have no room for them."""


def test_offsets_that_only_seem_to_ascend_are_refused():
    made = publish(DATA, plans())
    offsets = made.key.offsets.copy()
    offsets[1:6] = BEHIND
    verdict = judge(made, offsets=offsets)
    assert "key arrays" in failed(verdict)
    assert "part 2 of the key is empty" in detail(verdict, "key arrays")


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("offsets", lambda values: values.astype(np.uint64)),
        ("items", lambda values: values + 0.5),
        ("release_row", lambda values: values + 0.5),
        ("record", lambda values: values.astype(float)),
        ("items", lambda values: values.reshape(1, -1)),
        ("suppressed_record", lambda values: values.astype(float)),
    ],
)
def test_arrays_of_a_key_are_lists_of_whole_numbers(field, change):
    made = publish(DATA, plans())
    verdict = judge(made, **{field: change(getattr(made.key, field))})
    assert failed(verdict) == ["key arrays"]
    assert detail(verdict, "key arrays") == f"the key's {field} is not a list of whole numbers"


def test_bytes_may_stand_the_other_way_round():
    made = publish(DATA, plans(), suppressed=[(10, "z", "cover")])
    turned = {
        name: getattr(made.key, name).astype(">i8") for name in ("record", "suppressed_record", "items")
    }
    before, after = judge(made), judge(made, **turned)
    assert before.checks == after.checks


@pytest.mark.parametrize("numbers", [[0, -1, 1, 2], [0, 2**62, 2**62 + 1, -(2**62)]])
def test_whatever_numbers_persons_have_holders_of_withheld_items_are_counted(numbers):
    data = ["abp", "abq", "abq", "abq"]
    made = publish(
        data,
        [group([0, 1, 2, 3], ["ab"])],
        suppressed=[(0, "p", "rare"), *((at, "q", "rare") for at in (1, 2, 3))],
        persons=numbers,
        k=3,
        rare_items="withhold",
    )
    verdict = verify(made.release, original=transactions(data), key=made.key)
    assert "item 'q' of 3 holders is withheld, k is 3" in detail(verdict, "withheld")


@pytest.mark.parametrize("record", [3, 11])
def test_nothing_is_withheld_as_rare_of_a_record_that_is_not_published(record):
    data = [*DATA, "e"]
    left = [n for n in range(len(data)) if n != record]
    clusters = [
        group([n for n in left if n < 8], ["ab"], "cdstx"),
        group([n for n in left if n > 7], ["e"], "yz"),
    ]
    made = publish(data, clusters, suppressed=[(record, data[record], "rare")], k=2, rare_items="withhold")
    verdict = verify(made.release, original=transactions(data), key=made.key)
    assert f"record {record} is not published, and an item of it is withheld as rare" in detail(
        verdict, "withheld"
    )
