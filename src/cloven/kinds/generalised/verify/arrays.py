"""Are the arrays of a set-generalised release sound, and do its blocks part the items?"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import shorten
from cloven.figures import counted
from cloven.verification.claims import compare_neighbours
from cloven.verification.verdict import NOT_CHECKED, Check, Fault, conclude, named, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.kinds.generalised.release import SetGeneralised


def check_arrays(release: SetGeneralised) -> Check:
    """Types, lengths and ranges of everything in the release."""
    faults = [_k(release), *_shapes(release)]
    if not any(fault.count for fault in faults):
        faults = [
            *_rising("block", release.block_offsets, len(release.block_items), least=1),
            *_rising("row", release.row_offsets, len(release.row_blocks), least=0),
            _range("block_items", release.block_items, len(release.vocabulary)),
            _range("row_blocks", release.row_blocks, len(release.block_offsets) - 1),
        ]
    rows = max(0, len(release.row_offsets) - 1)
    return conclude("arrays", "release", rows, faults, f"{rows:,} rows, all lengths and ranges sound")


def _k(release: SetGeneralised) -> Fault:
    whole = isinstance(release.k, int | np.integer) and not isinstance(release.k, bool)
    return Fault(int(not (whole and release.k >= 1)), f"k is {release.k!r}, not a whole number from 1")


def _shapes(release: SetGeneralised) -> list[Fault]:
    faults = []
    for name in release.ARRAYS:
        array = getattr(release, name)
        sound = array.ndim == 1 and np.issubdtype(array.dtype, np.signedinteger)
        faults.append(Fault(int(not sound), f"{name} is not a list of whole numbers"))
    faults += [
        Fault(int(len(getattr(release, name)) == 0), f"{name} is empty, it begins with 0")
        for name in ("block_offsets", "row_offsets")
    ]
    blocks, labels = len(release.block_offsets) - 1, len(release.block_labels)
    faults.append(Fault(int(labels != blocks), f"{labels:,} labels for {blocks:,} blocks"))
    for words, thing in ((release.vocabulary, "an item"), (release.block_labels, "a label")):
        strange = [word for word in words if not isinstance(word, str)]
        faults.append(Fault(len(strange), f"{thing} is not a string but {strange[:1]!r}"))
    return faults


def _rising(thing: str, offsets: Longs, end: int, least: int) -> list[Fault]:
    ends = int(offsets[0]) != 0 or int(offsets[-1]) != end
    lengths = np.diff(offsets)
    return [
        Fault(int(ends), f"{thing}_offsets run from {offsets[0]} to {offsets[-1]}, not from 0 to {end}"),
        spot(lengths < least, lambda at: f"{thing} {at} has {lengths[at]} entries"),
    ]


def _range(name: str, values: NDArray[np.int32], end: int) -> Fault:
    return spot((values < 0) | (values >= end), lambda at: f"{name} holds {values[at]}: out of range")


def check_partition(release: SetGeneralised) -> Check:
    """Items ascend, every one is in exactly one block, and every block is in some row, once in each."""
    words = release.vocabulary
    times = np.bincount(release.block_items, minlength=len(words))
    fallen = np.fromiter((after <= before for before, after in pairwise(words)), bool, max(0, len(words) - 1))
    row = np.repeat(np.arange(release.records), np.diff(release.row_offsets))
    pairs = np.sort(row * max(1, release.blocks) + release.row_blocks)
    twice = pairs[1:][pairs[1:] == pairs[:-1]] // max(1, release.blocks)
    faults = [
        spot(fallen, lambda at: f"item {shorten(words[at + 1])} does not come after {shorten(words[at])}"),
        spot(times != 1, lambda at: f"item {shorten(words[at])} is in {times[at]} blocks instead of one"),
        spot(release.supports == 0, lambda at: f"block {at} is in no row"),
        Fault(len(twice), f"row {twice[0] if len(twice) else 0} shows a block twice"),
    ]
    otherwise = f"{len(words):,} items in {release.blocks:,} blocks, each in one"
    return conclude("partition", "release", len(words), faults, otherwise)


# Names of blocks: only the groups of a taxonomy have any, so a name can say nothing else.
#
# A name is free text that is published beside the items. Methods without a taxonomy (COAT, PCTA) have no use for one,
# and an item by itself is called by its own name. Whether the name of a group is the one that the owner's taxonomy has
# cannot be seen: the taxonomy is neither published nor part of the key.


WITHOUT_TAXONOMY = ("coat", "pcta")


def check_block_labels(release: SetGeneralised) -> Check:
    """Blocks are called by nothing but their items, or by groups of a taxonomy where the method has one."""
    labels = [(number, label) for number, label in enumerate(release.block_labels) if label]
    method = release.parameters.get("method")
    faults = (
        [_fault(release, labels, f"{method} has no groups with names")]
        if method in WITHOUT_TAXONOMY
        else _strange_groups(release, labels)
    )
    if any(fault.count for fault in faults) or not labels:
        said = "no block has a name besides its items"
        return conclude("labels", "release", release.blocks, faults, said)
    detail = (
        f"{NOT_CHECKED}, nor at any other: that {counted(len(labels), 'group names are')} in the owner's"
        " taxonomy, which is not published; read them"
    )
    return Check("labels", "release", passed=True, examined=release.blocks, detail=detail, decided=False)


def _strange_groups(release: SetGeneralised, labels: list[tuple[int, str]]) -> list[Fault]:
    """What no group of a taxonomy is: one item, or two blocks."""
    times = Counter(label for _, label in labels)
    return [
        _fault(
            release,
            [each for each in labels if release.block_sizes[each[0]] == 1],
            "an item by itself is no group",
        ),
        _fault(release, [each for each in labels if times[each[1]] > 1], "another block has the same name"),
    ]


def _fault(release: SetGeneralised, wrong: list[tuple[int, str]], why: str) -> Fault:
    if not wrong:
        return Fault(0, "")
    number, label = wrong[0]
    items = release.block(number)
    return Fault(
        len(wrong), f"block {number}, {named(items, range(len(items)))}, is called {shorten(label)}: {why}"
    )


# Canonical order of a set-generalised release: everything published is a function of content alone.


def check_block_order(release: SetGeneralised) -> Check:
    """Items ascend inside a block, and blocks ascend by their items."""
    faults = _ascending("block", release.block_offsets, release.block_items)
    return conclude("order of blocks", "release", release.blocks, faults, f"{release.blocks:,} blocks ascend")


def check_row_order(release: SetGeneralised) -> Check:
    """Blocks ascend inside a row, and rows ascend by their blocks; equal rows stand side by side."""
    faults = _ascending("row", release.row_offsets, release.row_blocks)
    return conclude("order of rows", "release", release.records, faults, f"{release.records:,} rows ascend")


def _ascending(thing: str, offsets: Longs, values: NDArray[np.int32]) -> list[Fault]:
    lists = len(offsets) - 1
    owner = np.repeat(np.arange(lists), np.diff(offsets))
    inside = (owner[1:] == owner[:-1]) & (values[1:] <= values[:-1])
    between = compare_neighbours(offsets, values.astype(np.int64), np.arange(max(0, lists - 1))) > 0
    return [
        spot(inside, lambda at: f"{thing} {owner[at]}: {values[at + 1]} stands after {values[at]}"),
        spot(between, lambda at: f"{thing} {at + 1} should come before {thing} {at}"),
    ]
