"""Small releases with key, questions and guesses, written down plainly; no code of the package but its data types.

A ``World`` keeps what the release hides: ``parts[record]`` maps the chunk (a tuple, see ``World.chunks``) to the items
that the record has there.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from cloven.kinds.disassociated.guesses import Answer, Guesses, Questions
from cloven.kinds.disassociated.key import Key
from cloven.kinds.disassociated.release import Disassociated, Kind

ITEMS = "abcdefg"


@dataclass
class World:
    """A release, its key, and the truth in plain Python.

    Chunks are ("record", cluster, number), ("term", cluster) or ("shared", joint, number). ``slots`` is a list of
    (cluster, anchor row or None, record); ``targets`` of (chunk, items, candidate slots).
    """

    release: Disassociated
    key: Key
    parts: dict
    clusters: list
    parent: list
    joint_of: list
    rows: list
    slots: list
    targets: list
    questions: Questions

    def record(self, number):
        return frozenset().union(*self.parts[number].values())

    def disassociated(self, number, kinds=("record", "shared", "term")):
        away = [
            items
            for chunk, items in self.parts[number].items()
            if chunk[0] in kinds and not (chunk[0] == "record" and chunk[2] == 0)
        ]
        return frozenset().union(*away)

    def holds(self, target, slot):
        chunk, items, _ = self.targets[target]
        part = self.parts[self.slots[slot][2]].get(chunk, frozenset())
        return items <= part if chunk[0] == "term" else items == part

    def unit(self, cluster):
        above = self.joint_of[cluster]
        if above is None:
            return ("cluster", cluster)
        while self.parent[above] is not None:
            above = self.parent[above]
        return ("joint", above)


def world(clusters, places, parent=(), joint_of=None, seed=0, k=2, m=2):
    """Split records: ``places[cluster][item]`` is a chunk number, "term", or ("shared", joint, number)."""
    rng = random.Random(seed)
    joint_of = joint_of or [None] * len(clusters)
    numbers = rng.sample(range(10 * sum(map(len, clusters)) + 1), sum(map(len, clusters)))
    members, parts, at = [], {}, 0
    for cluster, records in enumerate(clusters):
        members.append(numbers[at : at + len(records)])
        at += len(records)
        used = sorted({p for items in records for i in items if isinstance(p := places[cluster][i], int)})
        for number, items in zip(members[-1], records, strict=True):
            parts[number] = {}
            for item in items:
                place = places[cluster][item]
                if place == "term":
                    chunk = ("term", cluster)
                elif isinstance(place, int):
                    chunk = ("record", cluster, used.index(place))
                else:
                    chunk = place
                parts[number][chunk] = parts[number].get(chunk, frozenset()) | {item}
    rows = published(parts)
    release = as_release(rows, [len(records) for records in clusters], joint_of, parent, k, m)
    key = as_key(release, rows, members, parts, rng)
    slots = as_slots(rows, members, key)
    targets = as_targets(rows, slots, members, parent, joint_of)
    asked = as_questions(release, rows, slots, targets)
    return World(release, key, parts, members, list(parent), joint_of, rows, slots, targets, asked)


def published(parts):
    """Rows (chunk, items) in canonical order."""
    found, terms = [], {}
    for own in parts.values():
        for chunk, items in own.items():
            if chunk[0] == "term":
                terms[chunk] = terms.get(chunk, frozenset()) | items
            else:
                found.append((chunk, items))
    rows = found + list(terms.items())

    def order(row):
        (kind, owner, *number), items = row
        return kind == "shared", owner, kind == "term", number, sorted(items)

    return sorted(rows, key=order)


def as_release(rows, sizes, joint_of, parent, k, m):
    words = sorted({item for _, items in rows for item in items})
    kinds = {"record": Kind.RECORD, "term": Kind.TERM, "shared": Kind.SHARED}
    return Disassociated(
        k=k,
        m=m,
        parameters={},
        vocabulary=tuple(words),
        cluster_size=np.array(sizes, np.int64),
        cluster_joint=np.array([-1 if joint is None else joint for joint in joint_of], np.int64),
        joint_parent=np.array([-1 if joint is None else joint for joint in parent], np.int64),
        row_cluster=np.array([-1 if chunk[0] == "shared" else chunk[1] for chunk, _ in rows], np.int64),
        row_joint=np.array([chunk[1] if chunk[0] == "shared" else -1 for chunk, _ in rows], np.int64),
        row_chunk=np.array([chunk[2] if len(chunk) > 2 else 0 for chunk, _ in rows], np.int32),
        row_kind=np.array([kinds[chunk[0]] for chunk, _ in rows], np.int8),
        row_offsets=np.cumsum([0, *(len(items) for _, items in rows)]),
        row_items=np.array([words.index(item) for _, items in rows for item in sorted(items)], np.int32),
    )


def as_key(release, rows, members, parts, rng):
    """Equal rows are given to records in random order."""
    free = list(enumerate(rows))
    rng.shuffle(free)
    entries = []
    for record, own in parts.items():
        for chunk, items in own.items():
            if chunk[0] == "term":
                at = next(at for at, row in enumerate(rows) if row[0] == chunk)
            else:
                spot = next(spot for spot, (_, row) in enumerate(free) if row == (chunk, items))
                at = free.pop(spot)[0]
            entries.append((record, at, sorted(release.vocabulary.index(item) for item in items)))
    entries.sort()
    records = sorted(parts)
    cluster = {record: number for number, group in enumerate(members) for record in group}
    return Key(
        record=np.array([entry[0] for entry in entries], np.int64),
        release_row=np.array([entry[1] for entry in entries], np.int64),
        offsets=np.cumsum([0, *(len(entry[2]) for entry in entries)]),
        items=np.array([code for entry in entries for code in entry[2]], np.int32),
        records=np.array(records, np.int64),
        record_cluster=np.array([cluster[record] for record in records], np.int64),
        persons=None,
        suppressed_record=np.array([], np.int64),
        suppressed_reason=(),
        suppressed_items=(),
    )


def as_slots(rows, members, key):
    owner = dict(zip(key.release_row.tolist(), key.record.tolist(), strict=True))
    slots = []
    for cluster, group in enumerate(members):
        anchors = [at for at, (chunk, _) in enumerate(rows) if chunk == ("record", cluster, 0)]
        slots += [(cluster, at, owner[at]) for at in anchors]
        rest = sorted(set(group) - {owner[at] for at in anchors})
        slots += [(cluster, None, record) for record in rest]
    return slots


def as_targets(rows, slots, members, parent, joint_of):
    shown = [set() for _ in members]
    for chunk, items in rows:
        if chunk[0] == "record":
            shown[chunk[1]] |= items
    targets = []
    for chunk, items in dict.fromkeys(rows):
        if chunk[0] == "record" and chunk[2] == 0:
            continue
        for asked in [frozenset(item) for item in sorted(items)] if chunk[0] == "term" else [items]:
            if chunk[0] == "shared":
                below = [c for c in range(len(members)) if chunk[1] in above(c, parent, joint_of)]
                below = [c for c in below if not shown[c] & asked]
            else:
                below = [chunk[1]]
            targets.append((chunk, asked, [at for at, slot in enumerate(slots) if slot[0] in below]))
    return targets


def above(cluster, parent, joint_of):
    found, here = [], joint_of[cluster]
    while here is not None:
        found.append(here)
        here = parent[here]
    return found


def as_questions(release, rows, slots, targets):
    row = [rows.index((c, i)) if c[0] != "term" else [r[0] for r in rows].index(c) for c, i, _ in targets]
    kinds = {"record": Kind.RECORD, "term": Kind.TERM, "shared": Kind.SHARED}
    return Questions(
        slot_offsets=np.concatenate(([0], np.cumsum(release.cluster_size))),
        slot_anchor=np.array([-1 if slot[1] is None else slot[1] for slot in slots], np.int64),
        target_row=np.array(row, np.int64),
        target_item=np.array(
            [release.vocabulary.index(*i) if c[0] == "term" else -1 for c, i, _ in targets], np.int32
        ),
        target_copies=np.array(
            [0 if c[0] == "term" else rows.count((c, i)) for c, i, _ in targets], np.int64
        ),
        target_kind=np.array([kinds[c[0]] for c, _, _ in targets], np.int8),
        target_cluster=np.array([-1 if c[0] == "shared" else c[1] for c, _, _ in targets], np.int64),
        offsets=np.cumsum([0, *(len(candidates) for _, _, candidates in targets)]),
        slots=np.array([slot for _, _, candidates in targets for slot in candidates], np.int32),
    )


def guesses(made, score=None, confidence=None, chosen=(), answer=None):
    """Guesses from plain lists; ``chosen`` are pairs of target and slot."""
    asked = made.questions
    n = len(asked.slots)
    marks = np.zeros(n, bool)
    for target, slot in chosen:
        marks[asked.offsets[target] + made.targets[target][2].index(slot)] = True
    return Guesses(
        questions=asked,
        score=np.zeros(n) if score is None else np.array(score, float),
        confidence=np.full(n, 0.5, np.float32) if confidence is None else np.array(confidence, np.float32),
        chosen=marks,
        answer=np.full(len(asked), Answer.INFORMED, np.int8) if answer is None else np.array(answer, np.int8),
        attack={"name": "by hand"},
        notes={},
    )


@st.composite
def worlds(draw, max_records=5, items=ITEMS):
    """One to four clusters, without joint, under one, or under two nested ones."""
    shape = draw(st.sampled_from(["single", "loose", "joined", "nested"]))
    n = {"single": 1, "loose": 3, "joined": 2, "nested": 3}[shape]
    parent = {"joined": [None], "nested": [1, None]}.get(shape, [])
    joint_of = {"joined": [0, 0], "nested": [0, 0, 1]}.get(shape, [None] * n)
    one = st.frozensets(st.sampled_from(items), min_size=1, max_size=5)
    clusters = [draw(st.lists(one, min_size=1, max_size=max_records)) for _ in range(n)]
    choices = [0, 0, 1, 1, 2, "term", "term"]
    shared = [(joint, draw(st.integers(0, 1))) for joint in range(len(parent)) for _ in range(2)]
    numbers = {j: sorted({c for joint, c in shared if joint == j}) for j, _ in shared}
    places = []
    for cluster in range(n):
        near = [
            ("shared", j, numbers[j].index(c)) for j, c in shared if j in above(cluster, parent, joint_of)
        ]
        places.append({item: draw(st.sampled_from(choices + near)) for item in items})
    k, m = draw(st.integers(2, 3)), draw(st.integers(2, 3))
    return world(clusters, places, parent, joint_of, draw(st.integers(0, 99)), k, m)


@st.composite
def attacked(draw, **options):
    """A world, and guesses with few distinct scores (ties) and any choice."""
    made = draw(worlds(**options))
    rng = random.Random(draw(st.integers(0, 2**32)))
    n = len(made.questions.slots)
    score = [rng.choice((0.0, 0.5, 1.0, 2.0)) for _ in range(n)]
    confidence = [rng.random() for _ in range(n)]
    rate = rng.choice((0.1, 0.4, 0.9))
    pairs = [(t, slot) for t, (_, _, slots) in enumerate(made.targets) for slot in slots]
    # Often near the truth, so that there is something to count.
    chosen = [pair for pair in pairs if rng.random() < (rate if made.holds(*pair) else rate / 4)]
    answer = [
        rng.choice((Answer.INFORMED, Answer.INFORMED, Answer.NO_SCORE, Answer.NO_ANCHOR))
        for _ in made.targets
    ]
    return made, guesses(made, score, confidence, chosen, answer), chosen
