"""``cloven relatedness``: look at measures of relatedness, compare them with people, and make their files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cloven.cli import relatedness_counts, relatedness_evaluate, relatedness_show
from cloven.cli.console import progress, say, say_json, visible
from cloven.cli.documents import (
    DOCUMENTS,
    KINDS,
    RECORDS,
    TEXT,
    About,
    DocumentsPath,
    NewFile,
    Records,
    When,
    Wording,
    items_of,
    texts_of,
    told_about,
    wording,
)
from cloven.cli.options import Command, Group, takes
from cloven.cli.places import refuse_places
from cloven.cli.reading import JsonFlag
from cloven.cli.relatedness_counts import vocabulary_at
from cloven.cli.values import number, one_of, whole
from cloven.errors import ParameterError
from cloven.figures import many
from cloven.text.documents import DocumentOptions

if TYPE_CHECKING:
    from collections.abc import Iterable


# ``cloven relatedness index DOCUMENTS -o OUT``.


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
    from cloven.storage.atomic import staged

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
    read: Iterable[Any],
    place: Path,
    wanted: list[str] | None,
    about: dict[str, str],
    *,
    stem: bool,
) -> dict[str, int]:
    if engine == "tantivy":
        from cloven.relatedness.counts_index import TantivyIndex

        return {"documents": TantivyIndex.build(read, place, stem=stem, **about).about.documents}
    from cloven.relatedness.counts_index import ClosedIndex

    built = ClosedIndex.build(read, wanted, **about)
    built.save(place)
    return {"terms": len(built.terms), "documents": built.postings.documents}


# ``cloven relatedness cache`` and ``train``: files of word vectors.


TRAINING = Group(
    "Training",
    {
        "dimensions": (whole(1), 100, "Length of the vectors.", ()),
        "min_count": (whole(1), 2, "Documents that must hold a word.", ()),
        "smoothing": (number(0, 1, above=True), 0.75, "Exponent of context counts; 1 for none.", ()),
        "shift": (number(1), 1.0, "Times above chance that count at all.", ()),
        "power": (number(0), 0.5, "Exponent of the singular values.", ()),
    },
    dict,
)  # fmt: skip


@takes()
def cache(
    vectors: Annotated[
        Path,
        typer.Argument(help="GloVe or word2vec file, or X.npy.", metavar="VECTORS", show_default=False),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="OUT", help="New folder.")],
    json: JsonFlag = False,
) -> None:
    """Write word vectors as a folder of NumPy arrays that opens at once; name it as vectors:OUT like any file.

    It knows the file it was made from, and is refused when that has changed.
    """
    from cloven.relatedness.vectors import cache_vectors
    from cloven.storage.atomic import staged

    refuse_places(out)
    with progress("read and write"), staged(out) as (place,):
        table = cache_vectors(vectors, place)
    if json:
        say_json({"file": str(out), "words": len(table), "dimensions": table.dimensions})
        return
    say(f"{visible(str(out))}  {many(len(table), 'word')}, {many(table.dimensions, 'dimension')}")


@takes(training=TRAINING, options=DOCUMENTS, words=wording(*KINDS), records=RECORDS)
def train(
    documents: DocumentsPath,
    out: NewFile,
    training: dict[str, Any],
    options: DocumentOptions,
    words: Wording,
    records: Records,
    source: About = None,
    date: When = None,
    json: JsonFlag = False,
) -> None:
    """Train word vectors on documents of your own; name them as corpus:FILE.

    Words that meet in documents more often than by chance become related (PPMI, then truncated SVD). Documents on the
    topic of the release matter more than their number.
    """
    from cloven.relatedness.corpus import Corpus
    from cloven.storage.atomic import staged

    refuse_places(out)
    about = told_about(documents, source, date)
    with progress("read") as report:
        data = items_of(documents, options, words, records, report)
        settings: dict[str, Any] = {**training, **about}
        report("train", 0.0)
        corpus = Corpus.train(data, **settings)
        with staged(out) as (place,):
            corpus.save(place)
    facts = {"words": len(corpus.words), "dimensions": corpus.vectors.shape[1], "documents": corpus.documents}
    if json:
        say_json({"file": str(out), **facts, **about})
        return
    say(
        f"{visible(str(out))}  {many(facts['words'], 'word')}, {many(facts['dimensions'], 'dimension')},"
        f" from {many(facts['documents'], 'document')}"
    )


app = typer.Typer(
    help="How related words are: look, compare with people, train, count.", no_args_is_help=True
)


@app.callback()
def _group() -> None:
    """How related words are: look, compare with people, train, count."""


for name, command, short in (
    ("forms", relatedness_show.forms, "Every way to name a measure, and what is missing for it."),
    ("show", relatedness_show.show, "Scores of a few words, and how each was found."),
    ("evaluate", relatedness_evaluate.evaluate, "Agreement of a measure with people."),
    ("table-4-1", relatedness_evaluate.table_4_1, "Table 4.1 of the thesis computed again, ours beside it."),
    ("cache", cache, "Vectors as a folder that opens at once."),
    ("train", train, "Vectors from documents of your own."),
    ("index", index, "Which documents hold which words, to count them."),
    ("counts", relatedness_counts.counts, "A counts file for some items, from an index or a web search."),
):
    app.command(name, cls=Command, short_help=short)(command)
