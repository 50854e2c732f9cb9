"""One record per line: delimited text, FIMI (white space) and SPMF (``item -1 item -1 -2``)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.reading.delimiters import check_delimiter, refuse_table, refuse_words_between_others
from cloven.reading.raw import RawRecords, decode_names
from cloven.reading.tokens import TextPlaces, quote_faults, tokenise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.reading.options import ReadOptions


def refuse_columns(options: ReadOptions, format: str) -> None:
    """A file without columns cannot give one."""
    named = (options.column, options.id_column, options.person)
    if any(name is not None for name in named):
        message = (
            f"format {format!r} has no columns, so none can be named; use a CSV file with a header"
            " (id_column and item_column, or column), JSON Lines or Parquet"
        )
        raise ParameterError(message)


def read_lines(text: bytes, delimiter: str, source: str, options: ReadOptions) -> RawRecords:
    """Records of delimited lines, with RFC 4180 quotes; a space stands for any white space."""
    tokens = tokenise(text, delimiter, merge=delimiter == " ")
    if options.format is None or options.delimiter is None:
        check_delimiter(text, delimiter, tokens.lengths, source)
    codes, raw_names = tokens.encode()
    names, faults = decode_names(raw_names)
    if options.format is None:
        refuse_table(tokens.lengths, codes, names, delimiter, source)
    return RawRecords(tokens.lengths, codes, names, TextPlaces(text, tokens), faults, quote_faults(tokens))


def read_fimi(text: bytes, source: str, options: ReadOptions) -> RawRecords:
    """Records of items separated by white space; quotes have no meaning."""
    tokens = tokenise(text, " ", merge=True, quotes=False)
    if options.format is None:
        check_delimiter(text, " ", tokens.lengths, source)
        refuse_words_between_others(text, source)
    codes, raw_names = tokens.encode()
    names, faults = decode_names(raw_names)
    return RawRecords(tokens.lengths, codes, names, TextPlaces(text, tokens), faults)


def read_spmf(text: bytes, source: str, options: ReadOptions) -> RawRecords:
    """Sequences of SPMF: ``-1`` ends an item set, ``-2`` the record; #, % or @ starts a comment line."""
    raw = read_fimi(text, source, replace(options, format="spmf"))
    comment, wrong = _spmf_lines(raw)
    rows = np.repeat(np.arange(len(raw.lengths)), raw.lengths)
    marks = [code for code, name in enumerate(raw.names) if name in {"-1", "-2"}]
    items = ~comment[rows] & ~np.isin(raw.codes, marks)
    records = np.flatnonzero(~comment)
    return RawRecords(
        np.bincount(rows[items], minlength=len(raw.lengths))[records].astype(np.int64),
        raw.codes[items],
        raw.names,
        lambda record, item: raw.place(int(records[record]), item),
        raw.item_faults,
        dict.fromkeys(np.flatnonzero(wrong[records]).tolist(), "an SPMF record must end with one -2"),
    )


def _spmf_lines(raw: RawRecords) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which lines are comments, and which do not end with the only ``-2`` of the line."""
    filled = np.flatnonzero(raw.lengths)
    last = np.cumsum(raw.lengths)[filled] - 1
    first = last - raw.lengths[filled] + 1
    signs = [code for code, name in enumerate(raw.names) if name[0] in "#%@"]
    is_end = np.isin(raw.codes, [code for code, name in enumerate(raw.names) if name == "-2"])
    comment, wrong = np.zeros((2, len(raw.lengths)), bool)
    comment[filled] = np.isin(raw.codes[first], signs)
    wrong[filled] = ~is_end[last] | (np.add.reduceat(is_end, first, dtype=np.int64) != 1)
    return comment, wrong & ~comment
