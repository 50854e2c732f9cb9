"""What tells one audit from another: finished steps are taken up again only by the audit that they belong to."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cloven.audit.loop import Audit


def identity(plan: Audit) -> str:
    """All that the steps of an audit depend on, beside the data, as one text that is the same in every process.

    >>> from cloven.audit.loop import Audit
    >>> identity(Audit(seed=1)) == identity(Audit(seed=1)), identity(Audit(seed=1)) == identity(Audit(seed=2))
    (True, False)
    """
    given = (
        plan.method,
        plan.knowledge.relatedness,
        plan.effort,
        plan.limits.max_risk,
        plan.limits.max_tail,
        plan.rivals,
        plan.threats,
        plan.seed,
    )
    return repr(_ordered(given))


def _ordered(value: Any) -> Any:
    """The same with sets in order: Python shows them in another one in every process."""
    if isinstance(value, set | frozenset):
        return sorted(map(repr, map(_ordered, value)))
    if isinstance(value, tuple | list):
        return [_ordered(each) for each in value]
    if isinstance(value, dict):
        return [(_ordered(name), _ordered(each)) for name, each in value.items()]
    if is_dataclass(value) and not isinstance(value, type):
        shown = [(each.name, _ordered(getattr(value, each.name))) for each in fields(value) if each.repr]
        return [type(value).__name__, shown]
    return value
