"""``cloven text DOCUMENTS -o FILE``."""

from __future__ import annotations

import json
import re
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cloven.cli.console import progress, say, say_json, table
from cloven.cli.documents import DOCUMENTS, KINDS, DocumentsPath, Wording, read_corpus, wording
from cloven.cli.ending import flag_of
from cloven.cli.options import Group, takes
from cloven.cli.places import refuse_places
from cloven.cli.reading import JsonFlag, SeedOption
from cloven.errors import InputError, ParameterError, shorten
from cloven.escapes import csv_cell, names, visible
from cloven.figures import many
from cloven.storage.atomic import write_bytes
from cloven.text.documents import DocumentOptions
from cloven.values import FLAG, option, real, whole

# Which items of which documents become the data: the options of ``cloven text``, and what they do.


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import numpy as np

    from cloven.data.transactions import Transactions
    from cloven.text.counts import TermCounts
    from cloven.text.documents import Corpus
    from cloven.text.transactions import TextOptions

    Progress = Callable[[str, float], None]

PER_TOPIC, TOP_TERMS, MIN_DOCUMENTS = 6, 20, 8
"""What the thesis takes (5.1.2), where topics choose the documents."""
RECORDS, MEAN_LENGTH = 200, 20.0
"""The same where a density is wanted (5.1.1)."""


@dataclass(frozen=True)
class Choice:
    """What to take: of items, of documents by their topics, or of records with a density."""

    min_documents: int | None = option(
        None, whole(1), f"Items of fewer go; default 1, by topic {MIN_DOCUMENTS}."
    )
    max_document_share: float = option(1.0, real(0, 1, above=True), "Items of a larger share go.")
    top_terms: int | None = option(None, whole(1), f"Best by TF-IDF of each; by topic {TOP_TERMS}.")
    drop_typos: bool = option(False, FLAG, "Leave likely typos out.")
    topics: int | None = option(None, whole(1), "Take documents evenly from so many topics.")
    per_topic: int | None = option(None, whole(1), f"So many documents of each; default {PER_TOPIC}.")
    density: float | None = option(None, real(0, 1, above=True), "Wanted type-token ratio.")
    records: int | None = option(None, whole(1), f"So many records of that density; default {RECORDS}.")
    mean_length: float | None = option(None, real(1), f"Items in each of them; default {MEAN_LENGTH:g}.")

    def __post_init__(self) -> None:
        for name, needed in (("per_topic", "topics"), ("records", "density"), ("mean_length", "density")):
            if getattr(self, name) is not None and getattr(self, needed) is None:
                message = f"{flag_of(name)} does nothing without --{needed}; give that too, or leave it out"
                raise ParameterError(message)

    def refuse_all_but_density(self) -> None:
        """Raise if something was given that queries cannot follow."""
        if self != Choice(density=self.density, records=self.records, mean_length=self.mean_length):
            message = "--queries goes with --density, but not with the other options under 'What to take'"
            raise ParameterError(message)


CHOICE = Group.of("What to take", Choice)


@dataclass(frozen=True)
class Taken:
    """Records and what is to be said about them.

    Attributes:
        data: the records.
        typos: items that are likely misspelt, and what was likely meant.
        report: what happened on the way, as plain JSON values.
    """

    data: Transactions
    typos: dict[str, str]
    report: dict[str, Any]


