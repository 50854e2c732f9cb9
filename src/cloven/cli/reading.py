"""How commands read data, sets of items and tables of persons: the options, written once, and small files."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cloven.audit.memory import estimate_table, refuse_if_too_large
from cloven.cli.console import warn
from cloven.cli.ending import flag_of
from cloven.cli.options import Group, asks
from cloven.cli.places import (
    MEMORY,
    MEMORY_HELP,
    Bounds,
    refuse_large,
    refuse_large_file,
    refuse_large_table,
)
from cloven.errors import InputError, ParameterError, shorten
from cloven.figures import many
from cloven.intake.files import small_text
from cloven.intake.packing import MAX_BYTES
from cloven.intake.trees import tree_of
from cloven.reading import ReadOptions, UnplacedError
from cloven.reading.options import FORMATS, MAX_RECORD_LENGTH
from cloven.registry import table_anonymisers
from cloven.values import FLAG, TEXT, Option, one_of, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from cloven.data.table import Table
    from cloven.data.taxonomy import Taxonomy
    from cloven.data.transactions import Transactions
    from cloven.reading.options import Suggestion
    from cloven.reading.schema_file import Rules
    from cloven.reading.tables import LoadedTable


InputFile = Annotated[
    Path,
    typer.Argument(help="Data: one record is one person's set of items.", metavar="FILE", show_default=False),
]
ReleasePath = Annotated[
    Path, typer.Argument(help="Folder or JSON file of a release.", metavar="RELEASE", show_default=False)
]
TaxonomyFile = Annotated[
    Path | None,
    typer.Option("--taxonomy", metavar="FILE", help="Hierarchy of items: one per line, leaf;group;...;root."),
]
SeedOption = Annotated[
    int | None, asks(whole(0), "--seed", help="Draw the same random numbers again (experiments).")
]
MeasuringSeed = Annotated[
    int, asks(whole(0), "--seed", help="For measurements; another one draws other random numbers.")
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
VerboseFlag = Annotated[bool, typer.Option("--verbose", help="Print all figures after the answer.")]


@dataclass(frozen=True)
class Reading(ReadOptions):
    """How a command reads, and how much memory it may use: bytes, any amount if infinite, what is free if None."""

    memory: float | None = None


READING = Group(
    "How to read the data",
    {
        "format": Option(None, one_of(*FORMATS), f"{', '.join(FORMATS)}; default: by ending."),
        "delimiter": Option(None, TEXT, "Between items, such as ; or tab; default: guessed."),
        "column": Option(None, TEXT, "Column that holds a list of items."),
        "id_column": Option(None, TEXT, "One item per row: column of the record."),
        "item_column": Option(None, TEXT, "One item per row: column of the item."),
        "item_delimiter": Option(None, TEXT, "Between the items in a cell of --column."),
        "person": Option(None, TEXT, "Column of the person, if one has several records."),
        "lenient": Option(False, FLAG, "Leave out bad lines and blank items; tell how many."),
        "max_record_length": Option(MAX_RECORD_LENGTH, whole(1), "A record with more items is an error."),
        "max_bytes": Option(MAX_BYTES, whole(1, 2**62), "Unpacking a file to more is an error."),
        "memory": Option(None, MEMORY, MEMORY_HELP),
    },
    Reading,
)  # fmt: skip


def read_data(path: Path | None, options: ReadOptions, bounds: Bounds | None = None) -> Transactions:
    """Read a file and warn of what was left out; without a path, the built-in sample.

    What needs more memory than there is, by an estimate, is refused: before reading a large file, and again when
    its size is known. ``bounds`` say how much attacks will weigh.
    """
    if path is None:
        from cloven.datasets import sample

        return sample("clinic")
    from cloven.reading import read_reported
    from cloven.reading.reader import ExpectedSize

    allowed = allowed_memory(options)
    refuse_large_file(path, options, allowed, bounds or Bounds())
    try:
        data, report = read_reported(path, options)
    except UnplacedError as error:
        raise InputError(
            error.worded(in_shell), source=error.source, line=error.line, value=error.value
        ) from error
    refuse_large(ExpectedSize(len(data.codes), len(data)), allowed, bounds or Bounds())
    if report.skipped or report.blank_items:
        first = "; ".join(f"line {line}: {reason}" for line, reason in report.examples)
        shown = f" ({first})" if first else ""
        warn(
            f"{path}: {many(report.skipped, 'line')} and {many(report.blank_items, 'blank item')} left out{shown}"
        )
    if report.empty_records:
        warn(f"{path}: {many(report.empty_records, 'empty record')} left out")
    return data


def allowed_memory(options: ReadOptions) -> float | None:
    """Bytes that a command may use; None for what is free."""
    return options.memory if isinstance(options, Reading) else None


def read_hierarchy(path: Path | None, data: Transactions) -> Taxonomy | None:
    """Read a taxonomy that must know every item of the data."""
    if path is None:
        return None
    from cloven.data.taxonomy import read_taxonomy

    taxonomy = read_taxonomy(path)
    missing = [item for item in data.vocabulary if item not in taxonomy.leaf_group]
    if missing:
        message = f"{len(missing):,} items of the data are not in this taxonomy; add a line for each"
        raise InputError(message, source=str(path), value=missing[0])
    return taxonomy


def warn_of_strangers(option: str, items: Collection[str], data: Any) -> None:
    """Tell how many items that an option names are not in the vocabulary of the data: most likely they are misspelt."""
    strange = sorted(set(items).difference(data.vocabulary))
    if strange:
        warn(
            f"{len(strange):,} of the {len(set(items)):,} items of {option} are not in the data,"
            f" the first is {shorten(strange[0])}; check the spelling"
        )


def json_of(path: Path) -> Any:
    """Value in a small JSON file."""
    text = small_text(path)
    try:
        return tree_of(text)
    except json.JSONDecodeError as error:
        line = text.split("\n")[error.lineno - 1]
        message = f"not JSON: {error.msg}"
        raise InputError(message, source=str(path), line=error.lineno, value=line) from error
    except ValueError as error:
        message = f"not JSON that can be read: {error}"
        raise InputError(message, source=str(path)) from error


def items_in(path: Path) -> list[str]:
    """Items of a file with one item per line, blank lines left out; or of a ``.json`` file with a list of them."""
    if path.suffix.lower() == ".json":
        value = json_of(path)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            message = "must be a list of item names"
            raise InputError(message, source=str(path), value=json.dumps(value))
        items = value
    else:
        # Only line feeds end a line: names of items may hold the other separators of Unicode.
        items = [line.strip() for line in small_text(path).split("\n") if line.strip()]
    if not items:
        message = "holds no item; give one item per line"
        raise InputError(message, source=str(path))
    return items


def groups_in(path: Path) -> tuple[tuple[str, ...], ...]:
    """Groups of items from JSON: an object of lists (name -> items), or a list of lists."""
    value = json_of(path)
    lists = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(lists, list):
        message = "must be an object or a list of lists of item names"
        raise InputError(message, source=str(path), value=json.dumps(value))
    for number, group in enumerate(lists, 1):
        if not isinstance(group, list) or not all(isinstance(item, str) for item in group):
            message = f"group {number} must be a list of item names"
            raise InputError(message, source=str(path), value=json.dumps(group))
    return tuple(tuple(group) for group in lists)


# Suggested ways to read a file, written as options to be copied.


_WORDS = ("format", "delimiter", "item_delimiter")


def in_shell(suggestion: Suggestion) -> str:
    """A suggestion as options; names of columns stand in quotes, whatever they hold.

    >>> from cloven.reading.options import Suggestion
    >>> in_shell(Suggestion({"format": "long", "id_column": "id", "item_column": "drug name"}, "", 1.0))
    "--format long --id-column 'id' --item-column 'drug name'"
    """
    return " ".join(
        f"{flag_of(name)} {value if name in _WORDS and value.isalpha() else _quoted(value)}"
        for name, value in suggestion.options.items()
    )


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "'\\''") + "'"


# Tables of persons: TABLE and --schema.


TableFile = Annotated[
    Path,
    typer.Argument(
        help="Table of persons, one in each row: CSV or Parquet.", metavar="TABLE", show_default=False
    ),
]
SchemaFile = Annotated[
    Path,
    typer.Option(
        "--schema", metavar="FILE", help="Roles of the columns, how they are generalised: TOML or JSON."
    ),
]
SchemaOrNone = Annotated[
    Path | None,
    typer.Option(
        "--schema", metavar="FILE", help="Of a published table: schema of the original, TOML or JSON."
    ),
]

SchemaOfFile = Annotated[
    Path | None,
    typer.Option("--schema", metavar="FILE", help="FILE is a table: roles of its columns, TOML or JSON."),
]
RulesFile = Annotated[
    Path | None,
    typer.Option("--rules", metavar="FILE", help="Of a table: values that cannot meet, sex=m, illness=..."),
]


def refuse_of_sets(flags: Iterable[str], instead: str = "leave it out") -> None:
    """Refuse options that mean nothing for a table, rather than pass them over."""
    for flag in flags:
        message = f"{flag} is for sets of items, and with --schema this is a table; {instead}"
        raise ParameterError(message)


def refuse_of_tables(flags: Iterable[str]) -> None:
    """Refuse options that are about tables alone."""
    for flag in flags:
        message = f"{flag} is for tables; give --schema FILE if this is one, or leave it out"
        raise ParameterError(message)


def refuse_reading(options: ReadOptions, taxonomy: Path | None = None) -> None:
    """Refuse what says how sets of items are read: of a table, the schema says it."""
    about_sets = [each.name for each in fields(options) if each.name != "memory"]
    given = READING.given({name: getattr(options, name) for name in about_sets})
    refuse_of_sets(given, "the schema says how it is read")
    if taxonomy is not None:
        refuse_of_sets(["--taxonomy"], "write `tree` into the schema")


def refuse_methods(settings: Iterable[str]) -> None:
    """Refuse settings of methods that are not for tables."""
    for setting in settings:
        if setting.partition(":")[0] not in table_anonymisers():
            known = ", ".join(table_anonymisers())
            message = f"method {setting.partition(':')[0]!r} is not for tables; those that are: {known}"
            raise ParameterError(message)


def named_table(file: Path | None) -> Path:
    """The file of a table, which has to be named: no sample is built in."""
    if file is None:
        message = "--schema speaks of a table, and none is named; give the file too"
        raise ParameterError(message)
    return file


def fit_rules(rules: Iterable[Mapping[str, Collection[str]]], data: Table) -> None:
    """Refuse rules on columns that the table does not have, and warn of values: another table may have them."""
    known = {attribute.name: attribute.values for attribute in data.attributes}
    for line, rule in enumerate(rules, 1):
        for name, values in rule.items():
            if name not in known:
                message = (
                    f"--rules: rule {line} names a column that the table lacks; it has {', '.join(known)}"
                )
                raise InputError(message, value=name)
            strange = [value for value in values if value not in known[name]]
            if strange:
                few = ", ".join(known[name][:6]) + (", ..." if len(known[name]) > 6 else "")
                warn(
                    f"--rules: rule {line} names {shorten(strange[0])}, a value that column {name!r} lacks (it has"
                    f" {few}); check the spelling"
                )


def rules_in(path: Path | None) -> Rules:
    """Rules of a file; none without one."""
    from cloven.reading.schema_file import read_rules

    return () if path is None else read_rules(path)


CONTENTS: dict[str, Callable[[Path], Any]] = {"groups": groups_in, "items": items_in, "rules": rules_in}
"""How the files are read that parameters are given as."""


def load_persons(file: Path, schema: Path, memory: float | None, *, overview: bool = False) -> LoadedTable:
    """Read a table, unless it needs more memory than is allowed: bytes, any if infinite, what is free if None.

    A large file is looked at before it is read, and what was read is looked at again. An ``overview`` is there to tell
    of missing values, so none are refused.
    """
    from cloven.reading.schema_file import read_schema
    from cloven.reading.tables import load_table

    roles = read_schema(schema)
    refuse_large_table(file, roles, memory)
    loaded = load_table(file, roles, overview=overview)
    refuse_if_too_large(estimate_table(loaded.table.codes.size), memory)
    return loaded


def read_persons(file: Path, schema: Path, memory: float | None = None) -> Table:
    """Read a table and warn of what was left out; ``memory`` as of ``load_persons``."""
    loaded = load_persons(file, schema, memory)
    for line in (*map(str, loaded.missing), *loaded.remarks):
        warn(line)
    return loaded.table
