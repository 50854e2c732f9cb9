"""Background knowledge from a file: one itemset that somebody knows of one person on each line.

Items are separated by tabs, or by commas where a line has no tab; a line that begins with ``[`` is a JSON list, and a
file whose name ends in ``.json`` is one list of lists. Lines that cannot be used are left out and counted.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cloven.breach.knowledge import Knowledge, codes_of
from cloven.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cloven.model.disassociated import Disassociated
    from cloven.model.transactions import Transactions

EMPTY = "empty lines"
STRANGE = "itemsets with an item that the release does not have"
SMALL = "itemsets of fewer than 2 items"
LARGE = "itemsets of more than m items"


@dataclass(frozen=True)
class FromFile:
    """Knows what a file says.

    Attributes:
        path: the file; see ``read_knowledge``.
    """

    path: Path
    name: ClassVar[str] = "from file"
    random: ClassVar[bool] = False

    def draw(
        self, release: Disassociated, original: Transactions | None, rng: np.random.Generator
    ) -> Knowledge:
        """The same each time."""
        del original, rng
        return read_knowledge(self.path, release)


def read_knowledge(path: Path | str, release: Disassociated, m: int | None = None) -> Knowledge:
    r"""Read known itemsets of 2 to ``m`` items (default: the release's); ``left_out`` of the result counts others.

    An item that the release does not have cannot take part in a cover; the others of its itemset can, if two are left.

    >>> import tempfile
    >>> import cloven as cv
    >>> release = cv.Disassociation(k=5, m=2).anonymise(cv.sample("clinic")).release
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     _ = file.write("asthma,cough\nasthma,unicorn\n")
    ...     file.flush()
    ...     len(read_knowledge(file.name, release))
    1
    """
    path, most = Path(path), release.m if m is None else m
    left_out: Counter[str] = Counter()
    used: list[np.ndarray[Any, np.dtype[np.int64]]] = []
    for items in _itemsets(path):
        reason = EMPTY if not items else SMALL if len(items) < 2 else LARGE if len(items) > most else None
        if reason is not None:
            left_out[reason] += 1
            continue
        codes = codes_of(release, items)
        left_out[STRANGE] += bool((codes < 0).any())
        if (codes >= 0).sum() > 1:
            used.append(codes)
    counts = {reason: many for reason, many in left_out.items() if many}
    if not used:
        told = "; ".join(f"{many:,} {reason}" for reason, many in counts.items()) or "the file is empty"
        many_items = f"2 to {most}" if most > 2 else "2"
        message = f"no itemset can be used ({told}); give one itemset of {many_items} items of the release on each line"
        raise InputError(message, source=str(path))
    offsets = np.cumsum([0, *map(len, used)])
    return Knowledge.of_itemsets(offsets, np.concatenate(used), len(release.vocabulary), counts)


def _itemsets(path: Path) -> Iterator[list[str]]:
    """Items of each line, without repeats."""
    text = _text(path)
    if path.suffix.lower() == ".json":
        value = _json(text, path, None)
        if not isinstance(value, list):
            message = "must be a list of itemsets, each a list of item names"
            raise InputError(message, source=str(path), value=text.strip())
        yield from (_names(one, path, None) for one in value)
        return
    lines = text.split("\n")
    for number, line in enumerate(lines[:-1] if lines[-1] == "" else lines, 1):
        if line.lstrip().startswith("["):
            yield _names(_json(line, path, number), path, number)
        else:
            parts = (part.strip() for part in line.split("\t" if "\t" in line else ","))
            yield list(dict.fromkeys(part for part in parts if part))


def _names(value: Any, path: Path, line: int | None) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        message = "an itemset must be a list of item names"
        raise InputError(message, source=str(path), line=line, value=json.dumps(value))
    return list(dict.fromkeys(value))


def _json(text: str, path: Path, line: int | None) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        at = line if line is not None else getattr(error, "lineno", None)
        message = "not JSON that can be read"
        raise InputError(message, source=str(path), line=at, value=text.strip()) from error


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise InputError(message, source=str(path)) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        message = "not UTF-8; save the file as UTF-8"
        raise InputError(message, source=str(path), line=line) from error
