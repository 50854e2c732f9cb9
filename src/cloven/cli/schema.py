"""``cloven schema TABLE -o FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cloven.cli.console import progress, say, say_json, table, warn
from cloven.cli.options import takes
from cloven.cli.places import refuse_places
from cloven.cli.reading import JsonFlag, TableFile
from cloven.escapes import visible
from cloven.figures import many
from cloven.reading.options import DELIMITERS


@takes()
def schema(
    file: TableFile,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="SCHEMA", help="New file, TOML; without it the schema is printed."
        ),
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option(
            "--delimiter", metavar="TEXT", help="Between cells, such as ; or tab; default: guessed."
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Propose what each column of a table is: its role, with the reason, its kind, how it is generalised.

    What names persons is left out, dates are read to the year, postcodes to three characters. Look it through and
    correct it: nobody else knows what others may know of your people.
    """
    from cloven.reading.proposal import propose
    from cloven.storage.atomic import staged, write_bytes

    if out is not None:
        refuse_places(out)
    with progress("read"):
        found = propose(file, delimiter=None if delimiter is None else DELIMITERS.get(delimiter, delimiter))
    if out is not None:
        with staged(out) as (place,):
            write_bytes(place, found.to_toml().encode())
    if json:
        say_json(found.to_dict() | {"file": None if out is None else str(out)})
        return
    if out is None:
        say(found.to_toml().rstrip("\n"))
        return
    rows = [(visible(each.name, 30), each.role, visible(each.reason, 100)) for each in found.columns]
    say(table(rows, ("column", "role", "why")))
    for remark in found.remarks:
        warn(remark)
    counted = f"{many(len(rows), 'column')} of {many(found.rows, 'row')}"
    if not found.complete:
        say(f"\n{visible(str(out))}  {counted}; no audit takes it before a column is a quasi-identifier")
        return
    say(
        f"\n{visible(str(out))}  {counted}; look the roles through, then:"
        f"\n  cloven audit {visible(str(file))} --schema {visible(str(out))}"
    )
