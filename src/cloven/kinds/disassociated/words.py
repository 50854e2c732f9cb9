"""What a disassociated release is made of, and what its owner should know before publishing it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.figures import many
from cloven.kinds.page_words import PageWords

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.key import Anonymised
    from cloven.kinds.disassociated.methods import Disassociation


def summary(data: Transactions, result: Anonymised) -> dict[str, int | float]:
    """Counts of a result that commands print."""
    from cloven.kinds.disassociated.covers.worlds import too_large
    from cloven.kinds.disassociated.methods.repair import MOST
    from cloven.kinds.disassociated.utility import items_kept
    from cloven.storage.manifest import count

    release, key = result.release, result.key
    supports = dict(zip(data.vocabulary, data.holders.tolist(), strict=True))
    left_out: Counter[str] = Counter()
    for items, reason in zip(key.suppressed_items, key.suppressed_reason, strict=True):
        left_out[reason] += len(items)
    exact = release.parameters.get("safe") == "exact"
    return {
        **count(release),
        "records_read": len(data),
        "records_suppressed": len(data) - len(key.records),
        "occurrences_suppressed": left_out["cover"],
        "occurrences_withheld": left_out["rare"],
        "records_with_nothing": len(key.records) - len(np.unique(key.record)),
        "clusters_not_enumerated": too_large(release, MOST) if exact else 0,
        "items_left_out": len(data.vocabulary) - len(release.vocabulary),
        "rare_items_published": sum(supports[name] < release.k for name in release.vocabulary),
        "items_kept": items_kept(data, release),
    }


def cautions(figures: dict[str, int | float], method: Disassociation) -> list[str]:
    """What an owner should know before publishing, each with what to do."""
    out = []
    if method.small_clusters == "keep":
        out.append("clusters below k were kept: this release gives its promise up; do not publish it")
    if figures["oversize_clusters"]:
        out.append(
            f"{many(figures['oversize_clusters'], 'cluster')} above --max-cluster-size {method.max_cluster_size}:"
            " the records cannot be split further; this is safe, and the manifest counts them"
        )
    if figures["records_suppressed"]:
        out.append(
            f"{many(figures['records_suppressed'], 'record')} not published; say so beside every utility figure"
        )
    if method.safe != "no" and figures["occurrences_suppressed"]:
        out.append(
            f"{many(figures['occurrences_suppressed'], 'occurrence')} suppressed so that nothing is covered:"
            " published supports are lower bounds, and the manifest says so"
        )
    if method.safe == "exact" and figures["clusters_not_enumerated"]:
        out.append(
            f"{many(figures['clusters_not_enumerated'], 'cluster')} too large to enumerate: pairs that only exact"
            " worlds break may be left there; a smaller --max-cluster-size leaves fewer such clusters"
        )
    if figures["occurrences_withheld"]:
        out.append(
            f"{many(figures['occurrences_withheld'], 'occurrence')} of items that fewer than k = {method.k} hold"
            " withheld; suppressed.parquet lists them, and the release says only that there may be some"
        )
    if figures["records_with_nothing"]:
        out.append(
            f"{many(figures['records_with_nothing'], 'record')} with nothing but withheld items, published empty"
        )
    if figures["items_left_out"]:
        out.append(
            f"{many(figures['items_left_out'], 'item')} left out of every record; suppressed.parquet lists them"
        )
    if figures["rare_items_published"]:
        out.append(
            f"{many(figures['rare_items_published'], 'item')} held by fewer than k = {method.k} and published by name"
            f" in {'one list' if method.rare_items == 'list' else 'term chunks'}; see them with `cloven describe`,"
            " leave them out with --rare-items withhold"
        )
    return out


def page_words(document: Mapping[str, Any]) -> PageWords:  # noqa: ARG001 - all such releases are spoken of alike
    """How a page speaks of such a release."""
    from cloven.kinds.disassociated.score.definitions import MEASURES

    return PageWords(measures=MEASURES)
