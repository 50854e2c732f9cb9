"""Every measure of eliminations in one sentence. Documentation, command line and reports quote these."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.statistics.findings import Definition

if TYPE_CHECKING:
    from collections.abc import Mapping

BESIDE = "_all_but_one"
"""Ending of the measures that stand beside the second baseline: keep one random item of each generalised item."""

BY_FREQUENCY = "_by_frequency"
"""Ending of the measures that stand beside the third baseline: common items first, which no row tells anything of."""

DETECTED: Mapping[str, str] = {
    "recall": "share of the added items that are eliminated",
    "precision": "share of the eliminated items that were added",
    "f": "harmonic mean of precision and recall",
}
RECORDS: Mapping[str, str] = {
    "rebuilt": "share of the records with a generalised item that are exactly the original again",
    "unique": "share of the records with a generalised item that were unique that are rebuilt exactly and unique",
    "unique_again": "the same among those that the release made equal to others",
}
RANKED: Mapping[str, str] = {
    "auc": "link AUC: probability that an added item of a table has a higher confidence than an original one",
    "auc_row": "link AUC inside the rows: the same for two items of one record",
    "hit": "share of the items that a record really has among as many best guesses for each of its generalised items",
}
MEASURES: Mapping[str, Definition] = {
    **{name: Definition("detection", sentence) for name, sentence in DETECTED.items()},
    **{
        f"{name}_per_item": Definition("detection", f"{sentence}; mean over generalised items")
        for name, sentence in DETECTED.items()
    },
    **{name: Definition("ranking", sentence) for name, sentence in RANKED.items()},
    **{
        name + BY_FREQUENCY: Definition(
            "ranking", f"{sentence}; chance names the commonest items of each generalised item"
        )
        for name, sentence in RANKED.items()
    },
    "brier": Definition(
        "ranking", "mean squared distance between confidence and truth", higher_is_worse=False
    ),
    **{name: Definition("rows", sentence) for name, sentence in RECORDS.items()},
    **{
        name + BESIDE: Definition(
            "detection" if name in DETECTED else "rows",
            f"{sentence}; chance keeps one random item of each generalised item of a record",
        )
        for name, sentence in {**DETECTED, **RECORDS}.items()
    },
}
