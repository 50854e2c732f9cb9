"""By what the owner knows data and releases again: a fingerprint of all of it, and a sketch of who stands out.

Both stand in the receipt of a private folder and never in a published file. Fingerprints agree only if nothing differs.
A *sketch* tells how much two data sets have in common: of the hashes of those who stand out
(``cloven.data.recognition``) the smallest are kept (A. Z. Broder, On the resemblance and containment of documents,
Compression and Complexity of Sequences 1997). So they are a random sample, and looking them up in another data set
tells what share of the first is found in the second. Data in which nobody stands out is known by its fingerprint only.

The hashes are not secret keys: who has them can test whether a guessed record was there. They stay with the owner.
"""

from __future__ import annotations

import hashlib
from base64 import b64decode, b64encode
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.disclosure.risk import Estimate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from cloven.data.recognition import Recognisable

KIND = "cloven.sketch/1"
SIZE = 1024


def fingerprint(data: Recognisable) -> str:
    """SHA-256 (hexadecimal) of all that was read, the same on every machine.

    >>> from cloven.data.transactions import Transactions
    >>> one, two = (Transactions.from_records(records) for records in ([["a", "b"]], [["a"], ["b"]]))
    >>> fingerprint(one) == fingerprint(one), fingerprint(one) == fingerprint(two)
    (True, False)
    """
    digest = hashlib.sha256()
    for part in data.spelt():
        digest.update(part)
    return digest.hexdigest()


def release_fingerprint(release: Any) -> str:
    """SHA-256 (hexadecimal) of a release of any kind, by the values of its fields.

    >>> from cloven.kinds.tables.release import CellDomain
    >>> sex = CellDomain("sex", False, ("f", "m"), None, ("f", "m"), np.arange(3), np.arange(2, dtype=np.int32))
    >>> one, two = sex, CellDomain(**{**vars(sex), "members": np.array([1, 0], np.int32)})
    >>> release_fingerprint(one) == release_fingerprint(one), release_fingerprint(one) == release_fingerprint(two)
    (True, False)
    """
    digest = hashlib.sha256()
    open_parts = [release]
    while open_parts:
        part = open_parts.pop()
        if is_dataclass(part):
            told = repr([field.name for field in fields(part)]).encode()
            open_parts += [getattr(part, field.name) for field in fields(part)]
        elif isinstance(part, tuple | list):
            told = f"{len(part)} parts".encode()
            open_parts += part
        elif isinstance(part, np.ndarray):
            told = repr((part.dtype.kind, part.shape)).encode() + np.ascontiguousarray(part).tobytes()
        else:
            told = repr(part).encode("utf-8", "surrogatepass")
        digest.update(len(told).to_bytes(8, "big"))
        digest.update(told)
    return digest.hexdigest()


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


def sketch(data: Recognisable) -> Sketch:
    """Sample those of a data set who stand out.

    >>> from cloven.data.transactions import Transactions
    >>> sketch(Transactions.from_records([["flu", "cough", "fever"], ["flu", "rash"]])).records
    1
    """
    hashes = data.standing_out()
    return Sketch(len(hashes), hashes[:SIZE])


def sketched_overlap(earlier: Sketch, mine: Sketch) -> Overlap | None:
    """Compare two data sets of which only sketches are known: up to the hash that both reach, both are whole."""
    reached = [each.hashes[-1] for each in (earlier, mine) if len(each.hashes) < each.records]
    if not reached:
        return overlap(earlier, mine.hashes)
    seen, present = (each.hashes[each.hashes <= min(reached)] for each in (earlier, mine))
    return overlap(Sketch(earlier.records, seen), present, among=mine.records)


def overlap(
    earlier: Sketch, hashes: NDArray[np.uint64], confidence: float = 0.95, among: int | None = None
) -> Overlap | None:
    """Compare an earlier data set, known by its sketch, with one of which all hashes are known.

    Where the hashes are those of ``among`` records that are small enough, so are those of the sketch.

    None if no record stands out in one of them.

    The sketch is a sample without replacement, so the interval of Clopper and Pearson, made for one with, is on the
    safe side; what was seen bounds it. A sketch that holds all records gives the truth.
    """
    size, records, present = len(earlier.hashes), earlier.records, among or len(hashes)
    if not size or not len(hashes):
        return None
    place = np.minimum(np.searchsorted(hashes, earlier.hashes), len(hashes) - 1)
    found = int((hashes[place] == earlier.hashes).sum())
    low, high = _clopper_pearson(found, size, confidence)
    least = max(float(found), low * records)
    most = min(float(records - size + found), high * records, float(present))
    common = min(max(found / size * records, least), most)
    return Overlap(*(Estimate(common / total, least / total, most / total) for total in (present, records)))


def _clopper_pearson(found: int, size: int, confidence: float) -> tuple[float, float]:
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = 0.0 if found == 0 else float(betaincinv(found, size - found + 1, tail))
    high = 1.0 if found == size else float(betaincinv(found + 1, size - found, 1 - tail))
    return low, high
