"""Rank swapping of the selected cells of one attribute."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import Flags, Ints, Longs, compiled
from cloven.data.table import ValueTree
from cloven.errors import ParameterError
from cloven.kinds.tables.methods.columns import value_bins
from cloven.kinds.tables.methods.lots import shuffled

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.data.table import Attribute, Table
    from cloven.kinds.tables.methods.columns import BinsBy
    from cloven.kinds.tables.methods.lots import Lots

    Rule = Mapping[str, Collection[str]]
    """Values that cannot meet in one row, by attribute, such as {"relationship": ["Wife"], "sex": ["Male"]}."""


def meetings(table: Table, coarse: NDArray[np.int32], attributes: list[int]) -> dict[int, Meeting]:
    """What meets each of some attributes in the original."""
    return {attribute: meeting(table, coarse, attribute) for attribute in attributes}


def swap_attribute(
    codes: NDArray[np.int32],
    coarse: NDArray[np.int32],
    class_of: Longs,
    selected: Flags,
    tree: ValueTree,
    meets: Meeting,
    rules: Rules,
    lots: Lots,
) -> Flags:
    """Exchange the values of selected rows; changes ``codes`` and ``coarse``, gives which rows were exchanged.

    Args:
        codes: rows x attributes: the values now.
        coarse: the same with numbers in bins.
        class_of: class of each row; partners come from another one.
        selected: rows to exchange.
        tree: taxonomy of the attribute.
        meets: what meets the attribute in the original.
        rules: the owner's rules.
        lots: where random numbers come from.
    """
    order = shuffled(np.flatnonzero(selected), lots)
    values = codes[:, meets.attribute].copy()
    groups = _groups(rank_groups(tree))
    pools = [_pool(np.flatnonzero(rows), values, tree.leaves, lots) for rows in (selected, ~selected)]
    return swap(codes, coarse, class_of, groups, order, lots(len(order)), pools[0], pools[1], meets, rules)


def _groups(group_of: NDArray[np.int32]) -> Groups:
    """Values by rank group, ascending."""
    order = np.argsort(group_of, kind="stable").astype(np.int64)
    held = group_of[order]
    return Groups(order, np.searchsorted(held, group_of, "left"), np.searchsorted(held, group_of, "right"))


def _pool(rows: Longs, values: NDArray[np.int32], domain: int, lots: Lots) -> Pool:
    """Rows by value, each value's in random order."""
    mixed = shuffled(rows, lots)
    ordered = mixed[np.argsort(values[mixed], kind="stable")]
    ends = np.cumsum(np.bincount(values[rows], minlength=domain)).astype(np.int64)
    place = np.full(len(values), -1, np.int64)
    place[ordered] = np.arange(len(ordered))
    return Pool(ordered, np.append(0, ends[:-1]), ends, place)


# Rank swapping of one attribute as a compiled loop (BinJubier et al. 2022, Algorithm 2).
#
# Each selected row, in random order, exchanges its value with a partner: a row of another class with another value of
# the same rank group, such that neither row then holds a nonsensical combination. Partners are looked for among the
# selected rows first, then among all; of those that will do, the first from a random place on. A value is exchanged
# once.


class Pool(NamedTuple):
    """Rows that may still be exchanged, by value, each value's in random order.

    Attributes:
        rows: the rows.
        start: where those of each value start.
        end: where they end; moves down as rows are taken out.
        place: where each row stands in ``rows``; -1 if it is not in this pool.
    """

    rows: Ints
    start: Ints
    end: Ints
    place: Ints


class Groups(NamedTuple):
    """Rank groups of values.

    Attributes:
        values: all values, group after group.
        first: where the group of each value starts.
        last: where it ends.
    """

    values: Ints
    first: Ints
    last: Ints


@compiled
def swap(
    codes: Ints, coarse: Ints, class_of: Ints, groups: Groups, selected: Ints, lots: Ints, marked: Pool, others: Pool,
    meeting: Meeting, rules: Rules,
) -> Flags:  # fmt: skip
    """Exchange values of ``codes`` and ``coarse`` in place; gives which rows were exchanged.

    ``selected`` are the rows to exchange, in the order to do it, and ``lots`` a random number for each.
    """
    attribute = meeting.attribute
    exchanged = np.zeros(len(codes), np.bool_)
    wanted = np.empty(len(groups.values), np.int64)
    for number in range(len(selected)):
        row = selected[number]
        if exchanged[row]:
            continue
        fitting = _fitting(codes, coarse, row, groups, meeting, rules, wanted)
        partner = _partner(
            codes, coarse, class_of, row, wanted[:fitting], lots[number], marked, meeting, rules
        )
        if partner < 0:
            partner = _partner(
                codes, coarse, class_of, row, wanted[:fitting], lots[number], others, meeting, rules
            )
        if partner < 0:
            continue
        _take_out(codes[row, attribute], row, marked)
        _take_out(codes[partner, attribute], partner, marked)
        _take_out(codes[partner, attribute], partner, others)
        for array in (codes, coarse):
            array[row, attribute], array[partner, attribute] = (
                array[partner, attribute],
                array[row, attribute],
            )
        exchanged[row] = exchanged[partner] = True
    return exchanged


