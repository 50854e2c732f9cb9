"""Releases of every kind whose files somebody changed, and every command that reads one.

A change is made to one column of one file: its rows in another order, some twice, some gone, or numbers that nothing
has. The manifest tells the hash of what was changed, so that commands read on to it.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import cloven as cv
from cloven.cli.ending import run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from random import Random

RECORDS = cv.sample("clinic").take(np.arange(160))
SCHEMA = """
[columns.age]
role = "quasi-identifier"
kind = "number"
[columns.sex]
role = "quasi-identifier"
[columns.work]
role = "quasi-identifier"
[columns.illness]
role = "sensitive"
"""
PEOPLE = {
    "age": [str(18 + 7 * at % 60) for at in range(120)],
    "sex": [("f", "m")[at * at % 7 % 2] for at in range(120)],
    "work": ["abcde"[at * 3 % 11 % 5] for at in range(120)],
    "illness": ["stuvwxyz"[at % 8] for at in range(120)],
}
SETS, TABLES = "data.csv", "people.csv"
NUMBERS = (-1, 0, 1, 2, 2**15, 2**31 - 1, 2**31, 2**32, 2**62, 2**63 - 1, None)

_OF_SETS = {
    "verify": ("verify", "out"),
    "verify with key": ("verify", "out", "--original", SETS, "--private", "out.private"),
    "count": ("count", "out", "asthma", "--json"),
    "reconstruct": ("reconstruct", "out", "-o", "again.jsonl"),
    "utility": ("utility", SETS, "out", "--reconstructions", "1", "--top", "20"),
    "link": ("link", "out", "--item", "asthma"),
    "attack": ("attack", "out", "-o", "guessed"),
    "score": ("score", "out", "guesses", "--private", "out.private", "--chance", "1"),
    "beside": ("audit", SETS, "--quick", "--no-advise", "--other-release", "out", "-o", "audited"),
}
_OF_CLUSTERS = {
    **_OF_SETS,
    "breach": ("breach", "out"),
    "breach with key": ("breach", "out", "--original", SETS, "--private", "out.private", "--exact"),
}
_OF_TABLES = {
    "verify": ("verify", "out"),
    "verify with key": (
        "verify", "out", "--original", TABLES, "--schema", "schema.toml", "--private", "out.private",
    ),
    "count": ("count", "out", "sex=f", "--json"),
    "reconstruct": ("reconstruct", "out", "-o", "again.csv"),
    "utility": ("utility", TABLES, "out", "--schema", "schema.toml", "--queries", "5"),
    "attack": ("attack", "compose", "out", "out", "--known", TABLES, "--schema", "schema.toml"),
    "beside": (
        "audit", TABLES, "--schema", "schema.toml", "--quick", "--no-advise", "--other-release", "out", "-o", "audited",
    ),
}  # fmt: skip
_OF_WHOLE_ROWS = {
    **_OF_TABLES,
    "audit": (
        "audit", "--release", "out", "--original", TABLES, "--schema", "schema.toml", "--quick", "-o", "audited",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """A kind of release: what makes one, and what reads it."""

    method: Any
    commands: Mapping[str, tuple[str, ...]]

    @property
    def of_sets(self) -> bool:
        return "link" in self.commands


KINDS = {
    "root": Kind(cv.Disassociation(k=3, m=2, max_cluster_size=20), _OF_CLUSTERS),
    "joints": Kind(cv.Disassociation(k=3, m=2, max_cluster_size=12, refine=True), _OF_CLUSTERS),
    "listed": Kind(cv.Disassociation(k=3, m=2, rare_items="list"), _OF_CLUSTERS),
    "terms": Kind(
        cv.Disassociation(k=3, m=2, max_cluster_size=12, rare_items="cluster", refine=True), _OF_CLUSTERS
    ),
    "coat": Kind(cv.Coat(k=3), _OF_SETS),
    "mondrian": Kind(cv.Mondrian(k=3, l=2), _OF_WHOLE_ROWS),
    "sliced": Kind(cv.Slicing(k=4, l=2), _OF_TABLES),
    "ul": Kind(cv.UL(k=4, l=2), _OF_TABLES),
}


def make(name: str, place: Path) -> None:
    """A folder with the release of a kind, its key, what it was made from, and guesses about it."""
    kind = KINDS[name]
    place.mkdir()
    with (place / SETS).open("w", newline="") as handle:
        csv.writer(handle).writerows(sorted(record) for record in RECORDS)
    with (place / TABLES).open("w", newline="") as handle:
        csv.writer(handle).writerows([tuple(PEOPLE), *zip(*PEOPLE.values(), strict=True)])
    (place / "schema.toml").write_text(SCHEMA)
    if kind.of_sets:
        original: Any = cv.read(place / SETS)
        result = kind.method.anonymise(original)
    else:
        original = cv.read_table(place / TABLES, cv.read_schema(place / "schema.toml"))
        result = _by_lots(kind.method, original)
    cv.write_release(result, place / "out", original=original)
    if kind.of_sets:
        code, _, err = answer(place, ("attack", "out", "-o", "guesses"))
        assert code == 0, err


def _by_lots(method: Any, table: cv.Table) -> Any:
    """About once in a thousand times the lots of an honest release look like none."""
    while True:
        made = method.anonymise(table)
        if cv.verify(made.release, original=table, key=made.key).ok:
            return made


def files_of(place: Path) -> list[str]:
    """Every table of a release, of its key, and of guesses about it."""
    return sorted(
        str(file.relative_to(place))
        for folder in ("out", "out.private", "guesses")
        for file in (place / folder).rglob("*.parquet")
    )


def spoil(place: Path, file: str, rng: Random, column: str | None = None, change: str | None = None) -> str:
    """Change one column, or all of them together, and say what was done; what is not told is drawn."""
    table = pq.read_table(place / file)
    names = table.column_names
    if change is None:
        column = rng.choice((None, *names))
        change = rng.choice(("order", "swap", "twice", "cut", "numbers", "numbers", "numbers"))
    if table.num_rows == 0:
        return "nothing, as it is empty"
    if change in ("twice", "cut") or (column is None and change == "numbers"):
        column = None
        change = change if change != "numbers" else "order"
    rows = list(range(table.num_rows))
    match change:
        case "order":
            rng.shuffle(rows)
        case "swap":
            one, other = rng.randrange(len(rows)), rng.randrange(len(rows))
            rows[one], rows[other] = rows[other], rows[one]
        case "twice":
            at, many = rng.randrange(len(rows)), rng.choice((1, 1, 50))
            rows[at:at] = [rows[rng.randrange(len(rows))]] * many
        case "cut":
            first = rng.randrange(len(rows))
            del rows[first : first + rng.choice((1, 1, len(rows)))]
    if column is None:
        changed = table.take(pa.array(rows, pa.int64()))
    else:
        values = table.column(column).to_pylist()
        values = [values[row] for row in rows]
        if change == "numbers":
            for _ in range(rng.choice((1, 1, 3, len(values)))):
                at = rng.randrange(len(values))
                values[at] = _other(values[at], values, rng)
        kind = table.schema.field(column).type
        values = [_fitting(value, kind) for value in values]
        changed = table.set_column(names.index(column), column, pa.array(values, kind))
    write(place, file, changed)
    return f"{change} in {column or 'all columns'}"


def _other(value: Any, values: list[Any], rng: Random) -> Any:
    """Another value of the same type, from the table or from nowhere."""
    if rng.random() < 0.3:
        return rng.choice(values)
    if isinstance(value, list):
        inner = [_other(each, value, rng) for each in value]
        turned = value[::-1]
        return rng.choice(([], value * 2, value[1:], value[:1] * 3, inner, turned))
    if isinstance(value, bool):
        return rng.choice((not value, None))
    if isinstance(value, float):
        return rng.choice((float("nan"), float("inf"), -1.0, 2.0, None))
    if isinstance(value, str):
        return rng.choice(("", "asthma", "record", "term", "shared", f"{value}x", "0", "1e999"))
    near = [] if value is None else [value + 1, value - 1, value + len(values)]
    return rng.choice((*NUMBERS, *near, *near))


def _fitting(value: Any, kind: pa.DataType) -> Any:
    """The value, or the nearest that a column of this type can hold."""
    if value is None:
        return None
    if pa.types.is_list(kind):
        return [_fitting(each, kind.value_type) for each in value]
    if pa.types.is_integer(kind):
        return max(-(2 ** (kind.bit_width - 1)), min(2 ** (kind.bit_width - 1) - 1, value))
    return float(value) if pa.types.is_floating(kind) else bool(value) if kind == pa.bool_() else str(value)


def spoil_manifest(place: Path, rng: Random) -> str:
    """Change one value of the manifest, and say which."""
    path = place / "out" / "manifest.json"
    manifest = json.loads(path.read_text())
    holder, name = rng.choice(list(_entries(manifest)))
    was = holder[name]
    near = [was + 1, -was] if type(was) is int else [f"{was}x"]
    holder[name] = rng.choice((*NUMBERS, 0.5, True, "", "x", [], {}, ["x"], {"x": 1}, *near))
    text = json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False)
    path.write_text(f"{text}\n")
    return f"{was!r} is {holder[name]!r} in {name}"


def _entries(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Every holder and name of a tree."""
    for name in tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ():
        yield tree, name
        yield from _entries(tree[name])


