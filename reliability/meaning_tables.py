"""Small published tables in a plain form: made, changed, put into canonical order.

What brute force says of them is in ``meaning_counts``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.table import Attribute, Harm, Table, ValueTree
from cloven.kinds.tables.key import TableKey
from cloven.kinds.tables.methods.anatomy import Anatomy
from cloven.kinds.tables.methods.constraints import DistinctL, EntropyL, RecursiveL, TCloseness
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.methods.slicing import Slicing
from cloven.kinds.tables.methods.ul import UL
from cloven.kinds.tables.release import CellDomain, GeneralisedTable, Sliced
from reliability.meaning_case import Case
from reliability.meaning_counts import judge

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from cloven.kinds.tables.key import PublishedTable

Cell = frozenset[str]
NAMES = {"age": "012345", "letter": "abcd", "town": "xyz", "illness": "fgmu", "drug": "pqr", "wage": "0123"}
SECRET = ("illness", "drug", "wage")
TREE = ValueTree((*"abcd", "ab", "cd", "*"), np.array([4, 4, 5, 5, 6, 6, 6], np.int32), 4)
GROUPS = {frozenset("ab"): "ab", frozenset("cd"): "cd", frozenset("abcd"): "*"}


@dataclass(frozen=True, eq=False)
class Source:
    """The original; it is never changed, and so never copied."""

    table: Table
    people: tuple[tuple[str, ...], ...]

    def __deepcopy__(self, _known: dict[int, Any]) -> Source:
        return self


@dataclass(eq=False)
class Part:
    """One part of a column: its cells by attribute, by the key its person, and which cells were exchanged."""

    cells: dict[int, Cell]
    record: int
    marks: set[int] = field(default_factory=set)


@dataclass
class Plain:
    """A published table with original and key; a generalised one is one bucket of one column."""

    k: int
    parameters: dict[str, Any]
    names: list[str]
    sensitive: list[bool]
    values: list[list[str]]
    sliced: bool
    columns: list[list[int]]
    buckets: list[list[list[Part]]]
    source: Source
    suppressed: list[int]
    marked: bool

    def column_of(self, attribute: int) -> int:
        """The column that an attribute is in."""
        return next(at for at, column in enumerate(self.columns) if attribute in column)

    @property
    def cut(self) -> list[list[list[dict[int, Cell]]]]:
        """Bucket, column, part: cells by attribute."""
        return [
            [[part.cells for part in column] for column in bucket] for bucket in self.buckets if bucket[0]
        ]

    @property
    def secrets(self) -> list[int]:
        """Sensitive attributes."""
        return [at for at, secret in enumerate(self.sensitive) if secret]

    @property
    def rows(self) -> int:
        """Number of published rows."""
        return sum(len(bucket[0]) for bucket in self.buckets)

    def parts(self) -> list[Part]:
        """Every part."""
        return [part for bucket in self.buckets for column in bucket for part in column]


def table_of(rows: list[list[str]], names: list[str]) -> Table:
    """A table of the given attributes; the last ones are sensitive."""
    attributes, codes = [], []
    for at, name in enumerate(names):
        values = tuple(NAMES[name])
        numbers = np.arange(float(len(values))) if values[0].isdigit() else None
        role: Any = "sensitive" if name in SECRET else "quasi-identifier"
        tree, harm = TREE if name == "letter" else None, Harm(within=1.0) if name == "wage" else Harm()
        attributes.append(Attribute(name, role, values, numbers, tree, harm=harm))
        codes.append([values.index(row[at]) for row in rows])
    matrix = np.array(codes, np.int32).T.copy()
    return Table(tuple(attributes), matrix, np.arange(len(rows), dtype=np.int64))


def plain_of(result: PublishedTable, source: Source) -> Plain:
    """The plain form of what an anonymiser made."""
    release, key = result.release, result.key
    cut = isinstance(release, Sliced)
    columns = (
        [list(c) for c in release.columns]
        if isinstance(release, Sliced)
        else [list(range(len(release.domains)))]
    )
    edges = release.bucket_offsets.tolist() if isinstance(release, Sliced) else [0, len(release)]

    def cell(row: int, at: int) -> Cell:
        domain, code = release.domains[at], int(release.cells[row, at])
        members = domain.members[domain.member_offsets[code] : domain.member_offsets[code + 1]].tolist()
        return frozenset(domain.values[member] for member in members)

    def part(row: int, number: int) -> Part:
        marks = {at for at in columns[number] if key.changed is not None and key.changed[row, at]}
        cells = {at: cell(row, at) for at in columns[number]}
        return Part(cells, int(key.records[row, number]), marks)

    buckets = [
        [[part(row, number) for row in range(start, end)] for number in range(len(columns))]
        for start, end in pairwise(edges)
    ]
    return Plain(
        release.k,
        dict(release.parameters),
        [domain.name for domain in release.domains],
        [domain.sensitive for domain in release.domains],
        [list(domain.values) for domain in release.domains],
        cut,
        columns,
        buckets,
        source,
        key.suppressed.tolist(),
        key.changed is not None,
    )


def _label(plain: Plain, at: int, members: list[str]) -> str:
    if len(members) == 1:
        return members[0]
    if plain.names[at] == "letter" and frozenset(members) in GROUPS:
        return GROUPS[frozenset(members)]
    places = [plain.values[at].index(member) for member in members]
    if plain.names[at] == "age" and places[-1] - places[0] == len(places) - 1:
        return f"{members[0]}..{members[-1]}"
    return "{" + ", ".join(members) + "}"


def _domains(plain: Plain) -> tuple[list[CellDomain], list[dict[Cell, int]]]:
    """The cells of every attribute in canonical order, and the number of each."""
    domains, numbers = [], []
    for at, name in enumerate(plain.names):
        place = {value: code for code, value in enumerate(plain.values[at])}
        shown = {part.cells[at] for part in plain.parts() if at in part.cells}
        cells = sorted(shown, key=lambda cell: sorted(place[value] for value in cell))
        held = [sorted(place[value] for value in cell) for cell in cells]
        is_number = all(value.isdigit() for value in plain.values[at])
        domains.append(
            CellDomain(
                name=name,
                sensitive=plain.sensitive[at],
                values=tuple(plain.values[at]),
                numbers=np.array([float(value) for value in plain.values[at]]) if is_number else None,
                labels=tuple(_label(plain, at, [plain.values[at][code] for code in codes]) for codes in held),
                member_offsets=np.cumsum([0, *map(len, held)]).astype(np.int64),
                members=np.array([code for codes in held for code in codes], np.int32),
            )
        )
        numbers.append({cell: number for number, cell in enumerate(cells)})
    return domains, numbers


def build(plain: Plain) -> Case:
    """Release and key as ``verify`` takes them."""
    plain.columns, order = zip(*sorted((sorted(c), at) for at, c in enumerate(plain.columns)), strict=True)  # type: ignore[assignment]
    plain.columns = list(plain.columns)
    plain.buckets = [[bucket[at] for at in order] for bucket in plain.buckets if bucket[0]]
    domains, numbers = _domains(plain)

    def coded(part: Part) -> list[int]:
        return [numbers[at][part.cells[at]] for at in sorted(part.cells)]

    for bucket in plain.buckets:
        for column in bucket:
            column.sort(key=lambda part: (coded(part), part.record))
    width = len(plain.names)

    def lines(bucket: list[list[Part]]) -> list[list[int]]:
        rows = [[0] * width for _ in bucket[0]]
        for column in bucket:
            for row, part in zip(rows, column, strict=True):
                for at, cell in part.cells.items():
                    row[at] = numbers[at][cell]
        return rows

    plain.buckets.sort(key=lines)
    cells = np.array([row for bucket in plain.buckets for row in lines(bucket)], np.int32).reshape(-1, width)
    records = [
        [column[row].record for column in bucket] for bucket in plain.buckets for row in range(len(bucket[0]))
    ]
    marks = np.zeros(cells.shape, np.bool_)
    start = 0
    for bucket in plain.buckets:
        for column in bucket:
            for row, part in enumerate(column):
                marks[start + row, sorted(part.marks)] = True
        start += len(bucket[0])
    key = TableKey(
        np.array(records, np.int64).reshape(len(cells), len(plain.columns)),
        marks if plain.marked else None,
        np.array(sorted(plain.suppressed), np.int64),
    )
    if not plain.sliced:
        return Case(
            GeneralisedTable(plain.k, plain.parameters, tuple(domains), cells), plain.source.table, key
        )
    offsets = np.cumsum([0, *(len(bucket[0]) for bucket in plain.buckets)]).astype(np.int64)
    columns = tuple(tuple(column) for column in plain.columns)
    return Case(
        Sliced(plain.k, plain.parameters, tuple(domains), columns, offsets, cells), plain.source.table, key
    )


# Changes of meaning.


def _known(plain: Plain) -> list[int]:
    return [at for at, secret in enumerate(plain.sensitive) if not secret]


def _look(plain: Plain, part: Part) -> tuple[tuple[int, Cell], ...]:
    return tuple(
        sorted(((at, cell) for at, cell in part.cells.items() if not plain.sensitive[at]), key=lambda x: x[0])
    )


def _alike(plain: Plain, bucket: list[list[Part]], part: Part, column: int) -> list[Part]:
    """Parts of a bucket that look as one does."""
    return [other for other in bucket[column] if _look(plain, other) == _look(plain, part)]


def other_secret(plain: Plain, rng: Random) -> str:
    """A sensitive value becomes another."""
    if not plain.secrets:
        return ""
    at = rng.choice(plain.secrets)
    part = rng.choice([part for part in plain.parts() if at in part.cells])
    part.cells[at] = frozenset({rng.choice(plain.values[at])})
    return f"{plain.names[at]} of somebody changed"


def exchange_cells(plain: Plain, rng: Random) -> str:
    """Two parts exchange a cell, sensitive or not."""
    at = rng.choice([*range(len(plain.names)), *plain.secrets])
    one, two = rng.sample([part for part in plain.parts() if at in part.cells], 2)
    one.cells[at], two.cells[at] = two.cells[at], one.cells[at]
    if plain.marked and rng.random() < 0.5:
        one.marks.add(at)
        two.marks.add(at)
    return f"two parts exchanged {plain.names[at]}"


def exchange_parts(plain: Plain, rng: Random) -> str:
    """Two parts of a column change places, at times with their persons."""
    if len(plain.buckets) < 2:
        return ""
    one, two = rng.sample(plain.buckets, 2)
    column = rng.randrange(len(plain.columns))
    here, there = rng.randrange(len(one[column])), rng.randrange(len(two[column]))
    one[column][here], two[column][there] = two[column][there], one[column][here]
    if rng.random() < 0.5:
        a, b = one[column][here], two[column][there]
        a.record, b.record = b.record, a.record
    return "two parts of different buckets changed places"


def wider(plain: Plain, rng: Random) -> str:
    """A cell holds more values: of one part, or of all that look like it."""
    return _other_cell(plain, rng, widen=True)


def narrower(plain: Plain, rng: Random) -> str:
    """A cell holds fewer values: of one part, or of all that look like it."""
    return _other_cell(plain, rng, widen=False)


def _other_cell(plain: Plain, rng: Random, *, widen: bool) -> str:
    bucket = rng.choice(plain.buckets)
    at = rng.choice(_known(plain) or [0])
    column = plain.column_of(at)
    part = rng.choice(bucket[column])
    cell, values = part.cells[at], plain.values[at]
    if widen and rng.random() < 0.5:
        places = [*map(values.index, cell), rng.randrange(len(values))]
        other = frozenset(values[min(places) : max(places) + 1])
    elif widen:
        other = cell | {rng.choice(values)}
    else:
        other = frozenset(rng.sample(sorted(cell), rng.randint(1, len(cell))))
    alike = [part] if rng.random() < 0.4 else _alike(plain, bucket, part, column)
    for each in alike:
        each.cells[at] = other
    return f"{plain.names[at]} of {len(alike)} {'wider' if widen else 'narrower'}"


def other_rows(plain: Plain, rng: Random) -> str:
    """Some rows of a bucket go, stand once more, or move to another bucket or to one of their own."""
    bucket = rng.choice(plain.buckets)
    many = rng.choice((1, 1, 1, max(1, len(bucket[0]) // 2), min(len(bucket[0]), plain.rows - 1)))
    some = {part.record for part in rng.sample(bucket[0], many)}
    taken = [[part for part in column if part.record in some] for column in bucket]
    if len({len(column) for column in taken}) > 1:  # the key gives somebody too many parts, or none
        return ""
    what = rng.choice(("left out", "repeated", *("moved",) * (4 if plain.sliced else 0)))
    if what == "repeated":
        nobody = rng.random() < 0.5
        for column, parts in zip(bucket, taken, strict=True):
            column += [Part(dict(p.cells), -1 if nobody else p.record, set(p.marks)) for p in parts]
        return "rows repeated"
    for column, parts in zip(bucket, taken, strict=True):
        gone = {id(part) for part in parts}
        column[:] = [part for part in column if id(part) not in gone]
    if what == "moved":
        plain.buckets.append([[] for _ in plain.columns])
        for column, parts in zip(rng.choice(plain.buckets), taken, strict=True):
            column += parts
    elif rng.random() < 0.5:  # the key calls them suppressed
        plain.suppressed += sorted(record for record in some if record >= 0)
    plain.buckets = [each for each in plain.buckets if each[0]]
    return f"{len(taken[0])} rows {what}"


def other_class(plain: Plain, rng: Random) -> str:
    """Somebody's cells become those of another, or two classes look alike."""
    bucket = rng.choice(plain.buckets)
    column = rng.randrange(len(bucket))
    one, two = rng.choice(bucket[column]), rng.choice(bucket[column])
    joined = rng.random() < 0.5
    alike = [*_alike(plain, bucket, one, column), *_alike(plain, bucket, two, column)] if joined else [one]
    for at in sorted(one.cells.keys() & set(_known(plain))):
        cell = one.cells[at] | two.cells[at] if joined else two.cells[at]
        for part in alike:
            part.cells[at] = cell
    return "two classes joined" if joined else "somebody moved to another class"


