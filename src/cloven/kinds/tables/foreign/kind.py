"""A table that others made, as an audit sees it: one of our tables whose method nobody knows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cloven.disclosure.audience import Said
from cloven.figures import many
from cloven.kinds.doubts import little_promised, rows_of_one_person, too_few
from cloven.kinds.tables.attack.known_person import plain
from cloven.kinds.tables.foreign.notes import objections, remarks
from cloven.kinds.tables.foreign.table import ForeignTable, restricted, rounded_up
from cloven.kinds.tables.foreign.threats import among_members, names_left_in, nearest_ranges, unpromised
from cloven.kinds.tables.kind import TablesFamily
from cloven.kinds.tables.score.trial import known_looks
from cloven.kinds.tables.score.truth import Truth, value_telling
from cloven.kinds.tables.words import AS_PUBLISHED, nearly_told, one_harmful_value
from cloven.verification import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from cloven.data.table import Table
    from cloven.disclosure.risk import Risk
    from cloven.kinds.tables.key import PublishedTable
    from cloven.threats import Knowledge, Threat
    from cloven.verification import Check

REMEDY = "ask for an l-diversity of 2 or more where it was made"


@dataclass(frozen=True)
class ForeignFamily(TablesFamily):
    """What differs from tables of our own: the method cannot be run again, and nothing is promised but what is found.

    People outside the release are those whose rows are taken out of it: what is told of them then is what the rows of
    others tell. A check that fails is no fault of ours to stop at, but a reason not to publish.
    """

    def verify(self, data: Table, result: PublishedTable) -> Verdict:
        """Check that the table is what was found in it; failures are told by ``doubts``."""
        found = super().verify(data, result)
        return Verdict(found.level, tuple(map(_told, found.checks)))

    def threats(self, method: Any, knowledge: Knowledge) -> tuple[Threat, ...]:
        """Every attacker of tables, asking about people who are in it; and those who read names and ends of ranges."""
        table: ForeignTable = method.table
        every = (*super().threats(method, knowledge), nearest_ranges(table))
        asking = [among_members(each) if each.linkage == "attribute" else each for each in every]
        # Rows that show a value are likelier than those that lack it: 1/k is not kept to the last row there.
        held = asking if table.judged == table.k else map(unpromised, asking)
        return (names_left_in(table), *held)

    def doubts(self, data: Table, method: Any, result: PublishedTable) -> tuple[Said, ...]:
        """What speaks against publishing, whatever attackers reach."""
        checks = super().verify(data, result).failures
        broken = [Said(f"Check {check.name}: {check.detail}.", "A check failed.") for check in checks]
        return (
            *broken,
            *_known_for_certain(data, method.table, result),
            *little_promised(method.k),
            *too_few(data.people - len(result.key.suppressed)),
            *rows_of_one_person(data),
            *objections(method.table),
        )

    def cautions(
        self,
        data: Table,  # noqa: ARG002
        method: Any,
        result: PublishedTable,  # noqa: ARG002
        figures: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> list[str]:
        """What an owner should know."""
        return list(remarks(method.table))

    def remedies(
        self,
        method: Any,  # noqa: ARG002
        risks: tuple[Risk, ...],  # noqa: ARG002
        limit: float,  # noqa: ARG002
        data: Table | None = None,  # noqa: ARG002
    ) -> dict[str, Any]:
        """None: whoever made the table can make another."""
        return {}

    def write(self, result: PublishedTable, public: Path, private: Path, original: Table | None) -> str:
        """Nothing is written: the release lies where its maker put it."""
        raise NotImplementedError


def _known_for_certain(data: Table, table: ForeignTable, result: PublishedTable) -> tuple[Said, ...]:
    """What speaks against publishing: people whose sensitive value is certain, or nearly.

    Where values were taken out, a person fits rows of several classes, and all of them count. Where ranges overlap the
    class may still be known, so that each is looked at by itself.
    """
    if table.judged == table.k:
        return (*one_harmful_value(data, result.release, REMEDY), *nearly_told(data, result.release))
    rows = np.flatnonzero(~np.isin(data.source_rows, result.key.suppressed))
    known, out = known_looks(data, result.release, rows), []
    for name in data.names("sensitive"):
        told = value_telling(plain(result.release, known, name), Truth.of(data, name, rows))
        certain = int(told.certain.sum())
        if certain:
            shows = "certain, or nearly: all rows that fit show one value"
            sentence = f"Of {many(certain, 'person')} {name} is {shows}; {REMEDY}."
            out.append(Said(sentence, "Of some people a sensitive value is certain."))
    return tuple(out)


def _told(check: Check) -> Check:
    return check if check.passed else replace(check, passed=True, decided=False)


@dataclass(frozen=True, eq=False)
class AsPublished:
    """The "method" of a table that others made: it gives what was published, of whomever is asked for.

    Attributes:
        k: what was found: rows of the smallest class, where a value that was taken out looks like any other.
        l: different sensitive values of a class, at least; None if nothing is sensitive.
        t: distance of a class from the whole table, at most.
        table: what was read.
    """

    k: int
    l: int | None
    t: float | None
    table: ForeignTable = field(repr=False)

    family: ClassVar[ForeignFamily] = ForeignFamily()

    @classmethod
    def of(cls, table: ForeignTable) -> AsPublished:
        """With what was found in a table."""
        found = table.diversities
        l = min((each.distinct for each in found), default=None)
        t = max((rounded_up(each.t) for each in found), default=None)
        return cls(table.judged, l, t, table)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What anybody can find in the table, as plain JSON values."""
        found: dict[str, Any] = {"method": AS_PUBLISHED, "k": self.k, "l": self.l, "t": self.t}
        if self.k != self.table.k:
            found["k by looks"] = self.table.k
        for each in self.table.diversities:
            found |= {
                f"distinct l of {each.attribute}": each.distinct,
                f"entropy l of {each.attribute}": round(each.entropy, 4),
                f"recursive c of {each.attribute}": None
                if each.recursive is None
                else round(each.recursive, 4),
                f"t of {each.attribute}": rounded_up(each.t),
                f"distance of {each.attribute}": "ordered" if each.ordered else "equal",
            }
        return {name: value for name, value in found.items() if value is not None}

    def anonymise(
        self,
        data: Table,
        progress: Callable[[str, float], None] | None = None,  # noqa: ARG002
    ) -> PublishedTable:
        """What was published of these people: the table itself, or what is left of it without the rows of others."""
        if np.array_equal(data.source_rows, self.table.data.source_rows):
            return self.table.result
        return restricted(self.table.result, data.source_rows)
