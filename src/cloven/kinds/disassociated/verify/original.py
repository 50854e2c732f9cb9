"""Release against original: is an item lost or invented? Needs the original data, but no key."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import compiled
from cloven.cores import at_once
from cloven.data.arrays import distinct, positions, read_only, stable_order, without
from cloven.errors import shorten
from cloven.kinds.disassociated.release import Kind
from cloven.kinds.disassociated.verify.sharing import find_item
from cloven.verification.verdict import Fault, conclude, named, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Flags, Ints, Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.key import Key
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.verify.layout import JointTree, Layout, Parts
    from cloven.kinds.disassociated.verify.sharing import Sharing
    from cloven.verification.verdict import Check


_AT_ONCE = 64
# Rows whose memory is asked for together.


def check_original(release: Disassociated, layout: Layout, original: Transactions) -> list[Check]:
    """Number of records, vocabulary, and bounds on the support of every item."""
    relaxed = _leaves_out(release)
    # Fewer than k persons may stand behind any number of withheld records.
    repaired = (release.may_be_empty and original.persons is not None) or release.parameters.get("safe") in (
        "cover",
        "exact",
    )
    supports = original.supports
    return [
        _records(release, original, relaxed=relaxed),
        _items(release, original, supports, relaxed=relaxed),
        # A repair suppresses occurrences, but never a record; an item that it touches may become rare.
        _supports(release, layout, original, supports, relaxed=relaxed or repaired),
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


def _items(release: Disassociated, original: Transactions, supports: Longs, *, relaxed: bool) -> Check:
    published, there = set(release.vocabulary), set(original.vocabulary)
    rare = _may_be_withheld(release, original, supports)
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


def _may_be_withheld(release: Disassociated, original: Transactions, supports: Longs) -> set[str]:
    """Items that fewer than k hold, where the release may withhold them."""
    if release.rare_items != "withhold":
        return set()
    holders = supports if original.persons is None else original.holders
    return {
        word for word, held in zip(original.vocabulary, holders.tolist(), strict=True) if held < release.k
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


def _supports(
    release: Disassociated, layout: Layout, original: Transactions, supports: Longs, *, relaxed: bool
) -> Check:
    """Without a term chunk that lists the item, both bounds are the same: the support must be equal."""
    code_of, words = original.code_of(), release.vocabulary
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
    order = stable_order(original.source_rows)
    position = original.source_rows[order]

    def bounds(records: Longs) -> Longs:
        """Where what was sorted by record starts for each record of the original, in its order, and where it ends."""
        spread = np.empty((2, len(order)), np.int64)
        _bounds_of(position, order, read_only(records), spread)
        return spread

    published = np.array([code_of[word] for word in release.vocabulary], np.int64)
    lengths = np.array([len(items) for items in key.suppressed_items], np.int64)
    suppressed = np.array([code_of[word] for items in key.suppressed_items for word in items], np.int64)
    holder = np.repeat(key.suppressed_record, lengths)
    by_holder = stable_order(holder)
    given = _Given(
        read_only(original.offsets),
        read_only(original.codes),
        bounds(parts.record),
        parts.offsets,
        parts.items,
        published,
        bounds(holder[by_holder]),
        suppressed[by_holder],
    )
    found = at_once(lambda first, last: _not_rebuilt(given, len(words), first, last), original.offsets)

    def kinds(at: int) -> str:
        truth = set(original.codes[original.offsets[at] : original.offsets[at + 1]].tolist())
        told = Counter(_told(given, at))
        twice = {code for code, times in told.items() if times > 1}
        here = {"lost": truth - set(told), "invented": set(told) - truth, "given twice": twice}
        said = ", ".join(f"{name} {named(words, sorted(codes))}" for name, codes in here.items() if codes)
        return f"record {original.source_rows[at]} is not rebuilt: {said}"

    bad = np.concatenate(found)
    otherwise = f"{len(bad):,} records are rebuilt from their parts"
    return conclude("records rebuilt", "key", len(bad), [spot(bad, kinds)], otherwise)


class _Given(NamedTuple):
    """Records of the original, and for each of them the parts and the suppressed items that the key gives it."""

    offsets: Longs
    codes: NDArray[np.int32]
    parts: Longs
    part_offsets: Longs
    part_items: NDArray[np.int32]
    published: Longs
    holder: Longs
    suppressed: Longs


@compiled
def _bounds_of(position: Ints, order: Ints, records: Ints, bounds: Ints) -> None:
    """First and last place of each position among records; both ascend, and every record has a position."""
    at = 0
    for number in range(len(position)):
        bounds[0, order[number]] = at
        while at < len(records) and records[at] == position[number]:
            at += 1
        bounds[1, order[number]] = at


@compiled
def _not_rebuilt(given: _Given, words: int, first: int, last: int) -> Flags:
    """Which of some records are not what they are given, each item once."""
    bad = np.zeros(last - first, np.bool_)
    wanted, got = np.full(words, -1), np.full(words, -1)
    for record in range(first, last):
        missing = given.offsets[record + 1] - given.offsets[record]
        for place in range(given.offsets[record], given.offsets[record + 1]):
            wanted[given.codes[place]] = record
        begin = given.part_offsets[given.parts[0, record]]
        between = given.part_offsets[given.parts[1, record]] - begin
        held = given.holder[1, record] - given.holder[0, record]
        for number in range(between + held):
            if number < between:
                code = given.published[given.part_items[begin + number]]
            else:
                code = given.suppressed[given.holder[0, record] + number - between]
            if wanted[code] != record or got[code] == record:
                bad[record - first] = True
            got[code] = record
            missing -= 1
        bad[record - first] |= missing != 0
    return bad


def _told(given: _Given, record: int) -> list[int]:
    """Every code that a record of the original is given."""
    first, last = given.part_offsets[given.parts[:, record]].tolist()
    published = given.published[given.part_items[first:last]]
    first, last = given.holder[:, record].tolist()
    told: list[int] = [*published.tolist(), *given.suppressed[first:last].tolist()]
    return told


def _all_words(
    release: Disassociated, original: Transactions, key: Key
) -> tuple[tuple[str, ...], dict[str, int]]:
    """Items of the original, then names that only the release or the key know; and the number of each."""
    named_by_key = (word for items in key.suppressed_items for word in items)
    words = tuple(dict.fromkeys((*original.vocabulary, *release.vocabulary, *named_by_key)))
    return words, {word: code for code, word in enumerate(words)}


# Key against release: does every published row come from records, exactly once and from the right place?


def check_rows_claimed(layout: Layout, parts: Parts) -> Check:
    """Every row of a record or shared chunk is claimed by exactly one record, with exactly its items."""
    single = layout.chunk_kind[layout.row_chunk] != Kind.TERM
    rows, given = (layout.offsets, layout.items), (parts.row, parts.offsets, parts.items)
    taken, differs = np.zeros(len(single), bool), np.zeros(len(single), bool)
    at_once(lambda first, last: _compare_parts(*rows, *given, first, last, taken, differs), parts.offsets)
    count, terms = int(np.count_nonzero(single)), layout.chunk_kind == Kind.TERM
    otherwise = f"{count:,} rows, each claimed by one record"
    if taken[single].all() and len(parts.row) - np.count_nonzero(terms[parts.chunk]) == count:
        # As many claims as rows, and none without one.
        faults = [spot(single & differs, lambda at: _differs(layout, at))]
        return conclude("rows claimed", "key", count, faults, otherwise)
    claims = np.bincount(parts.row, minlength=len(single))
    faults = [
        spot(
            single & (claims != 1),
            lambda at: f"{_row(layout, at)} is claimed by {claims[at]} records instead of one",
        ),
        spot(
            single & (claims == 1) & differs,
            lambda at: _differs(layout, at),
        ),
    ]
    return conclude("rows claimed", "key", count, faults, otherwise)


def _differs(layout: Layout, at: int) -> str:
    return f"{_row(layout, at)} does not hold what its record contributes"


@compiled
def _compare_parts(
    offsets: Ints,
    items: Ints,
    row: Ints,
    part_offsets: Ints,
    part_items: Ints,
    first: int,
    last: int,
    taken: Flags,
    differs: Flags,
) -> int:
    """Mark the rows of some parts, and those that do not hold the items of the part; one given twice counts once.

    Rows lie anywhere in memory. Those of some parts are asked for at once, so that one does not wait for the other.
    """
    place, end, read = np.empty(_AT_ONCE, np.int64), np.empty(_AT_ONCE, np.int64), 0
    for block in range(first, last, _AT_ONCE):
        behind = min(block + _AT_ONCE, last)
        for part in range(block, behind):
            place[part - block], end[part - block] = offsets[row[part]], offsets[row[part] + 1]
            taken[row[part]] = True
        for part in range(block, behind):
            read ^= items[place[part - block]]
        for part in range(block, behind):
            here, there, same = place[part - block], end[part - block], True
            at, stop = part_offsets[part], part_offsets[part + 1]
            before = -1
            while same and at < stop:
                item = part_items[at]
                if item != before:
                    same = here < there and items[here] == item
                    here += 1
                before = item
                at += 1
            if not same or here < there:
                differs[row[part]] = True
    return read


def check_term_rows(release: Disassociated, layout: Layout, parts: Parts) -> Check:
    """A term chunk lists exactly what records of its cluster contribute to it."""
    words, term = release.vocabulary, layout.chunk_kind == Kind.TERM
    rows = np.flatnonzero(term[layout.row_chunk]) if term.any() else np.empty(0, np.int64)
    listed = _keys(rows, layout.offsets, layout.items, rows, len(words))
    giving = np.flatnonzero(term[parts.chunk]) if term.any() else np.empty(0, np.int64)
    given = distinct(_keys(parts.row[giving], parts.offsets, parts.items, giving, len(words)))
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
    count = int(np.count_nonzero(term))
    return conclude(
        "term chunks claimed", "key", count, faults, f"{count:,} term chunks are what records give"
    )


def _keys(row: Longs, offsets: Longs, items: NDArray[np.int32], lists: Longs, words: int) -> Longs:
    """All ``row * words + item`` of some lists of items, each with its row."""
    lengths = offsets[lists + 1] - offsets[lists]
    return np.repeat(row, lengths) * words + items[positions(offsets[lists], lengths)]


def check_parts_in_place(layout: Layout, tree: JointTree, parts: Parts) -> Check:
    """Parts lie in the cluster of their record or in joints above it, at most one in a chunk."""
    astray, again = np.zeros(len(parts.row), bool), np.zeros(len(parts.row), bool)
    lies = (parts.record, parts.cluster, parts.chunk, parts.owner, parts.outside)
    above = (tree.cluster_joint, tree.parent, layout.chunks)
    at_once(lambda first, last: _look_for_parts(*lies, *above, first, last, astray, again), parts.offsets)

    def several(at: int) -> str:
        times = np.count_nonzero((parts.record == parts.record[at]) & (parts.chunk == parts.chunk[at]))
        return f"record {parts.record[at]} has {times} parts in {layout.place(int(parts.chunk[at]))}"

    faults = [
        spot(
            astray,
            lambda at: (
                f"record {parts.record[at]} of cluster {parts.cluster[at]}"
                f" has a part in {layout.place(int(parts.chunk[at]))}"
            ),
        ),
        spot(again, several),
    ]
    count = len(parts.record)
    return conclude("parts in place", "key", count, faults, f"{count:,} parts lie where their record is")


@compiled
def _look_for_parts(
    record: Ints,
    cluster: Ints,
    chunk: Ints,
    owner: Ints,
    outside: Flags,
    innermost: Ints,
    parent: Ints,
    chunks: int,
    first: int,
    last: int,
    astray: Flags,
    again: Flags,
) -> None:
    """Mark the parts that lie elsewhere, and the second one of a record in a chunk; of records that begin here."""
    while 0 < first < len(record) and record[first] == record[first - 1]:
        first += 1
    while 0 < last < len(record) and record[last] == record[last - 1]:
        last += 1
    once, twice = np.full(chunks, -1), np.full(chunks, -1)  # the part from which on the record is the same
    begin = first
    for part in range(first, last):
        if record[part] != record[begin]:
            begin = part
        if outside[part]:
            joint = innermost[cluster[part]]
            while joint >= 0 and joint != owner[part]:
                joint = parent[joint]
            astray[part] = joint < 0
        else:
            astray[part] = cluster[part] != owner[part]
        again[part] = once[chunk[part]] == begin and twice[chunk[part]] != begin
        if again[part]:
            twice[chunk[part]] = begin
        once[chunk[part]] = begin


def check_shared_origin(
    release: Disassociated, layout: Layout, tree: JointTree, sharing: Sharing, parts: Parts
) -> Check:
    """In a chunk of a joint a record contributes nothing that its cluster shows, or that a joint further in shares."""
    words = release.vocabulary
    bad = np.zeros(len(parts.items), bool)
    given = (parts.cluster, parts.chunk, parts.owner, parts.outside, parts.offsets, parts.items)
    walked = (sharing.visited, sharing.entered, sharing.left, *sharing.times)
    told = (*sharing.chunks, sharing.place, *sharing.shown, *sharing.shared, tree.cluster_joint, tree.parent)
    at_once(lambda first, last: _mark_published(*given, *walked, *told, first, last, bad), parts.offsets)

    def told_twice(at: int) -> str:
        part, item = parts.place_of(at)
        return (
            f"record {parts.record[part]} contributes {shorten(words[item])} to"
            f" {layout.place(int(parts.chunk[part]))}, but it is published for cluster"
            f" {parts.cluster[part]} already"
        )

    count = int(np.diff(parts.offsets)[parts.outside].sum())
    otherwise = f"{count:,} items of joints come from clusters that hide them"
    return conclude("shared origin", "key", count, [spot(bad, told_twice)], otherwise)


@compiled
def _mark_published(
    cluster: Ints,
    chunk: Ints,
    owner: Ints,
    outside: Flags,
    offsets: Ints,
    items: Ints,
    visited: Ints,
    entered: Ints,
    left: Ints,
    start: Ints,
    begin: Ints,
    end: Ints,
    chunk_start: Ints,
    chunk_item: Ints,
    places: Ints,
    shown_start: Ints,
    shown: Ints,
    shared_start: Ints,
    shared: Ints,
    innermost: Ints,
    parent: Ints,
    first: int,
    last: int,
    bad: Flags,
) -> None:
    """Mark what parts give a joint though their cluster shows it, or a joint further in shares it.

    The walk knows when it was in such clusters; where a part lies elsewhere or gives what its chunk does not have, the
    tree is climbed.
    """
    for part in range(first, last):
        if not outside[part]:
            continue
        here, joint, lies = cluster[part], owner[part], chunk[part]
        is_below = entered[joint] <= visited[here] < left[joint]
        for at in range(offsets[part], offsets[part + 1]):
            place = -1
            if is_below:
                place = find_item(chunk_item, chunk_start[lies], chunk_start[lies + 1], items[at])
            if place >= 0:
                bad[at] = _is_inside(start, begin, end, places[place], visited[here])
                continue
            bad[at] = find_item(shown, shown_start[here], shown_start[here + 1], items[at]) >= 0
            inner = innermost[here]
            while not bad[at] and inner >= 0 and inner != joint:
                bad[at] = find_item(shared, shared_start[inner], shared_start[inner + 1], items[at]) >= 0
                inner = parent[inner]


@compiled
def _is_inside(start: Ints, begin: Ints, end: Ints, place: int, moment: int) -> bool:
    """Whether a moment lies in one of the times of an item."""
    first, last = start[place], start[place + 1]
    while first < last:
        middle = (first + last) // 2
        if end[middle] <= moment:
            first = middle + 1
        else:
            last = middle
    return bool(first < start[place + 1] and begin[first] <= moment)


def _row(layout: Layout, row: int) -> str:
    chunk = int(layout.row_chunk[row])
    return f"row {layout.row_source[row]} ({layout.place(chunk)})"