def rename(plain: Plain, rng: Random) -> str:
    """Two values of an attribute change their names everywhere, or two attributes theirs."""
    if rng.random() < 0.3:
        one, two = rng.sample(range(len(plain.names)), 2)
        plain.names[one], plain.names[two] = plain.names[two], plain.names[one]
        return "two attributes changed names"
    at = rng.randrange(len(plain.names))
    one_value, other = rng.sample(plain.values[at], 2)
    swap = {one_value: other, other: one_value}
    for part in plain.parts():
        if at in part.cells:
            part.cells[at] = frozenset(swap.get(value, value) for value in part.cells[at])
    return f"{one_value} called {other}"


def other_role(plain: Plain, rng: Random) -> str:
    """A sensitive attribute is published as a known one, or the other way round."""
    at = rng.randrange(len(plain.names))
    plain.sensitive[at] = not plain.sensitive[at]
    return f"role of {plain.names[at]} changed"


def other_columns(plain: Plain, rng: Random) -> str:
    """Two columns become one, by the key or by the order of parts; or a column becomes two."""
    if not plain.sliced:
        return ""
    if len(plain.columns) > 1 and rng.random() < 0.6:
        one, two = sorted(rng.sample(range(len(plain.columns)), 2))
        for bucket in plain.buckets:
            by_key = sorted(bucket[two], key=lambda part: part.record)
            for part, other in zip(sorted(bucket[one], key=lambda part: part.record), by_key, strict=True):
                part.cells |= other.cells
                part.marks |= other.marks
            del bucket[two]
        plain.columns[one] = sorted(plain.columns[one] + plain.columns[two])
        del plain.columns[two]
        return "two columns joined"
    wide = [number for number, column in enumerate(plain.columns) if len(column) > 1]
    if not wide:
        return ""
    number = rng.choice(wide)
    at = rng.choice(plain.columns[number])
    plain.columns[number] = [each for each in plain.columns[number] if each != at]
    plain.columns.append([at])
    for bucket in plain.buckets:
        bucket.append(
            [Part({at: part.cells.pop(at)}, part.record, part.marks & {at}) for part in bucket[number]]
        )
        for part in bucket[number]:
            part.marks.discard(at)
    return "a column parted"