def take(
    corpus: Corpus,
    options: TextOptions,
    choice: Choice,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Taken:
    """Turn documents into the records that were asked for."""
    if choice.topics is not None:
        taken = _by_topic(corpus, options, choice, choice.topics, rng, progress)
    else:
        from cloven.text.transactions import to_transactions

        wanted = replace(
            options,
            min_documents=choice.min_documents or 1,
            max_document_share=choice.max_document_share,
            top_terms=choice.top_terms,
        )
        data, report = to_transactions(corpus, wanted, progress)
        facts = report.to_dict()
        taken = Taken(data, facts.pop("suspected_typos"), facts)
    return replace(taken, data=cut(taken.data, choice, rng, taken.report))


def cut(data: Transactions, choice: Choice, rng: np.random.Generator, report: dict[str, Any]) -> Transactions:
    """Records of the wanted density, if one is wanted; ``report`` takes a note of it."""
    if choice.density is None:
        return data
    from cloven.text.samples import density_sample

    records, length = choice.records or min(RECORDS, len(data)), choice.mean_length or MEAN_LENGTH
    sample = density_sample(data, choice.density, rng, records=records, mean_length=length)
    report["drawn"] = {"density": choice.density, "from_records": len(data), "pool": sample.pool}
    return sample.transactions


def _by_topic(
    corpus: Corpus,
    options: TextOptions,
    choice: Choice,
    topics: int,
    rng: np.random.Generator,
    progress: Progress | None,
) -> Taken:
    from cloven.text.samples import topic_sample
    from cloven.text.transactions import count_terms

    counted = count_terms(corpus, options, progress)
    terms, typos = _without_common_and_typos(counted.terms, options, choice)
    if progress is not None:
        progress("finding topics", 0.0)
    sample = topic_sample(
        terms,
        rng,
        topics=topics,
        per_topic=choice.per_topic or PER_TOPIC,
        terms=choice.top_terms or TOP_TERMS,
        min_documents=choice.min_documents or MIN_DOCUMENTS,
    )
    numbers, sizes = _tally(sample.topics)
    report = {
        "documents": len(corpus),
        "tokens": counted.tokens,
        "cleaned": dict(counted.cleaned),
        "dropped": dict(counted.dropped),
        "merged_plurals": counted.merged_plurals,
        "topics": [
            {"documents": size, "terms": list(sample.topic_terms[topic])}
            for topic, size in zip(numbers, sizes, strict=True)
        ],
    }
    held = set(sample.transactions.vocabulary)
    return Taken(sample.transactions, {item: typos[item] for item in typos if item in held}, report)


def _without_common_and_typos(
    terms: TermCounts, options: TextOptions, choice: Choice
) -> tuple[TermCounts, dict[str, str]]:
    """Terms that are not in too many documents, nor likely typos if those are to go; and all likely typos."""
    import numpy as np

    frequencies = terms.document_frequencies
    kept = frequencies <= choice.max_document_share * len(terms)
    typos: dict[str, str] = {}
    if options.typos != "ignore":
        from cloven.text.typos import suspected_typos
        from cloven.text.words import english_words

        supports = dict(zip(terms.vocabulary, frequencies.tolist(), strict=True))
        typos = suspected_typos(supports, english_words(), options.typo_rule)
    if options.typos == "drop":
        kept &= np.array([name not in typos for name in terms.vocabulary], bool)
    return terms.where(kept[terms.codes]), typos


def _tally(topics: Any) -> tuple[list[int], list[int]]:
    import numpy as np

    numbers, sizes = np.unique(topics, return_counts=True)
    return numbers.tolist(), sizes.tolist()


SHOWN_TOPICS, SHOWN_TERMS, SHOWN_TYPOS = 5, 5, 10


@takes(options=DOCUMENTS, words=wording(*KINDS), choice=CHOICE)
def text(
    documents: DocumentsPath,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="New file: .jsonl, .csv or .tsv.")],
    options: DocumentOptions,
    words: Wording,
    choice: Choice,
    queries: Annotated[
        bool, typer.Option("--queries", help="A query log (AnonID, Query, QueryTime): a record per user.")
    ] = False,
    typos: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write likely typos and what was meant.")
    ] = None,
    seed: SeedOption = None,
    json: JsonFlag = False,
) -> None:
    """Turn documents into data: one record per line, the set of words (or noun phrases) of a document.

    Needs the extra: pip install "cloven[text]".
    """
    import numpy as np

    refuse_ending(out)
    refuse_places(out, *([typos] if typos else []))
    handling = _typo_handling(typos, choice, queries=queries)
    rng = np.random.default_rng(seed)
    with progress("read") as report:
        if queries:
            taken = _from_log(documents, options, words, choice, rng)
        else:
            corpus = read_corpus(documents, options)
            taken = take(corpus, replace(words.options, typos=handling), choice, rng, report)
        report("write", 0.0)
        _write(taken, out, typos)
    facts = {"file": str(out), **taken.report, **_measured(taken)}
    if json:
        say_json({**facts, "suspected_typos": taken.typos})
        return
    for line in told(facts):
        say(line)
    if typos:
        say(f"{visible(str(typos))}  {many(len(taken.typos), 'likely typo')}{_some(taken.typos)}")


def _typo_handling(typos: Path | None, choice: Choice, *, queries: bool) -> Literal["ignore", "flag", "drop"]:
    if typos and (choice.drop_typos or queries):
        other = "--queries" if queries else "--drop-typos"
        message = f"--typos does not go with {other}: there would be none to write; leave one of them out"
        raise ParameterError(message)
    return "drop" if choice.drop_typos else "flag" if typos else "ignore"


def _from_log(
    path: Path, options: DocumentOptions, words: Wording, choice: Choice, rng: np.random.Generator
) -> Taken:
    """One record of each user's queries."""
    from cloven.text.queries import QueryOptions, queries_to_transactions

    choice.refuse_all_but_density()
    if options != DocumentOptions(limit=options.limit, max_bytes=options.max_bytes):
        message = (
            "--queries reads one form of log; of 'How to read the documents' only --limit and --max-bytes fit"
        )
        raise ParameterError(message)
    given = words.options
    standard = Wording.standard(words.kind).options
    if words.kind != KINDS[0] or given != replace(
        standard,
        longest_phrase=given.longest_phrase,
        keep_contained=given.keep_contained,
        extra_stop_words=given.extra_stop_words,
    ):
        message = "--queries takes only --stop-words, --longest-phrase and --keep-contained of 'What becomes an item'"
        raise ParameterError(message)
    data, found = queries_to_transactions(
        path,
        QueryOptions(
            longest_phrase=given.longest_phrase,
            keep_contained=given.keep_contained,
            stop_words=given.all_stop_words,
            users=options.limit,
            max_bytes=options.max_bytes,
        ),
    )
    facts = found.to_dict()
    return Taken(cut(data, choice, rng, facts), {}, facts)


