"""The guarantee over nested joints, by matching instead of enumeration: larger trees than all worlds can be listed for.

Whatever up to m items somebody knows of a row in a shared chunk, k rows that hold them must be able to stand in each
cluster that may have such a row, while all other rows of the chunk still find places: a bipartite matching.
"""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from test_guarantee import release_of
from worlds import above

from cloven.verification import verify


def matching(rows, slots, allowed):
    """Size of a largest matching of rows to clusters with so many slots each (augmenting paths)."""
    taken = {c: [] for c in slots}

    def place(row, seen):
        for c in allowed[row]:
            if c in seen:
                continue
            seen.add(c)
            if len(taken[c]) < slots[c]:
                taken[c].append(row)
                return True
            for at, other in enumerate(taken[c]):
                if place(other, seen):
                    taken[c][at] = row
                    return True
        return False

    return sum(place(row, set()) for row in rows)


def can_hold(chunk, cluster, k, sizes):
    """Whether k rows that hold the items can stand in the cluster while every other row finds a place."""
    rows, allowed, wanted = chunk
    fitting = [r for r in range(len(rows)) if wanted <= rows[r] and cluster in allowed[r]]
    if len(fitting) < k:
        return False
    # For the places of the others only the allowed clusters of a row matter, so any k of a kind will do.
    kinds = {}
    for r in fitting:
        kinds.setdefault(tuple(allowed[r]), []).append(r)
    for same in kinds.values():
        chosen = set(same[:k])
        rest = [r for r in range(len(rows)) if r not in chosen]
        slots = {**sizes, cluster: sizes[cluster] - k}
        if len(chosen) == k and slots[cluster] >= 0 and matching(rest, slots, allowed) == len(rest):
            return True
    return False


def barred(release, joints, shown, outer, cluster):
    """Items that a cluster cannot take from a chunk of the outer joint."""
    path = above(release, cluster)
    inner = path[: path.index(outer)]
    return shown[cluster].union(*(row for a in inner for chunk in joints[a].shared_chunks for row in chunk))


def random_clusters(rng, k):
    """Four to eight clusters, so that joints stand inside joints."""
    items = "abcdefgh"[: rng.choice((4, 5, 6, 8))]
    return [
        [frozenset(rng.sample(items, rng.choice((1, 2, 2, 3, 4)))) for _ in range(rng.randint(k, k + 2))]
        for _ in range(rng.choice((4, 5, 6, 8)))
    ]


def all_can_stand(release, k):
    """Look at every shared chunk; gives how many known sets were looked at, and how many joints stand inside others."""
    shown = [{i for ch in c.record_chunks for row in ch for i in row} for c in release.iter_clusters()]
    sizes = {c: int(size) for c, size in enumerate(release.cluster_size)}
    joints, tested = list(release.iter_joints()), 0
    for j, joint in enumerate(joints):
        below = [c for c in range(release.clusters) if j in above(release, c)]
        barred_in = {c: barred(release, joints, shown, j, c) for c in below}
        here = {c: sizes[c] for c in below}
        for chunk in joint.shared_chunks:
            rows = [frozenset(row) for row in chunk]
            allowed = [[c for c in below if not row & barred_in[c]] for row in rows]
            for row in set(rows):
                for known in (known for size in (1, 2) for known in combinations(sorted(row), size)):
                    for c in allowed[rows.index(row)]:
                        tested += 1
                        assert can_hold((rows, allowed, frozenset(known)), c, k, here), (
                            k,
                            j,
                            chunk,
                            known,
                            c,
                        )
    return tested, sum(joint.parent is not None for joint in joints)


@pytest.mark.parametrize("count", [250, pytest.param(1600, marks=pytest.mark.slow)])
def test_shared_rows_can_stand_in_k_records_of_every_cluster_that_has_one(count):
    rng = random.Random(7)
    tested = nested = 0
    for _ in range(count):
        k = rng.choice((2, 2, 3))
        release = release_of(random_clusters(rng, k), k, 2)
        assert verify(release).ok
        found = all_can_stand(release, k)
        tested, nested = tested + found[0], nested + found[1]
    assert tested > 1000
    assert nested > 50
