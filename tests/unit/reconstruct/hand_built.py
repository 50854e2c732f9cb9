"""Small releases from nested lists, and every data set that agrees with one."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
from hypothesis import strategies as st

from cloven.kinds.disassociated.release import Disassociated, Kind

ITEMS = "abcd"
RECORD = st.sets(st.sampled_from(ITEMS), min_size=1).map(sorted)
PLACE = st.fixed_dictionaries({item: st.sampled_from([0, 1, "term"]) for item in ITEMS})
ONE_CLUSTER = st.tuples(
    st.lists(st.lists(RECORD, min_size=1, max_size=3), min_size=1, max_size=1),
    st.lists(PLACE, min_size=1, max_size=1),
    st.just(()),
)
TWO_JOINED = st.tuples(
    st.lists(st.lists(RECORD, min_size=1, max_size=2), min_size=2, max_size=2),
    st.lists(PLACE, min_size=2, max_size=2),
    st.sets(st.sampled_from(ITEMS), min_size=1, max_size=2).map(sorted),
)
# (records of each cluster, place of each item in each cluster, shared items): input of `split`
TINY = ONE_CLUSTER | TWO_JOINED


def build(clusters, joints=(), k=2, m=2):
    """Clusters: (size, record chunks, term chunk, joint or None); joints: (parent or None, shared chunks)."""
    rows = []
    for number, (_, chunks, term, _) in enumerate(clusters):
        for place, chunk in enumerate(chunks):
            rows += [(number, -1, place, Kind.RECORD, row) for row in sorted(map(sorted, chunk))]
        rows += [(number, -1, 0, Kind.TERM, sorted(term))] if term else []
    for number, (_, chunks) in enumerate(joints):
        for place, chunk in enumerate(chunks):
            rows += [(-1, number, place, Kind.SHARED, row) for row in sorted(map(sorted, chunk))]
    vocabulary = tuple(sorted({item for row in rows for item in row[4]}))
    column = list(zip(*rows, strict=True)) or [()] * 5
    return Disassociated(
        k=k,
        m=m,
        parameters={},
        vocabulary=vocabulary,
        cluster_size=np.array([cluster[0] for cluster in clusters], np.int64),
        cluster_joint=np.array([-1 if c[3] is None else c[3] for c in clusters], np.int64),
        joint_parent=np.array([-1 if parent is None else parent for parent, _ in joints], np.int64),
        row_cluster=np.array(column[0], np.int64),
        row_joint=np.array(column[1], np.int64),
        row_chunk=np.array(column[2], np.int32),
        row_kind=np.array(column[3], np.int8),
        row_offsets=np.concatenate(([0], np.cumsum([len(row) for row in column[4]]))).astype(np.int64),
        row_items=np.array([vocabulary.index(item) for row in column[4] for item in row], np.int32),
    )


def _below(clusters, joints, joint):
    found = []
    for number, cluster in enumerate(clusters):
        here = cluster[3]
        while here is not None and here != joint:
            here = joints[here][0]
        if here == joint:
            found.append(number)
    return found


def worlds(clusters, joints=()):
    """All data sets (tuples of frozensets, cluster by cluster) that agree with a tiny release."""
    bounds = np.concatenate(([0], np.cumsum([cluster[0] for cluster in clusters])))
    cluster_of = np.repeat(np.arange(len(clusters)), [cluster[0] for cluster in clusters])
    shown = [{i for chunk in c[1] for row in chunk for i in row} for c in clusters]
    chunks = [
        (rows, range(bounds[number], bounds[number + 1]), False)
        for number, cluster in enumerate(clusters)
        for rows in cluster[1]
    ]
    for joint, (_, shared) in enumerate(joints):
        records = [r for r in range(bounds[-1]) if cluster_of[r] in _below(clusters, joints, joint)]
        chunks += [(rows, records, True) for rows in shared]
    terms = [(term, range(bounds[n], bounds[n + 1])) for n, c in enumerate(clusters) for term in c[2]]
    term_places = [
        [set(some) for size in range(1, len(records) + 1) for some in combinations(records, size)]
        for _, records in terms
    ]
    found = set()
    for places in product(*(permutations(records, len(rows)) for rows, records, _ in chunks)):
        world = [set() for _ in cluster_of]
        good = True
        for (rows, _, is_shared), place in zip(chunks, places, strict=True):
            for row, record in zip(rows, place, strict=True):
                good &= not (is_shared and (set(row) & shown[cluster_of[record]] or world[record] & set(row)))
                world[record] |= set(row)
        if good:
            for choice in product(*term_places):
                full = [
                    frozenset(own | {t for (t, _), some in zip(terms, choice, strict=True) if record in some})
                    for record, own in enumerate(world)
                ]
                if all(full):
                    found.add(tuple(full))
    return found


def split(records_of_clusters, places, shared=()):
    """Disassociate by decree: ``places[cluster][item]`` is the number of a record chunk or "term".

    ``shared`` items go from the term chunks into one shared chunk above all clusters.
    """
    joints = [(None, [[]])] if shared else []
    clusters = []
    for records, place in zip(records_of_clusters, places, strict=True):
        chunks = [[], []]
        term = set()
        for record in records:
            for number in (0, 1):
                chunks[number].append([item for item in record if place[item] == number])
            rest = [item for item in record if place[item] == "term"]
            term |= {item for item in rest if item not in shared}
            if shared:
                joints[0][1][0].append([item for item in rest if item in shared])
        kept = [[row for row in chunk if row] for chunk in chunks]
        clusters.append((len(records), [c for c in kept if c], sorted(term), 0 if shared else None))
    joints = [
        (None, [[row for row in chunk if row] for chunk in chunks if any(chunk)]) for _, chunks in joints
    ]
    return clusters, joints
