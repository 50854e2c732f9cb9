"""Settings of disassociation for a data set, each with its reason, for owners who name none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.model.transactions import Transactions

USUAL_K, USUAL_M, USUAL_SIZE = 5, 2, 120


def suggested(data: Transactions, given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Values for k, m and the largest cluster where ``given`` has none, and why.

    >>> import cloven as cv
    >>> values, reasons = suggested(cv.sample("clinic"), {"k": 3})
    >>> values
    {'k': 3, 'm': 2, 'max_cluster_size': 120}
    >>> reasons[0]
    'm=2: the usual assumption, an attacker knows two items of somebody'
    """
    values, reasons = dict(given), []
    records, longest = len(data), int(np.diff(data.offsets).max(initial=0))
    if "k" not in values:
        values["k"] = USUAL_K  # never less without being asked, however small the data
        reasons.append(
            f"k={USUAL_K}: who knows m items of somebody is left with at least five candidates, the usual least"
        )
    if "m" not in values:
        values["m"] = max(1, min(USUAL_M, longest))
        usual = "the usual assumption, an attacker knows two items of somebody"
        reasons.append(f"m={values['m']}: {usual if values['m'] == USUAL_M else 'no record has more items'}")
    if "max_cluster_size" not in values:
        values["max_cluster_size"] = max(2 * values["k"] - 1, min(USUAL_SIZE, records // 2))
        usual = "larger groups hide better, smaller ones keep more pairs"
        small = f"half of the {records:,} records, so that there are several groups"
        size = values["max_cluster_size"]
        reasons.append(f"max={size}: {usual if size == USUAL_SIZE else small}")
    return values, reasons
