"""What ``cloven audit TABLE --schema FILE`` audits: the first of --methods, compared with the others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cloven.audit import Audit
from cloven.cli.disassociating import CHOSEN, Chosen
from cloven.cli.sharing import with_shared
from cloven.cli.table_options import (
    fit_rules,
    named_table,
    read_persons,
    refuse_methods,
    refuse_of_sets,
)
from cloven.settings import parse_setting, split_settings

if TYPE_CHECKING:
    from pathlib import Path

    from cloven.cli.auditing import Wanted
    from cloven.io.tables_rules import Rules
    from cloven.model.table import Table
    from cloven.protocols import Anonymiser

DEFAULT, BY_PERSONS = "slicing", "mondrian:l=2"
"""What is audited if no method is named; and where not rows but persons are counted."""


def table_plan(
    file: Path | None,
    schema: Path,
    chosen: Chosen,
    wanted: Wanted,
    rules: Rules,
    seed: int | None,
    memory: float | None = None,
) -> tuple[Table, Audit]:
    """The table, and how it is audited."""
    place = named_table(file)
    _methods(chosen, wanted, rules, DEFAULT)  # what cannot be meant is refused before anything is read
    data = read_persons(place, schema, memory)
    method, *rivals = _methods(chosen, wanted, rules, BY_PERSONS if _counts_persons(data) else DEFAULT)
    fit_rules(rules, data)
    return data, Audit(
        method,
        with_shared(wanted.knowledge(sample=False), data, schema, wanted.other_release, wanted.other_data),
        wanted.limits,
        replace(wanted.effort(data), rules=rules),
        tuple(rivals),
        wanted.threats,
        advise=wanted.advise,
        seed=seed,
        title=place.name,
    )


def _counts_persons(data: Table) -> bool:
    """Whether persons, or near numbers, have to be counted, which not every method can."""
    return data.several_each or any(attribute.harm.within for attribute in data.attributes)


def _methods(chosen: Chosen, wanted: Wanted, rules: Rules, default: str) -> list[Anonymiser]:
    """Methods in the order given, each once; k is -k for those that do not say otherwise."""
    of_sets = {name: value for name, value in chosen.given.items() if name != "k"}
    refuse_of_sets(CHOSEN.given(of_sets), "write parameters into --methods")
    shared: dict[str, Any] = {"rules": rules} | (
        {} if chosen.given["k"] is None else {"k": chosen.given["k"]}
    )
    found: list[Anonymiser] = []
    named = split_settings(wanted.methods or default)
    refuse_methods(named)
    for text in named:
        method = parse_setting(text, **shared)
        if method not in found:
            found.append(method)
    return found
