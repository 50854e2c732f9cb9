"""What is to be said of a table that others made: what speaks against publishing it, and what its owner should know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.disclosure.audience import Said
from cloven.errors import shorten
from cloven.figures import many, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.kinds.tables.foreign.table import ForeignTable

CORRECT = "give --schema FILE to say otherwise"


def objections(table: ForeignTable) -> tuple[Said, ...]:
    """What speaks against publishing, whatever attackers reach; each with what to do."""
    return (
        *_nobodys(table),
        *_in_order(table),
        *_overlapping(table),
        *_unread(table),
        *_without_role(table),
        *_assumed(table),
    )


def _in_order(table: ForeignTable) -> list[Said]:
    """Rows in the order of the original: the number of a row names its person to whoever saw that."""
    if table.compared.links.way != "order":
        return []
    return [
        Said(
            "Rows stand in the order of the original, so that whoever has seen that knows whose each row is; shuffle"
            " the rows before you publish them.",
            "Rows stand in the order of the original.",
        )
    ]


def _overlapping(table: ForeignTable) -> list[Said]:
    return [
        Said(
            f"Ranges of column {name!r} overlap, so that their ends may tell who is meant: a range that was drawn"
            " around a value gives it away by its middle, however many people it holds; use ranges that part the"
            " people, or of which one holds the other.",
            "Ranges overlap, so that their ends may tell who is meant.",
        )
        for name in table.crossed
    ]


def _nobodys(table: ForeignTable) -> list[Said]:
    """Rows that are nobody's; or, where it is known whose they are, cells that do not hold what the person has."""
    lost, misfits, rows = table.compared.lost, table.compared.misfits, len(table.result.release)
    if misfits:
        return [
            Said(
                f"Column {name!r} does not show what the person behind the row has in {many(count, 'row')}, such as"
                f" {_first(cell.text)} for {_first(value)}: what these rows tell cannot be measured; find out what was"
                " done to the column.",
                "Some rows do not show what the person behind them has.",
            )
            for name, cell, value, count in misfits
        ]
    if not lost:
        return []
    return [
        Said(
            f"{many(lost, 'row')} of {rows:,} {'fit' if lost > 1 else 'fits'} nobody in the original who is not behind"
            " another row: values were changed or come from elsewhere, and what they tell cannot be measured; make the"
            " release from this original, or name the one it was made from.",
            "Some rows fit nobody in the original.",
        )
    ]


def _unread(table: ForeignTable) -> list[Said]:
    """Cells that cannot be read, where their column shows more than them: candidates may be fewer than counted."""
    shown = {domain.name: len(domain.labels) for domain in table.result.release.domains}
    columns = sorted({name for name, _, _ in table.compared.unread})
    out = []
    for column in columns:
        cells = [(cell, rows) for name, cell, rows in table.compared.unread if name == column]
        if len(cells) == 1 and shown[column] == 1:
            continue  # one cell for everybody tells nothing of anybody
        rows = sum(count for _, count in cells)
        out.append(
            Said(
                f"Column {column!r} shows {_first(cells[0][0].text)} and the like in {many(rows, 'row')}, which cannot"
                f" be read ({cells[0][0].why}): it may stand for fewer people than are counted here; name the hierarchy"
                " of the column in the schema (tree = FILE), and give it with --schema.",
                "What some cells stand for cannot be read.",
            )
        )
    return out


def _without_role(table: ForeignTable) -> list[Said]:
    return [
        *(
            Said(
                f"Column {name!r} is published and has no role, so that nobody was tried who knows it; give it one in"
                " the schema, or take it out.",
                "A column that is published was left out of the audit.",
            )
            for name in table.loose
        ),
        *(
            Said(
                f"Column {name!r} is published and not in the original, so that nobody knows what it tells; take it"
                " out, or give the original that has it.",
                "A column that is published was left out of the audit.",
            )
            for name in table.strange
        ),
    ]


def _assumed(table: ForeignTable) -> list[Said]:
    if not table.roles.assumed:
        return []
    return [
        Said(
            "What the columns are was found, not given, and all figures rest on it; look at the list of roles, and give"
            " --schema FILE with the right ones.",
            "What the columns are was assumed.",
        )
    ]


def remarks(table: ForeignTable) -> tuple[str, ...]:
    """What an owner should know, each with what to do."""
    return (*_roles(table), *_cells(table), *_fits(table), *_people(table))


def _roles(table: ForeignTable) -> list[str]:
    assumed = table.roles.assumed
    return [f"roles of the columns were found, {'; '.join(assumed)}; {CORRECT}"] if assumed else []


def _cells(table: ForeignTable) -> list[str]:
    out = [
        f"{_first(cell.text)} of {name} ({many(rows, 'row')}) cannot be read ({cell.why}) and is taken for any value"
        for name, cell, rows in table.compared.unread
    ]
    values = {each.name: each.values for each in table.data.attributes}
    out += [
        f"{_first(cell.text)} of {name} is no value of the original; the people behind it have"
        f" {_some([values[name][code] for code in cell.codes.tolist()])}, and it is taken for these"
        for name, cell in table.compared.learned
    ]
    return out


def _fits(table: ForeignTable) -> list[str]:
    if table.judged == table.k:
        return []
    return [
        f"values were taken out: rows look alike in classes of {table.k:,} or more, but {many(table.judged, 'row')} or"
        " more where a value that was taken out may be any; these are judged"
    ]


def _people(table: ForeignTable) -> list[str]:
    out = [
        f"ranges of {name} hold the other end than they say (rows fit people only so, and are read so); tell whoever"
        " made it, and say so to whoever uses it"
        for name in table.compared.turned
    ]
    left_out = len(table.result.key.suppressed)
    if left_out:
        out.append(
            f"{many(left_out, 'row')} of the original ({percent(left_out / len(table.data), 0)}) not in the release;"
            " say so beside every figure of it"
        )
    if table.compared.links.way == "fit":
        out.append(
            "who is behind a row was found by what fits: where several people do, one of them was taken, which moves"
            " figures a little"
        )
    return out


def _first(text: str) -> str:
    return shorten(text, 40)


def _some(values: Sequence[str]) -> str:
    listed = ", ".join(_first(value) for value in values[:3])
    return f"{listed} and {len(values) - 3:,} more" if len(values) > 3 else listed
