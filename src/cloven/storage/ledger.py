"""The ledger: which data was released before, and how; because two releases of the same people compose.

What is known comes from two places: the receipts of the private folders beside a release, and ``releases.jsonl`` of a
ledger folder, if the owner keeps one (``cloven.storage.ledger_file``). Both are the owner's; nothing of it is
published. An earlier release is of the same data if the fingerprints agree. If they do not, the sketch in its receipt
tells what share of the records the two have in common (``cloven.storage.fingerprint``).
"""

from __future__ import annotations

import os
import shlex
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.data.recognition import Chance
from cloven.errors import ReleaseError
from cloven.figures import many
from cloven.storage.fingerprint import Overlap, fingerprint, overlap
from cloven.storage.ledger_file import (
    DISCARDED,
    PRIVATE,
    Entry,
    ledger_folder,
    mark_discarded,
    read_releases,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cloven.data.recognition import Recognisable
    from cloven.disclosure.risk import Estimate

MOST_NAMES, MOST_RECEIPTS = 100_000, 1_000
CHANCE = 0.05  # up to this share, records in common are chance; see cloven.data.recognition
BY_CHANCE = Chance(CHANCE, CHANCE)


@dataclass(frozen=True)
class Earlier:
    """An earlier release and what it has in common with the data at hand.

    Attributes:
        entry: the release.
        same_data: whether it was made from this very data.
        same_release: whether the new release is the same, byte for byte; then having both gives nothing more.
        overlap: records in common where the data differ; None if that cannot be known.
        chance: up to these shares, records in common are chance.
    """

    entry: Entry
    same_data: bool
    same_release: bool
    overlap: Overlap | None
    chance: Chance = BY_CHANCE

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
        return any(low is not None and low > most for low, most in zip(ends, self.chance, strict=True))

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

    def earlier(
        self, data: Recognisable, own: Entry | None = None, mine: str | None = None
    ) -> tuple[Earlier, ...]:
        """Compare every release with this data, what has most in common first.

        Args:
            data: the data at hand.
            own: the release that was just made of it, which is not earlier than itself.
            mine: the fingerprint of the data, if it is known already.
        """
        mine = mine or fingerprint(data)
        others = [
            entry
            for entry in self.entries
            if not entry.discarded and (own is None or entry.identity != own.identity)
        ]
        needed = any(entry.sketch is not None and entry.input_sha256 != mine for entry in others)
        present = data.standing_out() if needed else None
        found = []
        for entry in others:
            same = entry.input_sha256 == mine
            twin = own is not None and entry.manifest_sha256 == own.manifest_sha256
            known = None if same else entry.sketch
            common = None if known is None or present is None else overlap(known, present)
            found.append(Earlier(entry, same, twin, common, _by_chance(data, entry, common)))
        return tuple(sorted(found, key=lambda each: (not each.composes, not each.same_data, -each.share)))

    def discarded_epsilons(self, data: str | None) -> list[float]:
        """Epsilon of each differentially private release of the data with this fingerprint that was discarded."""
        found = (entry for entry in self.entries if data is not None and entry.input_sha256 == data)
        return [entry.epsilon for entry in found if entry.discarded and entry.epsilon is not None]


def _by_chance(data: Recognisable, entry: Entry, common: Overlap | None) -> Chance:
    """Up to which shares this data has something in common with as many other people."""
    if common is None or max(common.of_data.value, common.of_earlier.value) <= CHANCE:
        return BY_CHANCE
    found = data.alike_by_chance(len(data) if entry.records is None else entry.records)
    return Chance(max(CHANCE, found.of_data), max(CHANCE, found.of_earlier))


def earlier_releases(
    data: Recognisable, out: str | os.PathLike[str], ledger: str | os.PathLike[str] | None = None
) -> tuple[Earlier, ...]:
    """Compare this data with every release that is known where ``out`` was, or will be, written.

    >>> from cloven.data.transactions import Transactions
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
        mark_discarded(entry.private)
    return entry


def take_up(out: str | os.PathLike[str]) -> None:
    """Take back that a release was discarded."""
    entry = own_entry(out)
    if entry is not None:
        (entry.private / DISCARDED).unlink(missing_ok=True)


def own_entry(out: str | os.PathLike[str]) -> Entry | None:
    """The entry of the release at ``out``, if it is written already."""
    out = Path(out)
    for stem in dict.fromkeys((out.name, out.name.removesuffix(".json"))):
        try:
            return Entry.at(out.with_name(f"{stem}{PRIVATE}"))
        except (ReleaseError, ValueError):  # a path without a name
            continue
    return None


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


# What the differentially private releases of one data set cost together.
#
# Runs add up (sequential composition; Dwork, McSherry, Nissim and Smith, TCC 2006, and McSherry, SIGMOD 2009, theorem
# 3): releases of the same rows with eps 0.3 and 0.5 promise, together, what one with 0.8 promises. Sums are exact. A
# release that was never published is not counted, which is right only if nobody saw it and no other was made because of
# it.


ONLY_IF = "which is right only if nobody saw it and nothing was run again because of what it showed"


@dataclass(frozen=True)
class Budget:
    """What was spent on one data set.

    Attributes:
        input_sha256: fingerprint of the data.
        spent: epsilon of each release that counts.
        discarded: epsilon of each release that was never published.
    """

    input_sha256: str
    spent: tuple[float, ...]
    discarded: tuple[float, ...] = ()

    @property
    def total(self) -> float:
        """The sum of what counts.

        >>> Budget("", (0.1, 0.2)).total
        0.3
        """
        return total(self.spent)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "input_sha256": self.input_sha256,
            "epsilon": self.total,
            "releases": len(self.spent),
            "discarded_epsilon": total(self.discarded),
            "discarded_releases": len(self.discarded),
        }

    def __str__(self) -> str:
        number = len(self.spent)
        some = (
            "1 differentially private release"
            if number == 1
            else f"{number:,} differentially private releases"
        )
        verb = "costs" if number == 1 else "cost"
        return f"{some} of the data {self.input_sha256[:8]} {verb} eps = {self.total:g} in total{self.left_out()}"

    def left_out(self) -> str:
        """What is not counted, as the end of a sentence; nothing if there is nothing."""
        number = len(self.discarded)
        if not number:
            return ""
        what = "1 that was never published is" if number == 1 else f"{number:,} that were never published are"
        return f"; {what} not counted (eps = {total(self.discarded):g}), {ONLY_IF}"


def total(spent: Iterable[float]) -> float:
    """The sum of decimal numbers as they are written.

    >>> total([0.1, 0.2]), sum([0.1, 0.2])
    (0.3, 0.30000000000000004)
    """
    return float(sum((Fraction(repr(float(each))) for each in spent), Fraction(0)))


def budgets(entries: Iterable[Entry]) -> tuple[Budget, ...]:
    """What was spent on each data set of which there is a differentially private release, in order of the data."""
    spent: dict[str, tuple[list[float], list[float]]] = {}
    for entry in entries:
        if entry.epsilon is not None and entry.input_sha256 is not None:
            spent.setdefault(entry.input_sha256, ([], []))[entry.discarded].append(entry.epsilon)
    return tuple(Budget(data, tuple(each[0]), tuple(each[1])) for data, each in sorted(spent.items()))


def adds_up(epsilon: float | None, earlier: Sequence[Earlier], discarded: Sequence[float] = ()) -> list[str]:
    """What a new release with this epsilon costs with the earlier ones of the same people; nothing if it has none.

    Args:
        epsilon: of the new release; None if it is not differentially private.
        earlier: releases that were not discarded.
        discarded: epsilon of each release of the very same data that was never published.
    """
    if epsilon is None:
        return []
    spent = [each.entry.epsilon for each in earlier if adds(each) and each.entry.epsilon is not None]
    if not spent and not discarded:
        return []
    same = all(each.same_data for each in earlier if adds(each))
    whose = "of this data" if same else "of people who are in all of them"
    sums = " + ".join(f"{each:g}" for each in (*spent, epsilon))
    shown = f" ({sums})" if spent else ""
    cost = f"with this the releases {whose} cost eps = {total((*spent, epsilon)):g} in total{shown}"
    return [f"{cost}{Budget('', (), tuple(discarded)).left_out()}"]


def adds(each: Earlier) -> bool:
    """Whether an earlier release is differentially private and adds to the cost of another one of the same people.

    Two runs may give the same bytes, such as two empty tables, and cost twice; only a seed makes them one run.
    """
    if each.entry.epsilon is None:
        return False
    again = each.same_release and bool(each.entry.parameters.get("seeded"))
    return not again and (each.composes or each.same_data)


# What to tell an owner about earlier releases: sentences, each with what to do.


MOST = 3  # releases spoken of one by one


def warnings(earlier: Sequence[Earlier], skipped: int = 0, epsilon: float | None = None) -> list[str]:
    """Say which earlier releases compose with the new one; nothing to say is an empty list.

    Args:
        earlier: what ``earlier_releases`` found.
        skipped: receipts that could not be read, if that is known.
        epsilon: of the new release, if it is differentially private: with others that are, its promise adds up, which
            is told beside it.
    """
    if epsilon is not None:
        earlier = [each for each in earlier if not adds(each)]
    composing = [each for each in earlier if each.composes]
    out = [_sentence(each) for each in composing[:MOST]]
    if len(composing) > MOST:
        rest = len(composing) - MOST
        some = "1 more earlier release shares" if rest == 1 else f"{rest:,} more earlier releases share"
        out.append(f"{some} records with this data; list them with `cloven ledger`")
    twins = [each for each in earlier if each.same_release]
    if twins:
        out.append(
            f"this very release was made before{_when(twins[0])} in {shown(twins[0].entry.place)}:"
            " both together tell no more than one of them"
        )
    if skipped:
        some = many(skipped, "note")
        out.append(
            f"{some} of earlier releases could not be read; look yourself whether this data was released"
        )
    return out


def _sentence(each: Earlier) -> str:
    place = shown(each.entry.place)
    promise = f" with {each.entry.promise}" if each.entry.promise else ""
    audit = f", or audit with --other-release {shlex.quote(place)}" if each.entry.has_release else ""
    folder = shlex.quote(shown(each.entry.private).removesuffix(PRIVATE))
    return (
        f"{_what(each)} released{_when(each)}{promise} in {place}: somebody who has both can combine them, and the"
        f" promise of neither covers that; publish one of them only{audit}; if that one was never published:"
        f" cloven ledger discard {folder}"
    )


def _what(each: Earlier) -> str:
    if each.overlap is None:
        return "this data set was"
    ours, theirs = each.overlap.of_data, each.overlap.of_earlier
    if ours.value >= theirs.value:
        return f"{_share(ours)} of the records that stand out in this data were"
    return f"this data holds {_share(theirs)} of the records that stand out in what was"


def _when(each: Earlier) -> str:
    return f" on {each.entry.day}" if each.entry.day else " earlier"


def _share(estimate: Estimate) -> str:
    """``38.0 %`` where it was counted, ``about 38.0 % [35.1 - 41.0]`` where it was estimated."""
    value, low, high = (
        100 * (estimate.value if end is None else end)
        for end in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value:.1f} %" if low == high else f"about {value:.1f} % [{low:.1f} - {high:.1f}]"
