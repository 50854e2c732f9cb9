"""How commands read documents and make items of them: groups of options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cloven.cli.console import warn
from cloven.cli.options import Group
from cloven.cli.reading import items_in, read_data
from cloven.errors import ParameterError
from cloven.intake.packing import MAX_BYTES
from cloven.reading import ReadOptions
from cloven.text.documents import FORMATS, DocumentOptions
from cloven.text.transactions import TextOptions
from cloven.values import FILE, FLAG, TEXT, Option, one_of, option, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.data.transactions import Transactions
    from cloven.text.documents import Corpus


DocumentsPath = Annotated[
    Path,
    typer.Argument(
        help="Documents: a folder, tar, zip, CSV, JSON Lines or text.",
        metavar="DOCUMENTS",
        show_default=False,
    ),
]
KINDS = ("words", "nouns", "phrases")
_CLEANING = ("titles", "links", "references", "repeated_lines")

DOCUMENTS = Group(
    "How to read the documents",
    {
        "format": Option(None, one_of(*FORMATS), f"{', '.join(FORMATS)}; default: by name."),
        "text_column": Option("text", TEXT, "CSV, JSON Lines: where the text is."),
        "title_column": Option(None, TEXT, "CSV, JSON Lines: where the title is."),
        "header": Option(True, FLAG, "CSV: whether the first row names the columns."),
        "delimiter": Option(None, TEXT, "CSV: between cells; default comma, in .tsv tab."),
        "title_line": Option(False, FLAG, "The first line of a file is its title."),
        "pattern": Option("*", TEXT, "Files to read, such as '*.txt'."),
        "encoding": Option(None, TEXT, "Of the text; default UTF-8."),
        "limit": Option(None, whole(1), "Read only so many documents."),
        "max_bytes": Option(MAX_BYTES, whole(1, 2**62), "Unpacking to more is an error."),
    },
    DocumentOptions,
)  # fmt: skip


@dataclass(frozen=True)
class Wording:
    """What becomes of a text.

    Attributes:
        kind: ``words``, ``nouns``, ``phrases``, or ``text`` for the text as it is written.
        options: how items are made; the defaults for ``text``.
    """

    kind: str
    options: TextOptions

    @classmethod
    def standard(cls, kind: str) -> Wording:
        """The defaults; noun phrases keep abbreviations, as in the set-generalisation paper (6.1.1)."""
        items: Any = kind if kind in KINDS else "words"
        return cls(kind, TextOptions(items=items, keep_abbreviations=kind == "phrases"))

    def refuse_changes(self, kind: str, reason: str) -> None:
        """Raise unless this is the standard of a kind: an option that would do nothing is a mistake."""
        if self != self.standard(kind):
            message = f"the options under 'What becomes an item' do not go with {reason}; leave them out"
            raise ParameterError(message)


def wording(*kinds: str) -> Group:
    """The options that say what becomes an item, the first kind being the default."""
    listed = f"{', '.join(kinds[:-1])} or {kinds[-1]}"
    return Group(
        "What becomes an item",
        {
            "as_": Option(kinds[0], one_of(*kinds), f"{listed}.", "--as"),
            "lemmas": Option("dictionary", one_of("dictionary", "tagged", "none"), "dictionary, tagged or none."),
            "stop_words": Option(None, FILE, "More words that are no items, one per line."),
            "capitals": Option(None, one_of("keep", "lower"), "keep or lower abbreviations; phrases keep."),
            "longest_phrase": Option(3, whole(1), "Most words of a noun phrase."),
            "keep_contained": Option(False, FLAG, "Keep 'pain' beside 'chest pain'."),
            "keep_plurals": Option(False, FLAG, "Keep plurals no dictionary knows."),
            "keep_titles": Option(False, FLAG, "Read titles, too."),
            "keep_links": Option(False, FLAG, "Leave links and addresses in."),
            "keep_references": Option(False, FLAG, "Leave lists of references in."),
            "keep_repeated_lines": Option(False, FLAG, "Leave headers and footers in."),
            "drop_datelines": Option(False, FLAG, "Drop 'LONDON, May 3 (Reuters) -'."),
        },
        _wording,
    )  # fmt: skip


def _wording(
    as_: str,
    lemmas: Any,
    stop_words: Path | None,
    capitals: str | None,
    longest_phrase: int,
    keep_contained: bool,
    keep_plurals: bool,
    drop_datelines: bool,
    **kept: bool,
) -> Wording:
    """Put the options together."""
    base = Wording.standard(as_).options
    cleaning = {rule: not kept[f"keep_{rule}"] for rule in _CLEANING}
    options = replace(
        base,
        lemmas=lemmas,
        cleaning=replace(base.cleaning, datelines=drop_datelines, **cleaning),
        extra_stop_words=frozenset(items_in(stop_words)) if stop_words else frozenset(),
        keep_abbreviations=base.keep_abbreviations if capitals is None else capitals == "keep",
        merge_plurals=not keep_plurals,
        longest_phrase=longest_phrase,
        keep_contained=keep_contained,
    )
    return Wording(as_, options)


def read_corpus(path: Path, options: DocumentOptions) -> Corpus:
    """Read documents and warn of those left out."""
    from cloven.text.documents import read_documents

    corpus = read_documents(path, options)
    if corpus.dropped:
        why = ", ".join(f"{count:,} x {reason}" for reason, count in corpus.dropped.items())
        warn(f"{path}: documents left out: {why}")
    return corpus


# Documents that knowledge is made from: texts or records, where they come from, and of when they are.


AS_WRITTEN = "text"
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

    transactions: bool = option(False, FLAG, "DOCUMENTS is a file of records, read by its ending.")
    column: str | None = option(None, TEXT, "Column that holds a list of items.")
    id_column: str | None = option(None, TEXT, "One item per row: column of the record.")
    item_column: str | None = option(None, TEXT, "One item per row: column of the item.")

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


RECORDS = Group.of("If they are records already", Records)


def told_about(path: Path, source: str | None, date: str | None) -> dict[str, str]:
    """What the documents are and of when: as told, else the name of the file and today."""
    return {"source": path.resolve().name if source is None else source, "date": _day(date)}


def texts_of(path: Path, options: DocumentOptions, words: Wording, records: Records) -> list[str]:
    """Titles and texts as they are written."""
    records.options(options)
    words.refuse_changes(AS_WRITTEN, "--as text, which takes words as they are written")
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
            words.kind if words.kind == AS_WRITTEN else KINDS[0], "--transactions, whose items stay"
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
