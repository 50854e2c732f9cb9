"""One cluster as it is published: its chunks, what may be its own from joints and the root, and its cover problems."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.figures import listed, many
from cloven.kinds.disassociated.release import Kind

if TYPE_CHECKING:
    from cloven.kinds.disassociated.covers.covers import Cover
    from cloven.studio.inspection.opened import Opened

SHOWN = 25
"""Lines of a chunk that are shown unless all are asked for."""


@dataclass(frozen=True)
class Line:
    """Equal sub-records of a chunk: the first of their rows, their items with codes, and how many there are."""

    row: int
    items: tuple[str, ...]
    codes: tuple[int, ...]
    copies: int


@dataclass(frozen=True)
class Chunk:
    """A chunk.

    Attributes:
        kind: ``record``, ``shared`` or ``term``.
        number: its number in its cluster or joint.
        joint: the joint it belongs to; None for one of the cluster itself.
        lines: its different sub-records; of a term chunk its one row.
        rows: sub-records in all.
        left_out: lines that are not given.
    """

    kind: str
    number: int
    joint: int | None
    lines: tuple[Line, ...]
    rows: int
    left_out: int


@dataclass(frozen=True)
class RootItem:
    """An item that stands at the root, which any cluster may have that does not show it; None copies: not told."""

    code: int
    name: str
    copies: int | None


@dataclass(frozen=True)
class CoverNote:
    """A cover problem, in fields and in words; ``everywhere`` if no other cluster has candidates enough."""

    item: str
    covered: tuple[str, ...]
    covering: tuple[str, ...]
    chunk: int
    earlier: int
    everywhere: bool
    sentence: str


@dataclass(frozen=True)
class ClusterView:
    """A cluster.

    Attributes:
        number: which one.
        size: its records.
        chunks: its record chunks.
        terms: its term chunk; None if it has none.
        shared: shared chunks of the joints above it, innermost first.
        root: items of the root that it may have, most copies first.
        root_left_out: further ones that are not given.
        covers: its cover problems, those of the whole release first.
    """

    number: int
    size: int
    chunks: tuple[Chunk, ...]
    terms: Chunk | None
    shared: tuple[Chunk, ...]
    root: tuple[RootItem, ...]
    root_left_out: int
    covers: tuple[CoverNote, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def cluster_view(opened: Opened, number: int, most: int | None = SHOWN) -> ClusterView:
    """One cluster; ``most`` limits the lines of each chunk, None gives all.

    Raises:
        ParameterError: there is no such cluster.
    """
    own = _chunks(opened, opened.rows_of(number), None, most)
    shared = [
        chunk
        for joint in opened.joints_of(number)
        for chunk in _chunks(opened, opened.rows_of_joint(joint), joint, most)
    ]
    root = _root(opened, number)
    return ClusterView(
        number,
        int(opened.release.cluster_size[number]),
        tuple(chunk for chunk in own if chunk.kind == "record"),
        next((chunk for chunk in own if chunk.kind == "term"), None),
        tuple(shared),
        tuple(root[:most]),
        len(root) - len(root[:most]),
        cover_notes(opened, number),
    )


def _chunks(opened: Opened, rows: range, joint: int | None, most: int | None) -> list[Chunk]:
    """Rows of one cluster or joint as chunks; equal ones are one line."""
    release = opened.release
    here = np.arange(rows.start, rows.stop)
    kinds, numbers = release.row_kind[here], release.row_chunk[here]
    edges = np.flatnonzero(np.diff(kinds.astype(np.int64)) | np.diff(numbers)) + 1
    out = []
    for part in np.split(here, edges) if len(here) else ():
        first, copies = np.unique(opened.firsts[part], return_counts=True)
        order = np.argsort(-copies, kind="stable")[:most]
        lines = [_line(opened, int(first[at]), int(copies[at])) for at in order.tolist()]
        kind = Kind(int(release.row_kind[part[0]])).name.lower()
        chunk = int(release.row_chunk[part[0]])
        out.append(Chunk(kind, chunk, joint, tuple(lines), len(part), len(first) - len(lines)))
    return out


def _line(opened: Opened, row: int, copies: int) -> Line:
    release = opened.release
    codes = release.row_items[release.row_offsets[row] : release.row_offsets[row + 1]].tolist()
    return Line(row, release.row(row), tuple(codes), copies)


def _root(opened: Opened, number: int) -> list[RootItem]:
    """Items of the root but for those that the cluster shows itself."""
    release, rows = opened.release, opened.rows_of(number)
    shown = release.row_items[release.row_offsets[rows.start] : release.row_offsets[rows.stop]]
    named, copies = opened.at_root
    free = ~np.isin(named, shown)
    named, copies = named[free], copies[free]
    order = np.lexsort((named, -copies))
    return [
        RootItem(code, release.vocabulary[code], held or None)
        for code, held in zip(named[order].tolist(), copies[order].tolist(), strict=True)
    ]


def cover_notes(opened: Opened, number: int) -> tuple[CoverNote, ...]:
    """The cover problems of one cluster."""
    found = opened.covers
    entries = np.flatnonzero(found.cluster == number)
    exposed = np.unique(found.leaks[0][found.everywhere])
    notes = [_note(found[entry], opened.release.k, entry in exposed) for entry in entries.tolist()]
    return tuple(sorted(notes, key=lambda note: not note.everywhere))


def _note(cover: Cover, k: int, everywhere: bool) -> CoverNote:
    return CoverNote(
        cover.item, cover.covered, cover.covering, cover.chunk, cover.earlier, everywhere,
        cover_sentence(cover, k, everywhere=everywhere),
    )  # fmt: skip


def cover_sentence(cover: Cover, k: int, *, everywhere: bool) -> str:
    """Why a cover tells something, for whoever never heard of it.

    >>> from cloven.kinds.disassociated.covers.covers import Cover
    >>> print(cover_sentence(Cover(0, 1, 0, "e", ("c",), ("a", "b")), 2, everywhere=True))
    Fewer than 2 records of this cluster hold e together with c. All rows with c in chunk 1 hold a and b too; had 2 \
records both e and c, the method would have put e into that chunk, and it did not. No other cluster has enough \
candidates, so the promise is broken for who knows both.
    """
    pair, others = " or ".join(cover.covered), listed(cover.covering)
    beside = f"All rows with {pair} in chunk {cover.earlier + 1} hold {others} too; had" if others else "Had"
    where = "that chunk" if others else f"chunk {cover.earlier + 1}"
    reach = (
        "No other cluster has enough candidates, so the promise is broken for who knows both."
        if everywhere
        else "Other clusters have candidates enough, so the promise still holds for the whole release."
    )
    return (
        f"Fewer than {many(k, 'record')} of this cluster hold {cover.item} together with {pair}. {beside}"
        f" {many(k, 'record')} both {cover.item} and {pair}, the method would have put {cover.item} into {where}, and"
        f" it did not. {reach}"
    )
