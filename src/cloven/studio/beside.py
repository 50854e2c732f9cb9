"""Releases of the same people that left the studio: whoever has two of them knows more than either of them promises.

An audit is held against what was downloaded before it (``audit_work``). What is downloaded later is held against it
here, whenever its verdict is shown.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.audit.decision import BESIDE
from cloven.errors import ReleaseError
from cloven.storage.ledger_file import Entry, Note, note
from cloven.storage.receipt import RECEIPT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cloven.studio.records import Run
    from cloven.studio.workspace import Workspace

WORST = "do not publish"


def hand_out(workspace: Workspace, run: Run) -> None:
    """Note that a release leaves the studio; whatever its verdict was, it counts as published from now on."""
    workspace.note(run.number, "release")
    try:
        entry = Entry.at(run.private)
    except ReleaseError:  # without a receipt no ledger can know of it; the workspace does
        return
    if not entry.published:
        note(run.private, Note.now())


def handed_out(workspace: Workspace, run: Run) -> list[Run]:
    """Other releases of the same data that were downloaded and not tried with this one, unless they are the same."""
    gone = workspace.handed_out()
    return [other for other in workspace.all_runs() if other.number in gone and _open(run, other)]


def _open(run: Run, other: Run) -> bool:
    if other.number == run.number or other.number in run.wanted.get("runs", ()):
        return False
    mine, theirs = entry_of(run), entry_of(other)
    if mine is None or theirs is None:
        return other.data == run.data
    same_data = other.data == run.data or mine.input_sha256 == theirs.input_sha256 is not None
    return same_data and mine.manifest_sha256 != theirs.manifest_sha256


def entry_of(run: Run) -> Entry | None:
    """What the receipt of a run remembers; None without one."""
    try:
        return _entry(str(run.private), (run.private / RECEIPT).stat().st_mtime_ns)
    except (OSError, ReleaseError):
        return None


def on_different_data(runs: Sequence[Run]) -> bool:
    """Whether some runs measure different people; a file that is read where it is can change between two of them."""
    known = {entry.input_sha256 for run in runs if (entry := entry_of(run)) is not None}
    return len({run.data for run in runs}) > 1 or len(known - {None}) > 1


@lru_cache(maxsize=256)
def _entry(private: str, _changed: int) -> Entry:
    return Entry.at(Path(private))


def against(run: Run, beside: Iterable[Run]) -> list[Run]:
    """Those of them that speak against publishing: where both are differentially private, what they cost adds up."""
    mine = entry_of(run)
    private = mine is not None and mine.epsilon is not None
    return [
        other
        for other in beside
        if not (private and (theirs := entry_of(other)) is not None and theirs.epsilon is not None)
    ]


def sentence(number: int, name: str, *, same_data: bool = True) -> str:
    """Why a release that was downloaded speaks against another one."""
    of = "the same data" if same_data else "data that share records with these"
    return (
        f"The release of run {number} ({name}), of {of}, was downloaded and not tried with this one: somebody who has"
        " both can combine them, and the promise of neither covers that. Attack this one with that release, too, or"
        " publish one of them only. If nobody got that one, delete its run."
    )


def held(document: Mapping[str, Any], others: Sequence[Run]) -> Mapping[str, Any]:
    """The document of an audit with releases held against it that were downloaded since."""
    decision = document["decision"]
    if not others or decision["verdict"] == WORST:
        return document
    why = [sentence(other.number, other.name) for other in others]
    changed = {
        "verdict": WORST,
        "sentence": BESIDE,
        "reasons": [*why, *decision["reasons"]],
        "better": [],
        "words": "",
    }
    return {**document, "decision": {**decision, **changed}}


def judged(workspace: Workspace, runs: Iterable[Run]) -> list[Run]:
    """Runs as lists show them: what was downloaded since is held against their verdicts."""
    gone = workspace.handed_out()
    others = [run for run in workspace.all_runs() if run.number in gone] if gone else []
    return [_judged(run, others) for run in runs]


def _judged(run: Run, others: Sequence[Run]) -> Run:
    if run.headline.get("verdict", WORST) == WORST:
        return run
    if not against(run, (other for other in others if _open(run, other))):
        return run
    return replace(run, headline={**run.headline, "verdict": WORST})
