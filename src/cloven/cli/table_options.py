"""Reading tables of persons on the command line: TABLE and --schema, written once for every command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cloven.cli.console import warn

if TYPE_CHECKING:
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

AuditedSchema = Annotated[
    Path | None,
    typer.Option("--schema", metavar="FILE", help="FILE is a table: roles of its columns, TOML or JSON."),
]


def read_persons(file: Path, schema: Path) -> Table:
    """Read a table and warn of what was left out."""
    from cloven.io.schema_file import read_schema
    from cloven.io.table_reader import load_table

    loaded = load_table(file, read_schema(schema))
    for line in map(str, loaded.missing):
        warn(line)
    return loaded.table
