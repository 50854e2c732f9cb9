"""How often intervals of likely counts hold the truth by the size of the data, and how wide they must be for it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.datasets import SHAPES, shaped
from cloven.kinds.counts import COVERED
from cloven.kinds.disassociated.likely import HALF, Tails, spread
from experiments.harness.data import PUBLIC_DATA, first
from experiments.harness.runs import SEED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from cloven.compiled import Flags, Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.counts import Expected

REAL = ("BMS-WebView-1", "BMS-WebView-2", "T10I4D100K", "groceries", "What's Cooking")
"""Public data sets of which there are fewer and more records."""
INVENTED = {"pos": (0.1, 1.0, 2.91), "groceries": (1.0, 10.0, 100.0), "webview2": (1.0, 10.0)}
"""Published shapes, and how many times their records are made. Items of one pattern do not meet by chance."""
TIMES = (0.1, 1.0, 10.0)
STEP = 0.05


class Asked(NamedTuple):
    """Sets of items that were asked for, and their true counts."""

    sets: Longs
    found: Expected
    true: Longs
    recorded: Flags

    @property
    def size(self) -> int:
        """Items of a set."""
        return int(self.sets.shape[1])


class Sized(NamedTuple):
    """Sets of items of data of some size, and the tails that the owner measured."""

    name: str
    records: int
    asked: Asked
    own: Tails


@dataclass(frozen=True)
class Growth:
    """How often intervals hold the truth in data of some size, and how wide they are.

    Attributes:
        data: name of the data.
        records: records of it.
        size: items of a set.
        spread: share that the distribution alone holds.
        left_out: that the program holds with the way of other data.
        release: that it holds with its own.
        owner: that the distribution holds with tails that the owner measured.
        width_spread: mean width of the distribution alone.
        width: of what the program says.
        width_owner: of what it says with tails that the owner measured.
        possible: mean distance of what is certain and what is possible at most.
        mean: mean true count.
    """

    data: str
    records: int
    size: int
    spread: float
    left_out: float
    release: float
    owner: float
    width_spread: float
    width: float
    width_owner: float
    possible: float
    mean: float


def resized(
    folder: Path, real: Iterable[str], invented: Mapping[str, Sequence[float]], most: int | None
) -> Iterator[tuple[str, int, Callable[[], Transactions]]]:
    """Data of several sizes, each with its name, its records, and how it is made."""
    for name in real:
        data = PUBLIC_DATA[name].load(folder)
        data = data if most is None else first(data, most)
        for times in TIMES:
            yield name, round(times * len(data)), partial(_drawn, data, times)
    for name, scales in invented.items():
        for scale in scales:
            yield (
                f"{name} (invented)",
                round(SHAPES[name].records * scale),
                partial(shaped, name, scale=scale),
            )


def _drawn(data: Transactions, times: float) -> Transactions:
    """Some of the records, all, or more of them, drawn with repetition."""
    rng, many = np.random.default_rng(SEED), round(times * len(data))
    if times > 1:
        return data.take(rng.integers(len(data), size=many))
    return data.take(np.sort(rng.permutation(len(data))[:many]))


def covers(asked: Asked, low: Longs, high: Longs) -> Flags:
    """Whether each truth lies in its interval."""
    inside: Flags = (low <= asked.true) & (asked.true <= high)
    return inside


def way_needed(asked: Asked) -> float:
    """The way that the end of the interval must go, so that it holds 95 % of these truths."""
    found, exact = asked.found, np.rint(asked.found.exact)
    high = spread(found, Tails(asked.size), way=0.0)[2]
    chance = found.apart + found.left + HALF
    room = np.log(np.maximum(found.most - exact + HALF, chance * (1 + 1e-9)) / chance)
    reached = np.log(np.maximum(asked.true - exact + HALF, chance) / chance) / room
    return float(np.quantile(np.where(asked.true <= high, 0.0, reached), COVERED, method="higher"))


def way_of(asked: Iterable[Asked]) -> float:
    """The way that a program would go that had seen these."""
    return gone(max(map(way_needed, asked)))


def gone(most: float) -> float:
    """The way that is gone where so much is needed: a step more for data that nobody has seen, rounded to steps.

    >>> round(gone(0.76), 2), round(gone(0.8), 2)
    (0.8, 0.85)
    """
    return round((most + STEP) / STEP) * STEP


def needed(fitted: Mapping[tuple[str, int], Sequence[Asked]]) -> dict[str, float]:
    """The way that each data set needs in all its sizes."""
    found: dict[str, float] = {}
    for (name, _), every in fitted.items():
        found[name] = max(found.get(name, 0.0), *map(way_needed, every))
    return found


def sized(grown: Iterable[Sized], fitted: Mapping[tuple[str, int], Sequence[Asked]]) -> list[Growth]:
    """How often intervals hold the truth at every size, also with the way of other data alone."""
    found = []
    for name, records, asked, own in grown:
        way = way_of(one for (other, _), each in fitted.items() if not _same(name, other) for one in each)
        plain = Tails(asked.size)
        ends = {
            "spread": spread(asked.found, Tails(asked.size, measured=True))[1:],
            "left out": spread(asked.found, plain, way=way)[1:],
            "release": spread(asked.found, plain)[1:],
            "owner": spread(asked.found, own)[1:],
        }
        held = (float(covers(asked, *each).mean()) for each in ends.values())
        width = (float((ends[each][1] - ends[each][0]).mean()) for each in ("spread", "release", "owner"))
        possible = float((asked.found.most - asked.found.least).mean())
        figures = (*held, *width, possible, float(asked.true.mean()))
        found.append(Growth(name, records, asked.size, *figures))
    return found


def _same(name: str, other: str) -> bool:
    """Whether data is left out together: that of one name, and all that is invented."""
    return name == other or ("invented" in name and "invented" in other)
