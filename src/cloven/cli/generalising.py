"""``cloven anonymise coat|pcta|apriori-km FILE -o OUT``."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, get_args

import typer

from cloven.anonymise.generalisation.apriori_km import AprioriKm, Search
from cloven.anonymise.generalisation.by_policy import ByPolicy
from cloven.anonymise.generalisation.coat import Coat
from cloven.anonymise.generalisation.pcta import Pcta
from cloven.cli.anonymise import say_places
from cloven.cli.command import Group, takes
from cloven.cli.console import many, percent, progress, say, say_json, tick, warn
from cloven.cli.ledger import LedgerFolder, told_of_earlier
from cloven.cli.places import refuse_places
from cloven.cli.protecting import MERGING, PROTECTING, Merging, Protecting
from cloven.cli.reading import READING, InputFile, JsonFlag, SeedOption, read_data
from cloven.cli.values import one_of, whole
from cloven.errors import ParameterError
from cloven.io.readers import ReadOptions
from cloven.model.transactions import Transactions

NewFolder = Annotated[
    Path,
    typer.Option(
        "--out", "-o", metavar="OUT", help="New folder for the release; the key goes to OUT.private."
    ),
]
ReleaseFormat = Annotated[
    str,
    one_of("parquet", "json").option("--release-format", help="parquet (a folder), or json (one file)."),
]


@dataclass(frozen=True)
class Place:
    """Where the release goes."""

    out: Path
    release_format: str
    ledger: Path | None
    json: bool


def _by_policy(maker: type[ByPolicy], about: str) -> Callable[..., None]:
    """The command of a method that follows a policy."""

    @takes(protecting=PROTECTING, merging=MERGING, options=READING)
    def command(
        file: InputFile,
        out: NewFolder,
        protecting: Protecting,
        merging: Merging,
        options: ReadOptions,
        release_format: ReleaseFormat = "parquet",
        ledger: LedgerFolder = None,
        seed: SeedOption = None,
        json: JsonFlag = False,
    ) -> None:
        import numpy as np

        if seed is not None and protecting.protect_share is None:
            message = "--seed is for --protect-share, which draws lots; leave it out"
            raise ParameterError(message)

        def method(data: Transactions) -> ByPolicy:
            policy, drawn = protecting.settled(data, merging, np.random.default_rng(seed))
            return maker(
                k=protecting.k,
                policy=policy,
                max_suppressed=protecting.max_suppressed,
                reading=protecting.constraint_reading,
                ignore_unknown=protecting.ignore_unknown,
                seeded=drawn and seed is not None,
            )

        _generalise(file, options, method, Place(out, release_format, ledger, json))

    command.__doc__ = about
    return command


coat = _by_policy(
    Coat,
    """Merge items until whoever knows a protected itemset of somebody finds at least k candidates.

    COAT merges the rarest item of a constraint first. OUT is to publish, OUT.private (the key) to keep.
    """,
)
pcta = _by_policy(
    Pcta,
    """Merge items until whoever knows a protected itemset of somebody finds at least k candidates.

    PCTA looks for the cheapest merge of all. OUT is to publish, OUT.private (the key) to keep.
    """,
)

APRIORI = Group(
    "How to anonymise",
    {
        "k": (whole(), 5, "Everybody keeps at least this many candidates.", ("-k",)),
        "m": (whole(), 2, "How many items of one record an attacker may know.", ("-m",)),
        "search": (one_of(*get_args(Search)), "refined", f"How groups are found: {', '.join(get_args(Search))}.", ()),
    },
    dict,
)  # fmt: skip


@takes(chosen=APRIORI, options=READING)
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
    """Publish groups of a taxonomy in place of items until any m of them are shared by k people.

    OUT is to publish, OUT.private (the key) to keep. Both are verified before anything is written.
    """
    from cloven.model.taxonomy import read_taxonomy

    _generalise(
        file,
        options,
        lambda _data: AprioriKm(taxonomy=read_taxonomy(taxonomy), **chosen),
        Place(out, release_format, ledger, json),
    )


def _generalise(
    file: Path, options: ReadOptions, method_for: Callable[[Transactions], Any], place: Place
) -> None:
    """Read, anonymise, verify, write, tell."""
    from cloven.families.generalisation_words import cautions, summary
    from cloven.io.ledger_file import check_ledger
    from cloven.io.release import places, write_release

    start = perf_counter()
    public, private = places(place.out, place.release_format)
    refuse_places(public, private)
    check_ledger(place.ledger)
    with progress("read") as report:
        data = read_data(file, options)
        method = method_for(data)
        result = method.anonymise(data, report)
        report("verify and write", 0.0)
        write_release(
            result,
            place.out,
            original=data,
            format=place.release_format,
            allow_seeded=True,  # asked for with --seed, and marked
            ledger=place.ledger,
        )
    figures = summary(data, result) | {"seconds": round(perf_counter() - start, 3)}
    told = [*cautions(figures, method), *told_of_earlier(data, place.out, place.ledger)]
    if place.json:
        say_json({"published": str(public), "private": str(private), **figures, "cautions": told})
        return
    say(f"{tick()} {describe_method(method)}: {describe_release(figures)}")
    kept = (
        f"{percent(figures['items_kept'])} of the items are published as they are, NCP {figures['ncp']:.4f}"
    )
    say(f"{tick()} verified with the original and the key; {kept}")
    for caution in told:
        warn(caution)
    say_places(public, private)


def describe_method(method: Any) -> str:
    """One line on the method and what it protects."""
    name, policy = method.parameters["method"], getattr(method, "policy", None)
    if policy is None:
        return f"{name}  k={method.k} m={method.m}"
    listed = [many(len(policy.protected), "listed itemset")] if policy.protected else []
    combined = [f"m={policy.all_up_to}"] if policy.all_up_to else []
    groups = [] if policy.groups is None else [many(len(policy.groups), "utility group")]
    return f"{name}  k={method.k} " + ", ".join([*combined, *listed, *groups])


def describe_release(figures: dict[str, int | float]) -> str:
    """One line on what a release is made of."""
    merged = many(figures["generalised_items"], "generalised item")
    largest = f", the largest of {figures['largest_block']:,}" if figures["generalised_items"] else ""
    return f"{many(figures['items'], 'item')} in {many(figures['blocks'], 'block')}, {merged}{largest}"
