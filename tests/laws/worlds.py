"""All original data sets that a small release allows, by exhaustive search (release level: algorithms A1).

A world gives every published sub-record to a record of its cluster (or, shared, of a cluster below its joint), at
most one of each chunk to a record; no record is empty; items of a term chunk may stand in any number >= 1 of the
records of their cluster. The reader of a release knows that an occurrence is published once: a cluster that shows an
item in its record chunks, or whose inner joint shares it, cannot take it from a shared chunk further out. With a
root, items of its list may stand in any records of clusters that do not publish them; where rare items may have been
withheld, a record may be empty, and any item that is not published for a cluster may stand in any of its records.

Records of a cluster are interchangeable, so a state is, for each cluster, the sorted tuple of its records' contents.
"""

from __future__ import annotations

from itertools import permutations


def _ancestors(release, cluster):
    out, joint = [], int(release.cluster_joint[cluster])
    while joint >= 0:
        out.append(joint)
        joint = int(release.joint_parent[joint])
    return out


def _below(release, joint):
    return [c for c in range(release.clusters) if joint in _ancestors(release, c)]


def _placed(state, places, rows):
    """All states that come from giving the rows to distinct places (cluster, index)."""
    found = set()
    for chosen in set(permutations(range(len(places)), len(rows))):
        trial = [list(cluster) for cluster in state]
        fine = True
        for index, row in zip(chosen, rows, strict=True):
            c, i, barred = places[index]
            if barred & row:
                fine = False
                break
            trial[c][i] = trial[c][i] | row
        if fine:
            found.add(tuple(tuple(sorted(cluster, key=sorted)) for cluster in trial))
    return found


def states(release, limit=1500):
    """Contents of all records before the term chunks, over all worlds; None when there are too many."""
    clusters = list(release.iter_clusters())
    joints = list(release.iter_joints())
    current = {tuple(tuple([frozenset()] * cluster.size) for cluster in clusters)}
    work = []
    for c, cluster in enumerate(clusters):
        work += [([c], chunk, lambda _c: frozenset()) for chunk in cluster.record_chunks]
    shown = [{i for chunk in cluster.record_chunks for row in chunk for i in row} for cluster in clusters]
    for j, joint in enumerate(joints):
        members = _below(release, j)

        def barred(c, j=j):
            inner = _ancestors(release, c)
            inner = inner[: inner.index(j)]
            shared = {i for a in inner for chunk in joints[a].shared_chunks for row in chunk for i in row}
            return frozenset(shown[c] | shared)

        work += [(members, chunk, barred) for chunk in joint.shared_chunks]
    for members, chunk, barred in work:
        rows = [frozenset(row) for row in chunk]
        following = set()
        for state in current:
            places = [(c, i, barred(c)) for c in members for i in range(len(state[c]))]
            ways = 1
            for step in range(len(rows)):
                ways *= len(places) - step
            if ways > 3_000:
                return None
            following |= _placed(state, places, rows)
            if len(following) > limit:
                return None
        current = following
    fillers = [term_items(release, c) for c in range(release.clusters)]
    if release.may_be_empty:
        return current
    return {
        s
        for s in current
        if not any(not row and not fillers[c] for c, cluster in enumerate(s) for row in cluster)
    }


def published(release, cluster):
    """Items of a cluster with a count: shown in its record chunks, or shared by a joint above it."""
    joints = [release.joint(joint) for joint in _ancestors(release, cluster)]
    chunks = [*release.cluster(cluster).record_chunks, *(c for joint in joints for c in joint.shared_chunks)]
    return frozenset(item for chunk in chunks for row in chunk for item in row)


def term_items(release, cluster):
    """Items that any number of records of a cluster may hold: its term chunk, or the list of the root."""
    listed = release.joint(release.root).term_chunk if release.root >= 0 else ()
    return frozenset(release.cluster(cluster).term_chunk) | (frozenset(listed) - published(release, cluster))


def most_holders(release, found, items, *, withheld=False):
    """The largest number of records that hold all the items in one world; ``withheld`` ones may be anywhere."""
    terms = [term_items(release, c) for c in range(release.clusters)]
    if withheld:
        terms = [frozenset(items) - published(release, c) for c in range(release.clusters)]
    wanted = frozenset(items)
    return max(
        (
            sum(wanted - terms[c] <= row for c, cluster in enumerate(state) for row in cluster)
            for state in found
        ),
        default=0,
    )
