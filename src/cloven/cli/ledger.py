"""``cloven ledger [FOLDER]``; and how commands that release tell of earlier releases."""

from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cloven.cli.console import say, say_json, table, warn
from cloven.cli.options import takes
from cloven.cli.places import release_at
from cloven.cli.reading import JsonFlag
from cloven.errors import ReleaseError
from cloven.escapes import visible
from cloven.intake.files import content

if TYPE_CHECKING:
    from cloven.data.recognition import Recognisable
    from cloven.storage.ledger import Ledger
    from cloven.storage.ledger_file import Entry


def _named(text: str) -> Path:
    if not text.strip():
        message = "the name is empty; name a folder, or leave it out"
        raise typer.BadParameter(message)
    return Path(text)


LedgerFolder = Annotated[
    Path | None,
    typer.Option(
        "--ledger",
        metavar="FOLDER",
        help="Your folder of notes on releases; default: CLOVEN_LEDGER.",
        parser=_named,
    ),
]
HEADER = ("made", "audited", "published", "method", "promise", "records", "items", "data", "place")


@takes()
def ledger(
    folder: Annotated[
        Path, typer.Argument(help="Folder that holds releases, or a ledger.", metavar="FOLDER")
    ] = Path(),
    ledger: LedgerFolder = None,
    json: JsonFlag = False,
) -> None:
    """List releases, how they were judged, and which were published: by the private folders in FOLDER, and the ledger.

    Releases that show the same under data were made from the same data: do not publish more than one of them. Those
    with eps are differentially private: what the published ones cost adds up, and the sum is told for each data set.
    """
    from cloven.storage.ledger import Ledger, budgets
    from cloven.storage.ledger_file import RELEASES

    if not folder.is_dir():
        message = f"{folder}: is no folder; name one that holds releases and their private folders"
        raise ReleaseError(message)
    known = Ledger.read(folder, folder if ledger is None and (folder / RELEASES).exists() else ledger)
    if json:
        releases = [entry.to_dict() for entry in known.entries]
        spent = [budget.to_dict() for budget in budgets(known.entries)]
        say_json(
            {"releases": releases, "budgets": spent, "skipped": len(known.skipped), "unseen": known.unseen}
        )
        return
    if known.entries:
        say(table([_row(entry) for entry in known.entries], HEADER))
    else:
        say("no release is known here; private folders (OUT.private) lie beside their release")
    for budget in budgets(known.entries):
        say(str(budget))
    for caution in _cautions(known):
        warn(caution)


def told_of_earlier(
    data: "Recognisable", out: Path, ledger: Path | None, mine: str | None = None
) -> list[str]:
    """What an owner should know of earlier releases of the same people, once the new one is written to ``out``.

    ``mine`` is the fingerprint of the data, if it is known already.
    """
    from cloven.storage.ledger import Ledger, adds_up, own_entry, warnings

    known, own = Ledger.read(out.parent, ledger), own_entry(out)
    earlier = known.earlier(data, own, mine)
    epsilon = None if own is None else own.epsilon
    drafts = [] if own is None else known.drafts(own)
    return [*warnings(earlier, epsilon), *known.doubts, *adds_up(epsilon, earlier, drafts)]


def tried_with(release: Path | None) -> tuple[str, ...]:
    """SHA-256 of the file that holds the manifest of the release that attackers were given, if there is one."""
    if release is None:
        return ()
    place = release_at(release)
    file = place / "manifest.json" if place.is_dir() else place
    return (sha256(content(file)).hexdigest(),)


def _row(entry: "Entry") -> tuple[str, ...]:
    from cloven.storage.ledger_file import shown

    numbers = ("" if number is None else f"{number:,}" for number in (entry.records, entry.items))
    data = "unknown" if entry.input_sha256 is None else entry.input_sha256[:8]
    return (
        entry.day or "unknown",
        entry.audits[-1].verdict if entry.audits else "no",
        "no" if entry.published is None else entry.published.day,
        visible(entry.method or "unknown", 30),
        visible(entry.promise, 30),
        *numbers,
        data,
        visible(shown(entry.place)),
    )


def _cautions(known: "Ledger") -> list[str]:
    """What the list alone does not tell."""
    published = [entry for entry in known.entries if entry.published]
    released = {(entry.input_sha256, entry.manifest_sha256) for entry in published if entry.input_sha256}
    # Those that are all differentially private add up, which is told with their sum.
    covered = {entry.input_sha256 for entry in published} - {
        entry.input_sha256 for entry in published if entry.epsilon is None
    }
    out = [
        f"{number} releases of the data {data[:8]} were published: somebody who has more than one of them can combine"
        " them, and the promise of none covers that"
        for data, number in Counter(data for data, _ in sorted(released)).items()
        if number > 1 and data not in covered
    ]
    return out + known.doubts
