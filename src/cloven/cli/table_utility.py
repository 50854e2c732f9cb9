"""``cloven utility TABLE RELEASE --schema FILE``: how much of a table a published one keeps."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.cli.command import Group
from cloven.cli.console import percent, progress, say, say_json, table, visible
from cloven.cli.places import release_at
from cloven.cli.table_options import fit_rules, read_persons, rules_in
from cloven.cli.values import listed, one_of, share, text, whole
from cloven.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np

    from cloven.measure.tables.queries import Workload
    from cloven.measure.tables.query_error import QueryError
    from cloven.model.published_table import GeneralisedTable, Sliced
    from cloven.model.table import Table

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
        from cloven.measure.tables.utility import usual_workload

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
    from cloven.io.release import read_table_release
    from cloven.measure.tables.utility import table_utility

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
    from cloven.measure.tables.query_error import query_errors
    from cloven.model.shown_cells import understood_by

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
