"""Published tables, as an audit sees them: generalised and sliced ones."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import ceil, inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.given import expect_table
from cloven.disclosure.audience import Said, is_differentially_private
from cloven.disclosure.outcome import Measured, Utility
from cloven.disclosure.risk import MAX_TAIL, ROUNDING
from cloven.errors import shorten
from cloven.figures import numbered, percent
from cloven.kinds.doubts import FEWEST_CANDIDATES, little_promised, rows_of_one_person, too_few
from cloven.kinds.tables.attack.known_person import readers
from cloven.kinds.tables.attack.together import shown_together
from cloven.kinds.tables.buckets import Buckets
from cloven.kinds.tables.cells import shown_release
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.methods.slicing import Slicing, largest_l
from cloven.kinds.tables.release import GeneralisedTable, Sliced
from cloven.kinds.tables.score.trial import told_of_values
from cloven.kinds.tables.threats import (
    another_release,
    being_in_the_table,
    known_person,
    learns,
    persons_row,
    replays,
    word_meanings,
)
from cloven.kinds.tables.utility import COUNTS, SENSITIVE_COUNTS
from cloven.kinds.tables.words import (
    REPLAY_PROOF,
    cautions,
    lone_ends,
    made,
    nearly_told,
    one_harmful_value,
    single_values,
    summary,
    told_together,
)
from cloven.statistics.outsiders import MOST, SHARE
from cloven.threats import Knowledge, OtherRelease, unusable_release

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from cloven.data.table import Table
    from cloven.disclosure.risk import Risk
    from cloven.kinds.people import Everybody
    from cloven.kinds.tables.description import TableDescription
    from cloven.kinds.tables.key import PublishedTable
    from cloven.kinds.tables.release import TableRelease
    from cloven.threats import Case, Effort, Threat
    from cloven.verification import Verdict


@dataclass(frozen=True)
class TablesFamily:
    """What to do with published tables. Methods are whatever makes them: Mondrian, slicing, UL, Anatomy, ...

    Utility goes by the agreement of counts by quasi-identifiers and the sensitive attribute: the smaller of both
    answers over the larger one. Without a sensitive attribute it is that of counts by quasi-identifiers.
    """

    name: str = "tables"

    def describe(self, data: Table, method: Any, rng: np.random.Generator) -> TableDescription:  # noqa: ARG002
        """Figures of the data."""
        from cloven.kinds.tables.description import describe_table

        expect_table(data, "this method")
        return describe_table(data, method.k)

    def fingerprint(self, data: Table) -> str:
        """SHA-256 of the data."""
        from cloven.storage.fingerprint import fingerprint

        return fingerprint(data)

    def verify(self, data: Table, result: PublishedTable) -> Verdict:
        """Check what is published with all that is known; a seed was asked for, and is told as a caution."""
        from cloven.kinds.tables.verify.checker import verify_table

        return verify_table(shown_release(result.release), data, result.key, allow_seeded=True)

    def threats(self, method: Any, knowledge: Knowledge) -> tuple[Threat, ...]:  # noqa: ARG002
        """Every attacker that there is something to try with."""
        others = [
            other if isinstance(other, OtherRelease) else OtherRelease(other) for other in knowledge.releases
        ]
        every = (
            known_person(),
            learns(),
            replays(),
            persons_row(),
            *([] if knowledge.relatedness is None else [word_meanings(knowledge.relatedness)]),
            *(_having(other, numbered(number)) for number, other in enumerate(others, 1)),
            being_in_the_table(),
        )
        return tuple(map(unless_empty, every))

    def utility(
        self, data: Table, result: PublishedTable, effort: Effort, rng: np.random.Generator
    ) -> Utility:
        """What is kept of the data; queries are cheap, so that there are as many at every effort."""
        from cloven.kinds.tables.utility import table_utility

        if not len(result.release):
            return no_utility(data)
        hidden = len(result.key.suppressed)
        found = table_utility(data, result.release, rng, suppressed=hidden, rules=effort.rules)
        first = sorted(found.measures, key=lambda each: each.name != found.headline)
        done = (COUNTS, SENSITIVE_COUNTS, "classification")
        known = {each.name for each in first}
        return Utility(found.headline, tuple(first), tuple(name for name in done if name in known))

    def published(self, release: TableRelease) -> dict[str, int]:
        """Counts that anybody can read off the release."""
        from cloven.storage.manifest import count

        return count(shown_release(release))

    def counts(self, data: Table, result: PublishedTable) -> dict[str, int | float]:
        """Counts that only the owner knows."""
        shown = self.published(result.release)
        return {name: value for name, value in summary(data, result).items() if name not in shown}

    def sizes(self, release: TableRelease) -> list[int]:
        """Size of every class or bucket."""
        return [int(size) for size in Buckets.of(release).sizes]

    def cautions(
        self, data: Table, method: Any, result: PublishedTable, figures: dict[str, Any] | None = None
    ) -> list[str]:
        """What an owner should know before publishing, each with what to do."""
        told = cautions(summary(data, result) if figures is None else figures, method, result.release)
        return [*told, *single_values(data, result.release, method), *lone_ends(data, result.release)]

    def made(self, published: Mapping[str, int | float]) -> str:
        """What a table is made of, in words."""
        return made(published)

    def shares_totals(self, method: Any) -> bool:
        """Whether totals over the rows may be public; beside differential privacy they are not."""
        return not is_differentially_private(method.parameters)

    def doubts(self, data: Table, method: Any, result: PublishedTable) -> tuple[Said, ...]:
        """What speaks against publishing, whatever attackers reach."""
        of_people = (*nothing_left(result.release), *too_few(data.people), *rows_of_one_person(data))
        if is_differentially_private(method.parameters) or not len(result.release):
            return of_people
        values = (
            *one_harmful_value(data, result.release),
            *nearly_told(data, result.release),
            *told_together(shown_together(result.release)),
        )
        return (*little_promised(method.k), *values, *of_people)

    def remedies(
        self, method: Any, risks: tuple[Risk, ...], limit: float, data: Table | None = None
    ) -> dict[str, Any]:
        """Settings that may hold where this one does not: what to type (an audit completes --methods) -> the method.

        A limit of one in n needs at least n equally likely values; attackers do better than that where values go with
        quasi-identifiers, so more are tried too. Larger groups are tried if they do not move the limit, which is 1/k
        unless the owner sets another. Where coarse rows do not hold, slicing may: it hides which values go together.
        Where no attacker gets past a limit, but quasi-identifiers are shown as they are, coarse rows may hold.
        Buckets that are dealt by lot hold better beside another release than those of alike people.
        """
        names = {field.name for field in fields(method)}
        out: dict[str, Any] = {}
        if "k" in names and method.k < FEWEST_CANDIDATES:
            out[f"--methods k={FEWEST_CANDIDATES}"] = replace(method, k=FEWEST_CANDIDATES)
        largest, different = (inf, inf) if data is None else (sure_l(data), _fewest_values(data))
        if not any(
            risk.exceeds(limit) or risk.broken or risk.tails_beyond(MAX_TAIL, limit) for risk in risks
        ):
            if not isinstance(method, Mondrian) and "l" in names and different >= DISTINCT_L:
                k = max(method.k, FEWEST_CANDIDATES)
                out["--methods mondrian"] = Mondrian(
                    k=k, l=int(min(different, max(DISTINCT_L, method.l or 0)))
                )
            return out
        least = ceil(1 / max(limit, 0.01) - ROUNDING)
        if "l" in names:
            first = max((method.l or 1) + 1, least)
            for more in (first, first + ceil(first / 3)):
                if more <= (different if isinstance(method, Mondrian) else largest):
                    out[f"--methods l={more}"] = replace(method, l=more)
        if "k" in names and abs(limit - 1 / method.k) > ROUNDING:
            out[f"--methods k={2 * method.k}"] = replace(method, k=2 * method.k)
        if "eps" in names and method.eps > 0.01:
            out[f"--methods eps={method.eps / 2:g}"] = replace(method, eps=method.eps / 2)
        if (
            isinstance(method, Slicing)
            and method.partition not in (None, REPLAY_PROOF)
            and not method.companions
        ):
            for more in (each for each in (method.l, max(method.l + 1, least)) if each <= largest):
                dealt = replace(method, partition=REPLAY_PROOF, l=more)
                out[f"--methods partition={REPLAY_PROOF} l={more}"] = dealt
        if isinstance(method, Mondrian) and method.demanded and method.partition != REPLAY_PROOF:
            out[f"--methods partition={REPLAY_PROOF}"] = replace(method, partition=REPLAY_PROOF)
        if type(method) is not Slicing and (data is None or not counts_persons(data)):
            for more in (each for each in (max(2, least), max(2, least) + 1) if each <= largest):
                out[f"--methods slicing l={more}"] = Slicing(k=max(method.k, FEWEST_CANDIDATES), l=more)
        return out

    def write(self, result: PublishedTable, public: Path, private: Path, original: Table | None) -> str:
        """Check what is published once more, write it and the owner's key to two new folders."""
        from cloven.kinds.tables.verify.checker import verify_table
        from cloven.storage.release import write_key, write_public

        shown = replace(result, release=shown_release(result.release))
        verify_table(shown.release, allow_seeded=True).raise_if_broken()
        digest = write_public(shown.release, public, "parquet")
        write_key(shown, private, manifest_sha256=digest, original=original)
        return digest

    def read(self, public: Path, private: Path) -> PublishedTable:
        """Read back what ``write`` wrote."""
        from cloven.kinds.tables.key import PublishedTable
        from cloven.kinds.tables.private_files import read_key
        from cloven.storage.release import read_table_release

        release = read_table_release(public, "this family")
        return PublishedTable(release, read_key(private, release))

    def told_of_everybody(
        self, data: Table, release: TableRelease, m: int | None, sensitive: Collection[str]
    ) -> Everybody:
        """What each reader tells of the sensitive values of every person."""
        return told_of_values(data, release, readers(release), m, sensitive)


