"""What a set-generalised release is made of, and what its owner should know before publishing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.figures import many
from cloven.kinds.page_words import PageWords

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.data.transactions import Transactions
    from cloven.kinds.generalised.key import Generalised


def summary(data: Transactions, result: Generalised) -> dict[str, int | float]:
    """Counts of a result that commands print."""
    from cloven.kinds.generalised.utility import ncp
    from cloven.storage.manifest import count

    release, holders = result.release, dict(zip(data.vocabulary, data.holders.tolist(), strict=True))
    single = release.block_sizes[release.row_blocks] == 1
    alone = [release.block(block)[0] for block in np.flatnonzero(release.block_sizes == 1).tolist()]
    return {
        **count(release),
        "records_read": len(data),
        "items_suppressed": len(data.vocabulary) - len(release.vocabulary),
        "occurrences_suppressed": sum(map(len, result.key.suppressed_items)),
        "rare_items_published": sum(holders[name] < release.k for name in alone),
        "items_kept": float(single.sum() / len(data.codes)) if len(data.codes) else 1.0,
        "ncp": ncp(release, data),
    }


def cautions(figures: dict[str, int | float], method: Any) -> list[str]:
    """What an owner should know before publishing, each with what to do."""
    out, policy = [], getattr(method, "policy", None)
    if policy is not None and not policy.all_up_to:
        out.append(
            f"only {many(len(policy.protected), 'listed itemset')} protected: whoever knows anything else of a person"
            " may find the record; with -m 2 any two items are protected"
        )
    if getattr(method, "reading", "") == "empty-is-enough":
        out.append(
            "parts of protected itemsets may single somebody out (--constraint-reading empty-is-enough);"
            " subsets-too protects them as well"
        )
    if figures["items_suppressed"]:
        out.append(
            f"{many(figures['items_suppressed'], 'item')} suppressed,"
            f" {many(figures['occurrences_suppressed'], 'occurrence')}; say so beside every utility figure;"
            " suppressed.parquet lists them"
        )
    if figures["empty_records"]:
        out.append(
            f"{many(figures['empty_records'], 'record')} published without any item: all they had is suppressed"
        )
    if figures["rare_items_published"]:
        out.append(
            f"{many(figures['rare_items_published'], 'item')} held by fewer than k = {method.k} and published by name,"
            " because no itemset of the policy protects them; see them with `cloven describe`"
        )
    if getattr(method, "seeded", False):
        out.append("the policy was drawn with a seed: this release is for experiments; do not publish it")
    return out


def page_words(document: Mapping[str, Any]) -> PageWords:  # noqa: ARG001 - all such releases are spoken of alike
    """How a page speaks of such a release."""
    from cloven.kinds.generalised.score.definitions import MEASURES

    return PageWords(measures=MEASURES)
