"""Reading tables of persons on the command line: TABLE and --schema, written once for every command."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cloven.cli.console import warn
from cloven.cli.memory_check import refuse_large_table
from cloven.cli.reading import READING
from cloven.errors import InputError, ParameterError, shorten
from cloven.memory import estimate_table, refuse_if_too_large
from cloven.registry import table_anonymisers

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from cloven.io.readers import ReadOptions
    from cloven.io.table_reader import LoadedTable
    from cloven.io.tables_rules import Rules
    from cloven.model.table import Table

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
    for text in settings:
        if text.partition(":")[0] not in table_anonymisers():
            known = ", ".join(table_anonymisers())
            message = f"method {text.partition(':')[0]!r} is not for tables; those that are: {known}"
            raise ParameterError(message)


def named_table(file: Path | None) -> Path:
    """The file of a table, which has to be named: no sample is built in."""
    if file is None:
        message = "--schema speaks of a table, and none is named; give the file too"
        raise ParameterError(message)
    return file


def with_secret(table: Table) -> Table:
    """The table, if it has something to find out: without that, nothing can be attacked and compared."""
    if not table.positions("sensitive"):
        message = (
            'no column has the role "sensitive", so there is nothing that attacks could find out; give it to one, or'
            " anonymise without a search"
        )
        raise ParameterError(message)
    return table


def fit_rules(rules: Iterable[Mapping[str, Collection[str]]], data: Table) -> None:
    """Refuse rules on columns that the table does not have, and warn of values: another table may have them."""
    known = {attribute.name: attribute.values for attribute in data.attributes}
    for number, rule in enumerate(rules, 1):
        for name, values in rule.items():
            if name not in known:
                message = (
                    f"--rules: rule {number} names a column that the table lacks; it has {', '.join(known)}"
                )
                raise InputError(message, value=name)
            strange = [value for value in values if value not in known[name]]
            if strange:
                few = ", ".join(known[name][:6]) + (", ..." if len(known[name]) > 6 else "")
                warn(
                    f"--rules: rule {number} names {shorten(strange[0])}, a value that column {name!r} lacks (it has"
                    f" {few}); check the spelling"
                )


def rules_in(path: Path | None) -> Rules:
    """Rules of a file; none without one."""
    from cloven.io.tables_rules import read_rules

    return () if path is None else read_rules(path)


def load_persons(file: Path, schema: Path, memory: float | None, *, overview: bool = False) -> LoadedTable:
    """Read a table, unless it needs more memory than is allowed: bytes, any if infinite, what is free if None.

    A large file is looked at before it is read, and what was read is looked at again. An ``overview`` is there to tell
    of missing values, so none are refused.
    """
    from cloven.io.schema_file import read_schema
    from cloven.io.table_reader import load_table

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