# What an audit takes where the owner does not say it, and why.


USUAL_L, DISTINCT_L = 6, 2
"""What slicing promises if nobody says otherwise; and different values in a class of Mondrian."""
SURELY = 4.0
"""Standard deviations that a draw of people practically never is away from what is expected."""


def counts_persons(data: Table) -> bool:
    """Whether persons, or near numbers, have to be counted, which Mondrian alone can."""
    return data.several_each or any(attribute.harm.within for attribute in data.attributes)


def sure_l(data: Table) -> int:
    """The largest l that the table keeps even where an audit leaves people out of it, whoever they are.

    The most common value may be more common among those who stay; how many of them have it is hypergeometric.

    >>> import cloven as cv
    >>> import pyarrow as pa
    >>> people = {"age": list(range(100)), "ill": ["flu", "gout"] * 50}
    >>> table = cv.read_table(pa.table(people), cv.Schema.of(["age"], ["ill"]))
    >>> largest_l(table), sure_l(table)
    (2, 1)
    """
    rows = len(data)
    most = max(
        (int(np.bincount(data.codes[:, place]).max()) for place in data.positions("sensitive")), default=0
    )
    if not most or rows < 2:
        return largest_l(data)
    share, stay = most / rows, rows - min(MOST, int(rows * SHARE))
    deviation = sqrt(stay * share * (1 - share) * (rows - stay) / (rows - 1))
    return int(stay / min(float(most), stay * share + SURELY * deviation))


