"""``cloven anonymise coat|pcta|apriori-km FILE -o OUT``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args

import typer

from cloven.cli.console import progress, say, say_json, tick, warn
from cloven.cli.ledger import LedgerFolder, told_of_earlier
from cloven.cli.options import Group, takes
from cloven.cli.places import refuse_places, say_places
from cloven.cli.reading import READING, InputFile, JsonFlag, SeedOption, read_data, warn_of_strangers
from cloven.cli.values import number, one_of, whole
from cloven.data.defaults import K, M
from cloven.data.transactions import Transactions
from cloven.errors import ParameterError
from cloven.figures import many, percent
from cloven.kinds.generalised.methods.apriori_km import AprioriKm, Search
from cloven.kinds.generalised.methods.by_policy import ByPolicy, Coat, Pcta
from cloven.kinds.generalised.policy import Policy, Reading
from cloven.reading import ReadOptions

if TYPE_CHECKING:
    import numpy as np

    from cloven.kinds.generalised.policy import Groups

# Options that say what a generalisation protects and what it may merge; together they make a policy.


USUAL_LEVEL, USUAL_THRESHOLD = 1, 0.5


class Settled(NamedTuple):
    """A policy, and whether lots decided about it."""

    policy: Policy
    drawn: bool


@dataclass(frozen=True)
class Protecting:
    """What to protect, as told on the command line."""

    k: int
    policy: Path | None
    m: int | None
    protect_share: float | None
    constraint_reading: Reading
    max_suppressed: float
    ignore_unknown: bool

    def settled(self, data: Transactions, merging: Merging, rng: np.random.Generator) -> Settled:
        """The policy for this data."""
        told = [name for name, value in (("--policy", self.policy), ("-m", self.m)) if value is not None]
        if self.protect_share is not None and told:
            message = f"--protect-share draws what to protect, and {told[0]} says it; give one of them"
            raise ParameterError(message)
        policy = self._policy(data, rng)
        groups = merging.groups(data, policy)
        if groups is None:
            return Settled(policy, self.protect_share is not None)
        if policy.groups is not None:
            message = f"the policy has groups of its own; leave them out there, or leave out {merging.told}"
            raise ParameterError(message)
        return Settled(replace(policy, groups=groups), self.protect_share is not None)

    def _policy(self, data: Transactions, rng: np.random.Generator) -> Policy:
        if self.protect_share is not None:
            from cloven.kinds.generalised.policy import random_items

            return random_items(data, self.protect_share, rng)
        if self.policy is None:
            return Policy(all_up_to=M if self.m is None else self.m)
        policy = self._read(self.policy, data)
        if self.m is None or policy.all_up_to == self.m:
            return policy
        if policy.all_up_to:
            message = f"-m {self.m}, but the policy protects combinations up to {policy.all_up_to}; give one of both"
            raise ParameterError(message)
        return replace(policy, all_up_to=self.m)

    def _read(self, path: Path, data: Transactions) -> Policy:
        from cloven.kinds.generalised.policy_files import read_policy

        if not self.ignore_unknown:
            return read_policy(path, data.vocabulary)
        policy = read_policy(path)
        named = [item for items in policy.protected for item in items]
        named += [item for _, items in policy.groups or () for item in items]
        warn_of_strangers("--policy", named, data)
        return policy


@dataclass(frozen=True)
class Merging:
    """What may be merged, as told on the command line; None for what the policy says, or anything."""

    group_taxonomy: Path | None
    level: int | None
    groups_related: str | None
    threshold: float | None

    def __post_init__(self) -> None:
        for flag, value, needed, given in (
            ("--level", self.level, "--group-taxonomy", self.group_taxonomy),
            ("--threshold", self.threshold, "--groups-related", self.groups_related),
        ):
            if value is not None and given is None:
                message = f"{flag} is for {needed}; give that too, or leave it out"
                raise ParameterError(message)
        if self.group_taxonomy is not None and self.groups_related is not None:
            message = "--group-taxonomy and --groups-related both say what may be merged; give one of them"
            raise ParameterError(message)

    @property
    def told(self) -> str:
        """The option that was given."""
        return "--groups-related" if self.group_taxonomy is None else "--group-taxonomy"

    def groups(self, data: Transactions, policy: Policy) -> Groups | None:
        """Groups by taxonomy or by relatedness, of items that the data holds."""
        if self.group_taxonomy is not None:
            from cloven.data.taxonomy import read_taxonomy
            from cloven.kinds.generalised.policy import taxonomy_groups

            found = taxonomy_groups(read_taxonomy(self.group_taxonomy), self.level or USUAL_LEVEL)
            held = set(data.vocabulary)
            inside = ((name, tuple(item for item in items if item in held)) for name, items in found)
            return tuple((name, items) for name, items in inside if items)
        if self.groups_related is None:
            return None
        from cloven.kinds.generalised.policy import related_groups
        from cloven.relatedness.spec import parse

        related = parse(self.groups_related).relate(data.vocabulary)
        threshold = USUAL_THRESHOLD if self.threshold is None else self.threshold
        held = set(data.vocabulary)
        listed = [items for items in policy.protected if held.issuperset(items)]
        return related_groups(data.vocabulary, related, threshold, None if policy.all_up_to else listed)


PROTECTING = Group(
    "What to protect",
    {
        "k": (whole(), K, "Whoever knows a protected itemset has this many candidates.", ("-k",)),
        "policy": (Path | None, None, "File of itemsets to protect and groups to merge in.", ()),
        "m": (whole(1), None, f"Protect any combination of so many items; default without a policy: {M}.", ("-m",)),
        "protect_share": (number(0, 1, above=True), None, "Protect a random share of the items (experiments).", ()),
        "constraint_reading": (
            one_of(*get_args(Reading)), "subsets-too", f"An itemset nobody has: {', '.join(get_args(Reading))}.", (),
        ),
        "max_suppressed": (number(0, 1), 0.0, "Largest share of the items that may be suppressed.", ()),
        "ignore_unknown": (bool, False, "Go on if the policy names items the data lacks.", ("--ignore-unknown",)),
    },
    Protecting,
)  # fmt: skip
MERGING = Group(
    "What may be merged; default: what the policy says, or anything",
    {
        "group_taxonomy": (Path | None, None, "Items of one group of a taxonomy: leaf;group;...;root.", ()),
        "level": (whole(1), None, "How many steps above the items; default 1.", ()),
        "groups_related": (str | None, None, "What is related: wordnet:PATH, vectors:FILE, ...", ()),
        "threshold": (number(), None, "How related, at least; default 0.5, made for wordnet.", ()),
    },
    Merging,
)  # fmt: skip


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
        "k": (whole(), K, "Everybody keeps at least this many candidates.", ("-k",)),
        "m": (whole(), M, "How many items of one record an attacker may know.", ("-m",)),
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
    from cloven.data.taxonomy import read_taxonomy

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
    from cloven.kinds.generalised.words import cautions, summary
    from cloven.storage.ledger_file import check_ledger
    from cloven.storage.release import places, write_release

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
