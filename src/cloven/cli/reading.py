"""How commands read data: the options, written once, and small files of items."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cloven.cli.console import warn
from cloven.cli.ending import flag_of
from cloven.cli.options import Group
from cloven.cli.places import MEMORY, MEMORY_HELP, Bounds, refuse_large, refuse_large_file
from cloven.cli.values import one_of, whole
from cloven.errors import InputError, shorten
from cloven.figures import many
from cloven.reading import ReadOptions, UnplacedError
from cloven.reading.options import FORMATS, MAX_BYTES, MAX_RECORD_LENGTH

if TYPE_CHECKING:
    from collections.abc import Collection

    from cloven.data.taxonomy import Taxonomy
    from cloven.data.transactions import Transactions
    from cloven.reading.options import Suggestion


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
    int | None, whole(0).option("--seed", help="Draw the same random numbers again (experiments).")
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


@dataclass(frozen=True)
class Reading(ReadOptions):
    """How a command reads, and how much memory it may use: bytes, any amount if infinite, what is free if None."""

    memory: float | None = None


READING = Group(
    "How to read the data",
    {
        "format": (one_of(*FORMATS), None, f"{', '.join(FORMATS)}; default: by ending.", ()),
        "delimiter": (str | None, None, "Between items, such as ; or tab; default: guessed.", ()),
        "column": (str | None, None, "Column that holds a list of items.", ()),
        "id_column": (str | None, None, "One item per row: column of the record.", ()),
        "item_column": (str | None, None, "One item per row: column of the item.", ()),
        "item_delimiter": (str | None, None, "Between the items in a cell of --column.", ()),
        "person": (str | None, None, "Column of the person, if one has several records.", ()),
        "lenient": (bool, False, "Leave out bad lines and blank items; tell how many.", ("--lenient",)),
        "max_record_length": (whole(1), MAX_RECORD_LENGTH, "A record with more items is an error.", ()),
        "max_bytes": (whole(1, 2**62), MAX_BYTES, "Unpacking a file to more is an error.", ()),
        "memory": (MEMORY, None, MEMORY_HELP, ()),
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


def warn_of_strangers(option: str, items: Collection[str], data: Transactions) -> None:
    """Tell how many items that an option names are not in the data: most likely they are misspelt."""
    strange = sorted(set(items).difference(data.vocabulary))
    if strange:
        warn(
            f"{len(strange):,} of the {len(set(items)):,} items of {option} are not in the data,"
            f" the first is {shorten(strange[0])}; check the spelling"
        )


def text_of(path: Path) -> str:
    """Content of a small UTF-8 file."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise InputError(message, source=str(path)) from error
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        message = "not UTF-8; save the file as UTF-8"
        raise InputError(
            message,
            source=str(path),
            line=before.count(b"\n") + 1,
            value=str(error.object[error.start :][:20]),
        ) from error


def json_of(path: Path) -> Any:
    """Value in a small JSON file."""
    text = text_of(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = text.split("\n")[error.lineno - 1]
        message = f"not JSON: {error.msg}"
        raise InputError(message, source=str(path), line=error.lineno, value=line) from error
    except (ValueError, RecursionError) as error:
        message = "not JSON that can be read: nested too deeply, or a number too long"
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
        items = [line.strip() for line in text_of(path).split("\n") if line.strip()]
    if not items:
        message = "holds no item; give one item per line"
        raise InputError(message, source=str(path))
    return items


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
