"""The moment from which a release counts: whoever has two of the same people can combine them."""

from __future__ import annotations

import hashlib
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from cloven.errors import GuaranteeError, ReleaseError
from cloven.figures import many
from cloven.intake.files import content
from cloven.storage.ledger import Ledger, by_receipts, own_entry, private_places
from cloven.storage.ledger_file import (
    Note,
    check_ledger,
    ledger_folder,
    note,
    note_in_ledger,
    one_at_a_time,
    read_releases,
    shown,
)
from cloven.storage.manifest import MANIFEST
from cloven.storage.receipt import read_receipt

if TYPE_CHECKING:
    from cloven.storage.ledger_file import Entry

MOST_PLACES = 3  # that are named in one message


def publish(
    out: str | os.PathLike[str], ledger: str | os.PathLike[str] | None = None, *, anyway: bool = False
) -> Entry:
    """Note that a release is published; from now on it is held against others of the same people.

    Args:
        out: the folder that an audit or ``write_release`` wrote, its private folder beside it.
        ledger: folder of a ledger, if there is one.
        anyway: note it whatever audits said of it.

    Raises:
        GuaranteeError: it does not keep its promise, or audits do not say that it may be published.
        ReleaseError: there is no release, or no receipt of it.
    """
    from cloven.storage.inspection import verify_folder

    check_ledger(ledger)
    folder, kept = _found(Path(out)).private.parent, ledger_folder(ledger)
    with one_at_a_time(folder, *([] if kept is None else [kept])):
        entry = _found(Path(out))
        if entry.published:
            _complete(entry, entry.published, kept)
            return entry
        verify_folder(entry.place).raise_if_broken()
        if not anyway:
            known = Ledger.read(folder, ledger)
            _refuse_unjudged(entry, known, str(out), _insisting(str(out), ledger))
        now = Note.now()
        note(entry.private, now, ledger)
    return entry.noted(now)


def _found(out: Path) -> Entry:
    entry = own_entry(out)
    if entry is None:
        for private in private_places(out):
            if os.path.lexists(private):
                read_receipt(private)  # says what is wrong with it
        message = f"{out}: no private folder with a receipt lies beside it; name the folder that -o named"
        raise ReleaseError(message)
    if not entry.has_release:
        message = f"{out}: no release lies beside {shown(entry.private)}; put it back, or make it again"
        raise ReleaseError(message)
    file = entry.place / MANIFEST if entry.place.is_dir() else entry.place
    if hashlib.sha256(content(file)).hexdigest() != entry.manifest_sha256:
        message = (
            f"{entry.place}: is not the release of {shown(entry.private)}; put that back, or make it again"
        )
        raise ReleaseError(message)
    return entry


def _complete(entry: Entry, published: Note, ledger: Path | None) -> None:
    """Note in a ledger what was published without it."""
    if ledger is None:
        return
    noted, _, _ = read_releases(ledger)
    if not any(
        receipt["manifest_sha256"] == entry.manifest_sha256 and each == published
        for _, receipt, each in noted
    ):
        note_in_ledger(entry.private, published, ledger)


def _insisting(out: str, ledger: str | os.PathLike[str] | None) -> str:
    """What to type to publish it whatever audits said."""
    place = f"./{out}" if out.startswith("-") else out  # no option
    noted = [] if ledger is None else ["--ledger", str(ledger)]
    return shlex.join(["cloven", "publish", place, *noted, "--anyway"])


def _refuse_unjudged(entry: Entry, known: Ledger, out: str, command: str) -> None:
    """Raise unless the last audit of this very release says *publish*, and knew what was published till now."""
    audits = known.audits_of(entry.manifest_sha256)
    insist = f"`{command}` if you decide otherwise"
    if known.skipped:
        places = ", ".join(sorted({shown(place) for place in known.skipped})[:MOST_PLACES])
        message = (
            f"{out}: {many(len(known.skipped), 'note')} of releases could not be read ({places}), so what was published"
            f" or refused before is not known; restore these files, remove lines that are damaged, or {insist}"
        )
        raise GuaranteeError(message)
    if known.unseen:
        message = (
            f"{out}: beside it, or in the ledger, lies more than is looked at, so what was published or refused before"
            f" is not known; keep releases in smaller folders or begin another ledger, or {insist}"
        )
        raise GuaranteeError(message)
    if not audits:
        message = (
            f"{out}: no audit of this very release is known; audit with the same settings (`cloven audit`) and publish"
            f" what that writes, or {insist}"
        )
        raise GuaranteeError(message)
    last = audits[-1]
    if last.verdict != "publish":
        message = (
            f"{out}: the audit of {last.day} said: {last.verdict}; do what its report proposes, or {insist}"
        )
        raise GuaranteeError(message)
    twins = [each for each in known.entries if each.manifest_sha256 == entry.manifest_sha256]
    for other in known.entries:
        if not other.published or other.manifest_sha256 in last.beside:
            continue
        if any(_composes(each, other) for each in twins):  # one of them may know no data
            message = (
                f"{out}: {shown(other.place)}, of the same people, was published on {other.published.day}, and the"
                f" audit of {last.day} did not know of it; audit again (`cloven audit`) in the same folder or with"
                f" the same --ledger and publish what that writes, or {insist}"
            )
            raise GuaranteeError(message)


def _composes(mine: Entry, other: Entry) -> bool:
    """Whether both may be of the same people, by receipts alone; promises that add up need no attack on both."""
    if mine.epsilon and other.epsilon:
        return False
    return by_receipts(mine, other).composes
