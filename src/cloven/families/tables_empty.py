"""A table from which noise has taken every row: what an audit says of it.

Differential privacy covers that a table is empty like any other answer, and only if it is published as it is: whoever
refuses it and runs again until something is left publishes what was chosen by looking, and spends more than eps. So it
is written, verified and kept. But that nobody could be attacked is no reason to publish: nothing is left that anybody
could use, and the verdict says that.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cloven.measure.tables.utility import COUNTS, SENSITIVE_COUNTS
from cloven.model.audience import Said
from cloven.model.measured import Measured, Utility

if TYPE_CHECKING:
    from cloven.model.published_table import GeneralisedTable, Sliced
    from cloven.model.risk import Risk
    from cloven.model.table import Table
    from cloven.threats import Case, Threat

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


def nothing_left(release: GeneralisedTable | Sliced) -> tuple[Said, ...]:
    """What speaks against publishing a table without rows; anybody who has it sees that there are none."""
    return () if len(release) else (Said(f"{LOST} {SPENT}", LOST),)


def no_utility(data: Table) -> Utility:
    """All is lost."""
    about = "no row is left to count"
    names = [SENSITIVE_COUNTS] if data.positions("sensitive") else []
    lost = tuple(Measured(name, 0.0, None, None, 1.0, 0.0, about) for name in (*names, COUNTS))
    return Utility(lost[0].name, lost)
