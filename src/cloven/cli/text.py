"""``cloven text DOCUMENTS -o FILE``."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cloven.cli.command import takes
from cloven.cli.console import many, names, progress, say, say_json, table, visible
from cloven.cli.documents import DOCUMENTS, KINDS, DocumentsPath, Wording, read_corpus, wording
from cloven.cli.places import refuse_places
from cloven.cli.reading import JsonFlag, SeedOption
from cloven.cli.record_lines import refuse_ending, write_records
from cloven.cli.text_choice import CHOICE, Choice, Taken, cut, take
from cloven.errors import ParameterError
from cloven.text.documents import DocumentOptions

if TYPE_CHECKING:
    import numpy as np

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
    path: Path, options: DocumentOptions, words: Wording, choice: Choice, rng: "np.random.Generator"
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
    from cloven.io.atomic import staged, write_bytes

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
