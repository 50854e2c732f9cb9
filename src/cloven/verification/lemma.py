"""Lemma on sub-record counts (Terrovitis et al., PVLDB 2012): is a cluster of safe chunks safe as a whole?

Knowledge may spread over h = max(1, min(m, v)) of the v record chunks. To give it k candidates, k sub-records of each
of the h chunks are stacked on the same k records, and the other records must still not be empty. Items of a term
chunk, or of the list of the root, can fill such holes, because their number is not told; without one the sub-records
must suffice: sum of |C_i| >= |P| + k (h - 1). Rows of shared chunks do not count: they may belong to others. Where
rare items may have been withheld, records may be empty, and there is nothing to fill.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.disassociated import Kind
from cloven.verification.capacity import has_fillers, record_rows
from cloven.verification.faults import conclude, spot
from cloven.verification.verdict import Check

if TYPE_CHECKING:
    from cloven.model.disassociated import Disassociated
    from cloven.verification.layout import Layout
    from cloven.verification.tree import JointTree


def check_lemma(release: Disassociated, layout: Layout, tree: JointTree) -> Check:
    """Every cluster without a term chunk has enough sub-records, also with one record chunk or none."""
    if release.may_be_empty:
        detail = "not needed: records may be empty, rare items may have been withheld"
        return Check("lemma", "release", passed=True, examined=0, detail=detail)
    size = np.asarray(release.cluster_size, np.int64)
    rows = record_rows(release, layout)
    owner = layout.chunk_owner[layout.chunk_kind == Kind.RECORD]
    chunks = np.bincount(owner, minlength=release.clusters)
    stacked = np.maximum(1, np.minimum(release.m, chunks))
    needed = size + release.k * (stacked - 1)
    bare = ~has_fillers(release, layout, tree)
    faults = [
        spot(
            bare & (rows < needed),
            lambda at: (
                f"cluster {at} of {size[at]} records has no term chunk and {rows[at]} rows in {chunks[at]}"
                f" record chunks; {needed[at]} are needed"
            ),
        )
    ]
    count = int(np.count_nonzero(bare))
    return conclude(
        "lemma", "release", count, faults, f"{count:,} clusters without a term chunk, enough rows"
    )
