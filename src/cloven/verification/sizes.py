"""Is every cluster large enough, and which are larger than the method wanted?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.model.counted import counted
from cloven.verification.faults import conclude, spot
from cloven.verification.verdict import Check

if TYPE_CHECKING:
    from cloven.model.disassociated import Disassociated


def check_cluster_size(release: Disassociated, *, allow_unsafe: bool) -> Check:
    """Every cluster has at least k records.

    In a release that is marked unsafe, and allowed to be, small clusters are reported and pass.
    """
    size, k = release.cluster_size, release.k
    fault = spot(size < k, lambda at: f"cluster {at} has {size[at]} records, k is {k}")
    if fault.count and allow_unsafe and bool(release.parameters.get("unsafe")):
        detail = f"information: {counted(fault.count, 'clusters')} below k in an unsafe release; first: {fault.first}"
        return Check("cluster size", "release", passed=True, examined=len(size), detail=detail)
    return conclude(
        "cluster size", "release", len(size), [fault], f"smallest has {size.min()} records, k is {k}"
    )


def report_oversize(release: Disassociated) -> Check:
    """How many clusters are above the maximum that the parameters name: information, never a failure."""
    limit = release.parameters.get("max_cluster_size")
    if not isinstance(limit, (int, np.integer)) or isinstance(limit, bool):
        detail = "information: the parameters name no maximum size"
    else:
        above = int(np.count_nonzero(release.cluster_size > limit))
        largest = int(release.cluster_size.max())
        found = f"information: {counted(above, 'clusters')} above the maximum of {limit:,}"
        detail = f"{found}; the largest has {largest:,}"
    return Check("oversize clusters", "release", passed=True, examined=release.clusters, detail=detail)
