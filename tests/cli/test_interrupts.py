"""Ctrl-C, termination, being killed and a full disk leave no half-written release."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="needs signals, and to see which files are open"
)

D = ("anonymise", "disassociation")
WAIT = 60


@pytest.fixture(scope="session")
def baskets(tmp_path_factory) -> Path:
    """Data that take some tenths of a second, so that there is time to strike."""
    from cloven.datasets import sparse

    path = tmp_path_factory.mktemp("baskets") / "baskets.dat"
    data = sparse(60_000, 500, 6, 40)
    path.write_text("".join(" ".join(sorted(record)) + "\n" for record in data))
    return path


def reading(process, folder):
    """The data are being read."""
    opened, end = Path(f"/proc/{process.pid}/fd"), time.monotonic() + WAIT
    while process.poll() is None and time.monotonic() < end:
        with suppress(OSError):
            if any(each.readlink() == folder / "in.dat" for each in opened.iterdir()):
                break
    yield


def working(process, folder):
    """All data are read."""
    yield from (time.sleep(0.15) for _ in reading(process, folder))


def until(pattern):
    def appeared(process, folder):
        end = time.monotonic() + WAIT
        while process.poll() is None and not any(folder.glob(pattern)) and time.monotonic() < end:
            time.sleep(0.0002)
        yield

    appeared.__name__ = f"until {pattern}"
    return appeared


STAGING, PRIVATE = until(".cloven-*"), until("out.private")


def strike(program, folder: Path, text: str, moment, number: int, times: int = 1) -> tuple[int, str]:
    """Start an anonymisation, wait for the moment, send the signal."""
    (folder / "in.dat").write_text(text)
    process = subprocess.Popen(
        program(*D, folder / "in.dat", "-o", folder / "out"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        for _ in moment(process, folder):  # the file is open by then: signals are handled
            for _ in range(times):
                process.send_signal(number)
                time.sleep(0.002 if times > 1 else 0)
        err = process.communicate(timeout=WAIT)[1]
    finally:
        process.kill()
        process.wait()
    (folder / "in.dat").unlink()
    return process.returncode, err.decode()


def check_whole_or_nothing(cloven, folder: Path, original: Path) -> None:
    """There is a release that verifies with all that is known, or there is none."""
    if (folder / "out").exists():
        everything = ("--original", original, "--private", folder / "out.private")
        assert cloven("verify", folder / "out", *everything).code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("moment", "number", "times"),
    [
        (reading, signal.SIGINT, 1),
        (working, signal.SIGINT, 1),
        (STAGING, signal.SIGINT, 1),
        (STAGING, signal.SIGINT, 20),
        (PRIVATE, signal.SIGINT, 1),
        (working, signal.SIGTERM, 1),
        (STAGING, signal.SIGTERM, 1),
    ],
    ids=lambda value: getattr(value, "__name__", None) or getattr(value, "name", None) or str(value),
)
def test_asked_to_stop(cloven, program, baskets, tmp_path, moment, number, times):
    for attempt in range(5):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        code, err = strike(program, folder, baskets.read_text(), moment, number, times)
        if code or moment is PRIVATE:
            break  # on a busy machine the command may end before the signal is sent: then strike again
    left = sorted(path.name for path in folder.iterdir())
    if code == 0:
        assert moment is PRIVATE, "it must have ended before the signal came"
    else:
        how = "interrupted" if number == signal.SIGINT else "terminated"
        assert (code, err) == (128 + number, f"cloven: {how}; no half-written output is left\n")
    assert left in ([], ["out", "out.private"])
    assert left == [] or moment is PRIVATE
    check_whole_or_nothing(cloven, folder, baskets)


@pytest.mark.slow
@pytest.mark.parametrize("moment", [working, STAGING, PRIVATE], ids=lambda moment: moment.__name__)
def test_killed(cloven, program, baskets, tmp_path, moment):
    code, _ = strike(program, tmp_path, baskets.read_text(), moment, signal.SIGKILL)
    assert code in (-signal.SIGKILL, 0)
    left = {path for path in tmp_path.iterdir() if not path.name.endswith(".partial")}
    # The key is put in place first: there is never a release without it.
    assert {path.name for path in left} in (set(), {"out.private"}, {"out", "out.private"})
    for path in tmp_path.glob(".cloven-*.partial"):
        assert path.stat().st_mode & 0o777 == 0o700
    check_whole_or_nothing(cloven, tmp_path, baskets)


@pytest.mark.slow
def test_what_is_ignored_stays_ignored(program, baskets, tmp_path):
    """As after nohup, or in a job in the background."""
    starter = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN);"
        " os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    )

    def ignoring(*arguments: object) -> list[str]:
        return [sys.executable, "-c", starter, *program(*arguments)[1:]]

    code, err = strike(ignoring, tmp_path, baskets.read_text(), working, signal.SIGINT)
    assert code == 0, err
    assert (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "arguments", "place"),
    [(0, (), "out"), (3000, (), "out"), (3000, ("--csv", "eyes.csv"), "eyes.csv")],
)
def test_a_file_that_cannot_grow(shell, clinic, tmp_path, arguments, place, limit):
    resource = pytest.importorskip("resource")

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    ended = shell(*D, clinic, "-o", "out", *arguments, cwd=tmp_path, preexec_fn=limited)
    ended.refused(4, f"{place}: cannot be written (File too large); make room there or name another place")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_full_disk(program, baskets, tmp_path):
    """A tiny disk of its own, seen by the process alone: it is gone when the process ends."""
    if shutil.which("unshare") is None or os.geteuid() != 0:
        pytest.skip("only root may mount a tiny disk")
    script = 'mount -t tmpfs -o size=$1 tmpfs "$2" || exit 99; shift 2; "$@"; code=$?; ls -A disk; exit $code'
    (tmp_path / "disk").mkdir()
    mounted = [
        "unshare",
        "--mount",
        "sh",
        "-c",
        script,
        "sh",
        "24k",
        "disk",
        *program(*D, baskets, "-o", "disk/out"),
    ]
    ended = subprocess.run(mounted, cwd=tmp_path, capture_output=True, text=True, timeout=WAIT, check=False)
    if "unshare" in ended.stderr or ended.returncode == 99:
        pytest.skip(f"no disk can be mounted here: {ended.stderr.strip()}")
    assert ended.stderr == (
        "cloven: disk/out: cannot be written (No space left on device); make room there or name another place\n"
    )
    assert (ended.returncode, ended.stdout) == (4, "")


def test_a_signal_right_after_the_staging_folder_is_made(cloven, clinic, tmp_path, monkeypatch):
    make = Path.mkdir

    def interrupted(path: Path, *arguments, **settings) -> None:
        make(path, *arguments, **settings)
        if path.name.endswith(".partial"):
            raise KeyboardInterrupt

    monkeypatch.setattr(Path, "mkdir", interrupted)
    assert cloven(*D, clinic, "-o", tmp_path / "out").code == 130
    assert list(tmp_path.iterdir()) == []
