"""Change what small releases mean; does ``verify`` notice?

Every release is changed in one to three places, put into canonical order again, and written with right hashes where it
goes through files; so no checksum helps. ``verify`` is asked at its three levels, and brute force, which shares no code
with it, says whether the promise of the changed manifest holds. A finding is a release that ``verify`` accepts and
whose promise is broken; also a sound release that is refused, and any exception.

Numbers that are multiples of ``EACH`` are the unchanged release.
"""

from __future__ import annotations

import copy
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from cloven.errors import ClovenError
from cloven.storage.inspection import verify_folder
from cloven.storage.manifest import format_of
from cloven.storage.release import places, write_key, write_public
from cloven.verification import verify
from reliability import meaning_disassociated, meaning_generalised, meaning_tables
from reliability.campaign import Asked, table
from reliability.meaning_case import LEVELS, Case, Judgement, Kind

if TYPE_CHECKING:
    from cloven.verification import Verdict

EACH = 25
"""Releases made from one: itself, and so many less one changes of it."""
THROUGH_FILES = 0.03
IN_FULL = 0.2
"""Releases that higher levels are asked about though a lower one has refused them, which they should refuse too."""
KINDS: tuple[Kind, ...] = (*meaning_disassociated.KINDS, *meaning_generalised.KINDS, *meaning_tables.KINDS)


@dataclass
class Tally:
    """What came of the changed releases of one kind.

    Attributes:
        judged: changed releases that brute force could judge.
        undecided: those that have too many worlds.
        broken: those whose promise does not hold at the level of the release alone.
        accepted: how many ``verify`` accepts at each level.
        strict: sound ones that ``verify`` refuses at the level of the release.
        unseen: accepted with the original, though they cannot have come from it; documented, not a finding.
        files: how many went through files.
        findings: what was found, and how often.
    """

    judged: int = 0
    undecided: int = 0
    broken: int = 0
    accepted: Counter[str] = field(default_factory=Counter)
    strict: int = 0
    unseen: int = 0
    files: int = 0
    findings: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Answer:
    """One changed release: what was done, what ``verify`` and brute force say."""

    told: str
    verdicts: dict[str, Verdict]
    judgement: Judgement
    files: bool


def meaning(asked: Asked) -> int:
    """Run the campaign and print one table."""
    kinds = [kind for kind in KINDS if asked.only in kind.name]
    if asked.number is not None:
        exact = [kind for kind in kinds if kind.name == asked.only]
        return _again((exact or kinds)[0], asked.seed, asked.number)
    began = time.monotonic()
    total = campaign(kinds, asked.seed, asked.seconds)
    seconds = time.monotonic() - began
    sys.stdout.write(table(_rows(total)))
    sys.stdout.write(f"seed {asked.seed}, {seconds:.0f} s\n")
    return 1 if any(tally.findings for tally in total.values()) else 0


def campaign(kinds: list[Kind], seed: int, seconds: float, *, most: int = 1 << 40) -> dict[str, Tally]:
    """Every kind in turn, until the time is over or there were so many of each."""
    total = {kind.name: Tally() for kind in kinds}
    ends, number = time.monotonic() + seconds, 0
    while time.monotonic() < ends and number < most:
        for kind in kinds:
            for each in range(number, number + EACH):
                _try(kind, seed, each, total[kind.name])
        number += EACH
    return total


def _try(kind: Kind, seed: int, number: int, tally: Tally) -> None:
    try:
        asked = ask(kind, seed, number)
    except Exception as error:  # noqa: BLE001  that is what is looked for
        where = traceback.extract_tb(error.__traceback__)[-1]
        _found(
            kind, number, tally, f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}", ""
        )
        return
    if asked is None:
        return
    if not number % EACH:
        for what in _of_sound(asked):
            _found(kind, number, tally, what, "")
        return
    _count(asked, tally)
    for what, why in findings(asked):
        _found(kind, number, tally, what, why)


def _count(asked: Answer, tally: Tally) -> None:
    judgement = asked.judgement
    tally.files += asked.files
    tally.accepted.update(level for level, verdict in asked.verdicts.items() if verdict.ok)
    if judgement.open_at("release"):
        tally.undecided += 1
        return
    tally.judged += 1
    tally.broken += "release" in judgement.broken
    tally.strict += "release" not in judgement.broken and not asked.verdicts["release"].ok
    original = asked.verdicts.get("original")
    tally.unseen += original is not None and original.ok and "original" in judgement.unseen


def findings(asked: Answer) -> list[tuple[str, str]]:
    """Levels at which ``verify`` accepts what brute force calls broken, or what it refuses at a lower level."""
    found = []
    for level, verdict in asked.verdicts.items():
        fault = asked.judgement.fault_at(level)
        if verdict.ok and fault is not None:
            found.append((f"accepted at level {level}", fault))
    refused = [level for level in asked.verdicts if not asked.verdicts[level].ok]
    higher = (
        [
            level
            for level in asked.verdicts
            if asked.verdicts[level].ok and LEVELS.index(level) > LEVELS.index(refused[0])
        ]
        if refused
        else []
    )
    return found + [(f"accepted at level {level}, refused at {refused[0]}", "") for level in higher]


