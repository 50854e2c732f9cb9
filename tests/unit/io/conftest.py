"""A tiny anonymiser by hand: the test says which items go where, and gets release, key and original."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from cloven.data.transactions import Transactions
from cloven.kinds.disassociated.key import Anonymised, Key
from cloven.kinds.disassociated.release import Disassociated, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

sys.path.insert(0, str(Path(__file__).parent))
GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "disassociated"
Part = tuple[tuple[str, ...], int]  # what a record contributes, and the record


@dataclass(frozen=True)
class Group:
    """Records of one cluster, the items of each record chunk, and of the term chunk."""

    records: Sequence[set[str]]
    chunks: Sequence[set[str]] = ()
    term: set[str] = field(default_factory=set)
    joint: int | None = None


@dataclass(frozen=True)
class Shared:
    """The items of each shared chunk of one joint."""

    chunks: Sequence[set[str]]
    parent: int | None = None


@dataclass(frozen=True)
class Made:
    """What the builder made."""

    result: Anonymised
    original: Transactions

    @property
    def release(self) -> Disassociated:
        return self.result.release


def assemble(
    groups: Sequence[Group],
    joints: Sequence[Shared] = (),
    *,
    k: int = 2,
    m: int = 2,
    parameters: dict[str, Any] | None = None,
    suppressed: Sequence[tuple[int, str, tuple[str, ...]]] = (),
    persons: bool = False,
) -> Made:
    """Project the records as told, put everything in canonical order, and note where it came from."""
    numbers = iter(range(10**6))
    records = [[(frozenset(record), next(numbers)) for record in group.records] for group in groups]
    chunks = [
        [c for c in (_project(own, d) for d in g.chunks) if c] for g, own in zip(groups, records, strict=True)
    ]
    terms = [_project(own, group.term) for group, own in zip(groups, records, strict=True)]
    shared = [_shared_chunks(joint, number, groups, joints, records) for number, joint in enumerate(joints)]
    cluster_order = sorted(
        range(len(groups)), key=lambda g: (_content(chunks[g]), _union(terms[g]), len(groups[g].records))
    )
    joint_order = sorted(range(len(joints)), key=lambda j: _content(shared[j]))
    joint_number = {None: -1} | {old: new for new, old in enumerate(joint_order)}
    rows = list(_rows(cluster_order, joint_order, chunks, terms, shared))
    release = Disassociated(
        k=k,
        m=m,
        parameters={"rare_items": "cluster"}
        | ({"method": "disassociation", "max_cluster_size": 4} if parameters is None else parameters),
        cluster_size=np.array([len(groups[g].records) for g in cluster_order], np.int64),
        cluster_joint=np.array([joint_number[groups[g].joint] for g in cluster_order], np.int64),
        joint_parent=np.array([joint_number[joints[j].parent] for j in joint_order], np.int64),
        **_row_arrays([(place, items) for place, items, _ in rows]),
    )
    data = Transactions.from_records([items for own in records for items, _ in own])
    cluster_of = [
        new for _, new in sorted((n, new) for new, g in enumerate(cluster_order) for _, n in records[g])
    ]
    return Made(Anonymised(release, _key(release, rows, cluster_of, suppressed, persons)), data)


def _project(records: list[tuple[frozenset[str], int]], domain: set[str]) -> list[Part]:
    return sorted((tuple(sorted(items & domain)), number) for items, number in records if items & domain)


def _shared_chunks(joint, number, groups, joints, records) -> list[list[Part]]:
    below = [
        r for group, own in zip(groups, records, strict=True) if number in _above(group, joints) for r in own
    ]
    return [chunk for chunk in (_project(below, domain) for domain in joint.chunks) if chunk]


def _above(group: Group, joints: Sequence[Shared]) -> Iterator[int]:
    at = group.joint
    while at is not None:
        yield at
        at = joints[at].parent


def _content(chunks: list[list[Part]]) -> tuple[tuple[tuple[str, ...], ...], ...]:
    return tuple(tuple(items for items, _ in chunk) for chunk in chunks)


def _union(parts: list[Part]) -> tuple[str, ...]:
    return tuple(sorted({item for items, _ in parts for item in items}))


def _rows(cluster_order, joint_order, chunks, terms, shared):
    for new, old in enumerate(cluster_order):
        for number, chunk in enumerate(chunks[old]):
            yield from (((new, -1, number, Kind.RECORD), part[0], [part]) for part in chunk)
        if terms[old]:
            yield (new, -1, 0, Kind.TERM), _union(terms[old]), terms[old]
    for new, old in enumerate(joint_order):
        for number, chunk in enumerate(shared[old]):
            yield from (((-1, new, number, Kind.SHARED), part[0], [part]) for part in chunk)


def _row_arrays(rows: list[tuple[tuple[int, int, int, int], tuple[str, ...]]]) -> dict[str, Any]:
    vocabulary = tuple(sorted({item for _, items in rows for item in items}))
    place = np.array([place for place, _ in rows], np.int64).reshape(-1, 4)
    return {
        "vocabulary": vocabulary,
        "row_cluster": place[:, 0].copy(),
        "row_joint": place[:, 1].copy(),
        "row_chunk": place[:, 2].astype(np.int32),
        "row_kind": place[:, 3].astype(np.int8),
        "row_offsets": np.cumsum([0] + [len(items) for _, items in rows], dtype=np.int64),
        "row_items": np.array([vocabulary.index(item) for _, items in rows for item in items], np.int32),
    }


def _key(release, rows, cluster_of, suppressed, persons) -> Key:
    entries = sorted((n, row, items) for row, (_, _, parts) in enumerate(rows) for items, n in parts)
    code_of = {name: code for code, name in enumerate(release.vocabulary)}
    return Key(
        record=np.array([n for n, _, _ in entries], np.int64),
        release_row=np.array([row for _, row, _ in entries], np.int64),
        offsets=np.cumsum([0] + [len(items) for _, _, items in entries], dtype=np.int64),
        items=np.array([code_of[item] for _, _, items in entries for item in items], np.int32),
        records=np.arange(len(cluster_of), dtype=np.int64),
        record_cluster=np.array(cluster_of, np.int64),
        persons=np.arange(len(cluster_of), dtype=np.int64) // 2 if persons else None,
        suppressed_record=np.array([record for record, _, _ in suppressed], np.int64),
        suppressed_reason=tuple(reason for _, reason, _ in suppressed),
        suppressed_items=tuple(items for _, _, items in suppressed),
    )


def make_clinic() -> Made:
    """Three clusters, two of them joined by a shared chunk."""
    cough = [{"cough", "flu", "naïve 🦊"}, {"cough", "flu", "rash"}, {"cough", "salt"}]
    knee = [{"knee", "pain", "salt"}, {"knee", "pain", 'fox, "red"'}, {"knee", "=1+1", "salt"}]
    eyes = [{"eyes"}] * 4 + [{"eyes", "שלום", "a\nb"}]
    return assemble(
        [
            Group(cough, [{"cough", "flu"}], {"naïve 🦊", "rash"}, joint=0),
            Group(knee, [{"knee", "pain"}], {'fox, "red"', "=1+1"}, joint=0),
            Group(eyes, [{"eyes"}], {"שלום", "a\nb"}),
        ],
        [Shared([{"salt"}])],
    )


@pytest.fixture(scope="session")
def build() -> Callable[..., Made]:
    return assemble


@pytest.fixture(scope="session")
def clinic() -> Made:
    return make_clinic()


@pytest.fixture(scope="session")
def golden() -> Path:
    return GOLDEN
