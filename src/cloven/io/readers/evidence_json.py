"""What speaks for JSON (one array of records) and JSON Lines (a record on each line)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cloven.io.readers.unplaced import Suggestion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cloven.io.readers.head import Head

_MOST = 1000


def json_suggestions(head: Head) -> list[Suggestion]:
    """Ways to read a text as JSON; none if it is not."""
    text = head.text.strip()
    if not text or text[0] not in "[{":
        return []
    by_line = [value for value in map(_parsed, head.lines) if isinstance(value, list | dict)]
    found = []
    one_object = head.whole and len(head.lines) == 1 and text[0] == "{"
    if len(by_line) > 0.5 * len(head.lines) and not one_object:
        found += list(_of_records(by_line, "jsonl", "JSON on each line", len(by_line) / len(head.lines)))
    if text[0] == "[":
        found += list(_of_records(first_elements(text), "json", "a JSON array", 1.0))
    return found


def json_note(head: Head) -> str | None:
    """Why a JSON text of another shape cannot be read, and how to make it readable."""
    text = head.text.strip()
    if text[:1] == "{" and (value := _parsed(text)) is not None:
        return _about_object(value)
    elements = first_elements(text) or [_parsed(line) for line in head.lines]
    if text[:1] in {"[", "{"} and elements and all(isinstance(each, dict) for each in elements):
        return "its JSON objects hold no list of items; one item per row is read from CSV or Parquet"
    return None


def first_elements(text: str) -> list[Any]:
    """The first elements of a JSON array; it may be cut off anywhere.

    >>> first_elements('[["a"], ["b", "c"], ["d')
    [['a'], ['b', 'c']]
    """
    decoder, at = json.JSONDecoder(), 1
    found: list[Any] = []
    while len(found) < _MOST and text[:1] == "[":
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        found.append(value)
    return found


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _of_records(records: list[Any], format: str, what: str, share: float) -> Iterator[Suggestion]:
    if not records:
        return
    lists = sum(_holds_items(record) for record in records) / len(records)
    if lists > 0.5:
        yield Suggestion({"format": format}, f"{what}, lists of items", share * lists)
    columns = {name: 0 for record in records if isinstance(record, dict) for name in record}
    for name in columns:
        with_list = sum(isinstance(each, dict) and _holds_items(each.get(name)) for each in records)
        score = share * with_list / len(records)
        if score > 0.5:
            yield Suggestion({"format": format, "column": name}, f"{what}, objects with lists", score)


def _holds_items(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str | int) for item in value)


def _about_object(value: dict[str, Any]) -> str:
    if value and all(_holds_items(each) for each in value.values()):
        return "it is one JSON object that holds lists; make an array of them: jq '[.[]]' FILE > records.json"
    arrays = [name for name, each in value.items() if isinstance(each, list) and name.isidentifier()]
    if arrays:
        return f"it is one JSON object; take the array out of it: jq .{arrays[0]} FILE > records.json"
    return "it is one JSON object; only an array of records, or a record on each line, can be read"
