"""How commands read data: the options, written once, and small files of items."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cloven.cli.command import Group
from cloven.cli.console import warn
from cloven.errors import InputError
from cloven.io.readers import ReadOptions

if TYPE_CHECKING:
    from cloven.model.transactions import Transactions

InputFile = Annotated[
    Path, typer.Argument(help="Data: one record is one person's set of items.", show_default=False)
]

READING = Group(
    "How to read the data",
    {
        "format": (
            str | None, None, "lines, fimi, spmf, json, jsonl, parquet, long or table; default: by extension.", (),
        ),
        "delimiter": (str | None, None, "Between items: a character, or tab, space, comma, ...; default: guessed.", ()),
        "column": (str | None, None, "Column that holds the list of items.", ()),
        "id_column": (str | None, None, "Long tables: column of the record.", ()),
        "item_column": (str | None, None, "Long tables: column of the item.", ()),
        "item_delimiter": (str | None, None, "Between the items inside one cell of a table.", ()),
        "person": (str | None, None, "Column of the person, when somebody has several records.", ()),
        "lenient": (bool, False, "Skip bad lines and blank items, and count them.", ("--lenient",)),
        "max_record_length": (int, 100_000, "A longer record is an error.", ()),
    },
    ReadOptions,
)  # fmt: skip


def read_data(path: Path | None, options: ReadOptions) -> Transactions:
    """Read a file and warn of what was left out; without a path, the built-in sample."""
    if path is None:
        from cloven.datasets import sample

        return sample("clinic")
    from cloven.io.readers import read_reported

    data, report = read_reported(path, options)
    if report.skipped or report.blank_items:
        first = "; ".join(f"line {line}: {reason}" for line, reason in report.examples)
        warn(f"{path}: {report.skipped:,} lines and {report.blank_items:,} blank items left out ({first})")
    if report.empty_records:
        warn(f"{path}: {report.empty_records:,} empty records left out")
    return data


def text_of(path: Path) -> str:
    """Content of a small UTF-8 file."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise InputError(message, source=str(path)) from error
    except UnicodeDecodeError as error:
        message = "is no UTF-8 text"
        raise InputError(message, source=str(path)) from error


def items_in(path: Path) -> list[str]:
    """Items of a file with one item per line; blank lines are left out."""
    items = [line.strip() for line in text_of(path).splitlines() if line.strip()]
    if not items:
        message = "holds no item; give one item per line"
        raise InputError(message, source=str(path))
    return items
