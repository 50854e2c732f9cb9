"""Where an attack would attach a part of a cluster, with probability; and a whole cluster as an attack rebuilds it.

The attacks are those of the audit, asked about one part or one cluster. They get the release alone.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.disassociated.guesses import Answer
from cloven.kinds.disassociated.release import Kind
from cloven.studio.inspection.listing import NotThereError

if TYPE_CHECKING:
    from cloven.compiled import Longs
    from cloven.kinds.disassociated.guesses import Guesses
    from cloven.studio.inspection.opened import Opened

SEED = 1
"""For attacks that draw lots: an address shows the same whenever it is opened."""
ELSEWHERE = 10
"""Places of other clusters that are given for a shared part."""
WORDS = {
    Answer.INFORMED: "",
    Answer.NO_ANCHOR: "No place shows anything to go by, so nothing is attached.",
    Answer.NO_SCORE: "The attacker knows nothing about these items, so every place is as likely as another.",
}


@dataclass(frozen=True)
class Spot:
    """Places that look alike to the attacker.

    Attributes:
        cluster: where they are.
        slots: the places, by their numbers in the whole release.
        items: what the first chunk shows there; nothing if it shows nothing.
        probability: that one of these places holds the part, for each of them.
        chosen: at how many of them the attack puts it.
    """

    cluster: int
    slots: tuple[int, ...]
    items: tuple[str, ...]
    probability: float
    chosen: int


@dataclass(frozen=True)
class Placement:
    """Where a part may belong.

    Attributes:
        attack: name of the attack.
        kind: ``record``, ``shared`` or ``term``.
        row: its published row; the first of equal ones.
        item: code of the item of a term chunk, -1 for a sub-record.
        items: what it shows.
        copies: how many places hold it; None if that is not told.
        expected: how many the attack expects: the sum of all probabilities.
        candidates: places that may hold it, in all clusters.
        chance: the probability of each place if nothing were known.
        words: why the attack tells nothing; empty if it does.
        spots: places of this cluster, the likeliest first.
        elsewhere: places of other clusters, the likeliest first; some of them.
    """

    attack: str
    kind: str
    row: int
    item: int
    items: tuple[str, ...]
    copies: int | None
    expected: float
    candidates: int
    chance: float
    words: str
    spots: tuple[Spot, ...]
    elsewhere: tuple[Spot, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Attached:
    """A part that an attack puts on a place, with probability."""

    kind: str
    row: int
    item: int
    items: tuple[str, ...]
    probability: float


@dataclass(frozen=True)
class Rebuilt:
    """One place of a cluster as an attack fills it: its number there, what is shown, and what is put back."""

    slot: int
    number: int
    items: tuple[str, ...]
    attached: tuple[Attached, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def target_of(opened: Opened, cluster: int, row: int, item: int = -1) -> int:
    """Number of the part that a published row is, or one item of a term chunk.

    Raises:
        NotThereError: it is no part of this cluster of which it is open where it belongs.
    """
    every, release = opened.candidates, opened.release
    near = row in opened.rows_of(cluster) or any(
        row in opened.rows_of_joint(joint) for joint in opened.joints_of(cluster)
    )
    if near:
        found = np.flatnonzero((every.row == opened.firsts[row]) & (every.item == item))
        if len(found):
            return int(found[0])
    why = f"row {row} of cluster {cluster} is nothing that was split off" if near and row < release.rows else (
        f"cluster {cluster} has no row {row}"
    )  # fmt: skip
    message = f"{why}; choose one of the parts on the page of the cluster"
    raise NotThereError(message)


def targets_of_cluster(opened: Opened, cluster: int) -> Longs:
    """Parts that were split off inside a cluster; shared ones are not its own."""
    return np.flatnonzero(opened.release.row_cluster[opened.candidates.row] == cluster)


def guesses_about(opened: Opened, attack: str, targets: Longs) -> Guesses:
    """What an attack says of some parts."""
    asked = opened.candidates.questions(targets)
    return opened.attack(attack).guess(opened.release, np.random.default_rng(SEED), asked=asked)


def placement(opened: Opened, cluster: int, attack: str, row: int, item: int = -1) -> Placement:
    """Where an attack would attach one part.

    Raises:
        ParameterError: there is no such part or attack, or the attack needs what is not published.
    """
    target = target_of(opened, cluster, row, item)
    guesses = guesses_about(opened, attack, np.array([target]))
    asked = guesses.questions
    copies = int(asked.target_copies[0])
    spots = _spots(opened, guesses)
    confidence = guesses.confidence.astype(np.float64)
    expected = float(confidence.sum())
    return Placement(
        attack,
        Kind(int(asked.target_kind[0])).name.lower(),
        int(asked.target_row[0]),
        item,
        part_items(opened, target),
        copies or None,
        expected,
        len(asked.slots),
        expected / max(1, len(asked.slots)),
        WORDS[Answer(int(guesses.answer[0]))],
        tuple(spot for spot in spots if spot.cluster == cluster),
        tuple([spot for spot in spots if spot.cluster != cluster][:ELSEWHERE]),
    )


def part_items(opened: Opened, target: int) -> tuple[str, ...]:
    """Items of a part."""
    every, release = opened.candidates, opened.release
    item = int(every.item[target])
    return (release.vocabulary[item],) if item >= 0 else release.row(int(every.row[target]))


def _spots(opened: Opened, guesses: Guesses) -> list[Spot]:
    """All candidates of the one part asked about; places that look alike and are as likely are one."""
    asked, release = guesses.questions, opened.release
    anchor = asked.slot_anchor[asked.slots]
    look = np.where(anchor >= 0, opened.firsts[np.maximum(anchor, 0)], -1)
    cluster = np.searchsorted(asked.slot_offsets, asked.slots, "right") - 1
    likely = np.round(guesses.confidence.astype(np.float64), 7)
    order = np.lexsort((asked.slots, look, cluster, -likely))
    keys = list(zip(likely[order].tolist(), cluster[order].tolist(), look[order].tolist(), strict=True))
    out = []
    for (probability, where, row), inside in groupby(range(len(keys)), key=keys.__getitem__):
        here = order[list(inside)]
        items = release.row(row) if row >= 0 else ()
        slots = tuple(asked.slots[here].tolist())
        out.append(Spot(where, slots, items, probability, int(guesses.chosen[here].sum())))
    return out


def rebuilt(opened: Opened, cluster: int, attack: str) -> tuple[Rebuilt, ...]:
    """A cluster as an attack puts it together: every place with the parts that it puts there.

    Raises:
        ParameterError: there is no such cluster or attack, or the attack needs what is not published.
    """
    opened.rows_of(cluster)
    targets = targets_of_cluster(opened, cluster)
    guesses = guesses_about(opened, attack, targets)
    asked, release = guesses.questions, opened.release
    first, last = asked.slot_offsets[cluster : cluster + 2].tolist()
    found: dict[int, list[Attached]] = {slot: [] for slot in range(first, last)}
    number = asked.pair_target
    for pair in np.flatnonzero(guesses.chosen).tolist():
        at = int(number[pair])
        part = Attached(
            Kind(int(asked.target_kind[at])).name.lower(),
            int(asked.target_row[at]),
            int(asked.target_item[at]),
            part_items(opened, int(targets[at])),
            float(guesses.confidence[pair]),
        )
        found[int(asked.slots[pair])].append(part)
    return tuple(
        Rebuilt(
            slot,
            slot - first + 1,
            release.row(int(row)) if (row := asked.slot_anchor[slot]) >= 0 else (),
            tuple(sorted(parts, key=lambda part: -part.probability)),
        )
        for slot, parts in found.items()
    )
