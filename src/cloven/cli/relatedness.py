"""``cloven relatedness``: look at measures of relatedness, compare them with people, and make their files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cloven.cli import relatedness_measures
from cloven.cli.console import progress, say, say_json
from cloven.cli.documents import (
    AS_WRITTEN,
    DOCUMENTS,
    KINDS,
    RECORDS,
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
from cloven.cli.options import Command, Group, asks, takes
from cloven.cli.places import refuse_places, release_at
from cloven.cli.reading import JsonFlag, items_in
from cloven.cli.relatedness_measures import counts_at
from cloven.errors import InputError, ParameterError
from cloven.escapes import visible
from cloven.figures import many
from cloven.intake.files import small_text
from cloven.text.documents import DocumentOptions
from cloven.values import FILE, FLAG, TEXT, Option, one_of, real, whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cloven.protocols import CountSource


# ``cloven relatedness index DOCUMENTS -o OUT``.


@takes(options=DOCUMENTS, words=wording(AS_WRITTEN, *KINDS), records=RECORDS)
def index(
    documents: DocumentsPath,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="OUT", help="New file; a new folder for tantivy.")
    ],
    options: DocumentOptions,
    words: Wording,
    records: Records,
    engine: Annotated[
        str, asks(one_of("closed", "tantivy"), "--engine", help="closed, or tantivy for large corpora.")
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
        if words.kind == AS_WRITTEN and not records.transactions:
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
    closed, sets = engine == "closed", words.kind != AS_WRITTEN or records.transactions
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
        "dimensions": Option(100, whole(1), "Length of the vectors."),
        "min_count": Option(2, whole(1), "Documents that must hold a word."),
        "smoothing": Option(0.75, real(0, 1, above=True), "Exponent of context counts; 1 for none."),
        "shift": Option(1.0, real(1), "Times above chance that count at all."),
        "power": Option(0.5, real(0), "Exponent of the singular values."),
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


# ``cloven relatedness counts SOURCE ITEMS -o FILE``.


MOST_DOCUMENTS = 2**62
WEB = ("http://", "https://")

ASKING = Group(
    "If SOURCE is a web search",
    {
        "documents": Option(None, whole(1, MOST_DOCUMENTS), "How many documents it searches (needed)."),
        "pointer": Option(None, TEXT, "JSON answers: where the number is, such as /info/total."),
        "pattern": Option(None, TEXT, "Other answers: expression with the number in a group."),
        "nothing": Option(None, TEXT, "Expression that only answers without a match hold."),
        "pair": Option("{left} {right}", TEXT, "How two items make one question."),
        "cache": Option(None, FILE, "Answers so far; default FILE.answers.sqlite."),
        "headers": Option(None, FILE, "Lines 'Name: value' to send along, such as a key."),
        "pause": Option(1.0, real(0), "Seconds between two questions."),
        "limit": Option(None, whole(0), "Ask at most so many questions."),
        "partial": Option(False, FLAG, "Write what is known when the limit is reached."),
    },
    dict,
)  # fmt: skip


@takes(asking=ASKING)
def counts(
    source: Annotated[
        str,
        typer.Argument(
            help="An index, a counts file, or a web address with {query}.",
            metavar="SOURCE",
            show_default=False,
        ),
    ],
    items: Annotated[
        Path,
        typer.Argument(
            help="One item per line, a JSON list (.json), or a release.", metavar="ITEMS", show_default=False
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="New counts file (JSON Lines).")],
    asking: dict[str, Any],
    json: JsonFlag = False,
) -> None:
    """Count the documents that hold each item and each pair of items, and write a file for ngd: and npmi:.

    A web search is asked about every item and every pair: n items are up to n(n + 1) / 2 questions. Answers are kept
    as they come, so an interrupted run goes on where it stopped. Mind the terms of the service. This is for experiments
    and needs a checkout of the project.
    """
    from cloven.relatedness.counts import write_counts
    from cloven.storage.atomic import staged

    refuse_places(out)
    with progress("read") as report:
        wanted = vocabulary_at(items)
        engine = web_search(source, out, asking) if source.startswith(WEB) else _not_web(source, asking)
        report("count", 0.0)
        with staged(out) as (place,):
            write_counts(place, wanted, engine)
        facts = _facts(out, wanted)
    if json:
        say_json(facts)
        return
    say(
        f"{visible(facts['file'])}  {facts['items_found']:,} of {many(facts['items'], 'item')} and"
        f" {many(facts['pairs'], 'pair')} in {many(facts['documents'], 'document')}"
    )
    say(f"source {visible(facts['source']) or '(not told)'}, counted {facts['date'] or '(not told)'}")


def _facts(out: Path, wanted: list[str]) -> dict[str, Any]:
    """What the file says, read back."""
    from cloven.relatedness.counts import CountsFile

    counted = CountsFile(out).count(wanted)
    return {
        "file": str(out),
        "source": counted.source,
        "date": counted.date,
        "documents": counted.documents,
        "items": len(wanted),
        "items_found": int((counted.single > 0).sum()),
        "pairs": sum(len(both) for *_, both in counted.pairs()),
    }


def vocabulary_at(path: Path) -> list[str]:
    """Items of a list, or all items of a release, each once."""
    if not path.is_dir():
        return list(dict.fromkeys(items_in(path)))
    from cloven.storage.release import read_set_release

    return list(read_set_release(release_at(path), "counting items").vocabulary)


def _not_web(source: str, asking: dict[str, Any]) -> CountSource:
    standard = {name: asked.default for name, asked in ASKING.options.items()}
    given = [name for name, value in asking.items() if value != standard[name]]
    if given:
        message = f"--{given[0]} is for web searches only; leave it out, or name an address with {{query}}"
        raise ParameterError(message)
    return counts_at(Path(source))


def web_search(url: str, out: Path, asking: dict[str, Any]) -> CountSource:
    """The search engine that the options describe; only a checkout has it, as it is for experiments."""
    from cloven.cli.reproduce import find_experiments
    from cloven.storage.atomic import refuse_inside_release

    if "{query}" not in url:
        message = "a web address must hold {query}, where the question goes"
        raise ParameterError(message)
    if asking["documents"] is None:
        message = "--documents must say how many documents the search engine knows (N of the formula)"
        raise ParameterError(message)
    if (asking["pointer"] is None) == (asking["pattern"] is None):
        message = "one of --pointer (JSON) and --pattern must say where the number stands in an answer"
        raise ParameterError(message)
    cache = asking["cache"] or out.with_name(f"{out.name}.answers.sqlite")
    refuse_inside_release(cache)
    find_experiments("relatedness counts")
    from experiments.counts_web import Manners, WebSearch

    return WebSearch(
        url,
        asking["documents"],
        cache,
        pointer=asking["pointer"],
        pattern=asking["pattern"],
        nothing=asking["nothing"],
        pair=asking["pair"],
        beyond="unknown" if asking["partial"] else "stop",
        manners=Manners(pause=asking["pause"], limit=asking["limit"]),
        headers=headers_in(asking["headers"]),
    )


def headers_in(path: Path | None) -> dict[str, str]:
    """Headers of a file; a key in a file does not end up in the history of a shell."""
    headers: dict[str, str] = {}
    for position, line in enumerate(small_text(path).split("\n") if path else (), start=1):
        name, colon, value = line.partition(":")
        if line.strip() and not (colon and name.strip() and value.strip()):
            message = "expected 'Name: value'"
            raise InputError(message, source=str(path), line=position)
        if line.strip():
            headers[name.strip()] = value.strip()
    return headers


app = typer.Typer(
    help="How related words are: look, compare with people, train, count.", no_args_is_help=True
)


@app.callback()
def _group() -> None:
    """How related words are: look, compare with people, train, count."""


for name, command, short in (
    ("forms", relatedness_measures.forms, "Every way to name a measure, and what is missing for it."),
    ("show", relatedness_measures.show, "Scores of a few words, and how each was found."),
    ("evaluate", relatedness_measures.evaluate, "Agreement of a measure with people."),
    ("table-4-1", relatedness_measures.table_4_1, "Table 4.1 of the thesis computed again, ours beside it."),
    ("cache", cache, "Vectors as a folder that opens at once."),
    ("train", train, "Vectors from documents of your own."),
    ("index", index, "Which documents hold which words, to count them."),
    ("counts", counts, "A counts file for some items, from an index or a web search."),
):
    app.command(name, cls=Command, short_help=short)(command)
