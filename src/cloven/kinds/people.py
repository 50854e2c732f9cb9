"""What a release tells of every one of its people: the part that kinds share; ``audit.people`` makes a frame of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.transactions import Transactions
from cloven.errors import ParameterError
from cloven.registry import part
from cloven.statistics.outsiders import ROUNDING, SURE, one_record_each

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.generalised.release import SetGeneralised

Everybody = dict[str, tuple[list[dict[str, Any]], "NDArray[np.float64]"]]
"""Of each reader what is told of everybody, and of the claims at each level the right ones and all."""
BATCH = 500
"""Persons that are asked about at once: some hundreds of known sets are tried on each."""


def told_of_items(
    data: Transactions, release: Disassociated | SetGeneralised, m: int | None, sensitive: Collection[str]
) -> Everybody:
    """What every reader tells of the items of everybody, at worst."""
    from cloven.statistics.telling import News, People, lowest, telling

    expect_data(data, release, Transactions)
    reading = part(release, "attack.known_person").readers(release)
    most = max(2, m or getattr(release, "m", None) or 2)
    news = News(frozenset(sensitive)).of(data, release.vocabulary)
    everybody = one_record_each(data, np.arange(len(data)))
    found: Everybody = {}
    for start in range(0, max(1, len(everybody)), BATCH):  # readers are there where nobody is
        people = People.of(data, everybody[start : start + BATCH], release.vocabulary, data.holders)
        asked = people.subsets(most)
        for name, reader in reading(asked.known, lowest(searching=True)).items():
            told = telling(reader, people, asked, news, searching=True)
            rows, said = found.setdefault(name, ([], np.zeros((2, len(SURE)))))
            rows += told.rows(release.vocabulary, data.source_rows)
            said += claims(*told.claims[:2])
    return found


def expect_data(data: object, release: object, wanted: type) -> None:
    """Refuse data that a release of this kind cannot have been made from."""
    if not isinstance(data, wanted):
        message = (
            f"person_risk reads a release and what it was made from (got {type(release).__name__} and"
            f" {type(data).__name__}); give Transactions with a release of sets, or a Table with a published table"
        )
        raise ParameterError(message)


def claims(stated: NDArray[np.float64], right: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Of claims at each level that a reader has to be right at: right ones, and all."""
    sure = [stated >= level - ROUNDING for level in SURE]
    return np.array([[right[here].sum() for here in sure], [here.sum() for here in sure]], np.float64)


def most_first(row: dict[str, Any]) -> tuple[bool, float, int]:
    """Order of what is told: what is certain first, then what is likely."""
    return not row["certain"], -row["probability"], row["record"]
