"""A studio in a process of its own, as ``cloven studio`` starts it; for campaigns and tests alike."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

AFTER_THE_ADDRESS = 2
"""Lines that it says at its start besides its address: the workspace, and what keys do."""


def command(folder: Path, *options: str) -> list[str]:
    """What starts it."""
    program = [sys.executable, "-m", "cloven.cli", "studio"]
    return [*program, "--no-browser", "--workspace", str(folder), *options]


@dataclass
class Served:
    """A studio on a workspace; it can be killed, and started again on the same one.

    Attributes:
        folder: the workspace.
        options: more for the command line.
        process: it.
        address: what it showed first: it lets one browser in, once.
    """

    folder: Path
    options: tuple[str, ...] = ()
    process: subprocess.Popen[str] = field(init=False)
    address: str = field(init=False)
    _errors: IO[bytes] = field(init=False, repr=False)

    @property
    def origin(self) -> str:
        """Scheme, name and port."""
        return self.address.partition("/?")[0].rstrip("/")

    def start(self) -> None:
        """Start it, and wait until it says where it is."""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - a pipe that nobody reads would stop it
        self.process = subprocess.Popen(
            command(self.folder, *self.options),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={**os.environ, "PYTHONWARNINGS": "error::ResourceWarning"},
        )
        self.address = self._next_address()
        for _ in range(AFTER_THE_ADDRESS):
            self._line()

    def another(self) -> str:
        """Another address for one visit."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self._next_address()

    def stop(self, how: int = signal.SIGINT) -> None:
        """End it, with a word or without."""
        self.process.send_signal(how)
        self.process.wait(30)
        for pipe in (self.process.stdin, self.process.stdout, self._errors):
            assert pipe is not None
            pipe.close()

    def errors(self) -> str:
        """What it said of faults so far."""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def _next_address(self) -> str:
        line = self._line()
        found = re.search(r"https?://\S+", line)
        assert found is not None, f"no address in {line!r}: {self.errors()}"
        return found[0]
