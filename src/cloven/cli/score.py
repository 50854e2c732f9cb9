"""``cloven score RELEASE GUESSES --private FOLDER``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cloven import figures
from cloven.cli import attack_generalised as eliminating
from cloven.cli.console import progress, say, say_json, table
from cloven.cli.options import takes
from cloven.cli.places import release_at
from cloven.cli.reading import JsonFlag, ReleasePath, SeedOption
from cloven.cli.values import whole
from cloven.errors import ParameterError
from cloven.figures import many
from cloven.kinds.disassociated.score.definitions import MEASURES
from cloven.kinds.generalised.release import SetGeneralised
from cloven.statistics.findings import Findings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SHOWN = ("hit", "auc", "accuracy", "precision", "broken", "km_own", "movers")
SCOPES = {"all": "all chunks", "record": "record chunks", "shared": "shared chunks", "term": "term chunks"}


@takes()
def score(
    release: ReleasePath,
    guesses: Annotated[
        Path, typer.Argument(help="Folder that `cloven attack` wrote.", metavar="GUESSES", show_default=False)
    ],
    private: Annotated[Path, typer.Option(metavar="FOLDER", help="OUT.private with the key.")],
    vectors: Annotated[
        str | None, typer.Option(metavar="SPEC", help="vectors:FILE or sample: adds word mover's distance.")
    ] = None,
    chance: Annotated[
        int, whole(1, 10_000).option("--chance", help="Runs of random guessing to compare with.")
    ] = 20,
    everything: Annotated[bool, typer.Option("--all", help="Show every measure.")] = False,
    seed: SeedOption = None,
    json: JsonFlag = False,
) -> None:
    """How many guesses are right: beside random guessing, and beside the same attack with shuffled words."""
    import numpy as np

    from cloven.kinds.disassociated.attack.named import guesswork_of
    from cloven.kinds.disassociated.attack.questions import questions
    from cloven.kinds.disassociated.guesses_files import read_guesses
    from cloven.kinds.disassociated.score.score import score as measure
    from cloven.storage.guesses import CONTROL
    from cloven.storage.release import read_key, read_set_release

    rng = np.random.default_rng(seed)
    with progress("read") as report:
        published = read_set_release(release_at(release), "`cloven score`")
        if isinstance(published, SetGeneralised):
            if vectors is not None:
                message = "--vectors is for disassociated releases, and this one is not; leave it out"
                raise ParameterError(message)
            report("measure", 0.0)
            scored = eliminating.score_generalised(published, guesses, private, rng, chance)
            report("measure", 1.0)
            _tell_generalised(scored, everything=everything, json=json)
            return
        key = read_key(private, published)
        asked = questions(published)
        found = read_guesses(guesses, published, asked)
        folder = guesses / CONTROL
        control = read_guesses(folder, published, asked) if folder.is_dir() else None
        report("guess", 0.0)
        baseline = guesswork_of(found.attack)
        runs = (baseline.among(asked, published, rng) for _ in range(chance))
        report("measure", 0.0)
        known = None if vectors is None else word_vectors(vectors, published.vocabulary)
        findings = measure(found, published, key, chance=runs, control=control, vectors=known, rng=rng)
    if json:
        say_json(findings.to_dict())
        return
    shown = tuple(MEASURES) if everything else SHOWN
    _tell(findings, {name: MEASURES[name].sentence for name in shown}, SCOPES, counted(findings))


def _tell_generalised(findings: Findings, *, everything: bool, json: bool) -> None:
    from cloven.kinds.generalised.words import MEASURES as KNOWN

    if json:
        say_json(findings.to_dict())
        return
    shown = tuple(KNOWN) if everything else eliminating.SHOWN
    sentences = {name: KNOWN[name].sentence for name in shown}
    _tell(findings, sentences, {"all": "generalised items"}, eliminating.counted(findings))


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


def word_vectors(text: str, items: "Sequence[str]") -> Any:
    """Vectors of the items, and which have one."""
    from cloven.relatedness.spec import parse

    measure = parse(text)
    if not hasattr(measure, "table"):
        message = f"--vectors needs word vectors, such as vectors:glove.txt (got {text!r})"
        raise ParameterError(message)
    return measure.table(items)


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


def counted(findings: Findings) -> list[str]:
    """What was not there to be answered."""
    counts = findings.count("all")
    return [
        f"{many(counts.targets, 'hidden part')}: {counts.targets_without_anchor:,} without an anchor,"
        f" {counts.targets_without_score:,} of which the attack knows nothing; {counts.links_without_anchor:,} of"
        f" {many(counts.true_links, 'true link')} lead to rows that show nothing"
    ]


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def interval(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """A figure with its interval."""
    if value is None:
        return "-"
    return f"{value:.3f}" if low is None or high is None else f"{value:.3f} {figures.interval(low, high, 3)}"
