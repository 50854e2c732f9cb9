"""Who stands out among records that come in the order of their content (``cloven.data.recognition``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloven.data.arrays import run_starts
from cloven.data.recognition import LEAST_ITEMS, content_sums, item_hashes, mixed
from cloven.storage.fingerprint import SIZE, Sketch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Longs

    Hashes = NDArray[np.uint64]


class StandingOut:
    """Counts the records that stand out, and keeps the smallest of their hashes; all of them while they fit."""

    def __init__(self, names: tuple[str, ...], held: int) -> None:
        """Of data with these items; ``held`` bytes of hashes may be kept."""
        self._of_item, self._most = item_hashes(names), held // 8
        self._last, self._smallest = np.empty(0, np.uint64), np.empty(0, np.uint64)
        self._all: list[Hashes] | None = []
        self._many = 0

    def see(self, offsets: Longs, codes: NDArray[np.int32]) -> None:
        """The next records."""
        if len(offsets) < 2:
            return
        long = np.diff(offsets) >= LEAST_ITEMS
        hashes = np.concatenate((self._last, mixed(content_sums(offsets, codes, self._of_item))[long]))
        if not len(hashes):
            return
        starts = run_starts(hashes)
        # The last content may go on: one or two of it tell as much as all.
        self._last = hashes[starts[-1] :][:2]
        self._count(hashes[starts[:-1][np.diff(starts) == 1]])

    def _count(self, alone: Hashes) -> None:
        self._many += len(alone)
        self._smallest = np.sort(np.concatenate((self._smallest, alone)))[:SIZE]
        if self._all is not None:
            self._all.append(alone)
            if self._many > self._most:
                self._all = None

    def _finish(self) -> None:
        if len(self._last) == 1:
            self._count(self._last)
        self._last = np.empty(0, np.uint64)

    def sketch(self) -> Sketch:
        """The sketch of the data, once all records were seen."""
        self._finish()
        return Sketch(self._many, self._smallest)

    def hashes(self) -> Hashes | None:
        """All hashes, ascending; None if they were too many to keep."""
        self._finish()
        return None if self._all is None else np.sort(np.concatenate((self._smallest[:0], *self._all)))
