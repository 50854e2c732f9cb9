"""Jobs on files: look at one and propose how to read it; read it so, and describe what is in it.

They run in a worker with limits, for files come from strangers. What they give is plain JSON values.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.defaults import K
from cloven.errors import ClovenError
from cloven.figures import many
from cloven.intake.packing import beginning
from cloven.reading import ReadOptions, UnplacedError, read_reported
from cloven.reading.guess import Column
from cloven.studio.records import Reading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.data.table import Table
    from cloven.data.transactions import Transactions
    from cloven.reading.options import ReadReport
    from cloven.studio.worker import Teller

HEAD_BYTES, HEAD_LINES, LINE = 20_000, 8, 160
SHOWN, ITEMS, CELL = 8, 12, 60
"""Records of a preview, items of one, letters of one."""
MOST_KNOWN = 3
LARGEST_K = 100
LIKELY = 0.5
"""A suggestion to read a file as sets that is as likely as this comes before a table."""
SEVERAL = 3
"""Columns that make a file with a header a table of people, where no name of a column speaks of records or items."""


# A first look: which ways to read the file there are.


def look(job: Mapping[str, Any], tell: Teller) -> dict[str, Any]:
    """Ways to read a file, the likeliest first, and a schema if it may be a table."""
    place = Path(job["place"])
    tell.progress("look at the file", 0.1)
    ways, problem = _ways(place)
    tell.progress("look for columns of persons", 0.5)
    table, not_a_table = _proposal(place)
    head = _head(place)
    if not ways and table is None and not head:  # what is text can be read another way, if its owner says how
        raise ClovenError(_short(problem or not_a_table, place))
    is_table = table is not None and table["complete"] and not (ways and _is_of_sets(ways[0], table))
    return {
        "head": head,
        "ways": ways,
        "problem": _short(problem, place),
        "table": table,
        "not_a_table": _short(not_a_table, place),
        "likely": "table" if is_table or not ways else "sets",
    }


def _is_of_sets(way: Mapping[str, Any], table: Mapping[str, Any]) -> bool:
    """Whether a file is rather sets, read this way, than this table.

    Columns of any table of people can be taken for records and their items: some value always repeats, and some hold
    commas. Of several columns with a header the names have to say so.
    """
    if way["score"] < LIKELY:
        return False
    options = way["options"]
    if "id_column" in options:
        named = Column(options["id_column"], 0, ()).named_record
    elif options["format"] == "table":
        named = Column(options["column"], 0, ()).named_item
    else:
        return True
    return named or sum(each["role"] != "ignored" for each in table["columns"]) < SEVERAL


def _short(message: str, place: Path) -> str:
    """A message that names no folder of the workspace."""
    return message.replace(f"{place}:", "line ", 1) if f"{place}:" in message else message


def _ways(place: Path) -> tuple[list[dict[str, Any]], str]:
    """Ways to read a file as sets of items; if it cannot be read as it is, why."""
    try:
        data, report = read_reported(place)
    except UnplacedError as error:
        ways = [
            {"options": dict(each.options), "reason": each.reason, "score": each.score}
            for each in error.suggestions
        ]
        return ways, error.worded(lambda each: each.reason)
    except ClovenError as error:
        return [], str(error)
    told = {"format": report.format}
    if report.delimiter is not None and report.format == "lines":
        told["delimiter"] = report.delimiter
    said = f"{many(len(data), 'record')} of {many(len(data.vocabulary), 'item')}, one record in each line"
    return [{"options": told, "reason": said, "score": 1.0}], ""


def _proposal(place: Path) -> tuple[dict[str, Any] | None, str]:
    from cloven.reading.proposal import propose

    try:
        found = propose(place)
    except ClovenError as error:
        return None, str(error)
    columns = [{"name": each.name, "role": each.role, "reason": each.reason} for each in found.columns]
    return {
        "toml": found.to_toml(),
        "columns": columns,
        "rows": found.rows,
        "remarks": list(found.remarks),
        "complete": found.complete,
    }, ""


def _head(place: Path) -> list[str]:
    """The first lines, if it is text."""
    try:
        found, _, _ = beginning(place, HEAD_BYTES)
        text = found.decode("utf-8", "replace")
    except (ClovenError, OSError):
        return []
    if text.count("\ufffd") > len(text) / 20 or "\0" in text:
        return []
    lines = text.replace("\r\n", "\n").split("\n")[:HEAD_LINES]
    return [line[:LINE] + ("…" if len(line) > LINE else "") for line in lines if line.strip()]


# Reading: what an audit works on.


def read_as(place: Path | None, reading: Reading, schema: Path) -> tuple[Any, ReadReport | None]:
    """The data; without a place the built-in sample. The schema of a table is written to a file first."""
    if place is None:
        from cloven.datasets import sample

        return sample("clinic"), None
    if reading.shape == "sets":
        return read_reported(place, ReadOptions(**reading.options))
    from cloven.reading.tables import load_table

    return load_table(place, _schema(reading, schema)).table, None


def _schema(reading: Reading, place: Path) -> Any:
    from cloven.reading.schema_file import read_schema

    place.write_text(reading.schema, encoding="utf-8")
    return read_schema(place)


def describe(job: Mapping[str, Any], tell: Teller) -> dict[str, Any]:
    """Read a file and tell what is in it."""
    reading = Reading(**job["reading"])
    place = None if job["place"] is None else Path(job["place"])
    tell.progress("read", 0.1)
    if reading.shape == "table":
        return _described_table(Path(job["place"]), reading, Path(job["schema"]), tell)
    data, report = read_as(place, reading, Path(job["schema"]))
    tell.progress("look for records that can be singled out", 0.4)
    return _described_sets(data, report)


def _described_sets(data: Transactions, report: ReadReport | None) -> dict[str, Any]:
    from cloven.kinds.disassociated.kind import suggested
    from cloven.statistics.uniqueness import describe as measure

    found = measure(data, m=MOST_KNOWN, k=K, rng=np.random.default_rng(0))
    values, reasons = suggested(data, {})
    lengths = np.diff(data.offsets)
    sizes, counts = np.unique(lengths, return_counts=True)
    plain = found.to_dict()
    return {
        "shape": "sets",
        **{name: plain[name] for name in ("records", "items", "occurrences", "mean_length", "max_length")},
        "persons": plain["persons"],
        "singled_out": plain["singled_out"],
        "rare_names": [name[:CELL] for name in found.rare_item_names[:20]],
        "rare": _rare(data),
        "sizes": [{"size": int(a), "groups": int(b)} for a, b in zip(sizes, counts, strict=True)],
        "common": _common(data),
        "preview": [
            [item[:CELL] for item in sorted(data[number])[:ITEMS]] for number in range(min(SHOWN, len(data)))
        ],
        "suggested": {"method": "disassociation", **values},
        "reasons": reasons,
        "left_out": "" if report is None else _left_out(report),
    }


def _rare(data: Transactions) -> list[dict[str, int]]:
    """For k from 2 on: how many items fewer than k people hold, and how many entries those are."""
    holders, entries = data.holders, data.supports
    return [
        {"k": k, "items": int((holders < k).sum()), "entries": int(entries[holders < k].sum())}
        for k in range(2, LARGEST_K + 1)
    ]


def _common(data: Transactions) -> list[dict[str, Any]]:
    """The items that most people have."""
    people = len(data) if data.persons is None else len(np.unique(data.persons))
    order = np.argsort(-data.holders, kind="stable")[:8]
    return [
        {"item": data.vocabulary[code][:CELL], "share": float(data.holders[code] / max(1, people))}
        for code in order.tolist()
    ]


def _left_out(report: ReadReport) -> str:
    parts = [
        many(number, word)
        for number, word in (
            (report.skipped, "bad line"),
            (report.blank_items, "blank item"),
            (report.empty_records, "empty record"),
        )
        if number
    ]
    return f"left out: {', '.join(parts)}" if parts else ""


def _described_table(place: Path, reading: Reading, schema: Path, tell: Teller) -> dict[str, Any]:
    from cloven.kinds.tables.description import describe_attributes, describe_table
    from cloven.kinds.tables.kind import suggested, sure_l
    from cloven.kinds.tables.methods.slicing import largest_l
    from cloven.reading.tables import load_table

    loaded = load_table(place, _schema(reading, schema))
    table = loaded.table
    tell.progress("look for rows that can be singled out", 0.4)
    found = describe_table(table, K)
    setting, why = suggested(table)
    return {
        "shape": "table",
        "records": found.records,
        "persons": found.persons,
        "alone": found.alone,
        "columns": [each.to_dict() for each in describe_attributes(table)],
        "groups": _groups(table),
        "largest_l": largest_l(table) if table.names("sensitive") else None,
        "sure_l": sure_l(table) if table.names("sensitive") else None,
        "sensitive": list(table.names("sensitive")),
        "known": list(table.names("quasi-identifier")),
        "preview": _rows(table),
        "suggested": {"setting": setting},
        "reasons": [why],
        "left_out": "; ".join([*map(str, loaded.missing), *loaded.remarks]),
        "not_read": list(loaded.ignored),
    }


def _groups(table: Table) -> list[dict[str, int]]:
    """How many rows share their quasi-identifiers with how many others."""
    from cloven.data.arrays import row_numbers

    which = row_numbers(table.codes[:, table.positions("quasi-identifier")])
    shared = np.bincount(which)[which]
    sizes, counts = np.unique(shared, return_counts=True)
    return [{"size": int(a), "rows": int(b)} for a, b in zip(sizes, counts, strict=True)]


def _rows(table: Table) -> dict[str, Any]:
    rows = [
        [
            "" if code < 0 else each.values[code][:CELL]
            for each, code in zip(table.attributes, row, strict=True)
        ]
        for row in table.codes[:SHOWN].tolist()
    ]
    return {"names": [each.name for each in table.attributes], "rows": rows}
