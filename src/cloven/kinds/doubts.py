"""What speaks against publishing, whatever attackers reach: little promised, few people, names, repeated records."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.arrays import row_numbers
from cloven.disclosure.audience import Said
from cloven.figures import many, percent
from cloven.kinds.person_items import person_items

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Longs
    from cloven.data.table import Table
    from cloven.data.transactions import Transactions


FEWEST_PEOPLE = 30
"""People below which nothing that was measured says much."""
FEWEST_CANDIDATES, FEWEST_KNOWN = 3, 2
"""A promise of less is none to publish on: offices of statistics ask for three, and who knows one item knows two."""
REPEATED = 0.1
"""Share of the records above which equal ones look like several of one person."""


def doubts_about(data: Transactions, k: int, m: int, *, unnamed: str) -> tuple[Said, ...]:
    """All doubts about publishing sets; ``unnamed`` says how to withhold rare items, empty where they are."""
    people = len(data) if data.persons is None else len(np.unique(data.persons))
    named = identifiers(data, k) if unnamed else None
    repeated = repeated_records(data) if data.persons is None else 0.0
    return (*doubts_of(people, k, m, named, unnamed, repeated), *of_persons(person_items(data)))


def doubts_of(
    people: int, k: int, m: int, named: Identifiers | None, unnamed: str, repeated: float
) -> tuple[Said, ...]:
    """The same from figures: people, what looks like names if rare items are published, share of repeated records."""
    out = [*little_promised(k, m), *too_few(people)]
    if named is not None and named.sentence:
        out.append(Said(f"Rare items are published by name, and {named.sentence}; {unnamed}."))
    if repeated > REPEATED:
        out.append(
            Said(
                f"{percent(repeated, 0)} of the records equal another one though chance hardly makes two: these look"
                " like several records of one person; name the column of the person (--person), or take each person"
                " once."
            )
        )
    return tuple(out)


def of_persons(items: Sequence[str]) -> tuple[Said, ...]:
    """Items that name persons, each in several records; they are published, because several records hold them."""
    if not items:
        return ()
    return (
        Said(
            f"{len(items):,} items, such as {items[0]!r}, look like numbers or names of persons: nearly every record"
            " holds exactly one of them, and several records hold the same; take these items out of the records, and"
            " name the column that they are from as that of the person (--person).",
            "Some items may name persons.",
        ),
    )


def rows_of_one_person(data: Table) -> tuple[Said, ...]:
    """Rows that look like several of one person, where the table does not say whose they are."""
    share = rows_repeated(data) if data.persons is None else 0.0
    if share <= REPEATED:
        return ()
    return (
        Said(
            f"{percent(share, 0)} of the rows agree with another one on what is known of people, or nearly, far more"
            " than people do: these look like several rows of one person; give the column of the person the role"
            ' "person" in the schema (a number for each row, if they are different people), or take one row of each.',
            "Several rows may be of one person.",
        ),
    )


def little_promised(k: int, m: int = FEWEST_KNOWN) -> tuple[Said, ...]:
    """What is promised so little that no figure makes up for it; so that promising less never helps.

    >>> [str(doubt) for doubt in little_promised(2)]
    ['k = 2 is little: publish nothing with k below 3.']
    """
    out = []
    if k < FEWEST_CANDIDATES:
        sentence = f"k = {k} is little: publish nothing with k below {FEWEST_CANDIDATES}."
        out.append(Said(sentence, sentence))
    if m < FEWEST_KNOWN:  # a policy of the owner's own is not for the public
        out.append(Said(f"m = {m} is little: publish nothing with m below {FEWEST_KNOWN}."))
    return tuple(out)


def too_few(people: int) -> tuple[Said, ...]:
    """Of too few people nothing can be measured.

    >>> too_few(30)
    ()
    """
    if people >= FEWEST_PEOPLE:
        return ()
    sentence = (
        f"{many(people, 'person')} are too few to measure anything on; at least {FEWEST_PEOPLE} are needed."
    )
    return (Said(sentence, "Too few people to measure anything on."),)


# Items that are names rather than facts: held by one person alone, or written like an address, a number or a sentence.
#
# An item that one person holds is a name until shown otherwise; published, it points at its owner whatever it is joined
# with.


LOOKS = {
    "an e-mail address": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"),
    "a phone number": re.compile(r"\+?\(?\d[\d ()/.-]{5,}\d"),
    "a date": re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}"),
    "free text": re.compile(r"(?:\S+\s+){11,}\S+|.{120,}", re.DOTALL),
}
"""What identifiers look like. Whole numbers without any sign are codes more often than telephone numbers."""
MOST = 0.5
"""Share of the people above which items that one person holds are names."""


@dataclass(frozen=True)
class Identifiers:
    """What looks like names.

    Attributes:
        alone: share of the people who hold an item that nobody else holds.
        written: items held by fewer than k that are written like identifiers: what like, how many, the first.
    """

    alone: float
    written: tuple[tuple[str, int, str], ...]

    @property
    def sentence(self) -> str:
        """What was found, in a sentence; empty if nothing was."""
        parts = []
        if self.alone > MOST:
            parts.append(f"{percent(self.alone, 0)} of the people hold an item that nobody else holds")
        parts += [
            f"{number:,} rare item{'s look' if number > 1 else ' looks'} like {what}, such as {first!r}"
            for what, number, first in self.written
        ]
        return "; ".join(parts)


def identifiers(data: Transactions, k: int) -> Identifiers:
    """Look for names among the items that fewer than k hold.

    >>> from cloven.data.transactions import Transactions
    >>> identifiers(Transactions.from_records([["flu", "ann@x.org"], ["flu"], ["flu"]]), 2).sentence
    "1 rare item looks like an e-mail address, such as 'ann@x.org'"
    """
    holders = data.holders
    single = holding_single(holders, data.offsets, data.codes)
    if data.persons is not None:
        alone = len(np.unique(data.persons[single])) / max(1, len(np.unique(data.persons)))
    else:
        alone = float(single.mean()) if len(single) else 0.0
    return Identifiers(alone, written_like(data.vocabulary, holders, k))


def written_like(names: Sequence[str], holders: Longs, k: int) -> tuple[tuple[str, int, str], ...]:
    """What items that fewer than k hold are written like: what, how many, the first."""
    rare = [names[code] for code in np.flatnonzero(holders < k).tolist()]
    out = []
    for what, pattern in LOOKS.items():
        like = [name for name in rare if pattern.fullmatch(name.strip()) and not name.strip().isdigit()]
        if like:
            out.append((what, len(like), like[0]))
    return tuple(out)


def holding_single(holders: Longs, offsets: Longs, codes: NDArray[Any]) -> Flags:
    """Which records hold an item that nobody else holds; none of the records is empty."""
    if len(offsets) < 2:
        return np.zeros(0, bool)
    found: Flags = np.add.reduceat(holders[codes] == 1, offsets[:-1]) > 0
    return found


def repeated_records(data: Transactions) -> float:
    """Share of the records that equal another one though chance would hardly make two of them.

    By chance, were items independent, n times the product of their shares records look like this one. Longer records
    that come twice all the same are likely to be of one person.
    """
    look = surprising_looks(data.supports, len(data), data.offsets, data.codes)
    return repeated_share(look, len(data))


def surprising_looks(supports: Longs, records: int, offsets: Longs, codes: NDArray[Any]) -> Longs:
    """A number for what each record is that chance would hardly make twice among so many: equal ones have the same.

    ``supports`` says how many of all records hold each item; none of the records is empty.
    """
    if len(offsets) < 2:
        return np.empty(0, np.int64)
    log_share = np.log(np.maximum(1, supports) / records)
    expected = np.log(records) + np.add.reduceat(log_share[codes], offsets[:-1])
    mixed = np.random.default_rng(1).integers(2**63, size=len(supports), dtype=np.int64)
    look: Longs = np.bitwise_xor.reduceat(mixed[codes], offsets[:-1])
    kept: Longs = look[expected < np.log(SURPRISING)]
    return kept


def repeated_share(looks: Longs, records: int) -> float:
    """Share of the records whose number is there twice or more."""
    times = np.unique(looks, return_counts=True)[1]
    return float(times[times > 1].sum()) / max(1, records)


SURPRISING = 0.05
"""Equal records expected by chance, below which having some is a surprise."""


# Rows that look like several of one person, in a table that does not say whose they are.
#
# Different people who agree on all quasi-identifiers but one agree on the last about as often as any two do, or a few
# times as often. Rows of one person always do. So every quasi-identifier is asked: how much do the odds grow that two
# rows agree on it, once they agree on all others? Where all of them answer with very much, rows repeat persons; where a
# single one does not (age, beside a town and its district), people are merely alike.


GROWTH, PAIRS, GROUPS = 2.0, 10, 30
"""How much the odds grow, at least, for rows to be taken for those of one person; and how many pairs agree.

