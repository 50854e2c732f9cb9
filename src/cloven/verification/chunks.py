"""Are chunks numbered 0, 1, ... in each cluster and joint, and is a term chunk one row?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.disassociated import Kind
from cloven.verification.faults import conclude, spot

if TYPE_CHECKING:
    from cloven.verification.layout import Layout
    from cloven.verification.verdict import Check


def check_chunks(layout: Layout) -> Check:
    """Numbers of chunks are consecutive from 0; a term chunk has number 0 and one row."""
    kind, owner, number = layout.chunk_kind, layout.chunk_owner, layout.chunk_number
    follows = np.zeros(layout.chunks, bool)
    outside = layout.chunk_outside
    follows[1:] = (kind[1:] == kind[:-1]) & (owner[1:] == owner[:-1]) & (outside[1:] == outside[:-1])
    expected = np.where(follows, np.append(0, number[:-1])[: layout.chunks] + 1, 0)
    term = kind == Kind.TERM
    rows = layout.chunk_rows
    faults = [
        spot(
            (number != expected) & ~term,
            lambda at: f"{layout.place(at)} stands where chunk {expected[at]} is expected",
        ),
        spot(term & (number != 0), lambda at: f"{layout.place(at)} has number {number[at]} instead of 0"),
        spot(term & (rows != 1), lambda at: f"{layout.place(at)} has {rows[at]} rows instead of one"),
    ]
    count = layout.chunks
    return conclude("chunks", "release", count, faults, f"{count:,} chunks, numbered without gaps")
