"""``cloven reconstruct RELEASE -o FILE``."""

import json as json_text
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cloven.cli.console import progress, say, say_json
from cloven.cli.options import asks, takes
from cloven.cli.places import refuse_places, release_at, warn_if_broken
from cloven.cli.reading import JsonFlag, ReleasePath, SeedOption
from cloven.errors import ParameterError
from cloven.escapes import visible
from cloven.figures import many
from cloven.values import whole

if TYPE_CHECKING:
    import numpy as np


@takes()
def reconstruct(
    release: ReleasePath,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="New JSON Lines file, of a table CSV; of several, FILE-1.jsonl, ...",
        ),
    ],
    count: Annotated[int, asks(whole(1), "--count", help="How many plausible data sets to draw.")] = 1,
    as_published: Annotated[
        bool,
        typer.Option("--as-published", help="Of a table: write its cells as they are, and draw nothing."),
    ] = False,
    seed: SeedOption = None,
    json: JsonFlag = False,
) -> None:
    """Draw plausible data sets that a release allows, one record per line; of a published table, rows as CSV.

    None of them is the original; what all of them agree on is what the release tells.
    """
    import numpy as np

    from cloven.storage.atomic import staged, write_bytes
    from cloven.storage.manifest import format_of
    from cloven.storage.release import read_release

    with progress("read") as report:
        published = read_release(release_at(release))
        warn_if_broken(published, release)
        is_table = not format_of(published).of_sets
        _refuse(out, count, seed, is_table=is_table, as_published=as_published)
        targets = _targets(out, count, ".csv" if is_table else ".jsonl")
        refuse_places(*targets)
        contents = _contents(published, count, np.random.default_rng(seed), as_published=as_published)
        with staged(*targets) as places:
            for number, (place, content) in enumerate(zip(places, contents, strict=True)):
                report("reconstruct", number / count)
                write_bytes(place, content)
    rows = published.records
    if json:
        say_json({"files": [str(target) for target in targets], "records": rows})
        return
    for target in targets:
        say(f"{visible(str(target))}  {many(rows, 'row' if is_table else 'record')}")


def _refuse(out: Path, count: int, seed: int | None, *, is_table: bool, as_published: bool) -> None:
    """Refuse what does not go together, rather than pass it over."""
    if is_table and out.name.endswith(".jsonl"):
        message = f"{out}: a table is written as CSV; name a file that ends in .csv"
        raise ParameterError(message)
    if as_published and not is_table:
        message = "--as-published is for published tables, and this release is of sets of items; leave it out"
        raise ParameterError(message)
    if as_published and (count > 1 or seed is not None):
        message = "--as-published draws nothing; leave --count and --seed out"
        raise ParameterError(message)


def _targets(out: Path, count: int, ending: str) -> list[Path]:
    """Where each data set goes."""
    if count == 1:
        return [out]
    stem = out.name.removesuffix(ending)
    return [out.with_name(f"{stem}-{number}{ending}") for number in range(1, count + 1)]


def _contents(
    published: Any, count: int, rng: "np.random.Generator", *, as_published: bool
) -> Iterator[bytes]:
    """Content of each file."""
    from cloven.kinds.tables.files import table_csv_bytes
    from cloven.reconstruction import reconstruct_many, reconstruct_table
    from cloven.storage.manifest import format_of

    if not format_of(published).of_sets:
        for _ in range(count):
            yield table_csv_bytes(published if as_published else reconstruct_table(published, rng))
        return
    for world in reconstruct_many(published, count, rng):
        lines = (json_text.dumps(sorted(record), ensure_ascii=False) for record in world)
        yield ("\n".join(lines) + "\n").encode()
