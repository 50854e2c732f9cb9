"""``cloven describe FILE``; ``describe_table`` has tables."""

from typing import Annotated

from cloven.cli.command import takes
from cloven.cli.console import many, names, percent, progress, say, say_json, table, visible
from cloven.cli.describe_table import describe_persons
from cloven.cli.reading import READING, InputFile, JsonFlag, allowed_memory, read_data
from cloven.cli.table_options import SchemaOfFile, refuse_of_sets, refuse_reading
from cloven.cli.values import whole
from cloven.io.readers import ReadOptions
from cloven.measure.describe import Description

USUAL_M, USUAL_RARE = 2, 20


@takes(options=READING)
def describe(
    file: InputFile,
    options: ReadOptions,
    schema: SchemaOfFile = None,
    k: Annotated[int, whole().option("-k", help="What fewer have counts as rare.")] = 5,
    m: Annotated[
        int | None, whole().option("-m", help="Tell who is singled out by 1 to m known items; default 2.")
    ] = None,
    rare: Annotated[
        int | None, whole(0).option("--rare", help="How many rare items to list; default 20.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Sizes, density, and how many records a few known items single out.

    With --schema, FILE is a table: what its columns hold, whom their values single out, and the largest l there is.
    For the owner's eyes only: rare items and shares are facts about persons.
    """
    from cloven.measure.describe import describe as measure

    if schema is not None:
        refuse_reading(options)
        refuse_of_sets(flag for flag, value in (("-m", m), ("--rare", rare)) if value is not None)
        describe_persons(file, schema, k, allowed_memory(options), json=json)
        return
    shown = USUAL_RARE if rare is None else rare
    with progress("read") as report:
        data = read_data(file, options)
        report("look for records that can be singled out", 0.0)
        found = measure(data, m=USUAL_M if m is None else m, k=k)
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
        about = "" if single.exact else f"  [{percent(single.low)} - {percent(single.high)}, from a sample]"
        rows.append((f"singled out by {known}", percent(single.share) + about))
    return rows
