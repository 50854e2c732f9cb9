"""``cloven relatedness forms``, ``show``, ``evaluate`` and ``table-4-1``: measures, how they are named and do."""

from dataclasses import asdict, dataclass
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cloven.cli.console import progress, say, say_json, table
from cloven.cli.options import Group, asks, takes
from cloven.cli.places import release_at
from cloven.cli.reading import JsonFlag, MeasuringSeed
from cloven.cli.reproduce import find_experiments
from cloven.data.defaults import SEED
from cloven.errors import InputError, ParameterError
from cloven.escapes import names, visible
from cloven.figures import mean
from cloven.values import FILE, option, whole

if TYPE_CHECKING:
    from cloven.protocols import CountSource, Related, Relatedness
    from cloven.relatedness.evaluation import Benchmark, Correlation, Evaluation, FrequencyBin
    from experiments.table_4_1 import Agreement

Spec = Annotated[
    str,
    typer.Argument(
        help="A measure, such as vectors:glove.txt; see `forms`.", metavar="SPEC", show_default=False
    ),
]
PACKAGES = {
    "simplemma": ("simplemma", "lemmas"),
    "HanTa": ("HanTa", "nouns and phrases"),
    "sklearn": ("scikit-learn", "topics"),
    "tantivy": ("tantivy", "indexes of large corpora"),
}
"""Modules of the extra ``cloven[text]``: how the package is called, and what it is for."""
COMPOUND = {
    "shuffled:SPEC": "the control: the same scores between the wrong items",
    "0.7*SPEC+0.3*SPEC": "weighted mean of measures",
    "SPEC|SPEC": "the first, and the second where it has no score",
    "(SPEC)": "brackets; | binds least, shuffled: most",
}
WIDEST = 16


@dataclass(frozen=True)
class Knowledge:
    """What a measure may be made from besides its text."""

    wordnet: Path | None = option(None, FILE, "WordNet, folder or tar: finds more words in vectors.")
    release: Path | None = option(None, FILE, "Release that `learned` learns from.")

    def measure(self, spec: str) -> "Relatedness":
        """The measure that a text names."""
        from cloven.relatedness.spec import parse
        from cloven.storage.release import read_set_release

        if self.wordnet is not None and not self.wordnet.exists():
            message = "there is no such file or folder; name the folder or tar file of WordNet"
            raise InputError(message, source=str(self.wordnet))
        published = (
            None if self.release is None else read_set_release(release_at(self.release), "relatedness")
        )
        return parse(spec, wordnet=self.wordnet, release=published)


KNOWLEDGE = Group.of("What else is known", Knowledge)


@takes()
def forms(json: JsonFlag = False) -> None:
    """Every way to name a measure of relatedness, and which optional packages are missing."""
    from cloven.relatedness.spec import forms as known

    listed = {form.usage: form.about for form in known().values()} | COMPOUND
    missing = missing_packages()
    if json:
        say_json({"forms": listed, "missing_packages": missing})
        return
    say(table(list(listed.items())))
    lacking = [f"{package} ({use})" for package, use in missing.items()]
    if lacking:
        say(f'\nnot installed: {", ".join(lacking)}; pip install "cloven[text]"')
    else:
        say("\nall optional packages are installed")


def missing_packages() -> dict[str, str]:
    """Packages of the extra that are not installed, and what needs them."""
    return {package: use for module, (package, use) in PACKAGES.items() if find_spec(module) is None}


@takes(knowledge=KNOWLEDGE)
def show(
    spec: Spec,
    words: Annotated[list[str], typer.Argument(help="Words or phrases.", metavar="WORD", show_default=False)],
    knowledge: Knowledge,
    json: JsonFlag = False,
) -> None:
    """How related a few words are by a measure, and how each of them was found.

    Measures from counts have a scale of the vocabulary: with other words beside them, scores change.
    """
    import numpy as np

    items = list(dict.fromkeys(words))
    if not all(item.strip() for item in items):
        message = "a word must not be blank; name words or phrases"
        raise ParameterError(message)
    measure = knowledge.measure(spec)
    related = measure.relate(items)
    places = np.arange(len(items))
    scores = [
        [None if isnan(score) else score for score in row] for row in related.block(places, places).tolist()
    ]
    found = ways(measure, related, items)
    if json:
        say_json({"measure": measure.name, "found": found, "items": items, "scores": scores})
        return
    say(visible(spec))
    cells = [
        (visible(item, WIDEST), *("-" if score is None else f"{score:.3f}" for score in row), found[item])
        for item, row in zip(items, scores, strict=True)
    ]
    say(table(cells, ("", *(visible(item, WIDEST) for item in items), "found by")))
    if related.coverage.unknown:
        say(f"\nno score: {names(related.coverage.unknown)}")


