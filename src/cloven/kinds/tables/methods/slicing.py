"""Slicing: hide which parts of a row belong together (Li, Li, Zhang, Molloy, IEEE TKDE 24(3), 2012).

Attributes are cut into columns (``columns``), rows into buckets of at least k (``slicing_kernel``), so that nobody's
sensitive value can be told with a chance above 1/l. The paper then permutes each column inside each bucket at random.
Here the parts stand in canonical order instead (``assembly``): what is published of a bucket is then a function of
what each of its columns holds and of nothing else, whatever row a part came from. A random order says no more than
that if the lots are good, more if they are not, and cannot be checked.

Which bucket somebody is in tells something too, to whoever can make the buckets again: a split is made or not made for
what the sensitive values are. Lots decide what neither size nor quasi-identifiers do, never the sensitive value;
``partition="replay-proof"`` leaves nothing to be learnt in that way (docs/decisions/0010).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args

import numpy as np

from cloven.data.given import expect_table
from cloven.errors import ParameterError
from cloven.kinds.tables.methods.assembly import check_complete, sliced
from cloven.kinds.tables.methods.columns import (
    BinsBy,
    Columns,
    Distance,
    Normalisation,
    Together,
    association,
    attribute_columns,
    named_columns,
)
from cloven.kinds.tables.methods.constraints import (
    ABOUT_COLUMNS,
    COLUMNS,
    WORDED_COLUMNS,
)
from cloven.kinds.tables.methods.lots import Lots, lots_of
from cloven.kinds.tables.methods.parameters import (
    SEED,
    check_choice,
    check_counts_rows,
    check_rows,
    check_seed,
    check_whole,
    plain_columns,
    possible_k,
)
from cloven.kinds.tables.methods.slicing_kernel import Coded, Plan, axes, coded, partition
from cloven.protocols import Choice, Dimension, Whole
from cloven.values import choice, option, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cloven.compiled import Longs
    from cloven.data.table import Table
    from cloven.kinds.tables.key import PublishedTable
    from cloven.kinds.tables.methods.constraints import Worded


Partition = Literal["strict", "relaxed", "stratified", "adaptive", "replay-proof"]
Check = Literal["matching", "bucket"]


@dataclass(frozen=True)
class Slicing:
    """Slicing; parameters are fields, ``anonymise`` does the work.

    Attributes:
        k: rows of a bucket, at least.
        l: nobody's sensitive value can be told with a chance above 1/l.
        columns: how many columns the quasi-identifiers are cut into besides the sensitive ones; None for two attributes
            in each on average; or the columns themselves, as names of attributes.
        companions: quasi-identifiers that stand beside each sensitive attribute, the closest ones. They keep what the
            sensitive value has to do with them, and make l harder to reach.
        together: whether several sensitive attributes are protected ``separately``, in a column each, or ``jointly``,
            as one attribute in one column. The second promises less: only the combination is hidden.
        check: what l-diversity is checked over: all buckets that ``matching`` a person may be in, as in the paper, or
            each ``bucket`` alone. The second promises more: it holds whatever is known about who is in which bucket,
            and whoever has the release can check it.
        partition: how buckets are split. ``strict`` and ``relaxed`` are Mondrian's: equal values stay together, or the
            halves have the same size. ``stratified`` cuts the rows of each sensitive value in the middle for
            themselves. ``adaptive`` takes the first of these three that keeps the promise; where l is close to the
            largest that the table allows, ``stratified`` alone gives smaller buckets. ``replay-proof`` makes plain cuts
            only where they cannot break the promise whoever has which sensitive value, and deals rows by lot where they
            could; 1/l then also holds against somebody who knows everybody's quasi-identifiers and the method. It
            always asks for l in each bucket. None takes it where rows can be dealt (one sensitive attribute, or several
            jointly, alone in their column), and ``adaptive`` elsewhere (docs/decisions/0013).
        normalisation: of the mean-square contingency coefficient: ``min-1`` or ``min``.
        distance: of two attributes: ``1-r2`` or ``1-r``.
        bins: number of bins that numbers are put into when attributes are compared.
        bins_by: bins of equal ``width`` or of equal ``frequency``.
        seed: for the lots that decide between equal rows; experiments only, and marks the release. They come from the
            operating system otherwise.
    """

    k: int = option(6, whole(2), "Rows of a bucket, at least.")
    l: int = option(6, whole(2), "Nobody's sensitive value can be told with a chance above 1/l.")
    columns: int | tuple[tuple[str, ...], ...] | None = option(None, COLUMNS, ABOUT_COLUMNS)
    companions: int = option(0, whole(0), "Quasi-identifiers that stay beside each sensitive attribute.")
    together: Together = choice("separately", Together, "Several sensitive attributes are protected")
    check: Check = choice(
        "matching", Check, "Where l holds: over all buckets that may be a person's, or in each bucket"
    )
    partition: Partition | None = choice(None, Partition, "How buckets are split")
    normalisation: Normalisation = choice(
        "min-1", Normalisation, "Of the contingency coefficient that tells which attributes hang together"
    )
    distance: Distance = choice("1-r2", Distance, "Of two attributes")
    bins: int = option(10, whole(2), "Numbers are put into so many bins where attributes are compared.")
    bins_by: BinsBy = choice("width", BinsBy, "Bins of equal")
    seed: int | None = option(None, whole(0), SEED, last=True)
    WORDED: ClassVar[Mapping[str, Worded]] = {"columns": WORDED_COLUMNS}
    family: ClassVar[str] = "tables"

    def __post_init__(self) -> None:
        for name, least, why in (
            ("k", 2, "with k = 1 nobody is protected"),
            ("l", 2, "with l = 1 sensitive values are certain"),
            ("companions", 0, "0 leaves sensitive attributes alone"),
            ("bins", 2, "one bin says nothing"),
        ):
            object.__setattr__(self, name, check_whole(name, getattr(self, name), least, why))
        object.__setattr__(self, "columns", plain_columns(self.columns))
        check_choice("together", self.together, get_args(Together))
        check_choice("check", self.check, get_args(Check))
        check_choice("partition", self.partition, (*get_args(Partition), None))
        check_choice("normalisation", self.normalisation, get_args(Normalisation))
        check_choice("distance", self.distance, get_args(Distance))
        check_choice("bins_by", self.bins_by, get_args(BinsBy))
        check_seed(self.seed)
        if self.partition == "replay-proof":
            object.__setattr__(self, "check", "bucket")
            if self.companions and not isinstance(self.columns, tuple):
                message = (
                    f"partition = 'replay-proof' cannot choose companions, got companions = {self.companions}: which"
                    " are the closest tells about sensitive values; take 0, or name the columns"
                )
                raise ParameterError(message)

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters as plain JSON values, as the manifest shows them."""
        return {
            "method": "slicing",
            "seeded": self.seed is not None,
            "l": self.l,
            "columns": "chosen" if isinstance(self.columns, tuple) else self.columns,
            "companions": self.companions,
            "together": self.together,
            "check": self.check,
            "partition": self.partition,
            "normalisation": self.normalisation,
            "distance": self.distance,
            "bins": self.bins,
            "bins_by": self.bins_by,
        }

    @classmethod
    def space(cls, data: Table) -> dict[str, Dimension]:
        """What a search for good settings varies."""
        known = len(data.positions("quasi-identifier"))
        return {
            "k": possible_k(data),
            "l": Whole(2, max(2, min(20, largest_l(data)))),
            "columns": Whole(1, max(1, known)),
            "check": Choice(get_args(Check)),
            "partition": Choice(get_args(Partition)),
        }

    def anonymise(self, table: Table, progress: Callable[[str, float], None] | None = None) -> PublishedTable:
        """Anonymise; ``progress(step, share done)`` is called along the way."""
        expect_table(table, type(self).__name__)
        if self.partition is None:
            return self.settled(table).anonymise(table, progress)
        report = progress or (lambda _step, _share: None)
        report("columns", 0.0)
        columns = self.columns_of(table)
        report("buckets", 0.0)
        buckets = self.buckets_of(table, columns)
        report("assemble", 0.0)
        result = sliced(table, buckets, columns.all, k=self.k, parameters=self.parameters)
        report("assemble", 1.0)
        return result

    def settled(self, table: Table) -> Self:
        """The same with the partition that a table asks for; that it is asked follows from the roles alone."""
        if self.partition is not None:
            return self
        secret = set(table.names("sensitive"))
        if isinstance(self.columns, tuple):
            alone = all(set(column) <= secret for column in self.columns if secret & set(column))
        else:
            alone = not self.companions
        dealt = alone and (len(secret) == 1 or self.together == "jointly")
        return replace(self, partition="replay-proof" if dealt else "adaptive")

    def columns_of(self, table: Table) -> Columns:
        """The columns that the attributes are cut into."""
        check_roles(table)
        related = association(table, normalisation=self.normalisation, bins=self.bins, by=self.bins_by)
        if isinstance(self.columns, tuple):
            found = named_columns(table, related, self.columns)
            if self.together == "jointly" and len(found.sensitive) > 1:
                message = (
                    "together = 'jointly' needs all sensitive attributes in one column, columns put them into"
                    f" {len(found.sensitive)}; put them together, or take them separately"
                )
                raise ParameterError(message)
            return found
        return attribute_columns(
            table,
            related,
            self.columns,
            companions=self.companions,
            together=self.together,
            distance=self.distance,
        )

    def buckets_of(self, table: Table, columns: Columns, lots: Lots | None = None) -> Longs:
        """Bucket of each row, numbered from 0; an error if not even the whole table keeps the promise."""
        data = coded(table, columns.all, self.together)
        check_feasible(table, columns, data, self.k, self.l, self.together)
        check_memory(data, matching=self.check == "matching")
        strata = tuple(place for column in columns.sensitive for place in column)
        secrets = (lots or lots_of(self.seed))(len(table))
        return partition(data, axes(table, strata), self._plan(columns), secrets)

    def _plan(self, columns: Columns) -> Plan:
        """What the kernel is to do."""
        from cloven.kinds.tables.methods import slicing_kernel as kernel

        partition = self.partition or "adaptive"
        ways = {
            "strict": (kernel.STRICT,),
            "relaxed": (kernel.RELAXED,),
            "stratified": (kernel.STRATIFIED,),
            "adaptive": (kernel.STRICT, kernel.RELAXED, kernel.STRATIFIED),
            # Of several sensitive columns it is not published how often each combination occurs, so their rows cannot
            # be dealt by it.
            "replay-proof": (kernel.STRICT, kernel.RELAXED, kernel.DEALT)[
                : 4 - min(2, len(columns.sensitive))
            ],
        }
        check = kernel.BY_MATCHING if self.check == "matching" else kernel.BY_BUCKET
        if partition == "replay-proof":
            check = kernel.SURELY
        return kernel.Plan(self.k, self.l, check, np.array(ways[partition], np.int64))


