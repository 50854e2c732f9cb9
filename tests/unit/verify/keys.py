"""A release and its key from plain records and a plan, by projection; no code of checker or anonymiser.

``group(records, chunks, term)`` is a cluster: numbers of records, a string of items for each record chunk,
items of the term chunk. ``join(shared, children)`` is a joint: a string of items for each shared chunk.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from cloven.data.transactions import Transactions
from cloven.kinds.disassociated.key import Anonymised, Key
from cloven.kinds.disassociated.release import Kind

from .releases import build, cluster, joint, rows


@dataclass
class Plan:
    chunks: list[str]
    term: str = ""
    records: list[int] = field(default_factory=list)
    children: list[Plan] = field(default_factory=list)
    parts: list[tuple] = field(default_factory=list)  # (record, chunk number or None for term, items)
    node: object = None


def group(records, chunks, term="") -> Plan:
    return Plan(chunks, term, records)


def join(shared, children) -> Plan:
    return Plan(shared, children=children)


def publish(data, plans, *, suppressed=(), persons=None, **options) -> Anonymised:
    """Project every record; ``suppressed`` are triples (record, items, reason) taken away before."""
    left = [
        set(record) - {i for at, items, _ in suppressed if at == n for i in items}
        for n, record in enumerate(data)
    ]
    numbers: dict[int, int] = {}
    nodes = [_node(plan, left) for plan in plans]
    claim = {} if persons is None else {"persons": True}
    release = build(nodes, numbers=numbers, **(claim | options))
    free = [(*row[:4], frozenset(release.vocabulary[code] for code in row[4])) for row in rows(release)]
    entries, members = [], {}
    for plan in _everyone(plans):
        number = numbers[id(plan.node)]
        members |= dict.fromkeys(plan.records, number)
        for record, chunk, items in plan.parts:
            head = (-1, number, chunk, Kind.SHARED) if plan.children else (number, -1, chunk, Kind.RECORD)
            head = (number, -1, 0, Kind.TERM) if chunk is None else head
            at = next(
                at
                for at, row in enumerate(free)
                if row is not None and row[:4] == head and (chunk is None or row[4] == items)
            )
            if chunk is not None:
                free[at] = None
            entries.append((record, at, sorted(release.vocabulary.index(item) for item in items)))
    return Anonymised(release, _key(sorted(entries), members, suppressed, persons))


def _key(entries, members, suppressed, persons) -> Key:
    records = np.array(sorted(members), np.int64)
    return Key(
        record=np.array([entry[0] for entry in entries], np.int64),
        release_row=np.array([entry[1] for entry in entries], np.int64),
        offsets=np.cumsum([0, *(len(entry[2]) for entry in entries)]),
        items=np.array([code for entry in entries for code in entry[2]], np.int32),
        records=records,
        record_cluster=np.array([members[record] for record in records.tolist()], np.int64),
        persons=None
        if persons is None
        else np.array([persons[record] for record in records.tolist()], np.int64),
        suppressed_record=np.array([at for at, _, _ in suppressed], np.int64),
        suppressed_reason=tuple(reason for _, _, reason in suppressed),
        suppressed_items=tuple(tuple(items) for _, items, _ in suppressed),
    )


def _everyone(plans):
    return [found for plan in plans for found in (plan, *_everyone(plan.children))]


def _node(plan, left):
    """Children first; a joint takes what is left of the records below it."""
    below = [_node(child, left) for child in plan.children]
    records = plan.records or [record for child in _everyone(plan.children) for record in child.records]
    # what a cluster shows in record chunks it has placed already, so nothing of it is left for a joint
    for number, items in enumerate(plan.chunks):
        _take(plan, records, left, number, items)
    _take(plan, records, left, None, plan.term)
    chunks = [[part[2] for part in plan.parts if part[1] == number] for number in range(len(plan.chunks))]
    plan.node = joint(chunks, below) if plan.children else cluster(len(records), chunks, plan.term)
    return plan.node


def _take(plan, records, left, chunk, items):
    for record in records:
        part = frozenset(left[record] & set(items))
        left[record] -= part
        if part:
            plan.parts.append((record, chunk, part))


def transactions(data) -> Transactions:
    """Records from strings of one-letter items."""
    return Transactions.from_records([list(record) for record in data])


def edited(key: Key, **values) -> Key:
    """A copy of a key with some fields replaced."""
    return replace(key, **{name: np.array(v) if isinstance(v, list) else v for name, v in values.items()})
