"""Items that look like numbers or names of persons, each of whom is behind several records.

Nearly every record holds exactly one of them, there are many, they are written alike, and few records hold the same
one. Whatever is merged or split, such items are published, because several records hold them. Postcodes and ages look
a little like that too: so where there are not very many, or many records hold each, the records that share one must
also be more alike than others are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import positions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.data.transactions import Transactions

NEARLY_ALL = 0.85
"""Share of the records that hold exactly one item of a family that names persons."""
FEWEST, MANY = 30, 100
"""Items of such a family at least; and from how many on it need not be shown that the records of each are alike."""
RECORDS, MOST_RECORDS = 10, 20
"""Records that hold each on average, at most: the same two."""
REPEATED = 0.5
"""Share of its items, at least, that several records hold: what one record alone holds is another doubt."""
ALIKE = 2.0
"""How much more records that share an item have in common than others have."""
_DIGITS, _LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d_]+")


def person_items(data: Transactions) -> Sequence[str]:
    """Items of such a family, the first ones; none where it is known who is behind each record.

    >>> from cloven.data.transactions import Transactions
    >>> visits = [[f"P{n // 3:03}", f"illness {n % 7}"] for n in range(600)]
    >>> person_items(Transactions.from_records(visits))[:2]
    ('P000', 'P001')
    """
    if data.persons is not None:
        return ()
    for family in families(data.vocabulary, data.supports):
        once = holding_one(family, data.offsets, data.codes)
        if once < NEARLY_ALL * len(data):
            continue
        if is_plain(family, data.supports) or _alike(data, family):
            return tuple(data.vocabulary[code] for code in family.tolist())
    return ()


def families(names: Sequence[str], held: Longs) -> list[Longs]:
    """Items that are written alike and that could be one for each person: their codes, for every way of writing."""
    found = []
    for shape in (_digits_apart, _letters_apart, _length):
        members: dict[str, list[int]] = {}
        for code, name in enumerate(names):
            members.setdefault(shape(name), []).append(code)
        for like, codes in members.items():
            family = np.array(codes, np.int64)
            if like and len(family) >= FEWEST and _fits(held[family]):
                found.append(family)
    return found


def is_plain(family: Longs, held: Longs) -> bool:
    """Whether nothing but persons has so many items of so few records each."""
    return len(family) >= MANY and float(held[family].mean()) <= RECORDS


def holding_one(family: Longs, offsets: Longs, codes: NDArray[Any]) -> int:
    """How many records hold exactly one item of a family."""
    inside = np.concatenate(([0], np.cumsum(np.isin(codes, family))))
    return int((inside[offsets[1:]] - inside[offsets[:-1]] == 1).sum())


def _fits(held: Longs) -> bool:
    return float(held.mean()) <= MOST_RECORDS and float((held > 1).mean()) >= REPEATED


def _digits_apart(name: str) -> str:
    """P0017 is written like P0018.

    >>> _digits_apart("P0017"), _digits_apart("milk")
    ('P9', '')
    """
    return _DIGITS.sub("9", name) if any(map(str.isdigit, name)) else ""


def _letters_apart(name: str) -> str:
    """Ann Lee is written like Eve Roe.

    >>> _letters_apart("Ann Lee")
    'Aa Aa'
    """
    return _DIGITS.sub("9", _LETTERS.sub(lambda run: "Aa" if run[0][:1].isupper() else "a", name))


def _length(name: str) -> str:
    """Keys of digits and letters are as long as each other.

    >>> _length("3fa9c1"), _length("milk")
    ('6', '')
    """
    return str(len(name)) if name.isalnum() and any(map(str.isdigit, name)) else ""


def _alike(data: Transactions, family: Longs) -> bool:
    """Whether records that share an item of a family have much more in common than records that do not."""
    inside = np.isin(data.codes, family)
    record = np.repeat(np.arange(len(data)), data.lengths)
    item = np.full(len(data), -1)
    item[record[inside]] = data.codes[inside]
    order = np.argsort(item, kind="stable")
    same = (item[order[1:]] == item[order[:-1]]) & (item[order[1:]] >= 0)
    pairs = np.column_stack((order[:-1][same], order[1:][same]))
    lots = np.random.default_rng(1).permutation(len(data))
    others = np.column_stack((lots[:-1], lots[1:]))
    passed = np.union1d(family, _other_names(data, item))
    return _in_common(data, passed, pairs) >= ALIKE * max(_in_common(data, passed, others), 1e-9)


def _other_names(data: Transactions, item: Longs) -> Longs:
    """Items that stand for an item of the family, as the name of an illness does beside its code: they say nothing."""
    width, of_family = len(data.vocabulary), np.repeat(item, data.lengths)
    there = of_family >= 0
    keys, together = np.unique(of_family[there] * width + data.codes[there], return_counts=True)
    held = np.maximum(data.supports[keys // width], data.supports[keys % width])
    found: Longs = np.unique(keys[together >= NEARLY_ALL * held] % width)
    return found


def _in_common(data: Transactions, passed: Longs, pairs: Longs) -> float:
    """Of the items that are not passed over the share that two records have in common, over all pairs."""
    if not len(pairs):
        return 0.0
    width = len(data.vocabulary)
    sides = []
    for side in pairs.T:
        lengths = data.lengths[side]
        code = data.codes[positions(data.offsets[side], lengths)]
        outside = ~np.isin(code, passed)
        sides.append((np.repeat(np.arange(len(side)), lengths) * width + code)[outside])
    one, other = sides
    both = len(np.intersect1d(one, other, assume_unique=True))
    return both / max(1, len(one) + len(other) - both)
