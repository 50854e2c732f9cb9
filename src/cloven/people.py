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
    from cloven.scoring.members import CREDIBLE, SURE
    from cloven.scoring.telling import News, People, telling

    readers, most = _readers(release), max(2, (m or getattr(release, "m", None) or 2))
    news = News(frozenset(sensitive)).of(data, release.vocabulary)
    everybody = one_record_each(data, np.arange(len(data)))
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in readers}
    said = {name: np.zeros((2, len(SURE))) for name in readers}
    for start in range(0, len(everybody), BATCH):
        people = People.of(data, everybody[start : start + BATCH], release.vocabulary, data.holders)
        for name, reader in readers.items():
            told = telling(reader, people, people.subsets(most), news, searching=True)
            rows[name] += told.rows(release.vocabulary, data.source_rows)
            stated, right, _ = told.claims
            sure = [stated >= level for level in SURE]
            said[name] += [[right[here].sum() for here in sure], [here.sum() for here in sure]]
    first, least = next(iter(readers)), CREDIBLE * np.array(SURE)
    believed = [
        rows[name] for name, (right, made) in said.items() if name == first or (right >= least * made).all()
    ]
    worst = [min(same, key=_most_first) for same in zip(*believed, strict=True)]
    worst.sort(key=_most_first)
    return frame_of({name: [row[name] for row in worst] for name in COLUMNS})


def _most_first(row: dict[str, Any]) -> tuple[bool, float, int]:
    return not row["certain"], -row["probability"], row["record"]


def _readers(release: Disassociated | SetGeneralised) -> dict[str, Reader]:
    """Who counts every place where a known item may stand; and others, who count if they are mostly right."""
    if isinstance(release, SetGeneralised):
        from cloven.attack.generalised.known_person import KnownPersonGeneralised

        return {"rows": KnownPersonGeneralised.of(release)}
    kind: object = release
    if not isinstance(kind, Disassociated):
        message = (
            f"person_risk reads releases of sets (got {type(release).__name__}); for tables see the owner's page of"
            " an audit"
        )
        raise ParameterError(message)
    from cloven.attack.disassociated.known_person import KnownPerson

    return {**KnownPerson.every(release)}
