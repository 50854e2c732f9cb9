"""The options of audits, written once for every command that audits: whom to fear, what to accept, how hard to try."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.audit.decision import MAX_RISK, Limits
from cloven.cli.options import Group
from cloven.cli.places import Bounds
from cloven.cli.values import number
from cloven.disclosure.risk import MAX_TAIL
from cloven.errors import ClovenError, ParameterError
from cloven.kinds.tables.threats import shared_rows
from cloven.reading.schema_file import read_schema
from cloven.reading.tables import read_table
from cloven.storage.fingerprint import fingerprint
from cloven.storage.receipt import read_receipt
from cloven.storage.release import places
from cloven.threats import Effort, Knowledge, OtherRelease

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cloven.data.table import Table
    from cloven.data.taxonomy import Taxonomy
    from cloven.data.transactions import Transactions
    from cloven.protocols import Anonymiser


@dataclass(frozen=True)
class Wanted:
    """What an owner asks of an audit."""

    relatedness: str | None
    other_release: Path | None
    other_data: Path | None
    attack: bool
    max_risk: float
    max_tail: float
    min_utility: float
    utility_measure: str
    methods: str | None
    advise: bool
    quick: bool

    def __post_init__(self) -> None:
        if not self.attack and (self.relatedness is not None or self.other_release is not None):
            message = "--relatedness and --other-release are for attacks; leave out --no-attack, or them"
            raise ParameterError(message)
        refuse_lone_data(self.other_release, self.other_data)

    @property
    def limits(self) -> Limits:
        """What is accepted."""
        return Limits(self.max_risk, self.min_utility, self.utility_measure, self.max_tail)

    @property
    def threats(self) -> tuple[()] | None:
        """None for all attackers, nobody with --no-attack."""
        return None if self.attack else ()

    def knowledge(self, *, sample: bool) -> Knowledge:
        """What attackers may have; vectors for the words of the built-in sample come with it."""
        return knowledge_in(
            self.relatedness or ("sample" if sample and self.attack else None), self.other_release
        )

    @property
    def stamps(self) -> str:
        """What tells the files that attackers are given from others of the same name."""
        from cloven.relatedness.spec import paths
        from cloven.storage.checkpoint import stamp

        files = [] if self.relatedness is None else [*paths(self.relatedness)]
        others = [place for place in (self.other_release, self.other_data) if place is not None]
        return "".join(map(stamp, [*files, *others]))

    @property
    def bounds(self) -> Bounds:
        """Candidates that attacks weigh at most, now and with --quick."""
        if not self.attack:
            return Bounds()
        quick = Effort().quick().most_candidates
        return Bounds(quick if self.quick else Effort().most_candidates, None if self.quick else quick)

    def effort(self, data: Transactions | Table) -> Effort:
        """How hard to try: a quick look takes less of everything, and a sample of very large data."""
        if not self.quick:
            return Effort()
        mean = max(1.0, data.codes.size / max(1, len(data)))
        most = None if data.codes.size <= data.at_a_glance else int(data.at_a_glance / mean)
        return replace(Effort().quick(), most_records=most)

    def rivals(self, method: Anonymiser, taxonomy: Taxonomy | None = None) -> tuple[Anonymiser, ...]:
        """Methods and settings to compare with, at the same k and m unless they say otherwise.

        A method that works on a taxonomy gets the one at hand.
        """
        from cloven.settings import parse_setting, split_settings

        shared: dict[str, Any] = {name: getattr(method, name) for name in ("k", "m") if hasattr(method, name)}
        shared["taxonomy"] = taxonomy
        named = [parse_setting(text, **shared) for text in split_settings(self.methods or "")]
        for rival in named:
            if getattr(rival, "taxonomy", ...) is None:
                message = f"{rival.parameters['method']} needs a taxonomy of the items; give --taxonomy FILE"
                raise ParameterError(message)
        if self.advise and getattr(method, "safe", "no") != "no":
            named.append(replace(method, safe="no"))  # type: ignore[type-var]  # what repairing costs
        found: list[Anonymiser] = []
        for rival in named:  # a taxonomy cannot be hashed
            if rival != method and rival not in found:
                found.append(rival)
        return tuple(found)


def knowledge_in(relatedness: str | None, other_release: Path | None) -> Knowledge:
    """What attackers may have: word meanings by their specification, and the release at a path."""
    from cloven.cli.places import release_at
    from cloven.relatedness.spec import parse
    from cloven.storage.release import read_release

    others = () if other_release is None else (read_release(release_at(other_release)),)
    return Knowledge(None if relatedness is None else parse(relatedness), others)


def refuse_lone_data(other_release: Path | None, other_data: Path | None) -> None:
    """The table of another release says nothing without it."""
    if other_data is not None and other_release is None:
        message = "--other-data says who is in another release; give that with --other-release"
        raise ParameterError(message)


OTHER_RELEASE = (Path | None, None, "Attack with another release about the same people.", ())
OTHER_DATA = (
    Path | None,
    None,
    "Of a table: what --other-release was made from, to find who is in both.",
    (),
)
_METHODS = "Audit the first of these, compare with the others, such as 'coat pcta disassociation'."
_MEASURE = "Measure that --min-utility is about; default: the family's first."

AUDITING = Group(
    "What to try, and what to accept",
    {
        "relatedness": (str | None, None, "Attack with word meanings: vectors:FILE, corpus:FILE, ngd:FILE, ...", ()),
        "other_release": OTHER_RELEASE,
        "other_data": OTHER_DATA,
        "attack": (bool, True, "Attack the release, or do not.", ("--attack/--no-attack",)),
        "max_risk": (number(0, 1), MAX_RISK, "Largest share of right guesses, or of people told more, to accept.", ()),
        "max_tail": (number(0, 1), MAX_TAIL, "Largest share of people told as good as certainly to accept.", ()),
        "min_utility": (number(0, 1), 0.0, "Least utility to accept, from 0 to 1.", ()),
        "utility_measure": (str, "", _MEASURE, ()),
        "methods": (str | None, None, _METHODS, ()),
        "advise": (bool, True, "Try what could be better if the verdict is bad.", ("--advise/--no-advise",)),
        "quick": (bool, False, "A first look, in less than a minute; large files are sampled.", ("--quick",)),
    },
    Wanted,
)  # fmt: skip


# Who is in another release too: found in the table that it was made from, or by its receipt.


def with_shared(
    knowledge: Knowledge, data: Table, schema: Path, other_release: Path | None, other_data: Path | None
) -> Knowledge:
    """What attackers of a table have, where each other release says who is in both."""
    if other_release is None:
        return knowledge
    if other_data is not None:
        shared: NDArray[np.int64] | None = shared_rows(data, read_table(other_data, read_schema(schema)))
    else:
        shared = data.source_rows if _same_data(data, other_release) else None
    releases = tuple(OtherRelease(release, shared) for release in knowledge.releases)
    return Knowledge(knowledge.relatedness, releases)


def _same_data(data: Table, release: Path) -> bool:
    """Whether the owner's folder beside a release says that it was made from the same table."""
    audited = release.parent if release.name == "published" else release
    for place in {places(release)[1], places(audited)[1]}:
        try:
            if read_receipt(place)["input_sha256"] == fingerprint(data):
                return True
        except (ClovenError, OSError):  # no receipt of ours
            continue
    return False
