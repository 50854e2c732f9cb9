"""``cloven verify RELEASE``."""

from pathlib import Path
from typing import Annotated

import typer

from cloven.cli.command import takes
from cloven.cli.console import progress, say, say_json
from cloven.cli.reading import READING, read_data
from cloven.io.readers import ReadOptions


@takes(options=READING)
def verify(
    release: Annotated[Path, typer.Argument(help="Release folder or JSON file.", show_default=False)],
    options: ReadOptions,
    original: Annotated[
        Path | None, typer.Option(help="The data it was made from: checks that nothing is lost.")
    ] = None,
    private: Annotated[
        Path | None, typer.Option(help="Folder with key and receipt: checks the rest.")
    ] = None,
    allow_unsafe: Annotated[
        bool, typer.Option("--allow-unsafe", help="Accept a release marked unsafe.")
    ] = False,
    allow_seeded: Annotated[
        bool, typer.Option("--allow-seeded", help="Accept a release made with a seed.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Prove that a release is what it says it is. Ends with 1 if it is not."""
    from cloven.io.checked import verify_folder

    with progress("verify"):
        data = None if original is None else read_data(original, options)
        verdict = verify_folder(
            release, original=data, private=private, allow_unsafe=allow_unsafe, allow_seeded=allow_seeded
        )
    if json:
        say_json(verdict.to_dict())
    else:
        say(str(verdict))
    if not verdict.ok:
        raise typer.Exit(1)
