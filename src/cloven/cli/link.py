"""``cloven link RELEASE --knows FILE``."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cloven.cli.console import many, names, say, say_json
from cloven.cli.options import takes
from cloven.cli.places import release_at
from cloven.cli.reading import JsonFlag, ReleasePath, items_in
from cloven.errors import ParameterError
from cloven.kinds.generalised.release import SetGeneralised

if TYPE_CHECKING:
    from cloven.kinds.generalised.attack.link import GeneralisedLink


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
    if isinstance(published, SetGeneralised):
        _tell_generalised(published, candidates(published, items), json=json)
        return
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


def _tell_generalised(published: SetGeneralised, found: "GeneralisedLink", *, json: bool) -> None:
    if json:
        say_json(asdict(found))
        return
    say(f"knows {len(found.items)}: {names(found.items)}")
    may_be_lost = bool(published.parameters.get("max_suppressed"))
    if found.unknown:
        why = "nobody has them, or they are suppressed and tell nothing" if may_be_lost else "nobody has them"
        say(f"not in the release: {names(found.unknown)}; {why}")
        if not may_be_lost:
            return
    say(
        f"{many(found.candidates, 'candidate record')}: they show all {many(found.blocks, 'block')} of these items;"
        f" {found.certain:,} certainly have all of them"
    )
    m = published.parameters.get("all_up_to") or 0
    if found.candidates and len(found.items) <= m:
        say(f"the release promises at least k = {published.k} for up to m = {m} items that somebody has")
    elif found.candidates and published.parameters.get("protected"):
        say(f"the release promises k = {published.k} for the itemsets of its policy, which is not published")
    elif found.candidates:
        say(f"the release promises nothing for more than m = {m} items")
    else:
        say("nobody in the release has all of these together")
