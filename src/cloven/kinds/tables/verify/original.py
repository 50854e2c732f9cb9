"""Does a published table say nothing but what the original says?"""

from __future__ import annotations

import heapq
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Flags, Ints, Longs, compiled
from cloven.errors import shorten
from cloven.kinds.tables.release import Sliced
from cloven.kinds.tables.verify.promise import group_of_row, number_rows
from cloven.verification.verdict import Fault, conclude, spot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.data.table import Attribute, Table
    from cloven.kinds.tables.key import TableKey
    from cloven.kinds.tables.release import CellDomain, TableRelease
    from cloven.kinds.tables.verify.promise import Promise
    from cloven.verification.verdict import Check


MOST_COMPARED = 1 << 34
"""Comparisons of a part with a row that are made at most."""


def check_known(release: TableRelease, original: Table, codes: NDArray[np.int32], lost: list[str]) -> Check:
    """Published attributes are those of the original, with their roles, and so are their values."""
    faults = [Fault(len(lost), f"the original has no attribute {shorten(lost[0]) if lost else ''}")]
    roles = {attribute.name: attribute.role for attribute in original.attributes}
    values = {attribute.name: attribute.values for attribute in original.attributes}
    for number, domain in enumerate(release.domains):
        if domain.name not in lost:
            shown = "sensitive" if domain.sensitive else "quasi-identifier"
            told = (
                f"{shorten(domain.name)} is published as {shown}, the original has it as {roles[domain.name]}"
            )
            faults += [
                Fault(int(roles[domain.name] != shown), told),
                _strange(domain.name, codes[:, number]),
                _foreign_values(domain, values[domain.name]),
            ]
    otherwise = f"{len(release.domains)} attributes with the values of the original"
    return conclude("attributes", "original", len(release.domains), faults, otherwise)


def check_rows(release: TableRelease, persons: int, *, partly: bool) -> Check:
    """As many rows as persons; fewer only where the parameters say that not everybody is published."""
    wrong = len(release) > persons or (len(release) < persons and not partly)
    said = f"{len(release):,} rows of {persons:,} persons"
    return conclude("number of rows", "original", len(release), [Fault(int(wrong), said)], said)


def _strange(name: str, codes: NDArray[np.int32]) -> Fault:
    return spot(codes < 0, lambda at: f"{shorten(name)} of row {at} is not among the values of the release")


def _foreign_values(domain: CellDomain, known: Sequence[str]) -> Fault:
    """Categories that no row of such an original can have, invented ones neither; of numbers ends may lie between."""
    shown = (
        {domain.values[code] for code in np.unique(domain.members).tolist()}
        if domain.numbers is None
        else set()
    )
    foreign = sorted(shown.difference(known))
    told = f"{shorten(foreign[0]) if foreign else ''} of {shorten(domain.name)} is no value of the original"
    return Fault(len(foreign), told)


def check_marginals(release: TableRelease, codes: NDArray[np.int32]) -> Check:
    """Each attribute for itself: its cells can be filled with the values that persons have, one each."""
    faults = []
    for number, domain in enumerate(release.domains):
        times = np.bincount(release.cells[:, number], minlength=len(domain.labels))
        there = np.bincount(codes[:, number], minlength=len(domain.values))
        left = unplaced(domain, times, there)
        faults.append(
            Fault(left, f"{left:,} cells of {shorten(domain.name)} belong to no value of the original")
        )
    otherwise = "every cell of every attribute belongs to a value of the original"
    return conclude("marginals", "original", len(release.domains), faults, otherwise)


