"""Audit a table that others made, with whatever tool, against its original: the same loop, with what was published."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cloven.audit.decision import Limits
from cloven.audit.loop import Audit
from cloven.data.defaults import SEED
from cloven.kinds.tables.foreign.kind import AsPublished
from cloven.kinds.tables.foreign.table import read_foreign
from cloven.threats import Effort, Knowledge

if TYPE_CHECKING:
    from pathlib import Path

    from cloven.audit.report import AuditReport
    from cloven.data.schema import Schema


def audit_published(
    published: str | Path | Any,
    original: str | Path | Any,
    schema: Schema | None = None,
    *,
    limits: Limits | None = None,
    effort: Effort | None = None,
    knowledge: Knowledge | None = None,
    seed: int = SEED,
) -> AuditReport:
    """Audit a k-anonymous or otherwise generalised table that was made elsewhere.

    Classes are rows that look alike on the quasi-identifiers; k, l and t are found in them. Attackers know what the
    original holds of a person; what they are told of people in the release is held against what they are told of the
    same people once their rows are taken out. The release stays where it is: ``write`` writes the report alone.

    Args:
        published: path of the published table (CSV, Parquet), or a frame.
        original: path of the table that it was made from, or a frame.
        schema: what the columns are; None finds it out and tells it, and nothing is to be published on
            it.
        limits: what the owner accepts.
        effort: how thoroughly to measure.
        knowledge: what attackers may have, beside the release.
        seed: for measurements.

    Raises:
        InputError: the files cannot be original and published.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [*range(20, 60)], "ill": ["flu", "gout", "mumps", "zoster"] * 10})
    >>> made = pa.table({"age": ["[20, 40["] * 20 + ["[40, 60["] * 20, "ill": people["ill"]})
    >>> report = audit_published(made, people)
    >>> report.audit.method.k, report.audit.method.l, report.decision.verdict
    (20, 4, 'do not publish')
    """
    plan, data = plan_of(published, original, schema)
    return audit_with(
        replace(
            plan,
            knowledge=knowledge or Knowledge(),
            limits=limits or Limits(),
            effort=effort or Effort(),
            seed=seed,
        ),
        data,
    )


def plan_of(
    published: Any, original: Any, schema: Schema | None = None, title: str = ""
) -> tuple[Audit, Any]:
    """How such a table is audited, and its original."""
    table = read_foreign(published, original, schema)
    return Audit(AsPublished.of(table), advise=False, title=title), table.data


def audit_with(plan: Audit, data: Any, **watching: Any) -> AuditReport:
    """Run a plan; ``watching`` is what ``Audit.run`` takes."""
    found = plan.run(data, **watching)
    return replace(found, decision=found.decision.made_elsewhere(), kept_elsewhere=True)
