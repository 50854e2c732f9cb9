"""``cloven link RELEASE --knows FILE``."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from cloven.cli.command import takes
from cloven.cli.console import say, say_json
from cloven.cli.reading import items_in
from cloven.errors import ParameterError


@takes()
def link(
    release: Annotated[Path, typer.Argument(help="Release folder or JSON file.", show_default=False)],
    knows: Annotated[
        Path | None, typer.Option(help="File of items known of one person, one per line.")
    ] = None,
    item: Annotated[list[str] | None, typer.Option(help="A known item; may be given several times.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """How many candidate records somebody has who knows these items of one person."""
    from cloven.attack.disassociated.link import candidates
    from cloven.io.release import read_release

    items = [*(items_in(knows) if knows else ()), *(item or ())]
    if not items:
        message = "say what is known: --knows FILE with one item per line, or --item NAME"
        raise ParameterError(message)
    published = read_release(release)
    found = candidates(published, items)
    if json:
        say_json(asdict(found))
        return
    known = ", ".join(found.items)
    say(f"knows {len(found.items)}: {known}")
    if found.unknown:
        say(f"not in the release: {', '.join(found.unknown)}; so no record of it can be meant")
    clusters = "1 cluster" if found.clusters == 1 else f"{found.clusters:,} clusters"
    say(
        f"at most {found.candidates:,} candidate records in {clusters}; {found.certain:,} certainly hold all of them"
    )
    if len(set(items)) <= published.m:
        say(
            f"the release promises at least k = {published.k} for up to m = {published.m} items of a real record"
        )
    else:
        say(f"the release promises nothing for more than m = {published.m} items")
