"""What is told of an attack on a disassociated release that was scored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.figures import many
from cloven.kinds.disassociated.attack.questions import questions
from cloven.kinds.disassociated.guesses_files import read_guesses
from cloven.kinds.disassociated.score.definitions import MEASURES
from cloven.kinds.disassociated.score.score import score
from cloven.storage.guesses import CONTROL
from cloven.storage.release import read_key

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from cloven.kinds.disassociated.release import Disassociated
    from cloven.statistics.findings import Findings

__all__ = ["MEASURES", "SCOPES", "SHOWN", "counted", "scored"]

SHOWN = ("hit", "auc", "precision")
SCOPES = {"all": "all chunks", "record": "record chunks", "shared": "shared chunks", "term": "term chunks"}


def scored(
    release: Disassociated,
    guesses: Path,
    private: Path,
    rng: np.random.Generator,
    chance: int,
    report: Any,
) -> Findings:
    """Guesses on disk against the key."""
    from cloven.kinds.disassociated.attack.named import guesswork_of

    key = read_key(private, release)
    asked = questions(release)
    found = read_guesses(guesses, release, asked)
    folder = guesses / CONTROL
    control = read_guesses(folder, release, asked) if folder.is_dir() else None
    report("guess", 0.0)
    baseline = guesswork_of(found.attack)
    runs = (baseline.among(asked, release, rng) for _ in range(chance))
    report("measure", 0.0)
    return score(found, release, key, chance=runs, control=control, rng=rng)


def counted(findings: Findings) -> list[str]:
    """What was not there to be answered."""
    counts = findings.count("all")
    return [
        f"{many(counts.targets, 'hidden part')}: {counts.targets_without_anchor:,} without an anchor,"
        f" {counts.targets_without_score:,} of which the attack knows nothing; {counts.links_without_anchor:,} of"
        f" {many(counts.true_links, 'true link')} lead to rows that show nothing"
    ]
