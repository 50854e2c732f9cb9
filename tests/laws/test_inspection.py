"""What the inspector shows of small random releases, against plain Python and against the attacks themselves."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from plain_known_person import Plain
from strategies import RARE_ITEMS, skewed_records
from worlds import most_holders, states

import cloven as cv
from cloven.kinds.disassociated.attack.known_person_layout import Expected
from cloven.kinds.disassociated.covers.covers import covers
from cloven.kinds.disassociated.release import Kind
from cloven.statistics.telling import News
from cloven.studio.inspection.cluster import cluster_view, cover_notes
from cloven.studio.inspection.knowing import knowing
from cloven.studio.inspection.listing import PAGE
from cloven.studio.inspection.opened import Opened
from cloven.studio.inspection.placing import SEED, placement, rebuilt, targets_of_cluster
from cloven.studio.inspection.ranking import ORDERS, Ranking, told_by_cluster
from cloven.studio.inspection.truth import Owned, checked, hits_by_cluster, holders, judged, worst_people

FEW = st.sampled_from(RARE_ITEMS)


@st.composite
def made(draw, max_records=40):
    """A release with its key, and what it was made from."""
    data = cv.Transactions.from_records(
        draw(skewed_records(max_records=max_records, min_records=6, n_items=9))
    )
    method = cv.Disassociation(
        k=draw(st.sampled_from((2, 3))), m=2, max_cluster_size=draw(st.sampled_from((5, 9, 20))),
        rare_items=draw(FEW), refine=draw(st.booleans()),
    )  # fmt: skip
    return data, method.anonymise(data)


def plain_of(release):
    return Plain(release, *Expected.of(release.k))


@given(made(), st.data())
def test_a_cluster_is_shown_as_it_is_published(case, data):
    release = case[1].release
    number = data.draw(st.integers(0, release.clusters - 1))
    shown, plain = cluster_view(Opened(release), number, None), release.cluster(number)
    chunks = [
        sorted(row for line in chunk.lines for row in [line.items] * line.copies) for chunk in shown.chunks
    ]
    assert chunks == [sorted(chunk) for chunk in plain.record_chunks]
    assert (shown.terms.lines[0].items if shown.terms else ()) == plain.term_chunk
    assert shown.size == plain.size
    if release.root >= 0:
        root = release.joint(release.root)
        own = {item for chunk in plain.record_chunks for row in chunk for item in row} | set(plain.term_chunk)
        count = {}
        for chunk in root.shared_chunks:
            for row in chunk:
                for item in row:
                    count[item] = count.get(item, 0) + 1
        count |= dict.fromkeys(root.term_chunk)
        assert {item.name: item.copies for item in shown.root} == {
            item: copies for item, copies in count.items() if item not in own
        }


@given(made())
def test_covers_of_all_clusters_are_the_covers_of_the_release(case):
    release = case[1].release
    opened = Opened(release)
    shown = [
        (number, note.chunk, note.earlier, note.item, note.covered, note.covering)
        for number in range(release.clusters)
        for note in cover_notes(opened, number)
    ]
    found = covers(release)
    assert sorted(shown) == sorted(
        (each.cluster, each.chunk, each.earlier, each.item, each.covered, each.covering) for each in found
    )
    every, exposed = Ranking(opened).covers
    assert int(every.sum()) == sum(len(each.covered) for each in found)
    assert int(exposed.sum()) == int(found.everywhere.sum())


@given(made(), st.data())
def test_what_known_items_tell_is_the_formula(case, data):
    release = case[1].release
    assume(release.vocabulary)
    known = data.draw(st.lists(st.sampled_from(release.vocabulary), min_size=1, max_size=3, unique=True))
    opened, plain = Opened(release), plain_of(release)
    found = knowing(opened, known, 0, most=None)
    wanted = plain.probabilities(set(known))
    told = {claim.item: claim.probability for claim in found.claims if not claim.certain}
    sure = {claim.item for claim in found.claims if claim.certain}
    assert told == pytest.approx(
        {item: chance for item, chance in wanted.items() if chance >= found.least - 1e-9 and item not in sure}
    )
    assert sum(each.probability for each in found.where) <= 1 + 1e-9


@given(made(), st.data())
def test_candidates_shrink_with_every_item_and_never_below_the_truth(case, data):
    source, result = case
    release = result.release
    assume(release.vocabulary)
    known = data.draw(st.lists(st.sampled_from(release.vocabulary), min_size=1, max_size=3, unique=True))
    cluster = data.draw(st.integers(0, release.clusters - 1))
    steps = knowing(Opened(release), known, cluster).steps
    parts = {}
    for entry, record in enumerate(result.key.record.tolist()):
        codes = result.key.items[result.key.offsets[entry] : result.key.offsets[entry + 1]]
        parts.setdefault(record, set()).update(release.vocabulary[code] for code in codes.tolist())
    where = dict(zip(result.key.records.tolist(), result.key.record_cluster.tolist(), strict=True))
    for count, step in enumerate(steps, 1):
        link = cv.candidates(release, known[:count])
        holding = [record for record, items in parts.items() if set(known[:count]) <= items]
        assert len(holding) <= step.candidates <= link.candidates
        assert sum(where[record] == cluster for record in holding) <= step.here <= step.candidates
        assert link.certain == step.certain <= len(holding)
    assert all(later.candidates <= step.candidates for step, later in pairwise(steps))
    assert len(source) >= release.records


@given(made(max_records=9), st.data())
def test_candidates_are_enough_for_every_possible_data_set(case, data):
    release = case[1].release
    assume(release.vocabulary)
    possible = states(release)
    assume(possible is not None)
    known = data.draw(st.lists(st.sampled_from(release.vocabulary), min_size=1, max_size=2, unique=True))
    assert knowing(Opened(release), known).steps[-1].candidates >= most_holders(release, possible, known)


@given(made())
def test_what_is_told_of_anybody_is_what_is_told_without_knowing_anything(case):
    release = case[1].release
    wanted = plain_of(release).probabilities(set())
    shares = Opened(release).shares
    assert dict(zip(release.vocabulary, shares.tolist(), strict=True)) == pytest.approx(wanted)


@given(made(), st.sampled_from(("release", "method")), st.data())
def test_placements_are_the_guesses_of_the_attack(case, attack, data):
    release = case[1].release
    opened = Opened(release)
    try:
        whole = opened.attack(attack).guess(release, np.random.default_rng(SEED))
    except cv.ParameterError:
        assume(False)
    asked = whole.questions
    # Lots that put rare items anywhere depend on what else is asked about; everything else does not.
    some = np.flatnonzero(
        (asked.target_kind == Kind.RECORD) | (asked.target_cluster < 0) | (attack == "release")
    )
    assume(len(some) and type(opened.attack(attack)).__name__ != "Guesswork")
    target = int(data.draw(st.sampled_from(some.tolist())))
    cluster = int(asked.target_cluster[target])
    if cluster < 0:
        below = [c for c in range(release.clusters) if int(release.row_joint[asked.target_row[target]])
                 in opened.joints_of(c)]  # fmt: skip
        cluster = data.draw(st.sampled_from(below))
    found = placement(opened, cluster, attack, int(asked.target_row[target]), int(asked.target_item[target]))
    pairs = slice(asked.offsets[target], asked.offsets[target + 1])
    wanted = dict(zip(asked.slots[pairs].tolist(), whole.confidence[pairs].tolist(), strict=True))
    first, last = asked.slot_offsets[cluster : cluster + 2].tolist()
    shown = {slot: spot.probability for spot in found.spots for slot in spot.slots}
    assert shown == pytest.approx(
        {slot: chance for slot, chance in wanted.items() if first <= slot < last}, abs=1e-6
    )
    assert found.candidates == len(wanted)
    assert found.expected == pytest.approx(sum(wanted.values()), abs=1e-4)
    if found.copies:
        assert found.expected == pytest.approx(min(found.copies, len(wanted)), abs=1e-3)
    if attack == "release":
        chosen = whole.chosen[pairs]
        here = [slot for slot, put in zip(asked.slots[pairs].tolist(), chosen.tolist(), strict=True) if put]
        assert sum(spot.chosen for spot in found.spots) == sum(first <= slot < last for slot in here)


@given(made())
def test_data_are_put_together_from_the_key(case):
    data, result = case
    owned = Owned(Opened(result.release), result.key)
    assert list(owned.data) == list(data)
    assert owned.data.source_rows.tolist() == data.source_rows.tolist()


@given(made(), st.data())
def test_truth_of_a_part_is_that_of_the_records(case, data):
    source, result = case
    release, key = result.release, result.key
    opened = Opened(release)
    targets = [
        target
        for target in range(len(opened.candidates))
        if release.row_kind[opened.candidates.row[target]] == Kind.RECORD
    ]
    assume(targets)
    target = data.draw(st.sampled_from(targets))
    row = int(opened.candidates.row[target])
    cluster = int(release.row_cluster[row])
    made_of = placement(opened, cluster, "method", row) if _tells(opened, cluster, row) else None
    assume(made_of is not None)
    found = judged(Owned(opened, key), cluster, made_of)
    names = [set(source[record]) for record in range(len(source))]
    chunks = {chunk.number: {i for line in chunk.lines for i in line.items}
              for chunk in cluster_view(opened, cluster, None).chunks}  # fmt: skip
    here = [
        names[source.source_rows.tolist().index(record)]
        for record, where in zip(key.records.tolist(), key.record_cluster.tolist(), strict=True)
        if where == cluster
    ]
    own = int(release.row_chunk[row])
    holding = [record for record in here if record & chunks[own] == set(release.row(row))]
    assert found.holders == len(holding)
    by_look = {}
    for spot, right in zip(made_of.spots, found.right, strict=True):
        by_look[spot.items] = by_look.get(spot.items, 0) + right
    wanted = {}
    for record in holding:
        look = tuple(sorted(record & chunks[0]))
        wanted[look] = wanted.get(look, 0) + 1
    assert {look: many for look, many in by_look.items() if many} == wanted
    assert 0 <= found.found <= found.holders


def _tells(opened, cluster, row):
    try:
        placement(opened, cluster, "method", row)
    except cv.ParameterError:
        return False
    return True


@given(made(), st.data())
def test_rebuilt_clusters_are_checked_part_by_part(case, data):
    result = case[1]
    opened = Opened(result.release)
    cluster = data.draw(st.integers(0, result.release.clusters - 1))
    places = rebuilt(opened, cluster, "release")
    found = checked(Owned(opened, result.key), cluster, places)
    assert [place.number for place in places] == list(range(1, int(result.release.cluster_size[cluster]) + 1))
    copies = opened.candidates.copies[targets_of_cluster(opened, cluster)]
    really = sum(sum(each.right) + len(each.missed) for each in found)
    assert really >= int(copies.sum())  # items of term chunks have copies that nobody is told of
    assert len({each.record for each in found}) == len(found)


@given(made(), st.data())
def test_holders_are_counted_in_the_data(case, data):
    source, result = case
    assume(result.release.vocabulary)
    known = data.draw(
        st.lists(st.sampled_from(result.release.vocabulary), min_size=1, max_size=2, unique=True)
    )
    opened = Opened(result.release)
    found = knowing(opened, known, 0)
    true = holders(Owned(opened, result.key), found, 0)
    having = [set(record) for record in source if set(known) <= set(record)]
    assert true.count == len(having)
    assert true.claims == tuple(sum(claim.item in record for record in having) for claim in found.claims)
    for claim, right in zip(found.claims, true.claims, strict=True):
        if (
            claim.certain
        ):  # withheld occurrences may be elsewhere, but certain is certain of what is published
            assert right > 0 or true.count == 0


@given(made())
def test_clusters_are_ranked_by_what_the_formula_tells_of_their_rows(case):
    release = case[1].release
    opened, plain = Opened(release), plain_of(release)
    shares = dict(zip(release.vocabulary, opened.shares.tolist(), strict=True))
    news = dict(
        zip(release.vocabulary, News().from_shares(opened.shares, release.vocabulary).tolist(), strict=True)
    )
    found = told_by_cluster(opened)
    for number, cluster in enumerate(release.iter_clusters()):
        best = []
        for row in {row for chunk in cluster.record_chunks for row in chunk}:
            known = set(sorted(row, key=lambda item: (shares[item], item))[:2])
            told = plain.probabilities(known)
            best += [chance for item, chance in told.items() if chance >= max(0.5, news[item]) - 1e-9]
        assert found.probability[number] == pytest.approx(max(best, default=0.0))
    for by in ORDERS:
        lines, pages = Ranking(opened).page(by)
        assert (len(lines), pages) == (min(PAGE, release.clusters), -(-release.clusters // PAGE))


@given(made(max_records=60))
def test_people_are_told_what_they_have(case):
    data, result = case
    found = worst_people(Owned(Opened(result.release), result.key))
    rows = data.source_rows.tolist()
    for person in found:
        record = set(data[rows.index(person.record)])
        assert {person.told, *person.known} <= record
        assert person.told not in person.known
    order = [(not person.certain, -person.probability) for person in found]
    assert order == sorted(order)


@given(made())
def test_hits_of_all_clusters_are_true_links(case):
    result = case[1]
    owned = Owned(Opened(result.release), result.key)
    found = hits_by_cluster(owned)
    assert not found.is_sample
    assert (found.measured.found <= found.measured.links + 1e-9).all()
    assert sorted(found.order.tolist()) == list(range(result.release.clusters))
