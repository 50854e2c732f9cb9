"""A search on disk: a private folder with a journal of what was tried and a note of what is searched, in which data.

It knows what attacks reach on the owner's data, so it is the owner's alone (mode 0700) and is refused inside a
release. The note binds it: other data, another space or another seed are another search. Damaged lines of the journal
are set aside, and the search goes on with the others.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.data.defaults import SEED
from cloven.errors import OutputError, ParameterError, ReleaseError
from cloven.intake.files import content
from cloven.intake.trees import tree_of
from cloven.storage.atomic import PRIVATE_FOLDER, refuse_inside_release
from cloven.storage.journal import DAMAGED, LOCK, Journal, alone, replace

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

FORMAT = "cloven.study/1"
NOTE, JOURNAL = "study.json", "journal.log"
MOST_BYTES = 1_000_000


@contextmanager
def study_folder(
    path: str | os.PathLike[str], asked: Mapping[str, Any], seed: int | None
) -> Iterator[tuple[Journal, int]]:
    """Open a study, or make it; gives its journal and the seed that it was begun with.

    Args:
        path: the folder.
        asked: what is searched and in which data, as plain JSON values.
        seed: the seed that was asked for; None takes the one of the study, or the usual one.

    Raises:
        ReleaseError: it is a study of something else.
        OutputError: it cannot be written, or another run works on it.
    """
    folder = Path(path)
    refuse_inside_release(folder / NOTE)
    with ExitStack() as held:
        try:
            folder.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
            held.enter_context(alone(folder, "study"))
            doubts = _set_aside_note(folder)
            known = (folder / NOTE).exists()
            used = _checked(folder, asked, seed) if known else _begin(folder, asked, seed)
        except OSError as error:
            message = f"{folder}: the study cannot be written ({error.strerror or error}); name another place"
            raise OutputError(message) from error
        try:
            yield Journal(folder / JOURNAL, doubts=doubts), used
        except ParameterError:
            if not known:  # a search that cannot be begun leaves nothing in the way of the next
                _remove(folder)
            raise


def _begin(folder: Path, asked: Mapping[str, Any], seed: int | None) -> int:
    others = [
        each.name for each in folder.iterdir() if each.name not in (LOCK, JOURNAL) and not _ours(each.name)
    ]
    if not Journal(folder / JOURNAL).ours:
        others.append(JOURNAL)
    if others:
        message = f"{folder}: is no study, but holds {others[0]!r}; name a new folder"
        raise ReleaseError(message)
    folder.chmod(PRIVATE_FOLDER)
    used = SEED if seed is None else seed
    note = {"format": FORMAT, "seed": used, **asked}
    note["sha256"] = _sum(note)
    replace(folder / JOURNAL, b"")
    # The note comes last: without one, a folder that a killed run left is begun anew.
    replace(folder / NOTE, (json.dumps(note, indent=1, ensure_ascii=False) + "\n").encode())
    return used


def _ours(name: str) -> bool:
    """Whether a file is the rest of a study: something set aside, or unfinished."""
    return name.startswith((f"{NOTE}.", f"{JOURNAL}."))


def _remove(folder: Path) -> None:
    """Take a study away again; what is not part of it stays."""
    with suppress(OSError):
        for name in (JOURNAL, NOTE, LOCK):
            (folder / name).unlink(missing_ok=True)
        folder.rmdir()


def _set_aside_note(folder: Path) -> tuple[str, ...]:
    """A study whose note is damaged cannot say what was searched: it is kept beside, and begun anew."""
    note, journal = folder / NOTE, folder / JOURNAL
    if not (note.exists() and journal.exists()):
        return ()
    try:
        _note(note)
    except ReleaseError:
        for each in (note, journal):
            each.replace(f"{each}{DAMAGED}")
        aside = f"{NOTE}{DAMAGED} and {JOURNAL}{DAMAGED}"
        return (f"{folder}: damaged, or of another version; set aside as {aside}, and begun anew",)
    return ()


def _checked(folder: Path, asked: Mapping[str, Any], seed: int | None) -> int:
    known = _note(folder / NOTE)
    if known.get("data") != asked["data"]:
        prints = f"fingerprint {str(known.get('data'))[:8]}..., this file has {asked['data'][:8]}..."
        message = f"{folder}: is the study of another data set ({prints}); name another one, or remove it"
        raise ReleaseError(message)
    wanted = asked if seed is None else {**asked, "seed": seed}
    for name, value in wanted.items():
        if known.get(name) != value:
            message = (
                f"{folder}: is the study of another search: {name} was {_shown(known.get(name))} and is now"
                f" {_shown(value)}; name another one, or remove it"
            )
            raise ReleaseError(message)
    return int(known["seed"])


def _note(path: Path) -> dict[str, Any]:
    try:
        note = tree_of(content(path, MOST_BYTES))
        if note["format"] != FORMAT or not isinstance(note["seed"], int) or note.pop("sha256") != _sum(note):
            raise ValueError
    except (OSError, ValueError, TypeError, KeyError) as error:
        message = f"{path}: is no note of a study ({FORMAT}); name another folder"
        raise ReleaseError(message) from error
    return dict(note)


def _sum(note: Mapping[str, Any]) -> str:
    """A checksum of what a note says: one that was changed must not look like that of another search."""
    return hashlib.sha256(json.dumps(note, sort_keys=True).encode()).hexdigest()


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
