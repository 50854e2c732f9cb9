"""A table that others made, read beside its original: a release like our own, who is behind its rows, k, l and t."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import InputError, ParameterError
from cloven.kinds.tables.foreign.cells import number_in, span_of
from cloven.kinds.tables.foreign.comparison import Compared, Comparison
from cloven.kinds.tables.foreign.diversity import Diversity, classes_of, diversity
from cloven.kinds.tables.foreign.links import NOBODY, Fits, Links, Shown, fewest_alike, fewest_fits
from cloven.kinds.tables.foreign.ranges import overlapping, quasi_identifiers
from cloven.kinds.tables.foreign.roles import Raw, Roles, found_roles, naming
from cloven.kinds.tables.methods.assembly import published_rows
from cloven.kinds.tables.words import AS_PUBLISHED

if TYPE_CHECKING:
    from pathlib import Path

    from cloven.compiled import Longs
    from cloven.data.schema import Schema
    from cloven.data.table import Table
    from cloven.kinds.tables.key import PublishedTable
    from cloven.reading.cells import RawColumns

FEWEST_LINKED = 0.5
"""Share of the rows that must fit people of the original; below it the two files do not belong together."""


@dataclass(frozen=True, eq=False)
class ForeignTable:
    """What was read, and what was found in it.

    Attributes:
        data: the original.
        result: the published rows as a release, and who is behind them.
        k: rows (or persons, where somebody has several rows) of the smallest class.
        fits: rows that fit a person, and people who fit a row, at the least: as k, where no value was taken out and
            no ranges overlap.
        judged: as k, where a value that was taken out looks like any other, as far as these rows fit people: what is
            judged. What ranges hold beside a person never raises it, because their ends may tell who is meant.
        crossed: quasi-identifiers with ranges that overlap, and neither holds the other.
        diversities: l and t of each sensitive attribute.
        roles: what the columns were taken for, and why.
        compared: what cells were read as, and how rows were linked to people.
        names: published columns that name people.
        loose: published columns that show something and have no role.
        strange: published columns that the original does not have.
    """

    data: Table
    result: PublishedTable
    k: int
    fits: Fits
    judged: int
    crossed: tuple[str, ...]
    diversities: tuple[Diversity, ...]
    roles: Roles
    compared: Compared
    names: tuple[str, ...]
    loose: tuple[str, ...]
    strange: tuple[str, ...]


def read_foreign(
    published: str | Path | Any,
    original: str | Path | Any,
    schema: Schema | None = None,
    *,
    max_bytes: int | None = None,
) -> ForeignTable:
    """Read a table that others made beside its original.

    Args:
        published: path of the published file, or a frame.
        original: path of the original, or a frame.
        schema: what the columns of the original are; None finds it out.
        max_bytes: how much a packed file may unpack to.

    Raises:
        InputError: the files cannot be original and published.
    """
    from cloven.intake.packing import MAX_BYTES
    from cloven.reading.cells import read_every_column
    from cloven.reading.raw import missing_column
    from cloven.reading.tables import load_table

    most = MAX_BYTES if max_bytes is None else max_bytes
    ours = read_every_column(original, most, *((schema.header, schema.delimiter) if schema else ()))
    theirs = read_every_column(published, most)
    before, shown = _columns(ours), _columns(theirs)
    for column in schema.columns if schema else ():
        if column.name not in before:
            raise missing_column(column.name, before, ours.source)
    _refuse_strangers(shown, before, theirs.source, ours.source)
    roles = (
        found_roles(shown, before) if schema is None else Roles(_published_part(schema, shown, theirs.source))
    )
    data = load_table(original, roles.schema, max_bytes=most).table
    return assembled(shown, before, data, roles, theirs.source)


def _columns(raw: RawColumns) -> dict[str, Raw]:
    from cloven.reading.cells import Texts

    found: dict[str, Raw] = {}
    for name in raw.names:
        cells = raw.cells[name]
        texts = cells if isinstance(cells, Texts) else Texts.of(map(str, cells.tolist()))
        found[name] = Raw.of(texts.values, texts.codes)
    if not found or not len(next(iter(found.values()))):
        message = "no rows below the header"
        raise InputError(message, source=raw.source)
    return found


def _refuse_strangers(shown: dict[str, Raw], before: dict[str, Raw], source: str, original: str) -> None:
    """Refuse files that share no column, a release with more rows than there are people, and one that tells more."""
    if not set(shown) & set(before):
        message = (
            f"shares no column with the original, which has {_listed(before)}, where this has {_listed(shown)}; name"
            " the original that it was made from, or its columns (header) in --schema if it has no header line"
        )
        raise InputError(message, source=source)
    rows, people = len(next(iter(shown.values()))), len(next(iter(before.values())))
    if rows > people:
        message = (
            f"has {rows:,} rows, and the original {original} has {people:,}, so some are nobody's: do not publish it as"
            " made from that; if the files are swapped, swap --release and --original"
        )
        raise InputError(message, source=source)

    for name in shown:
        if name in before and _tells_more(shown[name], before[name]):
            message = (
                f"shows {shown[name].texts[0]!r} and the like of {name!r} where the original {original} has"
                f" {before[name].texts[0]!r}, so that it was not made from that; if the files are swapped, swap"
                " --release and --original"
            )
            raise InputError(message, source=source)


def _tells_more(shown: Raw, before: Raw) -> bool:
    """Whether a column has numbers where the original has ranges, or anything where the original has stars."""
    stars = [[bool(text) and set(text) <= {"*"} for text in column.texts] for column in (shown, before)]
    ranges = all(span_of(text) is not None for text in before.texts)
    numbers = all(number_in(text) is not None for text in shown.texts)
    return (ranges and numbers) or (all(stars[1]) and not any(stars[0]))


def _listed(names: dict[str, Raw]) -> str:
    some = ", ".join(map(repr, list(names)[:4]))
    return f"{some}, ..." if len(names) > 4 else some


def _published_part(schema: Schema, shown: dict[str, Raw], source: str) -> Schema:
    """The schema of the columns that are published."""
    kept = tuple(column for column in schema.columns if column.role == "person" or column.name in shown)
    if not any(column.role == "quasi-identifier" for column in kept):
        asked = [column.name for column in schema.columns if column.role == "quasi-identifier"]
        message = (
            f"shows no quasi-identifier of the schema ({', '.join(asked)}), so nobody can be looked for in it"
        )
        raise InputError(message, source=source)
    return replace(schema, columns=kept)


# From texts to a release.


def assembled(
    shown: dict[str, Raw], before: dict[str, Raw], data: Table, roles: Roles, source: str
) -> ForeignTable:
    """The published columns as a release of people of the data."""
    compared = Comparison(shown, before, data, frozenset(roles.schema.missing_values)).best()
    links = compared.links
    named = dict.fromkeys((*naming(shown, before), *([links.by] if links.by else [])))
    _refuse_unrelated(links, source)
    data = replace(data, attributes=tuple(replace(each, tree=None, blocks=None) for each in data.attributes))
    k, diversities = _figures(compared.read, data, links)
    fits, looks = _fits(compared.read, data, links, k), quasi_identifiers(compared.read, data)
    used = {*data.names("quasi-identifier"), *data.names("sensitive"), *named}
    others = [name for name in shown if name not in used and len(shown[name].texts) > 1]
    return ForeignTable(
        data,
        _released(compared.read, data, links, k, diversities),
        k,
        fits,
        max(k, min(fits.fewest, fewest_alike(looks))) if fits.fewest > k else k,
        overlapping(looks, data.names("quasi-identifier")),
        diversities,
        roles,
        compared,
        tuple(named),
        tuple(name for name in others if name in before),
        tuple(name for name in others if name not in before),
    )


def _refuse_unrelated(links: Links, source: str) -> None:
    share = float((links.person != NOBODY).mean())
    if share < FEWEST_LINKED:
        message = (
            f"{1 - share:.0%} of the rows fit nobody in the original, so it was not made from that file: do not publish"
            " it as such; look whether the files are swapped, and whether --schema names the right columns"
        )
        raise InputError(message, source=source)


def _figures(read: Shown, data: Table, links: Links) -> tuple[int, tuple[Diversity, ...]]:
    """k, and l and t of each sensitive attribute, by the texts as published."""
    number = classes_of(read.codes[:, list(data.positions("quasi-identifier"))])
    found = []
    for place in data.positions("sensitive"):
        attribute = data.attributes[place]
        value = np.array([int(cell.codes[0]) for cell in read.cells[place]], np.int64)
        ordered = attribute.numbers is not None
        found.append(diversity(attribute.name, number, value[read.codes[:, place]], ordered=ordered))
    return int(_people(number, data, links).min()), tuple(found)


def _fits(read: Shown, data: Table, links: Links, k: int) -> Fits:
    """Rows and people to choose from, by quasi-identifiers; k where persons are counted, or too many would be."""
    if data.several_each:
        return Fits(k, k)
    known = list(data.positions("quasi-identifier"))
    shown = quasi_identifiers(read, data)
    in_it = links.person != NOBODY
    try:
        return fewest_fits(
            replace(shown, codes=shown.codes[in_it]), data.codes[links.person[in_it]][:, known]
        )
    except ParameterError:
        return Fits(k, k)


def _people(class_of_row: Longs, data: Table, links: Links) -> Longs:
    """Rows of each class; or persons, where somebody has several rows."""
    if data.persons is None or not data.several_each:
        return np.bincount(class_of_row)
    who = np.where(links.person == NOBODY, NOBODY, data.persons[np.maximum(links.person, 0)])
    return np.bincount(np.unique(np.column_stack([class_of_row, who]), axis=0)[:, 0])


def _released(
    read: Shown, data: Table, links: Links, k: int, diversities: tuple[Diversity, ...]
) -> PublishedTable:
    """The rows in canonical order; what is found in them is what they promise."""
    source = np.where(links.person == NOBODY, NOBODY, data.source_rows[np.maximum(links.person, 0)])
    lost = bool((source == NOBODY).any())
    parameters: dict[str, Any] = {
        "method": AS_PUBLISHED,
        "constraints": [demand for each in diversities for demand in _demands(each)],
        **({"suppressed": True} if len(read) < len(data) else {}),
        **({"invented_rows": True} if lost else {}),
        **({"persons": True} if data.several_each else {}),
    }
    members = [[cell.codes for cell in cells] for cells in read.cells]
    return published_rows(data, members, read.codes, source, k=k, parameters=parameters)


def _demands(found: Diversity) -> list[dict[str, Any]]:
    """What classes keep to, as a promise that can be checked."""
    about = {"attributes": [found.attribute]}
    distance = "ordered" if found.ordered else "equal"
    return [
        {"demand": "distinct-l", "l": found.distinct, **about},
        {"demand": "t-closeness", "t": rounded_up(found.t), "distance": distance, **about},
    ]


def rounded_up(t: float) -> float:
    """To four places, never below.

    >>> rounded_up(0.25), rounded_up(0.12341)
    (0.25, 0.1235)
    """
    return ceil(t * 10_000 - 1e-6) / 10_000


def restricted(result: PublishedTable, people: Longs) -> PublishedTable:
    """The same without the rows of everybody who is not among some people, given by source position."""
    records = result.key.records
    stays = np.isin(records[:, 0], people) | (records[:, 0] == NOBODY)
    release = replace(result.release, cells=result.release.cells[stays])
    suppressed = np.setdiff1d(people, records[stays, 0])
    return replace(
        result, release=release, key=replace(result.key, records=records[stays], suppressed=suppressed)
    )
