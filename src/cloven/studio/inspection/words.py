"""How related the items of one release are: looked up by a worker and kept, so that pages open no file of meanings.

Such a file can be larger than memory allows a server. Of vectors those of the items are kept; of other measures the
score of every two items.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import InputError, ParameterError
from cloven.intake.trees import tree_of
from cloven.protocols import Coverage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Floats, Longs
    from cloven.protocols import Related, Relatedness
    from cloven.studio.inspection.drawer import Drawer

NAME = "words"
MOST_ITEMS = 3_000
"""Items of which the scores of every two are kept: 72 MB. Vectors have no such limit."""
TOO_MANY = (
    "how related words are is kept for the pages of up to {most:,} items unless it comes from word vectors, and this"
    " release has {items:,}; the audit tried that attack, and the report says what it found"
)
LOST = (
    "what was kept of the meaning of words is lost or damaged; it is found out anew when the page is opened the next"
    " time"
)


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of every two items; NaN means none."""

    coverage: Coverage
    scores: Floats

    def block(self, left: Longs, right: Longs) -> Floats:
        """Score of every left item with every right one."""
        return self.scores[np.ix_(left, right)]


def keep_words(drawer: Drawer, relatedness: Callable[[], Relatedness], items: Sequence[str]) -> None:
    """Look the items of a release up and keep what pages need; or in words why that cannot be."""
    try:
        arrays, header = _arrays(relatedness().relate(items), len(items))
    except (InputError, ParameterError) as error:  # files can go, and need not know any of the items
        arrays, header = {}, {"problem": str(error)}
    written = json.dumps({**header, "items": len(items)}).encode()
    drawer.put_arrays(NAME, {"header": np.frombuffer(written, np.uint8), **arrays})


def _arrays(related: Related, items: int) -> tuple[dict[str, NDArray[np.generic]], dict[str, object]]:
    from cloven.relatedness.vectors import VectorsRelated

    header: dict[str, object] = {
        "rungs": dict(related.coverage.rungs),
        "unknown": list(related.coverage.unknown),
    }
    if isinstance(related, VectorsRelated):
        return {"units": related.units, "known": related.known}, header
    if items > MOST_ITEMS:
        raise ParameterError(TOO_MANY.format(most=MOST_ITEMS, items=items))
    every = np.arange(items)
    return {"scores": related.block(every, every)}, header


@dataclass(frozen=True, eq=False)
class KeptWords:
    """What a worker kept of the meaning of a release's items; it is opened when a page asks."""

    drawer: Drawer

    @property
    def name(self) -> str:
        """One word for tables."""
        return NAME

    def relate(self, items: Sequence[str]) -> Related:
        """How related the items of the release are.

        Raises:
            ParameterError: that is not kept; the text says why, and what to do.
        """
        if isinstance(self._opened, str):
            raise ParameterError(self._opened)
        related, known = self._opened
        if known != len(items):
            raise self._lost()
        return related

    @cached_property
    def _opened(self) -> tuple[Related, int] | str:
        try:
            return _opened(self.drawer.arrays(NAME))
        except (OSError, ValueError, KeyError, TypeError):
            raise self._lost() from None

    def _lost(self) -> ParameterError:
        self.drawer.forget()
        return ParameterError(LOST)


def _opened(arrays: Mapping[str, NDArray[np.generic]]) -> tuple[Related, int] | str:
    """What relates so many items; or why nothing does."""
    from cloven.relatedness.vectors import VectorsRelated

    header = tree_of(arrays["header"].tobytes())
    if "problem" in header:
        return str(header["problem"])
    coverage, items = Coverage(header["rungs"], tuple(header["unknown"])), int(header["items"])
    if "scores" in arrays:
        scores = np.asarray(arrays["scores"], float).reshape(items, items)
        return Scores(coverage, scores), items
    units, known = np.asarray(arrays["units"], float), np.asarray(arrays["known"], bool)
    return VectorsRelated(coverage, units.reshape(items, -1), known.reshape(items)), items
