"""What runs in a worker process: one job, told on standard input, whose events go line by line to standard output.

A worker ends with the server: once its standard input is closed, nobody is left to tell. Jobs that read files of
strangers get limits of memory and time from the operating system.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from dataclasses import dataclass, field
from importlib import import_module
from threading import Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from cloven.errors import ClovenError

if TYPE_CHECKING:
    from collections.abc import Mapping

WORK = {
    "look": "cloven.studio.reading_work",
    "describe": "cloven.studio.reading_work",
    "audit": "cloven.studio.audit_work",
    "search": "cloven.studio.search_work",
    "inspect": "cloven.studio.inspection_work",
}
"""Name of a job -> the module with the function of that name."""
OFTEN = 0.2
"""Seconds between two words on progress, at least."""


@dataclass
class Teller:
    """Tells events to the server."""

    descriptor: int
    _turn: Lock = field(default_factory=Lock)
    _last: float = 0.0

    def __call__(self, **event: Any) -> None:
        """Tell one event, a JSON object on one line."""
        line = json.dumps(event).encode() + b"\n"
        with self._turn:
            while line:
                line = line[os.write(self.descriptor, line) :]

    def progress(self, step: str, share: float) -> None:
        """Tell how far it is, but not too often."""
        now = monotonic()
        if now - self._last >= OFTEN:
            self._last = now
            self(step=step, share=round(share, 4))


def main() -> None:
    """Do the job that is told."""
    job = json.loads(sys.stdin.buffer.readline())
    tell = Teller(os.dup(1))
    os.dup2(2, 1)  # what a library prints is no event
    Thread(target=_end_with_the_server, daemon=True).start()
    _limit(job.get("limits") or {})
    try:
        work = getattr(import_module(WORK[job["work"]]), job["work"])
        tell(done=work(job, tell))
    except ClovenError as error:
        tell(failed=str(error), kind=type(error).__name__)
    except MemoryError:
        tell(failed="this needs more memory than the studio allows; use the command line", kind="MemoryError")


def _end_with_the_server() -> None:
    while os.read(0, 4096):
        pass
    os.killpg(os.getpgrp(), signal.SIGKILL)


def _limit(limits: Mapping[str, int]) -> None:
    """Limits of memory (bytes) and time (seconds of the processor), where the system has such."""
    if not limits or os.name == "nt":
        return
    import resource

    for name, kind in (("memory", resource.RLIMIT_DATA), ("seconds", resource.RLIMIT_CPU)):
        if name in limits:
            _, most = resource.getrlimit(kind)
            wanted = limits[name] if most == resource.RLIM_INFINITY else min(limits[name], most)
            resource.setrlimit(kind, (wanted, most))


if __name__ == "__main__":
    main()
