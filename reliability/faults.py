"""Take everything away from running commands: ``python -m reliability.faults --times 200 --seed 1``.

Each class of fault strikes each command at random moments; then the same command is given again and must end as if
nothing had happened: the same bytes published, the same figures, nothing left behind. What a struck command leaves must
be nothing, or a whole release. Everything happens in folders of its own and ends by itself.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import cloven as cv
from reliability.mutation import damaged

LONGEST = 300  # seconds a command may take
MOST_TRIES = 3
MOVING = {"seconds", "made", "created", "date", "time", "version", "began", "ended"}
KINDS_OF_END = {0, 1, 2, 3, 4, 130, 143, -signal.SIGINT, -signal.SIGTERM, -signal.SIGKILL}


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


COMMANDS = (
    Command(
        "anonymise",
        ("anonymise", "disassociation", "IN/baskets.csv", "-k", "3", "-o", "OUT"),
        ("", ".private"),
    ),
    Command(
        "audit",
        ("audit", "IN/baskets.csv", "-k", "3", "-o", "OUT", "--quick", "--no-advise"),
        ("", ".private"),
    ),
    Command(
        "tune",
        ("tune", "IN/baskets.csv", "-k", "3", "-o", "OUT", "--trials", "2"),
        ("", ".private", ".study"),
    ),
)


@dataclass
class Row:
    """What came of one class of fault with one command."""

    fault: str
    command: str
    times: int = 0
    struck: int = 0
    bad: list[str] = field(default_factory=list)


class Sound(Exception):  # noqa: N818  not an error of the program, but what is looked for
    """Something is not as it must be."""


def main() -> int:
    """Run all classes of fault and print one table."""
    arguments = _arguments()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        _data(home / "in")
        for command in COMMANDS:
            if arguments.command and arguments.command != command.name:
                continue
            wanted, seconds = _reference(command, home)
            sys.stderr.write(f"{command.name}: {seconds:.1f} s undisturbed\n")
            for fault in FAULTS:
                if arguments.fault and arguments.fault != fault:
                    continue
                row = _repeat(
                    command,
                    fault,
                    home,
                    wanted,
                    seconds,
                    times=arguments.times if fault in KILLS else arguments.others,
                    seed=arguments.seed,
                    processes=arguments.processes,
                )
                rows.append(row)
                sys.stderr.write(
                    f"{row.command}, {row.fault}: struck {row.struck} of {row.times}, {len(row.bad)} bad\n"
                )
    _print(rows)
    return 1 if any(row.bad for row in rows) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=10, help="kills of each command and way")
    parser.add_argument("--others", type=int, default=20, help="times of every other class of fault")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--command", choices=[each.name for each in COMMANDS])
    parser.add_argument("--fault", choices=sorted(FAULTS))
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def _data(folder: Path) -> None:
    folder.mkdir()
    rng = Random(7)
    items = [f"item{number}" for number in range(12)]
    lines = [",".join(sorted(rng.sample(items, rng.choice((1, 2, 3, 4))))) for _ in range(60)]
    (folder / "baskets.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _reference(command: Command, home: Path) -> tuple[dict[str, str], float]:
    folder = home / f"reference-{command.name}"
    folder.mkdir()
    _run(command, home, folder)  # what has to be compiled is compiled now
    _clear(folder)
    began = time.monotonic()
    ended = _run(command, home, folder)
    if ended.returncode not in (0, 1):
        raise SystemExit(f"{command.name} does not run: {ended.stderr}")
    return _figures(folder), time.monotonic() - began


def _repeat(
    command: Command,
    fault: str,
    home: Path,
    wanted: dict[str, str],
    seconds: float,
    *,
    times: int,
    seed: int,
    processes: int,
    strikes: Mapping[str, Strike] | None = None,
) -> Row:
    row, strike = Row(fault, command.name), (strikes or FAULTS)[fault]

    def once(number: int) -> tuple[bool, str]:
        rng = Random(f"{seed}/{command.name}/{fault}/{number}")
        with tempfile.TemporaryDirectory(dir=home) as place:
            folder = Path(place)
            try:
                struck = strike(Trial(command, home, folder, seconds, rng, wanted))
                _look(folder, wanted)
                _go_on(command, home, folder, wanted)
            except Sound as found:
                return True, f"#{number}: {found}"
            return struck, ""

    with ThreadPoolExecutor(processes) as pool:
        while row.struck < times and row.times < MOST_TRIES * times:  # some strike after the end
            for struck, bad in pool.map(once, range(row.times, row.times + times - row.struck)):
                row.times += 1
                row.struck += struck
                if bad:
                    row.bad.append(bad)
                    sys.stderr.write(f"found: {command.name}, {fault} {bad}\n")
    return row


@dataclass(frozen=True)
class Trial:
    """One command about to be struck."""

    command: Command
    home: Path
    folder: Path
    seconds: float
    rng: Random
    wanted: dict[str, str]


Strike = Callable[[Trial], bool]


def _words(command: Command, home: Path, folder: Path) -> list[str]:
    places = {"IN": str(home / "in"), "OUT": str(folder / "out")}
    words = [word.replace("IN", places["IN"]).replace("OUT", places["OUT"]) for word in command.words]
    return [sys.executable, "-m", "cloven.cli", *words]


def _run(command: Command, home: Path, folder: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        _words(command, home, folder),
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
        cwd=folder,
        **more,
    )


def _killed(number: int) -> Strike:
    def strike(trial: Trial) -> bool:
        process = subprocess.Popen(
            _words(trial.command, trial.home, trial.folder),
            cwd=trial.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        time.sleep(trial.rng.uniform(0, 1.05 * trial.seconds))
        struck = process.poll() is None
        if struck:
            process.send_signal(number)
        told = process.communicate(timeout=LONGEST)[1]
        _sound(process.returncode in KINDS_OF_END, f"ended with {process.returncode}: {told[-300:]}")
        if struck and number != signal.SIGKILL and process.returncode not in (0, 1):
            _sound(
                process.returncode in (128 + number, -number),  # the latter before Python has begun to run us
                f"ended with {process.returncode}, not {128 + number}: {told[-300:]}",
            )
            _sound("Traceback" not in told, f"told a traceback: {told[-300:]}")
        return struck

    return strike


def _too_large(trial: Trial) -> bool:
    """A disk that is full: no file may grow beyond a limit."""
    limit = trial.rng.choice((0, 100, 1000, 4096, 10_000, 40_000))

    def limits() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    ended = _run(trial.command, trial.home, trial.folder, preexec_fn=limits)
    _sound(ended.returncode in (0, 1, 4), f"ended with {ended.returncode}: {ended.stderr[-300:]}")
    return ended.returncode == 4


def _small_disk(trial: Trial) -> bool:
    """A disk that is full: a file system of its own that has room for a part of what is written."""
    if not _mounted(trial.folder, trial.rng.choice((8, 16, 32, 64, 128, 256))):
        return False  # only root may; the table says how often it struck
    try:
        ended = _run(trial.command, trial.home, trial.folder)
        _sound(ended.returncode in (0, 1, 4), f"ended with {ended.returncode}: {ended.stderr[-300:]}")
        _look(trial.folder, None)
        _mounted(trial.folder, 1 << 16, again=True)
        _go_on(trial.command, trial.home, trial.folder, trial.wanted)
    finally:
        subprocess.run(["umount", str(trial.folder)], check=False, capture_output=True)
    return ended.returncode == 4


def _mounted(folder: Path, kibibytes: int, *, again: bool = False) -> bool:
    options = f"{'remount,' if again else ''}size={kibibytes}k"
    words = ["mount", "-t", "tmpfs", "-o", options, "cloven-faults", str(folder)]
    return os.geteuid() == 0 and subprocess.run(words, check=False, capture_output=True).returncode == 0


def _no_memory(trial: Trial) -> bool:
    limit = trial.rng.choice((300, 500, 700, 900, 1200)) << 20

    def limits() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    ended = _run(trial.command, trial.home, trial.folder, preexec_fn=limits)
    _sound(ended.returncode != 70, f"ended with 70: {ended.stderr[-300:]}")
    return ended.returncode not in (0, 1)


def _read_only(trial: Trial) -> bool:
    trial.folder.chmod(0o500)
    try:
        ended = _run(trial.command, trial.home, trial.folder, preexec_fn=_without_override)
    finally:
        trial.folder.chmod(0o700)
    _sound(ended.returncode in (0, 1, 3, 4), f"ended with {ended.returncode}: {ended.stderr[-300:]}")
    return ended.returncode in (3, 4)


def _without_override() -> None:
    """Root may write anywhere; without that capability permissions hold for it too."""
    drop_from_bounds, override = 24, 1
    ctypes.CDLL(None).prctl(drop_from_bounds, override)


def _two_at_once(trial: Trial) -> bool:
    """One of them may win, both may not, and none may be mixed."""
    words = _words(trial.command, trial.home, trial.folder)
    first = subprocess.Popen(
        words, cwd=trial.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    time.sleep(trial.rng.uniform(0, trial.seconds))
    second = _run(trial.command, trial.home, trial.folder)
    told = first.communicate(timeout=LONGEST)[1]
    codes = {first.returncode, second.returncode}
    _sound(codes <= {0, 1, 3, 4}, f"ended with {codes}: {told[-200:]} {second.stderr[-200:]}")
    return True


def _damaged_state(trial: Trial) -> bool:
    """Killed, and then what it kept to go on with is damaged too."""
    struck = _killed(signal.SIGKILL)(trial)
    kept = [file for file in _all_files(trial.folder) if ".study" in str(file) or "unfinished" in str(file)]
    for file in trial.rng.sample(kept, min(len(kept), 2)):
        file.write_bytes(damaged(file.read_bytes(), trial.rng))
    return struck and bool(kept)


KILLS: dict[str, Strike] = {
    "kill -9": _killed(signal.SIGKILL),
    "Ctrl-C": _killed(signal.SIGINT),
    "SIGTERM": _killed(signal.SIGTERM),
}
FAULTS: dict[str, Strike] = {
    **KILLS,
    "file size limit": _too_large,
    "full disk": _small_disk,
    "little memory": _no_memory,
    "read-only folder": _read_only,
    "two at once": _two_at_once,
    "damaged state": _damaged_state,
}


def _look(folder: Path, wanted: dict[str, str] | None) -> None:
    """What is there after the fault is nothing, or whole."""
    out = folder / "out"
    release = out if (out / "manifest.json").exists() else out / "published"
    if release.exists():
        _sound(cv.verify_folder(release).ok, "left a release that does not verify")
        _sound(Path(f"{out}.private").exists(), "left a release without its private folder")
        found = {name: digest for name, digest in _figures(folder).items() if name.endswith(".parquet")}
        for name, digest in found.items():
            _sound(wanted is None or wanted.get(name) == digest, f"left {name} with other content")


def _go_on(command: Command, home: Path, folder: Path, wanted: dict[str, str]) -> None:
    """Given again, the command ends as if nothing had happened, and clears up."""
    done = all(Path(f"{folder / 'out'}{suffix}").exists() for suffix in command.made)
    if not done:
        ended = _run(command, home, folder)
        _sound(
            ended.returncode in (0, 1), f"given again it ended with {ended.returncode}: {ended.stderr[-400:]}"
        )
    found = _figures(folder)
    other = [name for name in wanted if found.get(name) != wanted[name]]
    _sound(not other, f"given again it made other {', '.join(other)}")
    litter = [
        str(file.relative_to(folder))
        for file in folder.rglob("*")
        if ".partial" in file.name or "unfinished" in file.name
    ]
    _sound(not litter, f"left {', '.join(litter[:3])}")


def _figures(folder: Path) -> dict[str, str]:
    """Digests of what was made, without times."""
    found = {}
    for file in _all_files(folder):
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


def _all_files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file())


def _clear(folder: Path) -> None:
    for entry in folder.iterdir():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def _sound(fine: object, what: str) -> None:
    if not fine:
        raise Sound(" ".join(what.split()))


def _print(rows: list[Row]) -> None:
    sys.stdout.write(f"{'fault':<22}{'command':<20}{'times':>7}{'struck':>8}{'bad':>6}\n")
    for row in rows:
        sys.stdout.write(f"{row.fault:<22}{row.command:<20}{row.times:>7}{row.struck:>8}{len(row.bad):>6}\n")
    bad = sum(len(row.bad) for row in rows)
    sys.stdout.write(f"{sum(row.times for row in rows):,} faults, {bad:,} bad endings\n")


if __name__ == "__main__":
    sys.exit(main())
