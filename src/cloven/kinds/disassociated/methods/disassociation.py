"""Disassociation: anonymise set-valued data by splitting it apart (Terrovitis et al., PVLDB 5(10), 2012).

The three steps are one file each: ``horizontal`` puts records into clusters, ``vertical`` splits each cluster into
k^m-anonymous chunks, ``refine`` joins clusters that share leftovers. ``assemble`` makes release and key of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

import numpy as np

from cloven.cores import one_crew
from cloven.data.defaults import CLUSTER, K, M
from cloven.data.given import expect_sets
from cloven.errors import ParameterError
from cloven.kinds.disassociated.key import Anonymised, Key
from cloven.kinds.disassociated.methods.horizontal import Horizontal, HorPart, SmallClusters
from cloven.kinds.disassociated.methods.repair import MOST, SUPPRESSED, WITHHELD
from cloven.kinds.disassociated.release import NOT_ENUMERATED, RareItems
from cloven.values import FLAG, TEXT, file_of, one_of, option, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.data.transactions import Transactions
    from cloven.engines.engine import Engine
    from cloven.kinds.disassociated.methods.assembly import Parts
    from cloven.kinds.disassociated.methods.labelling import Prepared
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.protocols import Dimension

Suppressed = tuple[int, str, tuple[str, ...]]


@dataclass(frozen=True)
class Disassociation:
    """The disassociation method; parameters are fields, ``anonymise`` does the work.

    Attributes:
        k: everybody who knows up to ``m`` items of a record has at least ``k`` candidate records.
        m: how many items of a record the assumed attacker knows.
        max_cluster_size: largest wanted cluster, inclusive; None for no limit.
        small_clusters: what to do with clusters below ``k``: ``add`` them to others (default), ``abandon`` the split
            (the original paper), ``suppress`` their records, put them on a list of ``remaining`` records and start
            again, or ``keep`` them (experiments only: breaks the promise).
        reading: which combinations must reach ``k``: those ``occurring`` (default) or, ``strict``, all of a chunk.
        refine: join clusters that share leftovers.
        rare_items: leftovers that fewer than k hold: ``withhold`` them, ``list`` them once for the whole release, or
            put them into the term chunk of their ``cluster``, which is the papers' way and tells a lot about its
            records.
        root_chunks: chunks of leftovers that k or more hold, above all clusters: of a ``single`` item each, or of
            ``several`` where that keeps the promise.
        horizontal: what puts records into clusters: any object with ``partition``.
        utility_groups: groups of items that an analyst wants kept together; chunks never cross them.
        sensitive: items that go to the term chunk always.
        ignore_unknown: accept sensitive items that the data does not hold; otherwise they are an error.
        min_item_support: items held by fewer records (or persons) are dropped.
        join_terms: terms that Equation 1 of refining is taken over: those that ``moved`` to shared chunks, or all that
            both sides ``listed`` in their term chunks.
        block_records: data above this number of records is worked on in blocks.
        tie_order: order of equally frequent items: ``text``, ``first-seen``, or a tuple of names.
        safe: repair what the method itself gives away: ``no``, ``cover`` (no cover problem is left) or ``exact`` (nor
            any pair that exact worlds break, in clusters small enough to enumerate). Some occurrences are suppressed,
            so published supports are lower bounds.
        seed: for the lots that repairing draws; experiments only, and marks the release. They come from the operating
            system otherwise.

    >>> from cloven.data.transactions import Transactions
    >>> rows = [["a", "b"], ["a", "c"], ["a", "d"], ["b", "e"], ["b", "f"], ["x", "c"], ["x", "c"], ["x"]]
    >>> release = Disassociation(k=3, m=2, max_cluster_size=5).anonymise(Transactions.from_records(rows)).release
    >>> for cluster in release.iter_clusters():
    ...     print(cluster.size, cluster.record_chunks, cluster.term_chunk)
    3 ((('a',), ('a',), ('a',)),) ()
    5 ((('x',), ('x',), ('x',)),) ()
    >>> [root.shared_chunks for root in release.iter_joints()]  # d, e and f are withheld
    [((('b',), ('b',), ('b',)), (('c',), ('c',), ('c',)))]
    """

    k: int = option(K, whole(), "Everybody keeps at least this many candidates.")
    m: int = option(M, whole(), "How many items of one record an attacker may know.")
    max_cluster_size: int | None = option(CLUSTER, TEXT, "Largest wanted group of records, or 'unlimited'.")
    small_clusters: SmallClusters = option(
        "add",
        one_of(*get_args(SmallClusters)),
        "Groups below k: add, abandon, suppress, remaining; keep is unsafe.",
    )
    reading: Literal["occurring", "strict"] = option(
        "occurring", one_of("occurring", "strict"), "Combinations to protect: occurring, or strict: all."
    )
    refine: bool = option(False, FLAG, "Share what is left over between groups.", "--refine/--no-refine")
    rare_items: RareItems = option(
        "withhold",
        one_of(*get_args(RareItems)),
        "What fewer than k hold: withhold, list once, or cluster (the papers' way, which tells most).",
    )
    root_chunks: Literal["single", "several"] = option(
        "single",
        one_of("single", "several"),
        "Leftovers above all groups: a single item a chunk, or several.",
    )
    horizontal: Horizontal = field(default=HorPart())
    utility_groups: tuple[tuple[str, ...], ...] = option(
        (), file_of("groups"), "JSON file: groups of items to keep together.", "--utility", last=True
    )
    sensitive: frozenset[str] = option(
        frozenset(), file_of("items"), "Items to cut from all others: one per line, or .json.", last=True
    )
    ignore_unknown: bool = field(default=False, repr=False, compare=False)
    min_item_support: int = option(1, whole(), "Leave out items that fewer people have.", last=True)
    join_terms: Literal["moved", "listed"] = option(
        "moved", one_of("moved", "listed"), "Refining weighs the items moved, or all listed.", last=True
    )
    block_records: int = option(1_000_000, whole(), "Work in blocks of at most this many records.", last=True)
    tie_order: str | tuple[str, ...] = "text"
    safe: Literal["no", "cover", "exact"] = option(
        "no",
        one_of("no", "cover", "exact"),
        "Repair what the method gives away: no, cover or exact.",
    )
    seed: int | None = None

    def __post_init__(self) -> None:
        for name in ("k", "m", "max_cluster_size", "min_item_support", "block_records"):
            if isinstance(getattr(self, name), np.integer):
                object.__setattr__(self, name, int(getattr(self, name)))
        object.__setattr__(self, "sensitive", frozenset(_names("sensitive", self.sensitive)))
        object.__setattr__(self, "utility_groups", _groups(self.utility_groups))
        _whole("k", self.k, 2, "with k = 1 nobody is protected")
        _whole("m", self.m, 1, "an attacker knows at least one item")
        _whole("min_item_support", self.min_item_support, 1, "1 drops nothing")
        _whole("block_records", self.block_records, 2 * self.k, "a block must hold clusters")
        if self.max_cluster_size is not None:
            least = 2 * self.k - 1
            _whole(
                "max_cluster_size",
                self.max_cluster_size,
                least,
                f"2k-1, so that clusters of {self.k} can be made",
            )
        _choice("small_clusters", self.small_clusters, get_args(SmallClusters))
        _choice("reading", self.reading, ("occurring", "strict"))
        _choice("join_terms", self.join_terms, ("moved", "listed"))
        if isinstance(self.tie_order, str):
            _choice("tie_order", self.tie_order, ("text", "first-seen"))
        else:
            object.__setattr__(self, "tie_order", tuple(_names("tie_order", self.tie_order)))
        _choice("refine", self.refine, (True, False))
        _choice("rare_items", self.rare_items, get_args(RareItems))
        _choice("root_chunks", self.root_chunks, ("single", "several"))
        _choice("safe", self.safe, ("no", "cover", "exact"))
        if self.seed is not None:
            _whole("seed", self.seed, 0, "it starts a random generator")
        step: object = self.horizontal  # a text has a method of that name, too
        if isinstance(step, str) or not callable(getattr(step, "partition", None)):
            message = f"horizontal must be an object with partition(), got {step!r}"
            raise ParameterError(message)

    @property
    def family(self) -> str:
        """How its releases are attacked and measured."""
        return "disassociation"

    @classmethod
    def space(cls, data: Transactions) -> dict[str, Dimension]:
        """What a search for good settings varies; small data allows neither a large k nor large clusters."""
        from cloven.protocols import Choice, Whole

        return {
            "k": Whole(2, max(2, min(100, len(data) // 20))),
            "m": Choice((2, 3)),
            "max_cluster_size": Whole(10, max(10, min(2_000, len(data) // 2)), log=True),
            "small_clusters": Choice(("add", "abandon", "suppress", "remaining")),
            "refine": Choice((True, False)),
            "root_chunks": Choice(("single", "several")),
            "safe": Choice(("no", "cover")),
        }

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters as plain JSON values, as the manifest shows them.

        What could tell more than the method is left out: names of sensitive items are counted, an explicit tie order
        and a plugged-in step are only said to be there. Clusters below k, and an order of ties that follows the order
        of the input, make a release unsafe.
        """
        unsafe = self.small_clusters == "keep" or self.tie_order == "first-seen"
        seeded = self.safe != "no" and self.seed is not None
        out: dict[str, Any] = {"method": "disassociation", "unsafe": unsafe, "seeded": seeded}
        for name in (each.name for each in fields(self)):
            value = getattr(self, name)
            if name in ("k", "m", "ignore_unknown", "seed") or (name == "safe" and value == "no"):
                continue
            if name == "sensitive":
                value = len(value)
            elif name == "root_chunks" and self.rare_items == "cluster":
                continue
            elif name == "utility_groups":
                value = [sorted(group) for group in value]
            elif name == "tie_order" and not isinstance(value, str):
                value = "explicit"
            elif name == "horizontal":
                value = "horpart" if isinstance(value, HorPart) else type(value).__name__
            out[name] = value
        if self.safe != "no":
            out["supports"] = "lower bounds"
        return out

    @overload
    def anonymise(
        self, data: Transactions, progress: Callable[[str, float], None] | None = None
    ) -> Anonymised: ...
    @overload
    def anonymise(
        self, data: Any, progress: Callable[[str, float], None] | None = None, *, engine: Engine
    ) -> Any: ...

    def anonymise(
        self,
        data: Any,
        progress: Callable[[str, float], None] | None = None,
        *,
        engine: Engine | None = None,
    ) -> Any:
        """Anonymise; ``progress(step, share done)`` is called along the way.

        With an ``engine``, such as ``cv.Spark(session)``, that one works on data of its own: what comes of it is
        written by ``engine.write``.
        """
        return self._anonymised(data, progress) if engine is None else engine.anonymise(self, data, progress)

    def release_of(self, data: Transactions) -> Disassociated:
        """The release alone, where nobody will look anything up in it by its key: the same as of ``anonymise``."""
        return self._released(data, lambda _step, _share: None).release

    def _anonymised(self, data: Transactions, progress: Callable[[str, float], None] | None) -> Anonymised:
        """All in the memory of this machine."""
        report = progress or (lambda _step, _share: None)
        made = self._released(data, report)
        key = made.key(data)
        report("assemble", 1.0)
        return Anonymised(made.release, key)

    @one_crew()
    def _released(self, data: Transactions, report: Callable[[str, float], None]) -> _Released:
        """Make the release."""
        from cloven.kinds.disassociated.methods.assembly import assemble
        from cloven.kinds.disassociated.methods.labelling import label, prepare, tie_order_of

        expect_sets(data, type(self).__name__)
        self.check_sensitive(data.vocabulary)
        kept = self._without_rare_items(data, data)
        while True:
            self._check(kept)
            report("sort", 0.0)
            prepared = prepare(kept, tie_order_of(kept, self.tie_order))
            labels = label(self, kept, prepared, report)
            if self.min_item_support <= 1 or self.small_clusters != "suppress":
                break
            # Records that are left out may take an item below the least support.
            before = kept
            stays = kept.take(np.sort(prepared.source[labels.cluster_of >= 0]))
            kept = self._without_rare_items(kept, stays)
            if kept is before:
                break
        report("assemble", 0.0)
        parameters = self.parameters | {"persons": data.persons is not None}
        release, parts, cluster_of = assemble(
            prepared.offsets,
            prepared.codes,
            kept.vocabulary,
            labels,
            k=self.k,
            m=self.m,
            parameters=parameters,
        )
        release = _with_published_groups(release)
        if self.safe == "exact":
            release = _with_clusters_not_enumerated(release)
        return _Released(release, parts, cluster_of, kept, prepared, labels.chunk)

    def _without_rare_items(self, data: Transactions, published: Transactions) -> Transactions:
        """Data without the items that too few published records hold; the same object if there is none."""
        if self.min_item_support <= 1:
            return data
        holders = dict(zip(published.vocabulary, published.holders.tolist(), strict=True))
        rare = [
            c for c, name in enumerate(data.vocabulary) if 0 < holders.get(name, 0) < self.min_item_support
        ]
        return data.without_items(np.array(rare, np.int64)) if rare else data

    def check_sensitive(self, vocabulary: Iterable[str]) -> None:
        """A misspelt sensitive item would be published like any other."""
        unknown = sorted(self.sensitive.difference(vocabulary))
        if unknown and not self.ignore_unknown:
            message = (
                f"{len(unknown):,} of {len(self.sensitive):,} sensitive items are not in the data, such as"
                f" {unknown[0]!r}; check the spelling, or pass ignore_unknown=True"
            )
            raise ParameterError(message)

    def _check(self, data: Transactions) -> None:
        if self.safe != "no" and data.persons is not None:
            message = (
                f"safe={self.safe!r} counts records, but several records of one person are told;"
                " make one record of all that a person has, or leave safe out"
            )
            raise ParameterError(message)
        people = len(data) if data.persons is None else len(np.unique(data.persons))
        if people < self.k:
            what = "records" if data.persons is None else "persons"
            dropped = (
                f" that hold an item of support {self.min_item_support}" if self.min_item_support > 1 else ""
            )
            message = (
                f"k = {self.k} needs at least {self.k} {what}{dropped}, got {people:,}; choose a smaller k"
            )
            raise ParameterError(message)


