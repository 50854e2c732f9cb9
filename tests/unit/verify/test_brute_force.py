"""The checker against naive Python on random small releases."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cloven.kinds.disassociated.release import Kind
from cloven.kinds.disassociated.verify.layout import check_tree, lay_out
from cloven.kinds.disassociated.verify.promise import rare_among_owners, rare_in_rows
from cloven.kinds.disassociated.verify.sharing import find_sharing
from cloven.verification import verify
from tests.effort import tries

from .keys import edited, group, publish, transactions
from .releases import (
    build,
    changed_arrays,
    cluster,
    content_key,
    context,
    failed,
    joint,
    nodes_below,
    rows,
    with_rows,
)

ROW = st.sets(st.sampled_from("abcdef"), min_size=1).map("".join)
CHUNK = st.lists(ROW, min_size=1, max_size=12)
SMALL_ROW = st.sampled_from(["a", "b", "ab"])
SMALL_CHUNKS = st.lists(st.lists(SMALL_ROW, min_size=1, max_size=3), max_size=2)


@st.composite
def trees(draw, depth=2):
    """A cluster or a joint, from so few items that equal ones are frequent."""
    if depth and draw(st.booleans()):
        children = draw(st.lists(trees(depth=depth - 1), min_size=2, max_size=3))
        return joint(draw(SMALL_CHUNKS), children)
    return cluster(draw(st.integers(1, 3)), draw(SMALL_CHUNKS), draw(st.sampled_from(["", "b", "t"])))


def holders(chunk, combination):
    return sum(set(combination) <= set(row) for row in chunk)


def is_km_anonymous(chunk, k, m, *, strict):
    items = sorted(set().union(*chunk))
    counts = [holders(chunk, c) for size in range(1, m + 1) for c in combinations(items, size)]
    return all(count >= k or (count == 0 and not strict) for count in counts)


@settings(max_examples=tries(300), deadline=None)
@given(st.lists(CHUNK, min_size=1, max_size=3), st.integers(1, 5), st.integers(1, 7), st.booleans())
def test_km_of_chunks(chunks, k, m, strict):
    layout = lay_out(build([cluster(20, chunks)]))
    rare = rare_in_rows(layout, np.arange(layout.chunks), k, m, strict=strict)
    bad = [at for at, chunk in enumerate(chunks) if not is_km_anonymous(chunk, k, m, strict=strict)]
    if rare is None:
        assert bad == []
        return
    words = sorted(set().union(*map("".join, chunks)))
    assert (rare.chunks, rare.chunk) == (len(bad), bad[0])
    assert len(rare.items) <= m
    assert rare.holders == holders(chunks[bad[0]], {words[code] for code in rare.items}) < k


@settings(max_examples=tries(200), deadline=None)
@given(
    st.lists(st.tuples(ROW, st.integers(0, 3)), min_size=1, max_size=12), st.integers(1, 4), st.integers(1, 4)
)
def test_km_counted_in_persons(pairs, k, m):
    pairs = sorted((tuple(sorted(row)), person) for row, person in pairs)
    layout = lay_out(build([cluster(20, [[row for row, _ in pairs]])]))
    owner = np.array([person for _, person in pairs], np.int64)
    rare = rare_among_owners(layout, np.array([0]), owner, k, m)

    def persons(combination):
        return len({person for row, person in pairs if set(combination) <= set(row)})

    occurring = {c for row, _ in pairs for size in range(1, m + 1) for c in combinations(row, size)}
    assert (rare is None) == all(persons(c) >= k for c in occurring)
    if rare is not None:
        words = sorted({item for row, _ in pairs for item in row})
        assert rare.holders == persons({words[code] for code in rare.items}) < k


def shown_below(node):
    """Items of record chunks of clusters, and of shared chunks of joints, strictly below a joint."""
    return {
        item
        for below in nodes_below(node.children)
        for chunk in below.chunks
        for row in chunk
        for item in row
    }


def barred(joint, item):
    """Clusters below a joint that show an item, or that lie below an inner joint which shares it."""
    out = set()
    for node in nodes_below(joint.children):
        if any(item in row for chunk in node.chunks for row in chunk):
            out |= {id(below) for below in nodes_below([node]) if not below.is_joint}
    return out


@settings(max_examples=tries(300), deadline=None)
@given(st.lists(trees(), min_size=1, max_size=3), st.integers(1, 3), st.integers(1, 3), st.booleans())
def test_shared_chunks(nodes, k, m, strict):
    def holds(node, chunk):
        items = set().union(*chunk)
        if shown_below(node) & items:
            same = len({frozenset(barred(node, item)) for item in items}) == 1
            return same and all(chunk.count(row) >= k for row in chunk)
        return is_km_anonymous(chunk, k, m, strict=strict)

    joints = [node for node in nodes_below(nodes) if node.is_joint]
    expected = all(holds(node, chunk) for node in joints for chunk in node.chunks)
    reading = "strict" if strict else "occurring"
    verdict = verify(build(nodes, k=k, m=m, reading=reading))
    assert ("shared chunks" not in failed(verdict)) == expected


@settings(max_examples=tries(300), deadline=None)
@given(st.lists(trees(depth=3), min_size=1, max_size=3))
def test_what_clusters_below_a_joint_cannot_have(nodes):
    clusters, joints = [], []

    def kept(some, others):
        clusters.extend(some)
        joints.extend(others)
        return some, others

    release = build(nodes, order=kept)
    layout, (_, tree) = lay_out(release), check_tree(release)
    found = find_sharing(release, layout, tree)
    assert sorted(found.clusters.tolist()) == list(range(len(clusters)))
    order = [at if at >= 0 else len(clusters) for at in found.visited[found.clusters].tolist()]
    assert order == sorted(order)
    for number, node in enumerate(joints):
        below = {id(each): each for each in nodes_below(node.children) if not each.is_joint}
        inside = {id(clusters[c]) for c in np.flatnonzero(_between(found, number, found.visited)).tolist()}
        assert inside == set(below)
        assert found.records[number] == sum(each.size for each in below.values())
        first, last = found.published.shared[:, number].tolist()
        places = found.place[first:last].tolist()
        words = [release.vocabulary[found.published.item[place]] for place in places]
        assert words == [release.vocabulary[item] for item in found.published.item[first:last].tolist()]
        assert set(words) == {item for chunk in node.chunks for row in chunk for item in row}
        assert len(set(places)) == len(set(words))
        for place, word in zip(places, words, strict=True):
            apart = barred(node, word)
            assert found.around[place] == innermost_outside(node, word)
            assert found.barred[place] == sum(below[each].size for each in apart)
            assert found.is_listed[place] == any(word in each.term for each in below.values())
            assert found.is_told[place] == bool(apart)


def innermost_outside(node, item):
    """Depth of the next joint around a joint that shares an item too; 0 for none."""
    outer = node.parent
    while outer is not None and not any(item in row for chunk in outer.chunks for row in chunk):
        outer = outer.parent
    depth = 0
    while outer is not None:
        depth, outer = depth + 1, outer.parent
    return depth


def _between(found, joint_number, moment):
    return (found.entered[joint_number] <= moment) & (moment < found.left[joint_number])


@settings(max_examples=tries(300), deadline=None)
@given(st.lists(trees(), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_numbering_of_clusters_and_joints(nodes, random):
    """A random numbering is accepted exactly if naive keys, written from the format, ascend."""
    everything = nodes_below(nodes)
    words = sorted(
        {item for node in everything for row in (node.term, *sum(node.chunks, ())) for item in row}
    )
    number = {word: code for code, word in enumerate(words)}
    ascends = {}

    def jumble(clusters, joints):
        for name, group_ in (("clusters", clusters), ("joints", joints)):
            if len(group_) > 1 and random.random() < 0.7:
                at = random.randrange(len(group_) - 1)
                group_[at], group_[at + 1] = group_[at + 1], group_[at]
            keys = [(content_key(node), context(node, number)) for node in group_]
            ascends[name] = keys == sorted(keys)
        return clusters, joints

    broken = failed(verify(build(nodes, order=jumble)))
    assert ("order of clusters" not in broken) == ascends["clusters"]
    assert ("order of joints" not in broken) == ascends["joints"]
    assert "order of rows" not in broken


@settings(max_examples=tries(200), deadline=None)
@given(st.lists(trees(), min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_order_of_rows_and_nothing_else(nodes, random):
    release = build(nodes)
    shuffled = rows(release)
    random.shuffle(shuffled)
    keys = [(row[3] == Kind.SHARED, row[0], row[1], row[3], row[2], row[4]) for row in shuffled]
    expected = set(failed(verify(release))) | ({"order of rows"} if keys != sorted(keys) else set())
    assert set(failed(verify(with_rows(release, shuffled)))) == expected


@settings(max_examples=tries(300), deadline=None)
@given(st.lists(trees(), min_size=1, max_size=2))
def test_no_empty_record(nodes):
    """Hall's condition over sets of clusters: together they find enough rows in the shared chunks above."""
    clusters = [node for node in nodes_below(nodes) if not node.is_joint]

    def missing(node):
        return 0 if node.term else max(0, node.size - sum(map(len, node.chunks)))

    def above(node):
        return set() if node.parent is None else {id(node.parent)} | above(node.parent)

    rows_of = {id(node): sum(map(len, node.chunks)) for node in nodes_below(nodes)}
    hungry = [node for node in clusters if missing(node)][:8]
    enough = all(
        sum(map(missing, some)) <= sum(rows_of[at] for at in set().union(*map(above, some)))
        for size in range(1, len(hungry) + 1)
        for some in combinations(hungry, size)
    )
    assert ("no empty record" not in failed(verify(build(nodes)))) == enough


