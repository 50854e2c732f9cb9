"""``cloven relatedness counts SOURCE ITEMS -o FILE``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cloven.cli.console import progress, say, say_json, visible
from cloven.cli.options import Group, takes
from cloven.cli.places import refuse_places, release_at
from cloven.cli.reading import JsonFlag, items_in, text_of
from cloven.cli.values import number, whole
from cloven.errors import InputError, ParameterError
from cloven.figures import many

if TYPE_CHECKING:
    from cloven.protocols import CountSource

MOST_DOCUMENTS = 2**62
WEB = ("http://", "https://")

ASKING = Group(
    "If SOURCE is a web search",
    {
        "documents": (whole(1, MOST_DOCUMENTS), None, "How many documents it searches (needed).", ()),
        "pointer": (str | None, None, "JSON answers: where the number is, such as /info/total.", ()),
        "pattern": (str | None, None, "Other answers: expression with the number in a group.", ()),
        "nothing": (str | None, None, "Expression that only answers without a match hold.", ()),
        "pair": (str, "{left} {right}", "How two items make one question.", ()),
        "cache": (Path | None, None, "Answers so far; default FILE.answers.sqlite.", ()),
        "headers": (Path | None, None, "Lines 'Name: value' to send along, such as a key.", ()),
        "pause": (number(0), 1.0, "Seconds between two questions.", ()),
        "limit": (whole(0), None, "Ask at most so many questions.", ()),
        "partial": (bool, False, "Write what is known when the limit is reached.", ("--partial",)),
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


def counts_at(path: Path) -> "CountSource":
    """Counts of documents, from an index or a counts file."""
    from cloven.relatedness.counts import count_source

    try:
        return count_source(path)
    except OSError as fault:
        message = f"cannot be read ({fault.strerror or fault}); name an index or a counts file"
        raise InputError(message, source=str(path)) from fault


def _not_web(source: str, asking: dict[str, Any]) -> "CountSource":
    standard = {name: default for name, (_, default, _, _) in ASKING.options.items()}
    given = [name for name, value in asking.items() if value != standard[name]]
    if given:
        message = f"--{given[0]} is for web searches only; leave it out, or name an address with {{query}}"
        raise ParameterError(message)
    return counts_at(Path(source))


def web_search(url: str, out: Path, asking: dict[str, Any]) -> "CountSource":
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
    for position, line in enumerate(text_of(path).split("\n") if path else (), start=1):
        name, colon, value = line.partition(":")
        if line.strip() and not (colon and name.strip() and value.strip()):
            message = "expected 'Name: value'"
            raise InputError(message, source=str(path), line=position)
        if line.strip():
            headers[name.strip()] = value.strip()
    return headers
