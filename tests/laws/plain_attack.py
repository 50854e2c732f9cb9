"""The semantic attack in plain Python, straight from the text of the thesis: no arrays, no code of the package."""

from __future__ import annotations

import math
from collections import Counter
from statistics import mean, median


def slots_of(cluster):
    """Anchors of the slots of one cluster; None where none is shown."""
    shown = list(cluster.record_chunks[0]) if cluster.record_chunks else []
    return shown + [None] * (cluster.size - len(shown))


def targets_of(release):
    """(kind, place, items, copies, candidate (cluster, slot) pairs) of all targets."""
    clusters, joints = list(release.iter_clusters()), list(release.iter_joints())
    found = []
    for number, cluster in enumerate(clusters):
        here = [(number, slot) for slot in range(cluster.size)]
        for chunk, rows in enumerate(cluster.record_chunks[1:], 1):
            found += [("record", (number, chunk), row, many, here) for row, many in Counter(rows).items()]
        found += [("term", (number, 0), (item,), 0, here) for item in cluster.term_chunk]
    for number, joint in enumerate(joints):
        if number == release.root:  # tells of no cluster, so nothing there is asked about
            continue
        below = [c for c in range(len(clusters)) if number in path(clusters[c].joint, joints)]
        for chunk, rows in enumerate(joint.shared_chunks):
            for row, many in Counter(rows).items():
                free = [c for c in below if not set(row) & told(clusters[c], joints, number)]
                slots = [(c, slot) for c in free for slot in range(clusters[c].size)]
                found.append(("shared", (number, chunk), row, many, slots))
    return found


def path(joint, joints):
    """The joint and all above it."""
    found = []
    while joint is not None:
        found.append(joint)
        joint = joints[joint].parent
    return found


def told(cluster, joints, outer):
    """Items published for this cluster further in than the outer joint."""
    items = {item for chunk in cluster.record_chunks for row in chunk for item in row}
    for joint in path(cluster.joint, joints):
        if joint == outer:
            break
        items |= {item for chunk in joints[joint].shared_chunks for row in chunk for item in row}
    return items


def score(anchor, target, related, method):
    """Score of a target for one anchor; None if nothing is known."""
    if anchor is None:
        return None
    each = []
    for a in anchor:
        known = [s for s in (related(a, t) for t in target) if not math.isnan(s)]
        if known:
            each.append(mean(known))
    if not each:
        return None
    if method == "aba":
        return mean(each)
    if method == "mra":
        return max(each)
    middle = median(each)
    return mean(s for s in each if s >= middle)


def scores(release, target, related, method):
    """Scores of all candidates of a target; those without one get the mean of the others, or 0."""
    clusters = list(release.iter_clusters())
    _, _, items, _, candidates = target
    found = [score(slots_of(clusters[c])[slot], items, related, method) for c, slot in candidates]
    known = [s for s in found if s is not None]
    return [s if s is not None else mean(known) if known else 0.0 for s in found]
