"""``cloven anonymise METHOD FILE -o OUT``: a command for every method, and the one way in which all of them publish."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from cloven.cli.console import progress, say, say_json, tick, warn
from cloven.cli.ledger import LedgerFolder, told_of_earlier
from cloven.cli.options import Command, Group, asks, takes
from cloven.cli.places import Bounds, MemoryOption, refuse_places, say_places
from cloven.cli.policy import MERGING, PROTECTING, WHAT_TO_PROTECT, Merging, Protecting
from cloven.cli.reading import (
    READING,
    InputFile,
    JsonFlag,
    SchemaFile,
    SeedOption,
    TableFile,
    fit_rules,
    read_data,
    read_persons,
    warn_of_strangers,
)
from cloven.cli.spark import publish_on_spark, refuse_on_spark
from cloven.cli.typed import Typed
from cloven.data.transactions import Transactions
from cloven.errors import ParameterError
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.tables.methods.constraints import Constraint, DistinctL, EntropyL, RecursiveL, TCloseness
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.reading import ReadOptions
from cloven.registry import anonymisers, family_of, part, table_anonymisers
from cloven.settings import setting
from cloven.values import MOST, TEXT, Option, one_of, option, options_of, real, text

app = typer.Typer(help="Anonymise a file: a release to publish and a private key.", no_args_is_help=True)

_PUBLISHED = "OUT is to publish, OUT.private (the key) to keep."
_VERIFIED = f"{_PUBLISHED} Both are verified before anything is written."
_MERGE = "Merge items until whoever knows a protected itemset of somebody finds at least k candidates."
ABOUT = {
    "disassociation": (
        "Split records into chunks that hide who is who.",
        "Split records into chunks so that nobody who knows m items of a record finds fewer than k candidates.",
        _VERIFIED,
    ),
    "coat": (
        "Merge items until a policy is satisfied.",
        _MERGE,
        f"COAT merges the rarest item of a constraint first. {_PUBLISHED}",
    ),
    "pcta": (
        "The same, with the cheapest merges: slower, often better.",
        _MERGE,
        f"PCTA looks for the cheapest merge of all. {_PUBLISHED}",
    ),
    "apriori-km": (
        "Replace items by groups of a taxonomy.",
        "Publish groups of a taxonomy in place of items until any m of them are shared by k people.",
        _VERIFIED,
    ),
    "mondrian": (
        "Coarse rows: everybody looks like k - 1 others.",
        "Mondrian halves the table again and again.",
        _VERIFIED,
    ),
    "slicing": (
        "Cut rows into buckets and columns.",
        "Which parts of a bucket belong together is hidden.",
        _VERIFIED,
    ),
    "ul": (
        "Slicing, and rare values exchanged.",
        "The upper/lower-level method also exchanges rare and common values.",
        _VERIFIED,
    ),
    "anatomy": (
        "Quasi-identifiers apart from sensitive values.",
        "Groups of l rows with l different values.",
        _VERIFIED,
    ),
    "diffgen": (
        "Noisy counts of coarse classes.",
        "Differentially private: rows are made up.",
        _VERIFIED,
    ),
}
"""What each method is for, in a line; what it does; what comes of it."""

HOW = "How to anonymise"
NewFolder = Annotated[
    Path,
    typer.Option(
        "--out", "-o", metavar="OUT", help="New folder for the release; the key goes to OUT.private."
    ),
]
ReleaseFormat = Annotated[
    str,
    asks(one_of("parquet", "json"), "--release-format", help="parquet (a folder), or json (one file)."),
]


@app.callback()
def _group() -> None:
    """Anonymise a file: a release to publish and a private key."""


def _added(name: str, command: Callable[..., None]) -> None:
    """Make it the command of a method."""
    short, *about = ABOUT[name]
    command.__doc__ = "\n\n".join(about)
    app.command(name, cls=Command, short_help=short)(command)


@dataclass(frozen=True)
class Publication:
    """Where and how a release is written and told of.

    Attributes:
        out: the folder to publish; the key goes beside it.
        release_format: ``parquet`` or ``json``.
        ledger: folder in which published releases are noted.
        csv: a file for eyes, and what stands in it.
        allow_unsafe: write even what gives the promise up.
        json: tell it as one JSON object.
        finished: what is done to the result before it is verified and written, given the data.
    """

    out: Path
    release_format: str = "parquet"
    ledger: Path | None = None
    csv: tuple[Path, Callable[[Any], bytes]] | None = None
    allow_unsafe: bool = False
    json: bool = False
    finished: Callable[[Any, Any], Any] | None = None

    def run(self, read: Callable[[], Any], settled: Callable[[Any], Any]) -> None:
        """Read, anonymise, verify, write, tell; ``settled`` gives the method for the data."""
        from cloven.storage.release import places

        start = perf_counter()
        public, private = places(self.out, self.release_format)
        refuse_places(public, private, *([self.csv[0]] if self.csv else []))
        with progress("read") as report:
            data = read()
            method = settled(data)
            result = _anonymised(method, data, report)
            result = result if self.finished is None else self.finished(result, data)
            report("verify and write", 0.0)
            self._write(result, data)
        words = part(result.release, "words")
        figures = words.summary(data, result)
        cautions = [
            *family_of(method).cautions(data, method, result, figures),
            *told_of_earlier(data, self.out, self.ledger),
        ]
        if self.json:
            figures |= {"seconds": round(perf_counter() - start, 3)}
            say_json({"published": str(public), "private": str(private), **figures, "cautions": cautions})
            return
        name, _, rest = setting(method).partition(":")
        say(f"{tick()} {words.headline(method, f'{name}  {rest}'.replace(',', ' '), figures)}")
        say(f"{tick()} verified with the original and the key{words.kept(figures)}")
        for caution in cautions:
            warn(str(caution))
        say_places(public, private)

    def _write(self, result: Any, data: Any) -> None:
        """Write the release, and the CSV file only if the release could be written; or nothing."""
        from cloven.storage.atomic import staged, write_bytes
        from cloven.storage.release import write_release

        with ExitStack() as stack:
            if self.csv is not None:
                (place,) = stack.enter_context(staged(self.csv[0]))
                write_bytes(place, self.csv[1](result.release))
            write_release(
                result,
                self.out,
                original=data,
                format=self.release_format,
                allow_unsafe=self.allow_unsafe,
                allow_seeded=True,  # a seed is asked for, and marked
            )


def _anonymised(method: Any, data: Any, report: Any) -> Any:
    """The release; where l cannot be met and is the one that nobody chose, the message says so."""
    try:
        return method.anonymise(data, report)
    except ParameterError as error:
        usual = next((each.default for each in fields(method) if each.name == "l"), None)
        before, met, after = str(error).partition(" cannot be met")
        if usual is None or before != f"l = {usual}":
            raise
        after = after.replace("choose l of at most", "choose -l of at most")
        message = f"{before}, the default,{met}{after}"
        raise ParameterError(message) from error


# Disassociation; what is not said, the data may decide.


def _disassociation(*, max_cluster_size: str | int | None, **given: Any) -> Disassociation:
    size = _size(max_cluster_size)
    return Disassociation(max_cluster_size=size, ignore_unknown=True, **given)  # the command warns of them


def _size(given: str | int | None) -> int | None:
    if given is None or given == "unlimited":
        return None
    message = f"--max-cluster-size must be a whole number up to {MOST:,} or 'unlimited', got {given!r}"
    try:
        size = int(given)
    except ValueError:
        raise ParameterError(message) from None
    if size > MOST:
        raise ParameterError(message)
    return size


DISASSOCIATION = Group.of(HOW, Disassociation, _disassociation)
OPEN = ("k", "m", "max_cluster_size")


@dataclass(frozen=True)
class Chosen:
    """The options that were given; the data decides about those that were not."""

    given: dict[str, Any]

    def method(self, data: Transactions) -> tuple[Disassociation, list[str]]:
        """The method for this data, and why it is what it is."""
        from cloven.kinds.disassociated.kind import suggested

        wanted = {name: self.given[name] for name in OPEN if self.given[name] is not None}
        if "max_cluster_size" in wanted:
            wanted["max_cluster_size"] = _size(wanted["max_cluster_size"])
        values, reasons = suggested(data, wanted)
        return _disassociation(**{**self.given, **values}), reasons

    def usual(self) -> Disassociation:
        """The method with the usual parameters where none are given: for data that nobody looks at whole."""
        usual = {name: getattr(Disassociation(), name) for name in OPEN if self.given[name] is None}
        return _disassociation(**{**self.given, **usual})


CHOSEN = Group(
    HOW,
    {
        name: replace(asked, default=None, help=f"{asked.help[:-1]}; default: by the data.")
        if name in OPEN
        else asked
        for name, asked in DISASSOCIATION.options.items()
    },
    lambda **given: Chosen(given),
)


Engine = Annotated[
    str, asks(one_of("local", "spark"), "--engine", help="local, or spark for data of many machines.")
]
SparkMaster = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Master of --engine spark, such as local[2]; default: all cores here."),
]


def refuse_master(engine: str, master: str | None) -> None:
    """Refuse a master of Spark where Spark is not asked for."""
    if master is not None and engine != "spark":
        message = "--master is for --engine spark; name that too, or leave it out"
        raise ParameterError(message)


@takes(method=DISASSOCIATION, options=READING)
def disassociation(
    running: typer.Context,
    file: InputFile,
    out: NewFolder,
    method: Disassociation,
    options: ReadOptions,
    release_format: ReleaseFormat = "parquet",
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the chunks to this CSV file, for eyes.")
    ] = None,
    allow_unsafe: Annotated[
        bool, typer.Option("--allow-unsafe", help="Write even what gives the promise up (experiments).")
    ] = False,
    measure_counts: Annotated[
        bool,
        typer.Option(
            "--measure-counts",
            help="Publish four rounded numbers, so that intervals of likely counts hold what they say.",
        ),
    ] = False,
    ledger: LedgerFolder = None,
    engine: Engine = "local",
    master: SparkMaster = None,
    json: JsonFlag = False,
) -> None:
    """The command of disassociation."""
    import numpy as np

    from cloven.kinds.disassociated.files import csv_bytes
    from cloven.kinds.disassociated.measured_tails import measured

    def settled(data: Transactions) -> Disassociation:
        warn_of_typos(method, data)
        return method

    refuse_unsafe(method, allowed=allow_unsafe)
    refuse_master(engine, master)
    refused = {"--release-format json": release_format == "json", "--csv": csv is not None}
    refused |= {"--measure-counts": measure_counts, "--allow-unsafe": allow_unsafe}
    if engine == "spark":
        refuse_on_spark(refused)
        publish_on_spark(file, out, method, options, master or "local[*]", ledger, json=json)
        return
    eyes = None if csv is None else (csv, csv_bytes)
    finished = (
        (lambda result, data: measured(result, data, np.random.default_rng())) if measure_counts else None
    )
    bounds = Bounds(publishing=True, spark=on_spark(running, file, method, refused))
    Publication(out, release_format, ledger, eyes, allow_unsafe, json, finished).run(
        lambda: read_data(file, options, bounds), settled
    )


def on_spark(
    running: typer.Context, file: Path | None, method: Disassociation, refused: Mapping[str, bool]
) -> str:
    """The command that is running now, on Spark; empty if it does not run there, with these options or at all."""
    from cloven.kinds.disassociated.spark.refusal import runs

    if file is None or str(file) == "-" or any(refused.values()) or not runs(method):
        return ""
    return str(Typed.from_context(running).with_words("--engine spark"))


def refuse_unsafe(method: Disassociation, *, allowed: bool) -> None:
    """Refuse what gives the promise up before any work is done."""
    if method.parameters["unsafe"] and not allowed:
        message = (
            f"--small-clusters {method.small_clusters} gives the promise up; choose another, or for experiments use"
            " `cloven anonymise` with --allow-unsafe"
        )
        raise ParameterError(message)


def warn_of_typos(method: Disassociation, data: Any) -> None:
    """Warn of items that the owner named and the data does not hold."""
    warn_of_strangers("--sensitive", method.sensitive, data)
    warn_of_strangers("--utility", [item for group in method.utility_groups for item in group], data)


_added("disassociation", disassociation)


# Methods that generalise items: by a policy, or over a taxonomy.


def _by_policy(name: str) -> Callable[..., None]:
    """The command of a method that follows a policy."""
    maker = anonymisers()[name]

    @takes(
        chosen=Group.of(WHAT_TO_PROTECT, maker, dict),
        protecting=PROTECTING,
        merging=MERGING,
        options=READING,
    )
    def command(
        file: InputFile,
        out: NewFolder,
        chosen: dict[str, Any],
        protecting: Protecting,
        merging: Merging,
        options: ReadOptions,
        release_format: ReleaseFormat = "parquet",
        ledger: LedgerFolder = None,
        seed: SeedOption = None,
        json: JsonFlag = False,
    ) -> None:
        import numpy as np

        drawn = protecting.protect_share is not None
        if seed is not None and not drawn:
            message = "--seed is for --protect-share, which draws lots; leave it out"
            raise ParameterError(message)

        def settled(data: Transactions) -> Any:
            rng, unknown = np.random.default_rng(seed), chosen["ignore_unknown"]
            policy = protecting.settled(data, merging, rng, ignore_unknown=unknown)
            return maker(policy=policy, seeded=drawn and seed is not None, **chosen)

        Publication(out, release_format, ledger, json=json).run(lambda: read_data(file, options), settled)

    return command


@takes(chosen=Group.of(HOW, anonymisers()["apriori-km"], dict), options=READING)
def apriori_km(
    file: InputFile,
    out: NewFolder,
    taxonomy: Annotated[
        Path, typer.Option(metavar="FILE", help="Hierarchy of all items: one per line, leaf;group;...;root.")
    ],
    chosen: dict[str, Any],
    options: ReadOptions,
    release_format: ReleaseFormat = "parquet",
    ledger: LedgerFolder = None,
    json: JsonFlag = False,
) -> None:
    """The command of Apriori over a taxonomy."""
    from cloven.data.taxonomy import read_taxonomy

    Publication(out, release_format, ledger, json=json).run(
        lambda: read_data(file, options),
        lambda _data: anonymisers()["apriori-km"](taxonomy=read_taxonomy(taxonomy), **chosen),
    )


_added("coat", _by_policy("coat"))
_added("pcta", _by_policy("pcta"))
_added("apriori-km", apriori_km)


# Methods for tables of persons.


@dataclass(frozen=True)
class Demands:
    """What else the classes of Mondrian must keep to; together they are its constraints."""

    entropy_l: float | None = option(
        None, real(1), "Sensitive values of a class as varied as so many equally frequent ones.", last=True
    )
    recursive_l: str | None = option(
        None, text("C,L"), "The most frequent value below C times those from the L-th on.", last=True
    )
    t_closeness: float | None = option(
        None, real(0, 1), "Values of a class are spread as in the table, up to this distance.", last=True
    )
    t_distance: Any = option(
        None, one_of("equal", "ordered"), "Of values: equal (default), or ordered by rank.", last=True
    )
    together: str = option(
        "separately",
        text("NAME"),
        "Several sensitive attributes: separately, jointly, or the names of some, jointly.",
        last=True,
    )

    def __post_init__(self) -> None:
        if self.t_distance is not None and self.t_closeness is None:
            message = "t_distance says how --t-closeness is measured; give that too, or leave it out"
            raise ParameterError(message)

    def method(self, *, l: int | None, **given: Any) -> Mondrian:
        """Mondrian with all that its classes must keep to."""
        words = {"separately": "each", "jointly": "jointly"}
        of: Any = words.get(self.together) or tuple(name.strip() for name in self.together.split(","))
        found: list[Constraint] = []
        if self.entropy_l is not None:
            found.append(EntropyL(self.entropy_l, of))
        if self.recursive_l is not None:
            found.append(RecursiveL(*_two_numbers(self.recursive_l), of))
        if self.t_closeness is not None:
            found.append(TCloseness(self.t_closeness, self.t_distance or "equal", of))
        if of == "each":
            return Mondrian(l=l, constraints=tuple(found), **given)
        if l is not None:
            found.insert(0, DistinctL(l, of))
        if not found:
            message = "--together says what sensitive values -l and the like are about; give one of these too"
            raise ParameterError(message)
        return Mondrian(constraints=tuple(found), **given)


def _two_numbers(given: str) -> tuple[float, int]:
    c, _, l = given.partition(",")
    try:
        return float(c), int(l)
    except ValueError:
        message = f"--recursive-l must be a number and a whole number, such as 3,2; got {given!r}"
        raise ParameterError(message) from None


def _mondrian(**given: Any) -> Mondrian:
    demands = {name: given.pop(name) for name in options_of(Demands)}
    return Demands(**demands).method(**given)


def _of_table(group: Group) -> Callable[..., None]:
    """The command of a method for tables."""

    @takes(method=group)
    def command(
        file: TableFile,
        schema: SchemaFile,
        out: NewFolder,
        method: Any,
        csv: Annotated[
            Path | None,
            typer.Option(
                metavar="FILE",
                help="Also write what is published to this CSV file, for eyes and spreadsheets.",
            ),
        ] = None,
        ledger: LedgerFolder = None,
        memory: MemoryOption = None,
        json: JsonFlag = False,
    ) -> None:
        from cloven.kinds.tables.files import table_csv_bytes

        def settled(data: Any) -> Any:
            fit_rules(getattr(method, "rules", ()), data)
            return method

        eyes = None if csv is None else (csv, table_csv_bytes)
        Publication(out, ledger=ledger, csv=eyes, json=json).run(
            partial(read_persons, file, schema, memory), settled
        )

    return command


def _of_all_tables() -> dict[str, Option]:
    """What methods for tables take, each thing once; those that take it are named, and check it."""
    asked: dict[str, Option] = {}
    who: dict[str, list[str]] = {}
    for name, maker in table_anonymisers().items():
        for each, how in options_of(maker).items():
            if each not in ("k", "seed", "rules"):
                word = TEXT if how.value.metavar == "NAME" else how.value
                known = asked.get(each)
                if known is None or len(known.help) < len(how.help):  # the one that lists most words
                    asked[each] = replace(how, default=None, value=word, last=True)
                who.setdefault(each, []).append(name)
    return {
        name: replace(how, help=f"{how.help.rstrip('.')} ({', '.join(who[name])}).")
        for name, how in asked.items()
    }


OF_TABLES = Group("How to anonymise a table (with --schema)", _of_all_tables(), dict)

for named, maker in table_anonymisers().items():
    if named in ABOUT:
        asked = Group.of(HOW, maker)
        if maker is Mondrian:
            asked = Group(HOW, {**asked.options, **options_of(Demands)}, _mondrian)
        _added(named, _of_table(asked))
