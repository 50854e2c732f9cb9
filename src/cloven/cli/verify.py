"""``cloven verify RELEASE``."""

from pathlib import Path
from typing import Annotated

import typer

from cloven.cli.command import takes
from cloven.cli.console import progress, say, say_json, warn
from cloven.cli.places import release_at
from cloven.cli.reading import READING, JsonFlag, ReleasePath, read_data
from cloven.io.readers import ReadOptions


@takes(options=READING)
def verify(
    release: ReleasePath,
    options: ReadOptions,
    original: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The data it was made from: checks that nothing is lost."),
    ] = None,
    private: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="OUT.private with the key: with --original, checks all the rest."
        ),
    ] = None,
    allow_unsafe: Annotated[
        bool, typer.Option("--allow-unsafe", help="Accept a release marked unsafe.")
    ] = False,
    allow_seeded: Annotated[
        bool, typer.Option("--allow-seeded", help="Accept a release made with a seed.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Prove that a release is what it says it is. Ends with 1 if it is not."""
    from cloven.io.checked import verify_folder

    release_at(release)
    if private is not None:
        release_at(private)
        if original is None:
            warn("without --original only the receipt of --private is checked; name the data too")
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