@compiled
def _fitting(
    codes: Ints, coarse: Ints, row: int, groups: Groups, meeting: Meeting, rules: Rules, wanted: Ints
) -> int:
    """Other values of the rank group that a row could have; writes them to ``wanted`` and gives how many there are."""
    value = codes[row, meeting.attribute]
    found, seen_bin, fits = 0, np.int64(-2), False
    ruled = (rules.attribute == meeting.attribute).any()
    for place in range(groups.first[value], groups.last[value]):
        other = groups.values[place]
        bin_of = np.int64(meeting.coarse_of_value[other])
        # Values of one bin meet the same; numbers of a rank group are many, and of few bins.
        if ruled or bin_of != seen_bin:
            fits, seen_bin = _fits(codes, coarse, row, other, meeting, rules), bin_of
        if fits and other != value:
            wanted[found] = other
            found += 1
    return found


@compiled
def _partner(
    codes: Ints, coarse: Ints, class_of: Ints, row: int, wanted: Ints, lot: int, pool: Pool, meeting: Meeting,
    rules: Rules,
) -> int:  # fmt: skip
    """A row of the pool with one of the wanted values that may take this row's value; -1 if there is none."""
    total = 0
    for value in wanted:
        total += pool.end[value] - pool.start[value]
    if total == 0:
        return -1
    first = np.int64(lot % np.uint64(total))
    for lap in range(2):
        passed = 0
        for value in wanted:
            size = pool.end[value] - pool.start[value]
            ahead = int(first) - passed
            low = max(0, ahead) if lap == 0 else 0
            high = size if lap == 0 else min(size, ahead)
            for step in range(low, high):
                other = pool.rows[pool.start[value] + step]
                if class_of[other] != class_of[row] and _fits(
                    codes, coarse, other, codes[row, meeting.attribute], meeting, rules
                ):
                    return int(other)
            passed += size
    return -1


@compiled
def _fits(codes: Ints, coarse: Ints, row: int, value: int, meeting: Meeting, rules: Rules) -> bool:
    """Whether a row would hold nothing nonsensical with this value."""
    bin_of = np.int64(meeting.coarse_of_value[value])
    if bin_of < 0:
        return False
    for other in range(codes.shape[1]):
        start, end = meeting.offsets[other], meeting.offsets[other + 1]
        if start == end:
            continue
        key = bin_of * meeting.widths[other] + coarse[row, other]
        place = start + np.searchsorted(meeting.keys[start:end], key)
        if place == end or meeting.keys[place] != key:
            return False
    for rule in range(len(rules.offsets) - 1):
        if _breaks(codes, row, value, meeting.attribute, rules, rule):
            return False
    return True


@compiled
def _breaks(codes: Ints, row: int, value: int, attribute: int, rules: Rules, rule: int) -> bool:
    for term in range(rules.offsets[rule], rules.offsets[rule + 1]):
        held = value if rules.attribute[term] == attribute else codes[row, rules.attribute[term]]
        if not rules.member[rules.member_offsets[term] + held]:
            return False
    return True


@compiled
def _take_out(value: int, row: int, pool: Pool) -> None:
    """Take a row out of a pool if it is there: the last row of its value takes its place."""
    place = pool.place[row]
    if place < 0:
        return
    pool.end[value] -= 1
    last = pool.rows[pool.end[value]]
    pool.rows[place], pool.place[last] = last, place
    pool.place[row] = -1


# Rank groups: values that may be exchanged for each other, and what a value is generalised to where they may not.
#
# Values with the same parent in the taxonomy are a rank group (BinJubier et al. 2022, Fig. 2: {Federal-gov, Local-gov,
# State-gov} and {Self-emp-inc, Self-emp-not-inc} of work class). Without a taxonomy of the owner, numbers of one bin
# are a group, and all other values are one: the same as a taxonomy of one level.


def with_trees(table: Table, bins: int, by: BinsBy) -> Table:
    """The table with a taxonomy for each attribute; those that have one keep it."""
    attributes = [
        attribute
        if attribute.tree is not None or attribute.role == "ignored"
        else replace(attribute, tree=_tree(attribute, value_bins(attribute, table.codes[:, place], bins, by)))
        for place, attribute in enumerate(table.attributes)
    ]
    return replace(table, attributes=tuple(attributes))


def _tree(attribute: Attribute, bin_of: Longs) -> ValueTree:
    """Values below their bins below a root; values below the root if each has a bin of its own."""
    leaves = len(attribute)
    starts, first, bin_number = np.unique(bin_of, return_index=True, return_inverse=True)
    if len(starts) == leaves:
        return ValueTree((*attribute.values, "*"), np.full(leaves + 1, leaves, np.int32), leaves)
    last = np.append(first[1:], leaves) - 1
    names = [_range(attribute, int(low), int(high)) for low, high in zip(first, last, strict=True)]
    root = leaves + len(names)
    parent = np.concatenate([leaves + bin_number, np.full(len(names) + 1, root)]).astype(np.int32)
    return ValueTree((*attribute.values, *names, "*"), parent, leaves)


