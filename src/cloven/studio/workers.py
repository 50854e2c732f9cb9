"""Workers as the server sees them: started, listened to, stopped; the server itself never does the work."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Told = Callable[[Mapping[str, Any]], None]

LONGEST_LINE = 64_000_000
"""Bytes of one event, at most."""
LAST_WORDS = 4_000
"""Bytes that are kept of what a worker says before it dies."""


@dataclass(frozen=True)
class Ended:
    """How a worker ended.

    Attributes:
        done: what it gave; None if it did not come so far.
        problem: what went wrong, in words; empty if nothing did.
        crashed: whether it died without a word.
    """

    done: Any = None
    problem: str = ""
    crashed: bool = False


@dataclass
class Worker:
    """One worker process."""

    process: asyncio.subprocess.Process
    stopped: bool = False
    _words: bytearray = field(default_factory=bytearray)

    @classmethod
    async def begin(cls, job: Mapping[str, Any]) -> Worker:
        """Start a process and tell it its job. It gets a group of its own, so that its helpers end with it."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "cloven.studio.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            limit=LONGEST_LINE,
        )
        worker = cls(process)
        with suppress(ConnectionError):
            if process.stdin is not None:
                process.stdin.write(json.dumps(job).encode() + b"\n")
                await process.stdin.drain()
        return worker

    async def listen(self, told: Told, seconds: float | None = None) -> Ended:
        """Hear all events until the end; after so many seconds there is one."""
        last_words = asyncio.create_task(self._hear_last_words())
        try:
            ended = await asyncio.wait_for(self._events(told), seconds)
        except TimeoutError:
            ended = Ended(problem=f"this took longer than {seconds:,.0f} seconds, so it was stopped")
        except ValueError:  # a line without an end
            ended = Ended(problem="the worker said more than the studio takes", crashed=True)
        finally:
            await self.stop()
            await last_words
        if ended.done is not None or ended.problem:
            return ended
        return Ended(problem=self._how_it_died(), crashed=True)

    async def stop(self) -> None:
        """End the process and its helpers, at once."""
        self.stopped = True
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        await self.process.wait()

    async def _events(self, told: Told) -> Ended:
        lines = self.process.stdout
        while lines is not None and (line := await lines.readline()):
            event = json.loads(line)
            if "done" in event:
                return Ended(done=event["done"])
            if "failed" in event:
                return Ended(problem=str(event["failed"]))
            told(event)
        await self.process.wait()
        return Ended()

    async def _hear_last_words(self) -> None:
        heard = self.process.stderr
        while heard is not None and (some := await heard.read(65536)):
            self._words += some
            del self._words[:-LAST_WORDS]

    def _how_it_died(self) -> str:
        code = self.process.returncode or 0
        if code in (-signal.SIGKILL, -signal.SIGXCPU):
            how = "The worker was killed: most likely it took more memory or time than there is."
        elif code < 0:
            how = f"The worker was ended by signal {-code} ({signal.strsignal(-code)})."
        else:
            how = f"The worker ended by itself with code {code}."
        words = self._words.decode("utf-8", "replace").strip().splitlines()
        return f"{how} Its last words: {words[-1]}" if words else how
