"""Release against original: is an item lost or invented? Needs the original data, but no key."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.data.arrays import distinct, positions, without
from cloven.errors import shorten
from cloven.kinds.disassociated.release import Kind
from cloven.verification.verdict import Fault, conclude, named, spot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.key import Key
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.verify.layout import Layout
    from cloven.kinds.disassociated.verify.parts import Looked, Parts, Truth
    from cloven.verification.verdict import Check


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


def check_records_rebuilt(
    original: Transactions, parts: Parts, truth: Truth, looked: Looked, words: tuple[str, ...]
) -> Check:
    """Parts of a record and its suppressed items together are the original record, each item once."""

    def kinds(at: int) -> str:
        there = set(original.codes[original.offsets[at] : original.offsets[at + 1]].tolist())
        told = Counter(truth.told(parts, at))
        twice = {code for code, times in told.items() if times > 1}
        here = {"lost": there - set(told), "invented": set(told) - there, "given twice": twice}
        said = ", ".join(f"{name} {named(words, sorted(codes))}" for name, codes in here.items() if codes)
        return f"record {original.source_rows[at]} is not rebuilt: {said}"

    count = len(original)
    otherwise = f"{count:,} records are rebuilt from their parts"
    return conclude("records rebuilt", "key", count, [spot(looked.broken, kinds)], otherwise)


def all_words(
    release: Disassociated, original: Transactions, key: Key
) -> tuple[tuple[str, ...], dict[str, int]]:
    """Items of the original, then names that only the release or the key know; and the number of each."""
    named_by_key = (word for items in key.suppressed_items for word in items)
    words = tuple(dict.fromkeys((*original.vocabulary, *release.vocabulary, *named_by_key)))
    return words, {word: code for code, word in enumerate(words)}


# Key against release: does every published row come from records, exactly once and from the right place?


def check_rows_claimed(layout: Layout, parts: Parts, looked: Looked) -> Check:
    """Every row of a record or shared chunk is claimed by exactly one record, with exactly its items."""
    terms, differs = _term_rows(layout), looked.differs.copy()
    taken = looked.taken.copy()
    taken[terms], differs[terms] = True, False
    count, claims = len(taken) - len(terms), len(parts.row) - len(_giving_terms(layout, parts))
    faults = [spot(differs, lambda at: _differs(layout, at))]
    if not taken.all() or claims != count:  # else as many claims as rows, and none without one
        times = np.bincount(parts.row, minlength=len(taken))
        times[terms] = 1
        faults = [
            spot(
                times != 1,
                lambda at: f"{_row(layout, at)} is claimed by {times[at]} records instead of one",
            ),
            spot((times == 1) & differs, lambda at: _differs(layout, at)),
        ]
    return conclude("rows claimed", "key", count, faults, f"{count:,} rows, each claimed by one record")


def _term_rows(layout: Layout) -> Longs:
    """Rows of term chunks, ascending."""
    terms = layout.chunk_kind == Kind.TERM
    return positions(layout.chunk_start[:-1][terms], layout.chunk_rows[terms])


def _giving_terms(layout: Layout, parts: Parts) -> Longs:
    """Parts that lie in term chunks, ascending."""
    terms = layout.chunk_kind == Kind.TERM
    if not terms.any():
        return np.empty(0, np.int64)
    return np.flatnonzero(terms[layout.form_chunk[layout.row_form[parts.row]]])


def _differs(layout: Layout, at: int) -> str:
    return f"{_row(layout, at)} does not hold what its record contributes"


def check_term_rows(release: Disassociated, layout: Layout, parts: Parts) -> Check:
    """A term chunk lists exactly what records of its cluster contribute to it."""
    words, term = release.vocabulary, layout.chunk_kind == Kind.TERM
    rows = _term_rows(layout)
    listed = _keys(rows, layout.offsets, layout.items, rows, len(words))
    giving = _giving_terms(layout, parts)
    given = distinct(_keys(parts.row[giving], parts.offsets, parts.items, giving, len(words)))
    nobody, unlisted = without(listed, given), without(given, listed)

    def place(keys: Longs, at: int) -> str:
        row, item = divmod(int(keys[at]), len(words))
        return f"{layout.place(layout.chunk_of(row))}: item {shorten(words[item])}"

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


def check_parts_in_place(layout: Layout, key: Key, parts: Parts, looked: Looked) -> Check:
    """Parts lie in the cluster of their record or in joints above it, at most one in a chunk."""

    def several(at: int) -> str:
        rows = parts.row[parts.record == parts.record[at]].tolist()
        times = [layout.chunk_of(row) for row in rows].count(layout.chunk_of(parts.row[at]))
        return f"record {parts.record[at]} has {times} parts in {_chunk_of(layout, parts, at)}"

    faults = [
        spot(
            looked.astray,
            lambda at: (
                f"record {parts.record[at]} of cluster {_cluster_of(key, parts, at)}"
                f" has a part in {_chunk_of(layout, parts, at)}"
            ),
        ),
        spot(looked.again, several),
    ]
    count = len(parts.record)
    return conclude("parts in place", "key", count, faults, f"{count:,} parts lie where their record is")


def check_shared_origin(
    release: Disassociated, layout: Layout, key: Key, parts: Parts, looked: Looked
) -> Check:
    """In a chunk of a joint a record contributes nothing that its cluster shows, or that a joint further in shares."""

    def told_twice(at: int) -> str:
        part, item = parts.place_of(at)
        return (
            f"record {parts.record[part]} contributes {shorten(release.vocabulary[item])} to"
            f" {_chunk_of(layout, parts, part)}, but it is published for cluster"
            f" {_cluster_of(key, parts, part)} already"
        )

    count = looked.shared
    otherwise = f"{count:,} items of joints come from clusters that hide them"
    return conclude("shared origin", "key", count, [spot(looked.published, told_twice)], otherwise)


def _cluster_of(key: Key, parts: Parts, part: int) -> int:
    """Cluster of the record that a part is of."""
    return int(key.record_cluster[np.searchsorted(key.records, parts.record[part])])


def _chunk_of(layout: Layout, parts: Parts, part: int) -> str:
    """Where a part lies, in words."""
    return layout.place(layout.chunk_of(parts.row[part]))


def _row(layout: Layout, row: int) -> str:
    source = row if layout.row_source is None else layout.row_source[row]
    return f"row {source} ({layout.place(layout.chunk_of(row))})"
