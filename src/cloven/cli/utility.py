"""``cloven utility ORIGINAL RELEASE``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cloven.cli.console import progress, say, say_json, table
from cloven.cli.options import Group, asks, takes
from cloven.cli.places import release_at, warn_if_broken
from cloven.cli.reading import (
    READING,
    InputFile,
    JsonFlag,
    MeasuringSeed,
    ReleasePath,
    SchemaOrNone,
    TaxonomyFile,
    allowed_memory,
    fit_rules,
    read_data,
    read_hierarchy,
    read_persons,
    refuse_of_sets,
    refuse_of_tables,
    refuse_reading,
    rules_in,
)
from cloven.data.defaults import SEED
from cloven.errors import ParameterError
from cloven.escapes import visible
from cloven.figures import mean, percent
from cloven.reading import ReadOptions
from cloven.registry import part
from cloven.values import FILE, listed, one_of, option, share, text, whole

if TYPE_CHECKING:
    import numpy as np

    from cloven.data.table import Table
    from cloven.kinds.tables.release import GeneralisedTable, Sliced
    from cloven.kinds.tables.utility.queries import QueryError, Workload


# ``cloven utility TABLE RELEASE --schema FILE``: how much of a table a published one keeps.


_HEADER = (
    "query",
    "quasi-identifiers",
    "sensitive value",
    "mean error",
    "median",
    "queries",
    "rows that it means",
)


@dataclass(frozen=True)
class Asked:
    """What is asked of a published table, beside the usual measures."""

    predicates: tuple[int, ...] | None = option(
        None,
        listed(whole(1), "N,N"),
        "Quasi-identifiers in a query, such as 1,3; default 1 to 5, as far as there are so many.",
    )
    sensitive_predicate: str | None = option(
        None, one_of("with", "without", "both"), "Ask about the sensitive value too: with, without, both."
    )
    selectivity: float | None = option(
        None, share(), "A query names up to this share of the values; default 0.5."
    )
    queries: int | None = option(None, whole(1), "Queries of each kind; default 100.")
    aggregate: tuple[str, ...] | None = option(
        None, listed(one_of("count", "avg", "max"), "NAMES"), "List errors of these queries: count,avg,max."
    )
    of: str | None = option(None, text("NAME"), "Column of numbers for avg and max; default: the first.")
    rules: Path | None = option(None, FILE, "File of values that cannot meet: count rows that break a rule.")
    target: str | None = option(None, text("NAME"), "Train a model on the release that tells this column.")
    test: Path | None = option(None, FILE, "Table to test it on, of other persons.")

    def __post_init__(self) -> None:
        if (self.target is None) != (self.test is None):
            message = (
                "--target and --test belong together: what a model is to tell, and the table to test it on"
            )
            raise ParameterError(message)
        if self.of is not None and not {"avg", "max"}.intersection(self.aggregate or ()):
            message = "--of says which numbers --aggregate avg or max are about; give one of these too"
            raise ParameterError(message)

    def workload(self, data: Table) -> Workload:
        """The queries: what is not said is as usual for this table."""
        from cloven.kinds.tables.utility import usual_workload

        usual = usual_workload(data)
        return type(usual)(
            self.predicates or usual.dimensions,
            usual.selectivity if self.selectivity is None else self.selectivity,
            self.sensitive_predicate or usual.sensitive,
            self.queries or usual.queries,
        )


QUERIES = Group.of("Of a published table (--schema)", Asked)


def table_measures(
    original: Path,
    release: Path,
    schema: Path,
    asked: Asked,
    rng: np.random.Generator,
    memory: float | None,
    *,
    json: bool,
) -> None:
    """Measure and tell; what best means stands beside each value."""
    from cloven.kinds.tables.utility import table_utility
    from cloven.storage.release import read_table_release

    rules = rules_in(asked.rules)
    with progress("read") as report:
        published = read_table_release(release_at(release), "--schema")
        warn_if_broken(published, release)
        data = read_persons(original, schema, memory)
        fit_rules(rules, data)
        test = None if asked.test is None else read_persons(asked.test, schema, memory)
        report("measure", 0.0)
        workload = asked.workload(data)
        found = table_utility(
            data,
            published,
            rng,
            suppressed=max(0, len(data) - len(published)),
            workload=workload,
            rules=rules,
            target=asked.target,
            test=test,
        )
        errors = _errors(data, published, workload, asked, rng)
    if json:
        more: dict[str, Any] = {"queries": [asdict(each) for each in errors]} if errors else {}
        say_json(found.to_dict() | more)
        return
    rows = [
        (each.name, f"{each.value:.3f}", each.sentence + ("; 1 is best" if each.best == 1 else ""))
        for each in found.measures
        if each.value is not None
    ]
    say(table(rows, ("measure", "value", "what it means; 0 is best")))
    if errors:
        say("\n" + table([_row(each) for each in errors], _HEADER))


def _errors(
    data: Table,
    published: GeneralisedTable | Sliced,
    workload: Workload,
    asked: Asked,
    rng: np.random.Generator,
) -> list[QueryError]:
    """The error of every kind of query that was asked for."""
    from cloven.kinds.tables.cells import understood_by
    from cloven.kinds.tables.utility.queries import query_errors

    if asked.aggregate is None:
        return []
    queries = workload.draw(data, rng)
    read = understood_by(published, data)
    return [
        each
        for aggregate in dict.fromkeys(asked.aggregate)
        for each in query_errors(
            data, read, queries, rng, aggregate=aggregate, of=None if aggregate == "count" else asked.of
        )
    ]


def _row(each: QueryError) -> tuple[str, ...]:
    of = "" if each.of is None else f" of {visible(each.of, 40)}"
    return (
        f"{each.aggregate}{of}",
        str(each.dimensions),
        "yes" if each.sensitive else "no",
        "-" if each.mean is None else mean(each.mean, each.low, each.high),
        "-" if each.median is None else mean(each.median),
        f"{each.queries:,}",
        "-" if each.selectivity is None else percent(each.selectivity),
    )


USUAL_RECONSTRUCTIONS, USUAL_TOP = 5, 1000


@takes(asked=QUERIES, options=READING)
def utility(
    original: InputFile,
    release: ReleasePath,
    asked: Asked,
    options: ReadOptions,
    schema: SchemaOrNone = None,
    taxonomy: TaxonomyFile = None,
    reconstructions: Annotated[
        int | None,
        asks(whole(1), "--reconstructions", help="Plausible data sets to measure on; default 5."),
    ] = None,
    top: Annotated[
        int | None, asks(whole(1), "--top", help="How many frequent itemsets to compare; default 1000.")
    ] = None,
    seed: MeasuringSeed = SEED,
    json: JsonFlag = False,
) -> None:
    """How much of the data a release keeps: items, pairs, frequent itemsets and the supports of pairs.

    On plausible data sets: of a set-generalised release, with items drawn for every generalised one. Of a published
    table (--schema): errors of counting queries, pairs of attributes, coarseness.
    """
    import numpy as np

    from cloven.kinds.transactions import utility as measure
    from cloven.storage.release import read_set_release

    if schema is not None:
        refuse_reading(options, taxonomy)
        of_sets = {"--reconstructions": reconstructions, "--top": top}
        refuse_of_sets(flag for flag, value in of_sets.items() if value is not None)
        rng, memory = np.random.default_rng(seed), allowed_memory(options)
        table_measures(original, release, schema, asked, rng, memory, json=json)
        return
    refuse_of_tables(QUERIES.given(vars(asked)))
    with progress("read") as report:
        published = read_set_release(
            release_at(release), "`cloven utility` without --schema", "give --schema FILE"
        )
        warn_if_broken(published, release)
        data = read_data(original, options)
        hierarchy = read_hierarchy(taxonomy, data)
        report("measure", 0.0)
        found = measure(
            data,
            published,
            rng=np.random.default_rng(seed),
            reconstructions=reconstructions or USUAL_RECONSTRUCTIONS,
            top=top or USUAL_TOP,
            taxonomy=hierarchy,
            suppressed_records=max(0, len(data) - published.records),
        )
    if json:
        say_json(found.to_dict())
        return
    rows = part(published, "words").utility_rows(found)
    say(table(rows, ("measure", "value", "what it means")))