def largest_l(table: Table) -> int:
    """The largest l that the whole table as one bucket keeps: its most common sensitive value stands in the way."""
    places = table.positions("sensitive")
    most = max((int(np.bincount(table.codes[:, place]).max()) for place in places), default=0)
    return len(table) // most if most else 2


# Whether slicing can keep its promise for a table at all; if not, what would work.


MOST_MEMORY = 4 << 30
"""Bytes that the sums of the matching check may take."""


def check_roles(table: Table) -> None:
    """A table to slice needs attributes of both roles, and no value may be missing."""
    for found, words in (
        (table.names("quasi-identifier"), "a quasi-identifier"),
        (table.names("sensitive"), "sensitive"),
    ):
        if not found:
            message = f"no attribute is {words}; give at least one that role in the schema"
            raise ParameterError(message)
    check_counts_rows(table)
    check_complete(table)


def check_feasible(table: Table, columns: Columns, data: Coded, k: int, l: int, together: Together) -> None:
    """The whole table as one bucket must have k rows and be l-diverse: splitting starts from there."""
    check_rows(table, k)
    for number, column in enumerate(data.sensitive_column.tolist()):
        values = data.sensitive[:, number] - data.value_offsets[number]
        part = data.part_of_signature[data.signature_of_row, column]
        beside = data.beside[part]
        held = np.zeros((int(beside.max()) + 1, int(values.max()) + 1), np.int64)
        np.add.at(held, (beside, values), 1)
        worst, value = np.unravel_index(
            (held / np.maximum(held.sum(axis=1), 1)[:, None]).argmax(), held.shape
        )
        total, most = int(held[worst].sum()), int(held[worst, value])
        if most * l > total:
            row = int(np.flatnonzero((beside == worst) & (values == value))[0])
            raise _too_common(table, columns.all[column], number, row, most, total, l, together)


