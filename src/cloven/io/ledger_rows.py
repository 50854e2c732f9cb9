"""Rows of tables that stand out, by which a later table is recognised if it shares many of its people.

Two tables about the same people compose by their quasi-identifiers, whatever else they show, so these alone are hashed,
by name and value. A row *stands out* if no other one of its table looks like it, and the table has at least three
quasi-identifiers. Quasi-identifiers take few values, so other people look the same by chance: of random halves of Adult
(8 quasi-identifiers), 13 % of what stands out in one stands out in the other. How many that are in a table is measured
on its own random halves, and only what clearly exceeds it counts (``chance_of_rows``).
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from cloven.io.ledger_sketch import LEAST_ITEMS, mixed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.table import Table

CLEARLY = 1.25
"""Times that rows in common must exceed what random halves have in common."""


def rows_standing_out(table: Table) -> NDArray[np.uint64]:
    """Hashes of all rows that stand out, ascending.

    >>> from cloven.model.table import Attribute, Table
    >>> attributes = tuple(Attribute(name, "quasi-identifier", ("0", "1")) for name in ("age", "sex", "town"))
    >>> codes = np.array([[0, 1, 0], [1, 1, 1], [1, 1, 1]], np.int32)
    >>> len(rows_standing_out(Table(attributes, codes, np.arange(3))))
    1
    """
    return _alone(_looks(table))


def chance_of_rows(table: Table) -> float:
    """Share of what stands out in a half of the table that stands out in the other half, where nobody is."""
    looks = _looks(table)
    side = (
        mixed(np.arange(len(looks), dtype=np.uint64)) % np.uint64(2) == 0
    )  # by lot, and the same every time
    one, other = _alone(looks[side]), _alone(looks[~side])
    if not len(one):
        return 0.0
    return CLEARLY * float(np.isin(one, other, assume_unique=True).mean())


def _alone(looks: NDArray[np.uint64]) -> NDArray[np.uint64]:
    found, times = np.unique(looks, return_counts=True)
    alone: NDArray[np.uint64] = found[times == 1]
    return alone


def _looks(table: Table) -> NDArray[np.uint64]:
    """One hash for each row: the sum of the hashes of its quasi-identifiers, mixed; none for rows with few of them."""
    places = table.positions("quasi-identifier")
    if len(places) < LEAST_ITEMS:
        return np.empty(0, np.uint64)
    sums = np.zeros(len(table), np.uint64)
    for place in places:
        attribute = table.attributes[place]
        # The last entry serves the code of a missing value.
        of_value = np.array([*(_hash(attribute.name, text) for text in attribute.values), 0], np.uint64)
        sums += of_value[table.codes[:, place]]
    return mixed(sums)


def _hash(name: str, value: str) -> int:
    text = f"{len(name)}:{name}={value}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8, person=b"cloven cell").digest(), "little")
