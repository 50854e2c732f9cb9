"""The workspace: a folder that only its owner may enter, with one database and a folder for each data set and run.

Whatever is deleted is gone from the database (which overwrites what it drops) and from the disk, the key too.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from time import time
from typing import TYPE_CHECKING, Any

from cloven.errors import OutputError, shorten
from cloven.escapes import visible
from cloven.storage.atomic import PRIVATE_FILE, PRIVATE_FOLDER
from cloven.studio.records import UNFINISHED, DataSet, Reading, Run, Search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from cloven.studio.records import DataState, RunState, WorkKind

DATABASE = "studio.db"
VERSION = 1
_TABLES = """
create table if not exists data (
    number integer primary key autoincrement, name text not null, place text, own integer not null,
    state text not null, reading text, looked text not null default '{}', summary text not null default '{}',
    problem text not null default '', created real not null
);
create table if not exists runs (
    number integer primary key autoincrement, data integer not null, name text not null, method text not null,
    parameters text not null, wanted text not null default '{}', state text not null, step text not null default '',
    share real not null default 0, found text not null default '{}', headline text not null default '{}',
    problem text not null default '', attempts integer not null default 0, created real not null,
    seconds real not null default 0
);
create table if not exists searches (
    number integer primary key autoincrement, data integer not null, wanted text not null, state text not null,
    step text not null default '', share real not null default 0, found text not null default '{}',
    problem text not null default '', attempts integer not null default 0, created real not null
);
create table if not exists log (at real not null, run integer not null, what text not null);
"""


@dataclass(frozen=True)
class Workspace:
    """A workspace that is open.

    Attributes:
        folder: where it is.
    """

    folder: Path
    _connection: sqlite3.Connection = field(repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    @classmethod
    def at(cls, folder: Path) -> Workspace:
        """Open a workspace, or make one.

        Raises:
            OutputError: it cannot be written, others may enter it, or another version made it.
        """
        try:
            _make_private(folder)
            for inner in ("data", "runs", "searches", "passing"):
                (folder / inner).mkdir(PRIVATE_FOLDER, exist_ok=True)
            (folder / DATABASE).touch(PRIVATE_FILE)
            connection = sqlite3.connect(folder / DATABASE, check_same_thread=False, isolation_level=None)
            connection.row_factory = sqlite3.Row
            connection.execute("pragma secure_delete = on")
            found = connection.execute("pragma user_version").fetchone()[0]
            if found not in (0, VERSION):
                message = (
                    f"{folder}: made by another version of the studio; name another folder with --workspace"
                )
                raise OutputError(message)
            connection.executescript(_TABLES)
            if not found:
                connection.execute(f"pragma user_version = {VERSION}")
        except (OSError, sqlite3.Error, ValueError) as error:  # damaged texts are no UTF-8
            said = shorten(visible(str(error)), 200)
            message = (
                f"{folder}: cannot be used as a workspace ({said}); name another folder with --workspace"
            )
            raise OutputError(message) from error
        found = cls(folder, connection)
        found._look_through()
        return found

    def _look_through(self) -> None:
        """Read all of the database once, so that damage is told now and not by a page."""
        try:
            told = self._rows("pragma quick_check(1)")[0][0]
            if told != "ok":
                raise sqlite3.DatabaseError(told)
            for data in self.all_data():
                self.runs_of(data.number)
                self.searches_of(data.number)
            self.all_runs()
            self._rows("select at, run, what from log")
        except (sqlite3.Error, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            self.close()
            said = shorten(visible(str(error)), 200)
            message = (
                f"{self.folder / DATABASE}: damaged ({said}); put a copy back, or name another folder with"
                " --workspace: the data and releases in this one are left as they are"
            )
            raise OutputError(message) from error

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()

    @property
    def passing(self) -> Path:
        """Where uploads and archives lie on their way."""
        return self.folder / "passing"

    def sweep(self) -> None:
        """Delete what was on its way when a server was killed; nobody else may be at work here."""
        for left in self.passing.iterdir():
            shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()

    # Data sets.

    def add_data(
        self, name: str, place: Path | None, *, own: bool, reading: Reading | None = None
    ) -> DataSet:
        """Note a data set that is about to be read."""
        number = self._insert(
            "insert into data (name, place, own, state, reading, created) values (?, ?, ?, 'reading', ?, ?)",
            name,
            None if place is None else str(place),
            own,
            None if reading is None else reading.to_json(),
            time(),
        )
        self.data_folder(number).mkdir(PRIVATE_FOLDER)
        return self.needed_data(number)

    def data_folder(self, number: int) -> Path:
        """Where the files of a data set are."""
        return self.folder / "data" / str(number)

    def move_in(self, data: DataSet, file: Path, ending: str) -> DataSet:
        """Keep an uploaded file; it is named by the studio, and only its ending says what it was called."""
        place = self.data_folder(data.number) / f"data{ending}"
        file.replace(place)
        self._change("data", data.number, place=str(place))
        return self.needed_data(data.number)

    def data(self, number: int) -> DataSet | None:
        """A data set, or None."""
        row = self._row("data", number)
        return None if row is None else _data(row)

    def needed_data(self, number: int) -> DataSet:
        """A data set that is there."""
        found = self.data(number)
        if found is None:
            raise KeyError(number)
        return found

    def all_data(self) -> list[DataSet]:
        """All data sets, the newest first."""
        return [_data(row) for row in self._rows("select * from data order by number desc")]

    def change_data(
        self,
        number: int,
        state: DataState,
        *,
        reading: Reading | None = None,
        looked: Mapping[str, Any] | None = None,
        summary: Mapping[str, Any] | None = None,
        problem: str = "",
    ) -> None:
        """Note what has become of a data set; what is not given stays."""
        given: dict[str, Any] = {"state": state, "problem": problem}
        if reading is not None:
            given["reading"] = reading.to_json()
        if looked is not None:
            given["looked"] = json.dumps(looked)
        if summary is not None:
            given["summary"] = json.dumps(summary)
        self._change("data", number, **given)

    def delete_data(self, number: int) -> None:
        """Delete a data set for good, with all its runs; a file elsewhere on this machine stays."""
        for run in self.runs_of(number):
            self.delete_run(run.number)
        for search in self.searches_of(number):
            self.delete_search(search.number)
        _remove(self.data_folder(number))
        self._execute("delete from data where number = ?", number)

    # Runs.

    def add_run(self, data: int, name: str, method: str, parameters: Mapping[str, str]) -> Run:
        """Note a run that is being planned."""
        number = self._insert(
            "insert into runs (data, name, method, parameters, state, created) values (?, ?, ?, ?, 'draft', ?)",
            data,
            name,
            method,
            json.dumps(dict(parameters)),
            time(),
        )
        self.run_folder(number).mkdir(PRIVATE_FOLDER)
        return self.needed_run(number)

    def run_folder(self, number: int) -> Path:
        """Where the files of a run are."""
        return self.folder / "runs" / str(number)

    def run(self, number: int) -> Run | None:
        """A run, or None."""
        row = self._row("runs", number)
        return None if row is None else self._run(row)

    def needed_run(self, number: int) -> Run:
        """A run that is there."""
        found = self.run(number)
        if found is None:
            raise KeyError(number)
        return found

    def all_runs(self) -> list[Run]:
        """All runs, the newest first."""
        return [self._run(row) for row in self._rows("select * from runs order by number desc")]

    def runs_of(self, data: int) -> list[Run]:
        """Runs of a data set, the newest first."""
        return [
            self._run(row)
            for row in self._rows("select * from runs where data = ? order by number desc", data)
        ]

    def delete_run(self, number: int) -> None:
        """Delete a run for good: release, key, finished steps and what is noted of it."""
        _remove(self.run_folder(number))
        self._execute("delete from runs where number = ?", number)
        self._execute("delete from log where run = ?", number)

    # Searches.

    def add_search(self, data: int, wanted: Mapping[str, Any]) -> Search:
        """Note a search that is about to begin."""
        number = self._insert(
            "insert into searches (data, wanted, state, created) values (?, ?, 'waiting', ?)",
            data,
            json.dumps(dict(wanted)),
            time(),
        )
        self.search_folder(number).mkdir(PRIVATE_FOLDER)
        return self.needed_search(number)

    def search_folder(self, number: int) -> Path:
        """Where the study of a search is."""
        return self.folder / "searches" / str(number)

    def search(self, number: int) -> Search | None:
        """A search, or None."""
        row = self._row("searches", number)
        return None if row is None else self._search(row)

    def needed_search(self, number: int) -> Search:
        """A search that is there."""
        found = self.search(number)
        if found is None:
            raise KeyError(number)
        return found

    def searches_of(self, data: int) -> list[Search]:
        """Searches of a data set, the newest first."""
        rows = self._rows("select * from searches where data = ? order by number desc", data)
        return [self._search(row) for row in rows]

    def delete_search(self, number: int) -> None:
        """Delete a search for good."""
        _remove(self.search_folder(number))
        self._execute("delete from searches where number = ?", number)

    # What both have in common.

    def work(self, kind: WorkKind, number: int) -> Run | Search | None:
        """A run or a search, or None."""
        return self.run(number) if kind == "runs" else self.search(number)

    def unfinished(self) -> list[tuple[WorkKind, Run | Search]]:
        """What was working or waiting when the app ended, the oldest first: runs, then searches."""
        return [
            (kind, made(row))
            for kind, made in self._made.items()
            for row in self._rows(f"select * from {kind} where state in (?, ?) order by number", *UNFINISHED)  # noqa: S608 - our names
        ]

    def change_work(self, kind: WorkKind, number: int, state: RunState | None = None, **given: Any) -> None:
        """Note what has become of a run or a search; what is not given stays."""
        plain = {
            name: json.dumps(value) if isinstance(value, dict) else value for name, value in given.items()
        }
        self._change(kind, number, **({} if state is None else {"state": state}), **plain)

    @property
    def _made(self) -> dict[WorkKind, Callable[[sqlite3.Row], Run | Search]]:
        return {"runs": self._run, "searches": self._search}

    # What left the studio.

    def note(self, run: int, what: str) -> None:
        """Note that something of a run was handed out."""
        self._insert("insert into log (at, run, what) values (?, ?, ?)", time(), run, what)

    def handed_out(self) -> frozenset[int]:
        """Runs whose release was downloaded."""
        return frozenset(
            row["run"] for row in self._rows("select distinct run from log where what = 'release'")
        )

    def noted(self, run: int) -> list[tuple[float, str]]:
        """What was handed out of a run, the newest first."""
        return [
            (row["at"], row["what"])
            for row in self._rows("select at, what from log where run = ? order by at desc", run)
        ]

    # The database.

    def _run(self, row: sqlite3.Row) -> Run:
        plain = dict(row)
        for name in ("parameters", "wanted", "found", "headline"):
            plain[name] = json.loads(plain[name])
        return Run(**plain, folder=self.run_folder(plain["number"]))

    def _search(self, row: sqlite3.Row) -> Search:
        plain = dict(row)
        for name in ("wanted", "found"):
            plain[name] = json.loads(plain[name])
        return Search(**plain, folder=self.search_folder(plain["number"]))

    def _change(self, table: str, number: int, **given: Any) -> None:
        settings = ", ".join(f"{name} = ?" for name in given)
        self._execute(f"update {table} set {settings} where number = ?", *given.values(), number)  # noqa: S608 - our names

    def _row(self, table: str, number: int) -> sqlite3.Row | None:
        if number.bit_length() >= 64:  # more than a database can look for
            return None
        rows = self._rows(f"select * from {table} where number = ?", number)  # noqa: S608 - our names
        return rows[0] if rows else None

    def _rows(self, statement: str, *given: Any) -> list[sqlite3.Row]:
        with self._alone() as connection:
            return connection.execute(statement, given).fetchall()

    def _execute(self, statement: str, *given: Any) -> None:
        with self._alone() as connection:
            connection.execute(statement, given)

    def _insert(self, statement: str, *given: Any) -> int:
        with self._alone() as connection:
            return int(connection.execute(statement, given).lastrowid or 0)

    @contextmanager
    def _alone(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            yield self._connection


def _remove(folder: Path) -> None:
    """Delete a folder for good.

    Raises:
        OutputError: something of it is still there; it may be a key.
    """
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.lexists(folder):
        message = f"{folder} could not be deleted, or not all of it; see who may write there, and try again"
        raise OutputError(message)


def _make_private(folder: Path) -> None:
    """Make the folder, or see that nobody else may enter the one that is there."""
    if not folder.exists():
        folder.mkdir(PRIVATE_FOLDER, parents=True)
        return
    if folder.is_symlink() or not folder.is_dir():
        message = f"{folder}: is no folder of its own; name another one with --workspace"
        raise OutputError(message)
    strange = [each for each in folder.iterdir() if each.name != DATABASE]
    if strange and not (folder / DATABASE).is_file():
        message = f"{folder}: holds other files and is no workspace; name a new folder with --workspace"
        raise OutputError(message)
    folder.chmod(PRIVATE_FOLDER)


def _data(row: sqlite3.Row) -> DataSet:
    plain = dict(row)
    for name in ("looked", "summary"):
        plain[name] = json.loads(plain[name])
    plain["reading"] = None if plain["reading"] is None else Reading.from_json(plain["reading"])
    return DataSet(**{**plain, "own": bool(plain["own"])})
