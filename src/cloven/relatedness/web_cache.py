"""Answers of a search engine kept on disk, so that no question is paid for twice and an interrupted run goes on."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from cloven.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TABLE = """
CREATE TABLE IF NOT EXISTS answers (
    engine TEXT NOT NULL, query TEXT NOT NULL, documents INTEGER NOT NULL, date TEXT NOT NULL,
    PRIMARY KEY (engine, query)
)"""


class Answer(NamedTuple):
    """How many documents an engine found, and when (ISO date)."""

    documents: int
    date: str


@dataclass(frozen=True)
class Cache:
    """Answers of one engine in an SQLite file, which several engines may share.

    Every answer is committed at once. What was there when the cache was opened is read once; what other processes
    add later is not seen, only asked again.

    Attributes:
        path: the file; it is made when the first answer comes.
        engine: which engine's answers are meant.
    """

    path: Path
    engine: str

    @cached_property
    def answers(self) -> dict[str, Answer]:
        """All answers by query."""
        if not self.path.exists():
            return {}
        question = "SELECT query, documents, date FROM answers WHERE engine = ?"
        with _named(self.path), closing(sqlite3.connect(self.path, timeout=30)) as file:
            file.execute(TABLE)
            return {
                query: Answer(documents, date)
                for query, documents, date in file.execute(question, (self.engine,))
            }

    def add(self, query: str, answer: Answer) -> None:
        """Keep one answer."""
        self.answers[query] = answer
        with _named(self.path), closing(sqlite3.connect(self.path, timeout=30)) as file, file:
            file.execute(TABLE)
            file.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", (self.engine, query, *answer))


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Turn faults of SQLite into errors that name the file."""
    try:
        yield
    except sqlite3.Error as fault:
        message = f"the cache of answers cannot be used ({fault}); name another file"
        raise InputError(message, source=str(path)) from fault
