"""Records as a reader found them, before anything bad is refused or left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from cloven.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

BLANK = "blank item; remove it or read leniently"


class Place(NamedTuple):
    """Where something stands: a line of a text (from 1), or a row or record (from 0); and what is there."""

    unit: str
    number: int
    value: str

    def error(self, reason: str, source: str) -> InputError:
        """The one-line error for something bad at this place."""
        if self.unit == "line":
            return InputError(reason, source=source, line=self.number, value=self.value)
        return InputError(f"{self.unit} {self.number}: {reason}", source=source, value=self.value)


@dataclass(frozen=True)
class RawRecords:
    """Records with everything that is wrong about them.

    Attributes:
        lengths: number of items of each record.
        codes: item codes, record after record.
        names: name of each code, all different, in any order.
        place: gives the place of a record and, unless it is -1, of one item (counted over all records).
        item_faults: what is wrong with an item, by code. ``BLANK`` items may be left out alone.
        record_faults: what is wrong with a record, by number.
        persons: person of each record, or None.
    """

    lengths: NDArray[np.int64]
    codes: NDArray[np.int64]
    names: Sequence[str]
    place: Callable[[int, int], Place]
    item_faults: Mapping[int, str] = field(default_factory=dict)
    record_faults: Mapping[int, str] = field(default_factory=dict)
    persons: NDArray[np.int64] | None = None


def name_faults(names: Sequence[str | None]) -> dict[int, str]:
    """What is wrong with names: blank, or (where None stands for it) null."""
    faults = {code: BLANK for code, name in enumerate(names) if name is not None and not name.strip()}
    return faults | {code: "null item" for code, name in enumerate(names) if name is None}


def decode_names(raw: Sequence[bytes]) -> tuple[list[str], dict[int, str]]:
    r"""Names from UTF-8 bytes, and what is wrong with them.

    >>> decode_names([b"flu", b"", b"caf\xe9"])[1]
    {1: 'blank item; remove it or read leniently', 2: 'not UTF-8; save the file as UTF-8'}
    """
    names: list[str] = []
    broken: dict[int, str] = {}
    for code, name in enumerate(raw):
        try:
            names.append(name.decode())
        except UnicodeDecodeError:
            names.append(name.decode(errors="backslashreplace"))
            broken[code] = "not UTF-8; save the file as UTF-8"
    return names, name_faults(names) | broken
