"""``cloven describe TABLE --schema FILE``: what a table of persons holds, before anything is done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.cli.console import names, percent, progress, say, say_json, table, visible
from cloven.cli.table_options import load_persons

if TYPE_CHECKING:
    from pathlib import Path

    from cloven.io.table_reader import LoadedTable
    from cloven.measure.tables.attributes import AttributeDescription
    from cloven.measure.tables.describe import TableDescription

_HEADER = ("column", "role", "values", "most common", "share", "largest l", "")


def describe_persons(file: Path, schema: Path, k: int, memory: float | None, *, json: bool) -> None:
    """Read, describe, tell."""
    from cloven.measure.tables.attributes import describe_attributes
    from cloven.measure.tables.describe import describe_table

    with progress("read") as report:
        loaded = load_persons(file, schema, memory, overview=True)
        report("look for rows that can be singled out", 0.0)
        found = describe_table(loaded.table, k)
        columns = describe_attributes(loaded.table)
    if json:
        missing = [
            {"column": each.column, "rows": each.rows, "policy": each.policy} for each in loaded.missing
        ]
        say_json(
            {
                **found.to_dict(),
                "columns": [each.to_dict() for each in columns],
                "missing": missing,
                "rows_left_out": loaded.dropped,
                "not_read": list(loaded.ignored),
            }
        )
        return
    say(visible(str(file)))
    say(table(_figures(found, loaded)) + "\n")
    say(table([_row(each) for each in columns], _HEADER))
    for line in (*map(str, loaded.missing), *loaded.remarks):
        say(line)
    _tell_largest(columns)


def _figures(found: TableDescription, loaded: LoadedTable) -> list[tuple[str, str]]:
    left_out = f", {loaded.dropped:,} more left out" if loaded.dropped else ""
    rows = [
        ("rows", f"{found.records:,}{left_out}"),
        *([("persons", f"{found.persons:,}")] if found.persons < found.records else []),
        ("alone by quasi-identifiers", percent(found.alone)),
        (f"shared by fewer than k={found.k}", percent(found.rare)),
    ]
    if loaded.ignored:
        rows.append(("not read", names(loaded.ignored)))
    return rows


def _row(each: AttributeDescription) -> tuple[str, ...]:
    return (
        visible(each.name, 40),
        each.role,
        f"{each.values:,}",
        "-" if each.most_common is None else visible(each.most_common, 40),
        percent(each.share),
        "-" if each.largest_l is None else f"{each.largest_l:,}",
        "numbers" if each.kind == "number" else "has a tree" if each.tree else "",
    )


def _tell_largest(columns: tuple[AttributeDescription, ...]) -> None:
    """How far sensitive values can be hidden."""
    secret = [each for each in columns if each.largest_l is not None]
    if not secret:
        say(
            "\nno column is sensitive: mondrian alone can anonymise this table, and there is nothing to attack"
        )
        return
    worst = min(secret, key=lambda each: each.largest_l or 0)
    if (worst.largest_l or 0) < 2:
        say(
            f"\n{visible(worst.name)} = {visible(worst.most_common or '', 40)} in {percent(worst.share)} of the rows:"
            " more than half have it, so slicing, ul and anatomy cannot hide it; group its values (mondrian -l promises"
            " different values only, not a chance)"
        )
        return
    say(
        f"\nslicing, ul and anatomy reach l up to {worst.largest_l} here: {percent(worst.share)} of the rows have"
        f" {visible(worst.name)} = {visible(worst.most_common or '', 40)}"
    )