def suggested(data: Table) -> tuple[str, str]:
    """The method for a table, as a setting, and why it is not slicing, or with a smaller l than usual.

    >>> import cloven as cv
    >>> import pyarrow as pa
    >>> people = {"age": [20, 21, 30, 33], "ill": ["flu", "flu", "flu", "gout"]}
    >>> suggested(cv.read_table(pa.table(people), cv.Schema.of(["age"], ["ill"])))[1]
    "mondrian: 75.0 % of the rows have ill = 'flu', and slicing hides no value that more than half have"
    """
    if not data.names("sensitive"):
        return "mondrian", "mondrian: no column is sensitive, so there is nothing to slice"
    if counts_persons(data):
        what = (
            "persons have several rows"
            if data.several_each
            else "numbers that lie near to each other count as one"
        )
        return f"mondrian:l={DISTINCT_L}", f"mondrian: {what}, which other methods do not count"
    if _fewest_values(data) < DISTINCT_L:
        return "mondrian", "mondrian: everybody has one value of a sensitive column, which no method hides"
    largest, commonest = sure_l(data), _commonest(data)
    if largest < DISTINCT_L:
        part = "more than" if largest_l(data) < DISTINCT_L else "about"
        why = f"mondrian: {commonest}, and slicing hides no value that {part} half have"
        return f"mondrian:l={DISTINCT_L}", why
    if largest < USUAL_L:
        return (
            f"slicing:l={largest}",
            f"l={largest}: the largest that leaves room to audit without a fifth of the people, as {commonest};"
            f" {USUAL_L} is usual",
        )
    return (
        "slicing",
        f"l={USUAL_L}: nobody's value is told with a chance above 1/{USUAL_L}, the usual promise",
    )


