"""What ``cloven audit TABLE --schema FILE`` audits: the first of --methods, compared with the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.audit import Audit
from cloven.cli.disassociating import CHOSEN, Chosen
from cloven.cli.shell_words import flag_of
from cloven.cli.table_options import read_persons
from cloven.errors import ParameterError
from cloven.registry import table_anonymisers
from cloven.settings import parse_setting, split_settings

if TYPE_CHECKING:
    from pathlib import Path

    from cloven.cli.auditing import Wanted
    from cloven.model.table import Table
    from cloven.protocols import Anonymiser

DEFAULT = "slicing"


def table_plan(
    file: Path | None, schema: Path, chosen: Chosen, wanted: Wanted, seed: int | None
) -> tuple[Table, Audit]:
    """The table, and how it is audited."""
    if file is None:
        message = "--schema speaks of a table, and none is named; give the file too"
        raise ParameterError(message)
    method, *rivals = _methods(chosen, wanted)
    data = read_persons(file, schema)
    return data, Audit(
        method,
        wanted.knowledge(sample=False),
        wanted.limits,
        wanted.effort(data),
        tuple(rivals),
        wanted.threats,
        advise=wanted.advise,
        seed=seed,
        title=file.name,
    )


def _methods(chosen: Chosen, wanted: Wanted) -> list[Anonymiser]:
    """Methods in the order given, each once; k is -k for those that do not say otherwise."""
    for name, value in chosen.given.items():
        if name != "k" and value != CHOSEN.options[name][1]:
            flag = (CHOSEN.options[name][3] or (flag_of(name),))[0]
            message = f"{flag} is for sets of items, and this is a table; write parameters into --methods"
            raise ParameterError(message)
    shared = {} if chosen.given["k"] is None else {"k": chosen.given["k"]}
    found: list[Anonymiser] = []
    for text in split_settings(wanted.methods or DEFAULT):
        if text.partition(":")[0] not in table_anonymisers():
            known = ", ".join(table_anonymisers())
            message = f"method {text!r} is not for tables; those that are: {known}"
            raise ParameterError(message)
        method = parse_setting(text, **shared)
        if method not in found:
            found.append(method)
    return found
