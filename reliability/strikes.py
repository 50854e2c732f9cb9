"""Ways to strike a running command: kills, full disks, little memory, no permission, damage; and kills of Spark."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.processes import processes_below
from reliability.mutation import damaged
from reliability.trial import LONGEST, Trial, files_of, go_on, look, sound

PATIENCE = 60  # seconds that processes may take to end after the one that started them
KINDS_OF_END = {0, 1, 2, 3, 4, 130, 143, -signal.SIGINT, -signal.SIGTERM, -signal.SIGKILL}


Strike = Callable[[Trial], bool]
"""Says whether it came before the end."""


def _ended(code: int, told: str, codes: set[int]) -> None:
    sound(code in codes, f"ended with {code}: {told[-300:]}")


def _killed(number: int) -> Strike:
    def strike(trial: Trial) -> bool:
        process = trial.begun()
        struck = process.poll() is None
        if struck:
            process.send_signal(number)
        told = process.communicate(timeout=LONGEST)[1]
        _ended(process.returncode, told, KINDS_OF_END)
        if struck and number != signal.SIGKILL and process.returncode not in (0, 1):
            # The latter before Python has begun to run us.
            _ended(process.returncode, told, {128 + number, -number})
            sound("Traceback" not in told, f"told a traceback: {told[-300:]}")
        return struck

    return strike


def _too_large(trial: Trial) -> bool:
    """A disk that is full: no file may grow beyond a limit."""
    limit = trial.rng.choice((0, 100, 1000, 4096, 10_000, 40_000))

    def limits() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    ended = trial.run(preexec_fn=limits)
    _ended(ended.returncode, ended.stderr, {0, 1, 4})
    return ended.returncode == 4


def _small_disk(trial: Trial) -> bool:
    """A disk that is full: a file system of its own that has room for a part of what is written."""
    if not _mounted(trial.folder, trial.rng.choice((8, 16, 32, 64, 128, 256))):
        return False  # only root may; the table says how often it struck
    try:
        ended = trial.run()
        _ended(ended.returncode, ended.stderr, {0, 1, 4})
        look(trial.folder, None)
        _mounted(trial.folder, 1 << 16, again=True)
        go_on(trial)
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

    ended = trial.run(preexec_fn=limits)
    sound(ended.returncode != 70, f"ended with 70: {ended.stderr[-300:]}")
    return ended.returncode not in (0, 1)


def _read_only(trial: Trial) -> bool:
    trial.folder.chmod(0o500)
    try:
        ended = trial.run(preexec_fn=_without_override)
    finally:
        trial.folder.chmod(0o700)
    _ended(ended.returncode, ended.stderr, {0, 1, 3, 4})
    return ended.returncode in (3, 4)


def _without_override() -> None:
    """Root may write anywhere; without that capability permissions hold for it too."""
    drop_from_bounds, override = 24, 1
    ctypes.CDLL(None).prctl(drop_from_bounds, override)


def _two_at_once(trial: Trial) -> bool:
    """One of them may win, both may not, and none may be mixed."""
    first = trial.begun()
    second = trial.run()
    told = first.communicate(timeout=LONGEST)[1]
    for code, said in ((first.returncode, told), (second.returncode, second.stderr)):
        _ended(code, said, {0, 1, 3, 4})
    return True


def _damaged_state(trial: Trial) -> bool:
    """Killed, and then what it kept to go on with is damaged too."""
    struck = _killed(signal.SIGKILL)(trial)
    kept = [file for file in files_of(trial.folder) if ".study" in str(file) or "unfinished" in str(file)]
    for file in trial.rng.sample(kept, min(len(kept), 2)):
        file.write_bytes(damaged(file.read_bytes(), trial.rng))
    return struck and bool(kept)


FAULTS: dict[str, Strike] = {
    "kill -9": _killed(signal.SIGKILL),
    "Ctrl-C": _killed(signal.SIGINT),
    "SIGTERM": _killed(signal.SIGTERM),
    "file size limit": _too_large,
    "full disk": _small_disk,
    "little memory": _no_memory,
    "read-only folder": _read_only,
    "two at once": _two_at_once,
    "damaged state": _damaged_state,
}

# Spark: the command is a Python driver, which starts Java, which starts Python workers.

Victims = Callable[[Trial, int, dict[int, str]], list[int]]
"""Which of the processes die: of the driver, and of those below it by their command lines."""


def _of_spark(victims: Victims) -> Strike:
    def strike(trial: Trial) -> bool:
        process = trial.begun()
        below = {number: each.line for number, each in processes_below(process.pid).items()}
        below.pop(process.pid, None)
        chosen = victims(trial, process.pid, below) if process.poll() is None else []
        for victim in chosen:
            _kill(victim)
        told = process.communicate(timeout=LONGEST)[1]
        _ended(process.returncode, told, {0, 4, -signal.SIGKILL})
        sound("Traceback" not in told, f"told a traceback: {told[-300:]}")
        _all_ended(below)
        return bool(chosen)

    return strike


def _worker(trial: Trial, _root: int, below: dict[int, str]) -> list[int]:
    workers = [number for number, line in below.items() if "pyspark.daemon" in line]
    return [trial.rng.choice(workers)] if workers else []


def _java(_trial: Trial, _root: int, below: dict[int, str]) -> list[int]:
    return [number for number, line in below.items() if "java" in line.split(" ")[0]]


def _kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:  # it ended by itself
        return


def _all_ended(processes: dict[int, str]) -> None:
    """Whoever was started by the command ends with it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        alive = [each for each, line in processes.items() if line and _line(each) == line]
        if not alive:
            return
        time.sleep(0.2)
    for each in alive:
        _kill(each)
    sound(
        not alive, f"{len(alive)} processes were still there after {PATIENCE} s: {processes[alive[0]][:100]}"
    )


def _line(process: int) -> str:
    return next((each.line for number, each in processes_below(process).items() if number == process), "")


ON_SPARK: dict[str, Strike] = {
    "kill -9 of the driver": _of_spark(lambda _trial, root, _below: [root]),
    "kill -9 of all": _of_spark(lambda _trial, root, below: [root, *below]),
    "kill -9 of Java": _of_spark(_java),
    "kill -9 of a worker": _of_spark(_worker),
}
