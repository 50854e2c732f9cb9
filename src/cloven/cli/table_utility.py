"""``cloven utility TABLE RELEASE --schema FILE``: how much of a table a published one keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.cli.console import progress, say, say_json, table
from cloven.cli.places import release_at
from cloven.cli.table_options import read_persons

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np


def table_measures(
    original: Path, release: Path, schema: Path, rng: np.random.Generator, *, json: bool
) -> None:
    """Measure and tell; what best means stands beside each value."""
    from cloven.io.release import read_table_release
    from cloven.measure.tables.utility import table_utility

    with progress("read") as report:
        published = read_table_release(release_at(release), "--schema")
        data = read_persons(original, schema)
        report("measure", 0.0)
        found = table_utility(data, published, rng, suppressed=max(0, len(data) - len(published)))
    if json:
        say_json(found.to_dict())
        return
    rows = [
        (each.name, f"{each.value:.3f}", each.sentence) for each in found.measures if each.value is not None
    ]
    say(table(rows, ("measure", "value", "what it means; 0 is best")))
