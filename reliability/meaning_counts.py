"""What brute force says of a small published table: groups counted one by one, persons matched with parts.

Written apart from ``verify``: plain sets, exact fractions, and a matching that tries every person.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

from reliability.meaning_case import Judgement
from tests.laws.plain_classes import distinct, entropy, equal_distance, ordered_distance, recursive

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from reliability.meaning_tables import Cell, Plain

    Cells = Mapping[int, Cell]

CLOSE = 1e-7
"""Rounding that nobody is blamed for."""


def judge(plain: Plain) -> Judgement:
    """Every level."""
    found = Judgement()
    groups = _groups(plain)
    if told := _sizes(plain, groups) or _promises(plain, groups):
        found.broken["release"] = told
    if told := _against_original(plain):
        found.broken["original"] = told
    elif not _invented(plain) and not _exchanged(plain) and not _comes_from(plain):
        found.broken["key"] = found.unseen["original"] = "no way to give the persons their parts"
    if plain.source.table.several_each and (told := _few_persons(plain)):
        found.broken.setdefault("key", told)
    return found


def _few_persons(plain: Plain) -> str:
    """A class of fewer than k persons, by the key."""
    persons = plain.source.table.persons
    classes: dict[Any, set[int]] = {}
    for part in plain.buckets[0][0]:
        if persons is not None and 0 <= part.record < len(persons):
            look = tuple(part.cells[at] for at in sorted(part.cells) if not plain.sensitive[at])
            classes.setdefault(look, set()).add(int(persons[part.record]))
    few = [len(held) for held in classes.values() if len(held) < plain.k]
    return f"a class of {few[0]} persons" if few else ""


def _invented(plain: Plain) -> bool:
    return plain.parameters.get("invented_rows") is True


def _exchanged(plain: Plain) -> bool:
    return plain.parameters.get("swap_rate") is not None


# The release alone.


def _groups(plain: Plain) -> list[dict[int, list[Cell]]]:
    """Sensitive cells of each class or bucket, by attribute, in the order of its rows."""
    if plain.sliced:
        found = []
        for bucket in plain.cut:
            of = {at: [part[at] for part in column] for column in bucket for at in column[0]}
            found.append({at: of[at] for at in plain.secrets} | {-1: [frozenset[str]()] * len(bucket[0])})
        return found
    classes: dict[tuple[Cell, ...], dict[int, list[Cell]]] = {}
    for bucket in plain.cut:
        for part in bucket[0]:
            look = tuple(part[at] for at in range(len(plain.names)) if not plain.sensitive[at])
            group = classes.setdefault(look, {at: [] for at in (*plain.secrets, -1)})
            for at in plain.secrets:
                group[at].append(part[at])
            group[-1].append(frozenset())
    return list(classes.values())


def _sizes(plain: Plain, groups: list[dict[int, list[Cell]]]) -> str:
    small = [len(group[-1]) for group in groups if len(group[-1]) < plain.k]
    return f"a group of {small[0]} rows" if small else ""


def _promises(plain: Plain, groups: list[dict[int, list[Cell]]]) -> str:
    """Single sensitive values, constraints, and l."""
    for group in groups:
        if any(len(cell) != 1 for at in plain.secrets for cell in group[at]):
            return "a sensitive cell of several values"
    for entry in plain.parameters.get("constraints", []):
        if told := _constraint(plain, groups, entry):
            return told
    return _told_l(plain, groups)


def _constraint(plain: Plain, groups: list[dict[int, list[Cell]]], entry: dict[str, Any]) -> str:
    places = sorted(plain.names.index(name) for name in entry["attributes"] if name in plain.names)
    if len(places) != len(entry["attributes"]) or not all(plain.sensitive[at] for at in places):
        return f"{entry['demand']} of {entry['attributes']}, which is not sensitive"
    if len({_column_of(plain, at) for at in places}) > 1:
        return f"{entry} is about values that are not published together"
    if "within" in entry:
        return _near(plain, [group[places[0]] for group in groups], places, entry)
    place = [{value: code for code, value in enumerate(plain.values[at])} for at in places]
    held = [
        [
            tuple(codes[next(iter(cell))] for codes, cell in zip(place, cells, strict=True))
            for cells in zip(*(group[at] for at in places), strict=True)
        ]
        for group in groups
    ]
    harmless = {(place[0][value],) for value in entry.get("harmless", ()) if value in place[0]}
    whole = [value for group in held for value in group]
    kept = all(_keeps(group, whole, harmless, entry) for group in held)
    return "" if kept else f"{entry} is not kept"


def _near(plain: Plain, groups: list[list[Cell]], places: list[int], entry: dict[str, Any]) -> str:
    """Different numbers are those that lie apart from each other; a group without a harmful one has enough."""
    if len(places) > 1 or entry["demand"] != "distinct-l" or not plain.values[places[0]][0].isdigit():
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


def _column_of(plain: Plain, at: int) -> int:
    return next(number for number, column in enumerate(plain.columns) if at in column)


def _keeps(group: list[Any], whole: list[Any], harmless: set[Any], entry: dict[str, Any]) -> bool:
    if entry["demand"] == "distinct-l":
        return bool(distinct(group, whole) >= entry["l"]) or set(group) <= harmless
    if entry["demand"] == "entropy-l":
        return bool(entropy(group, whole) >= entry["l"] * (1 - CLOSE))
    if entry["demand"] == "recursive-l":
        return bool(recursive(group, entry["c"], int(entry["l"])))
    distance = equal_distance if entry["distance"] == "equal" else ordered_distance
    return bool(distance(group, whole) <= entry["t"] + CLOSE)


def _told_l(plain: Plain, groups: list[dict[int, list[Cell]]]) -> str:
    """What is promised by l: of a generalised table different values, of a sliced one chances."""
    l = plain.parameters.get("l")
    if l is None:
        return ""
    if not plain.secrets:
        return f"l is {l}, and nothing is sensitive"
    check = plain.parameters.get("check", "bucket" if plain.parameters.get("method") == "anatomy" else None)
    if plain.sliced and check == "matching":
        return ""  # about persons, whom only the original knows
    if plain.sliced and check == "bucket":
        return _bucket_shares(plain, l)
    few = [at for group in groups for at in plain.secrets if len(set(group[at])) < l]
    return f"fewer than {l} values of {plain.names[few[0]]}" if few else ""


def _secrets_of(plain: Plain, column: Sequence[int]) -> list[list[int]]:
    hidden = [at for at in column if plain.sensitive[at]]
    if plain.parameters.get("together") == "jointly":
        return [hidden] if hidden else []
    return [[at] for at in hidden]


def _bucket_shares(plain: Plain, l: float) -> str:
    for bucket in plain.cut:
        for column in bucket:
            beside = [at for at in column[0] if not plain.sensitive[at]]
            for hidden in _secrets_of(plain, list(column[0])):
                looks: dict[Any, list[Any]] = {}
                for part in column:
                    look, value = tuple(part[at] for at in beside), tuple(part[at] for at in hidden)
                    looks.setdefault(look, []).append(value)
                for values in looks.values():
                    if max(Counter(values).values()) > len(values) / l + CLOSE:
                        return f"a value of {plain.names[hidden[0]]} has more than 1/{l} of a bucket"
    return ""


# With the original.


def _against_original(plain: Plain) -> str:
    """Attributes and their roles, number of rows, each attribute and each part for itself, chances of everybody."""
    if bool(plain.parameters.get("persons")) is not plain.source.table.several_each:
        return "persons are counted where nobody has several rows, or rows where somebody has"
    known = {attribute.name: attribute for attribute in plain.source.table.attributes}
    for name, secret in zip(plain.names, plain.sensitive, strict=True):
        if name not in known or (known[name].role == "sensitive") is not secret:
            return "an attribute has another role, or is not there"
    people = _people(plain)
    for at, name in enumerate(plain.names):
        parts = [part for bucket in plain.cut for column in bucket for part in column]
        shown = {value for part in parts for value in part.get(at, ())}
        if not shown <= set(known[name].values):
            return f"a value that {name} cannot have"
    if told := _matching_chances(plain, people):
        return told
    if _invented(plain):
        return ""
    partly = bool(plain.parameters.get("sampling_rate")) or bool(plain.parameters.get("suppressed"))
    if plain.rows > len(people) or (plain.rows < len(people) and not partly):
        return f"{plain.rows} rows of {len(people)} persons"
    return _each_attribute(plain, people) or _each_part(plain, people)


def _people(plain: Plain) -> list[tuple[str, ...]]:
    """The original, in the order of the published attributes."""
    names = [attribute.name for attribute in plain.source.table.attributes]
    place = [names.index(name) for name in plain.names]
    return [tuple(person[at] for at in place) for person in plain.source.people]


def _each_attribute(plain: Plain, people: list[tuple[str, ...]]) -> str:
    for at, name in enumerate(plain.names):
        cells = [part[at] for bucket in plain.cut for column in bucket for part in column if at in part]
        if not _all_placed(cells, [person[at] for person in people], lambda cell, value: value in cell):
            return f"cells of {name} that nobody's values fill"
    return ""


def _each_part(plain: Plain, people: list[tuple[str, ...]]) -> str:
    """Each part covers as many persons as it stands for; everybody is covered where nobody is left out."""
    if _exchanged(plain):
        return ""
    for number in range(len(plain.columns)):
        parts = [part for bucket in plain.cut for part in bucket[number]]
        for part in parts:
            if sum(_fits(part, person) for person in people) < parts.count(part):
                return f"{part} covers fewer persons than it stands for"
        if plain.rows == len(people) and not all(any(_fits(part, p) for part in parts) for p in people):
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


def _matching_chances(plain: Plain, people: list[tuple[str, ...]]) -> str:
    """p(t, s) of Li, Li, Zhang and Molloy for everybody, where that is what l promises."""
    l = plain.parameters.get("l")
    if not plain.sliced or l is None or plain.parameters.get("check") != "matching":
        return ""
    for person in sorted(set(people)):
        for column in plain.columns:
            for hidden in _secrets_of(plain, column):
                chances = _chances(plain, person, hidden)
                if chances and max(chances.values()) > 1 / l + CLOSE:
                    return f"a value of {plain.names[hidden[0]]} is told with more than 1/{l}"
    return ""


def _chances(plain: Plain, person: tuple[str, ...], hidden: list[int]) -> dict[Any, Fraction]:
    found: dict[Any, Fraction] = {}
    total = Fraction(0)
    for bucket in plain.cut:
        share, own = Fraction(1), Counter[Any]()
        for column in bucket:
            fitting = [
                part
                for part in column
                if all(person[at] in part[at] for at in part if not plain.sensitive[at])
            ]
            share *= Fraction(len(fitting), len(column))
            if hidden[0] in column[0]:
                own = Counter(tuple(part[at] for at in hidden) for part in fitting)
        if share:
            total += share
            for value, times in own.items():
                found[value] = found.get(value, Fraction(0)) + share * Fraction(times, sum(own.values()))
    return {value: chance / total for value, chance in found.items()}


def _comes_from(plain: Plain) -> bool:
    """Whether the persons can be dealt out to the buckets, so that each gets a part of every column."""
    people = _people(plain)
    buckets = sorted(plain.cut, key=lambda bucket: len(bucket[0]))

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
