"""The reader who replays the method (minimality attack; Wong, Fu, Wang, Pei, VLDB 2007, section 3).

Mondrian with l-diversity or t-closeness cuts as long as both halves keep to it. Somebody who knows everybody's
quasi-identifiers sees which cuts a class still allowed by its size; that it was not cut tells that each of them would
have left a half that misses the demand. So worlds, which are ways to deal the values of the class to its rows, are
ruled out in which one of these cuts was possible. What is in no world that is left is no candidate; how likely the
others are is their share of the worlds. Of a replay-proof release the one cut is known that was taken back.

Left out: that a cut higher up was made along another line than the first one tells that those before it failed. Such
knowledge spans several classes, and would rule out more; what is ruled out here is ruled out all the same.

Rows whose class cannot be told from their quasi-identifiers (classes overlap where taxonomies are flat, and where lots
decide), and classes that may be two which look alike, are left as they are, and counted in the notes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.attack.sliced.answers import Found
from cloven.attack.sliced.replayed_classes import Placed
from cloven.attack.sliced.replayed_cuts import every_cut, first_cut, may_be_two
from cloven.attack.sliced.replayed_worlds import ClassWorlds, Demands
from cloven.attack.sliced.single import AttributeDisclosure
from cloven.errors import ParameterError
from cloven.model.buckets import Buckets
from cloven.model.published_table import GeneralisedTable
from cloven.model.row_numbers import row_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.attack.sliced.answers import ValueGuesses
    from cloven.attack.sliced.crowd import Axis, Crowd
    from cloven.attack.sliced.known import Known
    from cloven.attack.sliced.replayed_cuts import Cuts
    from cloven.attack.sliced.replayed_worlds import Worlds
    from cloven.model.published_table import Sliced

    Longs = NDArray[np.int64]

REPLAY_PROOF = "replay-proof"


def why_not(release: GeneralisedTable | Sliced) -> str:
    """Why there is nothing to replay; nothing if there is."""
    told = release.parameters
    if not isinstance(release, GeneralisedTable) or told.get("method") != "mondrian":
        return "only Mondrian is replayed, and the release was made by another method"
    if not told.get("constraints"):
        return "no cut was decided by a sensitive value: the release promises neither l nor t"
    return ""


@dataclass(frozen=True)
class Replayed:
    """Find out a value by asking why classes were not cut further.

    Attributes:
        attribute: what is to be found out; the only sensitive attribute if left out.
        draws: worlds that are drawn in a class that has too many to look at all.
        most: steps of the search through all worlds of a class, at most.
    """

    attribute: str | None = None
    draws: int = 1_000
    most: int = 50_000

    def __post_init__(self) -> None:
        for name in ("draws", "most"):
            if getattr(self, name) < 1:
                message = f"{name} must be a whole number from 1 (got {getattr(self, name)})"
                raise ParameterError(message)

    @property
    def parameters(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {"name": "replayed", "attribute": self.attribute, "draws": self.draws, "most": self.most}

    def guess(
        self,
        release: GeneralisedTable | Sliced,
        crowd: Crowd,
        known: Known,
        away: NDArray[np.bool_] | None = None,
        *,
        rng: np.random.Generator,
    ) -> ValueGuesses:
        """Guess the value of every person; those ``away`` are known not to be in the table, and get what classes show.

        Raises:
            ParameterError: there is nothing to replay, or the crowd is not that of the release.
        """
        return self.replay(release, crowd, rng).guess(self, known, away)

    def replay(self, release: GeneralisedTable | Sliced, crowd: Crowd, rng: np.random.Generator) -> Replay:
        """Rule out worlds of every class, once for all persons and all sensitive attributes."""
        why = why_not(release)
        if why:
            raise ParameterError(why)
        if len(crowd) != len(release):
            message = (
                f"the reader must know everybody in the release: it has {len(release):,} rows, and {len(crowd):,}"
                " persons are known; give all of them, and nobody else"
            )
            raise ParameterError(message)
        view = Buckets.of(crowd.known.reads(release))
        placed = Placed.of(view, crowd, release.k, strict=release.parameters.get("mode") != "relaxed")
        demands = Demands.of(view, release.parameters["constraints"])
        axes = crowd.axes
        found = _Classes(self, view, placed, demands, axes, release)
        chances, possible, notes = found.replayed(rng)
        return Replay(release, view, placed, chances, possible, notes)


@dataclass(frozen=True, eq=False)
class Replay:
    """What a release tells about looks (distinct quasi-identifiers) of the crowd, as rows of the release.

    Attributes:
        release: the release.
        view: the same as classes.
        placed: which look is in which class.
        chances: for looks whose class is known: how likely they have each kind of the class.
        possible: whether they may have it.
        notes: what was done.
    """

    release: GeneralisedTable | Sliced
    view: Buckets
    placed: Placed
    chances: dict[int, tuple[Longs, NDArray[np.float64]]]
    possible: dict[int, NDArray[np.bool_]]
    notes: dict[str, Any]

    def guess(self, attack: Replayed, known: Known, away: NDArray[np.bool_] | None = None) -> ValueGuesses:
        """What follows for persons."""
        plain = AttributeDisclosure(attack.attribute, "rows").guess(self.release, known)
        place = self.view.position(plain.attribute)
        domain = self.view.domains[place]
        value_of_row = domain.members[domain.member_offsets[self.view.cells[:, place]]]
        candidate, confidence = plain.candidate.copy(), plain.confidence.copy()
        matched, found = plain.matched.copy(), plain.found.copy()
        look_of = self.placed.look_of(self.view, known)
        here = np.ones(len(known), bool) if away is None else ~away
        for person in np.flatnonzero(here & (look_of >= 0)).tolist():
            look = int(look_of[person])
            if look not in self.chances:
                continue
            rows, chances = self.chances[look]
            values = value_of_row[rows]
            confidence[person] = np.bincount(values, chances, len(plain.values))
            candidate[person] = np.bincount(values, self.possible[look], len(plain.values)) > 0
            matched[person], found[person] = 1, Found.EVERYWHERE
        return replace(
            plain,
            candidate=candidate,
            confidence=confidence,
            matched=matched,
            found=found,
            attack=attack.parameters,
            notes=self.notes,
        )


@dataclass(frozen=True, eq=False)
class _Classes:
    """All classes of a release, one after the other."""

    attack: Replayed
    view: Buckets
    placed: Placed
    demands: Demands
    axes: tuple[Axis, ...]
    release: GeneralisedTable | Sliced

    def replayed(
        self, rng: np.random.Generator
    ) -> tuple[dict[int, tuple[Longs, NDArray[np.float64]]], dict[int, NDArray[np.bool_]], dict[str, Any]]:
        """What each look whose class is known may have; rows of the release stand for kinds."""
        told = self.release.parameters
        proof, relaxed = told.get("partition") == REPLAY_PROOF, told.get("mode") == "relaxed"
        everybody = np.arange(len(self.placed.look))
        widest = [axis.width(everybody) for axis in self.axes]
        notes = dict.fromkeys(("classes", "unplaced", "alike", "uncut", "ruled_out", "sampled", "unknown"), 0)
        fewest = self.attack.draws
        chances: dict[int, tuple[Longs, NDArray[np.float64]]] = {}
        possible: dict[int, NDArray[np.bool_]] = {}
        notes["classes"] = len(self.view)
        for number, rows in enumerate(self.placed.rows_of_class):
            if rows is None:
                notes["unplaced"] += 1
                continue
            first, copies = self._kinds(number)
            cuts = None
            if len(rows) >= 2 * self.release.k:
                if may_be_two(self.axes, rows, self.release.k, relaxed=relaxed):
                    notes["alike"] += 1
                elif proof:
                    cuts = first_cut(self.axes, widest, rows, self.release.k, relaxed=relaxed)
                else:
                    cuts = every_cut(self.axes, rows, self.release.k)
            if cuts is None or len(copies) == 1:
                share = copies / copies.sum()
                for look in np.unique(self.placed.look[rows]).tolist():
                    chances[look], possible[look] = (first, share), np.ones(len(copies), bool)
                continue
            notes["uncut"] += 1
            worlds = self._worlds(cuts, first, copies, rng)
            notes["ruled_out"] += worlds.kept < 1.0 - 1e-9
            notes["sampled"] += worlds.worlds > 0
            notes["unknown"] += not worlds.known
            fewest = min(fewest, worlds.worlds) if worlds.worlds else fewest
            for look, cell in zip(self.placed.look[rows].tolist(), cuts.cell_of_row.tolist(), strict=True):
                chances[look], possible[look] = (first, worlds.chances[cell]), worlds.possible[cell]
        return chances, possible, {**notes, "fewest_worlds": fewest if notes["sampled"] else None}

    def _kinds(self, number: int) -> tuple[Longs, Longs]:
        """Distinct combinations of sensitive values in a class: a row of each, and how many have it; most last."""
        rows = np.arange(self.view.offsets[number], self.view.offsets[number + 1])
        secret = self.view.cells[rows][:, self.view.sensitive]
        _, first, copies = np.unique(row_numbers(secret), return_index=True, return_counts=True)
        order = np.argsort(copies, kind="stable")
        return rows[first[order]], copies[order].astype(np.int64)

    def _worlds(self, cuts: Cuts, first: Longs, copies: Longs, rng: np.random.Generator) -> Worlds:
        values = self.demands.values[first]
        found = ClassWorlds.of(self.demands.rules, cuts, values, copies, self.attack.draws, self.attack.most)
        return found.left(rng)
