"""Run all checks of a disassociated release, at the highest level that the given data allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.cores import WORTH_IT, one_crew, side_by_side
from cloven.data.transactions import Transactions
from cloven.figures import counted
from cloven.kinds.disassociated.release import NOT_ENUMERATED, Kind
from cloven.kinds.disassociated.verify.arrays import check_arrays, check_key_arrays, check_vocabulary
from cloven.kinds.disassociated.verify.layout import check_tree, lay_out
from cloven.kinds.disassociated.verify.order import check_item_order, check_numbering, check_row_order
from cloven.kinds.disassociated.verify.original import (
    all_words,
    check_cluster_members,
    check_original,
    check_parts_in_place,
    check_records_rebuilt,
    check_rows_claimed,
    check_shared_origin,
    check_term_rows,
)
from cloven.kinds.disassociated.verify.parts import in_layout, join_truth, look_at_parts, sorted_parts
from cloven.kinds.disassociated.verify.promise import (
    check_lemma,
    check_no_empty_record,
    check_persons,
    check_record_chunks,
    check_row_counts,
    persons_of_records,
)
from cloven.kinds.disassociated.verify.shared import (
    check_placement,
    check_root,
    check_shared_chunks,
    check_withheld,
    records_for_chunks,
    uses_items_shown_below,
)
from cloven.kinds.disassociated.verify.sharing import find_sharing
from cloven.verification.claims import (
    check_marks,
    check_persons_claim,
    conclude_parameters,
    is_count,
    is_flag,
    one_of,
    strange_parameters,
)
from cloven.verification.verdict import Check, Checker, Fault, conclude, spot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cloven.compiled import Flags
    from cloven.kinds.disassociated.key import Key
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.verify.layout import JointTree, Layout
    from cloven.kinds.disassociated.verify.parts import Parts, Truth
    from cloven.kinds.disassociated.verify.sharing import Sharing
    from cloven.verification.claims import Allowed
    from cloven.verification.verdict import Given


@one_crew()
def checks(release: Disassociated, given: Given[Transactions, Key]) -> list[Check]:
    """All checks of a disassociated release; those that need nothing of each other are run side by side."""
    arrays = check_arrays(release)
    if not arrays.passed:
        return [arrays]
    joint_tree, tree = check_tree(release)
    if tree is None:
        return [arrays, joint_tree]
    first: list[Callable[[], Any]] = [lambda: lay_out(release), lambda: _begun(release, given)]
    layout, begun = _done(first, release)
    works: list[Callable[[], Any]] = [
        lambda: _by_sharing(release, layout, tree, given, begun),  # the longest comes first
        lambda: _order(release, layout, tree),
        lambda: [] if given.original is None else check_original(release, layout, given.original),
        lambda: [check_vocabulary(release, layout), joint_tree, check_chunks(layout)],
        lambda: _claims(release, given),
    ]
    (key, held, promise, structure), order, origin, layers, claims = _done(works, release)
    return [arrays, *layers, *structure, *promise, *order, *claims, *origin, *key, *held]


def structure(release: Disassociated) -> Iterator[Check]:
    """Checks of what everything relies on that reads a release: ranges, where chunks and items stand, and orders."""
    arrays = check_arrays(release)
    yield arrays
    if not arrays.passed:
        return
    joint_tree, tree = check_tree(release)
    yield joint_tree
    if tree is None:
        return
    layout = lay_out(release)
    yield check_vocabulary(release, layout)
    yield check_chunks(layout)
    yield from _order(release, layout, tree)
    sharing = find_sharing(release, layout, tree)
    telling = uses_items_shown_below(layout, sharing)
    yield check_root(release, layout, tree)
    yield check_placement(release, layout, sharing)
    yield check_row_counts(layout, records_for_chunks(release, layout, sharing, telling))


def _done(works: list[Callable[[], Any]], release: Disassociated) -> list[Any]:
    """Results of works, which are done side by side if there is much to do."""
    return side_by_side(works) if len(release.row_items) >= WORTH_IT else [work() for work in works]


def _by_sharing(
    release: Disassociated,
    layout: Layout,
    tree: JointTree,
    given: Given[Transactions, Key],
    begun: _Begun | Check | None,
) -> list[list[Check]]:
    """Checks that ask which joints share what."""
    sharing = find_sharing(release, layout, tree)
    telling = uses_items_shown_below(layout, sharing)
    works: list[Callable[[], list[Check]]] = [
        lambda: _key(release, layout, tree, sharing, given, begun),
        lambda: _held(release, layout, tree, telling, given, begun),
        lambda: _promise(release, layout, tree, sharing, telling, allow_unsafe=given.allow_unsafe),
        lambda: _structure(release, layout, tree, sharing, telling),
    ]
    return _done(works, release)


@dataclass(frozen=True)
class _Begun:
    """What can be said of a key whose arrays are sound before the release is laid out."""

    arrays: Check
    words: tuple[str, ...]
    parts: Parts
    truth: Truth


def _begun(release: Disassociated, given: Given[Transactions, Key]) -> _Begun | Check | None:
    original, key = given.original, given.key
    if original is None or key is None:
        return None
    arrays = check_key_arrays(release, original, key)
    if not arrays.passed:
        return arrays
    parts, (words, code_of) = sorted_parts(key), all_words(release, original, key)
    return _Begun(arrays, words, parts, join_truth(release, original, key, parts, code_of))


def _structure(
    release: Disassociated, layout: Layout, tree: JointTree, sharing: Sharing, telling: Flags
) -> list[Check]:
    return [
        check_root(release, layout, tree),
        check_placement(release, layout, sharing),
        check_row_counts(layout, records_for_chunks(release, layout, sharing, telling)),
        check_no_empty_record(release, layout, tree),
    ]


def _promise(
    release: Disassociated,
    layout: Layout,
    tree: JointTree,
    sharing: Sharing,
    telling: Flags,
    *,
    allow_unsafe: bool,
) -> list[Check]:
    return [
        check_cluster_size(release, allow_unsafe=allow_unsafe),
        check_record_chunks(release, layout),
        check_lemma(release, layout, tree),
        check_shared_chunks(release, layout, sharing, telling),
    ]


def _order(release: Disassociated, layout: Layout, tree: JointTree) -> list[Check]:
    numbering = check_numbering(release, layout, tree)
    return [check_item_order(release, layout), check_row_order(release, layout), *numbering]


def _claims(release: Disassociated, given: Given[Transactions, Key]) -> list[Check]:
    persons = check_persons_claim(release, given, counted_at="key")
    return [report_oversize(release), check_parameters(release), *check_marks(release, given), *persons]


def _key(
    release: Disassociated,
    layout: Layout,
    tree: JointTree,
    sharing: Sharing,
    given: Given[Transactions, Key],
    begun: _Begun | Check | None,
) -> list[Check]:
    original, key = given.original, given.key
    if original is None or key is None or begun is None:
        return []
    if isinstance(begun, Check):
        return [begun]
    words, truth, parts = begun.words, begun.truth, in_layout(layout, begun.parts)
    looked = look_at_parts(layout, tree, sharing, original, key, parts, truth, len(words))
    return [
        begun.arrays,
        check_cluster_members(release, key),
        check_records_rebuilt(original, parts, truth, looked, words),
        check_rows_claimed(layout, parts, looked),
        check_term_rows(release, layout, parts),
        check_parts_in_place(layout, key, parts, looked),
        check_shared_origin(release, layout, key, parts, looked),
    ]


def _held(
    release: Disassociated,
    layout: Layout,
    tree: JointTree,
    telling: Flags,
    given: Given[Transactions, Key],
    begun: _Begun | Check | None,
) -> list[Check]:
    """How many hold what is withheld, and how many persons what is shown."""
    original, key = given.original, given.key
    if original is None or key is None or not isinstance(begun, _Begun):
        return []
    person = persons_of_records(original, key)
    withheld = check_withheld(release, layout, tree, key, person)
    if person is None:
        return [withheld]
    return [withheld, *check_persons(release, layout, key, in_layout(layout, begun.parts), person, telling)]


# Is every cluster large enough, and which are larger than the method wanted?


def check_cluster_size(release: Disassociated, *, allow_unsafe: bool) -> Check:
    """Every cluster has at least k records.

    In a release that is marked unsafe, and allowed to be, small clusters are reported and pass.
    """
    size, k = release.cluster_size, release.k
    fault = spot(size < k, lambda at: f"cluster {at} has {size[at]} records, k is {k}")
    if fault.count and allow_unsafe and bool(release.parameters.get("unsafe")):
        detail = f"information: {counted(fault.count, 'clusters')} below k in an unsafe release; first: {fault.first}"
        return Check("cluster size", "release", passed=True, examined=len(size), detail=detail)
    return conclude(
        "cluster size", "release", len(size), [fault], f"smallest has {size.min()} records, k is {k}"
    )


def report_oversize(release: Disassociated) -> Check:
    """How many clusters are above the maximum that the parameters name: information, never a failure."""
    limit = release.parameters.get("max_cluster_size")
    if not isinstance(limit, (int, np.integer)) or isinstance(limit, bool):
        detail = "information: the parameters name no maximum size"
    else:
        above = int(np.count_nonzero(release.cluster_size > limit))
        largest = int(release.cluster_size.max())
        found = f"information: {counted(above, 'clusters')} above the maximum of {limit:,}"
        detail = f"{found}; the largest has {largest:,}"
    return Check("oversize clusters", "release", passed=True, examined=release.clusters, detail=detail)


# Are chunks numbered 0, 1, ... in each cluster and joint, and is a term chunk one row?


def check_chunks(layout: Layout) -> Check:
    """Numbers of chunks are consecutive from 0; a term chunk has number 0 and one row."""
    kind, owner, number = layout.chunk_kind, layout.chunk_owner, layout.chunk_number
    follows = np.zeros(layout.chunks, bool)
    outside = layout.chunk_outside
    follows[1:] = (kind[1:] == kind[:-1]) & (owner[1:] == owner[:-1]) & (outside[1:] == outside[:-1])
    expected = np.where(follows, np.append(0, number[:-1])[: layout.chunks] + 1, 0)
    term = kind == Kind.TERM
    rows = layout.chunk_rows
    faults = [
        spot(
            (number != expected) & ~term,
            lambda at: f"{layout.place(at)} stands where chunk {expected[at]} is expected",
        ),
        spot(term & (number != 0), lambda at: f"{layout.place(at)} has number {number[at]} instead of 0"),
        spot(term & (rows != 1), lambda at: f"{layout.place(at)} has {rows[at]} rows instead of one"),
    ]
    count = layout.chunks
    return conclude("chunks", "release", count, faults, f"{count:,} chunks, numbered without gaps")


# Published parameters of disassociation.


def check_parameters(release: Disassociated) -> Check:
    """Every parameter is known and has a value that it can have; k is at least 2 and m at least 1."""
    vocabulary = set(release.vocabulary)
    allowed: Allowed = {
        "unsafe": is_flag,
        "seeded": is_flag,
        "persons": is_flag,
        "refine": is_flag,
        "max_cluster_size": lambda value: value is None or is_count(value),
        "small_clusters": one_of("add", "abandon", "suppress", "remaining", "keep"),
        "safe": one_of("cover", "exact"),
        "supports": one_of("lower bounds"),
        NOT_ENUMERATED: lambda value: is_count(value) and value <= release.clusters,
        "rare_items": one_of("withhold", "list", "cluster"),
        "root_chunks": one_of("single", "several"),
        "reading": one_of("occurring", "strict"),
        "join_terms": one_of("moved", "listed"),
        "tie_order": one_of("text", "first-seen", "explicit"),
        "horizontal": lambda value: isinstance(value, str) and value.isidentifier(),
        "sensitive": is_count,
        "min_item_support": is_count,
        "block_records": is_count,
        "likely_tails": _is_tails,
        "utility_groups": lambda value: (
            isinstance(value, list)
            and all(
                isinstance(group, list) and all(isinstance(each, str) for each in group) for group in value
            )
            and all(vocabulary.issuperset(group) for group in value)
        ),
    }
    given, faults = release.parameters, list[Fault]()
    known = given.get("method") == "disassociation"
    if known:
        faults = list(strange_parameters(given, allowed))
        if release.k < 2 or release.m < 1:
            said = f"k = {release.k} and m = {release.m} promise nothing; k must be 2 or more, m 1 or more"
            faults.append(Fault(1, said))
    return conclude_parameters(given, faults, known=known)


def _is_tails(value: Any) -> bool:
    """Two numbers of two digits for pairs, and two for larger sets: too few to tell of anybody."""
    if not isinstance(value, dict) or set(value) != {"2", "3"}:
        return False
    return all(
        isinstance(pair, list)
        and len(pair) == 2
        and all(
            isinstance(tail, float) and 1e-12 <= tail <= 0.49 and tail == float(f"{tail:.1e}")
            for tail in pair
        )
        for pair in value.values()
    )


CHECKER = Checker(checks, structure, Transactions, "disassociated")
