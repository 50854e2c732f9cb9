"""``cloven verify RELEASE``."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cloven.cli.console import progress, say, say_json, warn
from cloven.cli.options import takes
from cloven.cli.places import release_at
from cloven.cli.reading import (
    READING,
    JsonFlag,
    ReleasePath,
    SchemaOrNone,
    allowed_memory,
    read_data,
    read_persons,
)
from cloven.errors import ParameterError, ReleaseError
from cloven.intake.files import content
from cloven.kinds import words as kind_words
from cloven.reading import ReadOptions
from cloven.registry import part

if TYPE_CHECKING:
    from cloven.storage.manifest import ReleaseFormat


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
    from cloven.kinds.generalised.policy_files import read_policy
    from cloven.storage.inspection import verify_folder

    release = release_at(release)
    if private is not None:
        release_at(private)
        if original is None:
            warn("without --original only the receipt of --private is checked; name the data too")
    known, claim = claim_of(release)
    words = kind_words if known is None else part(known.release, "words")
    if original is not None and schema is None and known is not None and not known.of_sets:
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
    unseen = words.open_questions(claim, verdict.level, {check.name for check in verdict.checks})
    if json:
        say_json({"claim": claim, **verdict.to_dict(), "not_checked": unseen})
    else:
        say(words.claimed(claim) if claim else "promises nothing that can be read")
        say(str(verdict))
        for open_question in unseen:
            say(f"not checked {open_question}")
    if not verdict.ok:
        raise typer.Exit(1)


def claim_of(release: Path) -> tuple[ReleaseFormat | None, dict[str, Any] | None]:
    """Format of a release and what its manifest promises; None if it cannot be read (a failed check says so)."""
    from cloven.storage.manifest import format_named, is_count
    from cloven.storage.release import read_manifest

    try:
        manifest = read_manifest(release)
    except ReleaseError:
        return None, None
    file = release / "manifest.json" if release.is_dir() else release
    parameters = manifest["parameters"]
    listed = parameters.get("protected")
    known = format_named(manifest["format"], str(release))
    return known, {
        "format": manifest["format"],
        "method": manifest["method"],
        "k": manifest["k"],
        "m": manifest["m"],
        "listed": listed if is_count(listed) else 0,
        "reading": parameters.get("reading"),
        "persons": bool(parameters.get("persons")),
        "records": manifest["counts"]["records"],
        "manifest_sha256": hashlib.sha256(content(file)).hexdigest(),
        **part(known.release, "words").claim(parameters, release),
    }
