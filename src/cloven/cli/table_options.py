"""Reading tables of persons on the command line: TABLE and --schema, written once for every command."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from cloven.audit.memory import estimate_table, refuse_if_too_large
from cloven.cli.console import warn
from cloven.cli.options import Group
from cloven.cli.places import refuse_large_table
from cloven.cli.reading import READING
from cloven.cli.values import Value, listed, number, one_of, share, text, whole
from cloven.errors import InputError, ParameterError, shorten
from cloven.kinds.tables.methods.columns import BinsBy, Distance, Normalisation, Together
from cloven.kinds.tables.methods.constraints import DistinctL, EntropyL, RecursiveL, TCloseness, read_columns
from cloven.kinds.tables.methods.diffgen import Counts, Domains, Score
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.methods.mondrian import Partition as Cutting
from cloven.kinds.tables.methods.slicing import Check, Partition
from cloven.kinds.tables.methods.ul import MEASURES
from cloven.registry import table_anonymisers

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from cloven.data.table import Table
    from cloven.kinds.tables.methods.constraints import Constraint, Sensitive
    from cloven.reading import ReadOptions
    from cloven.reading.schema_file import Rules
    from cloven.reading.tables import LoadedTable


TableFile = Annotated[
    Path,
    typer.Argument(
        help="Table of persons, one in each row: CSV or Parquet.", metavar="TABLE", show_default=False
    ),
]
SchemaFile = Annotated[
    Path,
    typer.Option(
        "--schema", metavar="FILE", help="Roles of the columns, how they are generalised: TOML or JSON."
    ),
]
SchemaOrNone = Annotated[
    Path | None,
    typer.Option(
        "--schema", metavar="FILE", help="Of a published table: schema of the original, TOML or JSON."
    ),
]

SchemaOfFile = Annotated[
    Path | None,
    typer.Option("--schema", metavar="FILE", help="FILE is a table: roles of its columns, TOML or JSON."),
]
RulesFile = Annotated[
    Path | None,
    typer.Option("--rules", metavar="FILE", help="Of a table: values that cannot meet, sex=m, illness=..."),
]


def refuse_of_sets(flags: Iterable[str], instead: str = "leave it out") -> None:
    """Refuse options that mean nothing for a table, rather than pass them over."""
    for flag in flags:
        message = f"{flag} is for sets of items, and with --schema this is a table; {instead}"
        raise ParameterError(message)


def refuse_of_tables(flags: Iterable[str]) -> None:
    """Refuse options that are about tables alone."""
    for flag in flags:
        message = f"{flag} is for tables; give --schema FILE if this is one, or leave it out"
        raise ParameterError(message)


def refuse_reading(options: ReadOptions, taxonomy: Path | None = None) -> None:
    """Refuse what says how sets of items are read: of a table, the schema says it."""
    about_sets = [each.name for each in fields(options) if each.name != "memory"]
    given = READING.given({name: getattr(options, name) for name in about_sets})
    refuse_of_sets(given, "the schema says how it is read")
    if taxonomy is not None:
        refuse_of_sets(["--taxonomy"], "write `tree` into the schema")


def refuse_methods(settings: Iterable[str]) -> None:
    """Refuse settings of methods that are not for tables."""
    for setting in settings:
        if setting.partition(":")[0] not in table_anonymisers():
            known = ", ".join(table_anonymisers())
            message = f"method {setting.partition(':')[0]!r} is not for tables; those that are: {known}"
            raise ParameterError(message)


def named_table(file: Path | None) -> Path:
    """The file of a table, which has to be named: no sample is built in."""
    if file is None:
        message = "--schema speaks of a table, and none is named; give the file too"
        raise ParameterError(message)
    return file


def with_secret(table: Table) -> Table:
    """The table, if it has something to find out: without that, nothing can be attacked and compared."""
    if not table.positions("sensitive"):
        message = (
            'no column has the role "sensitive", so there is nothing that attacks could find out; give it to one, or'
            " anonymise without a search"
        )
        raise ParameterError(message)
    return table


def fit_rules(rules: Iterable[Mapping[str, Collection[str]]], data: Table) -> None:
    """Refuse rules on columns that the table does not have, and warn of values: another table may have them."""
    known = {attribute.name: attribute.values for attribute in data.attributes}
    for line, rule in enumerate(rules, 1):
        for name, values in rule.items():
            if name not in known:
                message = (
                    f"--rules: rule {line} names a column that the table lacks; it has {', '.join(known)}"
                )
                raise InputError(message, value=name)
            strange = [value for value in values if value not in known[name]]
            if strange:
                few = ", ".join(known[name][:6]) + (", ..." if len(known[name]) > 6 else "")
                warn(
                    f"--rules: rule {line} names {shorten(strange[0])}, a value that column {name!r} lacks (it has"
                    f" {few}); check the spelling"
                )


def rules_in(path: Path | None) -> Rules:
    """Rules of a file; none without one."""
    from cloven.reading.schema_file import read_rules

    return () if path is None else read_rules(path)


def load_persons(file: Path, schema: Path, memory: float | None, *, overview: bool = False) -> LoadedTable:
    """Read a table, unless it needs more memory than is allowed: bytes, any if infinite, what is free if None.

    A large file is looked at before it is read, and what was read is looked at again. An ``overview`` is there to tell
    of missing values, so none are refused.
    """
    from cloven.reading.schema_file import read_schema
    from cloven.reading.tables import load_table

    roles = read_schema(schema)
    refuse_large_table(file, roles, memory)
    loaded = load_table(file, roles, overview=overview)
    refuse_if_too_large(estimate_table(loaded.table.codes.size), memory)
    return loaded


def read_persons(file: Path, schema: Path, memory: float | None = None) -> Table:
    """Read a table and warn of what was left out; ``memory`` as of ``load_persons``."""
    loaded = load_persons(file, schema, memory)
    for line in (*map(str, loaded.missing), *loaded.remarks):
        warn(line)
    return loaded.table


# The options of the methods for tables, written once: parameters that a terminal can give, and how they are made.


Option = tuple[Any, str, tuple[str, ...]]
TITLE = "How to anonymise"
_COLUMNS = (
    "Columns: how many for the quasi-identifiers, or which: age+sex/work/illness; default: two in each."
)


def _chosen(kind: Any, words: str) -> Option:
    """One of the words of a type, with what it is about."""
    return one_of(*get_args(kind)), f"{words}: {', '.join(get_args(kind))}.", ()


OPTIONS: dict[str, Option] = {
    "k": (whole(2), "Rows that look alike, or rows of a bucket, at least.", ("-k",)),
    "l": (whole(2), "How well sensitive values are hidden: a chance of at most 1/l, or l different ones.", ("-l",)),
    "mode": (one_of("strict", "relaxed"), "Whether equal values stay on one side of a cut: strict, relaxed.", ()),
    "columns": (Value(object, "N|NAMES", read_columns), _COLUMNS, ()),
    "companions": (whole(0), "Quasi-identifiers that stay beside each sensitive attribute.", ()),
    "together": _chosen(Together, "Several sensitive attributes are protected"),
    "check": _chosen(Check, "Where l holds: over all buckets that may be a person's, or in each bucket"),
    "partition": _chosen(Partition, "How buckets are split"),
    "normalisation": _chosen(Normalisation, "Of the contingency coefficient that tells which attributes hang together"),
    "distance": _chosen(Distance, "Of two attributes"),
    "bins": (whole(2), "Numbers are put into so many bins where attributes are compared.", ()),
    "bins_by": _chosen(BinsBy, "Bins of equal"),
    "swap_rate": (share(0.5), "Cells with a share of at most this are protected; see `cloven cells` first.", ()),
    "protected": (listed(text(), "NAMES"), "Attributes to protect; default: of columns that hang together least.", ()),
    "measure": (one_of(*MEASURES), f"How a cell is measured: {', '.join(MEASURES)}.", ()),
    "rules": (Path | None, "File of values that cannot meet: sex=m, illness=..., one rule in each line.", ()),
    "eps": (number(0, above=True), "Budget of differential privacy: less hides more.", ()),
    "specialisations": (whole(0), "How often the table is refined.", ()),
    "score": _chosen(Score, "What makes a refinement good"),
    "counts": _chosen(Counts, "What becomes of noisy counts"),
    "domains": _chosen(Domains, "Which values are possible: by the schema, or (promising nothing) by the rows"),
    "rate": (number(0, 1, above=True), "Each row is taken with this probability.", ()),
    "noise_on": (one_of("all", "present"), "Sensitive values that get noise: all, present (in the class).", ()),
    "rho": (number(0, 1), "Each row is taken with this probability.", ()),
    "alpha": (number(0, 1), "See the method: spread of a class, or chance that others hold its values.", ()),
    "d": (whole(1), "Linkable values of a class, at least.", ("-d",)),
    "seed": (whole(0), "Draw the same lots again (experiments); marks the release.", ()),
}  # fmt: skip
_HOW_TOGETHER = "Several sensitive attributes: separately, jointly, or the names of some, jointly."
_DEMANDS: dict[str, tuple[Any, Any, str, tuple[str, ...]]] = {
    "entropy_l": (number(1), None, "Sensitive values of a class as varied as so many equally frequent ones.", ()),
    "recursive_l": (text("C,L"), None, "The most frequent value below C times those from the L-th on.", ()),
    "t_closeness": (number(0, 1), None, "Values of a class are spread as in the table, up to this distance.", ()),
    "t_distance": (one_of("equal", "ordered"), None, "Of values: equal (default), or ordered by rank.", ()),
    "together": (text("NAME"), "separately", _HOW_TOGETHER, ()),
}  # fmt: skip


def options_of(name: str, only: tuple[str, ...] | None = None) -> Group:
    """The options of a method, or some of them; each parameter that a terminal can give is one."""
    maker = table_anonymisers()[name]
    usual = {field.name: field.default for field in fields(maker)}  # type: ignore[arg-type]
    if name == "ul":
        del usual["check"]  # there is no choice
    options = {
        field: (kind, None if field == "rules" else usual[field], words, flags)
        for field, (kind, words, flags) in OPTIONS.items()
        if field in usual and (only is None or field in only)
    }
    if name == "mondrian":
        if "partition" in options:
            kind, words, flags = _chosen(Cutting, "Whether sensitive values decide about cuts")
            options["partition"] = (kind, usual["partition"], words, flags)
        return Group(TITLE, options | _DEMANDS, _mondrian)
    return Group(TITLE, options, _made(maker) if "rules" in options else maker)


def _made(maker: Callable[..., Any]) -> Callable[..., Any]:
    """A maker that reads its rules from a file."""

    def made(*, rules: Path | None, **rest: Any) -> Any:
        return maker(rules=rules_in(rules), **rest)

    return made


def _mondrian(
    *,
    k: int,
    l: int | None,
    mode: Any,
    seed: int | None,
    partition: Any,
    together: str,
    t_distance: Any,
    **demands: Any,
) -> Mondrian:
    """Mondrian with all that its classes must keep to."""
    of = _about(together)
    if t_distance is not None and demands["t_closeness"] is None:
        message = "t_distance says how --t-closeness is measured; give that too, or leave it out"
        raise ParameterError(message)
    found = tuple(_demanded(of, t_distance or "equal", **demands))
    if of == "each":
        return Mondrian(k, l, found, mode, seed, partition)
    if l is not None:
        found = (DistinctL(l, of), *found)
    if not found:
        message = "--together says what sensitive values -l and the like are about; give one of these too"
        raise ParameterError(message)
    return Mondrian(k, None, found, mode, seed, partition)


def _about(together: str) -> Sensitive:
    if together in ("separately", "jointly"):
        return "each" if together == "separately" else "jointly"
    return tuple(name.strip() for name in together.split(","))


def _demanded(
    of: Sensitive,
    distance: Any,
    *,
    entropy_l: float | None,
    recursive_l: str | None,
    t_closeness: float | None,
) -> list[Constraint]:
    found: list[Constraint] = []
    if entropy_l is not None:
        found.append(EntropyL(entropy_l, of))
    if recursive_l is not None:
        c, l = _two_numbers(recursive_l)
        found.append(RecursiveL(c, l, of))
    if t_closeness is not None:
        found.append(TCloseness(t_closeness, distance, of))
    return found


def _two_numbers(given: str) -> tuple[float, int]:
    c, _, l = given.partition(",")
    try:
        return float(c), int(l)
    except ValueError:
        message = f"--recursive-l must be a number and a whole number, such as 3,2; got {given!r}"
        raise ParameterError(message) from None
