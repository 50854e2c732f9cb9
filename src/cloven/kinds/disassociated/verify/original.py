"""Release against original: is an item lost or invented? Needs the original data, but no key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.data.arrays import among, distinct, places, stable_order, without
from cloven.errors import shorten
from cloven.kinds.disassociated.release import Kind
from cloven.verification.verdict import Fault, conclude, named, spot

if TYPE_CHECKING:
    from cloven.compiled import Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.key import Key
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.verify.layout import JointTree, Layout, Parts
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

    low: Longs
    high: Longs


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


# Key and release against original: is every record where the key says, and rebuilt to what it was?


def check_cluster_members(release: Disassociated, key: Key) -> Check:
    """Each cluster has as many records in the key as its published size says."""
    size = release.cluster_size
    members = np.bincount(key.record_cluster, minlength=release.clusters)
    faults = [
        spot(members != size, lambda at: f"cluster {at} has {members[at]} records, published as {size[at]}")
    ]
    return conclude("cluster members", "key", len(size), faults, f"{len(size):,} clusters have their members")


def check_records_rebuilt(release: Disassociated, original: Transactions, key: Key, parts: Parts) -> Check:
    """Parts of a record and its suppressed items together are the original record, each item once."""
    words, code_of = _all_words(release, original, key)
    order = np.argsort(original.source_rows)
    position = original.source_rows[order]

    def pairs(record: Longs, item: Longs) -> Longs:
        return order[places(position, record)] * len(words) + item

    published = np.array([code_of[word] for word in release.vocabulary], np.int64)
    lengths = np.array([len(items) for items in key.suppressed_items], np.int64)
    suppressed = np.array([code_of[word] for items in key.suppressed_items for word in items], np.int64)
    rebuilt = np.concatenate(
        (
            pairs(parts.record[parts.part], published[parts.items]),
            pairs(np.repeat(key.suppressed_record, lengths), suppressed),
        )
    )
    truth = np.repeat(np.arange(len(original)), original.lengths) * len(words) + original.codes
    ordered = np.sort(rebuilt, kind="stable")  # nearly in order, for keys are
    given, twice = distinct(ordered), distinct(ordered[1:][ordered[1:] == ordered[:-1]])
    same = np.array_equal(truth, given)  # as it must be, and found at once
    lost, invented = (truth[:0], given[:0]) if same else (without(truth, given), without(given, truth))

    def kinds(at: int) -> str:
        here = [(name, keys[keys // len(words) == at] % len(words)) for name, keys in found]
        told = ", ".join(f"{name} {named(words, codes.tolist())}" for name, codes in here if len(codes))
        return f"record {original.source_rows[at]} is not rebuilt: {told}"

    found = (("lost", lost), ("invented", invented), ("given twice", twice))
    bad = np.zeros(len(original), bool)
    for _, keys in found:
        bad[keys // max(1, len(words))] = True
    faults = [spot(bad, kinds)]
    return conclude(
        "records rebuilt", "key", len(bad), faults, f"{len(bad):,} records are rebuilt from their parts"
    )


def _all_words(
    release: Disassociated, original: Transactions, key: Key
) -> tuple[tuple[str, ...], dict[str, int]]:
    """Items of the original, then names that only the release or the key know; and the number of each."""
    named_by_key = (word for items in key.suppressed_items for word in items)
    words = tuple(dict.fromkeys((*original.vocabulary, *release.vocabulary, *named_by_key)))
    return words, {word: code for code, word in enumerate(words)}


# Key against release: does every published row come from records, exactly once and from the right place?


def check_rows_claimed(release: Disassociated, layout: Layout, parts: Parts) -> Check:
    """Every row of a record or shared chunk is claimed by exactly one record, with exactly its items."""
    words = len(release.vocabulary)
    single = layout.chunk_kind[layout.row_chunk] != Kind.TERM
    claims = np.bincount(parts.row, minlength=len(single))
    published = _keys(layout, words)
    row = parts.row[parts.part]
    order = stable_order(row)  # in which parts ascend, so that little is left to sort
    claimed = distinct(row[order] * words + parts.items[order])
    differs = np.zeros(len(single), bool)
    if not np.array_equal(published, claimed):
        differs[np.setxor1d(published, claimed, assume_unique=True) // max(1, words)] = True
    faults = [
        spot(
            single & (claims != 1),
            lambda at: f"{_row(layout, at)} is claimed by {claims[at]} records instead of one",
        ),
        spot(
            single & (claims == 1) & differs,
            lambda at: f"{_row(layout, at)} does not hold what its record contributes",
        ),
    ]
    count = int(np.count_nonzero(single))
    return conclude("rows claimed", "key", count, faults, f"{count:,} rows, each claimed by one record")


def check_term_rows(release: Disassociated, layout: Layout, parts: Parts) -> Check:
    """A term chunk lists exactly what records of its cluster contribute to it."""
    words = release.vocabulary
    listed = _keys(layout, len(words))
    listed = listed[layout.chunk_kind[layout.row_chunk[listed // max(1, len(words))]] == Kind.TERM]
    in_term = parts.kind[parts.part] == Kind.TERM
    given = distinct(parts.row[parts.part[in_term]] * len(words) + parts.items[in_term])
    nobody, unlisted = without(listed, given), without(given, listed)

    def place(keys: Longs, at: int) -> str:
        row, item = divmod(int(keys[at]), len(words))
        return f"{layout.place(int(layout.row_chunk[row]))}: item {shorten(words[item])}"

    faults = [
        spot(
            np.ones(len(nobody), bool), lambda at: f"{place(nobody, at)} is listed but nobody contributes it"
        ),
        spot(np.ones(len(unlisted), bool), lambda at: f"{place(unlisted, at)} is contributed but not listed"),
    ]
    count = int(np.count_nonzero(layout.chunk_kind == Kind.TERM))
    return conclude(
        "term chunks claimed", "key", count, faults, f"{count:,} term chunks are what records give"
    )


def check_parts_in_place(layout: Layout, tree: JointTree, parts: Parts) -> Check:
    """Parts lie in the cluster of their record or in joints above it, at most one in a chunk."""
    owner, outside = layout.chunk_owner[parts.chunk], layout.chunk_outside[parts.chunk]
    joints = max(1, len(tree.parent))
    above = [cluster * joints + joint for cluster, joint in tree.climb(tree.cluster_joint)]
    reachable = np.concatenate(above) if above else np.empty(0, np.int64)
    at_home = np.where(outside, among(parts.cluster * joints + owner, reachable), parts.cluster == owner)
    pair = parts.record * (layout.chunks + 1) + parts.chunk
    ordered = np.sort(pair, kind="stable")
    several = ordered[1:][ordered[1:] == ordered[:-1]]
    _, first, times = np.unique(pair[among(pair, several)], return_index=True, return_counts=True)
    faults = [
        spot(
            ~at_home,
            lambda at: (
                f"record {parts.record[at]} of cluster {parts.cluster[at]}"
                f" has a part in {layout.place(int(parts.chunk[at]))}"
            ),
        ),
        spot(
            times > 1,
            lambda at: (
                f"record {parts.record[first[at]]} has {times[at]} parts"
                f" in {layout.place(int(parts.chunk[first[at]]))}"
            ),
        ),
    ]
    count = len(parts.record)
    return conclude("parts in place", "key", count, faults, f"{count:,} parts lie where their record is")


def check_shared_origin(release: Disassociated, layout: Layout, tree: JointTree, parts: Parts) -> Check:
    """In a chunk of a joint a record contributes nothing that its cluster shows, or that a joint further in shares."""
    words = release.vocabulary
    cluster, shown = layout.pairs_of(Kind.RECORD)
    outside = layout.chunk_outside[parts.chunk[parts.part]]
    part, items = parts.part[outside], parts.items[outside]
    bad = among(parts.cluster[part] * len(words) + items, cluster * len(words) + shown)
    joint, shared = layout.pairs_of(Kind.SHARED)
    below = np.ones(len(part), bool)
    for index, above in tree.climb(tree.cluster_joint[parts.cluster[part]]):
        below[index] &= above != layout.chunk_owner[parts.chunk[part[index]]]
        bad[index] |= below[index] & among(above * len(words) + items[index], joint * len(words) + shared)
    faults = [
        spot(
            bad,
            lambda at: (
                f"record {parts.record[part[at]]} contributes {shorten(words[items[at]])} to"
                f" {layout.place(int(parts.chunk[part[at]]))}, but it is published for cluster"
                f" {parts.cluster[part[at]]} already"
            ),
        )
    ]
    count = len(items)
    return conclude(
        "shared origin", "key", count, faults, f"{count:,} items of joints come from clusters that hide them"
    )


def _keys(layout: Layout, words: int) -> Longs:
    """All ``row * words + item`` of the release, ascending."""
    row = np.repeat(np.arange(len(layout.row_chunk)), np.diff(layout.offsets))
    return row * words + layout.items


def _row(layout: Layout, row: int) -> str:
    chunk = int(layout.row_chunk[row])
    return f"row {layout.row_source[row]} ({layout.place(chunk)})"
