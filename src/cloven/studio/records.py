"""What the studio remembers: data sets, runs, how a file is read; plain frozen types that fit into a database."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Shape = Literal["sets", "table"]
DataState = Literal["reading", "unsure", "ready", "failed"]
RunState = Literal["draft", "waiting", "running", "done", "failed", "cancelled", "interrupted"]
WorkKind = Literal["runs", "searches"]
"""What workers go on with after the app has ended."""
UNFINISHED: tuple[RunState, ...] = ("waiting", "running")
"""A run in one of these goes on by itself when the app starts again."""


MOST_DIGITS = 18
"""Of a number that a database can hold."""


def number_in(text: str) -> int:
    """The number of a data set or a run that somebody names; 0, which none has, if that can be none.

    >>> number_in("12"), number_in("²"), number_in("9" * 30), number_in("")
    (12, 0, 0, 0)
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else 0


@dataclass(frozen=True)
class Reading:
    """How a file is read.

    Attributes:
        shape: sets of items, or a table of persons.
        options: of sets, what the reader is told.
        schema: of a table, the schema in TOML.
    """

    shape: Shape
    options: Mapping[str, Any] = field(default_factory=dict)
    schema: str = ""

    def to_json(self) -> str:
        """As text for the database."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Reading:
        """Back from the database.

        >>> Reading.from_json(Reading("sets", {"format": "lines"}).to_json()).options
        {'format': 'lines'}
        """
        return cls(**json.loads(text))


@dataclass(frozen=True)
class DataSet:
    """One data set.

    Attributes:
        number: by which it is known.
        name: what its owner calls it; never a path.
        place: the file; None for the built-in sample.
        own: whether the file is a copy in the workspace, deleted with it.
        state: whether it is being read, waits for its owner, can be used, or failed.
        reading: how it is read, once that is settled.
        looked: what a first look found: its beginning, ways to read it, a proposed schema.
        summary: figures, once it was read.
        problem: what is wrong, in words.
        created: seconds since 1970.
    """

    number: int
    name: str
    place: str | None
    own: bool
    state: DataState
    reading: Reading | None
    looked: Mapping[str, Any]
    summary: Mapping[str, Any]
    problem: str
    created: float

    @property
    def ready(self) -> bool:
        """Whether it can be protected."""
        return self.state == "ready"


@dataclass(frozen=True)
class Run:
    """One run: a method on a data set, attacked.

    Attributes:
        number: by which it is known.
        data: number of its data set.
        name: what its owner calls it.
        method: name of the method.
        parameters: its parameters as they were typed, by name.
        wanted: whom to fear and what to accept, as plain values.
        state: how far it is.
        step: what it is at.
        share: how much of it is done.
        found: risks that are known so far, as plain values, by step.
        headline: verdict and figures of a finished run.
        problem: what went wrong, in words.
        attempts: how often it went on by itself.
        created: seconds since 1970.
        seconds: how long it worked.
        folder: where its files are.
    """

    number: int
    data: int
    name: str
    method: str
    parameters: Mapping[str, str]
    wanted: Mapping[str, Any]
    state: RunState
    step: str
    share: float
    found: Mapping[str, Any]
    headline: Mapping[str, Any]
    problem: str
    attempts: int
    created: float
    seconds: float
    folder: Path

    @property
    def published(self) -> Path:
        """The release, as it may be sent to others."""
        return self.folder / "release" / "published"

    @property
    def private(self) -> Path:
        """The key, the document and the owner's report."""
        return self.folder / "release.private"

    @property
    def inspector(self) -> Path:
        """What the inspector found out about the release; some of it with the key."""
        return self.folder / "inspector"

    @property
    def active(self) -> bool:
        """Whether it works, or waits for its turn."""
        return self.state in UNFINISHED

    @property
    def findings(self) -> int:
        """How many risks are known so far."""
        return len(self.found)


@dataclass(frozen=True)
class Search:
    """One search for settings.

    Attributes:
        number: by which it is known.
        data: number of its data set.
        wanted: what is promised and accepted, and how many settings are tried.
        state: how far it is.
        step: what it is at.
        share: how much of it is done.
        found: settings that were tried so far, and what is best of them.
        problem: what went wrong, in words.
        attempts: how often it went on by itself.
        created: seconds since 1970.
        folder: where its study is.
    """

    number: int
    data: int
    wanted: Mapping[str, Any]
    state: RunState
    step: str
    share: float
    found: Mapping[str, Any]
    problem: str
    attempts: int
    created: float
    folder: Path

    @property
    def active(self) -> bool:
        """Whether it works, or waits for its turn."""
        return self.state in UNFINISHED

    @property
    def findings(self) -> int:
        """How many settings were tried so far."""
        return len(self.found.get("rows", ()))
