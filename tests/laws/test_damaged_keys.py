"""Keys damaged at random: the checker counts the same faults as plain Python that looks at one part after another."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import cloven as cv
from cloven.kinds.disassociated.release import Kind
from tests.effort import tries

from .strategies import RARE_ITEMS, skewed_records

CHECKS = ("records rebuilt", "rows claimed", "term chunks claimed", "parts in place", "shared origin")


def parts_of(key):
    items = [key.items[first:last].tolist() for first, last in pairwise(key.offsets.tolist())]
    return list(zip(key.record.tolist(), key.release_row.tolist(), items, strict=True))


def damaged(key, release, seed, many):
    """A key with some entries changed: an item, a row, a record; given twice, taken away, in another order."""
    rng, parts = random.Random(seed), parts_of(key)
    for _ in range(many):
        at = rng.randrange(len(parts))
        record, row, items = parts[at]
        change = rng.choice(("item", "another item", "row", "record", "twice", "gone", "order", "swapped"))
        if change == "item":
            parts[at] = (record, row, [rng.randrange(len(release.vocabulary)), *items[1:]])
        elif change == "another item":
            parts[at] = (record, row, [*items, rng.randrange(len(release.vocabulary))])
        elif change == "row":
            parts[at] = (record, rng.randrange(release.rows), items)
        elif change == "record":
            parts[at] = (rng.choice(key.records.tolist()), row, items)
        elif change == "twice":
            parts[at:at] = [parts[at]] * rng.choice((1, 2))
        elif change == "gone" and len(parts) > 1:
            del parts[at]
        elif change == "order":
            rng.shuffle(parts)
        elif change == "swapped":
            other = rng.randrange(len(parts))
            parts[at], parts[other] = (
                (record, parts[other][1], items),
                (parts[other][0], row, parts[other][2]),
            )
    record, row, lists = zip(*parts, strict=True)
    return replace(
        key,
        record=np.array(record, np.int64),
        release_row=np.array(row, np.int64),
        offsets=np.append(0, np.cumsum([len(items) for items in lists])).astype(np.int64),
        items=np.array([item for items in lists for item in items], np.int32),
    )


def plainly(data, release, key):
    """How many faults each check should find."""
    parts, words = parts_of(key), release.vocabulary
    published = [release.row_items[a:b].tolist() for a, b in pairwise(release.row_offsets)]
    home = dict(zip(key.records.tolist(), key.record_cluster.tolist(), strict=True))

    def above(cluster):
        found, joint = [], int(release.cluster_joint[cluster])
        while joint >= 0:
            found.append(joint)
            joint = int(release.joint_parent[joint])
        return found

    given = {source: Counter() for source in data.source_rows.tolist()}
    for record, _, items in parts:
        given[record].update(words[item] for item in items)
    for record, items in zip(key.suppressed_record.tolist(), key.suppressed_items, strict=True):
        given[record].update(items)
    wrong = [
        source
        for at, source in enumerate(data.source_rows.tolist())
        if given[source] != Counter(dict.fromkeys(data[at], 1))
    ]

    claims, told = Counter(row for _, row, _ in parts), {}
    for _, row, items in parts:
        told.setdefault(row, set()).update(items)
    terms = [row for row in range(release.rows) if release.row_kind[row] == Kind.TERM]
    single = sorted(set(range(release.rows)) - set(terms))
    unclaimed = [row for row in single if claims[row] != 1 or told[row] != set(published[row])]
    unlisted = sum(len(told.get(row, set()) ^ set(published[row])) for row in terms)

    def chunk_of(row):
        return tuple(
            int(column[row])
            for column in (release.row_cluster, release.row_joint, release.row_kind, release.row_chunk)
        )

    astray = [
        (record, row)
        for record, row, _ in parts
        if (
            release.row_cluster[row] != home[record]
            if release.row_cluster[row] >= 0
            else release.row_joint[row] not in above(home[record])
        )
    ]
    again = Counter((record, chunk_of(row)) for record, row, _ in parts)
    shown, shared = {}, {}
    for row, items in enumerate(published):
        if release.row_kind[row] == Kind.RECORD:
            shown.setdefault(int(release.row_cluster[row]), set()).update(items)
        elif release.row_kind[row] == Kind.SHARED:
            shared.setdefault(int(release.row_joint[row]), set()).update(items)
    told_already = 0
    for record, row, items in parts:
        if release.row_cluster[row] < 0:
            path = above(home[record])
            owner = int(release.row_joint[row])
            further_in = path[: path.index(owner)] if owner in path else path
            known = shown.get(home[record], set()).union(*(shared.get(joint, set()) for joint in further_in))
            told_already += sum(item in known for item in items)
    found = (
        len(wrong),
        len(unclaimed),
        unlisted,
        len(astray) + sum(times > 1 for times in again.values()),
        told_already,
    )
    return dict(zip(CHECKS, found, strict=True))


def counted(verdict):
    """How many faults each check told."""
    found = {}
    for check in verdict.checks:
        if check.name in CHECKS:
            several = re.search(r"; ([\d,]+) such faults$", check.detail)
            found[check.name] = 0 if check.passed else int(several[1].replace(",", "")) if several else 1
    return found


@settings(max_examples=tries(400))
@given(
    skewed_records(min_records=8),
    st.sampled_from(RARE_ITEMS),
    st.booleans(),
    st.integers(0, 2**32),
    st.integers(0, 4),
)
def test_the_checker_counts_the_faults_of_plain_python(records, rare_items, refine, seed, many):
    data = cv.Transactions.from_records(records)
    data = data.take(np.random.default_rng(seed).permutation(len(data)))  # source positions in any order
    made = cv.Disassociation(k=2, m=2, max_cluster_size=8, rare_items=rare_items, refine=refine).anonymise(
        data
    )
    key = damaged(made.key, made.release, seed, many)
    verdict = cv.verify(made.release, original=data, key=key)
    assert counted(verdict) == plainly(data, made.release, key)
