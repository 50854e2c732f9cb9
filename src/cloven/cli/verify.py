"""``cloven verify RELEASE``."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cloven.cli.command import takes
from cloven.cli.console import progress, say, say_json, warn
from cloven.cli.places import release_at
from cloven.cli.reading import READING, JsonFlag, ReleasePath, allowed_memory, read_data
from cloven.cli.table_options import SchemaOrNone, read_persons
from cloven.cli.verify_words import claim_of, claimed, is_table, open_questions
from cloven.errors import ParameterError
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
    policy: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Policy that a set-generalised release must keep; default: --private's."
        ),
    ] = None,
    schema: SchemaOrNone = None,
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
    from cloven.io.policy import read_policy

    release_at(release)
    if private is not None:
        release_at(private)
        if original is None:
            warn("without --original only the receipt of --private is checked; name the data too")
    claim = claim_of(release)
    if original is not None and schema is None and claim is not None and is_table(claim):
        message = "this is a published table; name the schema of --original too, with --schema FILE"
        raise ParameterError(message)
    with progress("verify"):
        data: Any = None
        if original is not None:
            data = (
                read_data(original, options)
                if schema is None
                else read_persons(original, schema, allowed_memory(options))
            )
        verdict = verify_folder(
            release,
            original=data,
            private=private,
            policy=None if policy is None else read_policy(policy),
            allow_unsafe=allow_unsafe,
            allow_seeded=allow_seeded,
        )
    unseen = open_questions(claim, verdict.level, {check.name for check in verdict.checks})
    if json:
        say_json({"claim": claim, **verdict.to_dict(), "not_checked": unseen})
    else:
        say(claimed(claim))
        say(str(verdict))
        for open_question in unseen:
            say(f"not checked {open_question}")
    if not verdict.ok:
        raise typer.Exit(1)
