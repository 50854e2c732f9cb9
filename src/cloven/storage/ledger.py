"""The ledger: which releases were published, because two of the same people compose; and how audits judged each.

What is known comes from two places: receipts and notes in the private folders beside a release, and ``releases.jsonl``
of a ledger folder, if the owner keeps one (``cloven.storage.ledger_file``). Both are the owner's; nothing of it is
published. Only what ``cloven publish`` noted counts as published. It is of the same data if the fingerprints agree. If
they do not, the sketch in its receipt tells what share of the records the two have in common
(``cloven.storage.fingerprint``).
"""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.data.recognition import Chance
from cloven.errors import ReleaseError
from cloven.figures import many
from cloven.registry import table_anonymisers
from cloven.storage.fingerprint import Overlap, fingerprint, overlap, sketched_overlap
from cloven.storage.ledger_file import (
    NOTES,
    PRIVATE,
    RELEASES,
    Entry,
    joined_notes,
    ledger_folder,
    read_releases,
    shown,
)
from cloven.storage.receipt import RECEIPT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cloven.data.recognition import Recognisable
    from cloven.disclosure.risk import Estimate
    from cloven.storage.ledger_file import Note

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
        skipped: the file of each receipt and each line that could not be read, and a folder that cannot be listed.
        unseen: names and lines that were too many to look at.
    """

    entries: tuple[Entry, ...]
    skipped: tuple[Path, ...] = ()
    unseen: int = 0

    @classmethod
    def read(cls, folder: str | os.PathLike[str], ledger: str | os.PathLike[str] | None = None) -> Ledger:
        """Read the private folders in a folder, and the ledger if there is one; never fails for their content."""
        found, skipped, unseen = _neighbours(Path(folder))
        kept = ledger_folder(ledger)
        if kept is not None:
            noted, bad, old = read_releases(kept)
            found += [Entry.of_receipt(private, receipt, (note,)) for private, receipt, note in noted]
            skipped += [kept / RELEASES] * bad
            unseen += old
        once: dict[object, Entry] = {}
        for entry in found:  # of two, the one beside says where it is
            known = once.get(entry.identity)
            once[entry.identity] = entry if known is None else known.noted(*entry.notes)
        return cls(tuple(sorted(once.values(), key=_age)), tuple(skipped), unseen)

    @property
    def doubts(self) -> list[str]:
        """What of earlier releases is not known, a sentence each."""
        out = []
        if self.skipped:
            some = many(len(self.skipped), "note")
            out.append(
                f"{some} of earlier releases could not be read; look yourself whether this data was released"
            )
        if self.unseen:
            some = many(self.unseen, "name")
            out.append(f"at least {some} not looked at: too many; keep releases in smaller folders")
        return out

    def audits_of(self, manifest_sha256: str) -> tuple[Note, ...]:
        """What audits said of the release with this manifest, wherever it lies; the oldest first."""
        same = (entry for entry in self.entries if entry.manifest_sha256 == manifest_sha256)
        return joined_notes(each for entry in same for each in entry.audits)

    def earlier(
        self, data: Recognisable, own: Entry | None = None, mine: str | None = None
    ) -> tuple[Earlier, ...]:
        """Compare every published release with this data, what has most in common first.

        Args:
            data: the data at hand.
            own: the release that was just made of it, which is not earlier than itself.
            mine: the fingerprint of the data, if it is known already.
        """
        mine = mine or fingerprint(data)
        others = [
            entry
            for entry in self.entries
            if entry.published and (own is None or entry.identity != own.identity)
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

    def drafts(self, own: Entry) -> list[float]:
        """Epsilon of each other differentially private release of the same data that was not published."""
        return [
            entry.epsilon
            for entry in self.entries
            if own.input_sha256 is not None
            and entry.input_sha256 == own.input_sha256
            and entry.identity != own.identity
            and entry.epsilon is not None
            and not entry.published
        ]


def _by_chance(data: Recognisable, entry: Entry, common: Overlap | None) -> Chance:
    """Up to which shares this data has something in common with as many other people."""
    if common is None or max(common.of_data.value, common.of_earlier.value) <= CHANCE:
        return BY_CHANCE
    found = data.alike_by_chance(entry.records)
    return Chance(max(CHANCE, found.of_data), max(CHANCE, found.of_earlier))


def earlier_releases(
    data: Recognisable, out: str | os.PathLike[str], ledger: str | os.PathLike[str] | None = None
) -> tuple[Earlier, ...]:
    """Compare this data with every published release that is known where ``out`` was, or will be, written.

    >>> from cloven.data.transactions import Transactions
    >>> earlier_releases(Transactions.from_records([["flu"]]), "nowhere/out")
    ()
    """
    return Ledger.read(Path(out).parent, ledger).earlier(data, own_entry(out))


def by_receipts(mine: Entry, other: Entry) -> Earlier:
    """What another release has in common with this one, as far as the receipts of both tell."""
    same = mine.input_sha256 is not None and mine.input_sha256 == other.input_sha256
    twin = mine.manifest_sha256 == other.manifest_sha256
    if same or mine.sketch is None or other.sketch is None:
        return Earlier(other, same, twin, None)
    return Earlier(other, same, twin, sketched_overlap(other.sketch, mine.sketch))


def own_entry(out: str | os.PathLike[str]) -> Entry | None:
    """The entry of the release at ``out``, if it is written already; ``out/published`` is that of an audit."""
    for private in private_places(Path(out)):
        with suppress(ReleaseError):
            return Entry.at(private)
    return None


def private_places(out: Path) -> list[Path]:
    """Where the private folder of the release at ``out`` may lie."""
    around = (out.parent,) if out.name == "published" else ()
    places = (out, out.with_name(out.name.removesuffix(".json")) if out.suffix else out, *around)
    return [place.with_name(f"{place.name}{PRIVATE}") for place in places if place.name]


def _neighbours(folder: Path) -> tuple[list[Entry], list[Path], int]:
    """Entries of the private folders in a folder, what could not be read, and how many were not looked at."""
    names, skipped, more = _private_names(folder)
    entries: list[Entry] = []
    for name in names[:MOST_RECEIPTS]:
        try:
            entries.append(Entry.at(folder / name))
            skipped += [folder / name / NOTES] * entries[-1].unreadable
        except ReleaseError as error:
            # A folder of that name without a receipt is somebody else's.
            if not isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
                skipped.append(folder / name / RECEIPT)
    return entries, skipped, more + len(names[MOST_RECEIPTS:])


def _private_names(folder: Path) -> tuple[list[str], list[Path], int]:
    """Names of private folders in a folder, sorted; the folder if it cannot be listed; 1 if it holds too many names."""
    try:
        with os.scandir(folder) as listed:
            names = [each.name for each in islice(listed, MOST_NAMES)]
            more = next(listed, None) is not None
    except (FileNotFoundError, NotADirectoryError):
        return [], [], 0
    except OSError:
        return [], [folder], 0
    return sorted(name for name in names if name.endswith(PRIVATE)), [], int(more)


def _age(entry: Entry) -> tuple[float, str]:
    return entry.released.timestamp(), str(entry.place)


# What the differentially private releases of one data set cost together.
#
# Runs add up (sequential composition; Dwork, McSherry, Nissim and Smith, TCC 2006, and McSherry, SIGMOD 2009, theorem
# 3): releases of the same rows with eps 0.3 and 0.5 promise, together, what one with 0.8 promises. Sums are exact. A
# draft that was not published is not counted, which is right only if what it showed decided nothing: to draw until one
# looks good is to choose by looking, and costs all of them.


ONLY_IF = "which is right only if nobody else saw it and nothing was run again because of what it showed"


@dataclass(frozen=True)
class Budget:
    """What was spent on one data set.

    Attributes:
        input_sha256: fingerprint of the data.
        spent: epsilon of each release that was published.
        drafts: epsilon of each that was not.
    """

    input_sha256: str
    spent: tuple[float, ...]
    drafts: tuple[float, ...] = ()

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
            "draft_epsilon": total(self.drafts),
            "drafts": len(self.drafts),
        }

    def __str__(self) -> str:
        number = len(self.spent)
        some = (
            "1 published differentially private release"
            if number == 1
            else f"{number:,} published differentially private releases"
        )
        verb = "costs" if number == 1 else "cost"
        return f"{some} of the data {self.input_sha256[:8]} {verb} eps = {self.total:g} in total{self.left_out()}"

    def left_out(self) -> str:
        """What is not counted, as the end of a sentence; nothing if there is nothing."""
        number = len(self.drafts)
        if not number:
            return ""
        what = (
            "1 draft that was not published is"
            if number == 1
            else f"{number:,} drafts that were not published are"
        )
        return f"; {what} not counted (eps = {total(self.drafts):g}), {ONLY_IF}"


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
            spent.setdefault(entry.input_sha256, ([], []))[entry.published is None].append(entry.epsilon)
    return tuple(Budget(data, tuple(each[0]), tuple(each[1])) for data, each in sorted(spent.items()))


def adds_up(epsilon: float | None, earlier: Sequence[Earlier], drafts: Sequence[float] = ()) -> list[str]:
    """What a new release with this epsilon costs with the published ones of the same people; nothing if it has none.

    Args:
        epsilon: of the new release; None if it is not differentially private.
        earlier: releases that were published.
        drafts: epsilon of each other release of the very same data that was not.
    """
    if epsilon is None:
        return []
    spent = [each.entry.epsilon for each in earlier if adds(each) and each.entry.epsilon is not None]
    if not spent and not drafts:
        return []
    same = all(each.same_data for each in earlier if adds(each))
    whose = "of this data" if same else "of people who are in all of them"
    sums = " + ".join(f"{each:g}" for each in (*spent, epsilon))
    shown = f" ({sums})" if spent else ""
    cost = f"with this the published releases {whose} cost eps = {total((*spent, epsilon)):g} in total{shown}"
    return [f"{cost}{Budget('', (), tuple(drafts)).left_out()}"]


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


def warnings(earlier: Sequence[Earlier], epsilon: float | None = None) -> list[str]:
    """Say which earlier releases compose with the new one; nothing to say is an empty list.

    Args:
        earlier: what ``earlier_releases`` found.
        epsilon: of the new release, if it is differentially private: with others that are, its promise adds up, which
            is told beside it.
    """
    if epsilon is not None:
        earlier = [each for each in earlier if not adds(each)]
    composing = [each for each in earlier if each.composes]
    out = [_sentence(each) for each in composing[:MOST]]
    if len(composing) > MOST:
        rest = len(composing) - MOST
        some = "1 more published release shares" if rest == 1 else f"{rest:,} more published releases share"
        out.append(f"{some} records with this data; list them with `cloven ledger`")
    twins = [each for each in earlier if each.same_release]
    if twins:
        out.append(
            f"this very release was published{_when(twins[0])} in {shown(twins[0].entry.place)}:"
            " both together tell no more than one of them"
        )
    return out


def _sentence(each: Earlier) -> str:
    place = shown(each.entry.place)
    promise = f" with {each.entry.promise}" if each.entry.promise else ""
    measured = each.entry.has_release and each.entry.method in table_anonymisers()
    audit = f", or audit with --other-release {shlex.quote(place)}" if measured else ""
    return (
        f"{_what(each)} published{_when(each)}{promise} in {place}: somebody who has both can combine them, and the"
        f" promise of neither covers that; publish one of them only{audit}"
    )


def _what(each: Earlier) -> str:
    if each.overlap is None:
        return "this data set was"
    ours, theirs = each.overlap.of_data, each.overlap.of_earlier
    if ours.value >= theirs.value:
        return f"{_share(ours)} of the records that stand out in this data were"
    return f"this data holds {_share(theirs)} of the records that stand out in what was"


def _when(each: Earlier) -> str:
    return f" on {each.entry.published.day}" if each.entry.published else " earlier"


def _share(estimate: Estimate) -> str:
    """``38.0 %`` where it was counted, ``about 38.0 % [35.1 - 41.0]`` where it was estimated."""
    value, low, high = (
        100 * (estimate.value if end is None else end)
        for end in (estimate.value, estimate.low, estimate.high)
    )
    return f"{value:.1f} %" if low == high else f"about {value:.1f} % [{low:.1f} - {high:.1f}]"
