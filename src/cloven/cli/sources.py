"""Documents that knowledge is made from: texts or records, where they come from, and of when they are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cloven.cli.command import Group
from cloven.cli.documents import KINDS, Wording, read_corpus
from cloven.cli.reading import read_data
from cloven.errors import ParameterError
from cloven.io.readers import ReadOptions
from cloven.text.documents import DocumentOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.model.transactions import Transactions

TEXT = "text"
NewFile = Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="New file.")]
About = Annotated[
    str | None,
    typer.Option("--source", metavar="TEXT", help="What the documents are, in words; default: file name."),
]
When = Annotated[
    str | None, typer.Option("--date", metavar="DATE", help="When they were collected; default: today.")
]


@dataclass(frozen=True)
class Records:
    """Whether documents are records of items already, and how to read those."""

    transactions: bool = False
    column: str | None = None
    id_column: str | None = None
    item_column: str | None = None

    def options(self, given: DocumentOptions) -> ReadOptions | None:
        """How to read records; None for documents."""
        if not self.transactions:
            if self != Records():
                message = "--column, --id-column and --item-column are for --transactions; give that too"
                raise ParameterError(message)
            return None
        if given != DocumentOptions(delimiter=given.delimiter, max_bytes=given.max_bytes):
            message = "--transactions takes only --delimiter and --max-bytes of 'How to read the documents'"
            raise ParameterError(message)
        return ReadOptions(
            delimiter=given.delimiter,
            column=self.column,
            id_column=self.id_column,
            item_column=self.item_column,
            max_bytes=given.max_bytes,
        )


RECORDS = Group(
    "If they are records already",
    {
        "transactions": (bool, False, "DOCUMENTS is a file of records, read by its ending.", ("--transactions",)),
        "column": (str | None, None, "Column that holds a list of items.", ()),
        "id_column": (str | None, None, "One item per row: column of the record.", ()),
        "item_column": (str | None, None, "One item per row: column of the item.", ()),
    },
    Records,
)  # fmt: skip


def told_about(path: Path, source: str | None, date: str | None) -> dict[str, str]:
    """What the documents are and of when: as told, else the name of the file and today."""
    return {"source": path.resolve().name if source is None else source, "date": _day(date)}


def texts_of(path: Path, options: DocumentOptions, words: Wording, records: Records) -> list[str]:
    """Titles and texts as they are written."""
    records.options(options)
    words.refuse_changes(TEXT, "--as text, which takes words as they are written")
    return [
        document.text if document.title is None else f"{document.title}\n\n{document.text}"
        for document in read_corpus(path, options)
    ]


def items_of(
    path: Path,
    options: DocumentOptions,
    words: Wording,
    records: Records,
    report: Callable[[str, float], None],
) -> Transactions:
    """Each document as the set of its items, made as ``cloven text`` does; or records as they are."""
    from cloven.text.transactions import to_transactions

    reading = records.options(options)
    if reading is not None:
        words.refuse_changes(
            words.kind if words.kind == TEXT else KINDS[0], "--transactions, whose items stay"
        )
        return read_data(path, reading)
    return to_transactions(read_corpus(path, options), words.options, report)[0]


def _day(given: str | None) -> str:
    """An ISO date; today if none is given."""
    if given is None:
        return datetime.now(UTC).date().isoformat()
    try:
        return date.fromisoformat(given).isoformat()
    except ValueError:
        message = f"--date must be a date such as 2026-05-31 (got {given!r})"
        raise ParameterError(message) from None
