"""Audits of a few people, so that what larger ones need is compiled."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from cloven.audit.loop import Audit
from cloven.compiled import rehearsed
from cloven.errors import ClovenError
from cloven.registry import families, family_of
from cloven.threats import Effort

if TYPE_CHECKING:
    from cloven.threats import Threat

PEOPLE = 120


def rehearse(family: str) -> None:
    """A quick audit by each method of a family; a method that cannot treat so few people is left out."""
    data, knowledge, methods = families()[family]().rehearsal(PEOPLE)
    for method in methods:
        with suppress(ClovenError):
            Audit(method, knowledge, effort=Effort().quick(), advise=False, seed=0).run(data)


def rehearsed_beside(plan: Audit) -> None:
    """Where this is the first run, have a second process compile what will be needed."""
    family = family_of(plan.method)
    threats: tuple[Threat, ...] = (
        family.threats(plan.method, plan.knowledge) if plan.threats is None else plan.threats
    )
    rehearsed(rehearse, family.name, *(threat.kernel for threat in threats if threat.kernel is not None))