def _of_sound(asked: Answer) -> list[str]:
    """Faults of an unchanged release: ``verify`` refuses it, or brute force does."""
    found = [f"a sound release is judged broken: {why}" for why in asked.judgement.broken.values()]
    if "by hand" in asked.told:
        return []
    for verdict in asked.verdicts.values():
        found += [f"a sound release is refused: {check.name}" for check in verdict.failures]
    return found


@lru_cache(maxsize=64)
def _made(name: str, seed: int, number: int) -> Any:
    """The sound release that some numbers start from; None where data and method allow none."""
    kind = next(kind for kind in KINDS if kind.name == name)
    rng = Random(f"{seed}/{kind.name}/{number}")
    for _ in range(20):
        try:
            return kind.make(rng)
        except ClovenError:
            continue
    return None


def changed(kind: Kind, seed: int, number: int) -> tuple[Any, str] | None:
    """The plain form of one changed release, and what was done; None where there is none."""
    made = _made(kind.name, seed, number // EACH)
    if made is None:
        return None
    plain, told, rng = copy.deepcopy(made), [kind.name], Random(f"{seed}/{kind.name}/{number}/change")
    wanted, tries = rng.choice((1, 1, 1, 2, 2, 3)) if number % EACH else 0, 0
    while wanted and tries < 30:
        what, tries = kind.change(plain, rng), tries + 1
        if what:
            told.append(what)
            wanted -= 1
    return plain, "; ".join(told)


def ask(kind: Kind, seed: int, number: int) -> Answer | None:
    """Change a release, and ask ``verify`` and brute force."""
    found = changed(kind, seed, number)
    if found is None:
        return None
    plain, told = found
    case = kind.build(plain)
    lots = Random(f"{seed}/{kind.name}/{number}/files")
    files = lots.random() < THROUGH_FILES and case.key is not None
    form = "json" if format_of(case.release).of_sets and lots.random() < 0.5 else "parquet"
    in_full = lots.random() < IN_FULL or not number % EACH
    verdicts = _by_files(case, form) if files else _in_memory(case, in_full=in_full)
    return Answer(told, verdicts, kind.judge(plain), files)


def _in_memory(case: Case, *, in_full: bool) -> dict[str, Verdict]:
    """Verdicts from the lowest level up; what is refused at one is not asked again at the next, unless in full."""
    known: dict[str, dict[str, Any]] = {"release": {}, "original": {"original": case.original}}
    if case.key is not None:
        known["key"] = {"original": case.original, "key": case.key}
    found: dict[str, Verdict] = {}
    for level, given in known.items():
        found[level] = verify(case.release, policy=case.policy, allow_seeded=True, **given)
        if not found[level].ok and not in_full:
            break
    return found


@dataclass(frozen=True)
class _Result:
    """What an anonymiser would have returned."""

    release: Any
    key: Any
    policy: Any


def _by_files(case: Case, form: str) -> dict[str, Verdict]:
    """Written as an anonymiser would have, with right hashes and receipt, and read again."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as place:
        public, private = places(Path(place, "out"), form)
        digest = write_public(case.release, public, form)
        result: Any = _Result(case.release, case.key, case.policy)
        write_key(result, private, manifest_sha256=digest, original=case.original)
        known: dict[str, dict[str, Any]] = {
            "release": {},
            "original": {"original": case.original},
            "key": {"original": case.original, "private": private},
        }
        return {
            level: verify_folder(public, policy=case.policy, allow_seeded=True, **given)
            for level, given in known.items()
        }


def _found(kind: Kind, number: int, tally: Tally, what: str, why: str) -> None:
    tally.findings[what] += 1
    if tally.findings[what] <= 3:
        sys.stderr.write(f"found: --only {kind.name!r} --number {number}: {what}{': ' if why else ''}{why}\n")


def _again(kind: Kind, seed: int, number: int) -> int:
    """Show one release: what was done to it, all of it, and what everybody says."""
    found = changed(kind, seed, number)
    asked = ask(kind, seed, number)
    if found is None or asked is None:
        sys.stdout.write("no release of this number\n")
        return 0
    sys.stdout.write(f"{asked.told}\n{kind.build(found[0])}\n{found[0]!r:.4000}\n")
    for level, verdict in asked.verdicts.items():
        failed = ", ".join(f"{check.name}: {check.detail}" for check in verdict.failures)
        sys.stdout.write(f"{level}: verify {'accepts' if verdict.ok else f'refuses ({failed})'}\n")
    sys.stdout.write(f"brute force: broken {asked.judgement.broken}, unseen {asked.judgement.unseen}\n")
    return 1 if findings(asked) else 0


def _rows(total: dict[str, Tally]) -> list[tuple[object, ...]]:
    head = ("kind", "judged", "undecided", "broken", *(f"ok: {level}" for level in LEVELS))
    counts = {
        name: (
            tally.judged, tally.undecided, tally.broken, *(tally.accepted[level] for level in LEVELS),
            tally.strict, tally.unseen, tally.files, tally.findings.total(),
        )
        for name, tally in total.items()
    }  # fmt: skip
    sums = [sum(column) for column in zip(*counts.values(), strict=True)]
    rows = [(name, *row) for name, row in counts.items()]
    return [(*head, "stricter", "unseen", "files", "findings"), *rows, ("all", *sums)]