def _fewest_values(data: Table) -> int:
    """Different values of the sensitive attribute that has fewest: no class can have more."""
    return min((len(np.unique(data.codes[:, place])) for place in data.positions("sensitive")), default=0)


def _commonest(data: Table) -> str:
    """How many have the most common sensitive value."""
    found = []
    for place in data.positions("sensitive"):
        counts = np.bincount(data.codes[:, place], minlength=1)
        found.append((int(counts.max()), data.attributes[place], int(counts.argmax())))
    most, attribute, code = max(found, key=lambda each: each[0])
    return (
        f"{percent(most / len(data))} of the rows have {attribute.name} = {shorten(attribute.values[code])}"
    )


# A table from which noise has taken every row: what an audit says of it.
#
# Differential privacy covers that a table is empty like any other answer, and only if it is published as it is: whoever
# refuses it and runs again until something is left publishes what was chosen by looking, and spends more than eps. So
# it is written, verified and kept. But that nobody could be attacked is no reason to publish: nothing is left that
# anybody could use, and the verdict says that.


NOBODY = "the table holds no row, so nobody is told anything"
LOST = "The table holds no row: noise has taken all of them away, and nothing is left that anybody could use."
SPENT = (
    "The promise holds. To run again because this one is empty is to choose by looking: it adds the eps of the other"
    " run even if only that one is published, so give it one that leaves rows, and count both."
)


def unless_empty(threat: Threat) -> Threat:
    """The same attacker, who has nothing to read in a table without rows."""

    def attempt(asked: Threat, case: Case) -> Risk:
        if len(case.result.release):
            return threat.attempt(asked, case)
        return asked.risk(not_tried=NOBODY, counts=False)

    return replace(threat, attempt=attempt)


def nothing_left(release: TableRelease) -> tuple[Said, ...]:
    """What speaks against publishing a table without rows; anybody who has it sees that there are none."""
    return () if len(release) else (Said(f"{LOST} {SPENT}", LOST),)


def no_utility(data: Table) -> Utility:
    """All is lost."""
    about = "no row is left to count"
    names = [SENSITIVE_COUNTS] if data.positions("sensitive") else []
    lost = tuple(Measured(name, 0.0, None, None, 1.0, 0.0, about) for name in (*names, COUNTS))
    return Utility(lost[0].name, lost)


def _having(other: OtherRelease, name: str) -> Threat:
    """Somebody who has another release, of whatever kind."""
    if isinstance(other.release, GeneralisedTable | Sliced):
        return another_release(other.release, name, other.shared)
    return unusable_release(other.release, name)


KIND = TablesFamily
