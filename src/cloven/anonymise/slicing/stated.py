"""What is possible must be stated, not read off the rows: else one person's value shows in what is published.

Differential privacy speaks of what is drawn from the rows. A domain that is read off them (the largest income, an
illness that one person has) is told for certain, whatever noise is added.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cloven.errors import ParameterError
from cloven.model.number_blocks import number_text

if TYPE_CHECKING:
    from cloven.model.table import Attribute, Table


def check_stated(table: Table, method: str) -> None:
    """Refuse a table of which the owner does not state what values there can be, and say what to write."""
    lines = [line for attribute in table.attributes if (line := _missing(attribute))]
    if lines:
        message = (
            f"{method} promises nothing if possible values are read off the rows, as one person's may be among them;"
            f" write into the schema, from what is known without this table: {'; '.join(lines)}; or do without the"
            ' promise: domains = "from-data" (--domains from-data)'
        )
        raise ParameterError(message)


def _missing(attribute: Attribute) -> str:
    """What to write for an attribute; nothing if enough is said."""
    section = f"[columns.{_quoted(attribute.name)}]"
    if attribute.role == "ignored":
        return ""
    if attribute.numbers is None:
        return "" if attribute.stated else f'{section} values = ["...", "..."]'
    if not attribute.stated:
        return f"{section} range = [LOWEST, HIGHEST]"
    if attribute.role == "sensitive" and attribute.blocks is not None and not attribute.blocks.single:
        return f"{section} range = [LOWEST, HIGHEST] without round or cuts, as it is shown number by number"
    return ""


def _quoted(name: str) -> str:
    plain = name.replace("-", "").replace("_", "")
    return name if plain.isascii() and plain.isalnum() else '"' + name + '"'


def in_blocks(table: Table) -> Table:
    """The table with numbers by block where there are blocks: a number is the first one of its block."""
    codes = table.codes.copy()
    attributes = list(table.attributes)
    for place, attribute in enumerate(table.attributes):
        if attribute.numbers is not None and attribute.blocks is not None and attribute.tree is None:
            codes[:, place] = attribute.blocks.of(attribute.numbers)[codes[:, place]]
            lows = attribute.blocks.lows
            attributes[place] = replace(
                attribute, values=tuple(map(number_text, lows.tolist())), numbers=lows
            )
    return replace(table, attributes=tuple(attributes), codes=codes)
