"""VPA, the vertical partitioning attack: keep an arrangement that the method would have cut the same way.

Thesis, section 4.3.4, Algorithm 9. Chunks are joined from left to right; arrangements are tried in lexicographic order
and the first that VERPART cuts into the published chunks stays. Scores go past the thesis: the share of the possible
arrangements that pass in which a slot holds the sub-record, over all of them or over ``tries`` random ones. Where all
pass, the method tells nothing and the answer is "no information". Items of term chunks and shared chunks are put
anywhere: the check says nothing about them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.attack.disassociated.arrangements import Arrangement, drawn, how_many, in_order
from cloven.attack.disassociated.finishing import finished
from cloven.attack.disassociated.greedy_chunks import TooManyCombinationsError, cuts_alike
from cloven.attack.disassociated.questions import questions
from cloven.attack.disassociated.selection import groups, select
from cloven.errors import ParameterError
from cloven.model.disassociated import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Guesses, Questions

Codes = tuple[int, ...]


@dataclass(frozen=True)
class VerticalPartitioning:
    """The vertical partitioning attack.

    Attributes:
        tries: arrangements of one chunk that are checked at most.
        sharpness: how fast confidence follows the score.
    """

    tries: int = 200
    sharpness: float = 0.4

    def __post_init__(self) -> None:
        if self.tries < 1:
            message = f"tries must be at least 1 (got {self.tries})"
            raise ParameterError(message)

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {"name": "vpa", "tries": self.tries, "sharpness": self.sharpness}

    def guess(
        self,
        release: Disassociated,
        rng: np.random.Generator | None = None,
        progress: Callable[[str, float], None] | None = None,
    ) -> Guesses:
        """Try arrangements, cluster by cluster."""
        rng = rng or np.random.default_rng()
        asked = questions(release)
        strict = _strict_reading(release)
        score, chosen = np.full(len(asked.slots), np.nan), np.zeros(len(asked.slots), bool)
        counts = dict.fromkeys(("chunks", "all pass", "none passes", "too large"), 0)
        joined: _Joined | None = None
        for first, last in groups(asked, release, np.flatnonzero(asked.target_kind == Kind.RECORD)):
            cluster = int(asked.target_cluster[first])
            if joined is None or joined.cluster != cluster:
                joined = _Joined.anchors(asked, release, cluster, strict=strict)
            rows = [_codes(release, row) for row in asked.target_row[first:last].tolist()]
            trial = self._try(joined, rows, asked.target_copies[first:last].tolist(), release, rng)
            joined.add(rows, trial.kept)
            for target, slots in enumerate(trial.kept, first):
                chosen[asked.offsets[target] + np.array(slots, np.int64)] = True
            if 0 < trial.passed < trial.tried:
                score[asked.offsets[first] : asked.offsets[last]] = (trial.held / trial.passed).ravel()
            counts["chunks"] += 1
            if trial.remark:
                counts[trial.remark] += 1
            if progress is not None:
                progress("attack", (cluster + 1) / release.clusters)
        others = np.flatnonzero(asked.target_kind != Kind.RECORD)
        select(asked, release, others, rng.random(len(asked.slots)), "best", chosen)
        return finished(asked, release.k, score, chosen, self.sharpness, self.parameters, counts)

    def _try(
        self,
        joined: _Joined,
        rows: list[Codes],
        copies: list[int],
        release: Disassociated,
        rng: np.random.Generator,
    ) -> _Trial:
        """Look for arrangements of one more chunk that pass."""

        def passes(arrangement: Arrangement) -> bool:
            return joined.passes(rows, arrangement, release.k, release.m)

        held = np.zeros((len(rows), joined.slots))
        few = how_many(copies, joined.slots) <= self.tries
        in_turn = islice(in_order(copies, joined.slots), self.tries)
        try:
            if few:
                good = [arrangement for arrangement in in_turn if passes(arrangement)]
                kept, tried = next(iter(good), None), how_many(copies, joined.slots)
            else:
                kept, tried = next(filter(passes, in_turn), None), self.tries
                lots = (drawn(copies, joined.slots, rng) for _ in range(self.tries))
                good = [arrangement for arrangement in lots if passes(arrangement)]
        except TooManyCombinationsError:
            return _Trial(next(in_order(copies, joined.slots)), held, 0, 0)
        for arrangement in good:
            for number, slots in enumerate(arrangement):
                held[number, list(slots)] += 1
        return _Trial(kept or next(in_order(copies, joined.slots)), held, len(good), tried)


@dataclass(frozen=True)
class _Trial:
    """What came of trying to put one chunk on the slots.

    Attributes:
        kept: the arrangement to go on with; the first one if none passed.
        held: in how many of those that passed each slot (column) holds each sub-record (row).
        passed: how many passed.
        tried: of so many; 0 if the chunk is too large to check.
    """

    kept: Arrangement
    held: NDArray[np.float64]
    passed: int
    tried: int

    @property
    def remark(self) -> str:
        """Why the method told nothing, or nothing if it did."""
        if not self.tried:
            return "too large"
        return "none passes" if not self.passed else "all pass" if self.passed == self.tried else ""


@dataclass
class _Joined:
    """The chunks of one cluster that have been put together so far."""

    cluster: int
    slots: int
    strict: bool
    chunks: list[frozenset[int]] = field(default_factory=list)
    masks: dict[int, int] = field(default_factory=dict)

    @classmethod
    def anchors(cls, asked: Questions, release: Disassociated, cluster: int, *, strict: bool) -> _Joined:
        """Begin with the anchoring chunk."""
        first, last = asked.slot_offsets[cluster : cluster + 2].tolist()
        start = cls(cluster, last - first, strict)
        rows = [_codes(release, row) for row in asked.slot_anchor[first:last].tolist() if row >= 0]
        start.add(rows, tuple((slot,) for slot in range(len(rows))))
        return start

    def passes(self, rows: list[Codes], arrangement: Arrangement, k: int, m: int) -> bool:
        """Whether the method would cut these records into the same chunks."""
        masks = self.masks | _masks(rows, arrangement)
        chunks = [*self.chunks, frozenset(item for row in rows for item in row)]
        # Earlier chunks are settled; one that found no arrangement must not spoil the later ones.
        return cuts_alike(masks, chunks, self.slots, k, m, given=len(self.chunks), strict=self.strict)

    def add(self, rows: list[Codes], arrangement: Arrangement) -> None:
        """Settle on an arrangement of the next chunk."""
        self.masks.update(_masks(rows, arrangement))
        self.chunks.append(frozenset(item for row in rows for item in row))


def _strict_reading(release: Disassociated) -> bool:
    """Whether the release was cut with the strict reading; refuses what cannot be replayed from the release alone."""
    told = release.parameters
    for hidden, what in (
        (told.get("utility_groups"), "with utility groups"),
        (told.get("persons"), "counting persons, who are not published"),
        (told.get("tie_order", "text") != "text", "with an order of ties that is not published"),
    ):
        if hidden:
            message = f"the release was cut {what}: vpa cannot replay that; choose another method"
            raise ParameterError(message)
    return bool(told.get("reading") == "strict")


def _masks(rows: list[Codes], arrangement: Arrangement) -> dict[int, int]:
    """Slots that hold each item."""
    masks: dict[int, int] = {}
    for row, slots in zip(rows, arrangement, strict=True):
        here = sum(1 << slot for slot in slots)
        for item in row:
            masks[item] = masks.get(item, 0) | here
    return masks


def _codes(release: Disassociated, row: int) -> Codes:
    """Items of one published row, by number."""
    return tuple(release.row_items[release.row_offsets[row] : release.row_offsets[row + 1]].tolist())
