"""Score guessed rows: how often is the row that an attack holds likeliest the person's own?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.attack.sliced.linkage import columns_of
from cloven.errors import ParameterError
from cloven.model.published_table import Sliced
from cloven.scoring.summary import summarised
from cloven.scoring.tables.table_findings import TableFindings
from cloven.scoring.tally import Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.attack.sliced.linkage import RowGuesses
    from cloven.model.key_table import PublishedTable, TableKey
    from cloven.model.published_table import GeneralisedTable

_SAME = 1e-9  # confidence this close, relatively, is equal


def own_rows(key: TableKey, persons: NDArray[np.int64]) -> NDArray[np.int64]:
    """The owner's knowledge: persons (source positions) x columns: row that holds their part; -1 if none does."""
    rows = np.full((len(persons), key.records.shape[1]), -1, np.int64)
    for column, records in enumerate(key.records.T):
        order = np.argsort(records, kind="stable")
        place = np.minimum(np.searchsorted(records[order], persons), len(order) - 1)
        found = order[place] if len(order) else np.zeros(len(persons), np.int64)
        there = (records[found] == persons) & (persons >= 0) if len(order) else np.zeros(len(persons), bool)
        rows[:, column] = np.where(there, found, -1)
    return rows


def score_rows(
    guesses: RowGuesses,
    result: PublishedTable,
    persons: NDArray[np.int64],
    *,
    rng: np.random.Generator,
    control: RowGuesses | None = None,
    draws: int = 1000,
) -> TableFindings:
    """Score guessed rows against the key.

    Args:
        guesses: what an attack answered.
        result: the release that it was tried on, and its key.
        persons: source position of each person.
        rng: random numbers for bootstrap intervals (over persons).
        control: what the same attack answers about the same persons if it knows the wrong quasi-identifiers.
        draws: bootstrap samples.

    Whoever is not published has no row, and no guess about them is right. Chance is a row drawn by lot: in a sliced
    table one of its rows, and then a part of each column of its bucket.
    """
    for each in (guesses, control):
        if each is not None and len(each) != len(persons):
            message = f"{len(each):,} persons were guessed about, but {len(persons):,} are named"
            raise ParameterError(message)
    own = own_rows(result.key, persons)
    shuffled = {} if control is None else _tallies(control, own)
    found = summarised(_tallies(guesses, own), _chance(result.release, own), shuffled, rng, draws)
    counts = {
        "persons": len(persons),
        "published": int((own >= 0).all(axis=1).sum()),
        "found_nowhere": int((guesses.matched == 0).sum()),
        "with_one_likeliest_row": int((guesses.ties == 1).sum()),
    }
    return TableFindings(found, counts, guesses.attack, {"bootstrap_draws": draws})


def _tallies(guesses: RowGuesses, own: NDArray[np.int64]) -> dict[tuple[str, str], Tally]:
    sure, one = guesses.sure_of(own), np.ones(len(own))
    likeliest = (sure > 0) & (sure >= guesses.confidence * (1 - _SAME))
    columns = {
        "row": likeliest / np.maximum(1.0, guesses.ties),
        "row_confidence": sure,
        "row_left": (sure > 0).astype(float),
    }
    return {(name, "all"): Tally(above, one) for name, above in columns.items()}


def _chance(release: GeneralisedTable | Sliced, own: NDArray[np.int64]) -> dict[tuple[str, str], Tally]:
    there, total = (own >= 0).all(axis=1), max(1, len(release))
    right = np.where(there, 1.0 / total, 0.0)
    if isinstance(release, Sliced):
        bucket = np.searchsorted(release.bucket_offsets, own[:, 0], "right") - 1
        sizes = np.diff(release.bucket_offsets)[np.where(there, bucket, 0)]
        right *= sizes.astype(float) ** (1 - len(columns_of(release)))
    one = np.ones(len(own))
    return {(name, "all"): Tally(right, one) for name in ("row", "row_confidence")}
