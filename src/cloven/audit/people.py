"""What a release tells of each of its people: one row for each person, for the owner's eyes alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.table import Table
from cloven.data.transactions import Transactions
from cloven.errors import ParameterError
from cloven.kinds.tables.threats import table_readers
from cloven.registry import part
from cloven.statistics.outsiders import CREDIBLE, ROUNDING, SURE, one_record_each
from cloven.storage.formats import format_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.kinds.tables.release import GeneralisedTable, Sliced

    Told = dict[str, tuple[list[dict[str, Any]], NDArray[np.float64]]]
    """Of each reader what is told of everybody, and of the claims at each level the right ones and all."""

COLUMNS = ("record", "known", "told", "probability", "certain")
BATCH = 5_000
"""Persons that are asked about at once: some dozens of known sets are tried on each."""


def person_risk(
    data: Transactions | Table,
    release: Disassociated | SetGeneralised | GeneralisedTable | Sliced,
    *,
    m: int | None = None,
    sensitive: Collection[str] = (),
) -> Any:
    """What is told of every person, at worst, to somebody who knows up to ``m`` of the person's rarest items.

    Of a table all quasi-identifiers that it shows are known, and a sensitive value is told.

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

    of_sets = format_of(release).of_sets
    if not isinstance(data, Transactions if of_sets else Table):
        message = (
            f"person_risk reads a release and what it was made from (got {type(release).__name__} and"
            f" {type(data).__name__}); give Transactions with a release of sets, or a Table with a published table"
        )
        raise ParameterError(message)
    told: Told = (_of_items if of_sets else _of_values)(data, release, m, sensitive)  # type: ignore[arg-type]
    first, least = next(iter(told)), CREDIBLE * np.array(SURE)
    believed = [
        rows for name, (rows, (right, made)) in told.items() if name == first or (right >= least * made).all()
    ]
    worst = [min(same, key=_most_first) for same in zip(*believed, strict=True)]
    worst.sort(key=_most_first)
    return frame_of({name: [row[name] for row in worst] for name in COLUMNS})


def _of_items(
    data: Transactions, release: Disassociated | SetGeneralised, m: int | None, sensitive: Collection[str]
) -> Told:
    """What every reader tells of the items of everybody, at worst."""
    from cloven.statistics.telling import News, People, telling

    readers, most = (
        part(release, "attack.known_person").readers(release),
        max(2, (m or getattr(release, "m", None) or 2)),
    )
    news = News(frozenset(sensitive)).of(data, release.vocabulary)
    everybody = one_record_each(data, np.arange(len(data)))
    found: Told = {name: ([], np.zeros((2, len(SURE)))) for name in readers}
    for start in range(0, len(everybody), BATCH):
        people = People.of(data, everybody[start : start + BATCH], release.vocabulary, data.holders)
        for name, reader in readers.items():
            told = telling(reader, people, people.subsets(most), news, searching=True)
            rows, said = found[name]
            rows += told.rows(release.vocabulary, data.source_rows)
            said += _said(*told.claims[:2])
    return found


def _of_values(
    data: Table, release: GeneralisedTable | Sliced, m: int | None, sensitive: Collection[str]
) -> Told:
    """What every reader tells of the sensitive values of everybody; of several attributes the one told most."""
    from cloven.kinds.tables.score.telling import Truth, value_telling
    from cloven.kinds.tables.told import known_looks, person_rows

    if m is not None or sensitive:
        message = (
            "m and sensitive are for sets of items; of a table the schema says what is known and sensitive"
        )
        raise ParameterError(message)
    secret = [domain.name for domain in release.domains if domain.sensitive]
    if not secret:
        message = (
            "the release has no sensitive attribute, so there is no value to tell; give roles in the schema"
        )
        raise ParameterError(message)
    everybody = one_record_each(data, np.arange(len(data)))
    known, found = known_looks(data, release, everybody), {}
    for name, read in table_readers(release).items():
        each, said = [], np.zeros((2, len(SURE)))
        for attribute in secret:
            guesses = read(release, known, attribute, None)
            truth = Truth.of(data, attribute, everybody)
            told = value_telling(guesses, truth)
            said += _said(told.stated, told.right)
            each.append(person_rows(data, everybody, told, truth, attribute))
        found[name] = ([min(same, key=_most_first) for same in zip(*each, strict=True)], said)
    return found


def _said(stated: NDArray[np.float64], right: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Of claims at each level that a reader has to be right at: right ones, and all."""
    sure = [stated >= level - ROUNDING for level in SURE]
    return np.array([[right[here].sum() for here in sure], [here.sum() for here in sure]], np.float64)


def _most_first(row: dict[str, Any]) -> tuple[bool, float, int]:
    return not row["certain"], -row["probability"], row["record"]
