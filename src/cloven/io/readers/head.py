"""The beginning of a text, cut after a whole line: enough to tell what the rest is like."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from itertools import islice

SAMPLE_BYTES = 1 << 18
_ROWS = 1000
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Head:
    """The first lines of a text.

    Attributes:
        content: their bytes, without a byte order mark.
        whole: whether nothing was cut off.
    """

    content: bytes
    whole: bool

    @property
    def text(self) -> str:
        """The bytes decoded; what is no UTF-8 is replaced."""
        return self.content.decode(errors="replace")

    @property
    def lines(self) -> list[str]:
        """The first lines that are not blank."""
        return [line for line in self.text.split("\n") if line.strip()][:_ROWS]

    def rows(self, delimiter: str) -> list[list[str]]:
        r"""Cells of the first rows that are not blank, quotes taken off.

        >>> Head(b'id,item\n1,"a,b"\n', whole=True).rows(",")
        [['id', 'item'], ['1', 'a,b']]
        """
        if delimiter == " ":
            return [line.split() for line in self.lines]
        reader = csv.reader(io.StringIO(self.text, newline=""), delimiter=delimiter, skipinitialspace=True)
        try:
            rows = list(islice((row for row in reader if any(cell.strip() for cell in row)), _ROWS))
        except csv.Error:  # a cell without end, or a lone carriage return
            rows = [line.split(delimiter) for line in self.lines]
        return [[cell.strip() for cell in row] for row in rows]


def head_of(content: bytes, size: int = SAMPLE_BYTES) -> Head:
    """The first lines of a text, of at most ``size`` bytes unless the first line is longer."""
    start = content[: size + len(_BOM)].removeprefix(_BOM)
    if len(content) <= size:
        return Head(start, whole=True)
    cut = start[: start.rfind(b"\n") + 1]
    if cut:
        return Head(cut, whole=False)
    end = content.find(b"\n") + 1 or len(content)
    return Head(content[:end].removeprefix(_BOM), whole=end == len(content))
