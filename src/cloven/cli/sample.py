"""``cloven sample NAME -o FILE``."""

from pathlib import Path
from typing import Annotated

import typer

from cloven.cli.console import say, say_json
from cloven.cli.options import takes
from cloven.cli.places import refuse_places
from cloven.cli.reading import JsonFlag
from cloven.escapes import visible
from cloven.figures import many


@takes()
def sample(
    name: Annotated[str, typer.Argument(help="clinic: 1,000 invented patients.", metavar="NAME")] = "clinic",
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FILE", help="New file, one record per line, commas between items."
        ),
    ] = Path("clinic.csv"),
    json: JsonFlag = False,
) -> None:
    """Write built-in data to a file, to try the other commands on.

    The patients are invented; see docs/explanation/clinic-sample.md.
    """
    from cloven.datasets import sample as built_in
    from cloven.storage.atomic import staged, write_bytes

    refuse_places(out)
    data = built_in(name)
    with staged(out) as (place,):
        write_bytes(place, "".join(",".join(sorted(record)) + "\n" for record in data).encode())
    if json:
        say_json({"file": str(out), "records": len(data), "items": len(data.vocabulary)})
        return
    say(f"{visible(str(out))}  {many(len(data), 'record')}, {many(len(data.vocabulary), 'item')}")