@dataclass(frozen=True, eq=False)
class _Released:
    """A release, and what its key is made from.

    Attributes:
        release: the release.
        parts: what each record has in each row.
        cluster_of: published cluster of each record, -1 for those left out.
        kept: the data without items that are too rare.
        prepared: the same in the order in which it was worked on.
        chunk: chunk of each occurrence.
    """

    release: Disassociated
    parts: Parts
    cluster_of: Longs
    kept: Transactions
    prepared: Prepared
    chunk: NDArray[np.int32]

    def key(self, data: Transactions) -> Key:
        """The key; ``data`` is all there was."""
        from cloven.data.arrays import stable_order
        from cloven.kinds.disassociated.methods.assembly import by_source

        kept, prepared, cluster_of = self.kept, self.prepared, self.cluster_of
        source = kept.source_rows[prepared.source]
        by_record = stable_order(source)
        parts = by_source(self.parts, source, by_record)
        published = by_record[cluster_of[by_record] >= 0]
        suppressed = sorted(
            (*_suppressed(data, kept, source[cluster_of < 0]), *_left_out(kept, prepared, self.chunk))
        )
        persons = None if kept.persons is None else kept.persons[prepared.source][published]
        return Key(
            record=parts.record,
            release_row=parts.release_row,
            offsets=parts.offsets,
            items=parts.items,
            records=source[published],
            record_cluster=cluster_of[published],
            persons=persons,
            suppressed_record=np.array([row for row, _, _ in suppressed], np.int64),
            suppressed_reason=tuple(reason for _, reason, _ in suppressed),
            suppressed_items=tuple(names for _, _, names in suppressed),
        )


