"""A schema that a table suggests: the role and kind of every column, each with the reason, for its owner to correct.

What nothing speaks for is taken for something that others may know, which hides more, not less. What names persons is
left out.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.data.schema import Column, Schema
from cloven.errors import InputError
from cloven.escapes import visible
from cloven.figures import many, percent
from cloven.intake.packing import MAX_BYTES
from cloven.reading.cells import Texts, read_every_column
from cloven.reading.identifiers import WORDS, Held, naming, people_with_one_each
from cloven.reading.levels import in_doubt, order_of, parsed_in_any_order
from cloven.reading.tables import NO_VALUE, has_digit, has_leading_zero, plain_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from cloven.data.schema import Missing
    from cloven.data.table import Role
    from cloven.reading.cells import RawColumns

_FEW = 20
"""Different numbers up to which they are left as they are."""
_BLOCKS = 20
"""Ranges that a column of many numbers is cut into, about."""
_DATES = 0.95
_PROSE = 60
_MOST_MISSING = 0.1
_HARDLY_ANY = 0.9
_FEWEST_TWINS, _ROWS_OF_TWINS = 3, 5
"""Fewest values, and rows for each of them, of columns that are said to say the same."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_CODE = re.compile(r"(?=.*\d)[A-Za-z0-9.-]{3,12}")
_EXACT = 2.0**53
_FINEST = 1e-12
"""Ranges that are narrower are none: rounding of binary numbers would decide about their ends."""
_NO_ORDER = 'day and month cannot be told apart; write order = "dmy" or "mdy" before they are read finer than the year'
_LEFT = "write quasi-identifier or sensitive if it is to be published"


