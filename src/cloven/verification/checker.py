"""Run all checks of a disassociated release, at the highest level that the given data allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.errors import ParameterError
from cloven.verification.arrays import check_arrays, check_vocabulary
from cloven.verification.capacity import check_no_empty_record, check_row_counts
from cloven.verification.chunks import check_chunks
from cloven.verification.claims import (
    check_parts_in_place,
    check_rows_claimed,
    check_shared_origin,
    check_term_rows,
)
from cloven.verification.key_arrays import check_key_arrays
from cloven.verification.km import check_record_chunks
from cloven.verification.layout import lay_out
from cloven.verification.lemma import check_lemma
from cloven.verification.marks import check_mark
from cloven.verification.order import check_item_order, check_numbering, check_row_order
from cloven.verification.original import check_original
from cloven.verification.parameters import check_parameters
from cloven.verification.parts import join_parts
from cloven.verification.persons import check_persons, persons_of_records
from cloven.verification.persons_claim import check_persons_claim
from cloven.verification.placement import check_placement
from cloven.verification.rebuild import check_cluster_members, check_records_rebuilt
from cloven.verification.root import check_root, check_withheld
from cloven.verification.shared import check_shared_chunks, uses_items_shown_below
from cloven.verification.sizes import check_cluster_size, report_oversize
from cloven.verification.tree import check_tree
from cloven.verification.verdict import Verdict

if TYPE_CHECKING:
    from cloven.model.disassociated import Disassociated
    from cloven.model.key import Key
    from cloven.model.transactions import Transactions
    from cloven.verification.layout import Layout
    from cloven.verification.tree import JointTree
    from cloven.verification.verdict import Check, Level


def verify_disassociated(
    release: Disassociated,
    *,
    original: Transactions | None = None,
    key: Key | None = None,
    allow_unsafe: bool = False,
    allow_seeded: bool = False,
) -> Verdict:
    """Check that a disassociated release is what it says it is; ``cloven.verification.verify`` tells the arguments."""
    if key is not None and original is None:
        message = "a key was given without the original; give both, or neither"
        raise ParameterError(message)
    level: Level = "release" if original is None else "original" if key is None else "key"
    arrays = check_arrays(release)
    if not arrays.passed:
        return Verdict(level, (arrays,))
    joint_tree, tree = check_tree(release)
    if tree is None:
        return Verdict(level, (arrays, joint_tree))
    layout = lay_out(release)
    checks = [arrays, check_vocabulary(release), joint_tree, *_structure(release, layout, tree)]
    checks += _promise(release, layout, tree, allow_unsafe=allow_unsafe)
    checks += [check_item_order(release), check_row_order(release), *check_numbering(release, layout, tree)]
    checks += [report_oversize(release), check_parameters(release)]
    checks.append(check_mark(release, "unsafe", allowed=allow_unsafe))
    checks.append(check_mark(release, "seeded", allowed=allow_seeded))
    checks += check_persons_claim(release, original, key, counted_at="key")
    if original is not None:
        checks += check_original(release, layout, original)
    if original is not None and key is not None:
        checks += _key(release, layout, tree, original, key)
    return Verdict(level, tuple(checks))


def _structure(release: Disassociated, layout: Layout, tree: JointTree) -> list[Check]:
    return [
        check_chunks(layout),
        check_root(release, layout, tree),
        check_placement(release, layout, tree),
        check_row_counts(release, layout, tree),
        check_no_empty_record(release, layout, tree),
    ]


def _promise(release: Disassociated, layout: Layout, tree: JointTree, *, allow_unsafe: bool) -> list[Check]:
    return [
        check_cluster_size(release, allow_unsafe=allow_unsafe),
        check_record_chunks(release, layout),
        check_lemma(release, layout, tree),
        check_shared_chunks(release, layout, tree),
    ]


def _key(
    release: Disassociated, layout: Layout, tree: JointTree, original: Transactions, key: Key
) -> list[Check]:
    arrays = check_key_arrays(release, original, key)
    if not arrays.passed:
        return [arrays]
    parts = join_parts(layout, key)
    checks = [
        arrays,
        check_cluster_members(release, key),
        check_records_rebuilt(release, original, key, parts),
        check_rows_claimed(release, layout, parts),
        check_term_rows(release, layout, parts),
        check_parts_in_place(layout, tree, parts),
        check_shared_origin(release, layout, tree, parts),
    ]
    person = persons_of_records(original, key)
    checks.append(check_withheld(release, layout, tree, key, person))
    if person is not None:
        telling = uses_items_shown_below(release, layout, tree)
        checks += check_persons(release, layout, key, parts, person, telling)
    return checks
