"""``cloven tune [FILE] --max-risk R --min-utility U``, and ``cloven tune TABLE --schema FILE``."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cloven._version import __version__
from cloven.audit.beside import beside_earlier, judged_before
from cloven.audit.decision import MAX_RISK, Limits
from cloven.audit.report import AuditReport
from cloven.cli.audit import (
    ACCEPTED_RISK,
    ACCEPTED_TAIL,
    ACCEPTED_UTILITY,
    OTHER_DATA,
    OTHER_RELEASE,
    RELATEDNESS,
    knowledge_in,
    refuse_lone_data,
    with_shared,
)
from cloven.cli.console import dot, progress, say, say_json, table, warn
from cloven.cli.ledger import LedgerFolder, tried_with
from cloven.cli.options import Group, takes
from cloven.cli.places import refuse_places
from cloven.cli.reading import (
    READING,
    JsonFlag,
    RulesFile,
    SchemaOfFile,
    SeedOption,
    TaxonomyFile,
    allowed_memory,
    fit_rules,
    named_table,
    read_data,
    read_hierarchy,
    read_persons,
    refuse_methods,
    refuse_of_sets,
    refuse_of_tables,
    refuse_reading,
    rules_in,
)
from cloven.data.defaults import K, L, M
from cloven.disclosure.risk import MAX_TAIL
from cloven.errors import GuaranteeError, ParameterError
from cloven.escapes import visible
from cloven.figures import estimated, many, percent
from cloven.reading import ReadOptions
from cloven.storage.ledger import Ledger
from cloven.threats import Effort
from cloven.tuning import Tune, Tuned
from cloven.values import FILE, TEXT, option, real, whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cloven.data.table import Table
    from cloven.data.taxonomy import Taxonomy
    from cloven.data.transactions import Transactions
    from cloven.reading.schema_file import Rules
    from cloven.tuning.result import Point, Trial


@dataclass(frozen=True)
class Search:
    """What an owner asks of a search."""

    max_risk: float = option(MAX_RISK, real(0, 1), ACCEPTED_RISK)
    max_tail: float = option(MAX_TAIL, real(0, 1), ACCEPTED_TAIL)
    min_utility: float = option(0.0, real(0, 1), ACCEPTED_UTILITY)
    utility_measure: str = option("", TEXT, "Measure of utility; default: the family's first.")
    k: int = option(K, whole(2), "Everybody keeps at least this many candidates; more is tried too.")
    m: int | None = option(
        None, whole(1), f"How many items an attacker may know; more is tried too; default {M}."
    )
    l: int | None = option(
        None, whole(2), "Of a table: a chance of 1/l, or l values; more is tried too; default 2."
    )
    methods: str | None = option(
        None,
        TEXT,
        "Methods to search: disassociation (default), coat, pcta, apriori-km; of a table mondrian, slicing, ul"
        " (default: these three), anatomy, ...",
    )
    vary: str | None = option(None, TEXT, "Parameters to vary, by name; default: all that are declared.")
    fix: str | None = option(None, TEXT, "Parameters that stay: name=value,name=value.")
    objective: str = option("worst", TEXT, "Risk to minimise: worst, worst-value, mean, threat:NAME.")
    relatedness: str | None = option(None, TEXT, RELATEDNESS)
    other_release: Path | None = option(None, FILE, OTHER_RELEASE)
    other_data: Path | None = option(None, FILE, OTHER_DATA)
    trials: int = option(40, whole(1), "Settings to try, with those of earlier runs of the study.")
    seconds: float | None = option(None, real(0), "Begin no further setting after this time.")

    def __post_init__(self) -> None:
        refuse_lone_data(self.other_release, self.other_data)

    def of_sets(self, *, sample: bool, taxonomy: Taxonomy | None, seed: int | None) -> Tune:
        """The search for sets of items; vectors for the words of the built-in sample come with it."""
        from cloven.registry import anonymisers
        from cloven.tuning.tune import trial_effort

        promise = {"k": self.k, "m": M if self.m is None else self.m}
        fixed = self._fixed(promise, anonymisers()) | self._taxonomy(taxonomy)
        spec = self.relatedness or ("sample" if sample else None)
        return self._tune(promise, fixed, spec, trial_effort(taxonomy), seed)

    def of_table(self, rules: Rules, seed: int | None) -> Tune:
        """The search for a table; methods that heed rules get them, and rows that break one are counted of all."""
        from cloven.registry import table_anonymisers
        from cloven.tuning.tune import trial_effort

        refuse_of_sets(TUNING.given({"m": self.m}))
        makers = table_anonymisers()
        named = makers if self.methods is None else _names(self.methods)
        refuse_methods(named)
        promise = {"k": self.k, "l": L if self.l is None else self.l}
        heeded = rules and any(hasattr(makers.get(name), "rules") for name in named)
        fixed = self._fixed(promise, makers) | ({"rules": rules} if heeded else {})
        return self._tune(promise, fixed, self.relatedness, replace(trial_effort(), rules=rules), seed)

    def _tune(
        self,
        promise: dict[str, int],
        fixed: dict[str, Any],
        relatedness: str | None,
        effort: Effort,
        seed: int | None,
    ) -> Tune:
        from cloven.tuning.objectives import objective

        return Tune(
            None if self.methods is None else _names(self.methods),
            k=promise["k"],
            m=promise.get("m", M),
            l=promise.get("l", L),
            limits=Limits(self.max_risk, self.min_utility, self.utility_measure, self.max_tail),
            knowledge=knowledge_in(relatedness, self.other_release),
            effort=effort,
            objective=objective(self.objective),
            trials=self.trials,
            seconds=self.seconds,
            fix=fixed,
            vary=None if self.vary is None else _names(self.vary),
            seed=seed,
        )

    def _taxonomy(self, taxonomy: Taxonomy | None) -> dict[str, Any]:
        """The taxonomy, if a method works on one."""
        from cloven.registry import anonymisers

        named = [] if self.methods is None else _names(self.methods)
        known = anonymisers()
        needy = [name for name in named if hasattr(known.get(name), "taxonomy")]
        if needy and taxonomy is None:
            message = f"{needy[0]} needs a taxonomy of the items; give --taxonomy FILE"
            raise ParameterError(message)
        return {"taxonomy": taxonomy} if needy else {}

    def _fixed(self, promise: dict[str, int], known: Iterable[str]) -> dict[str, Any]:
        """Values of --fix; each is read as a setting of the first method that has such a parameter."""
        from cloven.settings import parse_setting

        methods = tuple(known) if self.methods is None else _names(self.methods)
        out: dict[str, Any] = {}
        for part in _names(self.fix or ""):
            name = part.partition("=")[0].strip().replace("-", "_")
            errors = []
            for method in methods:
                try:
                    out[name] = getattr(parse_setting(f"{method}:{part}", **{**promise, **out}), name)
                    break
                except ParameterError as error:
                    errors.append(str(error))
            else:
                message = f"--fix: {errors[0]}"
                raise ParameterError(message)
        return out


def _names(text: str) -> tuple[str, ...]:
    return tuple(word for word in (each.strip() for each in text.replace(";", ",").split(",")) if word)


TUNING = Group.of("What to accept, and what to search", Search)


@takes(search=TUNING, options=READING)
def tune(
    search: Search,
    options: ReadOptions,
    file: Annotated[
        Path | None, typer.Argument(help="Data; without it the built-in sample clinic.", metavar="FILE")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="OUT", help="New folder; default cloven-tune, or the next free number."
        ),
    ] = None,
    study: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where the search is kept, to go on later; default OUT.study."),
    ] = None,
    schema: SchemaOfFile = None,
    rules: RulesFile = None,
    taxonomy: TaxonomyFile = None,
    ledger: LedgerFolder = None,
    seed: SeedOption = None,
    json: JsonFlag = False,
) -> None:
    """Search for the setting that keeps most within the limits, and audit it.

    OUT (release and report.html) is to publish; OUT.private and the study are to keep. A search that was interrupted
    goes on when the same command is given again. If no setting holds, nothing is published and the exit code is 1.
    With --schema, FILE is a table of persons.
    """
    target = out or _free_name()
    public, private = _places(target)
    refuse_places(public, private)
    kept = study or target.with_name(f"{target.name}.study")
    with progress("read") as report:
        if schema is not None:
            refuse_reading(options, taxonomy)
            asked = search.of_table(rules_in(rules), seed)
            data: Any = with_secret(read_persons(named_table(file), schema, allowed_memory(options)))
            fit_rules(asked.effort.rules, data)
            others = (search.other_release, search.other_data)
            asked = replace(asked, knowledge=with_shared(asked.knowledge, data, schema, *others))
        else:
            of_tables = {"l": search.l, "other_data": search.other_data}
            refuse_of_tables([*TUNING.given(of_tables), *([] if rules is None else ["--rules"])])
            data = read_data(file, options)
            hierarchy = read_hierarchy(taxonomy, data)
            asked = search.of_sets(sample=file is None, taxonomy=hierarchy, seed=seed)
        tuned = asked.run(data, kept, report)
        title = "sample clinic" if file is None else file.name
        found = tuned.audit(data, _full(asked.effort), report, title)
        if found is not None:
            known = Ledger.read(target.parent, ledger)
            tried = tried_with(search.other_release)
            found = beside_earlier(found, known.earlier(data), tried, doubts=known.doubts)
            found = judged_before(found, known)
        holds = found is not None and found.decision.verdict == "publish"
        if found is not None and holds:
            report("write", 1.0)
            found.write(target, ledger)
    where = {"study": str(kept)}
    if holds:
        where |= {
            "published": str(public / "published"),
            "report": str(public / "report.html"),
            "private": str(private),
        }
    for doubt in tuned.doubts:
        warn(doubt)
    _say(tuned, found, where, json, data)
    if not holds:
        raise typer.Exit(GuaranteeError.exit_code)


def with_secret(table: Table) -> Table:
    """The table, if it has something to find out: without that, nothing can be attacked and compared."""
    if not table.positions("sensitive"):
        message = (
            'no column has the role "sensitive", so there is nothing that attacks could find out; give it to one, or'
            " anonymise without a search"
        )
        raise ParameterError(message)
    return table


def _full(trial: Effort) -> Effort:
    """What a setting is audited with: the measures of a trial, more thoroughly."""
    return Effort(taxonomy=trial.taxonomy, rules=trial.rules)


def _places(target: Path) -> tuple[Path, Path]:
    from cloven.storage.release import places

    return places(target)


def _free_name() -> Path:
    """``cloven-tune``, or the first ``cloven-tune-2``, ``-3``, ... that is free; a study alone is to be continued."""
    for number in count(1):
        path = Path("cloven-tune" if number == 1 else f"cloven-tune-{number}")
        if not any(os.path.lexists(place) for place in _places(path)):
            return path
    raise AssertionError


def _say(
    tuned: Tuned,
    found: AuditReport | None,
    where: dict[str, str],
    json: bool,
    data: Transactions | Table,
) -> None:
    if json:
        confirmed = found.outcome.name if found and "published" in where else None
        audited = None if found is None else found.to_dict()
        say_json({**tuned.to_dict(), "published": confirmed, "audit": audited, "places": where})
    else:
        tell(tuned, found, data)
        words = {
            "published": "published",
            "report": "report",
            "private": "yours alone",
            "study": "the search",
        }
        say(
            "\n"
            + "\n".join(f"{word:<12} {visible(where[name])}" for name, word in words.items() if name in where)
        )


# What a search found, in lines that an owner understands.


MOST_ROWS = 12


def tell(tuned: Tuned, found: AuditReport | None, data: Transactions | Table) -> None:
    """All lines of a search, up to where its files are."""
    for line in _heading(tuned, data):
        say(line)
    holds = found is not None and found.decision.verdict == "publish"
    name = found.outcome.name if found and holds else None
    say("\n" + picture(tuned, name))
    say(table(_rows(tuned, name), ("setting", "worst risk", "broken", tuned.score_words, "")) + "\n")
    say(tuned.sentence)
    say(tuned.comparison)
    if found is None and tuned.satisfied:
        say(
            "Measured again in full, none of them holds: the best of many is often lucky. Nothing was written."
        )
    elif found is None:
        say("Nothing was written: accept more risk or less utility, vary more, or try more settings.")
    elif not holds:
        say(
            f"Audited in full, {found.outcome.name} holds by itself. {found.decision.sentence} Nothing was written."
        )
        for reason in found.decision.reasons:
            warn(str(reason))
    else:
        worst = found.outcome.worst
        said = "" if worst is None else f" {worst.sentence}"
        say(f"Audited in full, {found.outcome.name} holds.{said}")
        for caution in found.cautions:
            warn(str(caution))


def _heading(tuned: Tuned, data: Transactions | Table) -> list[str]:
    states = [trial.state for trial in tuned.trials]
    on = f"a sample of {many(tuned.records, data.noun)}"
    if tuned.records == len(data):
        on = f"all {many(len(data), data.noun)}"
    parts = [f"{many(states.count('finished'), 'setting')} measured on {on}"]
    if states.count("pruned"):
        parts.append(f"{states.count('pruned')} given up on {tuned.sample_records:,} of them")
    if states.count("impossible"):
        parts.append(f"{states.count('impossible')} impossible")
    if tuned.exhausted:
        parts.append("nothing else to try")
    lines = [f" {dot()} ".join((f"cloven {__version__}", *parts))]
    for one in tuned.space:
        lines += wrap(f"{one.name}: {one.words()}", 116, initial_indent="  ", subsequent_indent="    ")
    return lines


def _rows(tuned: Tuned, audited: str | None) -> list[tuple[str, ...]]:
    """The front, with the default and the chosen setting, by rising risk."""
    shown = list({tuned.point(trial): trial for trial in reversed(tuned.front)}.values())[
        ::-1
    ]  # of equal ones, one
    if len(shown) > MOST_ROWS:  # evenly over the front
        last = len(shown) - 1
        shown = [shown[here * last // (MOST_ROWS - 1)] for here in range(MOST_ROWS)]
    extra = [trial for trial in tuned.finished if trial.name in (tuned.default_name, audited)]
    every = {trial.name: trial for trial in (*shown, *extra)}
    ranked = sorted(every.values(), key=lambda trial: (tuned.point(trial).risk, -tuned.point(trial).utility))
    return [_row(tuned, trial, audited) for trial in ranked]


def _row(tuned: Tuned, trial: Trial, audited: str | None) -> tuple[str, ...]:
    outcome = trial.outcome
    if outcome is None:
        raise ValueError(trial.name)
    marks = {
        "chosen": trial.name == audited,
        "default": trial.name == tuned.default_name,
        "not on the front": trial not in tuned.front,
    }
    return (
        trial.name if len(tuned.space) > 1 else trial.name.partition(":")[2],
        _risk(tuned, trial),
        f"{outcome.broken:,}" if outcome.broken else "-",
        percent(tuned.point(trial).utility),
        ", ".join(word for word, true in marks.items() if true),
    )


def _risk(tuned: Tuned, trial: Trial) -> str:
    """The worst attack with its interval; the objective alone where it is something else."""
    worst = None if trial.outcome is None else trial.outcome.worst
    if tuned.tune.objective.name != "worst" or worst is None or worst.judged is None:
        return percent(tuned.point(trial).risk)
    return estimated(worst.judged)


# Risk against utility as a small picture of letters.


WIDE, HIGH = 56, 12


def picture(tuned: Tuned, audited: str | None) -> str:
    """Every setting that was measured: front, default, chosen one and the rest; the best place is top left."""
    marks = [(tuned.point(trial), dot()) for trial in tuned.finished]
    marks += [(tuned.point(trial), "x") for trial in tuned.finished if tuned.point(trial).broken]
    marks += [(tuned.point(trial), "o") for trial in tuned.front if not tuned.point(trial).broken]
    marks.append((tuned.point(tuned.default), "D"))
    marks += [(tuned.point(trial), "*") for trial in tuned.finished if trial.name == audited]
    legend = f"o front   {dot()} beaten   x breaks a promise   D default" + ("   * chosen" if audited else "")
    return "\n".join([f"  {tuned.score_words}", *_drawn(marks), f"{'':12}{legend}", ""])


def _drawn(marks: list[tuple[Point, str]]) -> list[str]:
    risks, utilities = [point.risk for point, _ in marks], [point.utility for point, _ in marks]
    left, right = _ends(risks)
    bottom, top = _ends(utilities)
    grid = [[" "] * WIDE for _ in range(HIGH)]
    for point, mark in marks:  # later marks are more important
        column = round((point.risk - left) / (right - left) * (WIDE - 1))
        row = round((top - point.utility) / (top - bottom) * (HIGH - 1))
        grid[row][column] = mark
    labels = {0: percent(top), HIGH - 1: percent(bottom)}
    lines = [f"  {labels.get(row, ''):>8} |{''.join(cells)}".rstrip() for row, cells in enumerate(grid)]
    ends = f"{percent(left)} {'risk':^{WIDE - len(percent(left)) - len(percent(right)) - 2}} {percent(right)}"
    return [*lines, f"  {'':8} +{'-' * WIDE}", f"  {'':8}  {ends}"]


def _ends(values: list[float]) -> tuple[float, float]:
    """The range of an axis; never empty."""
    low, high = min(values), max(values)
    return (low, high) if high - low > 1e-9 else (low - 0.005, high + 0.005)
