"""A command that is about to be struck, and what must be true of what it leaves."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import cloven as cv

LONGEST = 300  # seconds a command may take
MOVING = {"seconds", "made", "created", "date", "time", "version", "began", "ended"}


@dataclass(frozen=True)
class Command:
    """A command line, and where it writes.

    Attributes:
        name: what it is called in the table.
        words: the arguments, with ``IN`` and ``OUT`` for its files.
        made: what it leaves when it went well, from ``OUT``.
    """

    name: str
    words: tuple[str, ...]
    made: tuple[str, ...]


@dataclass(frozen=True)
class Trial:
    """One command about to be struck, in a folder of its own.

    Attributes:
        home: has its input.
        seconds: it takes undisturbed.
        wanted: figures of what it leaves then.
    """

    command: Command
    home: Path
    folder: Path
    seconds: float
    rng: Random
    wanted: dict[str, str]

    @property
    def words(self) -> list[str]:
        """The command line."""
        places = {"IN": str(self.home / "in"), "OUT": str(self.folder / "out")}
        words = [
            word.replace("IN", places["IN"]).replace("OUT", places["OUT"]) for word in self.command.words
        ]
        return [sys.executable, "-m", "cloven.cli", *words]

    def run(self, **more: Any) -> subprocess.CompletedProcess[str]:
        """Run it to its end."""
        return subprocess.run(
            self.words, capture_output=True, text=True, timeout=LONGEST, check=False, cwd=self.folder, **more
        )

    def begun(self) -> subprocess.Popen[str]:
        """Begin it, and wait until the moment to strike."""
        process = subprocess.Popen(
            self.words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        time.sleep(self.rng.uniform(0, 1.05 * self.seconds))
        return process


class Sound(Exception):  # noqa: N818  not an error of the program, but what is looked for
    """Something is not as it must be."""


def sound(fine: object, what: str) -> None:
    """Raise what is wrong, unless it is fine."""
    if not fine:
        raise Sound(" ".join(what.split()))


def look(folder: Path, wanted: dict[str, str] | None) -> None:
    """What is there after the fault is nothing, or whole."""
    out = folder / "out"
    release = out if (out / "manifest.json").exists() else out / "published"
    if release.exists():
        sound(cv.verify_folder(release).ok, "left a release that does not verify")
        sound(Path(f"{out}.private").exists(), "left a release without its private folder")
        found = {name: digest for name, digest in figures(folder).items() if name.endswith(".parquet")}
        for name, digest in found.items():
            sound(wanted is None or wanted.get(name) == digest, f"left {name} with other content")


def go_on(trial: Trial) -> None:
    """Given again, the command ends as if nothing had happened, and clears up."""
    folder, wanted = trial.folder, trial.wanted
    done = all(Path(f"{folder / 'out'}{suffix}").exists() for suffix in trial.command.made)
    if not done:
        ended = trial.run()
        sound(
            ended.returncode in (0, 1), f"given again it ended with {ended.returncode}: {ended.stderr[-400:]}"
        )
    found = figures(folder)
    other = [name for name in wanted if found.get(name) != wanted[name]]
    sound(not other, f"given again it made other {', '.join(other)}")
    litter = [
        str(file.relative_to(folder))
        for file in folder.rglob("*")
        if ".partial" in file.name or "unfinished" in file.name
    ]
    sound(not litter, f"left {', '.join(litter[:3])}")


def figures(folder: Path) -> dict[str, str]:
    """Digests of what was made, without times."""
    found = {}
    for file in files_of(folder):
        name = str(file.relative_to(folder))
        if ".study" in name or ".unfinished" in name:  # work that goes on
            continue
        if file.suffix == ".json":
            told = _still(json.loads(file.read_bytes()))
            if file.name == "receipt.json":
                del told["release"]  # names the release by its manifest, which tells when it was made
            found[name] = _digest(json.dumps(told, sort_keys=True).encode())
        elif file.suffix == ".parquet":
            found[name] = _digest(file.read_bytes())
    return found


def _still(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _still(value) for key, value in tree.items() if key not in MOVING}
    return [_still(value) for value in tree] if isinstance(tree, list) else tree


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def files_of(folder: Path) -> list[Path]:
    """Every file below a folder."""
    return sorted(file for file in folder.rglob("*") if file.is_file())
