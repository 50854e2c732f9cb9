"""``cloven link RELEASE --knows FILE``."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from cloven.cli.console import say, say_json
from cloven.cli.options import takes
from cloven.cli.places import release_at, warn_if_broken
from cloven.cli.reading import JsonFlag, ReleasePath, items_in
from cloven.errors import ParameterError
from cloven.escapes import names
from cloven.registry import part


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
    from cloven.kinds.known_items import candidates
    from cloven.storage.release import read_set_release

    items = [*(items_in(knows) if knows else ()), *(item or ())]
    if not items:
        message = "say what is known: --knows FILE with one item per line, or --item NAME"
        raise ParameterError(message)
    if not all(known.strip() for known in items):
        message = "--item must not be blank; name an item"
        raise ParameterError(message)
    published = read_set_release(release_at(release), "`cloven link`")
    warn_if_broken(published, release)
    found = candidates(published, items)
    if json:
        say_json(asdict(found))
        return
    say(f"knows {len(found.items)}: {names(found.items)}")
    for line in part(published, "attack.link").told(published, found):
        say(line)
