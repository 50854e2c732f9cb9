"""Split delimited text into items, one pass over the bytes.

Quotes follow RFC 4180: an item that starts with a quote runs to the closing quote and may hold delimiters,
line ends and doubled quotes. Unquoted items lose the white space around them. With ``merge`` any run of white
space separates items, as in FIMI files. A record whose quotes are wrong gives no items and a fault; reading
goes on at the next line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.compiled import compiled
from cloven.errors import InputError
from cloven.reading.files import foreign, many_zeros
from cloven.reading.options import UnplacedError
from cloven.reading.raw import Place

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

QUOTE = 34
NOT_CLOSED, TEXT_AFTER_QUOTE = 1, 2


@dataclass(frozen=True)
class Tokens:
    """Items of a text.

    Attributes:
        data: bytes of all items, one after another.
        offsets: where each item starts in ``data``.
        lengths: number of items of each record.
        begins: where each record starts in the text.
        faults: 0, or ``NOT_CLOSED`` or ``TEXT_AFTER_QUOTE``, for each record.
    """

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    lengths: NDArray[np.int64]
    begins: NDArray[np.int64]
    faults: NDArray[np.int8]

    def encode(self, chosen: NDArray[np.int64] | None = None) -> tuple[NDArray[np.int64], list[bytes]]:
        """Number the distinct items (of the chosen tokens) in order of first appearance."""
        import pyarrow as pa

        buffers = [None, pa.py_buffer(self.offsets), pa.py_buffer(self.data)]
        items: Any = pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(self.offsets) - 1, buffers)
        if chosen is not None:
            items = items.take(pa.array(chosen))
        encoded = items.dictionary_encode()
        return encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_pylist()


def tokenise(
    text: bytes, delimiter: str, *, merge: bool = False, quotes: bool = True, record_end: str = "\n"
) -> Tokens:
    r"""Split a text into records and items.

    >>> tokenise(b'a,"b,c"\nd\n', ",").lengths.tolist()
    [2, 1]
    """
    raw = np.frombuffer(text, np.uint8)
    records = int(np.count_nonzero(raw == ord(record_end))) + 1
    between = " \t\n\v\f\r" if merge else delimiter
    items = records + sum(int(np.count_nonzero(raw == ord(character))) for character in between)
    data = np.empty(len(raw), np.uint8)
    offsets = np.zeros(items + 1, np.int64)
    lengths, begins = np.zeros(records, np.int64), np.zeros(records, np.int64)
    faults = np.zeros(records, np.int8)
    records, items = _split(
        raw,
        ord(delimiter),
        ord(record_end),
        merge,
        quotes,
        data,
        offsets,
        lengths,
        begins,
        faults,
    )
    data = data[: offsets[items]]
    return Tokens(data, offsets[: items + 1], lengths[:records], begins[:records], faults[:records])


@compiled
def _white(byte: int) -> bool:
    return byte == 32 or (9 <= byte <= 13)


@compiled
def _skip_white(text: Bytes, at: int, delimiter: int, record_end: int, merge: bool) -> int:
    while at < len(text) and _white(text[at]) and text[at] != record_end and (merge or text[at] != delimiter):
        at += 1
    return at


@compiled
def _plain_item(
    text: Bytes,
    at: int,
    delimiter: int,
    record_end: int,
    merge: bool,
    data: Bytes,
    write: int,
) -> tuple[int, int]:
    """Copy an item without quotes; give where it ends, and where the copy ends."""
    end = write
    while at < len(text) and text[at] != delimiter and text[at] != record_end:
        white = _white(text[at])
        if white and merge:
            break
        data[write] = text[at]
        write += 1
        at += 1
        if not white:
            end = write
    return at, end


@compiled
def _quoted_item(text: Bytes, at: int, data: Bytes, write: int) -> tuple[int, int]:
    """Copy an item in quotes (``at`` is after the opening one); -1 if the quotes do not close."""
    while at < len(text):
        if text[at] == QUOTE:
            if at + 1 == len(text) or text[at + 1] != QUOTE:
                return at + 1, write
            at += 1
        data[write] = text[at]
        write += 1
        at += 1
    return -1, write


@compiled
def _split_record(
    text: Bytes,
    at: int,
    delimiter: int,
    record_end: int,
    merge: bool,
    quotes: bool,
    data: Bytes,
    offsets: NDArray[np.int64],
    items: int,
) -> tuple[int, int, int]:
    """Split one record; give where it ends, the number of items so far, and a fault or 0."""
    write = offsets[items]
    while True:
        at = _skip_white(text, at, delimiter, record_end, merge)
        if merge and (at == len(text) or text[at] == record_end):
            return at, items, 0
        if quotes and at < len(text) and text[at] == QUOTE:
            at, write = _quoted_item(text, at + 1, data, write)
            if at < 0:
                return at, items, NOT_CLOSED
            closed = at
            at = _skip_white(text, at, delimiter, record_end, merge)
            apart = at == len(text) or text[at] == delimiter or text[at] == record_end
            if not apart and not (merge and at > closed):
                return at, items, TEXT_AFTER_QUOTE
        else:
            at, write = _plain_item(text, at, delimiter, record_end, merge, data, write)
        items += 1
        offsets[items] = write
        if at == len(text) or text[at] == record_end:
            return at, items, 0
        if not merge:
            at += 1


@compiled
def _split(
    text: Bytes,
    delimiter: int,
    record_end: int,
    merge: bool,
    quotes: bool,
    data: Bytes,
    offsets: NDArray[np.int64],
    lengths: NDArray[np.int64],
    begins: NDArray[np.int64],
    faults: NDArray[np.int8],
) -> tuple[int, int]:
    """Fill the arrays; give the number of records and of items."""
    at, items, record = 0, 0, 0
    while at < len(text):
        begins[record] = at
        before = items
        end = _skip_white(text, at, delimiter, record_end, merge)
        if end < len(text) and text[end] != record_end:
            end, items, fault = _split_record(
                text, end, delimiter, record_end, merge, quotes, data, offsets, items
            )
            if fault != 0:
                faults[record] = fault
                items, end = before, at
                while end < len(text) and text[end] != record_end:
                    end += 1
        lengths[record] = items - before
        record += 1
        at = end + 1
    return record, items


# Text as bytes: the checks that come before splitting, and lines for messages.


_BOM = b"\xef\xbb\xbf"
_QUOTE_FAULTS = {
    NOT_CLOSED: "a quote is opened and never closed; close it, or double a quote that is part of an item",
    TEXT_AFTER_QUOTE: "text after a closing quote; double a quote that is part of an item",
}


def clean_text(content: bytes, source: str) -> bytes:
    """Take a byte order mark off, and read lone carriage returns as ends of lines; refuse a binary file."""
    if content.startswith(b"PAR1"):
        message = "this is not text but Parquet"
        raise UnplacedError(message, source=source)
    kind = foreign(content)
    if kind is not None:
        what, advice = kind
        message = f"this is not text but {what}; {advice}"
        raise InputError(message, source=source)
    refuse_zeros(content, source)
    text = content.removeprefix(_BOM)
    return text if b"\n" in text else text.replace(b"\r", b"\n")


def refuse_zeros(content: bytes, source: str, before: int = 0) -> None:
    """Raise for NUL bytes: no text has them; so many lines came ``before``."""
    at = content.find(b"\0")
    if at >= 0:
        what, advice = many_zeros(content)
        message = f"holds NUL bytes, so it is {what}; {advice}"
        raise InputError(message, source=source, line=before + content.count(b"\n", 0, at) + 1)


@dataclass(frozen=True)
class TextPlaces:
    """Finds the line on which a record starts, for messages."""

    text: bytes
    tokens: Tokens

    def __call__(self, record: int, _item: int = -1) -> Place:
        """Line number and text of a record."""
        begin = int(self.tokens.begins[record])
        end = self.text.find(b"\n", begin)
        shown = self.text[begin : end if end >= 0 else len(self.text)].rstrip(b"\r")
        line = self.text.count(b"\n", 0, begin) + 1
        return Place("line", line, shown.decode(errors="backslashreplace"))


def quote_faults(tokens: Tokens) -> dict[int, str]:
    """Records whose quotes are wrong."""
    return {
        record: _QUOTE_FAULTS[int(tokens.faults[record])] for record in tokens.faults.nonzero()[0].tolist()
    }