def _too_common(
    table: Table,
    column: tuple[int, ...],
    number: int,
    row: int,
    most: int,
    total: int,
    l: int,
    together: Together,
) -> ParameterError:
    secret = table.positions("sensitive")
    places = secret if together == "jointly" else (secret[number],)
    shown = table.row(row)
    name = " and ".join(table.attributes[place].name for place in places)
    value = ", ".join(repr(shown[place]) for place in places)
    beside = [place for place in column if place not in secret]
    where = ", ".join(f"{table.attributes[place].name} = {shown[place]!r}" for place in beside)
    some = f" of the {total:,} rows with {where}" if beside else f" of {total:,} rows"
    who = f"{most:,}{some} {'has' if most == 1 else 'have'}"
    if total == 1:
        who = f"the only row{f' with {where}' if beside else ''} has"
    reachable = total // most
    wanted = [f"l of at most {reachable}"] if reachable >= 2 else []
    if beside:
        wanted.append("nothing beside the sensitive attribute (companions = 0)")
    remedy = (
        " or ".join(wanted)
        or "mondrian, which promises different values only, or another sensitive attribute"
    )
    return ParameterError(f"l = {l} cannot be met: {who} {name} = {value}; choose {remedy}")


def check_memory(data: Coded, *, matching: bool) -> None:
    """The matching check keeps two sums for every person and sensitive value."""
    values = int(data.value_offsets[-1])
    wanted = 16 * len(data.part_of_signature) * values if matching else 0
    wanted += 8 * (int(data.beside.max()) + 1) * values
    if wanted > MOST_MEMORY:
        remedy = "check = 'bucket'" if matching else "companions = 0"
        message = (
            f"{values:,} sensitive values for {len(data.part_of_signature):,} distinct persons need"
            f" {wanted / 2**30:,.1f} GB; take {remedy}, or coarser sensitive values"
        )
        raise ParameterError(message)
