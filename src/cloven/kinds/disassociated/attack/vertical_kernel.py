"""VERPART in the attacker's hands: would the published method have cut these records the same way?

Terms are bit masks over the slots of one cluster (Terrovitis et al., PVLDB 2012, Fig. 5). Written apart from the
anonymiser: an attacker has the paper, not our kernels.

VERPART tries terms by support, descending, ties by their number, and starts the next chunk when no more term fits.
Sub-records stay whole wherever they are put, so neither the supports of terms and combinations of one chunk, nor the
order of terms, depend on the arrangement. What it decides is whether a term of the new chunk would have joined an
earlier one. So all that an arrangement is held against is laid out once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloven.compiled import compiled
from cloven.kinds.disassociated.attack.vertical_lots import lots_of, shuffle
from cloven.kinds.disassociated.covers.worlds import to_next_in_order

if TYPE_CHECKING:
    from cloven.compiled import Flags, Floats, Ints
    from cloven.kinds.disassociated.attack.vertical_lots import Lots

BITS = 62
"""Slots in one number of an array; and arrangements that are looked at at once."""

CHUNKS, ALL_PASS, NONE_PASSES, TOO_LARGE = range(4)
"""What is counted."""


class Rules(NamedTuple):
    """How the release was cut, and how much is tried.

    Attributes:
        k: the least number of records that hold a combination.
        m: the size of combinations.
        strict: whether a combination that nobody holds counts against a term, too.
        tries: arrangements of one chunk that are checked at most.
        most: combinations of up to m - 1 terms of a chunk, above which the check gives up.
    """

    k: int
    m: int
    strict: bool
    tries: int
    most: int


class Chunks(NamedTuple):
    """Record chunks after the first, in the order of clusters.

    Attributes:
        cluster: clusters that have any, ascending.
        starts: where the chunks of each of them start.
        rows: where the different sub-records of each chunk start.
        row: the published row of each.
        copies: how many slots hold it.
        target: its target, -1 if nobody asks.
    """

    cluster: Ints
    starts: Ints
    rows: Ints
    row: Ints
    copies: Ints
    target: Ints


class Shown(NamedTuple):
    """What is published: items of each row, slots of each cluster, and the row that anchors each slot, or -1."""

    row_offsets: Ints
    row_items: Ints
    slot_offsets: Ints
    slot_anchor: Ints


class Answers(NamedTuple):
    """Where the candidates of each target start, and what is found of each: its score, and whether it is chosen."""

    offsets: Ints
    score: Floats
    chosen: Flags


class Terms(NamedTuple):
    """The terms of one chunk.

    Attributes:
        places: where the slots of each sub-record start in a row of the slots of all, one after the other.
        item: number of each term, ascending.
        starts: where the sub-records start that hold it.
        holders: these.
        support: how many slots hold it.
        order: the terms by support, descending, ties by their number.
    """

    places: Ints
    item: Ints
    starts: Ints
    holders: Ints
    support: Ints
    order: Ints


class Settled(NamedTuple):
    """Chunks that are arranged, one after the other, for all terms that could have joined them.

    VERPART takes the terms of a chunk in order, so that what one term would have met is the beginning of what the next
    one would have.

    Attributes:
        starts: where the terms of each chunk start, in order.
        support: how many slots hold each.
        item: its number.
        ends: where combinations end that were made before it, -1 if there were too many; one more for each chunk.
        first: where the combinations of each chunk start.
    """

    starts: Ints
    support: Ints
    item: Ints
    ends: Ints
    first: Ints


class Made(NamedTuple):
    """Combinations of up to m - 1 terms that somebody holds: their slots as bits of several numbers, and their size."""

    masks: Ints
    size: Ints


class Check(NamedTuple):
    """What arrangements of one more chunk are held against, and room for a block of them.

    Attributes:
        first: where the combinations of each earlier chunk start.
        met: for each of these chunks (row) where those end that each term (column) would have met.
        masks: the combinations.
        put: arrangements, a row for each.
        on: the arrangements, as bits, that put a term on each slot.
        digits: numbers of slots, one for each arrangement: a bit of each number.
        suspect: the term that last joined an earlier chunk.
    """

    first: Ints
    met: Ints
    masks: Ints
    put: Ints
    on: Ints
    digits: Ints
    suspect: Ints


@compiled
def judge(
    chunks: Chunks, shown: Shown, rules: Rules, first: int, last: int, states: Ints, answers: Answers
) -> Ints:
    """Replay the method on these clusters; how many chunks there were, and of how many nothing was told, and why."""
    counts = np.zeros(4, np.int64)
    for number in range(first, last):
        _judge_cluster(chunks, shown, rules, number, lots_of(states[number - first]), answers, counts)
    return counts


@compiled
def _judge_cluster(
    chunks: Chunks, shown: Shown, rules: Rules, number: int, lots: Lots, answers: Answers, counts: Ints
) -> None:
    """Join the chunks of one cluster from left to right.

    Earlier chunks are settled; one that found no arrangement must not spoil the later ones.
    """
    cluster, begin, end = chunks.cluster[number], chunks.starts[number], chunks.starts[number + 1]
    slots = shown.slot_offsets[cluster + 1] - shown.slot_offsets[cluster]
    words = (slots + BITS - 1) // BITS
    anchor = shown.slot_anchor[shown.slot_offsets[cluster] : shown.slot_offsets[cluster + 1]]
    anchor = anchor[anchor >= 0]
    terms = _terms_of(anchor, np.ones(len(anchor), np.int64), shown, slots)
    room = len(terms.item)
    for row in chunks.row[chunks.rows[begin] : chunks.rows[end]]:
        room += shown.row_offsets[row + 1] - shown.row_offsets[row]
    settled = Settled(
        starts=np.zeros(end - begin + 2, np.int64),
        support=np.empty(room, np.int64),
        item=np.empty(room, np.int64),
        ends=np.empty(room + end - begin + 1, np.int64),
        first=np.zeros(end - begin + 2, np.int64),
    )
    made = Made(np.empty((room, words), np.int64), np.empty(room, np.int64))
    made = _settle(np.arange(len(anchor)), terms, settled, 0, made, rules)
    for chunk in range(begin, end):
        here = slice(chunks.rows[chunk], chunks.rows[chunk + 1])
        terms = _terms_of(chunks.row[here], chunks.copies[here], shown, slots)
        kept, made = _try(
            terms, chunks.copies[here], chunks.target[here], slots, settled, chunk - begin + 1, made, rules, lots,
            answers, counts,
        )  # fmt: skip
        if chunk + 1 < end:
            made = _settle(kept, terms, settled, chunk - begin + 1, made, rules)


@compiled
def _try(
    terms: Terms,
    copies: Ints,
    target: Ints,
    slots: int,
    settled: Settled,
    many: int,
    made: Made,
    rules: Rules,
    lots: Lots,
    answers: Answers,
    counts: Ints,
) -> tuple[Ints, Made]:
    """Look for arrangements of one more chunk that pass, and write down the answers; the one to go on with."""
    fits, made = _fit_together(terms, made, settled.first[many], rules)
    is_met, met = _met(terms, settled, many, rules.k)
    passed, tried, held = 0, 0, np.zeros((len(copies), slots), np.int64)
    kept = np.arange(terms.places[-1])
    if fits >= 0 and is_met >= 0:
        check = Check(
            first=settled.first,
            met=met,
            masks=made.masks,
            put=np.empty((BITS, len(kept)), np.int64),
            on=np.empty(slots, np.int64),
            digits=np.empty(_digits_below(rules.k), np.int64),
            suspect=np.zeros(1, np.int64),
        )
        can_pass, possible = fits > 0 and is_met > 0, how_many_up_to(rules.tries + 1, copies, slots)
        tried = min(possible, rules.tries)
        if can_pass:
            passed = _in_turn(check, terms, copies, tried, possible == tried, rules, kept, held)
        if possible > tried:
            passed = _by_lot(check, terms, tried, can_pass, rules, lots, held)
    _answer(kept, terms.places, target, held, passed, tried, answers)
    counts[CHUNKS] += 1
    if tried == 0:
        counts[TOO_LARGE] += 1
    elif passed == 0:
        counts[NONE_PASSES] += 1
    elif passed == tried:
        counts[ALL_PASS] += 1
    return kept, made


@compiled
def how_many_up_to(most: int, copies: Ints, slots: int) -> int:
    """Number of arrangements of sub-records with these copies, or ``most`` if there are more."""
    total, left = 1, slots
    for many in copies:
        ways = 1
        for taken in range(min(many, left - many)):
            # Up to the half, there are more and more ways to choose 1, 2, ... of them.
            ways = ways * (left - taken) // (taken + 1)
            if total > most // ways:
                return most
        total, left = total * ways, left - many
    return total


@compiled
def _in_turn(
    check: Check, terms: Terms, copies: Ints, tried: int, is_all: bool, rules: Rules, kept: Ints, held: Ints
) -> int:
    """Try arrangements in order: all, or up to the first that passes; that one is kept. How many passed."""
    put, taken, passed = kept.copy(), np.zeros(held.shape[1], np.bool_), 0
    taken[: len(put)] = True
    for turn in range(0, tried, BITS):
        many = min(BITS, tried - turn)
        for row in range(many):
            if turn + row > 0:
                to_next_in_order(put, copies, taken)
            check.put[row] = put
        passing = _passing(check, terms.places, terms.starts, terms.holders, many, rules.k, rules.strict)
        if passed == 0 and passing != 0:
            kept[:] = check.put[bits_of((passing & -passing) - 1)]
            if not is_all:
                return 1
        passed += _hold(check.put, terms.places, passing, held)
    return passed


@compiled
def _by_lot(
    check: Check, terms: Terms, tried: int, can_pass: bool, rules: Rules, lots: Lots, held: Ints
) -> int:
    """Try random arrangements; how many passed.

    As if each were drawn alone: a permutation of the slots, of which the sub-records take the first.
    """
    passed = 0
    for turn in range(0, tried, BITS):
        many = min(BITS, tried - turn)
        shuffle(check.put, many, held.shape[1], lots.state, lots.ahead, lots.used)
        if can_pass:
            passing = _passing(check, terms.places, terms.starts, terms.holders, many, rules.k, rules.strict)
            passed += _hold(check.put, terms.places, passing, held)
    return passed


@compiled
def _hold(put: Ints, places: Ints, rows: int, held: Ints) -> int:
    """Count for each sub-record (row) the slots (columns) that hold it in these arrangements (bits); how many."""
    many = 0
    for row in range(BITS):
        if rows >> row & 1:
            many += 1
            for number in range(len(held)):
                for place in range(places[number], places[number + 1]):
                    held[number, put[row, place]] += 1
    return many


@compiled
def _passing(check: Check, places: Ints, starts: Ints, holders: Ints, many: int, k: int, strict: bool) -> int:
    """The arrangements, as bits, that let no term join an earlier chunk.

    All are looked at at once: a number says of each whether it puts a term on a slot.
    """
    # Whoever takes an array out of a tuple is counted, which takes longer than a look.
    first, met, masks, on, digits = check.first, check.met, check.masks, check.on, check.digits
    left, suspect = (1 << many) - 1, check.suspect[0]
    for turn in range(len(starts) - 1):
        term = suspect + turn if suspect + turn < len(starts) - 1 else suspect + turn - len(starts) + 1
        _put_on(check.put, left, term, places, starts, holders, on)
        for chunk in range(len(met)):
            # The last combinations, with the lowest support, are most likely to keep it out.
            joins, combination = left, met[chunk, term] - 1
            while joins != 0 and combination >= first[chunk]:
                joins &= ~_kept_out(combination, masks, on, digits, k, strict)
                combination -= 1
            if joins != 0:
                left &= ~joins
                check.suspect[0] = term
        if left == 0:
            break
    return left


@compiled
def _put_on(put: Ints, rows: int, term: int, places: Ints, starts: Ints, holders: Ints, on: Ints) -> None:
    """The arrangements (bits) among these that put a term on each slot."""
    on[:] = 0
    for row in range(BITS):
        if rows >> row & 1:
            for at in range(starts[term], starts[term + 1]):
                for place in range(places[holders[at]], places[holders[at] + 1]):
                    on[put[row, place]] |= np.int64(1) << np.int64(row)


@compiled
def _digits_below(k: int) -> int:
    """Binary digits of the numbers below k."""
    digits = 0
    while 1 << digits < k:
        digits += 1
    return digits


@compiled
def _kept_out(combination: int, masks: Ints, on: Ints, digits: Ints, k: int, strict: bool) -> int:
    """The arrangements (bits) in which a term may not join: see ``_keeps_out``.

    Slots are counted for all of them at once, up from where k more overflow.
    """
    start = (1 << len(digits)) - k
    for digit in range(len(digits)):
        digits[digit] = -(start >> digit & 1)
    some, enough = np.int64(0), np.int64(0)
    for word in range(masks.shape[1]):
        left = masks[combination, word]
        while left != 0:
            carry = on[word * BITS + bits_of((left & -left) - 1)]
            left &= left - 1
            some |= carry
            for digit in range(len(digits)):
                digits[digit], carry = digits[digit] ^ carry, digits[digit] & carry
            enough |= carry
    return int(~enough if strict else some & ~enough)


@compiled
def _answer(
    kept: Ints, places: Ints, target: Ints, held: Ints, passed: int, tried: int, answers: Answers
) -> None:
    """Write down the answers about those sub-records of the chunk that are asked about."""
    for number in range(len(target)):
        if target[number] < 0:
            continue
        first = answers.offsets[target[number]]
        for place in range(places[number], places[number + 1]):
            answers.chosen[first + kept[place]] = True
        if 0 < passed < tried:
            for slot in range(held.shape[1]):
                answers.score[first + slot] = held[number, slot] / passed


@compiled
def _terms_of(rows: Ints, copies: Ints, shown: Shown, slots: int) -> Terms:
    """The terms of a chunk with these different sub-records."""
    places = np.zeros(len(rows) + 1, np.int64)
    length = 0
    for number in range(len(rows)):
        places[number + 1] = places[number] + copies[number]
        length += shown.row_offsets[rows[number] + 1] - shown.row_offsets[rows[number]]
    keys, at = np.empty(length, np.int64), 0
    for number in range(len(rows)):
        for item in shown.row_items[shown.row_offsets[rows[number]] : shown.row_offsets[rows[number] + 1]]:
            keys[at] = np.int64(item) * len(rows) + number
            at += 1
    keys.sort()
    item, starts = np.empty(length, np.int64), np.zeros(length + 1, np.int64)
    holders, support = np.empty(length, np.int64), np.zeros(length, np.int64)
    many = 0
    for at in range(length):
        holders[at] = keys[at] % len(rows)
        if at == 0 or keys[at] // len(rows) != item[many - 1]:
            item[many], starts[many] = keys[at] // len(rows), at
            many += 1
        support[many - 1] += copies[holders[at]]
    starts[many] = length
    order = np.sort((slots - support[:many]) * many + np.arange(many)) % max(many, 1)
    return Terms(places, item[:many], starts[: many + 1], holders, support[:many], order)


@compiled
def _put_parts(put: Ints, places: Ints, parts: Ints) -> None:
    """The slots of each sub-record as bits."""
    parts[:] = 0
    for number in range(len(places) - 1):
        for place in range(places[number], places[number + 1]):
            parts[number, put[place] // BITS] |= np.int64(1) << np.int64(put[place] % BITS)


@compiled
def _put_term(term: int, starts: Ints, holders: Ints, parts: Ints) -> None:
    """The slots of a term as bits, into the last row of those of the sub-records."""
    for word in range(parts.shape[1]):
        parts[-1, word] = 0
    for at in range(starts[term], starts[term + 1]):
        for word in range(parts.shape[1]):
            parts[-1, word] |= parts[holders[at], word]


@compiled
def _keeps_out(combination: int, masks: Ints, parts: Ints, k: int, strict: bool) -> bool:
    """Whether a term may not join: with the combination, fewer than k hold it and, unless strict, somebody does."""
    many = 0
    for word in range(parts.shape[1]):
        many += bits_of(parts[-1, word] & masks[combination, word])
    return many < k and (many > 0 or strict)


@compiled
def bits_of(word: int) -> int:
    """How many bits are set; compilers know this loop."""
    many = 0
    while word != 0:
        word &= word - 1
        many += 1
    return many


@compiled
def _with(parts: Ints, made: Made, first: int, last: int, m: int) -> tuple[int, Made]:
    """Add a term, see ``_put_term``, to the combinations from ``first`` to below ``last``; where they end now."""
    if m == 1:
        return last, made
    if 2 * last - first + 1 > len(made.size):
        room = 2 * (2 * last - first + 1)
        masks, size = np.empty((room, parts.shape[1]), np.int64), np.empty(room, np.int64)
        masks[:last], size[:last] = made.masks[:last], made.size[:last]
        made = Made(masks, size)
    made.masks[last], made.size[last] = parts[-1], 1
    new = last + 1
    for old in range(first, last if m > 2 else first):
        if made.size[old] < m - 1:
            is_held = False
            for word in range(parts.shape[1]):
                made.masks[new, word] = made.masks[old, word] & parts[-1, word]
                is_held |= made.masks[new, word] != 0
            made.size[new] = made.size[old] + 1
            new += int(is_held)
    return new, made


@compiled
def _fit_together(terms: Terms, made: Made, first: int, rules: Rules) -> tuple[int, Made]:
    """Whether VERPART lets the terms of the new chunk into one chunk; -1 if there are too many combinations.

    Any arrangement will do to see it. Combinations are made behind those of the settled chunks.
    """
    parts = np.empty((len(terms.places), made.masks.shape[1]), np.int64)
    _put_parts(np.arange(terms.places[-1]), terms.places, parts)
    last = first
    for number in range(len(terms.order)):
        if number > 0:
            last, made = _with(parts, made, first, last, rules.m)
            if last - first > rules.most:
                return -1, made
        term = terms.order[number]
        _put_term(term, terms.starts, terms.holders, parts)
        if terms.support[term] < rules.k:
            return 0, made
        for combination in range(first, last):
            if _keeps_out(combination, made.masks, parts, rules.k, rules.strict):
                return 0, made
    return 1, made


@compiled
def _met(terms: Terms, settled: Settled, chunks: int, k: int) -> tuple[int, Ints]:
    """Where the combinations end that each term (column) would have met in each settled chunk (row).

    Before them: whether each term met some everywhere; -1 if they were too many. A term that fewer than k records hold
    joins no chunk at all.
    """
    found, met = 1, np.empty((chunks, len(terms.item)), np.int64)
    for chunk in range(chunks):
        for term in range(len(terms.item)):
            first, last = settled.starts[chunk], settled.starts[chunk + 1]
            while first < last:
                middle = (first + last) // 2
                more = settled.support[middle] - terms.support[term]
                if more > 0 or (more == 0 and settled.item[middle] < terms.item[term]):
                    first = middle + 1
                else:
                    last = middle
            met[chunk, term] = settled.ends[first + chunk]
            if terms.support[term] >= k:
                if met[chunk, term] < 0:
                    return -1, met
                if met[chunk, term] == settled.first[chunk]:
                    found = 0
    return found, met


@compiled
def _settle(put: Ints, terms: Terms, settled: Settled, chunk: int, made: Made, rules: Rules) -> Made:
    """Settle on an arrangement of the next chunk."""
    parts = np.empty((len(terms.places), made.masks.shape[1]), np.int64)
    _put_parts(put, terms.places, parts)
    at, first = settled.starts[chunk], settled.first[chunk]
    last = first
    settled.ends[at + chunk] = settled.first[chunk + 1] = last
    for term in terms.order:
        settled.support[at], settled.item[at] = terms.support[term], terms.item[term]
        at += 1
        settled.ends[at + chunk] = -1
        if last - first <= rules.most:
            _put_term(term, terms.starts, terms.holders, parts)
            last, made = _with(parts, made, first, last, rules.m)
            if last - first <= rules.most:
                settled.ends[at + chunk] = settled.first[chunk + 1] = last
    settled.starts[chunk + 1] = at
    return made
