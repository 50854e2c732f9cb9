"""VPA, the vertical partitioning attack: keep an arrangement that the method would have cut the same way.

Thesis, section 4.3.4, Algorithm 9. Chunks are joined from left to right; arrangements are tried in lexicographic order
and the first that VERPART cuts into the published chunks stays. Scores go past the thesis: the share of the possible
arrangements that pass in which a slot holds the sub-record, over all of them or over ``tries`` random ones. Where all
pass, the method tells nothing and the answer is "no information". Items of term chunks and shared chunks are put
anywhere: the check says nothing about them.

A chunk can only be judged as a whole, and after the chunks before it. So of a sample of the targets, those of record
chunks cost as much as all chunks up to theirs; clusters of which none is asked about are not looked at. Lots are drawn
for each cluster apart, so that the answers about it do not depend on which others are asked about.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.cores import at_once
from cloven.data.arrays import offsets_of, run_starts
from cloven.errors import ParameterError
from cloven.kinds.disassociated.attack.questions import given_or_all, targets_of
from cloven.kinds.disassociated.attack.selection import finished, select
from cloven.kinds.disassociated.attack.vertical_kernel import Answers, Chunks, Rules, Shown, judge
from cloven.kinds.disassociated.attack.vertical_lots import states
from cloven.kinds.disassociated.release import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cloven.compiled import Longs
    from cloven.kinds.disassociated.guesses import Guesses, Questions
    from cloven.kinds.disassociated.release import Disassociated

MOST_COMBINATIONS = 20_000
"""Combinations of terms that a chunk may have before the check gives up."""
MOST_TRIES = 2**31
"""Nobody waits for so many; products of numbers up to it do not overflow."""
MOST_AT_ONCE = 200_000_000
"""Slots of arrangements that are looked at before progress is told."""


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
        *,
        asked: Questions | None = None,
    ) -> Guesses:
        """Try arrangements of all chunks; clusters are independent, so each core takes some."""
        rng = rng or np.random.default_rng()
        asked = given_or_all(release, asked)
        seed = int(rng.integers(2**63))
        rules = self._rules(release)
        score, chosen = np.full(len(asked.slots), np.nan), np.zeros(len(asked.slots), bool)
        counts, chunks = np.zeros(4, np.int64), chunks_to_judge(asked, release)
        shown = Shown(release.row_offsets, release.row_items, asked.slot_offsets, asked.slot_anchor)
        answers = Answers(asked.offsets, score, chosen)
        work = offsets_of(np.diff(chunks.starts) * release.cluster_size[chunks.cluster] * rules.tries)
        for first, last in _parts(work):

            def some(begin: int, end: int, first: int = first) -> Longs:
                begin, end = begin + first, end + first
                lots = states(seed, chunks.cluster[begin:end].tolist())
                return judge(chunks, shown, rules, begin, end, lots, answers)

            counts += sum(at_once(some, work[first : last + 1]))
            if progress is not None:
                progress("attack", (int(chunks.cluster[last - 1]) + 1) / release.clusters)
        others = np.flatnonzero(asked.target_kind != Kind.RECORD)
        select(asked, release, others, rng.random(len(asked.slots)), "best", chosen)
        notes = dict(zip(("chunks", "all pass", "none passes", "too large"), counts.tolist(), strict=True))
        return finished(asked, release, score, chosen, self.sharpness, self.parameters, notes)

    def _rules(self, release: Disassociated) -> Rules:
        """How the release was cut; refuses what cannot be replayed from the release alone."""
        told = release.parameters
        for hidden, what in (
            (told.get("utility_groups"), "with utility groups"),
            (told.get("persons"), "counting persons, who are not published"),
            (told.get("tie_order", "text") != "text", "with an order of ties that is not published"),
        ):
            if hidden:
                message = f"the release was cut {what}: vpa cannot replay that; choose another method"
                raise ParameterError(message)
        strict = told.get("reading") == "strict"
        k = min(release.k, MOST_TRIES)  # no cluster has so many records
        return Rules(k, release.m, strict, min(self.tries, MOST_TRIES), MOST_COMBINATIONS)


def chunks_to_judge(asked: Questions, release: Disassociated) -> Chunks:
    """Record chunks after the first, in the order of clusters, up to the last one of each that is asked about."""
    record = np.flatnonzero(asked.target_kind == Kind.RECORD)
    last = np.zeros(release.clusters, np.int64)
    np.maximum.at(last, asked.target_cluster[record], release.row_chunk[asked.target_row[record]])
    target_of = np.full(release.rows, -1, np.int64)
    target_of[asked.target_row[record]] = record
    row, _, copies = targets_of(release)
    near = release.row_kind[row] == Kind.RECORD
    row, copies = row[near], copies[near]
    near = release.row_chunk[row] <= last[release.row_cluster[row]]
    row, copies = row[near], copies[near]
    rows = run_starts(release.row_cluster[row], release.row_chunk[row])
    cluster = release.row_cluster[row[rows]]
    starts = run_starts(cluster)
    return Chunks(
        cluster=cluster[starts].astype(np.int64),
        starts=np.append(starts, len(rows)),
        rows=np.append(rows, len(row)),
        row=row,
        copies=copies,
        target=target_of[row],
    )


def _parts(work: Longs) -> Iterator[tuple[int, int]]:
    """Runs of clusters with about as much work as is done at once, and of at least one cluster; none without any."""
    first = 0
    while first < len(work) - 1:
        last = max(first + 1, int(np.searchsorted(work, work[first] + MOST_AT_ONCE, "right")) - 1)
        yield first, last
        first = last
