"""Releases built by hand: plain nested lists in, a canonical ``Disassociated`` out; no code of the checker.

A cluster is ``cluster(size, chunks, term)``, a joint is ``joint(shared_chunks, children)``; a row is a string
of one-letter items or a list of items.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from cloven.kinds.disassociated.release import Disassociated, Kind

NUMBERS = ("cluster_size", "cluster_joint", "joint_parent", "row_cluster", "row_joint", "row_offsets")
WIDTH = {"row_chunk": np.int32, "row_kind": np.int8, "row_items": np.int32} | dict.fromkeys(NUMBERS, np.int64)


@dataclass
class Node:
    chunks: tuple
    term: tuple = ()
    size: int = 0
    children: list[Node] = field(default_factory=list)
    parent: Node | None = None
    is_joint: bool = False


def rows_of(chunk) -> tuple:
    return tuple(sorted(tuple(sorted(row)) for row in chunk))


def cluster(size, chunks, term=()) -> Node:
    return Node(tuple(rows_of(chunk) for chunk in chunks), tuple(sorted(term)), size)


def joint(shared, children) -> Node:
    node = Node(tuple(rows_of(chunk) for chunk in shared), children=children, is_joint=True)
    for child in children:
        child.parent = node
    return node


def nodes_below(nodes: list[Node]) -> list[Node]:
    return [node for top in nodes for node in (top, *nodes_below(top.children))]


def digest(node: Node, number: dict[str, int]) -> str:
    """Rule 5 of the release format, written down as it stands there."""

    def token(value: int) -> bytes:
        return value.to_bytes(4, "big")

    content = b""
    for chunk in node.chunks:
        for row in chunk:
            content += b"".join(token(number[item] + 2) for item in row) + token(1)
        content += token(0)
    content += token(0)
    if not node.is_joint:
        content += b"".join(token(number[item] + 2) for item in node.term) + token(1)
        content += node.size.to_bytes(8, "big")
    below = sorted(digest(child, number) for child in node.children)
    return hashlib.sha256(content + "".join(below).encode()).hexdigest()


def context(node: Node, number: dict[str, int]) -> str:
    if node.parent is None:
        return digest(node, number)
    return hashlib.sha256((context(node.parent, number) + digest(node, number)).encode()).hexdigest()


def content_key(node: Node) -> tuple:
    """Rules 3 and 4: what nodes are numbered by, before ties."""
    return (node.chunks,) if node.is_joint else (node.chunks, node.term, node.size)


def build(
    nodes: list[Node], *, k: int = 3, m: int = 2, order=None, numbers=None, **parameters: Any
) -> Disassociated:
    """Number clusters and joints, and write the arrays.

    ``order(clusters, joints)`` may spoil the numbering; ``numbers`` is filled: id of node to number.
    """
    everything = nodes_below(nodes)
    words = sorted(
        {item for node in everything for row in (node.term, *sum(node.chunks, ())) for item in row}
    )
    number = {word: code for code, word in enumerate(words)}
    ranked = sorted(everything, key=lambda node: (content_key(node), context(node, number)))
    clusters = [node for node in ranked if not node.is_joint]
    joints = [node for node in ranked if node.is_joint]
    if order is not None:
        clusters, joints = order(clusters, joints)
    place = {id(node): at for group in (clusters, joints) for at, node in enumerate(group)}
    if numbers is not None:
        numbers.update(place)
    rows: list[tuple] = []
    for at, node in enumerate(clusters):
        rows += [(at, -1, c, Kind.RECORD, row) for c, chunk in enumerate(node.chunks) for row in chunk]
        rows += [(at, -1, 0, Kind.TERM, node.term)] if node.term else []
    for at, node in enumerate(joints):
        rows += [(-1, at, c, Kind.SHARED, row) for c, chunk in enumerate(node.chunks) for row in chunk]

    def parents(group: list[Node]) -> list[int]:
        return [-1 if node.parent is None else place[id(node.parent)] for node in group]

    lists = {
        "cluster_size": [node.size for node in clusters],
        "cluster_joint": parents(clusters),
        "joint_parent": parents(joints),
        "row_cluster": [row[0] for row in rows],
        "row_joint": [row[1] for row in rows],
        "row_chunk": [row[2] for row in rows],
        "row_kind": [row[3] for row in rows],
        "row_offsets": np.cumsum([0, *(len(row[4]) for row in rows)]),
        "row_items": [number[item] for row in rows for item in row[4]],
    }
    arrays = {name: np.array(values, WIDTH[name]) for name, values in lists.items()}
    return Disassociated(k=k, m=m, parameters=parameters, vocabulary=tuple(words), **arrays)


def rows(release: Disassociated) -> list[tuple]:
    """Rows as (cluster, joint, chunk, kind, codes), to be changed and put back with ``with_rows``."""
    columns = (release.row_cluster, release.row_joint, release.row_chunk, release.row_kind)
    bounds = zip(release.row_offsets[:-1], release.row_offsets[1:], strict=True)
    codes = [tuple(release.row_items[begin:end].tolist()) for begin, end in bounds]
    return [(*map(int, head), row) for *head, row in zip(*columns, codes, strict=True)]


def with_rows(release: Disassociated, changed: list[tuple]) -> Disassociated:
    return changed_arrays(
        release,
        row_cluster=[row[0] for row in changed],
        row_joint=[row[1] for row in changed],
        row_chunk=[row[2] for row in changed],
        row_kind=[row[3] for row in changed],
        row_offsets=np.cumsum([0, *(len(row[4]) for row in changed)]),
        row_items=[code for row in changed for code in row[4]],
    )


def changed_arrays(release: Disassociated, **values: Any) -> Disassociated:
    """A copy with some fields replaced; arrays may be given as lists."""
    assert set(values) <= {each.name for each in fields(release)}
    given = {name: np.array(value, WIDTH[name]) if name in WIDTH else value for name, value in values.items()}
    return replace(release, **given)


def failed(verdict) -> list[str]:
    return [check.name for check in verdict.failures]