def ways(measure: "Relatedness", related: "Related", items: list[str]) -> dict[str, str]:
    """How each item was found; an item always takes the same way, whatever stands beside it."""
    unknown = set(related.coverage.unknown)
    return {item: "not found" if item in unknown else _way(measure, related, items, item) for item in items}


def _way(measure: "Relatedness", related: "Related", items: list[str], item: str) -> str:
    """The rung of one item: asked for alone, or else what changes when it is left out."""
    try:
        rungs = measure.relate([item]).coverage.rungs
        return next(rung for rung, served in rungs.items() if served)
    except ParameterError:  # part of a measure that knows nothing of what it is asked for refuses
        others = [other for other in items if other != item]
    try:
        rest = measure.relate(others).coverage.rungs
        return next(rung for rung, served in related.coverage.rungs.items() if served > rest.get(rung, 0))
    except ParameterError:
        return "found"


# Measures against people's scores of word pairs.


SHOWN_PAIRS = 5


@takes(knowledge=KNOWLEDGE)
def evaluate(
    spec: Spec,
    knowledge: Knowledge,
    benchmarks: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files of pairs: word, word, people's score.", metavar="BENCHMARK", show_default=False
        ),
    ] = None,
    thesis: Annotated[
        bool, typer.Option("--table-4-1", help="Also the 30 pairs of the thesis's Table 4.1.")
    ] = False,
    frequency: Annotated[
        Path | None,
        typer.Option(metavar="COUNTS", help="Counts file or index: also errors by word frequency."),
    ] = None,
    bins: Annotated[int, asks(whole(1, 100), "--bins", help="Steps of frequency.")] = 5,
    seed: MeasuringSeed = SEED,
    json: JsonFlag = False,
) -> None:
    """How well a measure agrees with people: Pearson and Spearman with 95 % bootstrap intervals.

    Pairs without a score are left out of both and counted.
    """
    import numpy as np

    from cloven.relatedness.evaluation import by_frequency
    from cloven.relatedness.evaluation import evaluate as compare

    with progress("read") as report:
        sets = pairs_to_score(benchmarks or [], thesis=thesis)
        counted = None if frequency is None else counts_at(frequency)
        measure, rng = knowledge.measure(spec), np.random.default_rng(seed)
        found, errors = [], []
        for number, pairs in enumerate(sets):
            report(f"score {pairs.name}", number / len(sets))
            found.append(compare(measure, pairs, rng))
            if counted is not None:
                errors.append(by_frequency(measure, pairs, documents_of(pairs, counted), bins))
    if json:
        say_json(plain({"spec": spec, "benchmarks": merged(found, errors)}))
        return
    tell(spec, found, errors)


def tell(spec: str, found: "list[Evaluation]", errors: "list[tuple[FrequencyBin, ...]]") -> None:
    """The tables, for people."""
    say(visible(spec))
    say(
        table(
            [evaluation_row(one) for one in found], ("benchmark", "pairs", "no score", "Pearson", "Spearman")
        )
    )
    for one, steps in zip(found, errors, strict=False):
        say(
            f"\n{visible(one.benchmark)} by frequency of the rarer word of a pair; errors in shares of all ranks"
        )
        say(
            table(
                [frequency_row(step) for step in steps], ("documents", "pairs", "no score", "error", "bias")
            )
        )
    for one in found:
        if one.unscored:
            listed = ", ".join(f"{left}/{right}" for left, right in one.unscored[:SHOWN_PAIRS])
            more = ", ..." if len(one.unscored) > SHOWN_PAIRS else ""
            say(f"\n{visible(one.benchmark)}, no score: {visible(listed)}{more}")


def pairs_to_score(paths: list[Path], *, thesis: bool) -> "list[Benchmark]":
    """The benchmarks that were named."""
    from cloven.relatedness.evaluation import read_benchmark

    if not paths and not thesis:
        message = "name at least one BENCHMARK, a file with a word, a word and a score per line, or give --table-4-1"
        raise ParameterError(message)
    found = list(map(read_benchmark, paths))
    if thesis:
        find_experiments("relatedness evaluate")
        from experiments.table_4_1 import miller_charles

        found.append(miller_charles())
    return found


