"""Reads the lines of a counts file (see ``counts_file``); a bad one is named with its number."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

FORMAT = "cloven.counts/1"
UNLISTED = {"never": 0, "unknown": -1}


@dataclass(frozen=True, eq=False, repr=False)
class CountLines:
    """All of a file.

    Attributes:
        header: its first line.
        number: items in the order of their lines.
        single: documents that hold each item.
        pairs: documents that hold both, by the numbers of the items, the smaller first.
    """

    header: dict[str, Any]
    number: dict[str, int]
    single: NDArray[np.int64]
    pairs: dict[tuple[int, int], int]

    @classmethod
    def read(cls, path: Path) -> CountLines:
        """Read a file; a bad line raises an error that names it."""
        try:
            with path.open(encoding="utf-8") as file:
                return cls._parsed(file, str(path))
        except OSError as fault:
            message = f"cannot be read: {fault.strerror}; name a file of counts"
            raise InputError(message, source=str(path)) from fault
        except UnicodeDecodeError as fault:
            message = "is not UTF-8 text; counts are JSON Lines"
            raise InputError(message, source=str(path)) from fault

    @classmethod
    def _parsed(cls, lines: Iterator[str], source: str) -> CountLines:
        header = _header(next(lines, ""), source)
        number: dict[str, int] = {}
        single: list[int] = []
        pairs: dict[tuple[int, int], int] = {}
        for position, line in enumerate(lines, start=2):
            if not line.strip():
                continue
            try:
                *names, count = _entry(line)
                if len(names) == 1:
                    _add(number, names[0], len(single))
                    single.append(count)
                else:
                    low, high = sorted((_known(number, names[0]), _known(number, names[1])))
                    _add(pairs, (low, high), count)
            except _BadLineError as fault:
                raise InputError(str(fault), source=source, line=position, value=line.rstrip("\n")) from None
        return cls(header, number, np.array(single, dtype=np.int64), pairs)


class _BadLineError(Exception):
    """What is wrong with a line."""


def _header(line: str, source: str) -> dict[str, Any]:
    try:
        header = json.loads(line)
        good = (
            header["format"] == FORMAT
            and isinstance(header["source"], str)
            and isinstance(header["date"], str)
            and type(header["documents"]) is int
            and header["documents"] > 0
            and header["unlisted"] in UNLISTED
        )
    except (ValueError, KeyError, TypeError):
        good = False
    if not good:
        message = f'expected {{"format": "{FORMAT}", "source", "date", "documents" > 0, "unlisted": never or unknown}}'
        raise InputError(message, source=source, line=1, value=line.rstrip("\n"))
    found: dict[str, Any] = header
    return found


def _entry(line: str) -> list[Any]:
    """One or two names and a count."""
    message = 'expected ["item", count] or ["item", "item", count]'
    try:
        entry = json.loads(line)
    except ValueError:
        raise _BadLineError(message) from None
    if not (isinstance(entry, list) and len(entry) in (2, 3) and all(isinstance(n, str) for n in entry[:-1])):
        raise _BadLineError(message)
    if type(entry[-1]) is not int or not 0 <= entry[-1] < 2**62:
        message = "expected a count: a whole number from 0 on"
        raise _BadLineError(message)
    return entry


def _add(counts: dict[Any, int], key: Any, count: int) -> None:
    if isinstance(key, tuple) and key[0] == key[1]:
        message = "expected two different items"
        raise _BadLineError(message)
    if key in counts:
        message = "is listed twice; keep one line"
        raise _BadLineError(message)
    counts[key] = count


def _known(number: dict[str, int], name: str) -> int:
    if name not in number:
        message = f"{name!r} has no count of its own before; list items before their pairs"
        raise _BadLineError(message)
    return number[name]