def other_promise(plain: Plain, rng: Random) -> str:
    """The manifest promises something else."""
    given = plain.parameters
    what = rng.choice(("k", "k", "l", "l", "constraints", "constraints", "other"))
    if what == "k":
        plain.k = max(1, plain.k + rng.choice((-1, 1, 1, 2)))
        return f"k is {plain.k}"
    if what == "l":
        given["l"] = rng.choice((None, 1, 2, 2, 3, 3, 4))
        return f"l is {given['l']}"
    if what == "constraints":
        return _other_constraints(plain, rng)
    choices: dict[str, tuple[Any, ...]] = {
        "check": ("bucket", "matching"),
        "together": ("separately", "jointly"),
        "method": ("mondrian", "slicing", "anatomy", "ul"),
        "sampling_rate": (0.5, 1.0),
        "swap_rate": (0.05, 0.5),
        "invented_rows": (True,),
        "persons": (True,),
        "partition": ("adaptive", "strict"),
    }
    name = rng.choice([name for name in choices if name in given or rng.random() < 0.2] or ["check"])
    given[name] = rng.choice(choices[name])
    return f"{name} is {given[name]}"


def _other_constraints(plain: Plain, rng: Random) -> str:
    given = plain.parameters
    listed: list[dict[str, Any]] = [dict(each) for each in given.get("constraints", [])]
    secret = [plain.names[at] for at in plain.secrets] or ["illness"]
    single = [[name] for name in (*plain.names, "illness", "illness")]
    attributes = rng.choice([*single, secret, secret, secret])
    made: list[dict[str, Any]] = [
        {"demand": "distinct-l", "l": rng.choice((2, 3)), "attributes": attributes},
        {"demand": "entropy-l", "l": rng.choice((1.5, 1.8, 2.0)), "attributes": attributes},
        {"demand": "recursive-l", "c": rng.choice((1.0, 2.0)), "l": 2, "attributes": attributes},
        {"demand": "t-closeness", "t": rng.choice((0.2, 0.4)), "distance": "equal", "attributes": attributes},
        {
            "demand": "t-closeness",
            "t": rng.choice((0.2, 0.4)),
            "distance": "ordered",
            "attributes": attributes,
        },
    ]
    if listed and rng.random() < 0.5:
        entry = rng.choice(listed)
        for name, step in (("l", 1), ("t", -0.1), ("c", -0.5)):
            if name in entry and rng.random() < 0.7:
                entry[name] = max(0, round(entry[name] + rng.choice((step, step, -step)), 3))
    elif listed and rng.random() < 0.3:
        listed.pop()
    else:
        listed.append(rng.choice(made))
    if listed and rng.random() < 0.2:
        harm = (
            {"harmless": [rng.choice("fgmu")]}
            if rng.random() < 0.6
            else {"within": rng.choice((1, 2, "60 %"))}
        )
        listed[-1] |= harm
    given["constraints"] = listed
    return f"constraints are {listed}"


