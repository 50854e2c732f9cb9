"""``cloven reconstruct RELEASE -o FILE``."""

import json as json_text
from pathlib import Path
from typing import Annotated

import typer

from cloven.cli.command import takes
from cloven.cli.console import many, progress, say, say_json, visible
from cloven.cli.places import refuse_places, release_at
from cloven.cli.reading import JsonFlag, ReleasePath, SeedOption
from cloven.cli.values import whole


@takes()
def reconstruct(
    release: ReleasePath,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="New JSON Lines file; of several, FILE-1.jsonl, ...",
        ),
    ],
    count: Annotated[int, whole(1).option("--count", help="How many plausible data sets to draw.")] = 1,
    seed: SeedOption = None,
    json: JsonFlag = False,
) -> None:
    """Draw plausible data sets that a release allows, one record per line.

    None of them is the original; what all of them agree on is what the release tells.
    """
    import numpy as np

    from cloven.io.atomic import staged, write_bytes
    from cloven.io.release import read_set_release
    from cloven.reconstruction import reconstruct_many

    stem = out.name.removesuffix(".jsonl")
    targets = [out] if count == 1 else [out.with_name(f"{stem}-{i}.jsonl") for i in range(1, count + 1)]
    refuse_places(*targets)
    with progress("read") as report:
        published = read_set_release(release_at(release), "`cloven reconstruct`")
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
        say(f"{visible(str(target))}  {many(published.records, 'record')}")
