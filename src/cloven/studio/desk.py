"""The desk: takes orders from pages, gives work to workers, notes in the workspace what comes of it, tells who listens.

One audit works at a time; others wait for their turn. Files are looked at and read beside it.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

from cloven._version import __version__
from cloven.errors import ReleaseError
from cloven.intake.files import text
from cloven.studio.inspection.drawer import READY
from cloven.studio.records import Reading
from cloven.studio.workers import Worker

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Mapping
    from pathlib import Path

    from cloven.studio.records import DataSet, Run, WorkKind
    from cloven.studio.workers import Ended
    from cloven.studio.workspace import Workspace

MOST_ATTEMPTS = 3
"""How often a run goes on by itself after the app ended in the middle of it."""
STOPPED = "The app ended in the middle of this run several times. Go on with what is finished, or delete it."


@dataclass(frozen=True)
class Bounds:
    """What reading a file may take.

    Attributes:
        memory: bytes.
        seconds: of the clock; the processor gets as many.
    """

    memory: int = 4_000_000_000
    seconds: int = 300


@dataclass(frozen=True)
class Looking:
    """How far a worker is that looks through a release for the inspector.

    Attributes:
        step: what it is at.
        share: how much of it is done.
        problem: what went wrong, in words; empty if nothing did.
    """

    step: str = ""
    share: float = 0.0
    problem: str = ""


@dataclass
class Desk:
    """The work of one studio.

    Attributes:
        workspace: where everything is noted.
        bounds: what reading a file may take.
    """

    workspace: Workspace
    bounds: Bounds = field(default_factory=Bounds)
    _workers: dict[str, Worker] = field(default_factory=dict)
    _tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    _changed: dict[str, asyncio.Event] = field(default_factory=dict)
    _looking: dict[int, Looking] = field(default_factory=dict)

    # Start and end of the app.

    def begin(self) -> None:
        """Go on with what was not finished when the app ended."""
        for kind, work in self.workspace.unfinished():
            if work.attempts >= MOST_ATTEMPTS:
                self.workspace.change_work(kind, work.number, "interrupted", problem=STOPPED)
            else:
                self.workspace.change_work(kind, work.number, attempts=work.attempts + 1)
                self.start(kind, work.number)
        for data in self.workspace.all_data():
            if data.state == "reading":
                self.read(data)

    async def end(self) -> None:
        """Stop all workers; what they did not finish goes on when the app starts again."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # Data.

    def read(self, data: DataSet, reading: Reading | None = None) -> None:
        """Have a file looked at; or read, once it is settled how."""
        earlier = self._tasks.get(f"data/{data.number}")
        if earlier is not None:  # whoever settles it twice means the second way
            earlier.cancel()
        settled = reading or data.reading
        self.workspace.change_data(data.number, "reading", reading=reading)
        job: dict[str, Any] = {"work": "look", "place": data.place, "limits": asdict(self.bounds)}
        if settled is not None:
            schema = self.workspace.data_folder(data.number) / "schema.toml"
            job |= {"work": "describe", "reading": asdict(settled), "schema": str(schema)}
        self._begin(f"data/{data.number}", self._read(data.number, job))

    async def _read(self, number: int, job: Mapping[str, Any]) -> None:
        ended = await self._work(f"data/{number}", job, seconds=self.bounds.seconds)
        if ended.problem:
            self._unread(number, ended)
        elif job["work"] == "look":
            self.workspace.change_data(number, "unsure", looked=ended.done)
        else:
            self.workspace.change_data(number, "ready", summary=ended.done)

    def _unread(self, number: int, ended: Ended) -> None:
        """What can be read another way is asked about again; the rest has failed."""
        data = self.workspace.data(number)
        if data is not None:
            state = "unsure" if data.looked and not ended.crashed else "failed"
            self.workspace.change_data(number, state, problem=ended.problem)  # type: ignore[arg-type]

    # Runs and searches.

    def start(self, kind: WorkKind, number: int) -> None:
        """Have a run or a search made, or gone on with."""
        if f"{kind}/{number}" in self._tasks:  # of two tabs, or of a form that was sent twice
            return
        self.workspace.change_work(kind, number, "waiting", problem="", step="waiting for its turn")
        self._begin(f"{kind}/{number}", self._run(number) if kind == "runs" else self._search(number))

    def go_on(self, kind: WorkKind, number: int) -> None:
        """Go on with what was stopped, or failed, however often it was tried."""
        work = self.workspace.work(kind, number)
        if work is not None and work.state in ("cancelled", "failed", "interrupted"):
            self.workspace.change_work(kind, number, attempts=0)
            self.start(kind, number)

    async def cancel(self, kind: WorkKind, number: int) -> None:
        """Stop a run or a search; what is finished is kept."""
        await self._stop(f"{kind}/{number}")
        work = self.workspace.work(kind, number)
        if work is not None and work.active:
            self.workspace.change_work(kind, number, "cancelled", step="")
        self._tell(f"{kind}/{number}")

    async def delete_run(self, number: int) -> None:
        """Stop a run and delete it for good."""
        for key in (f"runs/{number}", f"inspector/{number}"):
            await self._stop(key)
        await asyncio.to_thread(self.workspace.delete_run, number)
        self._tell(f"runs/{number}")

    async def delete_data(self, number: int) -> None:
        """Delete a data set for good, with all its runs."""
        await self._stop(f"data/{number}")
        for run in self.workspace.runs_of(number):
            await self.delete_run(run.number)
        for search in self.workspace.searches_of(number):
            await self.delete_search(search.number)
        await asyncio.to_thread(self.workspace.delete_data, number)

    async def _run(self, number: int) -> None:
        async with self._turn:
            run = self.workspace.needed_run(number)
            data = self.workspace.needed_data(run.data)
            # The worker tells anew what it takes up; of a file that changed meanwhile that is nothing.
            self.workspace.change_work("runs", number, "running", step="start", share=0.0, found={})
            begun = monotonic()
            try:
                job = job_of(run, data, self.workspace)
            except ReleaseError as error:
                self.workspace.change_work("runs", number, "failed", problem=str(error), step="")
                return
            ended = await self._work(f"runs/{number}", job)
            spent = run.seconds + monotonic() - begun
            if ended.problem:
                self.workspace.change_work(
                    "runs", number, "failed", problem=ended.problem, step="", seconds=spent
                )
            else:
                self.workspace.change_work(
                    "runs", number, "done", headline=ended.done, step="", share=1.0, seconds=spent, attempts=0
                )

    async def delete_search(self, number: int) -> None:
        """Stop a search and delete it for good."""
        await self._stop(f"searches/{number}")
        await asyncio.to_thread(self.workspace.delete_search, number)
        self._tell(f"searches/{number}")

    async def _search(self, number: int) -> None:
        async with self._turn:
            search = self.workspace.needed_search(number)
            data = self.workspace.needed_data(search.data)
            self.workspace.change_work("searches", number, "running", step="start")
            job = {
                "work": "search",
                "folder": str(search.folder),
                "place": data.place,
                "reading": asdict(data.reading or Reading("sets")),
                "wanted": dict(search.wanted),
            }
            ended = await self._work(f"searches/{number}", job)
            if ended.problem:
                self.workspace.change_work("searches", number, "failed", problem=ended.problem, step="")
            else:
                self.workspace.change_work(
                    "searches", number, "done", found=ended.done, step="", share=1.0, attempts=0
                )

    # Looking inside.

    def look_inside(self, run: Run, meanings: str) -> Looking | None:
        """How far the inspector of a run is; None once its pages have all they need. A worker begins if none has."""
        stamp = f"{__version__} {(run.published / 'manifest.json').stat().st_mtime_ns}"
        with suppress(OSError, ValueError):
            if text(run.inspector / READY) == stamp:
                return None
        if run.number not in self._looking:
            self._looking[run.number] = Looking("start")
            job = {
                "work": "inspect",
                "published": str(run.published),
                "private": str(run.private),
                "folder": str(run.inspector),
                "meanings": meanings,
                "stamp": stamp,
            }
            self._begin(f"inspector/{run.number}", self._look_inside(run.number, job))
        return self._looking[run.number]

    def looking(self, number: int) -> Looking | None:
        """How far the worker is; None if there is none."""
        return self._looking.get(number)

    def look_again(self, number: int) -> None:
        """Forget what went wrong, so that the next look begins anew."""
        if f"inspector/{number}" not in self._tasks:
            self._looking.pop(number, None)

    async def _look_inside(self, number: int, job: Mapping[str, Any]) -> None:
        try:
            ended = await self._work(f"inspector/{number}", job)
        finally:
            self._looking.pop(number, None)
        if ended.problem:
            self._looking[number] = Looking(problem=ended.problem)

    def _heard(self, key: str, event: Mapping[str, Any]) -> None:
        """Note what a worker tells of its run."""
        kind, _, number = key.partition("/")
        if kind == "inspector":
            self._looking[int(number)] = Looking(event["step"], event["share"])
        if kind == "searches":
            known = {"found": event["tried"]} if "tried" in event else {"step": event["step"]}
            self.workspace.change_work("searches", int(number), share=event["share"], **known)
        run = self.workspace.run(int(number)) if kind == "runs" else None
        if run is None:
            pass
        elif "found" in event:
            found = {**run.found, event["found"]: event["value"]}
            self.workspace.change_work("runs", run.number, found=found)
        elif "doubt" in event:
            self.workspace.change_work("runs", run.number, problem=event["doubt"])
        elif "step" in event:
            self.workspace.change_work("runs", run.number, step=event["step"], share=event["share"])
        self._tell(key)

    # Work and those who listen.

    def _begin(self, key: str, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks[key] = task
        task.add_done_callback(lambda done: self._done(key, done))

    def _done(self, key: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(key) is task:
            del self._tasks[key]
        if not task.cancelled() and task.exception() is not None:
            self._note_fault(key, str(task.exception()))
        self._tell(key)

    def _note_fault(self, key: str, what: str) -> None:
        """A fault of the studio itself is told where its owner looks."""
        kind, _, number = key.partition("/")
        message = f"The studio failed: {what}"
        with suppress(Exception):
            if kind == "inspector":
                self._looking[int(number)] = Looking(problem=message)
            elif kind == "data":
                self.workspace.change_data(int(number), "failed", problem=message)
            else:
                self.workspace.change_work(kind, int(number), "failed", problem=message)  # type: ignore[arg-type]

    async def _work(self, key: str, job: Mapping[str, Any], seconds: float | None = None) -> Ended:
        worker = await Worker.begin(job)
        self._workers[key] = worker
        try:
            return await worker.listen(lambda event: self._heard(key, event), seconds)
        finally:
            await asyncio.shield(worker.stop())
            self._workers.pop(key, None)

    async def _stop(self, key: str) -> None:
        task = self._tasks.get(key)
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def _tell(self, key: str) -> None:
        event = self._changed.pop(key, None)
        if event is not None:
            event.set()

    def changes(self, key: str, wait: float) -> AsyncIterator[bool]:
        """True whenever something has changed from now on, False when nothing did for a while."""
        return self._changes(key, wait, self._next_change(key))

    async def _changes(self, key: str, wait: float, event: asyncio.Event) -> AsyncIterator[bool]:
        while True:
            try:
                await asyncio.wait_for(event.wait(), wait)
                event, changed = self._next_change(key), True  # before it is told, so that nothing is missed
            except TimeoutError:
                changed = False
            yield changed

    def _next_change(self, key: str) -> asyncio.Event:
        return self._changed.setdefault(key, asyncio.Event())


def job_of(run: Run, data: DataSet, workspace: Workspace) -> dict[str, Any]:
    """What a worker is told of a run.

    Raises:
        ReleaseError: attackers were to have a release that is gone; without it the verdict would be too good.
    """
    reading = data.reading or Reading("sets")
    wanted = dict(run.wanted)
    places, gone = [_release(workspace, number) for number in wanted.get("runs", ())], workspace.handed_out()
    return {
        "work": "audit",
        "folder": str(run.folder),
        "place": data.place,
        "reading": asdict(reading),
        "title": data.name,
        "method": run.method,
        "parameters": dict(run.parameters),
        "wanted": {**wanted, "releases": [str(place) for place in places]},
        "handed_out": [
            {"private": str(other.private), "number": other.number, "name": other.name}
            for other in workspace.all_runs()
            if other.number in gone and other.number != run.number
        ],
    }


def _release(workspace: Workspace, number: int) -> Path:
    found = workspace.run(number)
    if found is None or not found.published.is_dir():
        message = (
            f"run {number}, whose release attackers were to have, is gone; plan this run anew without it"
        )
        raise ReleaseError(message)
    return found.published
