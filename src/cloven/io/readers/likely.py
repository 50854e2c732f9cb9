"""How a file is most likely to be read: every format is scored on its beginning, and tried before it is named."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cloven.errors import ClovenError
from cloven.io.readers.evidence_json import first_elements, json_note, json_suggestions
from cloven.io.readers.evidence_lines import line_suggestions
from cloven.io.readers.evidence_tables import columns_of, one_column_per_item, table_suggestions
from cloven.io.readers.head import head_of
from cloven.io.readers.kinds import foreign, many_zeros, markup
from cloven.io.readers.options import FORMATS, ReadOptions
from cloven.io.readers.unplaced import MOST_SUGGESTIONS, Likely, Suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cloven.io.readers.head import Head

_TRIED = 12
_LEAST = 0.02
_MOST_SKIPPED = 0.1
_APART = ("format", "column", "id_column")  # two ways to read a file differ in one of these
_PARQUET = b"PAR1"
_PARQUET_ROWS = 1000
_FLAGS_NOTE = (
    "it has one column for each item, with 0 and 1 in the cells; turn it into one row for each item first"
)


def likely(content: bytes) -> Likely:
    r"""The ways to read these bytes, most likely first; each was tried on the beginning of the file.

    >>> found = likely(b"order;item\n1;jam\n1;bread\n2;jam\n2;tea\n")
    >>> [suggestion.options["format"] for suggestion in found.suggestions]
    ['long', 'lines']
    >>> dict(found.suggestions[0].options)
    {'format': 'long', 'delimiter': ';', 'id_column': 'order', 'item_column': 'item'}
    """
    if content.startswith(_PARQUET):
        return _parquet(content)
    kind = foreign(content) or markup(content) or (many_zeros(content) if b"\0" in content else None)
    if kind is not None:
        return Likely(note=f"it is {kind[0]}; {kind[1]}")
    head = head_of(content)
    if not head.lines:
        return Likely(note="the file is empty or blank")
    return _text(head)


def _text(head: Head) -> Likely:
    as_json = json_suggestions(head)
    if as_json:
        return Likely(_tried(as_json, head))
    note = json_note(head)
    if note is not None:
        return Likely(note=note)
    if one_column_per_item(head):
        return Likely(note=_FLAGS_NOTE)
    tables = list(table_suggestions(head))
    weight = 1 - 0.7 * max(
        (each.score for each in tables), default=0.0
    )  # a header speaks against plain records
    lines = [replace(each, score=each.score * weight) for each in line_suggestions(head)]
    tried = _tried([*tables, *lines], head)
    return Likely(tried, None if tried else f"pass format= one of {', '.join(FORMATS)}")


def _tried(found: Iterable[Suggestion], head: Head) -> tuple[Suggestion, ...]:
    """The likeliest that read the beginning of the file; of each way to read it, the first."""
    kept: dict[tuple[str, ...], Suggestion] = {}
    likely_enough = (each for each in found if each.printable and each.score >= _LEAST)
    ranked = sorted(likely_enough, key=lambda each: -each.score)
    for each in ranked[:_TRIED]:
        parts = ("format", "delimiter") if each.options["format"] == "lines" else _APART
        way = tuple(each.options.get(part, "") for part in parts)
        if way not in kept and len(kept) < MOST_SUGGESTIONS and _reads(each, head):
            kept[way] = each
    return tuple(kept.values())


def _reads(suggestion: Suggestion, head: Head) -> bool:
    """Whether a reader told so gets records out of the beginning, and leaves little out."""
    import json

    from cloven.io.readers.reading import read_content

    content = head.content
    if suggestion.options["format"] == "json" and not head.whole:
        content = json.dumps(first_elements(head.text.strip())).encode()
    told: dict[str, Any] = dict(suggestion.options)
    try:
        _, report = read_content(content, "", "", ReadOptions(**told, lenient=True))
    except ClovenError:
        return False
    return report.skipped <= _MOST_SKIPPED * (report.records + report.skipped)


def _parquet(content: bytes) -> Likely:
    """Suggestions for Parquet: its columns have types, so a list column is certain."""
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq

    from cloven.io.readers.columns import best_pairs

    try:
        file = pq.ParquetFile(io.BytesIO(content))
        batch = next(iter(file.iter_batches(_PARQUET_ROWS)), None)
    except (pa.ArrowException, OSError):
        return Likely(note="it begins like Parquet, but is damaged")
    names = file.schema_arrow.names
    lists = [field.name for field in file.schema_arrow if "list" in str(field.type)]
    found = [
        Suggestion({"format": "parquet", "column": name}, f"Parquet, lists in {name!r}", 1.0)
        for name in lists
    ]
    plain = [name for name in names if name not in lists]
    rows = [] if batch is None else [[str(row[name]) for name in plain] for row in batch.to_pylist()]
    for pair in best_pairs(columns_of(plain, rows)):
        options = {"format": "parquet", "id_column": pair.record.name, "item_column": pair.item.name}
        found.append(Suggestion(options, "Parquet, one item per row", pair.quality))
    note = None if found else "it is Parquet, with no column of lists and no two columns of records and items"
    return Likely(tuple(each for each in found if each.printable)[:MOST_SUGGESTIONS], note)
