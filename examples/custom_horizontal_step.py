"""Replace the first step: cluster by the rarest item of a record that k records still hold."""

# ruff: noqa: T201  an example prints

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import cloven as cv
from cloven.kinds.disassociated.methods.horizontal import HorPart, Part
from cloven.kinds.disassociated.utility import items_kept, pairs_kept


@dataclass(frozen=True)
class ByRarestItem:
    """Records that share their rarest frequent item become neighbours; neighbours share a cluster."""

    def partition(self, part: Part) -> NDArray[np.int64]:
        """Cluster of each record: equal slices, each between k and the maximum."""
        if len(part.person):
            message = "this example counts records, not persons"
            raise cv.ParameterError(message)
        records = len(part.offsets) - 1
        support = np.bincount(part.terms, minlength=part.n_terms)
        key = np.where(support < part.k, support.max() + 1, support)[part.terms] * part.n_terms + part.terms
        order = np.argsort(np.minimum.reduceat(key, part.offsets[:-1]), kind="stable")
        slices = max(1, min(-(-records // part.maximum), records // part.k))
        cluster = np.empty(records, np.int64)
        cluster[order] = np.arange(records) * slices // records
        return cluster


data = cv.sample("clinic")
for step in (HorPart(), ByRarestItem()):
    result = cv.Disassociation(k=5, m=2, horizontal=step).anonymise(data)
    verdict = cv.verify(result.release, original=data, key=result.key)
    kept = f"items {items_kept(data, result.release):.1%}, pairs {pairs_kept(data, result.release):.1%}"
    print(f"{step}: {result.release.clusters} clusters, {kept}, verified: {verdict.ok}")
