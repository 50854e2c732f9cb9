"""Canonical order (docs/reference/release-format.md): everything published is a function of content alone."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import shorten
from cloven.verification.compare import compare_columns, compare_neighbours
from cloven.verification.content import contents, contexts
from cloven.verification.faults import Fault, conclude, spot
from cloven.verification.layout import ascending_items, row_columns

if TYPE_CHECKING:
    from cloven.model.disassociated import Disassociated
    from cloven.verification.layout import Layout
    from cloven.verification.tree import JointTree
    from cloven.verification.verdict import Check


def check_item_order(release: Disassociated) -> Check:
    """Items of a row ascend strictly."""
    items, words = release.row_items, release.vocabulary
    row = np.repeat(np.arange(release.rows), np.diff(release.row_offsets))
    fallen = (row[1:] == row[:-1]) & (items[1:] <= items[:-1])
    faults = [
        spot(
            fallen,
            lambda at: (
                f"row {row[at]}: item {shorten(words[items[at + 1]])} stands after"
                f" {shorten(words[items[at]])}"
            ),
        )
    ]
    return conclude("order of items", "release", len(items), faults, f"{release.rows:,} rows ascend")


def check_row_order(release: Disassociated) -> Check:
    """Rows ascend by cluster, kind, chunk and items; shared rows come last, by joint, chunk and items."""
    offsets, items = ascending_items(release)
    group = compare_columns(row_columns(release))
    tied = np.flatnonzero(group == 0)
    within = np.zeros(len(group), np.int64)
    within[tied] = compare_neighbours(offsets, items, tied)
    faults = [
        spot(group > 0, lambda at: f"row {at + 1} belongs to a chunk that comes before that of row {at}"),
        spot(within > 0, lambda at: f"row {at + 1} of the same chunk is smaller than row {at}"),
    ]
    return conclude("order of rows", "release", release.rows, faults, f"{release.rows:,} rows ascend")


def check_numbering(release: Disassociated, layout: Layout, tree: JointTree) -> tuple[Check, Check]:
    """Clusters and joints are numbered by content; ties by context."""
    clusters, joints = contents(release, layout)
    cluster_context: list[str] = [""] * len(clusters)
    joint_context: list[str] = [""] * len(joints)
    if _tied(clusters) or _tied(joints):
        cluster_context, joint_context = contexts(clusters, joints, tree)
    return (
        _ascending("cluster", clusters, cluster_context),
        _ascending("joint", joints, joint_context),
    )


def _tied(content: list[bytes]) -> bool:
    return any(before == after for before, after in pairwise(content))


def _ascending(thing: str, content: list[bytes], context: list[str]) -> Check:
    keys = zip(content, context, strict=True)
    fallen = [after < before for before, after in pairwise(keys)]
    fault: Fault = spot(
        np.array(fallen, bool), lambda at: f"{thing} {at + 1} should be numbered before {thing} {at}"
    )
    return conclude(
        f"order of {thing}s", "release", len(content), [fault], f"{len(content):,} {thing}s ascend"
    )
