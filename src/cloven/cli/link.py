"""``cloven link RELEASE --knows FILE``."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from cloven.cli.command import takes
from cloven.cli.console import many, names, say, say_json
from cloven.cli.places import release_at
from cloven.cli.reading import JsonFlag, ReleasePath, items_in
from cloven.errors import ParameterError


@takes()
def link(
    release: ReleasePath,
    knows: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Items known of one person: one per line, or a JSON list (.json)."),
    ] = None,
    item: Annotated[
        list[str] | None, typer.Option(metavar="TEXT", help="A known item; may be given several times.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """How many candidate records somebody has who knows these items of one person."""
    from cloven.attack.disassociated.link import candidates
    from cloven.io.release import read_release

    items = [*(items_in(knows) if knows else ()), *(item or ())]
    if not items:
        message = "say what is known: --knows FILE with one item per line, or --item NAME"
        raise ParameterError(message)
    if not all(known.strip() for known in items):
        message = "--item must not be blank; name an item"
        raise ParameterError(message)
    published = read_release(release_at(release))
    found = candidates(published, items)
    if json:
        say_json(asdict(found))
        return
    say(f"knows {len(found.items)}: {names(found.items)}")
    if found.unknown:
        say(f"not in the release: {names(found.unknown)}; so no record of it can be meant")
        return
    say(
        f"at most {many(found.candidates, 'candidate record')} in {many(found.clusters, 'cluster')};"
        f" {found.certain:,} certainly hold all of them"
    )
    if published.parameters.get("supports") == "lower bounds":
        say(
            "covers were repaired in this release: occurrences are missing, so there may be more candidates than that"
        )
    if not found.candidates:
        say("nobody in the release has all of these together")
    elif len(found.items) <= published.m:
        say(
            f"the release promises at least k = {published.k} for up to m = {published.m} items that somebody has"
        )
    else:
        say(f"the release promises nothing for more than m = {published.m} items")
