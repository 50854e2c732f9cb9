"""``cloven relatedness cache`` and ``train``: files of word vectors."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cloven.cli.command import Group, takes
from cloven.cli.console import many, progress, say, say_json, visible
from cloven.cli.documents import DOCUMENTS, KINDS, DocumentsPath, Wording, wording
from cloven.cli.places import refuse_places
from cloven.cli.reading import JsonFlag
from cloven.cli.sources import RECORDS, About, NewFile, Records, When, items_of, told_about
from cloven.cli.values import number, whole
from cloven.text.documents import DocumentOptions

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
    out: NewFile,
    json: JsonFlag = False,
) -> None:
    """Write word vectors as one file that opens at once; name it as vectors:FILE like any other.

    It knows the file it was made from, and is refused when that has changed.
    """
    from cloven.io.atomic import staged
    from cloven.relatedness.vector_cache import cache_vectors

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
    from cloven.io.atomic import staged
    from cloven.relatedness.corpus import Corpus

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
