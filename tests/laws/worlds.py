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

from plain_known_person import Plain


def above(release, cluster):
    """Joints above a cluster, innermost first."""
    out, joint = [], int(release.cluster_joint[cluster])
    while joint >= 0:
        out.append(joint)
        joint = int(release.joint_parent[joint])
    return out


def states(release):
    """Contents of all records before the term chunks, over all worlds; None when there are too many."""
    return Plain(release, 0, 0, 0).states(1_500, 3_000)


def published(release, cluster):
    """Items of a cluster with a count: shown in its record chunks, or shared by a joint above it."""
    joints = [release.joint(joint) for joint in above(release, cluster)]
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