def _with_published_groups(release: Disassociated) -> Disassociated:
    """Utility groups are part of the published parameters, so they may name only what is published."""
    known = set(release.vocabulary)
    groups = [[name for name in group if name in known] for group in release.parameters["utility_groups"]]
    return replace(release, parameters={**release.parameters, "utility_groups": groups})


def _with_clusters_not_enumerated(release: Disassociated) -> Disassociated:
    """Say how far ``exact`` reached: a count of what is published, so that it tells nothing else."""
    from cloven.kinds.disassociated.covers.worlds import too_large

    found = {NOT_ENUMERATED: too_large(release, MOST)}
    return replace(release, parameters={**release.parameters, **found})


def _suppressed(data: Transactions, kept: Transactions, left_out: Longs) -> list[Suppressed]:
    """Records and items that are not published: (source row, reason, items)."""
    out: list[Suppressed] = []
    if kept is not data:
        known = set(kept.vocabulary)
        gone = {code for code, name in enumerate(data.vocabulary) if name not in known}
        touched = np.unique(
            np.searchsorted(data.offsets, np.flatnonzero(np.isin(data.codes, list(gone))), "right") - 1
        )
        for record in touched.tolist():
            names = tuple(sorted(name for name in data[record] if name not in known))
            out.append((int(data.source_rows[record]), "rare item", names))
    position = {row: number for number, row in enumerate(kept.source_rows.tolist())} if len(left_out) else {}
    out += [(row, "small cluster", tuple(sorted(kept[position[row]]))) for row in left_out.tolist()]
    return out


