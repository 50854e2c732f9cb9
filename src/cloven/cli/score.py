"""``cloven score RELEASE GUESSES --private FOLDER``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cloven import figures
from cloven.cli.console import progress, say, say_json, table
from cloven.cli.options import asks, takes
from cloven.cli.places import release_at, warn_if_broken
from cloven.cli.reading import JsonFlag, MeasuringSeed, ReleasePath
from cloven.data.defaults import SEED
from cloven.registry import part
from cloven.statistics.findings import Findings
from cloven.values import whole

if TYPE_CHECKING:
    from collections.abc import Mapping


@takes()
def score(
    release: ReleasePath,
    guesses: Annotated[
        Path, typer.Argument(help="Folder that `cloven attack` wrote.", metavar="GUESSES", show_default=False)
    ],
    private: Annotated[Path, typer.Option(metavar="FOLDER", help="OUT.private with the key.")],
    chance: Annotated[
        int, asks(whole(1, 10_000), "--chance", help="Runs of random guessing to compare with.")
    ] = 20,
    everything: Annotated[bool, typer.Option("--all", help="Show every measure.")] = False,
    seed: MeasuringSeed = SEED,
    json: JsonFlag = False,
) -> None:
    """How many guesses are right: beside random guessing, and beside the same attack with shuffled words."""
    import numpy as np

    from cloven.storage.release import read_set_release

    rng = np.random.default_rng(seed)
    with progress("read") as report:
        published = read_set_release(release_at(release), "`cloven score`")
        warn_if_broken(published, release)
        words = part(published, "score.words")
        findings = words.scored(published, guesses, private, rng, chance, report)
    if json:
        say_json(findings.to_dict())
        return
    shown = tuple(words.MEASURES) if everything else words.SHOWN
    sentences = {name: words.MEASURES[name].sentence for name in shown}
    _tell(findings, sentences, words.SCOPES, words.counted(findings))


def _tell(
    findings: Findings, sentences: "Mapping[str, str]", scopes: "Mapping[str, str]", counts: list[str]
) -> None:
    """A table of these measures, what each is, and what was not there to be answered."""
    rows = finding_rows(findings, tuple(sentences), scopes)
    say(table(rows, ("measure", "where", "attack", "guessing", "shuffled", "lift", "of", "units")))
    say()
    say("units: what the intervals go by; of a single one nobody can tell how units differ")
    for name, sentence in sentences.items():
        if any(finding.measure == name for finding in findings):
            say(f"{name}: {sentence}")
    for line in counts:
        say(line)


def finding_rows(
    findings: Findings, measures: tuple[str, ...], scopes: "Mapping[str, str]"
) -> list[tuple[str, ...]]:
    """The lines of the table."""
    return [
        (
            finding.measure,
            scopes.get(finding.scope, finding.scope),
            interval(finding.value, finding.low, finding.high),
            _figure(finding.chance),
            interval(finding.control, finding.control_low, finding.control_high),
            "-" if finding.lift is None else f"{finding.lift:.2f}x",
            f"{finding.count:,.0f}",
            f"{finding.units:,}",
        )
        for finding in sorted(findings, key=lambda each: (*measures, each.measure).index(each.measure))
        if finding.measure in measures and finding.value is not None
    ]


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def interval(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """A figure with its interval."""
    if value is None:
        return "-"
    return f"{value:.3f}" if low is None or high is None else f"{value:.3f} {figures.interval(low, high, 3)}"
