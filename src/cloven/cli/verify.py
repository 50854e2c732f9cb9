"""``cloven verify RELEASE``."""

import hashlib
from pathlib import Path
from typing import Annotated, Any

import typer

from cloven.cli.command import takes
from cloven.cli.console import many, progress, say, say_json, warn
from cloven.cli.places import release_at
from cloven.cli.reading import READING, JsonFlag, ReleasePath, read_data
from cloven.errors import ReleaseError
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
    claim = _claim(release)
    if json:
        say_json({"claim": claim, **verdict.to_dict()})
    else:
        say(_claimed(claim))
        say(str(verdict))
        for open_question in _open_questions(claim, verdict.level):
            say(f"not checked {open_question}")
    if not verdict.ok:
        raise typer.Exit(1)


def _claim(release: Path) -> dict[str, Any] | None:
    """What the manifest promises; None if it cannot be read (a failed check says so)."""
    from cloven.io.release import read_manifest

    try:
        manifest = read_manifest(release)
    except ReleaseError:
        return None
    file = release / "manifest.json" if release.is_dir() else release
    parameters = manifest["parameters"]
    return {
        "method": manifest["method"],
        "k": manifest["k"],
        "m": manifest["m"],
        "reading": parameters.get("reading"),
        "persons": bool(parameters.get("persons")),
        "records": manifest["counts"]["records"],
        "manifest_sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
    }


def _claimed(claim: dict[str, Any] | None) -> str:
    if claim is None:
        return "promises nothing that can be read"
    return (
        f"promises: who knows up to m = {claim['m']} items of a record has at least k = {claim['k']} candidates"
        f" among {many(claim['records'], 'record')} ({claim['method']}, {claim['reading']} combinations)\n"
        f"manifest {claim['manifest_sha256']}"
    )


def _open_questions(claim: dict[str, Any] | None, level: str) -> list[str]:
    """What the level that was run cannot see."""
    out = []
    if level == "release":
        out.append("without --original: that no item was lost or invented")
    if level != "key":
        out.append("without --original and --private: that every part comes from a record of its cluster")
        if claim and claim["persons"]:
            out.append(
                "without --original and --private: that k persons, not only k records, stand behind each count"
            )
    return out