RECORDS = st.lists(st.sets(st.sampled_from("abcde"), min_size=1), min_size=6, max_size=9)


def plainly_published(data):
    """Two clusters; items held often enough stand alone in a record chunk, the others in the term chunk."""
    plans = []
    for members in (list(range(3)), list(range(3, len(data)))):
        items = sorted(set().union(*(data[at] for at in members)))
        often = [item for item in items if sum(item in data[at] for at in members) >= 2]
        plans.append(group(members, often, "".join(item for item in items if item not in often)))
    return publish(data, plans, k=2, m=2)


@settings(max_examples=tries(150), deadline=None)
@given(RECORDS, st.data())
def test_any_change_of_a_published_item_is_noticed_with_the_key(data, draw):
    made = plainly_published(data)
    kept = {"lemma"}  # the plain plan takes no care of the lemma
    assert set(failed(verify(made.release, original=transactions(data), key=made.key))) <= kept
    items = made.release.row_items.copy()
    at = draw.draw(st.integers(0, len(items) - 1))
    codes = range(len(made.release.vocabulary) + 1)  # one more than there are
    items[at] = draw.draw(st.sampled_from([code for code in codes if code != items[at]]))
    changed = changed_arrays(made.release, row_items=items)
    assert not set(failed(verify(changed, original=transactions(data), key=made.key))) <= kept


@settings(max_examples=tries(100), deadline=None)
@given(RECORDS, st.data())
def test_any_change_of_an_item_in_the_key_is_noticed(data, draw):
    made = plainly_published(data)
    items = made.key.items.copy()
    at = draw.draw(st.integers(0, len(items) - 1))
    items[at] += draw.draw(st.sampled_from([-1, 1]))
    verdict = verify(made.release, original=transactions(data), key=edited(made.key, items=items))
    assert {"key arrays", "records rebuilt"} & set(failed(verdict))