def _range(attribute: Attribute, low: int, high: int) -> str:
    return f"{attribute.values[low]}..{attribute.values[high]}"


def rank_groups(tree: ValueTree) -> NDArray[np.int32]:
    """Rank group of each value: its parent.

    >>> tree = ValueTree(("inc", "not-inc", "Private", "Self-emp", "*"), np.array([3, 3, 4, 4, 4], np.int32), 3)
    >>> [tree.labels[group] for group in rank_groups(tree)]
    ['Self-emp', 'Self-emp', '*']
    """
    return tree.parent[: tree.leaves]


def wider(tree: ValueTree) -> NDArray[np.int32]:
    """For each node the next one above it that covers more values; the root has itself."""
    above = tree.parent.copy()
    for node in range(len(above)):
        while above[node] != tree.root and tree.sizes[above[node]] == tree.sizes[node]:
            above[node] = tree.parent[above[node]]
    return above


def paths(tree: ValueTree) -> NDArray[np.int32]:
    """Values x levels: the nodes that cover a value, itself first; the root again where a path is short."""
    levels = [np.arange(tree.leaves, dtype=np.int32)]
    while (levels[-1] != tree.root).any():
        levels.append(tree.parent[levels[-1]])
    return np.column_stack(levels)


# Combinations that no exchange of values may make.
#
# From the data: two values of different attributes that never meet in the original, numbers taken in bins. From the
# owner: rules that say which values cannot meet, such as a husband who is female. BinJubier et al. (2022, section
# 3.4.2) ask for "no nonsensical combinations" and list none.


class Meeting(NamedTuple):
    """Values that meet one attribute in the original.

    Attributes:
        attribute: position of the attribute.
        coarse_of_value: value of the attribute -> its bin.
        keys: for each other attribute in turn, ascending ``bin * width + other bin`` of all that meet.
        offsets: where the keys of each attribute of the table start; none for the attribute itself.
        widths: number of bins of each attribute.
    """

    attribute: int
    coarse_of_value: NDArray[np.int32]
    keys: Longs
    offsets: Longs
    widths: Longs


class Rules(NamedTuple):
    """The owner's rules: a row breaks a rule if it meets each of its terms.

    Attributes:
        offsets: where the terms of each rule start.
        attribute: attribute of each term.
        member_offsets: where the flags of each term start.
        member: for each value of the attribute of each term, whether it meets the term.
    """

    offsets: Longs
    attribute: Longs
    member_offsets: Longs
    member: Flags


def meeting(table: Table, coarse: NDArray[np.int32], attribute: int) -> Meeting:
    """What meets an attribute; ``coarse`` are the codes of the table with numbers in bins."""
    widths = coarse.max(axis=0).astype(np.int64) + 1
    coarse_of_value = np.full(len(table.attributes[attribute]), -1, np.int32)
    coarse_of_value[table.codes[:, attribute]] = coarse[:, attribute]
    keys = [
        np.empty(0, np.int64)
        if other == attribute or described.role == "ignored"
        else np.unique(coarse[:, attribute] * widths[other] + coarse[:, other])
        for other, described in enumerate(table.attributes)
    ]
    offsets = np.cumsum([0] + [len(found) for found in keys]).astype(np.int64)
    return Meeting(attribute, coarse_of_value, np.concatenate(keys).astype(np.int64), offsets, widths)


def compile_rules(table: Table, rules: Sequence[Rule]) -> Rules:
    """Rules as numbers; an attribute that the table does not have is an error, a value is one that nobody has."""
    places = {attribute.name: place for place, attribute in enumerate(table.attributes)}
    offsets, attributes, flags = [0], [], [np.empty(0, np.bool_)]
    for rule in rules:
        if len(rule) < 2:
            message = f"a rule names at least two attributes that cannot meet, got {_shown(rule)}"
            raise ParameterError(message)
        for name, values in rule.items():
            if name not in places:
                message = f"a rule names the attribute {name!r}; the table has {', '.join(places)}"
                raise ParameterError(message)
            known = {value: code for code, value in enumerate(table.attributes[places[name]].values)}
            met = np.zeros(len(known), np.bool_)
            met[[known[value] for value in values if value in known]] = True
            attributes.append(places[name])
            flags.append(met)
        offsets.append(len(attributes))
    starts = np.cumsum([len(met) for met in flags]).astype(np.int64)
    return Rules(np.array(offsets, np.int64), np.array(attributes, np.int64), starts, np.concatenate(flags))


def _shown(rule: Rule) -> str:
    return ", ".join(f"{name}={'|'.join(values)}" for name, values in rule.items()) or "nothing"
