"""What is told of an attack on a set-generalised release that was scored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.figures import many, percent
from cloven.kinds.generalised.guesses import guess_marks, tables
from cloven.kinds.generalised.guesses_files import about_eliminations, read_eliminations
from cloven.kinds.generalised.score.score import score_eliminations
from cloven.kinds.generalised.words import MEASURES
from cloven.storage.guesses import CONTROL
from cloven.storage.release import read_key

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.statistics.findings import Findings

__all__ = ["MEASURES", "SCOPES", "SHOWN", "counted", "scored"]

SHOWN = (
    "hit", "hit_by_frequency", "auc", "recall", "precision", "f", "f_all_but_one", "rebuilt", "unique_again",
)  # fmt: skip
SCOPES = {"all": "generalised items"}


def scored(
    release: SetGeneralised,
    guesses: Path,
    private: Path,
    rng: np.random.Generator,
    chance: int,
    report: Any,
) -> Findings:
    """Eliminations on disk against the key."""
    report("measure", 0.0)
    key = read_key(private, release)
    marked = about_eliminations(guesses, release)["attack"].get("marked", True)
    asked = tables(release if marked else guess_marks(release))
    folder = guesses / CONTROL
    control = read_eliminations(folder, release, asked) if folder.is_dir() else None
    found = read_eliminations(guesses, release, asked)
    return score_eliminations(found, release, key, rng=rng, control=control, chance_runs=chance)


def counted(findings: Findings) -> list[str]:
    """What was not there to be answered, and what no knowledge gets."""
    counts = findings.notes["counts"]
    base = counts["base_rate"]
    return [
        f"{many(counts['generalised_items'], 'generalised item')} in {many(counts['rows'], 'row')}:"
        f" {many(counts['rows_without_context'], 'row')} without an item shown for certain,"
        f" {counts['rows_without_score']:,} of which the attack knows nothing",
        *(
            []
            if base is None
            else [f"{percent(base)} of the {counts['cells']:,} items in question were added"]
        ),
    ]