def documents_of(pairs: "Benchmark", counted: "CountSource") -> dict[str, float]:
    """In how many documents each word of the pairs is."""
    words = sorted({word for pair in pairs.pairs for word in pair})
    return dict(zip(words, counted.count(words).single.tolist(), strict=True))


def merged(found: "list[Evaluation]", errors: "list[tuple[FrequencyBin, ...]]") -> list[dict[str, Any]]:
    """Evaluations with their errors by frequency, if those were wanted."""
    out = [one.to_dict() for one in found]
    for one, steps in zip(out, errors, strict=False):
        one["by_frequency"] = [asdict(step) for step in steps]
    return out


def plain(value: Any) -> Any:
    """JSON has no NaN: what is not known is null."""
    if isinstance(value, float) and isnan(value):
        return None
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def evaluation_row(found: "Evaluation") -> tuple[str, ...]:
    """One line of the table."""
    return (
        visible(found.benchmark, 40),
        f"{found.pairs:,}",
        f"{len(found.unscored):,}",
        with_interval(found.pearson),
        with_interval(found.spearman),
    )


def frequency_row(found: "FrequencyBin") -> tuple[str, ...]:
    """One line of the table by frequency."""
    span = f"{found.low:,.0f}" if found.low == found.high else f"{found.low:,.0f} to {found.high:,.0f}"
    return (
        span,
        f"{found.pairs:,}",
        f"{found.unscored:,}",
        _with_half(found.error, found.error_half),
        _with_half(found.bias, found.bias_half, sign="+"),
    )


def with_interval(found: "Correlation") -> str:
    """A coefficient with its bootstrap interval."""
    if isnan(found.value):
        return "- (all scores alike)"
    return mean(found.value, *found.bootstrap)


def _with_half(value: float, half: float, sign: str = "") -> str:
    if isnan(value):
        return "-"
    return f"{value:{sign}.3f}" + ("" if isnan(half) else f" +/- {half:.3f}")


@takes(knowledge=KNOWLEDGE)
def table_4_1(
    knowledge: Knowledge,
    specs: Annotated[
        list[str] | None,
        typer.Argument(help="Measures to set beside the printed ones.", metavar="SPEC", show_default=False),
    ] = None,
    seed: MeasuringSeed = SEED,
    json: JsonFlag = False,
) -> None:
    """Table 4.1 of the thesis: its four correlations from the printed columns, and those of your measures.

    Below are pairs from number 10 on that score below some pair before; the thesis says that there are none.
    """
    import numpy as np

    find_experiments("relatedness table-4-1")
    from experiments.table_4_1 import METHODS, PRINTED, measured, printed_methods

    named = specs or []
    rng = np.random.default_rng(seed)
    with progress("read") as report:
        rows = list(zip(METHODS, printed_methods(rng), PRINTED, strict=True))
        report("score", 0.0)
        ours = measured([knowledge.measure(spec) for spec in named], rng)
    rows_of_ours = [(spec, found, None) for spec, found in zip(named, ours, strict=True)]
    everything = [*rows, *rows_of_ours]
    if json:
        listed = [{**found.to_dict(), "measure": name, "printed": value} for name, found, value in everything]
        say_json(plain({"rows": listed}))
        return
    header = ("measure", "pairs", "printed", "Pearson", "Spearman", "covariance", "below")
    say(table([agreement_row(*row) for row in everything], header))
    say(
        f"\nThe first {len(METHODS)} rows are the printed columns, computed again; 'printed' is Pearson's as printed."
    )


def agreement_row(name: str, found: "Agreement", printed: float | None) -> tuple[str, ...]:
    """One line of the table."""
    return (
        visible(name, 40),
        f"{found.scored:,}",
        "-" if printed is None else f"{printed:.2f}",
        with_interval(found.pearson),
        with_interval(found.spearman),
        f"{found.covariance:.3f}",
        f"{found.below:,}",
    )


def counts_at(path: Path) -> "CountSource":
    """Counts of documents, from an index or a counts file."""
    from cloven.relatedness.counts import count_source

    try:
        return count_source(path)
    except OSError as fault:
        message = f"cannot be read ({fault.strerror or fault}); name an index or a counts file"
        raise InputError(message, source=str(path)) from fault
