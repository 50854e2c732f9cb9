"""``cloven count RELEASE ITEM...``."""

from typing import Annotated

import typer

from cloven.cli.console import say, say_json, table
from cloven.cli.options import takes
from cloven.cli.places import release_at, warn_if_broken
from cloven.cli.reading import JsonFlag, ReleasePath
from cloven.escapes import names
from cloven.figures import interval, many


@takes()
def count(
    release: ReleasePath,
    item: Annotated[
        list[str],
        typer.Argument(help="Items; of a table, NAME=VALUE.", metavar="ITEM...", show_default=False),
    ],
    json: JsonFlag = False,
) -> None:
    """How many records hold all of these items: for certain, likely with an interval, at most.

    Of a published table, how many people meet all of these conditions, such as sex=Female.
    """
    from cloven.registry import part
    from cloven.storage.release import read_release

    published = read_release(release_at(release))
    warn_if_broken(published, release)
    found = published.count(part(published, "counts").asked(item))
    if json:
        say_json(found.to_dict())
        return
    say(f"{names(found.items)}, among {many(published.records, 'record')}")
    rows = [
        ("certain", f"{found.certain:,}", "as the release shows"),
        ("likely", f"{found.likely:,} {interval(found.low, found.high, 0)}", found.basis),
        ("at most", f"{found.at_most:,}", "more cannot be"),
    ]
    say(table(rows))
