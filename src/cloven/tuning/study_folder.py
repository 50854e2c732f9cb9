"""A search on disk: a private folder with Optuna's journal and a note of what is searched, in which data.

It knows what attacks reach on the owner's data, so it is the owner's alone (mode 0700) and is refused inside a release.
The note binds it: other data, another space or another seed are another search.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.errors import OutputError, ParameterError, ReleaseError
from cloven.io.atomic import PRIVATE_FILE, PRIVATE_FOLDER, refuse_inside_release, write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FORMAT = "cloven.study/1"
NOTE, JOURNAL, LOCK = "study.json", "journal.log", "lock"
MOST_BYTES = 1_000_000


@contextmanager
def study_folder(
    path: str | os.PathLike[str], asked: Mapping[str, Any], seed: int | None
) -> Iterator[tuple[Path, int]]:
    """Open a study, or make it; gives its journal and the seed that it was begun with.

    Args:
        path: the folder.
        asked: what is searched and in which data, as plain JSON values.
        seed: the seed that was asked for; None takes the one of the study, or a new one.

    Raises:
        ReleaseError: it is a study of something else, or another run works on it.
        OutputError: it cannot be written.
    """
    folder = Path(path)
    refuse_inside_release(folder / NOTE)
    with ExitStack() as held:
        try:
            folder.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
            held.enter_context(_alone(folder))
            known = (folder / NOTE).exists()
            used = _checked(folder, asked, seed) if known else _begin(folder, asked, seed)
            _mend(folder / JOURNAL)
        except OSError as error:
            message = f"{folder}: the study cannot be written ({error.strerror or error}); name another place"
            raise OutputError(message) from error
        try:
            yield folder / JOURNAL, used
        except ParameterError:
            if not known:  # a search that cannot be begun leaves nothing in the way of the next
                _remove(folder)
            raise


def new_seed() -> int:
    """A seed from the operating system."""
    return secrets.randbelow(2**31)


def storage(journal: Path) -> Any:
    """Optuna's storage in a journal."""
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

    try:
        return JournalStorage(JournalFileBackend(str(journal), JournalFileOpenLock(str(journal))))
    except (ValueError, KeyError) as error:
        message = f"{journal}: cannot be read ({error}); remove the folder and search again"
        raise ReleaseError(message) from error


def _begin(folder: Path, asked: Mapping[str, Any], seed: int | None) -> int:
    others = [each.name for each in folder.iterdir() if each.name != LOCK]
    if others:
        message = f"{folder}: is no study, but holds {others[0]!r}; name a new folder"
        raise ReleaseError(message)
    folder.chmod(PRIVATE_FOLDER)
    used = new_seed() if seed is None else seed
    note = {"format": FORMAT, "seed": used, **asked}
    write_bytes(folder / JOURNAL, b"", PRIVATE_FILE)
    write_bytes(folder / NOTE, (json.dumps(note, indent=1, ensure_ascii=False) + "\n").encode(), PRIVATE_FILE)
    return used


def _remove(folder: Path) -> None:
    """Take a study away again; what is not part of it stays."""
    with suppress(OSError):
        for name in (JOURNAL, NOTE, LOCK):
            (folder / name).unlink(missing_ok=True)
        folder.rmdir()


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
                f"{folder}: is the study of another search: {name} was {_short(known.get(name))} and is now"
                f" {_short(value)}; name another one, or remove it"
            )
            raise ReleaseError(message)
    return int(known["seed"])


def _note(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError
        note = json.loads(path.read_bytes())
        if note["format"] != FORMAT or not isinstance(note["seed"], int):
            raise ValueError
    except (ValueError, TypeError, KeyError) as error:
        message = f"{path}: is no note of a study ({FORMAT}); name another folder"
        raise ReleaseError(message) from error
    return dict(note)


def _mend(journal: Path) -> None:
    """Take back a last line that a killed run did not finish, and the lock that it held."""
    with suppress(FileNotFoundError):
        Path(f"{journal}.lock").unlink()
    content = journal.read_bytes() if journal.exists() else b""
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.truncate(journal, whole)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Refuse a study that another run works on. Windows cannot lock so, and goes without."""
    if os.name == "nt":
        yield
        return
    from fcntl import LOCK_EX, LOCK_NB, flock

    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    try:
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
        except BlockingIOError as error:
            message = f"{folder}: another run works on this study; wait for it, or name another one"
            raise ReleaseError(message) from error
        yield
    finally:
        os.close(descriptor)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
