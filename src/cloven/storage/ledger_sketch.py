"""A small sample of the records of a data set, by which a later data set is recognised if it shares many of them.

Every record is hashed by its content, and the smallest hashes are kept (A. Z. Broder, On the resemblance and
containment of documents, Compression and Complexity of Sequences 1997). Which records are kept so depends on nothing
but their content: not on their order, nor on the codes of items. So the kept hashes of one data set are a random
sample of its records, and looking them up in another tells what share of the first is found in the second.

Only records that *stand out* count: with at least three items, and the content held by one record (one person, where
persons are told). Others are shared by chance: random halves of a data set have nobody in common, yet up to 18 % of all
contents are in both (BMS-WebView-1); of those that stand out at most 3.4 % are (groceries, BMS-WebView-2, T10I4D100K,
mushroom and ICD-9 records have fewer). Data in which no record stands out is known by its fingerprint only.

The hashes are not secret keys: who has them can test whether a guessed record was there. They stay with the owner.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.table import Table
from cloven.disclosure.risk import Estimate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from cloven.data.transactions import Transactions


KIND = "cloven.sketch/1"
SIZE = 1024
LEAST_ITEMS = 3
_BLOCK = 1 << 18  # records hashed at once


@dataclass(frozen=True, eq=False)
class Sketch:
    """The smallest hashes of the records that stand out.

    Attributes:
        records: how many records stand out.
        hashes: at most ``SIZE`` of their hashes, the smallest, ascending.
    """

    records: int
    hashes: NDArray[np.uint64]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values: the hashes as eight bytes each, little-endian, in base 64."""
        text = b64encode(self.hashes.astype("<u8").tobytes()).decode()
        return {"kind": KIND, "records": self.records, "hashes": text}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Sketch:
        """Back from plain values.

        Raises:
            ValueError: they are no sketch of this kind.

        >>> from cloven.data.transactions import Transactions
        >>> made = sketch(Transactions.from_records([["flu", "cough", "fever"], ["rash"]]))
        >>> Sketch.from_dict(made.to_dict()).hashes == made.hashes
        array([ True])
        """
        if set(plain) != {"kind", "records", "hashes"} or plain["kind"] != KIND:
            message = f"not of kind {KIND}"
            raise ValueError(message)
        records, text = plain["records"], plain["hashes"]
        if type(records) is not int or not 0 <= records < 2**63 or not isinstance(text, str):
            message = "records must be a whole number, hashes base 64"
            raise ValueError(message)
        # numpy and base64 refuse what is no text of whole hashes, both with a ValueError.
        hashes = np.frombuffer(b64decode(text, validate=True), "<u8").astype(np.uint64)
        if np.any(hashes[1:] <= hashes[:-1]) or len(hashes) != min(records, SIZE):
            message = f"hashes must ascend, {min(records, SIZE)} of them"
            raise ValueError(message)
        return cls(records, hashes)


@dataclass(frozen=True)
class Overlap:
    """How many of the records that stand out two data sets have in common, with 95 % intervals.

    Attributes:
        of_data: share of those of the data at hand.
        of_earlier: share of those of the earlier data set.
    """

    of_data: Estimate
    of_earlier: Estimate


def sketch(data: Transactions | Table) -> Sketch:
    """Sample a data set; of a table, its rows by their quasi-identifiers.

    >>> from cloven.data.transactions import Transactions
    >>> sketch(Transactions.from_records([["flu", "cough", "fever"], ["flu", "rash"]])).records
    1
    """
    hashes = rows_standing_out(data) if isinstance(data, Table) else standing_out(data)
    return Sketch(len(hashes), hashes[:SIZE])


def standing_out(data: Transactions) -> NDArray[np.uint64]:
    """Hashes of all records that stand out, ascending."""
    long = data.lengths >= LEAST_ITEMS
    hashes = _contents(data)[long]
    if not len(hashes):
        return hashes
    person = np.arange(len(hashes)) if data.persons is None else data.persons[long]
    order = np.argsort(hashes)
    hashes, person = hashes[order], person[order]
    starts = np.flatnonzero(np.concatenate(([True], hashes[1:] != hashes[:-1])))
    alone = np.minimum.reduceat(person, starts) == np.maximum.reduceat(person, starts)
    kept: NDArray[np.uint64] = hashes[starts[alone]]
    return kept


def overlap(earlier: Sketch, hashes: NDArray[np.uint64], confidence: float = 0.95) -> Overlap | None:
    """Compare an earlier data set, known by its sketch, with one of which all hashes are known.

    None if no record stands out in one of them.

    The sketch is a sample without replacement, so the interval of Clopper and Pearson, made for one with, is on the
    safe side; what was seen bounds it. A sketch that holds all records gives the truth.
    """
    size, records = len(earlier.hashes), earlier.records
    if not size or not len(hashes):
        return None
    place = np.minimum(np.searchsorted(hashes, earlier.hashes), len(hashes) - 1)
    found = int((hashes[place] == earlier.hashes).sum())
    low, high = _clopper_pearson(found, size, confidence)
    least = max(float(found), low * records)
    most = min(float(records - size + found), high * records, float(len(hashes)))
    common = min(max(found / size * records, least), most)
    return Overlap(
        *(Estimate(common / total, least / total, most / total) for total in (len(hashes), records))
    )


def _contents(data: Transactions) -> NDArray[np.uint64]:
    """One hash for each record: the sum of the hashes of its items, mixed."""
    of_item = np.fromiter((_hash(name) for name in data.vocabulary), np.uint64, len(data.vocabulary))
    sums = np.zeros(len(data), np.uint64)
    for start in range(0, len(data), _BLOCK):
        offsets = data.offsets[start : start + _BLOCK + 1]
        items = of_item[data.codes[offsets[0] : offsets[-1]]]
        sums[start : start + _BLOCK] = np.add.reduceat(items, offsets[:-1] - offsets[0])
    return mixed(sums)


def _hash(name: str) -> int:
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, person=b"cloven item")
    return int.from_bytes(digest.digest(), "little")


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread sums over all 64-bit numbers, one to one (the finaliser of SplitMix64; Steele, Lea, Flood 2014)."""
    mixed = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _clopper_pearson(found: int, size: int, confidence: float) -> tuple[float, float]:
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = 0.0 if found == 0 else float(betaincinv(found, size - found + 1, tail))
    high = 1.0 if found == size else float(betaincinv(found + 1, size - found, 1 - tail))
    return low, high


# Rows of tables that stand out, by which a later table is recognised if it shares many of its people.
#
# Two tables about the same people compose by their quasi-identifiers, whatever else they show, so these alone are
# hashed, by name and value. A row *stands out* if no other one of its table looks like it, and the table has at least
# three quasi-identifiers. Quasi-identifiers take few values, so other people look the same by chance: of random halves
# of Adult (8 quasi-identifiers), 13 % of what stands out in one stands out in the other. How many that are in a table
# is measured on its own random halves, and only what clearly exceeds it counts (``chance_of_rows``).


CLEARLY = 1.25
"""Times that rows in common must exceed what random halves have in common."""


def rows_standing_out(table: Table) -> NDArray[np.uint64]:
    """Hashes of all rows that stand out, ascending.

    >>> from cloven.data.table import Attribute, Table
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
        of_value = np.array([*(_hash_cell(attribute.name, text) for text in attribute.values), 0], np.uint64)
        sums += of_value[table.codes[:, place]]
    return mixed(sums)


def _hash_cell(name: str, value: str) -> int:
    text = f"{len(name)}:{name}={value}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8, person=b"cloven cell").digest(), "little")
