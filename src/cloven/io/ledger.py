"""The ledger: which data was released before, and how; because two releases of the same people compose.

What is known comes from two places: the receipts of the private folders beside a release, and ``releases.jsonl`` of a
ledger folder, if the owner keeps one (``cloven.io.ledger_file``). Both are the owner's; nothing of it is published.
An earlier release is of the same data if the fingerprints agree. If they do not, the sketch in its receipt tells what
share of the records the two have in common (``cloven.io.ledger_sketch``).
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.errors import ReleaseError
from cloven.io.atomic import PRIVATE_FILE, write_bytes
from cloven.io.fingerprint import fingerprint
from cloven.io.ledger_entry import DISCARDED, PRIVATE, Entry
from cloven.io.ledger_file import ledger_folder, read_releases
from cloven.io.ledger_sketch import Overlap, overlap, standing_out
from cloven.io.receipt import RECEIPT, read_receipt
from cloven.model.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from cloven.model.table import Table

    Hashes = NDArray[np.uint64]

MOST_NAMES, MOST_RECEIPTS = 100_000, 1_000
CHANCE = 0.05  # up to this share, records in common are chance; see cloven.io.ledger_sketch


@dataclass(frozen=True)
class Earlier:
    """An earlier release and what it has in common with the data at hand.

    Attributes:
        entry: the release.
        same_data: whether it was made from this very data.
        same_release: whether the new release is the same, byte for byte; then having both gives nothing more.
        overlap: records in common where the data differ; None if that cannot be known.
        chance: up to this share, records in common are chance.
    """

    entry: Entry
    same_data: bool
    same_release: bool
    overlap: Overlap | None
    chance: float = CHANCE

    @property
    def share(self) -> float:
        """Share of records in common, of the data at hand or of the earlier, whichever is larger."""
        if self.same_data:
            return 1.0
        return 0.0 if self.overlap is None else max(self.overlap.of_data.value, self.overlap.of_earlier.value)

    @property
    def composes(self) -> bool:
        """Whether somebody who has both releases may learn more than from each alone."""
        if self.same_release or self.same_data or self.overlap is None:
            return self.same_data and not self.same_release
        ends = (self.overlap.of_data.low, self.overlap.of_earlier.low)
        return any(low is not None and low > self.chance for low in ends)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return self.entry.to_dict() | {
            "same_data": self.same_data,
            "same_release": self.same_release,
            "overlap": None if self.overlap is None else asdict(self.overlap),
            "composes": self.composes,
        }


@dataclass(frozen=True)
class Ledger:
    """All that is known of earlier releases.

    Attributes:
        entries: the releases, oldest first; those of unknown date come first of all.
        skipped: receipts and lines that could not be read.
        unseen: names and lines that were too many to look at.
    """

    entries: tuple[Entry, ...]
    skipped: int = 0
    unseen: int = 0

    @classmethod
    def read(cls, folder: str | os.PathLike[str], ledger: str | os.PathLike[str] | None = None) -> Ledger:
        """Read the private folders in a folder, and the ledger if there is one; never fails for their content."""
        found, skipped, unseen = _neighbours(Path(folder))
        kept = ledger_folder(ledger)
        if kept is not None:
            noted, bad, old = read_releases(kept)
            found += [Entry.of_receipt(private, receipt) for private, receipt in noted]
            skipped, unseen = skipped + bad, unseen + old
        once = {entry.identity: entry for entry in reversed(found)}  # of two notes, the one beside counts
        return cls(tuple(sorted(once.values(), key=_age)), skipped, unseen)

    def earlier(self, data: Transactions | Table, own: Entry | None = None) -> tuple[Earlier, ...]:
        """Compare every release with this data, what has most in common first.

        Args:
            data: the data at hand.
            own: the release that was just made of it, which is not earlier than itself.
        """
        return self.compare(fingerprint(data), lambda: _records_of(data), own, lambda: _chance_in(data))

    def discarded_epsilons(self, data: str | None) -> list[float]:
        """Epsilon of each differentially private release of the data with this fingerprint that was discarded."""
        found = (entry for entry in self.entries if data is not None and entry.input_sha256 == data)
        return [entry.epsilon for entry in found if entry.discarded and entry.epsilon is not None]

    def compare(
        self,
        mine: str,
        hashes: Callable[[], Hashes],
        own: Entry | None = None,
        chance: Callable[[], float] = lambda: CHANCE,
    ) -> tuple[Earlier, ...]:
        """The same for data of any kind, given its fingerprint.

        If they are needed, the hashes of its records and the share of them that others have by chance are asked for.
        """
        others = [
            entry
            for entry in self.entries
            if not entry.discarded and (own is None or entry.identity != own.identity)
        ]
        needed = any(entry.sketch is not None and entry.input_sha256 != mine for entry in others)
        present, by_chance = (hashes(), chance()) if needed else (None, CHANCE)
        found = []
        for entry in others:
            same = entry.input_sha256 == mine
            twin = own is not None and entry.manifest_sha256 == own.manifest_sha256
            known = None if same else entry.sketch
            common = None if known is None or present is None else overlap(known, present)
            found.append(Earlier(entry, same, twin, common, by_chance))
        return tuple(sorted(found, key=lambda each: (not each.composes, not each.same_data, -each.share)))


def earlier_releases(
    data: Transactions | Table, out: str | os.PathLike[str], ledger: str | os.PathLike[str] | None = None
) -> tuple[Earlier, ...]:
    """Compare this data with every release that is known where ``out`` was, or will be, written.

    >>> from cloven.model.transactions import Transactions
    >>> earlier_releases(Transactions.from_records([["flu"]]), "nowhere/out")
    ()
    """
    return Ledger.read(Path(out).parent, ledger).earlier(data, own_entry(out))


def discard(out: str | os.PathLike[str]) -> Entry:
    """Say of a release that it was never published and never will be, so that nobody can combine it with others.

    Raises:
        ReleaseError: there is no private folder with a receipt beside it.
    """
    entry = own_entry(out)
    if entry is None:
        message = f"{out}: no private folder with a receipt lies beside it; name the folder that -o named"
        raise ReleaseError(message)
    if not entry.discarded:
        write_bytes(entry.private / DISCARDED, b"never published\n", PRIVATE_FILE)
    return entry


def own_entry(out: str | os.PathLike[str]) -> Entry | None:
    """The entry of the release at ``out``, if it is written already."""
    out = Path(out)
    for stem in dict.fromkeys((out.name, out.name.removesuffix(".json"))):
        try:
            return Entry.at(out.with_name(f"{stem}{PRIVATE}"))
        except (ReleaseError, ValueError):  # a path without a name
            continue
    return None


def same_data(private: str | os.PathLike[str], data: Transactions) -> None:
    """Refuse to go on in a private folder that belongs to other data; one that is not there yet is fine.

    Raises:
        ReleaseError: it belongs to other data, or does not say to which.
    """
    private = Path(private)
    if not os.path.lexists(private / RECEIPT):
        return
    refuse_other_data(private, read_receipt(private)["input_sha256"], fingerprint(data))


def refuse_other_data(place: Path, known: str | None, mine: str) -> None:
    """Raise ``ReleaseError`` unless the fingerprint known at a place is mine."""
    if known == mine:
        return
    whose = "does not say which data set it belongs to" if known is None else "belongs to another data set"
    prints = f"this file has {mine[:8]}..."
    if known is not None:
        prints = f"fingerprint {known[:8]}..., {prints}"
    message = f"{place}: {whose} ({prints}); give another -o, or remove it"
    raise ReleaseError(message)


def _neighbours(folder: Path) -> tuple[list[Entry], int, int]:
    """Entries of the private folders in a folder, how many could not be read, how many were not looked at."""
    names, more = _private_names(folder)
    entries, skipped = [], 0
    for name in names[:MOST_RECEIPTS]:
        try:
            entries.append(Entry.at(folder / name))
        except ReleaseError as error:
            # A folder of that name without a receipt is somebody else's.
            skipped += not isinstance(error.__cause__, FileNotFoundError | NotADirectoryError)
    return entries, skipped, more + len(names[MOST_RECEIPTS:])


def _private_names(folder: Path) -> tuple[list[str], int]:
    """Names of private folders in a folder, sorted, and 1 if the folder holds too many names to see all of them."""
    try:
        with os.scandir(folder) as listed:
            names = [each.name for each in islice(listed, MOST_NAMES)]
            more = next(listed, None) is not None
    except OSError:
        return [], 0
    return sorted(name for name in names if name.endswith(PRIVATE)), int(more)


def _age(entry: Entry) -> tuple[float, str]:
    return (0.0 if entry.released is None else entry.released.timestamp()), str(entry.place)


def _records_of(data: Transactions | Table) -> Hashes:
    """Hashes of the records that stand out."""
    from cloven.io.ledger_rows import rows_standing_out

    return standing_out(data) if isinstance(data, Transactions) else rows_standing_out(data)


def _chance_in(data: Transactions | Table) -> float:
    """Share of records in common that is chance in such data."""
    from cloven.io.ledger_rows import chance_of_rows

    return CHANCE if isinstance(data, Transactions) else max(CHANCE, chance_of_rows(data))