def write(place: Path, file: str, table: pa.Table) -> None:
    """Write a table as Cloven does, and let the manifest tell its hash."""
    path = place / file
    pq.write_table(
        table, path, use_dictionary=False, compression="zstd", store_schema=False, write_statistics=False,
        row_group_size=1 << 17,
    )  # fmt: skip
    manifest = path.with_name("manifest.json")
    if manifest.exists():
        told = json.loads(manifest.read_text())
        told["files"][path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
        manifest.write_text(json.dumps(told, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def answer(place: Path, command: tuple[str, ...]) -> tuple[int, str, str]:
    """How a command ends in a folder; what it wrote is removed again."""
    before, was = set(place.iterdir()), Path.cwd()
    out, err = io.StringIO(), io.StringIO()
    os.chdir(place)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(list(command))
    finally:
        os.chdir(was)
        for each in set(place.iterdir()) - before - {place / "guesses"}:
            shutil.rmtree(each) if each.is_dir() else each.unlink()
    return code, out.getvalue(), err.getvalue()


LONG = ("beside", "audit")
"""Commands that take seconds."""


def answers(
    place: str, name: str, folder: str = "out", *, long: bool = True
) -> dict[str, tuple[int, str, str]]:
    """How every command ends that reads this folder; called in a process of its own, which may die of it."""
    return {
        what: answer(Path(place), command)
        for what, command in KINDS[name].commands.items()
        if folder in command and (long or what not in LONG)
    }