On real tables of different people they grow by 0.7 to 1.3."""
FOLLOWS, CORRELATED = 0.95, 0.8
"""Of rows that agree on one quasi-identifier the share that agree on another one, from which on it follows from it; and
the rank correlation of numbers from which on each follows from the other."""


def rows_repeated(table: Table) -> float:
    """Share of the rows that agree with another one on everything known, if that is more than people do; else 0.

    What changes between visits hides a person: so rows are compared by all quasi-identifiers, by all with numbers in
    thirty groups, and by all but one, and the comparison that shows most counts. Where two quasi-identifiers are left
    they may be a town and its district, so that fewer say nothing. Different people who agree on a weight agree on the
    height that goes with it too: so only quasi-identifiers are compared none of which follows from another one.
    """
    places = [
        place for place in table.positions("quasi-identifier") if len(np.unique(table.codes[:, place])) > 1
    ]
    exact = table.codes[:, places]
    coarse = np.column_stack([_grouped(table, place) for place in places]) if places else exact
    ways = []
    for chosen in _independent(table, places):
        whole = exact[:, chosen]
        ways += [each for each in (whole, coarse[:, chosen]) if each.shape[1] > 1]
        ways += [np.delete(whole, place, axis=1) for place in range(len(chosen)) if len(chosen) > 3]
    found = [_shared(codes) for codes in ways if len(codes) > 1 and _growth(codes) >= GROWTH]
    return max(found, default=0.0)


def _independent(table: Table, places: Sequence[int]) -> list[list[int]]:
    """Choices of columns none of which follows from another one: each column with all others that go with it."""
    related = np.array([[one != two and _follows(table, one, two) for two in places] for one in places], bool)
    related = (related | related.T).reshape(len(places), len(places))
    found: list[list[int]] = []
    for first in range(len(places)):
        chosen: list[int] = []
        for place in (first, *range(len(places))):
            if place not in chosen and not related[place, chosen].any():
                chosen.append(place)
        if sorted(chosen) not in found:
            found.append(sorted(chosen))
    return found


def _follows(table: Table, one: int, two: int) -> bool:
    """Whether the second attribute follows from the first, or nearly."""
    pair = table.codes[:, [one, two]]
    agree, both = _pairs(pair[:, :1]), _pairs(pair)
    if agree >= PAIRS and both >= FOLLOWS * agree:
        return True
    if table.attributes[one].numbers is None or table.attributes[two].numbers is None:
        return False
    # Each pair of numbers once: rows of one person repeat theirs, and would look correlated.
    left, right = (np.unique(column, return_inverse=True)[1] for column in np.unique(pair, axis=0).T)
    return len(left) > 2 and abs(float(np.corrcoef(left, right)[0, 1])) >= CORRELATED


def _grouped(table: Table, place: int) -> NDArray[np.int32]:
    """Codes of an attribute; of numbers that take many values, the thirtieth that they are in."""
    codes = table.codes[:, place]
    if table.attributes[place].numbers is None or len(np.unique(codes)) <= GROUPS:
        return codes
    edges = np.quantile(codes, np.arange(1, GROUPS) / GROUPS)
    return np.searchsorted(edges, codes, side="right").astype(np.int32)


def _shared(codes: NDArray[np.int32]) -> float:
    """Share of the rows that agree with another one."""
    look = row_numbers(np.ascontiguousarray(codes))
    return float((np.bincount(look) > 1)[look].mean())


def _growth(codes: NDArray[np.int32]) -> float:
    """The least growth of the odds of agreeing, over all quasi-identifiers."""
    every, pairs = _pairs(codes), len(codes) * (len(codes) - 1) / 2
    if every < PAIRS:
        return 0.0
    found = []
    for place in range(codes.shape[1]):
        alone = _pairs(codes[:, [place]])
        others = _pairs(np.delete(codes, place, axis=1))
        found.append(_odds(every, others) / max(_odds(alone, pairs), 1e-12))
    return min(found)


def _odds(agree: float, of: float) -> float:
    """Odds of agreeing, with half a pair more on each side."""
    return (agree + 0.5) / (of - agree + 0.5)


def _pairs(codes: NDArray[np.int32]) -> float:
    """Pairs of rows that agree on everything."""
    sizes = np.bincount(row_numbers(np.ascontiguousarray(codes))).astype(np.float64)
    return float((sizes * (sizes - 1) / 2).sum())
