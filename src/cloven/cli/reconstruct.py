"""``cloven reconstruct RELEASE -o FILE``."""

import json as json_text
from pathlib import Path
from typing import Annotated

import typer

from cloven.cli.command import takes
from cloven.cli.console import progress, say, say_json


@takes()
def reconstruct(
    release: Annotated[Path, typer.Argument(help="Release folder or JSON file.", show_default=False)],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="New JSON Lines file; several get -1, -2, ... before .jsonl.")
    ],
    count: Annotated[int, typer.Option(help="How many plausible data sets to draw.", min=1)] = 1,
    seed: Annotated[int | None, typer.Option(help="Draw the same data sets again (experiments).")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Draw plausible data sets that a release allows, one record per line. None of them is the original."""
    import numpy as np

    from cloven.io.atomic import refuse_existing, staged, write_bytes
    from cloven.io.release import read_release
    from cloven.reconstruction import reconstruct_many

    stem = out.name.removesuffix(".jsonl")
    targets = [out] if count == 1 else [out.with_name(f"{stem}-{i}.jsonl") for i in range(1, count + 1)]
    refuse_existing(*targets)
    with progress("read") as report:
        published = read_release(release)
        rng = np.random.default_rng(seed)
        with staged(*targets) as places:
            for number, (place, world) in enumerate(
                zip(places, reconstruct_many(published, count, rng), strict=True)
            ):
                report("reconstruct", number / count)
                lines = (json_text.dumps(sorted(record), ensure_ascii=False) for record in world)
                write_bytes(place, ("\n".join(lines) + "\n").encode())
    if json:
        say_json({"files": [str(target) for target in targets], "records": published.records})
        return
    for target in targets:
        say(f"{target}  {published.records:,} records")
