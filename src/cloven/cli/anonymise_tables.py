"""``cloven anonymise mondrian|slicing|ul|... TABLE --schema FILE -o OUT``."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from cloven.cli.anonymise_sets import NewFolder
from cloven.cli.console import progress, say, say_json, tick, warn
from cloven.cli.ledger import LedgerFolder, told_of_earlier
from cloven.cli.options import takes
from cloven.cli.places import MemoryOption, refuse_places, say_places
from cloven.cli.reading import JsonFlag
from cloven.cli.table_options import SchemaFile, TableFile, fit_rules, options_of, read_persons
from cloven.errors import ParameterError
from cloven.figures import many

ABOUT = {
    "mondrian": (
        "Coarse rows: everybody looks like k - 1 others.",
        "Mondrian halves the table again and again.",
    ),
    "slicing": ("Cut rows into buckets and columns.", "Which parts of a bucket belong together is hidden."),
    "ul": (
        "Slicing, and rare values exchanged.",
        "The upper/lower-level method also exchanges rare and common values.",
    ),
    "anatomy": (
        "Quasi-identifiers apart from sensitive values.",
        "Groups of l rows with l different values.",
    ),
    "diffgen": ("Noisy counts of coarse classes.", "Differentially private: rows are made up."),
    "hybrid": ("A sample, coarse, with noise.", "Mondrian on a sample, with noise on the sensitive values."),
    "merging-like": (
        "An approximation of merging.",
        "Built from a short description; do not cite it as that.",
    ),
    "composition-like": (
        "An approximation of composition.",
        "Built from a short description; do not cite it as that.",
    ),
    "probabilistic-like": (
        "An approximation of (d, alpha)-linkable.",
        "Built from a short description; do not cite it as that.",
    ),
}
CsvFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Also write what is published to this CSV file, for eyes and spreadsheets."
    ),
]


def _command(name: str) -> Callable[..., None]:
    """The command of one method."""

    @takes(method=options_of(name))
    def command(
        file: TableFile,
        schema: SchemaFile,
        out: NewFolder,
        method: Any,
        csv: CsvFile = None,
        ledger: LedgerFolder = None,
        memory: MemoryOption = None,
        json: JsonFlag = False,
    ) -> None:
        _publish(file, schema, out, method, csv, ledger, memory, json=json)

    command.__doc__ = (
        f"{ABOUT[name][1]}\n\n    OUT is to publish, OUT.private (the key) to keep. Both are verified before"
        " anything is written.\n    "
    )
    return command


def commands() -> dict[str, tuple[Callable[..., None], str]]:
    """Command and short help of every method for tables that is built in."""
    return {name: (_command(name), short) for name, (short, _) in ABOUT.items()}


def _publish(
    file: Any, schema: Any, out: Any, method: Any, csv: Path | None, ledger: Any, memory: Any, *, json: bool
) -> None:
    """Read, anonymise, verify, write, tell."""
    from cloven.kinds.tables.words import cautions, lone_ends, single_values, summary
    from cloven.storage.ledger_file import check_ledger
    from cloven.storage.release import places

    start = perf_counter()
    public, private = places(out)
    refuse_places(public, private, *([csv] if csv else []))
    check_ledger(ledger)
    with progress("read") as report:
        data = read_persons(file, schema, memory)
        fit_rules(getattr(method, "rules", ()), data)
        result = _anonymised(method, data, report)
        report("verify and write", 0.0)
        _write(result, out, data, csv, ledger)
    figures = summary(data, result) | {"seconds": round(perf_counter() - start, 3)}
    told = [
        *cautions(figures, method, result.release),
        *single_values(data, result.release, method),
        *lone_ends(data, result.release),
        *told_of_earlier(data, out, ledger),
    ]
    if json:
        say_json({"published": str(public), "private": str(private), **figures, "cautions": told})
        return
    groups = "bucket" if "columns" in figures else "class"
    plural = many(figures["groups"], groups).replace("classs", "classes")
    cut = f", {many(figures['columns'], 'column')}" if "columns" in figures else ""
    say(f"{tick()} {_in_words(method)}: {many(figures['records'], 'row')} in {plural}{cut}")
    say(f"{tick()} verified with the original and the key")
    for caution in told:
        warn(caution)
    say_places(public, private)


def _write(result: Any, out: Path, data: Any, csv: Path | None, ledger: Path | None) -> None:
    """Write the release, and the CSV file only if the release could be written; or nothing."""
    from cloven.kinds.tables.files import table_csv_bytes
    from cloven.storage.atomic import staged, write_bytes
    from cloven.storage.release import write_release

    with ExitStack() as stack:
        if csv:
            (place,) = stack.enter_context(staged(csv))
            write_bytes(place, table_csv_bytes(result.release))
        # A seed is asked for, and marked.
        write_release(result, out, original=data, allow_seeded=True, ledger=ledger)


def _anonymised(method: Any, data: Any, report: Any) -> Any:
    """The release; where l cannot be met and is the one that nobody chose, the message says so."""
    try:
        return method.anonymise(data, report)
    except ParameterError as error:
        usual = next((each.default for each in fields(method) if each.name == "l"), None)
        before, met, after = str(error).partition(" cannot be met")
        if usual is None or before != f"l = {usual}":
            raise
        after = after.replace("choose l of at most", "choose -l of at most")
        message = f"{before}, the default,{met}{after}"
        raise ParameterError(message) from error


def _in_words(method: Any) -> str:
    from cloven.settings import setting

    name, _, rest = setting(method).partition(":")
    return f"{name}  {rest.replace(',', ' ')}"
