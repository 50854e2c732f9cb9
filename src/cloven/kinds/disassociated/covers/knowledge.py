"""Background knowledge: pairs of items that somebody knows to belong to one person.

An itemset that is known gives all its pairs, whatever its size: a cover is about two items (Barakat et al. 2016,
section 4 and Algorithm 1, step 13).
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from cloven.data.arrays import distinct
from cloven.errors import InputError
from cloven.intake.files import small_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.release import Disassociated


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Pairs of item codes (positions in the vocabulary of a release).

    Attributes:
        width: number of items of the release.
        keys: the pairs as ``smaller code * width + larger code``, ascending.
        everything: whether every pair is known; then ``keys`` is empty.
        left_out: what was given but cannot be used, and how often.

    >>> known = Knowledge.of_itemsets(np.array([0, 3]), np.array([4, 0, 2]), 5)
    >>> len(known), known.knows(np.array([2, 4, 1]), np.array([0, 2, 0])).tolist()
    (3, [True, True, False])
    """

    width: int
    keys: Longs
    everything: bool = False
    left_out: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def all(cls, width: int) -> Knowledge:
        """Every pair."""
        return cls(width, np.empty(0, np.int64), everything=True)

    @classmethod
    def of_itemsets(
        cls, offsets: Longs, items: NDArray[Any], width: int, left_out: Mapping[str, int] | None = None
    ) -> Knowledge:
        """All pairs of itemsets in compressed rows; a code below 0 is an item that the release does not have."""
        row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))[items >= 0]
        items = items[items >= 0].astype(np.int64)
        keys = [np.empty(0, np.int64)]
        for apart in range(1, int(np.bincount(row).max(initial=1))):
            same = row[apart:] == row[:-apart]
            one, two = items[:-apart][same], items[apart:][same]
            keys.append((np.minimum(one, two) * width + np.maximum(one, two))[one != two])
        return cls(width, distinct(np.concatenate(keys)), left_out=left_out or {})

    def __len__(self) -> int:
        return self.width * (self.width - 1) // 2 if self.everything else len(self.keys)

    def __repr__(self) -> str:
        return f"Knowledge({len(self):,} pairs of {self.width:,} items)"

    def knows(self, first: Longs, second: Longs) -> Flags:
        """Which of these pairs are known."""
        if self.everything:
            return np.not_equal(first, second)
        if not len(self.keys):
            return np.zeros(len(first), bool)
        asked = np.minimum(first, second) * self.width + np.maximum(first, second)
        at = np.minimum(np.searchsorted(self.keys, asked), len(self.keys) - 1)
        known: Flags = self.keys[at] == asked
        return known


class Attacker(Protocol):
    """Somebody with background knowledge. Parameters are fields."""

    @property
    def name(self) -> str:
        """One or two words for tables."""
        ...

    @property
    def random(self) -> bool:
        """Whether each draw differs."""
        ...

    def draw(self, release: Disassociated, original: Transactions | None, rng: Generator) -> Knowledge:
        """What such an attacker may know about a release of these data."""
        ...


def codes_of(release: Disassociated, names: Sequence[str]) -> Longs:
    """Codes of some items in the release; -1 for those it does not have."""
    code = {name: number for number, name in enumerate(release.vocabulary)}
    return np.fromiter((code.get(name, -1) for name in names), np.int64, len(names))


# Background knowledge from a file: one itemset that somebody knows of one person on each line.
#
# Items are separated by tabs, or by commas where a line has no tab; a line that begins with ``[`` is a JSON list, and a
# file whose name ends in ``.json`` is one list of lists. Lines that cannot be used are left out and counted.


EMPTY = "empty lines"
STRANGE = "itemsets with an item that the release does not have"
SMALL = "itemsets of fewer than 2 items"
LARGE = "itemsets of more than m items"


@dataclass(frozen=True)
class FromFile:
    """Knows what a file says.

    Attributes:
        path: the file; see ``read_knowledge``.
    """

    path: Path
    name: ClassVar[str] = "from file"
    random: ClassVar[bool] = False

    def draw(self, release: Disassociated, original: Transactions | None, rng: Generator) -> Knowledge:
        """The same each time."""
        del original, rng
        return read_knowledge(self.path, release)


def read_knowledge(path: Path | str, release: Disassociated, m: int | None = None) -> Knowledge:
    r"""Read known itemsets of 2 to ``m`` items (default: the release's); ``left_out`` of the result counts others.

    An item that the release does not have cannot take part in a cover; the others of its itemset can, if two are left.

    >>> import tempfile
    >>> import cloven as cv
    >>> release = cv.Disassociation(k=5, m=2).anonymise(cv.sample("clinic")).release
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     _ = file.write("asthma,cough\nasthma,unicorn\n")
    ...     file.flush()
    ...     len(read_knowledge(file.name, release))
    1
    """
    path, most = Path(path), release.m if m is None else m
    left_out: Counter[str] = Counter()
    used: list[np.ndarray[Any, np.dtype[np.int64]]] = []
    for items in _itemsets(path):
        reason = EMPTY if not items else SMALL if len(items) < 2 else LARGE if len(items) > most else None
        if reason is not None:
            left_out[reason] += 1
            continue
        codes = codes_of(release, items)
        left_out[STRANGE] += bool((codes < 0).any())
        if (codes >= 0).sum() > 1:
            used.append(codes)
    counts = {reason: many for reason, many in left_out.items() if many}
    if not used:
        told = "; ".join(f"{many:,} {reason}" for reason, many in counts.items()) or "the file is empty"
        many_items = f"2 to {most}" if most > 2 else "2"
        message = f"no itemset can be used ({told}); give one itemset of {many_items} items of the release on each line"
        raise InputError(message, source=str(path))
    offsets = np.cumsum([0, *map(len, used)])
    return Knowledge.of_itemsets(offsets, np.concatenate(used), len(release.vocabulary), counts)


def _itemsets(path: Path) -> Iterator[list[str]]:
    """Items of each line, without repeats."""
    text = small_text(path)
    if path.suffix.lower() == ".json":
        value = _json(text, path, None)
        if not isinstance(value, list):
            message = "must be a list of itemsets, each a list of item names"
            raise InputError(message, source=str(path), value=text.strip())
        yield from (_names(one, path, None) for one in value)
        return
    lines = text.split("\n")
    for number, line in enumerate(lines[:-1] if lines[-1] == "" else lines, 1):
        if line.lstrip().startswith("["):
            yield _names(_json(line, path, number), path, number)
        else:
            parts = (part.strip() for part in line.split("\t" if "\t" in line else ","))
            yield list(dict.fromkeys(part for part in parts if part))


def _names(value: Any, path: Path, line: int | None) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        message = "an itemset must be a list of item names"
        raise InputError(message, source=str(path), line=line, value=json.dumps(value))
    return list(dict.fromkeys(value))


def _json(text: str, path: Path, line: int | None) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        at = line if line is not None else getattr(error, "lineno", None)
        message = "not JSON that can be read"
        raise InputError(message, source=str(path), line=at, value=text.strip()) from error
