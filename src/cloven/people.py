"""What a release tells of each of its people: one row for each person, for the owner's eyes alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError
from cloven.model.disassociated import Disassociated
from cloven.model.set_generalised import SetGeneralised
from cloven.outsiders import one_record_each

if TYPE_CHECKING:
    from collections.abc import Collection

    from cloven.model.transactions import Transactions
    from cloven.scoring.telling import Reader

COLUMNS = ("record", "known", "told", "probability", "certain")
BATCH = 5_000
"""Persons that are asked about at once: some dozens of known sets are tried on each."""


def person_risk(
    data: Transactions,
    release: Disassociated | SetGeneralised,
    *,
    m: int | None = None,
    sensitive: Collection[str] = (),
) -> Any:
    """What is told of every person, at worst, to somebody who knows up to ``m`` of the person's rarest items.

    A frame (Polars; pandas or PyArrow where that is not installed), most told first: the source position of the
    person's record, what has to be known, the item that is told most probably and rightly, its probability (below 0.5
    nothing counts as told, and the columns are null and 0), and whether it, or another item, follows by logic alone.

    >>> import cloven as cv
    >>> data = cv.sample("clinic")
    >>> frame = person_risk(data, cv.Disassociation().anonymise(data).release)
    >>> frame.columns, len(frame)
    (['record', 'known', 'told', 'probability', 'certain'], 1000)
    """
    from cloven.report.frame import frame_of
    from cloven.scoring.telling import People, eligible_items, telling

    read, most = _reader(release), max(2, (m or getattr(release, "m", None) or 2))
    eligible = eligible_items(data, release.vocabulary, frozenset(sensitive))
    everybody = one_record_each(data, np.arange(len(data)))
    rows: list[dict[str, Any]] = []
    for start in range(0, len(everybody), BATCH):
        asked = everybody[start : start + BATCH]
        people = People.of(data, asked, release.vocabulary, data.holders)
        told = telling(read, people, people.subsets(most), eligible, searching=True)
        rows += told.rows(release.vocabulary, data.source_rows)
        rows += [
            {
                "record": int(data.source_rows[record]),
                "known": None,
                "told": None,
                "probability": 0.0,
                "certain": False,
            }
            for record in np.setdiff1d(asked, told.source).tolist()
        ]
    rows.sort(key=lambda row: (not row["certain"], -row["probability"], row["record"]))
    return frame_of({name: [row[name] for row in rows] for name in COLUMNS})


def _reader(release: Disassociated | SetGeneralised) -> Reader:
    """Who counts every place where a known item may stand."""
    if isinstance(release, SetGeneralised):
        from cloven.attack.generalised.known_person import KnownPersonGeneralised

        return KnownPersonGeneralised.of(release)
    kind: object = release
    if not isinstance(kind, Disassociated):
        message = (
            f"person_risk reads releases of sets (got {type(release).__name__}); for tables see the owner's page of"
            " an audit"
        )
        raise ParameterError(message)
    from cloven.attack.disassociated.known_person import KnownPerson

    return KnownPerson.of(release)
