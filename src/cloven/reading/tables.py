"""Tables of persons from CSV (any delimiter; gzip, zstd or zip), Parquet, or any frame that narwhals knows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import numpy as np

from cloven.data.schema import Blocks, Column, number_text, rounded_blocks
from cloven.data.table import MISSING, Attribute, Harm, Table
from cloven.data.taxonomy import Taxonomy, nested_taxonomy, read_taxonomy, tree_of
from cloven.errors import InputError, ParameterError
from cloven.figures import many
from cloven.intake.packing import MAX_BYTES
from cloven.reading.cells import RawColumns, Texts, Where, read_columns
from cloven.reading.identifiers import WORDS, Held, form_of, naming, people_with_one_each
from cloven.reading.levels import levelled

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from cloven.data.schema import Missing, Schema
    from cloven.reading.cells import Cells


REMEDY = 'choose missing = "drop" or (categories) "keep" in the schema'


@dataclass(frozen=True)
class MissingValues:
    """What was found and done about missing values of one column.

    >>> print(MissingValues("work", 1_836, 32_561, "drop"))
    column 'work' has no value in 1,836 of 32,561 rows: these rows were left out
    """

    column: str
    rows: int
    of: int
    policy: Missing

    def __str__(self) -> str:
        which = "this row was" if self.rows == 1 else "these rows were"
        done = {
            "refuse": f"only described, {REMEDY}",
            "drop": f"{which} left out",
            "keep": f"kept as the value {KEPT!r}",
        }[self.policy]
        return f"column {self.column!r} has no value in {self.rows:,} of {_rows(self.of)}: {done}"


@dataclass(frozen=True)
class LoadedTable:
    """A table, and what was done to get it.

    Attributes:
        table: the rows.
        missing: columns that had missing values, and what was done.
        dropped: rows left out for that.
        ignored: columns that the data have and the table does not.
        remarks: what else the owner should look at.
    """

    table: Table
    missing: tuple[MissingValues, ...]
    dropped: int
    ignored: tuple[str, ...]
    remarks: tuple[str, ...] = ()

    def report(self) -> tuple[str, ...]:
        """One line for everything worth telling."""
        lines = list(map(str, self.missing))
        if self.dropped:
            lines.append(f"{_rows(self.dropped)} left out, {_rows(len(self.table))} read")
        if self.ignored:
            lines.append(f"not read: {', '.join(self.ignored)}")
        return (*lines, *self.remarks)


def read_table(data: str | Path | Any, schema: Schema, *, max_bytes: int = MAX_BYTES) -> Table:
    """Read a table; see ``load_table`` for what was done about missing values.

    >>> import pyarrow as pa
    >>> from cloven.data.schema import Schema
    >>> frame = pa.table({"age": [31, 25, 31], "illness": ["flu", "gout", "flu"]})
    >>> table = read_table(frame, Schema.of(["age"], ["illness"]))
    >>> table, table.row(1)
    (Table(3 rows, 2 attributes), ('25', 'gout'))
    """
    return load_table(data, schema, max_bytes=max_bytes).table


def load_table(
    data: str | Path | Any, schema: Schema, *, max_bytes: int = MAX_BYTES, overview: bool = False
) -> LoadedTable:
    """Read a table and tell what was done about missing values.

    Args:
        data: path of a file, or a frame.
        schema: what each column is.
        max_bytes: how much a packed file may unpack to.
        overview: tell of missing values that the schema refuses, and leave them missing.
    """
    raw = read_columns(data, schema, max_bytes)
    rows = len(next(iter(raw.cells.values())))
    if not rows:
        message = "no rows below the header"
        raise InputError(message, source=raw.source)
    gone = {column.name: _gone(raw, column.name, schema) for column in schema.used}
    stays = np.ones(rows, np.bool_)
    missing = []
    for column in schema.used:
        policy, count = column.missing or schema.missing, int(gone[column.name].sum())
        if count:
            missing.append(MissingValues(column.name, count, rows, policy))
        if policy == "drop":
            stays &= ~gone[column.name]
    refused = [each.column for each in missing if each.policy == "refuse"]
    if refused and not overview:
        raise _refused(raw, {name: gone[name] for name in refused})
    if not stays.any():
        lack = "the only row lacks" if rows == 1 else f"all {rows:,} rows lack"
        message = f"{lack} a value ({missing[0].column!r} in {missing[0].rows:,}); nothing is left"
        raise InputError(message, source=raw.source)
    if not overview:
        _refuse_forgotten(data, raw, schema, max_bytes)
    table = replace(_encoded(raw, schema, gone, np.flatnonzero(stays)), left_out=rows - int(stays.sum()))
    _refuse_naming(table, schema, raw.source)
    used = {column.name for column in schema.read}
    ignored = tuple(name for name in raw.names if name not in used)
    return LoadedTable(table, tuple(missing), table.left_out, ignored, _twins(table))


def _refuse_naming(table: Table, schema: Schema, source: str) -> None:
    """Refuse to publish a column that names persons, by its values as they would be published.

    A quasi-identifier that is generalised by ranges or a tree may have a value for everybody, but no telephone.
    """
    for column, attribute, codes in zip(schema.used, table.attributes, table.codes.T, strict=True):
        listed = column.tree is not None or column.values is not None
        generalised = listed or column.kind in ("date", "code", "number")
        held = _held(attribute, codes, table.persons)
        why = (form_of if generalised and column.role == "quasi-identifier" else naming)(held)
        if why is not None:
            coarser = "" if form_of(held) else ", or make its values coarser (a tree, a precision, round)"
            message = (
                f'column {column.name!r} {why}; nobody is hidden where it is published: write role = "ignored" for it'
                f" into the schema{coarser}"
            )
            raise InputError(message, source=source)


def _held(attribute: Attribute, codes: NDArray[Any], persons: NDArray[Any] | None) -> Held:
    """What a column of a table holds; of people, where each has one value in all of their rows."""
    found = np.unique(codes[codes != MISSING])
    different = [attribute.values[code] for code in found.tolist() if attribute.values[code] != KEPT]
    people = people_with_one_each(codes, persons) if persons is not None else None
    return Held(attribute.name, len(codes), different, len(different), attribute.numbers is not None, people)


def _refuse_forgotten(data: Any, raw: RawColumns, schema: Schema, max_bytes: int) -> None:
    """Refuse to take rows for people where a column has no role that says who they are about, and some are alike."""
    told = {column.name for column in schema.columns}
    for name in raw.names if schema.person is None else ():
        if name in told or not Held(name, 0, (), 0, numbers=False).called(WORDS["roles"]["person"]):
            continue
        alone = replace(schema, columns=(Column(name, "quasi-identifier", "category"),))
        cells = read_columns(data, alone, max_bytes).cells[name]
        if isinstance(cells, Texts) and len(np.unique(cells.codes)) < len(cells):
            message = (
                f"column {name!r} has no role in the schema, and says the same in several rows: if they are about one"
                ' person, write role = "person" for it, so that people are counted; else role = "ignored"'
            )
            raise InputError(message, source=raw.source)


def _rows(number: int) -> str:
    return many(number, "row")


def _twins(table: Table) -> tuple[str, ...]:
    """Columns with values that look the same and are not: letters with accents can be stored in two ways."""
    lines = []
    for attribute in table.attributes:
        seen: set[str] = set()
        plain_letters = attribute.numbers is not None or all(map(str.isascii, attribute.values))
        for value in () if plain_letters else attribute.values:
            plain = value if value.isascii() else normalize("NFC", value)
            if plain in seen:
                lines.append(
                    f"column {attribute.name!r} has values that look the same and differ in how letters are stored"
                    f" (Unicode), such as {plain!r}: they count as different; store them alike (NFC)"
                )
                break
            seen.add(plain)
    return tuple(lines)


def _encoded(
    raw: RawColumns, schema: Schema, gone: dict[str, NDArray[np.bool_]], rows: NDArray[np.int64]
) -> Table:
    """The rows that stay; domains hold only what they hold."""
    place = Where(raw, rows)
    attributes, codes = [], []
    for column in schema.used:
        kept = raw.cells[column.name].take(rows)
        keep = (column.missing or schema.missing) == "keep"
        attribute, found = encode(
            column, kept, gone[column.name][rows], place, keep=keep, missing_values=schema.missing_values
        )
        attributes.append(attribute)
        codes.append(found)
    persons = _persons(raw, schema, rows, place)
    return Table(tuple(attributes), np.column_stack(codes), rows, persons)


def _persons(
    raw: RawColumns, schema: Schema, rows: NDArray[np.int64], place: Where
) -> NDArray[np.int64] | None:
    """Number of the person behind each row, if a column says so."""
    if schema.person is None:
        return None
    nobody = np.flatnonzero(_gone(raw, schema.person, schema)[rows])
    cells = raw.cells[schema.person]
    if len(nobody):
        message = (
            f"column {schema.person!r} says who a row is about, and is empty in {len(nobody):,} of {len(rows):,} rows,"
            " first here; fill it in, or leave these rows out"
        )
        raise place.error(message, int(nobody[0]), str(cells[rows[nobody[0]]]))
    if not isinstance(cells, Texts):
        return np.unique(cells[rows], return_inverse=True)[1].astype(np.int64)
    used, numbered = np.unique(cells.codes[rows], return_inverse=True)
    values = cells.values
    named: Any = [str(values[code]) for code in used.tolist()]
    numbers = [None if has_leading_zero(text) else plain_number(text) for text in named]
    named = numbers if all(number is not None for number in numbers) else named  # 3.0 is 3
    return np.unique(np.asarray(named), return_inverse=True)[1].astype(np.int64)[numbered]


def _gone(raw: RawColumns, name: str, schema: Schema) -> NDArray[np.bool_]:
    cells = raw.cells[name]
    if isinstance(cells, Texts):
        return cells.are({None, *schema.missing_values})
    numbers = [number for text in schema.missing_values if (number := plain_number(text)) is not None]
    return np.isnan(cells) | np.isin(cells, numbers)


def _refused(raw: RawColumns, gone: dict[str, NDArray[np.bool_]]) -> InputError:
    """All columns that lack values, at the first row that lacks one."""
    name, lost = min(gone.items(), key=lambda each: int(np.argmax(each[1])))
    first = int(np.argmax(lost))
    told = f"column {name!r} has no value in {int(lost.sum()):,} of {len(lost):,} rows"
    if len(gone) > 1:
        counts = ", ".join(f"{column!r} in {int(rows.sum()):,}" for column, rows in gone.items())
        told = f"{len(gone)} columns have no value in some of {len(lost):,} rows: {counts}"
    message = f"{told}, first here; {REMEDY}"
    return Where(raw, np.arange(len(lost))).error(message, first, str(raw.cells[name][first]))


# From raw cells to the domain of an attribute and codes into it, with its tree.


KEPT = "(missing)"
"""The value of those who have none, where that is kept."""
_EXACT = 2.0**53


def encode(
    column: Column,
    cells: Cells,
    gone: NDArray[np.bool_],
    place: Where,
    *,
    keep: bool,
    missing_values: Sequence[str] = (),
) -> tuple[Attribute, NDArray[np.int32]]:
    """Attribute and codes of a column; where ``gone``, the code is ``MISSING``, or that of ``KEPT``.

    ``missing_values`` are the texts that stand for no value.
    """
    attribute, codes = _coded(column, cells, gone, place, keep=keep, missing_values=missing_values)
    return replace(attribute, harm=_harm(column, attribute)), codes


def _harm(column: Column, attribute: Attribute) -> Harm:
    """What harms, in the texts of the domain."""
    if column.within is not None and attribute.numbers is None:
        message = f"column {column.name!r}: within is for numbers, and it holds other values; leave it out"
        raise ParameterError(message)
    named = [_as_written(attribute, value) for value in column.harmless or ()]
    for value in named:
        if value not in attribute.values:
            near = get_close_matches(value, attribute.values, 1) if attribute.numbers is None else []
            hint = f"did you mean {near[0]!r}?" if near else "leave it out, or write it as the table does"
            message = f"column {column.name!r}: harmless = {value!r} does not occur; {hint}"
            raise ParameterError(message)
    return Harm.of(named, column.within)


def _as_written(attribute: Attribute, value: str) -> str:
    """A number as the domain writes it."""
    number = None if attribute.numbers is None else plain_number(value)
    if number is None or attribute.numbers is None or number not in attribute.numbers:
        return value
    return attribute.values[int(np.searchsorted(attribute.numbers, number))]


def _coded(
    column: Column,
    cells: Cells,
    gone: NDArray[np.bool_],
    place: Where,
    *,
    keep: bool,
    missing_values: Sequence[str],
) -> tuple[Attribute, NDArray[np.int32]]:
    stated = column.kind != "code"
    if column.kind in ("date", "code"):
        column, cells, taxonomy = levelled(column, cells, gone, place, keep=keep)
    else:
        taxonomy = _taxonomy(column)
    numbers = _numbers(column, cells, gone, place)
    if numbers is not None:
        if keep and gone.any():
            message = (
                f"column {column.name!r} holds numbers, so a missing one cannot be kept as a value;"
                ' choose missing = "drop", or kind = "category"'
            )
            raise ParameterError(message)
        return _number_attribute(column, numbers, gone, taxonomy, place)
    if isinstance(cells, Texts):
        refuse_doubtful(column, cells, place, missing_values)
    if column.tree == "ranges":
        message = f"column {column.name!r}: ranges are for numbers, but it holds other values; give a hierarchy file"
        raise ParameterError(message)
    attribute, codes = _category_attribute(column, cells, gone, taxonomy, place, keep=keep)
    return replace(attribute, stated=attribute.stated and stated), codes  # codes are those of the rows


def _numbers(
    column: Column, cells: Cells, gone: NDArray[np.bool_], place: Where
) -> NDArray[np.float64] | None:
    """The cells as numbers, or None if they are (or count as) categories."""
    if column.kind == "category":
        return None
    if isinstance(cells, Texts):
        read = [_number_in(column, str(text)) for text in cells.values]
        wrong = np.array([number is None for number in read], np.bool_)[cells.codes] & ~gone
        if wrong.any():
            if column.kind is None:
                return None
            message = f"column {column.name!r} is said to hold numbers; correct the cell, or choose kind = 'category'"
            row = int(np.argmax(wrong))
            raise place.error(message, row, str(cells[row]))
        cells = np.array([0.0 if number is None else number for number in read])[cells.codes]
    found = np.where(gone, 0.0, cells)
    strange = np.flatnonzero(~(np.abs(found) < _EXACT))
    if len(strange):
        message = (
            f"column {column.name!r} holds a number that is too long or infinite; choose kind = 'category'"
        )
        raise place.error(message, int(strange[0]), str(found[strange[0]]))
    return None if gone.all() else found


def _number_in(column: Column, text: str) -> float | None:
    """The number that a text is in a column; where nobody says that it holds numbers, codes and words are none."""
    number = plain_number(text)
    if number is not None and column.kind is None and (has_leading_zero(text) or not has_digit(text)):
        return None
    return number


def _number_attribute(
    column: Column,
    numbers: NDArray[np.float64],
    gone: NDArray[np.bool_],
    taxonomy: Taxonomy | None,
    place: Where,
) -> tuple[Attribute, NDArray[np.int32]]:
    tree, blocks = None, None
    if taxonomy is not None:
        domain = np.unique(numbers[~gone])
        leaves = _number_leaves(column, taxonomy)
        domain_all = np.array(sorted(leaves))
        lost = np.setdiff1d(domain, domain_all)
        if len(lost):
            row = int(np.flatnonzero((numbers == lost[0]) & ~gone)[0])
            raise _not_in_tree(
                column, number_text(lost[0]), int(np.isin(numbers[~gone], lost).sum()), row, place
            )
        domain = domain_all
        tree = tree_of(taxonomy, [leaves[number] for number in domain.tolist()])
        values = tree.labels[: tree.leaves]
    else:
        numbers, blocks = fit_numbers(column, numbers, gone, place)
        domain = number_domain(numbers[~gone], blocks)
        values = tuple(map(number_text, domain.tolist()))
    stated = tree is not None or column.possible is not None
    codes = np.where(gone, MISSING, np.searchsorted(domain, numbers)).astype(np.int32)
    return Attribute(column.name, column.role, values, domain, tree, blocks, stated), codes


def _number_leaves(column: Column, taxonomy: Taxonomy) -> dict[float, str]:
    """Leaves of a tree of numbers, each number once."""
    leaves: dict[float, str] = {}
    for leaf in taxonomy.leaf_group:
        number = plain_number(leaf)
        if number is None or not np.isfinite(number):
            message = f"the tree of column {column.name!r}, which holds numbers, has another value"
            raise InputError(message, source=_tree_source(column), value=leaf)
        if number in leaves:
            message = (
                f"the tree of column {column.name!r} has one number twice, {leaves[number]!r} and {leaf!r};"
            )
            message += " name it once, or choose kind = 'category'"
            raise InputError(message, source=_tree_source(column))
        leaves[number] = leaf
    return leaves


def _category_attribute(
    column: Column,
    cells: Cells,
    gone: NDArray[np.bool_],
    taxonomy: Taxonomy | None,
    place: Where,
    *,
    keep: bool,
) -> tuple[Attribute, NDArray[np.int32]]:
    if not isinstance(cells, Texts):
        cells = Texts.of(map(number_text, np.where(gone, 0, cells).tolist()))
    if keep:
        if gone.any() and (taken := cells.are({KEPT})).any():
            message = (
                f"column {column.name!r} holds the value {KEPT!r}, which stands for missing ones; rename it"
            )
            raise place.error(message, int(np.argmax(taken)), KEPT)
        codes = np.where(gone, np.int32(len(cells.held)), cells.codes)
        cells, gone = Texts([*cells.values, KEPT], codes), np.zeros(len(gone), np.bool_)
    texts = cells.values
    there = {str(texts[code]) for code in np.unique(cells.codes[~gone]).tolist()}
    tree = None
    if taxonomy is not None:
        if keep and KEPT not in taxonomy.leaf_group:
            taxonomy = Taxonomy(
                {**taxonomy.leaf_group, KEPT: taxonomy.root}, taxonomy.group_parent, taxonomy.root
            )
        lost_values = there.difference(taxonomy.leaf_group)
        if lost_values:
            rows = np.flatnonzero(cells.are(lost_values))
            raise _not_in_tree(column, str(cells[rows[0]]), len(rows), int(rows[0]), place)
        there = set(taxonomy.leaf_group)
        tree = tree_of(taxonomy, sorted(there))
    else:
        there = fit_texts(column, cells, there, KEPT if keep else "", place)
    stated = tree is not None or column.values is not None
    # Whether anybody's value is missing must not show in what is possible.
    values = tuple(sorted({*there, KEPT} if keep and stated else there))
    code_of = {value: code for code, value in enumerate(values)}
    recoded = np.array([code_of.get(str(text), MISSING) for text in texts], np.int32)
    found = np.where(gone, np.int32(MISSING), recoded[cells.codes])
    return Attribute(column.name, column.role, values, None, tree, None, stated), found


def _taxonomy(column: Column) -> Taxonomy | None:
    if column.tree is None or column.tree == "ranges":
        return None
    try:
        if isinstance(column.tree, Mapping):
            return nested_taxonomy(column.tree)
        return read_taxonomy(Path(column.tree))
    except InputError as error:
        message = f"tree of column {column.name!r}: {error}"
        raise InputError(message) from error


def _tree_source(column: Column) -> str | None:
    return str(column.tree) if isinstance(column.tree, str | Path) else None


def _not_in_tree(column: Column, value: str, rows: int, row: int, place: Where) -> InputError:
    where = _tree_source(column)
    asked = "the tree" if where is None else where
    message = (
        f"column {column.name!r} has a value that its tree lacks, in {rows:,} row{'s' * (rows > 1)};"
        f" add it to {asked}, or name it in missing_values"
    )
    return place.error(message, row, value)


# Columns of numbers with a few other cells: a slip, or a word for no value, must not make them categories.


MOSTLY = 0.9
"""Share of the different values, or of the cells, from which on a column seems to hold numbers."""
NO_VALUE = frozenset(
    ("na", "n/a", "n.a.", "#n/a", "nan", "null", "nil", "none", "missing", "?", "-", "--", ".")
)
"""Words that often stand for no value, in small letters."""


def refuse_doubtful(column: Column, cells: Texts, place: Where, missing_values: Collection[str]) -> None:
    """Refuse a column of which nothing says that it holds categories, if nearly all that it holds are numbers.

    Where words for no value are all that is beside the numbers, it is refused however many they are. Numbers with
    leading zeros are codes, and what is beside them is one too.
    """
    if column.kind is not None or column.values is not None or column.tree not in (None, "ranges"):
        return
    if not any(text is not None and _is_number(text) for text in cells.values):
        return
    found = zip(cells.values, cells.counts().tolist(), strict=True)
    counts = {text: n for text, n in found if n and text is not None and text not in missing_values}
    numbers = {text for text in counts if _is_number(text)}
    others = counts.keys() - numbers
    if not numbers or not others or any(map(has_leading_zero, numbers)):
        return
    total, wrong = sum(counts.values()), sum(counts[text] for text in others)
    share = max(len(numbers) / len(counts), 1 - wrong / total)
    absent = {text for text in others if text.lower() in NO_VALUE}
    if share < MOSTLY and absent != others:
        return
    strange = others - absent
    row = int(np.argmax(cells.are(strange or absent)))
    message = (
        f"column {column.name!r} holds numbers, but not in {wrong:,} of {total:,} rows, such as here;"
        f" {_remedy(strange, absent, missing_values)}"
    )
    raise place.error(message, row, str(cells[row]))


def _remedy(strange: Collection[str], absent: Collection[str], missing_values: Collection[str]) -> str:
    """What to do about cells that are no numbers, and about those that seem to be no values."""
    categories = 'write kind = "category" for it into the schema if it holds categories'
    if not absent:
        return f"correct the cell, name it in missing_values if it is no value, or {categories}"
    named = json.dumps([*missing_values, *sorted(absent)], ensure_ascii=False)
    correct = "correct the cell, " if strange else ""
    return (
        f"{correct}write missing_values = {named} if {_listed(absent)} stands for no value, or {categories}"
    )


def _listed(texts: Collection[str]) -> str:
    return " or ".join(map(repr, sorted(texts)))


def _is_number(text: str) -> bool:
    return plain_number(text) is not None and has_digit(text)


# Cells of a column against what the schema says is possible.


def fit_numbers(
    column: Column, numbers: NDArray[np.float64], gone: NDArray[np.bool_], place: Where
) -> tuple[NDArray[np.float64], Blocks | None]:
    """The numbers, clamped to what is possible if the column says so, and the blocks that ranges are made of."""
    there = numbers[~gone]
    possible = column.possible
    if possible is None:
        rounded = None if column.round is None else rounded_blocks(there, column.round, column.step)
        return numbers, rounded
    wrong = np.flatnonzero(~gone & ~possible.holds(numbers))
    if len(wrong) and column.outside == "refuse":
        value = np.format_float_positional(numbers[wrong[0]], trim="-")
        inside = possible.starts[0] <= numbers[wrong[0]] <= possible.high
        steps = f"lies between two steps of {possible.step:g}; write a finer step into the schema"
        out = f"lies outside {possible.starts[0]:.15g} to {possible.high:.15g}; widen that in the schema"
        message = (
            f"column {column.name!r} has {len(wrong):,} number{'s' * (len(wrong) > 1)} that cannot be; the first"
            f' {steps if inside else out}, or write outside = "clamp" to take the nearest possible one'
        )
        raise place.error(message, int(wrong[0]), value)
    return np.where(gone, numbers, possible.nearest(numbers)), possible.blocks


def number_domain(numbers: NDArray[np.float64], blocks: Blocks | None) -> NDArray[np.float64]:
    """The numbers that occur, and both ends of their blocks."""
    there = np.unique(numbers) + 0.0  # no negative zero
    if blocks is None or blocks.single:
        return there
    used = np.unique(blocks.of(there))
    return np.unique(np.concatenate([there, blocks.lows[used], blocks.highs[used]]))


def fit_texts(column: Column, cells: Texts, there: set[str], kept: str, place: Where) -> set[str]:
    """The categories that are possible; ``kept`` is what stands for a missing one and needs no mention."""
    if column.values is None:
        return there
    lost = there.difference(column.values, [kept])
    if lost:
        rows = np.flatnonzero(cells.are(lost))
        message = (
            f"column {column.name!r} has a value that is not among those that the schema lists, in"
            f" {len(rows):,} row{'s' * (len(rows) > 1)}; add it to values, or name it in missing_values"
        )
        raise place.error(message, int(rows[0]), str(cells[rows[0]]))
    return {*column.values}


# Texts that are numbers, and texts that only look like them.


def plain_number(text: str) -> float | None:
    """The number that a text is; None for other texts.

    >>> plain_number("1e3"), plain_number("1_000")
    (1000.0, None)
    """
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def has_digit(text: str) -> bool:
    """Whether there is a digit: ``nan`` and ``inf`` are words, although Python reads them as numbers."""
    return any(map(str.isdigit, text))


def has_leading_zero(text: str) -> bool:
    """Whether a number begins with a zero that would be lost, as zip codes do.

    >>> has_leading_zero("01234"), has_leading_zero("0.5")
    (True, False)
    """
    digits = text.lstrip("+-")
    return len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
