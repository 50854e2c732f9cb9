"""The links that an attack on a disassociated release is surest of, for people to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.cli.console import names, percent, table
from cloven.model.disassociated import Kind

if TYPE_CHECKING:
    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Guesses

SHOWN = 10
KINDS = {Kind.RECORD: "record chunk", Kind.SHARED: "shared chunk", Kind.TERM: "term chunk"}


def surest(guesses: Guesses, release: Disassociated, most: int = SHOWN) -> list[dict[str, Any]]:
    """The guessed links with the highest confidence: hidden items, the row they are put on, and how sure that is.

    Rows that show nothing are left out: to put something there joins nothing. Where every candidate holds a part
    there is nothing to guess, so that is left out too.
    """
    asked = guesses.questions
    target = asked.pair_target
    open_question = np.diff(asked.offsets)[target] > asked.target_copies[target]
    links = np.flatnonzero(guesses.chosen & (asked.slot_anchor[asked.slots] >= 0) & open_question)
    best = links[np.argsort(-guesses.confidence[links], kind="stable")][:most]
    starts, items = asked.items(release)
    found = []
    for pair in best.tolist():
        part, anchor = int(target[pair]), int(asked.slot_anchor[asked.slots[pair]])
        hidden = items[starts[part] : starts[part + 1]]
        beside = release.row_items[release.row_offsets[anchor] : release.row_offsets[anchor + 1]]
        found.append(
            {
                "confidence": float(guesses.confidence[pair]),
                "from": KINDS[Kind(int(asked.target_kind[part]))],
                "hidden": [release.vocabulary[code] for code in hidden.tolist()],
                "beside": [release.vocabulary[code] for code in beside.tolist()],
                "cluster": int(release.row_cluster[anchor]),
            }
        )
    return found


def surest_table(found: list[dict[str, Any]]) -> str:
    """The same as a table."""
    rows = [
        (
            percent(each["confidence"]),
            each["from"],
            f"{each['cluster']}",
            f"{names(each['hidden'], 40)}  with  {names(each['beside'], 40)}",
        )
        for each in found
    ]
    return table(rows, ("confidence", "from", "cluster", "these go together"))
