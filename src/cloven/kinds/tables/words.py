"""What a published table is made of, and what its owner should know before publishing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from cloven.figures import many
from cloven.kinds.page_words import BEING_THERE, COMBINED, JOINED, MORE, OUTSIDE, PageWords

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.data.table import Table
    from cloven.kinds.tables.key import PublishedTable
    from cloven.kinds.tables.release import GeneralisedTable, Sliced

LIKE = ("merging-like", "composition-like", "probabilistic-like")
REPLAY_PROOF: Final = "replay-proof"
"""The partition of slicing that tells nothing to whoever replays it (docs/decisions/0010)."""


def summary(data: Table, result: PublishedTable) -> dict[str, int | float]:
    """Counts of a result that commands print."""
    from cloven.storage.manifest import count

    key = result.key
    return {
        **count(result.release),
        "records_read": len(data),
        "records_suppressed": len(key.suppressed),
        "cells_exchanged": 0 if key.changed is None else int(key.changed.sum()),
        "parts_of_nobody": int((key.records < 0).sum()),
    }


def cautions(figures: dict[str, int | float], method: Any, release: GeneralisedTable | Sliced) -> list[str]:
    """What an owner should know before publishing, each with what to do."""
    out, told = [], dict(method.parameters)
    if "partition" in release.parameters:  # the table may have decided
        told["partition"] = release.parameters["partition"]
    if not figures["records"]:
        out.append(
            "noise has taken every row away: the table is empty and nobody can use it, but the promise holds; to run"
            " again because of that is to choose by looking and adds the eps of the other run, so choose one that"
            " leaves rows, and count both"
        )
    if figures["records_suppressed"]:
        out.append(
            f"{many(figures['records_suppressed'], 'row')} not published; say so beside every utility figure;"
            f" suppressed.parquet lists {'it' if figures['records_suppressed'] == 1 else 'them'}"
        )
    if figures["cells_exchanged"]:
        out.append(
            f"{many(figures['cells_exchanged'], 'cell')} exchanged between persons: single rows are not to be believed,"
            " counts of one attribute are; say so to whoever uses the table"
        )
    elif told.get("swap_rate") is not None:
        out.append(
            f"no cell was exchanged at swap rate {100 * told['swap_rate']:g} %: this is plain slicing, as no value that"
            " could be exchanged is so rare or so common; look at `cloven cells` for a rate at which cells are"
        )
    if told.get("invented_rows"):
        out.append("rows are partly or wholly made up: use the table for counts, never for a person")
    promise = told.get("promise")
    if isinstance(promise, dict) and "holds_if" in promise:
        out.append(f"the promise ({promise.get('kind')}) holds if {promise['holds_if']}")
    if told.get("domains") == "from-data":
        out.append(
            "which values are possible was read off the rows, so ends of ranges and rare values may be one person's and"
            " eps promises nothing; state range or values of every column in the schema, or use this for experiments"
        )
    if told.get("method") in LIKE:
        out.append(
            f"{told['method']} is built from a short description of the method it is like; do not cite it as that"
        )
    if told.get("partition", REPLAY_PROOF) != REPLAY_PROOF:
        out.append(
            f"buckets are cut by what people are like (partition {told['partition']}): whoever replays the method, or"
            " has a second release of these people, may learn more than 1/l; --partition replay-proof deals rows by lot"
            " where a cut would tell, and keeps less of what goes together"
        )
    if told.get("seeded"):
        out.append("lots were drawn with a seed: this release is for experiments; do not publish it")
    return out


# How a page speaks of a published table.


SHUFFLED = (
    "the control: the same attack with its knowledge shuffled, such as the quasi-identifiers of somebody else, so that"
    " it behaves alike and knows nothing. Only what lies above guessing and above the control comes from knowledge"
)
NOT_MODELLED = (
    (
        "What others have, or somebody does not have.",
        "Who knows the value of a neighbour in the group, or that a person does not have one, has fewer left.",
    ),
    (
        MORE,
        "Attributes that the schema does not call quasi-identifiers, better word vectors, a list that nobody thought"
        " of.",
    ),
    COMBINED,
    BEING_THERE,
    (
        "Learning from the whole release.",
        "Each attack looks at the rows that fit a person; a model of which values go together, fitted to all of them,"
        " may do better.",
    ),
    (
        "Values that are alike.",
        "Two kinds of one illness count as two values, though either tells the illness.",
    ),
    JOINED,
    ("Text inside cells.", "A value is compared letter by letter; what it says is published as it is."),
    OUTSIDE,
)


def page_words(document: Mapping[str, Any]) -> PageWords:
    """Rows, in buckets where columns were cut apart and in classes of equal rows elsewhere."""
    from cloven.kinds.tables.score.score import MEMBERSHIP_MEASURES, ROW_MEASURES, VALUE_MEASURES

    groups = "buckets" if "columns" in document["published"] else "classes"
    every = VALUE_MEASURES | ROW_MEASURES | MEMBERSHIP_MEASURES
    return PageWords(
        records="rows",
        groups=groups,
        told="a value",
        not_there="No guess, no row of the original.",
        counts={"records": "rows", "groups": groups, "cells": "different_cells"},
        terms={"shuffled": SHUFFLED},
        not_modelled=NOT_MODELLED,
        measures={name: {"sentence": words, "higher_is_worse": True} for name, words in every.items()},
    )
