"""The kinds of releases, as their manifests tell them apart: names of formats and files, promises, counts.

Readers accept every older version for ever. See docs/reference/release-format.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from cloven.errors import ReleaseError, shorten
from cloven.registry import ROOMS, part

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from pathlib import Path

    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.kinds.tables.release import GeneralisedTable, Sliced
    from cloven.storage.parquet import Written

    SetRelease = Disassociated | SetGeneralised
    TableRelease = GeneralisedTable | Sliced
    Release = SetRelease | TableRelease


@dataclass(frozen=True)
class JsonForm:
    """A release as one JSON file: the names of what stands beside the manifest, and the way there and back."""

    parts: tuple[str, ...]
    parts_of: Callable[[Any], dict[str, list[Any]]]
    of_document: Callable[[dict[str, Any], str], Any]


@dataclass(frozen=True)
class ReleaseFormat:
    """How one type of release lies on disk.

    Attributes:
        release: the type.
        name: first part of the entry ``format`` of its manifest.
        version: newest version that is known, the second part.
        about: what to call such a release.
        tables: its Parquet files.
        known_items: m, how many known items it protects against, from the release; None where only listed ones are.
        counts: names of the numbers that its manifest publishes.
        count: these numbers, from the release; rows may stand in any order.
        may_list: whether there may be no m, because only listed combinations are protected, or no items at all.
        tables_of: the content of its Parquet files, from the release.
        read: the release of a folder, given its manifest.
        texts: every text that is written of a result, to be looked at before anything is.
        parts: start of the names of further Parquet files, numbered from 0; empty if there are none.
        json: its form as one JSON file, if it has one.
        of_sets: whether it is made from sets of items; if not, from a table.
    """

    release: type
    name: str
    version: int
    about: str
    tables: tuple[str, ...]
    known_items: Callable[[Any], int | None]
    counts: frozenset[str]
    count: Callable[[Any], dict[str, int]]
    tables_of: Callable[[Any], tuple[Written, ...]]
    read: Callable[[Path, Mapping[str, Any]], Any]
    texts: Callable[[Any], Iterable[str]]
    may_list: bool = False
    parts: str = ""
    json: JsonForm | None = None
    of_sets: bool = True

    def files(self, found: Collection[str]) -> tuple[str, ...]:
        """Its Parquet files, given the names that were found: as many numbered ones as follow each other."""
        many = 0
        while self.parts and f"{self.parts}{many}.parquet" in found:
            many += 1
        return (*self.tables, *(f"{self.parts}{number}.parquet" for number in range(many)))

    @property
    def stamp(self) -> str:
        """The entry ``format`` of a manifest."""
        return f"{self.name}/{self.version}"


def format_of(release: Release) -> ReleaseFormat:
    """The format of a release.

    >>> from cloven.data.transactions import Transactions
    >>> format_of(Transactions.from_records([["flu"]]))
    Traceback (most recent call last):
    ...
    cloven.errors.ParameterError: no release but Transactions; give the release that an anonymiser made
    """
    formats: tuple[ReleaseFormat, ...] = part(release, "files").FORMATS
    return next(each for each in formats if isinstance(release, each.release))


def all_formats() -> tuple[ReleaseFormat, ...]:
    """Every format of every kind."""
    return tuple(each for room in ROOMS.values() for each in import_module(f"{room}.files").FORMATS)


def format_named(found: object, source: str) -> ReleaseFormat:
    """The format that a manifest names, if it is known and not newer than this program."""
    name, _, version = str(found).rpartition("/")
    known = {each.name: each for each in all_formats()}.get(name)
    if known is None or not re.fullmatch(r"[1-9][0-9]{0,5}", version):
        *names, last = (each.name for each in all_formats())
        message = f"{source}: not a {', '.join(names)} or {last} release; its format is {shorten(str(found))}"
        raise ReleaseError(message)
    if int(version) > known.version:
        message = f"{source}: format {found} is newer than {known.stamp}; use a newer Cloven"
        raise ReleaseError(message)
    return known


def is_count(value: object) -> bool:
    """Whether it is a whole number from 0 that fits in a table."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def all_up_to(parameters: Mapping[str, Any]) -> int | None:
    """The m of k^m-anonymity; None if no combinations but listed ones are protected."""
    found = parameters.get("all_up_to")
    return found if is_count(found) and found else None