def _left_out(kept: Transactions, prepared: Prepared, chunk: NDArray[np.int32]) -> list[Suppressed]:
    """Occurrences that are not published: suppressed so that no item is covered, or withheld because they are rare."""
    gone = np.flatnonzero(chunk < -1)
    row = np.searchsorted(prepared.offsets, gone, side="right") - 1
    reasons = {SUPPRESSED: "cover", WITHHELD: "rare"}
    out: dict[tuple[int, str], list[str]] = {}
    for record, code, label in zip(
        kept.source_rows[prepared.source[row]].tolist(),
        prepared.codes[gone].tolist(),
        chunk[gone].tolist(),
        strict=True,
    ):
        out.setdefault((record, reasons[label]), []).append(kept.vocabulary[code])
    return [(record, reason, tuple(sorted(names))) for (record, reason), names in out.items()]


def _names(what: str, value: object) -> Iterable[str]:
    """Item names from any collection of strings; one string is no collection."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        message = f"{what} must be a collection of item names, got {value!r}"
        raise ParameterError(message)
    names = list(value)
    for name in names:
        if not isinstance(name, str):
            message = f"{what} must hold item names, got {name!r}"
            raise ParameterError(message)
    return names


def _groups(value: object) -> tuple[tuple[str, ...], ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        message = f"utility_groups must be a collection of groups of item names, got {value!r}"
        raise ParameterError(message)
    return tuple(tuple(_names("a utility group", group)) for group in value)


def _whole(name: str, value: object, least: int, why: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        message = f"{name} must be a whole number of at least {least} ({why}), got {value!r}"
        raise ParameterError(message)


def _choice(name: str, value: object, allowed: tuple[object, ...]) -> None:
    if not any(value is choice or (isinstance(choice, str) and value == choice) for choice in allowed):
        message = f"{name} must be one of {', '.join(map(str, allowed))}, got {value!r}"
        raise ParameterError(message)
