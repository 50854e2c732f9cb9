"""``cloven anonymise disassociation FILE -o OUT``; ``anonymise_sets`` and ``anonymise_tables`` have the others."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from cloven.cli.anonymise_sets import apriori_km, coat, pcta
from cloven.cli.anonymise_tables import commands as of_tables
from cloven.cli.console import progress, say, say_json, tick, warn
from cloven.cli.disassociation_options import DISASSOCIATION
from cloven.cli.ledger import LedgerFolder, told_of_earlier
from cloven.cli.options import Command, takes
from cloven.cli.places import refuse_places, say_places
from cloven.cli.reading import READING, InputFile, JsonFlag, read_data, warn_of_strangers
from cloven.cli.values import one_of
from cloven.data.transactions import Transactions
from cloven.errors import ParameterError
from cloven.figures import many, percent
from cloven.kinds.disassociated.key import Anonymised
from cloven.kinds.disassociated.methods import Disassociation
from cloven.reading import ReadOptions

app = typer.Typer(help="Anonymise a file: a release to publish and a private key.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Anonymise a file: a release to publish and a private key."""


@app.command("disassociation", cls=Command, short_help="Split records into chunks that hide who is who.")
@takes(method=DISASSOCIATION, options=READING)
def disassociation(
    file: InputFile,
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="OUT", help="New folder for the release; the key goes to OUT.private."
        ),
    ],
    method: Disassociation,
    options: ReadOptions,
    release_format: Annotated[
        str,
        one_of("parquet", "json").option("--release-format", help="parquet (a folder), or json (one file)."),
    ] = "parquet",
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the chunks to this CSV file, for eyes.")
    ] = None,
    allow_unsafe: Annotated[
        bool, typer.Option("--allow-unsafe", help="Write even what gives the promise up (experiments).")
    ] = False,
    ledger: LedgerFolder = None,
    json: JsonFlag = False,
) -> None:
    """Split records into chunks so that nobody who knows m items of a record finds fewer than k candidates.

    OUT is to publish, OUT.private (the key) to keep. Both are verified before anything is written.
    """
    from cloven.kinds.disassociated.words import cautions, summary
    from cloven.storage.ledger_file import check_ledger
    from cloven.storage.release import places

    start = perf_counter()
    public, private = places(out, release_format)
    refuse_places(public, private, *([csv] if csv else []))
    check_ledger(ledger)
    refuse_unsafe(method, allowed=allow_unsafe)
    with progress("read") as report:
        data = read_data(file, options)
        warn_of_typos(method, data)
        result = method.anonymise(data, report)
        report("verify and write", 0.0)
        _write(result, out, data, csv, release_format, allow_unsafe, ledger)
    figures = summary(data, result) | {"seconds": round(perf_counter() - start, 3)}
    told = [*cautions(figures, method), *told_of_earlier(data, out, ledger)]
    if json:
        say_json({"published": str(public), "private": str(private), **figures, "cautions": told})
        return
    say(f"{tick()} {describe_method(method)}: {describe_release(figures)}")
    say(
        f"{tick()} verified with the original and the key; {percent(figures['items_kept'])} of the items stay in chunks"
    )
    for caution in told:
        warn(caution)
    say_places(public, private)


def _write(
    result: Anonymised,
    out: Path,
    data: Transactions,
    csv: Path | None,
    release_format: str,
    allow_unsafe: bool,
    ledger: Path | None,
) -> None:
    """Write the release, and the CSV file only if the release could be written; or nothing."""
    from cloven.kinds.disassociated.files import csv_bytes
    from cloven.storage.atomic import staged, write_bytes
    from cloven.storage.release import write_release

    with ExitStack() as stack:
        if csv:
            (place,) = stack.enter_context(staged(csv))
            write_bytes(place, csv_bytes(result.release))
        write_release(
            result, out, original=data, format=release_format, allow_unsafe=allow_unsafe, ledger=ledger
        )


def refuse_unsafe(method: Disassociation, *, allowed: bool) -> None:
    """Refuse what gives the promise up before any work is done."""
    if method.parameters["unsafe"] and not allowed:
        message = (
            f"--small-clusters {method.small_clusters} gives the promise up; choose another, or for experiments use"
            " `cloven anonymise` with --allow-unsafe"
        )
        raise ParameterError(message)


def warn_of_typos(method: Disassociation, data: Transactions) -> None:
    """Warn of items that the owner named and the data does not hold."""
    warn_of_strangers("--sensitive", method.sensitive, data)
    warn_of_strangers("--utility", [item for group in method.utility_groups for item in group], data)


def describe_method(method: Disassociation) -> str:
    """One line on the method and its main parameters."""
    size = "unlimited" if method.max_cluster_size is None else method.max_cluster_size
    safe = "" if method.safe == "no" else f" safe={method.safe}"
    return f"disassociation  k={method.k} m={method.m} max={size} {method.small_clusters}{safe}"


def describe_release(figures: dict[str, int | float]) -> str:
    """One line on what a release is made of."""
    return (
        f"{many(figures['clusters'], 'cluster')}, {many(figures['record_chunks'], 'record chunk')},"
        f" {many(figures['shared_chunks'], 'shared chunk')}"
    )


for name, further, short in (
    ("coat", coat, "Merge items until a policy is satisfied."),
    ("pcta", pcta, "The same, with the cheapest merges: slower, often better."),
    ("apriori-km", apriori_km, "Replace items by groups of a taxonomy."),
):
    app.command(name, cls=Command, short_help=short)(further)
for name, (further, short) in of_tables().items():
    app.command(name, cls=Command, short_help=short)(further)