@dataclass(frozen=True)
class ProposedColumn:
    """A column, what it seems to be, and why.

    Attributes:
        name: its name.
        role: what it seems to be to an attacker.
        reason: why.
        settings: further settings of the schema, by name.
    """

    name: str
    role: Role
    reason: str
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Proposal:
    """A proposed schema.

    Attributes:
        source: the file, as it was named.
        rows: how many rows it has.
        columns: all columns, in the order of the file.
        missing: what to do where there is no value.
        missing_values: texts that stand for no value.
        header: names for the columns of a file without a header line.
        delimiter: what separates cells, where that is not what would be guessed.
        remarks: what the owner should look at first.
    """

    source: str
    rows: int
    columns: tuple[ProposedColumn, ...]
    missing: Missing
    missing_values: tuple[str, ...]
    header: tuple[str, ...] | None = None
    delimiter: str | None = None
    remarks: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether an audit takes it as it is: some column is one that others may know."""
        return any(each.role == "quasi-identifier" for each in self.columns)

    def schema(self) -> Schema:
        """The schema itself."""
        columns = tuple(Column(each.name, each.role, **each.settings) for each in self.columns)
        return Schema(columns, self.missing, self.missing_values, self.header, self.delimiter)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        columns = [
            {"name": each.name, "role": each.role, "reason": each.reason, **each.settings}
            for each in self.columns
        ]
        return {
            "source": self.source,
            "rows": self.rows,
            "columns": columns,
            "missing": self.missing,
            "missing_values": list(self.missing_values),
            "header": None if self.header is None else list(self.header),
            "delimiter": self.delimiter,
            "remarks": list(self.remarks),
        }

    def to_toml(self) -> str:
        """The schema as a file, with a reason above every column."""
        lines = [f"# Proposed for {visible(self.source, 200)} ({many(self.rows, 'row')}); please correct it."]
        lines += [f"# {visible(remark, 400)}" for remark in self.remarks]
        lines += [f"missing = {_value(self.missing)}", f"missing_values = {_value(self.missing_values)}"]
        lines += [] if self.header is None else [f"header = {_value(self.header)}"]
        lines += [] if self.delimiter is None else [f"delimiter = {_value(self.delimiter)}"]
        for each in self.columns:
            name = each.name if _BARE.fullmatch(each.name) else _value(each.name)
            lines += [
                "",
                f"# {visible(each.reason, 400)}",
                f"[columns.{name}]",
                f"role = {_value(each.role)}",
            ]
            lines += [f"{setting} = {_value(value)}" for setting, value in each.settings.items()]
        return "\n".join(lines) + "\n"


def propose(data: str | Path | Any, *, delimiter: str | None = None, max_bytes: int = MAX_BYTES) -> Proposal:
    """Propose a schema for a table: a path (CSV or Parquet) or a frame.

    >>> import pyarrow as pa
    >>> proposal = propose(pa.table({"age": [31, 25, 44], "sex": ["f", "m", "f"], "illness": ["flu", "gout", "flu"]}))
    >>> [(column.name, column.role) for column in proposal.columns]
    [('age', 'quasi-identifier'), ('sex', 'quasi-identifier'), ('illness', 'sensitive')]
    """
    raw = read_every_column(data, max_bytes, delimiter=delimiter)
    header = None
    if raw.line is not None and _is_data(raw):
        header = tuple(f"column_{number}" for number in range(1, len(raw.names) + 1))
        raw = read_every_column(data, max_bytes, header, delimiter)
    texts = {name: cells for name, cells in raw.cells.items() if isinstance(cells, Texts)}
    looked = _of_people([_Look.of(name, cells) for name, cells in texts.items()], texts)
    rows = len(next(iter(raw.cells.values())))
    if not rows:
        message = "no rows below the header"
        raise InputError(message, source=raw.source)
    absent = sorted({text for each in looked for text in each.absent})
    found = _once_each(_with_one_person([_proposed(each, rows) for each in looked]), texts)
    found = _with_a_secret(found, looked)
    remarks = _remarks(found, header)
    source = Path(data).name if isinstance(data, str | Path) else raw.source
    return Proposal(source, rows, tuple(found), "keep", ("", "?", *absent), header, delimiter, remarks)


@dataclass(frozen=True)
class _Look:
    """What is seen in a column."""

    held: Held
    counts: Mapping[str, int]
    absent: frozenset[str]
    missing: int

    @classmethod
    def of(cls, name: str, cells: Texts) -> _Look:
        found = zip(cells.values, cells.counts().tolist(), strict=True)
        counts = {text: count for text, count in found if count and text is not None}
        absent = frozenset(text for text in counts if text.lower() in NO_VALUE and text != "?")
        there = {
            text: count for text, count in counts.items() if text not in ("", "?") and text not in absent
        }
        numbers = bool(there) and all(_is_number(text) for text in there)
        rows = sum(there.values())
        held = Held(name, rows, tuple(there), len(there), numbers)
        return cls(held, there, absent, len(cells) - rows)

    @property
    def dates(self) -> bool:
        """Whether it holds dates, with a month at least."""
        texts = [text for text in self.held.values if not text.isdigit()]
        order = order_of(texts)
        good = sum(parsed_in_any_order(text, order) is not None for text in texts)
        return bool(texts) and good >= _DATES * self.held.different

    @property
    def codes(self) -> bool:
        """Whether it holds codes whose beginnings are groups: postcodes, ICD, numbers with leading zeros."""
        shaped = bool(self.held.values) and all(_CODE.fullmatch(text) for text in self.held.values)
        zeros = any(map(has_leading_zero, self.held.values))
        return shaped and self.held.different > _FEW and (zeros or self.held.called(WORDS["roles"]["code"]))

    @property
    def prose(self) -> bool:
        """Whether it holds texts rather than values."""
        return sum(map(len, self.held.values)) > _PROSE * max(1, self.held.different)

    @property
    def says_who(self) -> bool:
        """Whether it says who a row is about, and somebody has several."""
        return self.called("person") and _FEW < self.held.different < self.held.rows

    def called(self, role: str) -> bool:
        """Whether its name speaks of this."""
        return self.held.called(WORDS["roles"][role])


def _of_people(looked: list[_Look], texts: Mapping[str, Texts]) -> list[_Look]:
    """The same, where a column says who rows are about: what everybody has one of is counted by people."""
    who = next((look.held.name for look in looked if look.says_who), None)
    if who is None:
        return looked
    persons = texts[who].codes
    counted = [people_with_one_each(texts[look.held.name].codes, persons) for look in looked]
    return [
        replace(look, held=replace(look.held, people=people))
        for look, people in zip(looked, counted, strict=True)
    ]


def _is_data(raw: RawColumns) -> bool:
    """Whether what would be the header is a row like the others: a number, or a value that stands below it."""
    return any(
        plain_number(name) is not None or (isinstance(cells, Texts) and name and cells.are({name}).any())
        for name, cells in raw.cells.items()
    )


def _is_number(text: str) -> bool:
    return plain_number(text) is not None and has_digit(text) and not has_leading_zero(text)


def _proposed(look: _Look, rows: int) -> ProposedColumn:
    held = look.held
    if held.different < 2:
        kind = "one value" if held.different else "no value"
        return ProposedColumn(held.name, "ignored", f"{kind} in all rows, so it tells nothing")
    if look.says_who:
        return ProposedColumn(
            held.name, "person", f"says who a row is about: {_counted(held)}; never published"
        )
    if not look.dates and not look.called("code") and (why := naming(held)) is not None:
        return ProposedColumn(held.name, "ignored", f"{why}: it must not be published")
    if look.prose:
        return ProposedColumn(
            held.name,
            "ignored",
            "holds free text, which names people; cloven text turns it into sets of words",
        )
    if look.missing > _HARDLY_ANY * rows:
        return ProposedColumn(
            held.name, "ignored", f"no value in {percent(look.missing / rows)} of the rows; {_LEFT}"
        )
    role, reason = _role(look)
    return _levelled(look, role, reason, rows)


def _role(look: _Look) -> tuple[Role, str]:
    if look.called("sensitive"):
        return "sensitive", "must not be learned about somebody, by its name"
    if look.called("known"):
        return "quasi-identifier", "others may know it of somebody, by its name"
    return "quasi-identifier", f"nothing tells, so others may know it ({_counted(look.held)})"


def _levelled(look: _Look, role: Role, reason: str, rows: int) -> ProposedColumn:
    """The column with its kind, and what keeps its values coarse."""
    held, lost = look.held, look.missing / rows
    settings: dict[str, Any] = {}
    if look.dates:
        settings = {"kind": "date", "precision": "year"}
        order = order_of(held.values)
        settings |= {} if order is None or not any("/" in text for text in held.values) else {"order": order}
        reason += "; dates are read to the year, as a day of birth is as good as a name"
        if order is None and in_doubt(held.values):
            reason += f"; {_NO_ORDER}"
    elif look.codes:
        settings = {"kind": "code", "precision": 3}
        reason += "; of codes the first three characters are read"
    elif held.numbers and not _readable(held):
        if held.different > _FEW:
            why = f"numbers from {_ends(held)}, too large or too near to each other for ranges"
            return ProposedColumn(held.name, "ignored", f"{why}; write them in another unit, or leave it out")
        settings = {"kind": "category"}
    elif held.numbers:
        settings = _of_numbers(held, role)
        reason += f"; numbers from {_ends(held)}"
        if lost > _MOST_MISSING:
            return ProposedColumn(held.name, "ignored", f"no value in {percent(lost)} of the rows; {_LEFT}")
        settings |= {"missing": "drop"} if look.missing else {}
    else:
        settings = {"kind": "category"}
    if look.missing:
        reason += f"; no value in {look.missing:,} of {many(rows, 'row')}"
    return ProposedColumn(held.name, role, reason, settings)


def _of_numbers(held: Held, role: Role) -> dict[str, Any]:
    settings: dict[str, Any] = {"kind": "number"}
    if held.different <= _FEW:
        return settings
    if role == "sensitive":
        return settings | {"within": "5 %"}
    numbers = np.array([float(text) for text in held.values])
    return settings | {"round": _nice((numbers.max() - numbers.min()) / _BLOCKS)}


def _readable(held: Held) -> bool:
    """Whether its numbers can be read exactly, and be told apart by ranges."""
    numbers = np.array([float(text) for text in held.values])
    if not (np.abs(numbers) < _EXACT).all():
        return False
    return held.different <= _FEW or bool(numbers.max() - numbers.min() >= _FINEST * _BLOCKS)


def _nice(width: float) -> float | int:
    """The next larger one of 1, 2, 5, 10, 20, 50, ...

    >>> _nice(3.65), _nice(0.3)
    (5, 0.5)
    >>> _nice(2.3e-11)
    5e-11
    """
    power = 10.0 ** np.floor(np.log10(width))
    found = float(next(step * power for step in (1, 2, 5, 10) if step * power >= width * (1 - 1e-9)))
    return int(found) if found >= 1 else float(f"{found:.0e}")


def _ends(held: Held) -> str:
    numbers = sorted(float(text) for text in held.values)
    return f"{numbers[0]:g} to {numbers[-1]:g}"


def _counted(held: Held) -> str:
    return f"{many(held.different, 'different value')} in {many(held.rows, 'row')}"


def _with_one_person(found: list[ProposedColumn]) -> list[ProposedColumn]:
    """The same with one column that says who a row is about: the first, as tables begin with whom they are about."""
    persons = [each.name for each in found if each.role == "person"]
    if len(persons) < 2:
        return found
    others = set(persons[1:])
    why = f"seems to say who a row is about, as {persons[0]!r} does, and one column can; never published"
    return [ProposedColumn(each.name, "ignored", why) if each.name in others else each for each in found]


def _once_each(found: list[ProposedColumn], texts: Mapping[str, Texts]) -> list[ProposedColumn]:
    """The same with one column of those that say the same: a code beside its name would tell the name.

    Sensitive columns stay before others, numbers before words, and what stands first before the rest.
    """
    ranked = sorted(
        (each for each in found if each.role in ("sensitive", "quasi-identifier")),
        key=lambda each: (each.role != "sensitive", each.settings.get("kind") != "number"),
    )
    first: dict[bytes, str] = {}
    same: dict[str, str] = {}
    for each in ranked:
        pattern = _pattern(texts[each.name].codes)
        if pattern is not None and (twin := first.setdefault(pattern, each.name)) != each.name:
            same[each.name] = twin
    why = "says the same as {!r}, value for value; one of them is enough"
    return [
        ProposedColumn(each.name, "ignored", why.format(same[each.name])) if each.name in same else each
        for each in found
    ]


def _pattern(codes: NDArray[np.int32]) -> bytes | None:
    """The same for columns whose values go with each other one to one; None where that may be an accident."""
    _, at, inverse = np.unique(codes, return_index=True, return_inverse=True)
    if len(at) < _FEWEST_TWINS or len(codes) < _ROWS_OF_TWINS * len(at):
        return None
    by_appearance = np.argsort(np.argsort(at)).astype(np.int32)
    return hashlib.sha256(by_appearance[inverse].tobytes()).digest()


def _with_a_secret(found: list[ProposedColumn], looked: Sequence[_Look]) -> list[ProposedColumn]:
    """The same with a sensitive column: without one there is nothing to protect, and nothing to attack."""
    if any(each.role == "sensitive" for each in found):
        return found
    open_to = [
        place
        for place, (each, look) in enumerate(zip(found, looked, strict=True))
        if each.role == "quasi-identifier" and not look.called("known") and not look.dates and not look.codes
    ]
    known = [each for each in found if each.role == "quasi-identifier"]
    if not open_to or len(known) < 2:
        return found
    place, reason = (
        open_to[-1],
        "no name speaks of a secret; what stands last often is what a table is about: check",
    )
    held = looked[place].held
    settings = dict(found[place].settings)
    settings = _of_numbers(held, "sensitive") if settings.get("kind") == "number" else settings
    found[place] = ProposedColumn(found[place].name, "sensitive", reason, settings)
    return found


def _remarks(found: Sequence[ProposedColumn], header: tuple[str, ...] | None) -> tuple[str, ...]:
    remarks = []
    if header is not None:
        remarks.append(
            "The file seems to have no header line: the first row is data, and columns are numbered."
        )
    if not any(each.role == "quasi-identifier" for each in found):
        remarks.append(
            'No column is one that others may know, so nothing can be published; give role = "quasi-identifier" to one.'
        )
    if not any(each.role == "sensitive" for each in found):
        remarks.append('No column is sensitive: give role = "sensitive" to what must not be learned.')
    if any(each.role == "person" for each in found):
        name = next(each.name for each in found if each.role == "person")
        remarks.append(
            f"Somebody has several rows ({name}). If each row is one item of a person, read the file as sets instead:"
            " --id-column and --item-column."
        )
    doubtful = [each.name for each in found if _NO_ORDER in each.reason]
    if doubtful:
        remarks.append(f"Dates of {', '.join(doubtful)}: {_NO_ORDER}.")
    return tuple(remarks)


def _value(value: Any) -> str:
    """A value as TOML."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return str(value)
