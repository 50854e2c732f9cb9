"""What each column of a published table is, found by comparing it with the original.

A column that is coarser than in the original was taken for known by whoever made the table: a quasi-identifier. One
that is the same and has a value of its own for nearly everybody, or looks like a name, names people. Of the others that
are the same, those are sensitive without which rows stand together in classes of two or more, and with which some row
stands alone: no tool that hides people among each other leaves a known column like that. All this is assumed and told;
a schema says better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.data.schema import Column, Schema
from cloven.errors import InputError
from cloven.kinds.tables.foreign.cells import NOTHING, number_in, same_text
from cloven.kinds.tables.foreign.diversity import classes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.data.table import Role

NAMING = 0.9
"""Share of the rows whose value nobody else has, from which on a column names people."""
ALONE = 2
"""A class of fewer hides nobody."""


@dataclass(frozen=True, eq=False)
class Raw:
    """A column as read.

    Attributes:
        texts: its different texts.
        codes: which of them each row holds.
    """

    texts: tuple[str, ...]
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, held: Sequence[str | None], codes: NDArray[np.int32]) -> Raw:
        """From texts that may stand in no row; what is not there is an empty text."""
        used, places = np.unique(codes, return_inverse=True)
        return cls(tuple(held[code] or "" for code in used.tolist()), places.reshape(-1).astype(np.int32))

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def rows(self) -> list[str]:
        """The text of every row, numbers written alike."""
        plain = [same_text(text) for text in self.texts]
        return [plain[code] for code in self.codes.tolist()]

    @property
    def times(self) -> dict[str, int]:
        """How many rows hold each text, numbers written alike."""
        found: dict[str, int] = {}
        for text, count in zip(self.texts, np.bincount(self.codes).tolist(), strict=True):
            found[same_text(text)] = found.get(same_text(text), 0) + count
        return found


@dataclass(frozen=True)
class Roles:
    """What the columns are taken for.

    Attributes:
        schema: the roles, for the original.
        assumed: why, one line each; nothing where the owner gave the roles.
    """

    schema: Schema
    assumed: tuple[str, ...] = ()


def telling_apart(published: Mapping[str, Raw], original: Mapping[str, Raw]) -> tuple[str, ...]:
    """Columns that are the same in both files, and nearly everybody has a value that nobody else has."""
    found = []
    for name, column in published.items():
        if name in original and not _changed(column, original[name]):
            times = original[name].times
            alone = sum(count for text, count in column.times.items() if times[text] == 1)
            if alone >= NAMING * len(column):
                found.append(name)
    return tuple(found)


def naming(published: Mapping[str, Raw], original: Mapping[str, Raw]) -> dict[str, str]:
    """Columns that name people, each with the reason.

    Besides those that tell nearly everybody apart, what looks like a name where it was not made coarser: an e-mail
    address that two rows share is one.
    """
    apart = "the same as in the original, and nearly everybody has a value of their own"
    found = dict.fromkeys(telling_apart(published, original), apart)
    for name, column in published.items():
        if name not in found and not (name in original and _changed(column, original[name])):
            reason = _looks_like_a_name(name, column)
            found |= {name: reason} if reason else {}
    return found


def _looks_like_a_name(name: str, column: Raw) -> str | None:
    from cloven.reading.identifiers import Held
    from cloven.reading.identifiers import naming as why_naming

    told = {text: count for text, count in column.times.items() if text not in NOTHING}
    numbers = all(number_in(text) is not None for text in told)
    return why_naming(Held(name, sum(told.values()), list(told), len(told), numbers))


def found_roles(published: Mapping[str, Raw], original: Mapping[str, Raw]) -> Roles:
    """Roles of all columns that both files have.

    Raises:
        InputError: nothing is left that could be known of people.
    """
    both = [name for name in published if name in original]
    empty = [
        name for name in both if _says_nothing(published[name]) and _changed(published[name], original[name])
    ]
    both = [name for name in both if name not in empty]
    names = naming(published, original)
    changed = [name for name in both if _changed(published[name], original[name])]
    same = [name for name in both if name not in changed and name not in names]
    secret, reason = _sensitive(published, changed, same)
    known = [name for name in both if name in changed or (name in same and name not in secret)]
    if not known:
        shared = ", ".join(both)
        message = (
            f"no column is left that others could know of people (the files share {shared}); give --schema"
        )
        raise InputError(message)
    columns = [_column(name, original[name], secret) for name in both if name in known or name in secret]
    unchanged = [name for name in known if name not in changed]
    assumed = [
        _line(changed, "quasi-identifier", "coarser than in the original, so taken for known"),
        _line(unchanged, "quasi-identifier", "published as in the original, and others may know it"),
        _line(secret, "sensitive", reason),
        _line(empty, "left out", "everybody's value was taken out, so that it shows nothing"),
        *(_line([name], "names people", why) for name, why in names.items()),
    ]
    return Roles(Schema(tuple(columns), missing_values=("",)), tuple(filter(None, assumed)))


def _line(names: Iterable[str], role: str, why: str) -> str:
    listed = ", ".join(names)
    return f"{listed}: {role} ({why})" if listed else ""


def _says_nothing(published: Raw) -> bool:
    """Whether everybody's value was taken out."""
    return all(text in NOTHING or set(text) <= {"*"} for text in published.texts)


def _changed(published: Raw, original: Raw) -> bool:
    """Whether some cell is no value of the original."""
    return not set(published.times) <= set(original.times)


def _sensitive(published: Mapping[str, Raw], changed: list[str], same: list[str]) -> tuple[list[str], str]:
    """Columns that are taken for sensitive, and why."""
    secret: list[str] = []
    left = [name for name in same if len(published[name].texts) > 1]
    if not left:
        return [], ""
    least = _smallest(published, [*changed, *same])
    while least < ALONE and len(left) > 1:
        kept = {
            name: _smallest(published, [each for each in (*changed, *same) if each not in (*secret, name)])
            for name in left
        }
        best = max(left, key=lambda name: (kept[name], left.index(name)))
        secret.append(best)
        left.remove(best)
        least = kept[best]
    if secret and least >= ALONE:
        return secret, f"without it classes have {least:,} rows or more, with it some row stands alone"
    if changed and secret and len(left) == 1 and _smallest(published, changed) >= ALONE:
        return [*secret, *left], "only the coarser columns make classes of two rows or more"
    last = [name for name in same if len(published[name].texts) > 1][-1]
    return [last], "the last column that is the same; nothing in the table says which it is"


def _smallest(published: Mapping[str, Raw], names: list[str]) -> int:
    """Rows of the smallest class by some columns."""
    rows = len(next(iter(published.values())))
    if not names:
        return rows
    return int(np.bincount(classes_of(np.column_stack([published[name].codes for name in names]))).min())


def _column(name: str, original: Raw, secret: list[str]) -> Column:
    """A column as it is read: numbers where everybody has one, else categories, where none is one too."""
    numbers = all(number_in(text) is not None for text in original.texts)
    role: Role = "sensitive" if name in secret else "quasi-identifier"
    return Column(name, role, "number" if numbers else "category", missing=None if numbers else "keep")
