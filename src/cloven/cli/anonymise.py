"""``cloven anonymise METHOD FILE -o OUT``."""

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from cloven.anonymise.disassociation import Disassociation
from cloven.cli.command import takes
from cloven.cli.console import percent, progress, say, say_json, tick, warn
from cloven.cli.disassociating import DISASSOCIATION
from cloven.cli.reading import READING, InputFile, read_data
from cloven.io.readers import ReadOptions
from cloven.model.key import Anonymised
from cloven.model.transactions import Transactions

app = typer.Typer(help="Anonymise a file: a release to publish and a private key.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Anonymise a file: a release to publish and a private key."""


@app.command("disassociation")
@takes(method=DISASSOCIATION, options=READING)
def disassociation(
    file: InputFile,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="New folder for the release; the key goes to OUT.private.")
    ],
    method: Disassociation,
    options: ReadOptions,
    release_format: Annotated[str, typer.Option(help="parquet (a folder) or json (one file).")] = "parquet",
    csv: Annotated[
        Path | None, typer.Option(help="Also write the chunks to this CSV file, for eyes.")
    ] = None,
    allow_unsafe: Annotated[
        bool, typer.Option("--allow-unsafe", help="Write even what gives the promise up (experiments).")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Split records into k^m-anonymous chunks; verified before anything is written."""
    from cloven.io.atomic import refuse_existing
    from cloven.io.release import places, write_release

    start = perf_counter()
    public, private = places(out, release_format)
    refuse_existing(public, private, *([csv] if csv else []))
    with progress("read") as report:
        data = read_data(file, options)
        result = method.anonymise(data, report)
        report("verify and write", 0.0)
        write_release(result, out, original=data, format=release_format, allow_unsafe=allow_unsafe)
        if csv:
            from cloven.io.release_csv import write_csv

            write_csv(result.release, csv)
    figures = summary(data, result) | {"seconds": round(perf_counter() - start, 3)}
    if json:
        say_json({"published": str(public), "private": str(private), **figures})
        return
    say(f"{tick()} {describe_method(method)}: {describe_release(figures)}")
    say(
        f"{tick()} verified with the original and the key; {percent(figures['items_kept'])} of the items stay in chunks"
    )
    tell_cautions(figures, method)
    say(f"published    {public}\nyours alone  {private}")


def describe_method(method: Disassociation) -> str:
    """One line on the method and its main parameters."""
    size = "unlimited" if method.max_cluster_size is None else method.max_cluster_size
    return f"disassociation  k={method.k} m={method.m} max={size} {method.small_clusters}"


def describe_release(figures: dict[str, int | float]) -> str:
    """One line on what a release is made of."""
    return (
        f"{figures['clusters']:,} clusters, {figures['record_chunks']:,} record chunks,"
        f" {figures['shared_chunks']:,} shared chunks"
    )


def summary(data: Transactions, result: Anonymised) -> dict[str, int | float]:
    """Counts of a result that commands print."""
    from cloven.io.manifest import count
    from cloven.measure.describe import person_supports
    from cloven.measure.kept import items_kept

    release = result.release
    supports = dict(zip(data.vocabulary, person_supports(data).tolist(), strict=True))
    return {
        **count(release),
        "records_read": len(data),
        "records_suppressed": len(data) - len(result.key.records),
        "rare_items_published": sum(supports[name] < release.k for name in release.vocabulary),
        "items_kept": items_kept(data, release),
    }


def tell_cautions(figures: dict[str, int | float], method: Disassociation) -> None:
    """Warnings that an owner should read, each with what to do."""
    if method.small_clusters == "keep":
        warn("clusters below k were kept: this release gives its promise up; do not publish it")
    if figures["oversize_clusters"]:
        warn(
            f"{figures['oversize_clusters']:,} clusters are above --max-cluster-size {method.max_cluster_size}, because"
            " their records cannot be split further; this is safe, and the manifest counts them"
        )
    if figures["records_suppressed"]:
        warn(
            f"{figures['records_suppressed']:,} records are not published; say so beside every utility figure"
        )
    if figures["rare_items_published"]:
        warn(
            f"{figures['rare_items_published']:,} items are held by fewer than k = {method.k} and are published by name"
            " in term chunks; see them with `cloven describe`, drop them with --min-item-support"
        )
