"""What brute force says of a small published table: groups counted one by one, persons matched with parts.

Written apart from ``verify``: plain sets, exact fractions, and a matching that tries every person.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import exp, log
from typing import TYPE_CHECKING, Any

from reliability.meaning_case import Judgement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Cell = frozenset[str]
Cells = dict[int, Cell]
Bucket = list[list[Cells]]
CLOSE = 1e-7
"""Rounding that nobody is blamed for."""


@dataclass(frozen=True)
class Facts:
    """A published table and what it was made from.

    Attributes:
        k, parameters: the promise.
        names, sensitive, values: of each published attribute.
        sliced, columns: how it is cut.
        buckets: bucket, column, part: cells by attribute.
        known_names, known_sensitive, known_values: attributes of the original.
        people: rows of the original.
        several: whether somebody has several of them.
    """

    k: int
    parameters: dict[str, Any]
    names: list[str]
    sensitive: list[bool]
    values: list[list[str]]
    sliced: bool
    columns: list[list[int]]
    buckets: list[Bucket]
    known_names: list[str]
    known_sensitive: list[bool]
    known_values: list[tuple[str, ...]]
    people: tuple[tuple[str, ...], ...]
    several: bool

    @property
    def secrets(self) -> list[int]:
        """Sensitive attributes."""
        return [at for at, secret in enumerate(self.sensitive) if secret]

    @property
    def rows(self) -> int:
        """Number of published rows."""
        return sum(len(bucket[0]) for bucket in self.buckets)


def judged(facts: Facts) -> Judgement:
    """Every level."""
    found = Judgement()
    groups = _groups(facts)
    if told := _sizes(facts, groups) or _promises(facts, groups):
        found.broken["release"] = told
    if told := _against_original(facts):
        found.broken["original"] = told
    elif not _invented(facts) and not _exchanged(facts) and not _comes_from(facts):
        found.broken["key"] = found.unseen["original"] = "no way to give the persons their parts"
    return found


def _invented(facts: Facts) -> bool:
    return facts.parameters.get("invented_rows") is True


def _exchanged(facts: Facts) -> bool:
    return facts.parameters.get("swap_rate") is not None


# The release alone.


def _groups(facts: Facts) -> list[dict[int, list[Cell]]]:
    """Sensitive cells of each class or bucket, by attribute, in the order of its rows."""
    if facts.sliced:
        found = []
        for bucket in facts.buckets:
            of = {at: [part[at] for part in column] for column in bucket for at in column[0]}
            found.append({at: of[at] for at in facts.secrets} | {-1: [frozenset[str]()] * len(bucket[0])})
        return found
    classes: dict[tuple[Cell, ...], dict[int, list[Cell]]] = {}
    for bucket in facts.buckets:
        for part in bucket[0]:
            look = tuple(part[at] for at in range(len(facts.names)) if not facts.sensitive[at])
            group = classes.setdefault(look, {at: [] for at in (*facts.secrets, -1)})
            for at in facts.secrets:
                group[at].append(part[at])
            group[-1].append(frozenset())
    return list(classes.values())


def _sizes(facts: Facts, groups: list[dict[int, list[Cell]]]) -> str:
    small = [len(group[-1]) for group in groups if len(group[-1]) < facts.k]
    return f"a group of {small[0]} rows" if small else ""


def _promises(facts: Facts, groups: list[dict[int, list[Cell]]]) -> str:
    """Single sensitive values, constraints, and l."""
    for group in groups:
        if any(len(cell) != 1 for at in facts.secrets for cell in group[at]):
            return "a sensitive cell of several values"
    for entry in facts.parameters.get("constraints", []):
        if told := _constraint(facts, groups, entry):
            return told
    return _told_l(facts, groups)


def _constraint(facts: Facts, groups: list[dict[int, list[Cell]]], entry: dict[str, Any]) -> str:
    places = sorted(facts.names.index(name) for name in entry["attributes"] if name in facts.names)
    if len(places) != len(entry["attributes"]) or not all(facts.sensitive[at] for at in places):
        return f"{entry['demand']} of {entry['attributes']}, which is not sensitive"
    if len({_column_of(facts, at) for at in places}) > 1:
        return f"{entry} is about values that are not published together"
    if "within" in entry:
        return _near(facts, [group[places[0]] for group in groups], places, entry)
    held = [list(zip(*(group[at] for at in places), strict=True)) for group in groups]
    whole = [value for group in held for value in group]

    def place(value: tuple[Cell, ...]) -> list[int]:
        return [facts.values[at].index(next(iter(cell))) for at, cell in zip(places, value, strict=True)]

    order = sorted(set(whole), key=place)
    for group in held:
        if not _keeps(group, whole, order, entry):
            return f"{entry} is not kept"
    return ""


def _near(facts: Facts, groups: list[list[Cell]], places: list[int], entry: dict[str, Any]) -> str:
    """Different numbers are those that lie apart from each other; a group without a harmful one has enough."""
    if len(places) > 1 or entry["demand"] != "distinct-l" or not facts.values[places[0]][0].isdigit():
        return f"{entry} cannot count near values as one"
    share = float(entry["within"][:-2]) / 100 if isinstance(entry["within"], str) else 0.0
    for group in groups:
        values = {next(iter(cell)) for cell in group}
        numbers = sorted(map(float, values))
        apart = max(
            len(some)
            for size in range(1, len(numbers) + 1)
            for some in combinations(numbers, size)
            if all(
                two - one > (share * two if share else entry["within"]) for one, two in combinations(some, 2)
            )
        )
        if apart < entry["l"] and not values <= set(entry.get("harmless", ())):
            return f"{entry} is not kept"
    return ""


def _column_of(facts: Facts, at: int) -> int:
    return next(number for number, column in enumerate(facts.columns) if at in column)


def _keeps(group: list[Any], whole: list[Any], order: list[Any], entry: dict[str, Any]) -> bool:
    counts = Counter(group)
    shares = [Fraction(counts[value], len(group)) for value in order]
    if entry["demand"] == "distinct-l":
        harmless = {(frozenset({value}),) for value in entry.get("harmless", ())}
        return bool(len(counts) >= entry["l"]) or set(counts) <= harmless
    if entry["demand"] == "entropy-l":
        return bool(exp(-sum(float(p) * log(p) for p in shares if p)) >= entry["l"] * (1 - CLOSE))
    if entry["demand"] == "recursive-l":
        ranked = sorted(counts.values(), reverse=True)
        return ranked[0] < Fraction(entry["c"]) * sum(ranked[int(entry["l"]) - 1 :])
    everybody = Counter(whole)
    apart = [share - Fraction(everybody[v], len(whole)) for share, v in zip(shares, order, strict=True)]
    if entry["distance"] == "equal":
        return bool(sum(map(abs, apart)) / 2 <= entry["t"] + CLOSE)
    carried = [abs(sum(apart[: at + 1], Fraction(0))) for at in range(len(apart))]
    return bool(sum(carried, Fraction(0)) / max(1, len(apart) - 1) <= entry["t"] + CLOSE)


def _told_l(facts: Facts, groups: list[dict[int, list[Cell]]]) -> str:
    """What is promised by l: of a generalised table different values, of a sliced one chances."""
    l = facts.parameters.get("l")
    if l is None:
        return ""
    if not facts.secrets:
        return f"l is {l}, and nothing is sensitive"
    check = facts.parameters.get("check", "bucket" if facts.parameters.get("method") == "anatomy" else None)
    if facts.sliced and check == "matching":
        return ""  # about persons, whom only the original knows
    if facts.sliced and check == "bucket":
        return _bucket_shares(facts, l)
    few = [at for group in groups for at in facts.secrets if len(set(group[at])) < l]
    return f"fewer than {l} values of {facts.names[few[0]]}" if few else ""


def _secrets_of(facts: Facts, column: Sequence[int]) -> list[list[int]]:
    hidden = [at for at in column if facts.sensitive[at]]
    if facts.parameters.get("together") == "jointly":
        return [hidden] if hidden else []
    return [[at] for at in hidden]


def _bucket_shares(facts: Facts, l: float) -> str:
    for bucket in facts.buckets:
        for column in bucket:
            beside = [at for at in column[0] if not facts.sensitive[at]]
            for hidden in _secrets_of(facts, list(column[0])):
                looks: dict[Any, list[Any]] = {}
                for part in column:
                    look, value = tuple(part[at] for at in beside), tuple(part[at] for at in hidden)
                    looks.setdefault(look, []).append(value)
                for values in looks.values():
                    if max(Counter(values).values()) > len(values) / l + CLOSE:
                        return f"a value of {facts.names[hidden[0]]} has more than 1/{l} of a bucket"
    return ""


# With the original.


def _against_original(facts: Facts) -> str:
    """Attributes and their roles, number of rows, each attribute and each part for itself, chances of everybody."""
    if bool(facts.parameters.get("persons")) is not facts.several:
        return "persons are counted where nobody has several rows, or rows where somebody has"
    roles = dict(zip(facts.known_names, facts.known_sensitive, strict=True))
    if any(roles.get(name) is not secret for name, secret in zip(facts.names, facts.sensitive, strict=True)):
        return "an attribute has another role, or is not there"
    place = [facts.known_names.index(name) for name in facts.names]
    people = [tuple(person[at] for at in place) for person in facts.people]
    for at, where in enumerate(place):
        parts = [part for bucket in facts.buckets for column in bucket for part in column]
        shown = {value for part in parts for value in part.get(at, ())}
        if not shown <= set(facts.known_values[where]):
            return f"a value that {facts.names[at]} cannot have"
    if told := _matching_chances(facts, people):
        return told
    if _invented(facts):
        return ""
    partly = bool(facts.parameters.get("sampling_rate")) or bool(facts.parameters.get("suppressed"))
    if facts.rows > len(people) or (facts.rows < len(people) and not partly):
        return f"{facts.rows} rows of {len(people)} persons"
    return _each_attribute(facts, people) or _each_part(facts, people)


def _each_attribute(facts: Facts, people: list[tuple[str, ...]]) -> str:
    for at, name in enumerate(facts.names):
        cells = [part[at] for bucket in facts.buckets for column in bucket for part in column if at in part]
        if not _all_placed(cells, [person[at] for person in people], lambda cell, value: value in cell):
            return f"cells of {name} that nobody's values fill"
    return ""


def _each_part(facts: Facts, people: list[tuple[str, ...]]) -> str:
    """Each part covers as many persons as it stands for; everybody is covered where nobody is left out."""
    if _exchanged(facts):
        return ""
    for number in range(len(facts.columns)):
        parts = [part for bucket in facts.buckets for part in bucket[number]]
        for part in parts:
            if sum(_fits(part, person) for person in people) < parts.count(part):
                return f"{part} covers fewer persons than it stands for"
        if facts.rows == len(people) and not all(any(_fits(part, p) for part in parts) for p in people):
            return "somebody is covered by nothing"
    return ""


def _fits(part: Cells, person: Sequence[str]) -> bool:
    return all(person[at] in cell for at, cell in part.items())


def _all_placed(cells: Sequence[Any], values: Sequence[Any], fits: Callable[[Any, Any], bool]) -> bool:
    """Whether every cell gets a value of its own that fits it: augmenting paths, one cell after the other."""
    holder: dict[int, int] = {}

    def place(cell: int, seen: set[int]) -> bool:
        for at, value in enumerate(values):
            if at not in seen and fits(cells[cell], value):
                seen.add(at)
                if at not in holder or place(holder[at], seen):
                    holder[at] = cell
                    return True
        return False

    return len(cells) <= len(values) and all(place(cell, set()) for cell in range(len(cells)))


def _matching_chances(facts: Facts, people: list[tuple[str, ...]]) -> str:
    """p(t, s) of Li, Li, Zhang and Molloy for everybody, where that is what l promises."""
    l = facts.parameters.get("l")
    if not facts.sliced or l is None or facts.parameters.get("check") != "matching":
        return ""
    for person in sorted(set(people)):
        for column in facts.columns:
            for hidden in _secrets_of(facts, column):
                chances = _chances(facts, person, hidden)
                if chances and max(chances.values()) > 1 / l + CLOSE:
                    return f"a value of {facts.names[hidden[0]]} is told with more than 1/{l}"
    return ""


def _chances(facts: Facts, person: tuple[str, ...], hidden: list[int]) -> dict[Any, Fraction]:
    found: dict[Any, Fraction] = {}
    total = Fraction(0)
    for bucket in facts.buckets:
        share, own = Fraction(1), Counter[Any]()
        for column in bucket:
            fitting = [
                part
                for part in column
                if all(person[at] in part[at] for at in part if not facts.sensitive[at])
            ]
            share *= Fraction(len(fitting), len(column))
            if hidden[0] in column[0]:
                own = Counter(tuple(part[at] for at in hidden) for part in fitting)
        if share:
            total += share
            for value, times in own.items():
                found[value] = found.get(value, Fraction(0)) + share * Fraction(times, sum(own.values()))
    return {value: chance / total for value, chance in found.items()}


def _comes_from(facts: Facts) -> bool:
    """Whether the persons can be dealt out to the buckets, so that each gets a part of every column."""
    place = [facts.known_names.index(name) for name in facts.names]
    people = [tuple(person[at] for at in place) for person in facts.people]
    buckets = sorted(facts.buckets, key=lambda bucket: len(bucket[0]))

    def dealt(at: int, left: frozenset[int]) -> bool:
        if at == len(buckets):
            return True
        bucket = buckets[at]
        able = [
            who
            for who in sorted(left)
            if all(any(_fits(part, people[who]) for part in column) for column in bucket)
        ]
        for chosen in _distinct_choices(able, people, len(bucket[0]), last=at == len(buckets) - 1):
            values = [people[who] for who in chosen]
            if all(_all_placed(column, values, _fits) for column in bucket) and dealt(
                at + 1, left - set(chosen)
            ):
                return True
        return False

    if len(buckets) == 1 and len(buckets[0]) == 1:
        return _all_placed(buckets[0][0], people, _fits)
    return dealt(0, frozenset(range(len(people))))


def _distinct_choices(
    able: list[int], people: list[tuple[str, ...]], size: int, *, last: bool
) -> list[tuple[int, ...]]:
    """Choices of so many persons; those who are alike are one."""
    if last and len(able) == size:
        return [tuple(able)]
    found: dict[tuple[Any, ...], tuple[int, ...]] = {}
    for chosen in combinations(able, size):
        found.setdefault(tuple(sorted(people[who] for who in chosen)), chosen)
    return list(found.values())