def check_parts(release: TableRelease, codes: NDArray[np.int32], *, exchanged: bool) -> Check:
    """Nothing is invented: each part covers at least as many persons as it stands for.

    Where values were exchanged between persons a whole part may be new; then every pair of its values must be known,
    numbers apart: almost every exchange of numbers makes a pair that is new to the digit.
    """
    columns = list(release.columns)
    if exchanged:
        named = [place for place, domain in enumerate(release.domains) if domain.numbers is None]
        columns = [pair for column in columns for pair in combinations(sorted({*column} & {*named}), 2)]
    faults, examined, all_seen = [], 0, True
    for column in columns:
        places = list(column)
        parts, _, times = distinct(release.cells[:, places])
        rows, _, weights = distinct(codes[:, places])
        few = parts[: max(1, MOST_COMPARED // max(1, len(rows)))]
        all_seen &= len(few) == len(parts)
        domains = [release.domains[place] for place in places]
        found = count_covered(held(domains), few, rows, weights, np.zeros(len(rows), np.int64))
        bad = found < (1 if exchanged else times[: len(few)])
        faults.append(_invented(domains, few, bad))
        examined += len(few)
    good = (
        "no new pair of values, numbers apart"
        if exchanged
        else "all parts cover as many persons as they stand for"
    )
    good += "" if all_seen else ", as far as looked"
    return conclude("nothing invented", "original", examined, faults, good)


def _invented(domains: list[CellDomain], parts: NDArray[np.int32], bad: Flags) -> Fault:
    def told(at: int) -> str:
        labels = [domain.labels[cell] for domain, cell in zip(domains, parts[at].tolist(), strict=True)]
        return f"{shorten(str(labels))} covers fewer persons than it stands for"

    return spot(bad, told)


def check_covered(release: TableRelease, codes: NDArray[np.int32]) -> Check:
    """Everybody is covered by some published row; only where nobody was left out."""
    columns = list(release.columns)
    faults = []
    for column in columns:
        places = list(column)
        parts = distinct(release.cells[:, places])[0]
        rows, which, weights = distinct(codes[:, places])
        few = parts[: max(1, MOST_COMPARED // max(1, len(rows)))]
        covered = np.zeros(len(rows), np.int64)
        count_covered(held([release.domains[place] for place in places]), few, rows, weights, covered)
        if len(few) == len(parts):
            bare = covered[which] == 0
            faults.append(spot(bare, lambda at: f"row {at} of the original is covered by nothing published"))
    return conclude(
        "everybody covered", "original", len(codes), faults, "everybody is covered by what is published"
    )


# Can published cells of one attribute be filled with the values that persons have, one person each?


def unplaced(domain: CellDomain, times: Longs, there: Longs) -> int:
    """Cells that stay without a value in the best filling.

    Args:
        domain: the cells.
        times: how often each cell is published.
        there: how many persons have each value.
    """
    first, last = domain.members[domain.member_offsets[:-1]], domain.members[domain.member_offsets[1:] - 1]
    if (last - first + 1 == np.diff(domain.member_offsets)).all():
        return _unplaced_ranges(first, last, times, there)
    return _unplaced_sets(domain, times, there)


def _unplaced_ranges(first: NDArray[np.int32], last: NDArray[np.int32], times: Longs, there: Longs) -> int:
    """Ranges: value by value, the range that ends first is filled first; no order does better."""
    order = np.argsort(first, kind="stable").tolist()
    waiting: list[list[int]] = []
    left, at = 0, 0
    for value, persons in enumerate(there.tolist()):
        while at < len(order) and first[order[at]] == value:
            heapq.heappush(waiting, [int(last[order[at]]), int(times[order[at]])])
            at += 1
        while waiting and persons:
            filled = min(persons, waiting[0][1])
            persons -= filled
            waiting[0][1] -= filled
            if not waiting[0][1]:
                heapq.heappop(waiting)
        while waiting and waiting[0][0] <= value:
            left += heapq.heappop(waiting)[1]
    return left


def _unplaced_sets(domain: CellDomain, times: Longs, there: Longs) -> int:
    """Other sets: a maximum flow from cells to values."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    cells, values = len(domain.labels), len(domain.values)
    source, sink = cells + values, cells + values + 1
    edges = [(source, cell, int(count)) for cell, count in enumerate(times)]
    edges += [(cells + value, sink, int(count)) for value, count in enumerate(there) if count]
    for cell, (start, end) in enumerate(pairwise(domain.member_offsets.tolist())):
        edges += [(cell, cells + int(value), int(times[cell])) for value in domain.members[start:end]]
    begins, ends, room = np.array(edges, np.int32).T
    graph = csr_array((room, (begins, ends)), shape=(sink + 1, sink + 1))
    return int(times.sum() - maximum_flow(graph, source, sink).flow_value)


# The original in the terms of a release: values as positions in its domains, cells as the values they hold.


def in_terms_of(release: TableRelease, original: Table) -> tuple[NDArray[np.int32], list[str]]:
    """Rows x published attributes: value as position in the domain, -1 if it is not there; attributes not found."""
    place = {attribute.name: number for number, attribute in enumerate(original.attributes)}
    codes = np.full((len(original), len(release.domains)), -1, np.int32)
    lost = []
    for number, domain in enumerate(release.domains):
        if domain.name not in place:
            lost.append(domain.name)
            continue
        attribute = original.attributes[place[domain.name]]
        known = {value: code for code, value in enumerate(domain.values)}
        mapped = np.array([known.get(value, -1) for value in attribute.values] + [-1], np.int32)
        codes[:, number] = mapped[original.codes[:, place[domain.name]]]
    return codes, lost


def held(domains: Sequence[CellDomain]) -> Held:
    """The cells of some attributes, for compiled code."""
    first, offsets, base = [0], [], 0
    for domain in domains:
        offsets.append(domain.member_offsets + base)
        base += len(domain.members)
        first.append(first[-1] + len(domain.member_offsets))
    return Held(
        np.array(first, np.int64),
        np.concatenate(offsets).astype(np.int64),
        np.concatenate([domain.members for domain in domains]).astype(np.int32),
    )


def distinct(rows: NDArray[np.int32]) -> tuple[NDArray[np.int32], Longs, Longs]:
    """Distinct rows, which of them each row is, and how often each stands."""
    _, first, which, times = np.unique(
        number_rows(rows), return_index=True, return_inverse=True, return_counts=True
    )
    return rows[first].astype(np.int32), which.ravel(), times.astype(np.int64)


def holds_own(domain: CellDomain, cells: NDArray[np.int32], values: NDArray[np.int32]) -> Flags:
    """Whether each cell holds each value: members ascend inside cells, so pairs of cell and value ascend."""
    offsets, width = domain.member_offsets, len(domain.values)
    listed = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)) * width + domain.members
    asked = cells.astype(np.int64) * width + values
    place = np.minimum(np.searchsorted(listed, asked), len(listed) - 1)
    found: Flags = (listed[place] == asked) & (values >= 0)
    return found


# Compiled: which rows do published parts cover?


class Held(NamedTuple):
    """The values that cells hold, attribute after attribute.

    Attributes:
        first_cell: where the cells of each attribute start in ``offsets``.
        offsets: where the values of each cell start in ``members``, and at the end of each attribute where they end.
        members: values of each cell, ascending.
    """

    first_cell: Longs
    offsets: Longs
    members: NDArray[np.int32]


@compiled
def holds(held: Held, attribute: int, cell: int, value: int) -> bool:
    """Whether a cell holds a value."""
    low = held.offsets[held.first_cell[attribute] + cell]
    high = held.offsets[held.first_cell[attribute] + cell + 1] - 1
    if value < held.members[low] or value > held.members[high]:
        return False
    if held.members[high] - held.members[low] == high - low:
        return True
    while low < high:
        middle = (low + high) // 2
        if held.members[middle] < value:
            low = middle + 1
        else:
            high = middle
    return bool(held.members[low] == value)


def count_covered(held: Held, parts: Ints, rows: Ints, weights: Ints, covered: Ints) -> Longs:
    """How many persons each part covers; marks the rows that some part covers."""
    if not len(rows) or not len(parts):
        return np.zeros(len(parts), np.int64)
    turns, order = _turns(held, parts, rows)
    found, _ = _covering(held, parts, rows[order][:, turns], turns, order, weights, covered, wanted=False)
    return found


def pairs_covered(held: Held, parts: Ints, rows: Ints) -> Longs:
    """All pairs of a row and a part that covers it."""
    if not len(rows) or not len(parts):
        return np.empty((0, 2), np.int64)
    turns, order = _turns(held, parts, rows)
    nobody = np.zeros(len(rows), np.int64)
    _, pairs = _covering(held, parts, rows[order][:, turns], turns, order, nobody, nobody, wanted=True)
    return pairs


def _turns(held: Held, parts: Ints, rows: Ints) -> tuple[Longs, Longs]:
    """In which order attributes are compared, those first whose cells hold the fewest rows; and rows sorted by it."""
    shares = []
    for attribute in range(rows.shape[1]):
        first, last = held.first_cell[attribute], held.first_cell[attribute + 1] - 1
        offsets = held.offsets[first : last + 1]
        times = np.bincount(rows[:, attribute][rows[:, attribute] >= 0], minlength=1)
        members = held.members[offsets[0] : offsets[-1]]
        inside = np.where(members < len(times), times[np.minimum(members, len(times) - 1)], 0)
        before = np.concatenate(([0], np.cumsum(inside)))
        of_cell = before[offsets[1:] - offsets[0]] - before[offsets[:-1] - offsets[0]]
        shares.append(of_cell[parts[:, attribute]].mean())
    turns = np.argsort(np.array(shares), kind="stable").astype(np.int64)
    order = np.lexsort(tuple(rows[:, turn] for turn in turns[::-1])) if len(turns) else np.arange(len(rows))
    return turns, order.astype(np.int64)


@compiled
def _end_of(rows: Ints, turn: int, start: int, end: int, value: int) -> int:
    """First of the sorted rows from ``start`` to ``end`` whose value is above a given one."""
    low, high = start, end
    while low < high:
        middle = (low + high) // 2
        if rows[middle, turn] <= value:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _covering(
    held: Held, parts: Ints, rows: Ints, turns: Ints, order: Ints, weights: Ints, covered: Ints, wanted: bool
) -> tuple[Longs, Longs]:
    """Persons that each part covers, and the pairs if they are wanted.

    Rows are sorted, so those with the same values in the first attributes stand side by side: a part goes down from
    attribute to attribute, and leaves out whole ranges of rows that it does not hold.
    """
    found, pairs, number, depth = np.zeros(len(parts), np.int64), np.empty((1024, 2), np.int64), 0, len(turns)
    at, end = np.zeros(depth + 1, np.int64), np.zeros(depth + 1, np.int64)
    for part in range(len(parts)):
        level = 0
        at[0], end[0] = 0, len(rows)
        while level >= 0:
            if level == depth:
                for place in range(at[level], end[level]):
                    row = order[place]
                    found[part] += weights[row]
                    if wanted:
                        if number == len(pairs):
                            larger = np.empty((2 * len(pairs), 2), np.int64)
                            larger[:number] = pairs
                            pairs = larger
                        pairs[number, 0], pairs[number, 1] = row, part
                        number += 1
                    else:
                        covered[row] = 1
                level -= 1
                continue
            if at[level] >= end[level]:
                level -= 1
                continue
            attribute, start, value = turns[level], at[level], rows[at[level], level]
            cell = held.first_cell[attribute] + parts[part, attribute]
            least = held.members[held.offsets[cell]]
            if value < least:
                at[level] = _end_of(rows, level, start, end[level], least - 1)
                continue
            if value > held.members[held.offsets[cell + 1] - 1]:
                level -= 1
                continue
            at[level] = _end_of(rows, level, start, end[level], value)
            if holds(held, attribute, parts[part, attribute], value):
                at[level + 1], end[level + 1] = start, at[level]
                level += 1
    return found, pairs[:number]


# Does the key tell the truth: is every published part from the person it names?


def check_key(
    release: TableRelease, promise: Promise, original: Table, codes: NDArray[np.int32], key: TableKey
) -> list[Check]:
    """Shapes first; then who is published, who shares a bucket, and what each part shows."""
    shapes = _check_shapes(release, key)
    if not shapes.passed:
        return [shapes]
    persons = persons_behind(original, key)
    checks = [shapes, _check_persons(original, key, persons, invented=promise.invented)]
    if checks[-1].passed:
        checks += [_check_buckets(release, persons)] if isinstance(release, Sliced) else []
        checks.append(_check_content(release, codes, key, persons))
        if key.changed is not None:
            checks.append(check_changed(release, promise, original, codes, key.changed, persons))
    return checks


def _check_shapes(release: TableRelease, key: TableKey) -> Check:
    wanted = (len(release), len(release.columns))
    faults = [
        Fault(int(key.records.shape != wanted), f"records have the shape {key.records.shape}, not {wanted}")
    ]
    if key.changed is not None:
        sound = key.changed.shape == release.cells.shape and key.changed.dtype == np.bool_
        faults.append(
            Fault(int(not sound), f"marks of changed values are not of the shape {release.cells.shape}")
        )
    return conclude("key arrays", "key", len(release), faults, f"{wanted[0]:,} rows of {wanted[1]} parts")


def persons_behind(original: Table, key: TableKey) -> Longs:
    """Row of the original behind each part; -1 for nobody, -2 for a person who is not there."""
    order = np.argsort(original.source_rows)
    place = np.searchsorted(original.source_rows[order], key.records)
    found = order[np.minimum(place, len(order) - 1)]
    persons: Longs = np.where(original.source_rows[found] == key.records, found, -2)
    return np.where(key.records == -1, -1, persons)


def _check_persons(original: Table, key: TableKey, persons: Longs, *, invented: bool) -> Check:
    """Everybody in the original is published once in each column, or suppressed."""
    unknown = (persons == -2).any(axis=1)
    nobody = (persons == -1).any(axis=1) & (not invented)
    faults = [
        spot(
            unknown, lambda at: f"a part of row {at} is from person {key.records[at].max()}, who is not there"
        ),
        spot(nobody, lambda at: f"a part of row {at} belongs to nobody, and invented rows are not told"),
        Fault(_not_among(key.suppressed, original.source_rows), "a suppressed person is not in the original"),
    ]
    hidden = np.isin(original.source_rows, key.suppressed)
    made_up = invented and (persons == -1).all()
    if not made_up:  # of a release without real persons nobody is published or suppressed
        faults += [_published_once(persons[:, column], hidden) for column in range(persons.shape[1])]
    otherwise = f"{len(original):,} persons, {int(hidden.sum()):,} of them suppressed"
    return conclude("persons", "key", len(original), faults, otherwise)


def _published_once(persons: Longs, hidden: Flags) -> Fault:
    times = np.bincount(persons[persons >= 0], minlength=len(hidden)) + hidden
    return spot(times != 1, lambda at: f"person {at} is published or suppressed {times[at]} times")


def _not_among(some: Longs, all_: Longs) -> int:
    return int((~np.isin(some, all_)).sum())


def _check_buckets(release: Sliced, persons: Longs) -> Check:
    """The parts of one person all stand in one bucket."""
    bucket = group_of_row(release)
    of_person = np.full((int(persons.max(initial=-1)) + 1, persons.shape[1]), -1, np.int64)
    for column in range(persons.shape[1]):
        real = persons[:, column] >= 0
        of_person[persons[real, column], column] = bucket[real]
    apart = (of_person != of_person[:, :1]).any(axis=1)
    fault = spot(apart, lambda at: f"parts of person {at} stand in several buckets")
    return conclude(
        "one bucket each", "key", len(of_person), [fault], "all parts of a person stand in one bucket"
    )


def _check_content(release: TableRelease, codes: NDArray[np.int32], key: TableKey, persons: Longs) -> Check:
    """Each cell holds the value of its person, unless it is marked as changed."""
    faults = []
    for number, column in enumerate(release.columns):
        rows = np.flatnonzero(persons[:, number] >= 0)
        for attribute in column:
            domain = release.domains[attribute]
            own = holds_own(domain, release.cells[rows, attribute], codes[persons[rows, number], attribute])
            if key.changed is not None:
                own |= key.changed[rows, attribute]
            faults.append(_foreign(domain.name, rows, ~own))
    detail = "every unmarked cell holds the value of its person"
    return conclude("content", "key", release.cells.size, faults, detail)


def _foreign(name: str, rows: Longs, wrong: Flags) -> Fault:
    return spot(wrong, lambda at: f"{shorten(name)} of row {rows[at]} does not hold its person's value")


# Are values that were exchanged between persons exchanged as promised?
#
# BinJubier et al. (2022, section 3.4.2): only quasi-identifiers, only between persons, only inside a rank group: the
# values with the same parent in the taxonomy, or, of numbers without one, those of one bin.


def check_changed(
    release: TableRelease,
    promise: Promise,
    original: Table,
    codes: NDArray[np.int32],
    changed: Flags,
    persons: Longs,
) -> Check:
    """Every marked cell shows the value of another marked person, of the same rank group; nothing else is marked."""
    described = {attribute.name: attribute for attribute in original.attributes}
    marked = int(changed.sum())
    faults = [
        Fault(0 if promise.exchanged else marked, "cells are marked, and the release tells of no exchange")
    ]
    for number, column in enumerate(release.columns):
        for place in column:
            rows = np.flatnonzero(changed[:, place] & (persons[:, number] >= 0))
            domain, truth = release.domains[place], codes[persons[rows, number], place]
            shown = release.cells[rows, place]
            secret = int(domain.sensitive) * len(rows)
            faults += [
                Fault(secret, f"the sensitive {shorten(domain.name)} was exchanged"),
                _unmoved(domain, rows, shown, truth),
                _out_of_group(
                    domain, _groups(release, place, described[domain.name], codes), rows, shown, truth
                ),
                _not_theirs(domain, shown, truth),
            ]
    otherwise = f"{marked:,} cells show the value of somebody else of their rank group"
    return conclude("changed cells", "key", marked, faults, otherwise)


def _unmoved(domain: CellDomain, rows: Longs, shown: NDArray[np.int32], truth: NDArray[np.int32]) -> Fault:
    """A marked cell of one value that is its person's own."""
    single = np.diff(domain.member_offsets)[shown] == 1
    wrong = holds_own(domain, shown, truth) & single
    return spot(wrong, lambda at: f"{shorten(domain.name)} of row {rows[at]} is marked, and its person's own")


def _out_of_group(
    domain: CellDomain, group: Longs, rows: Longs, shown: NDArray[np.int32], truth: NDArray[np.int32]
) -> Fault:
    """A value from another rank group; ``group`` is that of each value."""
    held = domain.members[domain.member_offsets[shown]]
    # A group that covers the exchanged value covers all of its rank group, so it holds the person's own value too.
    wrong = (group[held] != group[truth]) & ~holds_own(domain, shown, truth)
    return spot(wrong, lambda at: f"{shorten(domain.name)} of row {rows[at]} is from another rank group")


def _groups(release: TableRelease, place: int, attribute: Attribute, codes: NDArray[np.int32]) -> Longs:
    """Rank group of each value: its parent in the owner's taxonomy, its bin if it is a number, else one for all."""
    domain = release.domains[place]
    if attribute.tree is not None:
        leaf = {value: code for code, value in enumerate(attribute.values)}
        parent = [attribute.tree.parent[leaf[value]] if value in leaf else -1 for value in domain.values]
        return np.array(parent, np.int64)
    bins, by = release.parameters.get("bins"), release.parameters.get("bins_by")
    rows_of = np.bincount(codes[:, place], minlength=len(domain.values))
    there = np.flatnonzero(rows_of)
    if domain.numbers is None or not isinstance(bins, int) or not 0 < bins < len(there):
        return np.zeros(len(domain.values), np.int64)
    if by == "frequency":
        middle = np.cumsum(rows_of) - rows_of / 2
        by_rank: Longs = np.minimum(middle * bins / rows_of.sum(), bins - 1).astype(np.int64)
        return by_rank
    edges = np.linspace(domain.numbers[there[0]], domain.numbers[there[-1]], bins + 1)
    return np.searchsorted(edges[1:-1], domain.numbers, "right").astype(np.int64)


def _not_theirs(domain: CellDomain, shown: NDArray[np.int32], truth: NDArray[np.int32]) -> Fault:
    """Marked cells cannot be filled with the values of the marked persons: then somebody else's were taken."""
    times = np.bincount(shown, minlength=len(domain.labels))
    left = unplaced(domain, times, np.bincount(truth, minlength=len(domain.values)))
    return Fault(
        left, f"{left:,} marked cells of {shorten(domain.name)} show values that no marked person has"
    )
