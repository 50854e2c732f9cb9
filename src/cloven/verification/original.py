"""Release against original: is an item lost or invented? Needs the original data, but no key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import shorten
from cloven.model.disassociated import Kind
from cloven.verification.faults import Fault, conclude, named, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.transactions import Transactions
    from cloven.verification.layout import Layout
    from cloven.verification.verdict import Check


def check_original(release: Disassociated, layout: Layout, original: Transactions) -> list[Check]:
    """Number of records, vocabulary, and bounds on the support of every item."""
    relaxed = _leaves_out(release)
    # Fewer than k persons may stand behind any number of withheld records.
    repaired = (release.may_be_empty and original.persons is not None) or release.parameters.get("safe") in (
        "cover",
        "exact",
    )
    return [
        _records(release, original, relaxed=relaxed),
        _items(release, original, relaxed=relaxed),
        # A repair suppresses occurrences, but never a record; an item that it touches may become rare.
        _supports(release, layout, original, relaxed=relaxed or repaired),
    ]


def _leaves_out(release: Disassociated) -> bool:
    """Whether the parameters say that records or items may have been left out."""
    parameters = release.parameters
    rare = parameters.get("min_item_support", 1)
    return (
        parameters.get("small_clusters") == "suppress"
        or (isinstance(rare, (int, float)) and rare > 1)
        or bool(parameters.get("suppressed"))
    )


def _records(release: Disassociated, original: Transactions, *, relaxed: bool) -> Check:
    published, there = release.records, len(original)
    wrong = published > there or (published < there and not relaxed)
    fault = Fault(int(wrong), f"{published:,} records published, {there:,} in the original")
    said = f"{published:,} of {there:,} records" + _undecided(
        relaxed=relaxed, what="which records were suppressed"
    )
    return conclude("number of records", "original", there, [fault], said)


def _items(release: Disassociated, original: Transactions, *, relaxed: bool) -> Check:
    published, there = set(release.vocabulary), set(original.vocabulary)
    rare = _may_be_withheld(release, original)
    invented, lost = sorted(published - there), sorted(there - published - rare)
    faults = [
        Fault(len(invented), f"published but not in the original: {named(invented, range(len(invented)))}"),
        Fault(
            0 if relaxed else len(lost), f"in the original but not published: {named(lost, range(len(lost)))}"
        ),
    ]
    said = f"{len(published):,} of {len(there):,} items published"
    said += f"; all others are held by fewer than {release.k}" if rare and not relaxed else ""
    said += _undecided(relaxed=relaxed, what="whether missing items were suppressed")
    return conclude("items kept", "original", len(there | published), faults, said)


def _may_be_withheld(release: Disassociated, original: Transactions) -> set[str]:
    """Items that fewer than k hold, where the release may withhold them."""
    if release.rare_items != "withhold":
        return set()
    return {
        word
        for word, held in zip(original.vocabulary, original.holders.tolist(), strict=True)
        if held < release.k
    }


@dataclass(frozen=True)
class Bounds:
    """Support of each published item as far as a release tells: from ``low`` to ``high``."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]


def _bounds(release: Disassociated, layout: Layout) -> Bounds:
    """Rows that show an item, plus one to all records of each cluster whose term chunk lists it.

    The list of the root may stand for one to all records of the release. Of an item that has no chunk at the root,
    fewer than k occurrences may have been withheld.
    """
    words = len(release.vocabulary)
    counted = layout.chunk_kind[layout.pair_chunk] != Kind.TERM
    shown = np.bincount(layout.pair_item[counted], layout.pair_rows[counted], words).astype(np.int64)
    cluster, listed = layout.pairs_of(Kind.TERM)
    lists = np.bincount(listed, minlength=words)
    room = np.bincount(listed, release.cluster_size[cluster], words).astype(np.int64)
    lists[layout.listed] += 1
    room[layout.listed] += release.records
    if release.rare_items == "withhold":
        joint, at_root = layout.pairs_of(Kind.SHARED)
        hidden = np.full(words, release.k - 1)
        hidden[at_root[joint == release.root]] = 0
        room += hidden
    return Bounds(shown + lists, shown + room)


def _supports(release: Disassociated, layout: Layout, original: Transactions, *, relaxed: bool) -> Check:
    """Without a term chunk that lists the item, both bounds are the same: the support must be equal."""
    code_of, words = original.code_of(), release.vocabulary
    supports = original.supports
    truth = np.array([supports[code_of[word]] if word in code_of else 0 for word in words], np.int64)
    bounds = _bounds(release, layout)
    too_high = bounds.low > truth
    too_low = np.zeros(len(words), bool) if relaxed else bounds.high < truth

    def found(at: int) -> str:
        low, high = int(bounds.low[at]), int(bounds.high[at])
        told = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        return f"item {shorten(words[at])} is published with support {told}, the original has {truth[at]:,}"

    said = f"{len(words):,} items, supports agree"
    said += _undecided(relaxed=relaxed, what="whether missing occurrences were suppressed or lost")
    faults = [spot(too_high, found), spot(too_low, found)]
    return conclude("supports", "original", len(words), faults, said)


def _undecided(*, relaxed: bool, what: str) -> str:
    return f"; cannot be decided without the key: {what}" if relaxed else ""
