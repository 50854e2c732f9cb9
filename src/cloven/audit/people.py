"""``person_risk``: what a release tells of each of its people, one row for each person, for the owner's eyes alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.people import most_first
from cloven.registry import part
from cloven.statistics.outsiders import CREDIBLE, SURE

if TYPE_CHECKING:
    from collections.abc import Collection

    from cloven.data.table import Table
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.kinds.people import Everybody
    from cloven.kinds.tables.release import GeneralisedTable, Sliced

COLUMNS = ("record", "known", "told", "probability", "certain")


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

    told: Everybody = part(release, "kind").KIND().told_of_everybody(data, release, m, sensitive)
    first, least = next(iter(told)), CREDIBLE * np.array(SURE)
    believed = [
        rows for name, (rows, (right, made)) in told.items() if name == first or (right >= least * made).all()
    ]
    worst = [min(same, key=most_first) for same in zip(*believed, strict=True)]
    worst.sort(key=most_first)
    return frame_of({name: [row[name] for row in worst] for name in COLUMNS})