def _write(taken: Taken, out: Path, typos: Path | None) -> None:
    """Write the records, and the typos only if the records could be written; or nothing."""
    from cloven.storage.atomic import staged, write_bytes

    with ExitStack() as stack:
        if typos:
            (beside,) = stack.enter_context(staged(typos))
            lines = ["item\tmeant", *(f"{item}\t{meant}" for item, meant in taken.typos.items())]
            write_bytes(beside, ("\n".join(lines) + "\n").encode())
        with staged(out) as (place,):
            write_records(place, taken.data, out)


def _measured(taken: Taken) -> dict[str, Any]:
    """Sizes of the data as they were written."""
    data = taken.data
    return {
        "records": len(data),
        "items": len(data.vocabulary),
        "occurrences": len(data.codes),
        "mean_length": len(data.codes) / len(data),
        "type_token_ratio": len(data.vocabulary) / len(data.codes),
    }


def told(facts: dict[str, Any]) -> list[str]:
    """What was made, and what happened on the way, for people."""
    lines = [
        f"{visible(facts['file'])}  {many(facts['records'], 'record')}, {many(facts['items'], 'item')},"
        f" {facts['mean_length']:.1f} per record, type-token ratio {facts['type_token_ratio']:.2f}"
    ]
    rows = [(word, f"{facts[key]:,}") for key, word in _COUNTED.items() if facts.get(key)]
    rows += [(rule, f"{count:,} taken out") for rule, count in facts.get("cleaned", {}).items()]
    rows += [(rule, f"{count:,} dropped") for rule, count in facts["dropped"].items()]
    if "drawn" in facts:
        rows.append(("drawn from", many(facts["drawn"]["from_records"], "record")))
    lines.append(table(rows))
    topics = sorted(facts.get("topics", ()), key=lambda topic: topic["terms"])
    lines += [f"topic  {names(topic['terms'][:SHOWN_TERMS])}, ..." for topic in topics[:SHOWN_TOPICS]]
    if len(topics) > SHOWN_TOPICS:
        lines.append(f"and {many(len(topics) - SHOWN_TOPICS, 'more topic')} (--json)")
    return lines


_COUNTED = {
    "documents": "documents",
    "empty_documents": "documents left empty",
    "rows": "rows of the log",
    "users": "users",
    "empty_users": "users left empty",
    "taken_out": "queries that were taken out",
    "repeated": "queries repeated by a user",
    "whole": "queries taken whole",
    "tagged": "queries tagged",
    "tokens": "tokens",
    "merged_plurals": "plurals merged",
}


def _some(typos: dict[str, str]) -> str:
    shown = [f"{visible(item)} ({visible(meant)})" for item, meant in list(typos.items())[:SHOWN_TYPOS]]
    return (": " if shown else "") + ", ".join(shown) + (", ..." if len(typos) > SHOWN_TYPOS else "")


# Writes records to a file, one in each line, in the form that its ending names; and reads it back to be sure.
#
# ``.jsonl`` holds lists in JSON and fits every item. ``.csv`` and ``.tsv`` have commas or tabs between items, and
# quotes around whatever a reader could take for a delimiter. Readers guess a little where nothing else is told, so what
# was written is read as any command would read it; if that is not the same data, nothing is left behind.


DELIMITERS = {".csv": ",", ".tsv": "\t"}
ENDINGS = (".jsonl", *DELIMITERS)
_PLAIN = re.compile(r"\w(?:[\w' -]*\w)?")


def refuse_ending(out: Path) -> None:
    """Raise unless a file with this name can be written, and read without being told how."""
    if out.suffix.lower() not in ENDINGS:
        message = f"{out}: records are written to {', '.join(ENDINGS)}; give the name one of these endings"
        raise ParameterError(message)


def write_records(place: Path, data: Transactions, named: Path) -> None:
    """Write records to a new file that becomes ``named``, and raise if it is not read back as it was."""
    from cloven.reading import read

    delimiter = DELIMITERS.get(place.suffix.lower())
    odd = [item for item in data.vocabulary if csv_cell(item) != item]
    if delimiter is not None and odd:
        message = (
            f"{named}: a spreadsheet would run the item {shorten(odd[0])}, or not show all of it; name a file that ends"
            " in .jsonl"
        )
        raise ParameterError(message)
    write_bytes(place, "".join(f"{_line(sorted(record), delimiter)}\n" for record in data).encode())
    try:
        same = read(place) == data
    except InputError:
        same = False
    if not same:
        message = (
            f"{named}: as {place.suffix} these records would be taken for a table or for other items;"
            " name a file that ends in .jsonl"
        )
        raise ParameterError(message)


def _line(items: Iterable[str], delimiter: str | None) -> str:
    if delimiter is None:
        return json.dumps(list(items), ensure_ascii=False)
    return delimiter.join(_cell(item) for item in items)


def _cell(item: str) -> str:
    return item if _PLAIN.fullmatch(item) else '"' + item.replace('"', '""') + '"'
