"""k^m-anonymity of chunks (Terrovitis et al., PVLDB 2012): whoever knows m items of a row finds k such rows.

Reading "occurring": every combination of up to m items that occurs in a row occurs in at least k rows.
Reading "strict": every combination of up to m items of the chunk does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.model.disassociated import Kind
from cloven.verification.faults import Fault, conclude, named

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.verification.layout import Layout
    from cloven.verification.verdict import Check


@dataclass(frozen=True)
class Rare:
    """Chunks with a rare combination: how many, the first, its combination, and how many hold that."""

    chunks: int
    chunk: int
    items: tuple[int, ...]
    holders: int


def check_record_chunks(release: Disassociated, layout: Layout) -> Check:
    """Every record chunk is k^m-anonymous."""
    chunks = np.flatnonzero(layout.chunk_kind == Kind.RECORD)
    rare = rare_in_rows(layout, chunks, release.k, release.m, strict=reads_strictly(release))
    faults = [] if rare is None else [describe(release, layout, rare, "rows")]
    otherwise = f"{len(chunks):,} record chunks are {release.k}^{release.m}-anonymous"
    return conclude("k^m of record chunks", "release", len(chunks), faults, otherwise)


def reads_strictly(release: Disassociated) -> bool:
    """Whether the release promises the strict reading."""
    return bool(release.parameters.get("reading") == "strict")


def describe(release: Disassociated, layout: Layout, rare: Rare, holders: str) -> Fault:
    """Put a rare combination into words."""
    items = named(release.vocabulary, rare.items)
    held = f"{items} is held by {rare.holders} {holders}, k is {release.k}"
    return Fault(rare.chunks, f"{layout.place(rare.chunk)}: {held}")


def rare_in_rows(layout: Layout, chunks: NDArray[np.int64], k: int, m: int, *, strict: bool) -> Rare | None:
    """Look for combinations that fewer than k rows of a chunk hold; equal rows are looked at once."""
    distinct = np.flatnonzero(~layout.row_repeats)
    copies = np.diff(np.append(distinct, len(layout.row_repeats)))
    owner = np.arange(len(distinct))
    return _search(layout, chunks, distinct, owner, copies, k, m, strict=strict)


def rare_among_owners(
    layout: Layout, chunks: NDArray[np.int64], row_owner: NDArray[np.int64], k: int, m: int
) -> Rare | None:
    """Look for combinations that occur, but in rows of fewer than k owners (numbers from 0)."""
    order = np.lexsort((row_owner, layout.row_chunk))
    once = np.ones(len(order), np.int64)
    return _search(layout, chunks, order, row_owner[order], once, k, m, strict=False)


def _search(
    layout: Layout,
    chunks: NDArray[np.int64],
    rows: NDArray[np.int64],
    owner: NDArray[np.int64],
    weight: NDArray[np.int64],
    k: int,
    m: int,
    *,
    strict: bool,
) -> Rare | None:
    """Search the given chunks; ``rows`` ascend by chunk, each with an owner and a weight."""
    from cloven.verification.km_kernel import scan  # numba takes long to import

    wanted = np.zeros(layout.chunks, bool)
    wanted[chunks] = True
    keep = wanted[layout.row_chunk[rows]]
    rows, owner, weight = rows[keep], owner[keep], weight[keep]
    per_chunk = np.bincount(layout.row_chunk[rows], minlength=layout.chunks)[chunks]
    items = np.bincount(layout.pair_chunk, minlength=layout.chunks)[chunks]
    faulty, first, found = scan(
        np.append(0, np.cumsum(per_chunk)),
        items,
        layout.offsets[rows],
        layout.offsets[rows + 1],
        owner,
        weight,
        layout.local,
        int(k),
        int(m),
        strict,
    )
    if not faulty:
        return None
    chunk = int(chunks[first])
    first_pair = int(np.searchsorted(layout.pair_chunk, chunk))
    codes = layout.pair_item[first_pair + found[:-1]]
    return Rare(faulty, chunk, tuple(codes.tolist()), int(found[-1]))
