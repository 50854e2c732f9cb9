"""The kinds of releases, as their manifests tell them apart: names of formats and files, promises, counts.

Readers accept every older version for ever. See docs/reference/release-format.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import distinct
from cloven.errors import ParameterError, ReleaseError, shorten
from cloven.kinds.disassociated.release import Disassociated, Kind
from cloven.kinds.generalised.release import SetGeneralised
from cloven.kinds.tables.buckets import Buckets
from cloven.kinds.tables.release import GeneralisedTable, Sliced

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from numpy.typing import NDArray

SetRelease = Disassociated | SetGeneralised
TableRelease = GeneralisedTable | Sliced
Release = SetRelease | TableRelease


@dataclass(frozen=True)
class ReleaseFormat:
    """One kind of release.

    Attributes:
        name: first part of the entry ``format`` of its manifest.
        version: newest version that is known, the second part.
        about: what to call such a release.
        tables: its Parquet files.
        known_items: m, how many known items it protects against, from the release; None where only listed ones are.
        counts: names of the numbers that its manifest publishes.
        count: these numbers, from the release; rows may stand in any order.
        may_list: whether there may be no m, because only listed combinations are protected, or no items at all.
        parts: start of the names of further Parquet files, numbered from 0; empty if there are none.
        in_json: whether it may also be written as one JSON file.
    """

    name: str
    version: int
    about: str
    tables: tuple[str, ...]
    known_items: Callable[[Any], int | None]
    counts: frozenset[str]
    count: Callable[[Any], dict[str, int]]
    may_list: bool = False
    parts: str = ""
    in_json: bool = True

    def files(self, found: Collection[str]) -> tuple[str, ...]:
        """Its Parquet files, given the names that were found: as many numbered ones as follow each other."""
        many = 0
        while self.parts and f"{self.parts}{many}.parquet" in found:
            many += 1
        return (*self.tables, *(f"{self.parts}{number}.parquet" for number in range(many)))

    @property
    def stamp(self) -> str:
        """The entry ``format`` of a manifest."""
        return f"{self.name}/{self.version}"


def format_of(release: Release) -> ReleaseFormat:
    """The format of a release.

    >>> from cloven.data.transactions import Transactions
    >>> format_of(Transactions.from_records([["flu"]]))
    Traceback (most recent call last):
    ...
    cloven.errors.ParameterError: no release but Transactions; give the release that an anonymiser made
    """
    for kind, known in _FORMATS.items():
        if isinstance(release, kind):
            return known
    message = f"no release but {type(release).__name__}; give the release that an anonymiser made"
    raise ParameterError(message)


def format_named(found: object, source: str) -> ReleaseFormat:
    """The format that a manifest names, if it is known and not newer than this program."""
    name, _, version = str(found).rpartition("/")
    known = {each.name: each for each in _FORMATS.values()}.get(name)
    if known is None or not re.fullmatch(r"[1-9][0-9]{0,5}", version):
        *names, last = (each.name for each in _FORMATS.values())
        message = f"{source}: not a {', '.join(names)} or {last} release; its format is {shorten(str(found))}"
        raise ReleaseError(message)
    if int(version) > known.version:
        message = f"{source}: format {found} is newer than {known.stamp}; use a newer Cloven"
        raise ReleaseError(message)
    return known


def is_count(value: object) -> bool:
    """Whether it is a whole number from 0 that fits in a table."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _count_disassociated(release: Disassociated) -> dict[str, int]:
    maximum = release.parameters.get("max_cluster_size")
    kind = release.row_kind
    oversize = release.cluster_size > maximum if isinstance(maximum, int) else np.zeros(0, bool)
    return {
        "records": release.records,
        "clusters": release.clusters,
        "joints": release.joints,
        "items": len(release.vocabulary),
        "rows": release.rows,
        "record_chunks": _chunks(release, kind == Kind.RECORD),
        "term_chunks": _chunks(release, kind == Kind.TERM),
        "shared_chunks": _chunks(release, kind == Kind.SHARED),
        "oversize_clusters": int(oversize.sum()),
    }


def _chunks(release: Disassociated, rows: NDArray[np.bool_]) -> int:
    owner = np.maximum(release.row_cluster[rows], release.row_joint[rows])  # one of them is -1
    chunk = release.row_chunk[rows]
    return len(distinct(owner * (int(chunk.max(initial=0)) + 1) + chunk))


def _count_generalised(release: SetGeneralised) -> dict[str, int]:
    return {
        "records": release.records,
        "items": len(release.vocabulary),
        "blocks": release.blocks,
        "generalised_items": int((release.block_sizes > 1).sum()),
        "largest_block": int(release.block_sizes.max(initial=0)),
        "empty_records": int((np.diff(release.row_offsets) == 0).sum()),
    }


def _count_table(release: TableRelease) -> dict[str, int]:
    sizes = Buckets.of(release).sizes
    found = {
        "records": len(release),
        "attributes": len(release.domains),
        "cells": sum(len(domain.labels) for domain in release.domains),
        "groups": len(sizes),
        "smallest_group": int(sizes.min(initial=len(release))),
        "largest_group": int(sizes.max(initial=0)),
    }
    return found | ({"columns": len(release.columns)} if isinstance(release, Sliced) else {})


def all_up_to(parameters: Mapping[str, Any]) -> int | None:
    """The m of k^m-anonymity; None if no combinations but listed ones are protected."""
    found = parameters.get("all_up_to")
    return found if is_count(found) and found else None


_OF_TABLES = frozenset(("records", "attributes", "cells", "groups", "smallest_group", "largest_group"))
_FORMATS: dict[type, ReleaseFormat] = {
    Disassociated: ReleaseFormat(
        "cloven.disassociated",
        2,
        "disassociated",
        ("chunks.parquet", "clusters.parquet", "joints.parquet"),
        lambda release: release.m,
        frozenset(
            ("records", "clusters", "joints", "items", "rows", "record_chunks", "term_chunks", "shared_chunks",
             "oversize_clusters")
        ),
        _count_disassociated,
    ),
    SetGeneralised: ReleaseFormat(
        "cloven.set-generalised",
        1,
        "set-generalised",
        ("blocks.parquet", "rows.parquet"),
        lambda release: all_up_to(release.parameters),
        frozenset(("records", "items", "blocks", "generalised_items", "largest_block", "empty_records")),
        _count_generalised,
        may_list=True,
    ),
    GeneralisedTable: ReleaseFormat(
        "cloven.table",
        1,
        "generalised table",
        ("attributes.parquet", "cells.parquet", "rows.parquet"),
        lambda _release: None,
        _OF_TABLES,
        _count_table,
        may_list=True,
        in_json=False,
    ),
    Sliced: ReleaseFormat(
        "cloven.sliced",
        1,
        "sliced table",
        ("attributes.parquet", "cells.parquet"),
        lambda _release: None,
        _OF_TABLES | {"columns"},
        _count_table,
        may_list=True,
        parts="column-",
        in_json=False,
    ),
}  # fmt: skip
FORMATS = tuple(_FORMATS.values())
