"""``cloven relatedness index DOCUMENTS -o OUT``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cloven.cli.command import takes
from cloven.cli.console import many, progress, say, say_json, visible
from cloven.cli.documents import DOCUMENTS, KINDS, DocumentsPath, Wording, wording
from cloven.cli.places import refuse_places
from cloven.cli.reading import JsonFlag
from cloven.cli.relatedness_counts import vocabulary_at
from cloven.cli.sources import RECORDS, TEXT, About, Records, When, items_of, texts_of, told_about
from cloven.cli.values import one_of
from cloven.errors import ParameterError
from cloven.text.documents import DocumentOptions

if TYPE_CHECKING:
    from collections.abc import Iterable


@takes(options=DOCUMENTS, words=wording(TEXT, *KINDS), records=RECORDS)
def index(
    documents: DocumentsPath,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="OUT", help="New file; a new folder for tantivy.")
    ],
    options: DocumentOptions,
    words: Wording,
    records: Records,
    engine: Annotated[
        str, one_of("closed", "tantivy").option("--engine", help="closed, or tantivy for large corpora.")
    ] = "closed",
    items: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="closed: items to look for, one per line; or a release."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="closed: every word instead.")] = False,
    stem: Annotated[bool, typer.Option("--stem", help="tantivy: find 'vessels' as 'vessel'.")] = False,
    source: About = None,
    date: When = None,
    json: JsonFlag = False,
) -> None:
    """Note which documents hold which words; name the index as ngd:OUT, npmi:OUT or centred-ngd:OUT.

    Words and phrases are found as they are written; with --as words and so on, items are made as `cloven text` does.
    """
    from cloven.io.atomic import staged

    refuse_places(out)
    _check_engine(engine, words, records, items=items, everything=everything, stem=stem)
    about = told_about(documents, source, date)
    with progress("read") as report:
        wanted = None if items is None else vocabulary_at(items)
        if words.kind == TEXT and not records.transactions:
            read: Iterable[Any] = texts_of(documents, options, words, records)
        else:
            read = items_of(documents, options, words, records, report)
        report("index", 0.0)
        with staged(out) as (place,):
            facts = _build(engine, read, place, wanted, about, stem=stem)
    if json:
        say_json({"index": str(out), "engine": engine, **facts, **about})
        return
    terms = f"{many(facts['terms'], 'term')} in " if "terms" in facts else ""
    say(f"{visible(str(out))}  {terms}{many(facts['documents'], 'document')}")


def _check_engine(
    engine: str, words: Wording, records: Records, *, items: Path | None, everything: bool, stem: bool
) -> None:
    closed, sets = engine == "closed", words.kind != TEXT or records.transactions
    mistakes = (
        ("say what to look for: either --items FILE or --all", closed and (items is None) != everything),
        ("--stem needs --engine tantivy; --as words counts lemmas instead", closed and stem),
        ("--engine tantivy indexes texts; use --engine closed for items", not closed and sets),
        ("--engine tantivy takes every word; leave --items, --all out", not closed and (items or everything)),
    )
    for message, made in mistakes:
        if made:
            raise ParameterError(message)


def _build(
    engine: str,
    read: "Iterable[Any]",
    place: Path,
    wanted: list[str] | None,
    about: dict[str, str],
    *,
    stem: bool,
) -> dict[str, int]:
    if engine == "tantivy":
        from cloven.relatedness.counts_tantivy import TantivyIndex

        return {"documents": TantivyIndex.build(read, place, stem=stem, **about).about.documents}
    from cloven.relatedness.counts_closed import ClosedIndex

    built = ClosedIndex.build(read, wanted, **about)
    built.save(place)
    return {"terms": len(built.terms), "documents": built.postings.documents}
