"""``cloven utility ORIGINAL RELEASE``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cloven.cli.console import progress, say, say_json, table, visible
from cloven.cli.options import Group, takes
from cloven.cli.places import release_at
from cloven.cli.reading import (
    READING,
    InputFile,
    JsonFlag,
    ReleasePath,
    SeedOption,
    TaxonomyFile,
    allowed_memory,
    read_data,
    read_hierarchy,
)
from cloven.cli.table_options import (
    SchemaOrNone,
    fit_rules,
    read_persons,
    refuse_of_sets,
    refuse_of_tables,
    refuse_reading,
    rules_in,
)
from cloven.cli.values import listed, one_of, share, text, whole
from cloven.errors import ParameterError
from cloven.figures import percent
from cloven.kinds.disassociated.utility import UtilityReport
from cloven.kinds.generalised.utility import GeneralisedUtility
from cloven.reading import ReadOptions
from cloven.statistics.intervals import Sampled

if TYPE_CHECKING:
    import numpy as np

    from cloven.data.table import Table
    from cloven.kinds.tables.release import GeneralisedTable, Sliced
    from cloven.kinds.tables.utility.queries import QueryError, Workload


# ``cloven utility TABLE RELEASE --schema FILE``: how much of a table a published one keeps.


MOST_PREDICATES = 5
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

    predicates: tuple[int, ...] | None
    sensitive_predicate: str | None
    selectivity: float | None
    queries: int | None
    aggregate: tuple[str, ...] | None
    of: str | None
    rules: Path | None
    target: str | None
    test: Path | None

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


_PREDICATES = "Quasi-identifiers in a query, such as 1,3; default 1 to 5, as far as there are so many."
QUERIES = Group(
    "Of a published table (--schema)",
    {
        "predicates": (listed(whole(1), "N,N"), None, _PREDICATES, ()),
        "sensitive_predicate": (
            one_of("with", "without", "both"), None, "Ask about the sensitive value too: with, without, both.", (),
        ),
        "selectivity": (share(), None, "A query names up to this share of the values; default 0.5.", ()),
        "queries": (whole(1), None, "Queries of each kind; default 100.", ()),
        "aggregate": (
            listed(one_of("count", "avg", "max"), "NAMES"), None, "List errors of these queries: count,avg,max.", (),
        ),
        "of": (text("NAME"), None, "Column of numbers for avg and max; default: the first.", ()),
        "rules": (Path | None, None, "File of values that cannot meet: count rows that break a rule.", ()),
        "target": (text("NAME"), None, "Train a model on the release that tells this column.", ()),
        "test": (Path | None, None, "Table to test it on, of other persons.", ()),
    },
    Asked,
)  # fmt: skip


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
    missing = each.mean is None or each.low is None or each.high is None or each.median is None
    return (
        f"{each.aggregate}{of}",
        str(each.dimensions),
        "yes" if each.sensitive else "no",
        "-" if missing else f"{each.mean:.3f} [{each.low:.3f} - {each.high:.3f}]",
        "-" if missing else f"{each.median:.3f}",
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
        whole(1).option("--reconstructions", help="Plausible data sets to measure on; default 5."),
    ] = None,
    top: Annotated[
        int | None, whole(1).option("--top", help="How many frequent itemsets to compare; default 1000.")
    ] = None,
    seed: SeedOption = None,
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
    rows = generalised_rows(found) if isinstance(found, GeneralisedUtility) else utility_rows(found)
    say(table(rows, ("measure", "value", "what it means")))


def sampled(value: Sampled | None) -> str:
    """A mean with its interval."""
    if value is None:
        return "-"
    interval = "" if value.low is None or value.high is None else f" [{value.low:.3f} - {value.high:.3f}]"
    return f"{value.mean:.3f}{interval}"


def utility_rows(found: UtilityReport) -> list[tuple[str, str, str]]:
    """The lines of the table: measure, value, what it means."""
    rows = [
        ("items kept", percent(found.items_kept), "item occurrences that stay in record or shared chunks"),
        ("pairs kept", percent(found.pairs_kept), "pairs of items of a record that stay together"),
        ("tlost only", percent(found.tlost_only), "frequent items found only in term chunks"),
        ("tlost any", percent(found.tlost_any), "frequent items found in some term chunk"),
        ("tKd", sampled(found.tkd), f"top {found.top:,} itemsets lost, on reconstructed data"),
        ("tKd chunks", f"{found.tkd_chunks:.3f}", "the same from what is certain"),
        (
            "re",
            sampled(found.re),
            f"relative error of {found.re_pairs:.0f} pair supports, 0 to 2, reconstructed",
        ),
        (
            "re chunks",
            "-" if found.re_chunks is None else f"{found.re_chunks:.3f}",
            "the same from what is certain",
        ),
    ]
    if found.tkd_ml2 is not None:
        rows.insert(6, ("tKd-ML2", sampled(found.tkd_ml2), "the same on all levels of the taxonomy"))
    if found.suppressed_records:
        share = percent(found.suppressed_share)
        rows.append(
            ("suppressed", f"{found.suppressed_records:,} ({share})", "records that are not published")
        )
    return rows


def generalised_rows(found: GeneralisedUtility) -> list[tuple[str, str, str]]:
    """The same for a set-generalised release, whose loss is told as well."""
    from cloven.kinds.generalised.kind import measures

    rows = [
        (
            each.name,
            "-"
            if each.value is None
            else sampled(Sampled(each.value, each.low, each.high, ()))
            if each.best == 0
            else percent(each.value),
            each.sentence,
        )
        for each in measures(found)
    ]
    loss = "-" if found.log2_utility_loss is None else f"2^{found.log2_utility_loss:.1f}"
    density = "-" if found.density is None else percent(found.density)
    rows.insert(4, ("utility loss", loss, "of COAT: sets that generalised items could stand for"))
    rows.append(("density", density, "items of a generalised item that a record really has, on average"))
    return rows