def other_key(plain: Plain, rng: Random) -> str:
    """Two parts of a column change their persons in the key; or a cell is marked as exchanged."""
    if plain.marked and rng.random() < 0.4:
        part = rng.choice(plain.parts())
        part.marks ^= {rng.choice(sorted(part.cells))}
        return "a mark of an exchange changed"
    column = rng.randrange(len(plain.columns))
    one, two = rng.sample([part for bucket in plain.buckets for part in bucket[column]], 2)
    one.record, two.record = two.record, one.record
    return "two parts changed persons in the key"


CHANGES: tuple[Callable[[Plain, Random], str], ...] = (
    *[other_secret] * 2, *[exchange_cells] * 2, exchange_parts, wider, *[narrower] * 2, *[other_rows] * 4,
    *[other_class] * 2, rename, other_role, other_columns, *[other_promise] * 2, other_key,
)  # fmt: skip


@dataclass(frozen=True)
class Published:
    """Releases of one method of tables."""

    name: str
    method: Callable[[Random, list[str]], Any]
    secrets: tuple[str, ...] = ("illness",)
    several: bool = False

    def make(self, rng: Random) -> Plain:
        """Few rows of two or three known attributes and one or two sensitive ones."""
        names = ["age", "letter", "town"][: rng.choice((2, 3))] + list(self.secrets)
        spans = [rng.randint(2, len(NAMES[name])) for name in names]
        rows = [
            [rng.choice(NAMES[name][:span]) for name, span in zip(names, spans, strict=True)]
            for _ in range(rng.randint(5, 9))
        ]
        table = table_of(rows, names)
        if self.several:
            persons = [rng.randrange(len(rows) * 2 // 3) for _ in rows]
            table = replace(table, persons=np.array(persons, np.int64))
        source = Source(table, tuple(map(tuple, rows)))
        return plain_of(self.method(rng, names).anonymise(source.table), source)

    def change(self, plain: Plain, rng: Random) -> str:
        """One change."""
        if sum(len(bucket[0]) for bucket in plain.buckets) < 3:
            return ""
        return rng.choice(CHANGES)(plain, rng)

    build = staticmethod(build)
    judge = staticmethod(judge)


def _mondrian(*constraints: Any) -> Callable[[Random, list[str]], Any]:
    def made(rng: Random, _names: list[str]) -> Any:
        mode: Any = rng.choice(("strict", "strict", "relaxed"))
        return Mondrian(k=rng.choice((2, 2, 3)), constraints=constraints, mode=mode, seed=rng.randrange(99))

    return made


def _slicing(rng: Random, names: list[str]) -> Any:
    secrets = tuple(name for name in names if name in SECRET)
    known = [name for name in names if name not in secrets]
    beside = rng.random() < 0.3 and len(known) > 1
    columns: Any = (
        ((*known[:-1],), (known[-1], *secrets)) if beside else ((*known,), *((name,) for name in secrets))
    )
    return Slicing(
        k=2,
        l=2,
        columns=columns if rng.random() < 0.6 else None,
        check=rng.choice(("bucket", "matching")),
        partition=rng.choice(("adaptive", "strict", "relaxed")),
        together=rng.choice(("separately", "jointly")),
        seed=rng.randrange(99),
    )


def _ul(rng: Random, _names: list[str]) -> Any:
    return UL(
        k=2,
        l=2,
        swap_rate=rng.choice((0.2, 0.5)),
        check=rng.choice(("bucket", "matching")),
        partition=rng.choice(("adaptive", "strict")),
        seed=rng.randrange(99),
    )


TWO = ("illness", "drug")
KINDS = (
    Published("mondrian, k", _mondrian()),
    Published("mondrian, distinct l", _mondrian(DistinctL(2)), TWO),
    Published("mondrian, entropy l", _mondrian(EntropyL(1.5))),
    Published("mondrian, recursive l", _mondrian(RecursiveL(2.0, 2))),
    Published("mondrian, t-closeness", _mondrian(TCloseness(0.5))),
    Published("mondrian, ordered t-closeness", _mondrian(TCloseness(0.3, "ordered"))),
    Published("mondrian, l", lambda rng, _names: Mondrian(k=2, l=rng.choice((2, 3)))),
    Published("mondrian, near values", _mondrian(DistinctL(2)), ("wage",)),
    Published("mondrian, persons", _mondrian(), several=True),
    Published("slicing", _slicing),
    Published("slicing, two secrets", _slicing, TWO),
    Published("ul", _ul),
    Published("anatomy", lambda rng, _names: Anatomy(l=rng.choice((2, 2, 3)), seed=rng.randrange(99))),
)
