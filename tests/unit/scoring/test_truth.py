"""Truth from the key against the plain records."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloven.errors import ReleaseError
from cloven.kinds.disassociated.score.definitions import units
from cloven.kinds.disassociated.score.truth import SHORT, truth

from .plain import world, worlds

CLUSTERS = [["ab", "a", "bc", "c"], ["ad", "a", "d"]]
PLACES = [{"a": 0, "b": 1, "c": "term"}, {"a": 0, "d": 1}]


@given(worlds())
def test_slots_and_links_are_those_of_the_records(made):
    found = truth(made.questions, made.release, made.key)
    assert found.slot_record.tolist() == [record for _, _, record in made.slots]
    pairs = [(t, slot) for t, (_, _, slots) in enumerate(made.targets) for slot in slots]
    assert found.holds.tolist() == [made.holds(*pair) for pair in pairs]
    assert found.copies.tolist() == [
        sum(made.holds(t, slot) for slot in slots) for t, (_, _, slots) in enumerate(made.targets)
    ]


@given(worlds())
def test_held_items_are_the_records(made):
    held = truth(made.questions, made.release, made.key).held
    words = made.release.vocabulary
    lying = {(slot, words[item]) for slot, item in zip(held.slot.tolist(), held.item.tolist(), strict=True)}
    assert lying == {
        (at, item) for at, (_, _, record) in enumerate(made.slots) for item in made.record(record)
    }
    shown = {(s, words[i]) for s, i in zip(held.slot[held.anchor], held.item[held.anchor], strict=True)}
    away = {(at, i) for at, (_, _, record) in enumerate(made.slots) for i in made.disassociated(record)}
    assert lying - shown == away


def cells(held):
    return list(zip(*(each.tolist() for each in (held.slot, held.item, held.kind, held.anchor)), strict=True))


@given(worlds(), st.randoms(use_true_random=False))
def test_the_order_of_parts_in_the_key_does_not_matter(made, lots):
    """Keys of this library ascend by record; one that somebody has sorted otherwise tells the same."""
    key, order = made.key, list(range(len(made.key.record)))
    lots.shuffle(order)
    parts = [key.items[key.offsets[part] : key.offsets[part + 1]] for part in order]
    other = replace(
        key,
        record=key.record[order],
        release_row=key.release_row[order],
        offsets=np.append(0, np.cumsum([len(part) for part in parts])).astype(np.int64),
        items=np.concatenate(parts).astype(np.int32),
    )
    found, again = (truth(made.questions, made.release, each) for each in (key, other))
    assert found.slot_record.tolist() == again.slot_record.tolist()
    assert found.holds.tolist() == again.holds.tolist()
    assert sorted(cells(found.held)) == sorted(cells(again.held))


@pytest.mark.parametrize("many", [SHORT, SHORT + 1, 3 * SHORT])
def test_items_of_long_records_ascend_each_with_its_part(many):
    items = [chr(200 + 7 * number) for number in range(many)]
    made = world([["".join(items), items[0], "".join(items[::2])]], [{x: i % 3 for i, x in enumerate(items)}])
    held = truth(made.questions, made.release, made.key).held
    words = made.release.vocabulary
    for at, (_, _, record) in enumerate(made.slots):
        here = slice(held.offsets[at], held.offsets[at + 1])
        assert [words[item] for item in held.item[here]] == sorted(made.record(record))
        for item, part, anchor in zip(held.item[here], held.part[here], held.anchor[here], strict=True):
            mates = {words[each] for each in held.item[here][held.part[here] == part]}
            assert mates in made.parts[record].values()
            assert words[item] in mates
            assert anchor == (items.index(words[item]) % 3 == 0)


@given(worlds())
def test_units_are_clusters_and_for_shared_chunks_joints(made):
    found = units(made.questions, made.release)
    assert found.of_slot.tolist() == [cluster for cluster, _, _ in made.slots]
    asked, release = made.questions, made.release
    for target in range(len(asked)):
        unit, shared = int(found.of_target[target]), asked.target_cluster[target] < 0
        joint = release.clusters + int(release.row_joint[asked.target_row[target]])
        assert unit == (joint if shared else asked.target_cluster[target])
    assert found.total == release.clusters + len(release.joint_parent)


def test_records_without_anchor_take_the_empty_slots_in_order():
    made = world([["b", "a", "b", "bc"]], [{"a": 0, "b": 1, "c": 1}])
    found = truth(made.questions, made.release, made.key)
    assert made.questions.slot_anchor.tolist() == [0, -1, -1, -1]
    rest = found.slot_record[1:].tolist()
    assert rest == sorted(rest)


def refuse(made, match, **changes):
    with pytest.raises(ReleaseError, match=match):
        truth(made.questions, made.release, replace(made.key, **changes))


def test_wrong_key_is_refused():
    made = world(CLUSTERS, PLACES)
    other = world([["ab", "a"], ["ad", "a", "d", "a", "a"]], PLACES)
    with pytest.raises(
        ReleaseError, match=r"key does not fit the release: .* use the key that was written with it"
    ):
        truth(made.questions, made.release, other.key)
    key = made.key
    refuse(made, "different lengths", release_row=key.release_row[:-1])
    refuse(made, "does not have", release_row=key.release_row + 100)
    refuse(made, "not in order", records=key.records[::-1].copy())
    refuse(made, "in cluster 0, the release 4", record_cluster=np.zeros_like(key.record_cluster))
    refuse(made, "other items than the published row", items=np.zeros_like(key.items))
    swapped = key.record_cluster.copy()
    swapped[[np.argmin(swapped), np.argmax(swapped)]] = 1, 0
    refuse(made, "not its own", record_cluster=swapped)


def test_a_sub_record_given_twice_is_refused():
    made = world([["ab", "ab"]], [{"a": 0, "b": 1}])
    rows = made.key.release_row.copy()
    rows[made.release.row_chunk[rows] == 1] = 2
    refuse(made, "to no record or to several", release_row=rows)


def test_guesses_about_another_release_are_refused():
    made = world(CLUSTERS, PLACES)
    other = world([CLUSTERS[0]], PLACES[:1])
    with pytest.raises(ReleaseError, match=r"about another release: they have 4 slots in 1 clusters"):
        truth(other.questions, made.release, made.key)
    asked = replace(made.questions, target_kind=1 - made.questions.target_kind)
    with pytest.raises(ReleaseError, match="as another kind"):
        truth(asked, made.release, made.key)
    asked = replace(made.questions, slot_anchor=made.questions.slot_anchor[::-1].copy())
    with pytest.raises(ReleaseError, match="another cluster"):
        truth(asked, made.release, made.key)
    asked = replace(made.questions, slots=made.questions.slots[::-1].copy())
    with pytest.raises(ReleaseError, match="do not belong together"):
        truth(asked, made.release, made.key)
