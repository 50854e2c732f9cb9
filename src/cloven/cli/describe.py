"""``cloven describe FILE``, and the same of a table with ``--schema``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cloven.cli.console import progress, say, say_json, table
from cloven.cli.options import asks, takes
from cloven.cli.reading import (
    READING,
    InputFile,
    JsonFlag,
    SchemaOfFile,
    allowed_memory,
    load_persons,
    read_data,
    refuse_of_sets,
    refuse_reading,
)
from cloven.data.defaults import K, M
from cloven.escapes import names, visible
from cloven.figures import ends, many, percent
from cloven.reading import ReadOptions
from cloven.statistics.uniqueness import Description
from cloven.values import whole

if TYPE_CHECKING:
    from pathlib import Path

    from cloven.kinds.tables.description import AttributeDescription, TableDescription
    from cloven.reading.tables import LoadedTable


USUAL_RARE = 20


@takes(options=READING)
def describe(
    file: InputFile,
    options: ReadOptions,
    schema: SchemaOfFile = None,
    k: Annotated[int, asks(whole(), "-k", help="What fewer have counts as rare.")] = K,
    m: Annotated[
        int | None, asks(whole(), "-m", help="Tell who is singled out by 1 to m known items; default 2.")
    ] = None,
    rare: Annotated[
        int | None, asks(whole(0), "--rare", help="How many rare items to list; default 20.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Sizes, density, and how many records a few known items single out.

    With --schema, FILE is a table: what its columns hold, whom their values single out, and the largest l there is.
    For the owner's eyes only: rare items and shares are facts about persons.
    """
    from cloven.statistics.uniqueness import describe as measure

    if schema is not None:
        refuse_reading(options)
        refuse_of_sets(flag for flag, value in (("-m", m), ("--rare", rare)) if value is not None)
        describe_persons(file, schema, k, allowed_memory(options), json=json)
        return
    shown = USUAL_RARE if rare is None else rare
    with progress("read") as report:
        data = read_data(file, options)
        report("look for records that can be singled out", 0.0)
        found = measure(data, m=M if m is None else m, k=k)
    if json:
        say_json(found.to_dict())
        return
    say(visible(str(file)))
    say(table(rows_of(found)))
    if found.rare_items and not shown:
        say(f"\n{many(found.rare_items, 'item')} held by fewer than k = {k}; list them with --rare")
    elif found.rare_items:
        listed = names(found.rare_item_names[:shown])
        more = f", and {found.rare_items - shown:,} more (--rare)" if found.rare_items > shown else ""
        say(f"\nitems held by fewer than k = {k} (a name or an address would show here): {listed}{more}")


def rows_of(found: Description) -> list[tuple[str, str]]:
    """The lines of the table."""
    rows = [
        ("records", f"{found.records:,}"),
        ("items", f"{found.items:,}"),
        ("occurrences", f"{found.occurrences:,}"),
        (
            "items per record",
            f"mean {found.mean_length:.2f}, median {found.median_length:g}, max {found.max_length:,}",
        ),
        ("density", f"{found.density:.5f} of all pairs of a record and an item"),
        ("type-token ratio", f"{found.type_token_ratio:.4f} different items per occurrence"),
    ]
    if found.persons is not None:
        rows.append(("persons", f"{found.persons:,}"))
    if found.empty_records:
        rows.append(("empty records", f"{found.empty_records:,} left out"))
    rows.append((f"items below k={found.k}", f"{found.rare_items:,}"))
    for single in found.singled_out:
        known = many(single.known_items, "known item")
        about = "" if single.exact else f"  {ends(single.share, single.low, single.high)} from a sample"
        rows.append((f"singled out by {known}", percent(single.share) + about))
    return rows


# ``cloven describe TABLE --schema FILE``: what a table of persons holds, before anything is done with it.


_HEADER = ("column", "role", "values", "most common", "share", "largest l", "")


def describe_persons(file: Path, schema: Path, k: int, memory: float | None, *, json: bool) -> None:
    """Read, describe, tell."""
    from cloven.kinds.tables.description import describe_attributes, describe_table

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
