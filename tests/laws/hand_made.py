"""Disassociated releases put together by hand, and releases with a root made from those of the papers' way.

Slow and plain on purpose: what is still in term chunks is taken out of the clusters; items with k occurrences left
become chunks of the root, the others are listed there or withheld.
"""

from __future__ import annotations

import numpy as np

from cloven.data.transactions import Transactions
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.disassociated.methods.horizontal import Part
from cloven.kinds.disassociated.release import Disassociated, Kind


class Given:
    """A horizontal step that puts records into clusters told beforehand: i-th record, i-th cluster number."""

    def __init__(self, rows, clusters):
        order = sorted(range(len(rows)), key=lambda i: sorted(rows[i]))
        self.clusters = [clusters[i] for i in order]

    def partition(self, part: Part):
        return np.array(self.clusters, np.int64)


def in_clusters(clusters, k, m, **options):
    """Data, and release with key, of records whose clusters are told."""
    rows = [row for cluster in clusters for row in cluster]
    numbers = [c for c, cluster in enumerate(clusters) for _ in cluster]
    data = Transactions.from_records(rows)
    method = Disassociation(k=k, m=m, horizontal=Given(rows, numbers), max_cluster_size=None, **options)
    return data, method.anonymise(data)


def build(clusters, joints=(), *, k=2, m=2, rare_items="cluster", vocabulary=None, **parameters):
    """A release from clusters (size, joint or None, record chunks, term chunk) and joints (parent or None, shared
    chunks, list of terms)."""
    rows = []
    for c, (_, _, chunks, term) in enumerate(clusters):
        rows += [
            (0, c, Kind.RECORD, n, tuple(sorted(row))) for n, chunk in enumerate(chunks) for row in chunk
        ]
        rows += [(0, c, Kind.TERM, 0, tuple(sorted(term)))] if term else []
    for j, (_, chunks, term) in enumerate(joints):
        rows += [
            (1, j, Kind.SHARED, n, tuple(sorted(row))) for n, chunk in enumerate(chunks) for row in chunk
        ]
        rows += [(1, j, Kind.TERM, 0, tuple(sorted(term)))] if term else []
    rows.sort()
    names = sorted({item for row in rows for item in row[4]} | set(vocabulary or ()))
    code = {name: number for number, name in enumerate(names)}
    return Disassociated(
        k=k,
        m=m,
        parameters={"rare_items": rare_items, **parameters},
        vocabulary=tuple(names),
        cluster_size=np.array([size for size, *_ in clusters], np.int64),
        cluster_joint=np.array([-1 if joint is None else joint for _, joint, *_ in clusters], np.int64),
        joint_parent=np.array([-1 if parent is None else parent for parent, *_ in joints], np.int64),
        row_cluster=np.array([-1 if shared else number for shared, number, *_ in rows], np.int64),
        row_joint=np.array([number if shared else -1 for shared, number, *_ in rows], np.int64),
        row_chunk=np.array([row[3] for row in rows], np.int32),
        row_kind=np.array([row[2] for row in rows], np.int8),
        row_offsets=np.cumsum([0] + [len(row[4]) for row in rows]).astype(np.int64),
        row_items=np.array([code[item] for row in rows for item in row[4]], np.int32),
    )


def pieces(release):
    """Clusters and joints of a release, as ``build`` takes them."""
    clusters = [(c.size, c.joint, c.record_chunks, c.term_chunk) for c in release.iter_clusters()]
    return clusters, [(j.parent, j.shared_chunks, j.term_chunk) for j in release.iter_joints()]


def left_over(result):
    """What each record has in term chunks."""
    release, key = result.release, result.key
    found = {}
    for entry, (record, row) in enumerate(zip(key.record.tolist(), key.release_row.tolist(), strict=True)):
        if release.row_kind[row] == Kind.TERM:
            codes = key.items[key.offsets[entry] : key.offsets[entry + 1]].tolist()
            found.setdefault(record, set()).update(release.vocabulary[code] for code in codes)
    return found


def rooted(result, rare_items, groups=lambda items: [[item] for item in items]):
    """The same release with a root; ``groups`` says which items left over share a chunk of it."""
    release = result.release
    clusters, joints = pieces(release)
    left = left_over(result)
    count = {}
    for items in left.values():
        for item in items:
            count[item] = count.get(item, 0) + 1
    common = sorted(item for item, many in count.items() if many >= release.k)
    chunks = []
    for group in groups(common):
        rows = [tuple(sorted(items & set(group))) for items in left.values() if items & set(group)]
        chunks.append(tuple(sorted(rows)))
    rare = sorted(set(count) - set(common)) if rare_items == "list" else []
    root = len(joints)
    clusters = [(size, root if joint is None else joint, chunks_, ()) for size, joint, chunks_, _ in clusters]
    joints = [(root if parent is None else parent, shared, ()) for parent, shared, _ in joints]
    joints.append((None, tuple(chunks), tuple(rare)))
    return build(clusters, joints, k=release.k, m=release.m, rare_items=rare_items)
