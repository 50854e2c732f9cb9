"""``cloven publish OUT``."""

from pathlib import Path
from typing import Annotated

import typer

from cloven.cli.console import say, say_json
from cloven.cli.ledger import LedgerFolder
from cloven.cli.options import takes
from cloven.cli.reading import JsonFlag
from cloven.escapes import visible


@takes()
def publish(
    out: Annotated[
        Path, typer.Argument(help="Folder that `cloven audit` or `cloven anonymise` wrote.", metavar="OUT")
    ],
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Note it whatever audits said of it; you decide.")
    ] = False,
    ledger: LedgerFolder = None,
    json: JsonFlag = False,
) -> None:
    """Note that a release is published: from now on it is held against others of the same people.

    Give it when you hand the release out. It is noted in OUT.private, and in the ledger if you keep one. A release that
    does not verify is refused, and one whose last audit did not say publish.
    """
    from cloven.storage.ledger import Ledger, budgets, own_entry
    from cloven.storage.ledger_file import NOTES, RELEASES, ledger_folder, shown
    from cloven.storage.publication import publish as publish_release

    before = own_entry(out)
    entry = publish_release(out, ledger, anyway=anyway)
    if json:
        say_json(entry.to_dict())
        return
    kept = ledger_folder(ledger)
    day = entry.published.day if entry.published else ""
    promise = " ".join(filter(None, (entry.method, entry.promise)))
    if before is not None and before.published:
        say(f"already published on {day}: {visible(shown(entry.place))}")
        if kept is not None:
            say(f"noted in   {visible(shown(kept / RELEASES))}")
        return
    places = [entry.private / NOTES, *([] if kept is None else [kept / RELEASES])]
    say(f"published  {visible(shown(entry.place))}  {visible(promise)}")
    say(f"noted in   {' and '.join(visible(shown(place)) for place in places)}")
    if entry.epsilon is not None:
        known = Ledger.read(entry.private.parent, ledger).entries
        say("\n".join(str(each) for each in budgets(known) if each.input_sha256 == entry.input_sha256))
