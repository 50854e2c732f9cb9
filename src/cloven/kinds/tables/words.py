"""What a published table is made of, and what its owner should know before publishing it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cloven.data.arrays import row_numbers
from cloven.data.table import NEARLY
from cloven.disclosure.audience import Said
from cloven.disclosure.risk import MAX_TAIL
from cloven.escapes import visible
from cloven.figures import many, percent
from cloven.kinds.page_words import BEING_THERE, COMBINED, JOINED, MORE, OUTSIDE, PageWords
from cloven.kinds.tables.buckets import Buckets
from cloven.kinds.tables.cells import shown_release
from cloven.kinds.tables.release import CellDomain, GeneralisedTable, Sliced

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from cloven.compiled import Longs
    from cloven.data.table import Attribute, Harm, Table
    from cloven.kinds.tables.attack.together import Together
    from cloven.kinds.tables.key import PublishedTable
    from cloven.kinds.tables.release import TableRelease


AS_PUBLISHED = "as-published"
"""In place of a method, of a table that others made."""
TAKEN_OUT = (
    "people in the release, and the same people once their rows are taken out of it: how it was made is not known, so"
    " that no other release can be made without them. What is told of them then is told by the rows of others"
)
REPLAY_PROOF: Final = "replay-proof"
"""The partition of slicing that tells nothing to whoever replays it (docs/decisions/0010)."""


def made(figures: Mapping[str, int | float]) -> str:
    """What a table is made of: buckets and columns, or classes where nothing is cut into columns."""
    if "columns" not in figures:
        return many(figures["groups"], "class")
    return f"{many(figures['groups'], 'bucket')}, {many(figures['columns'], 'column')}"


def headline(method: Any, setting: str, figures: dict[str, int | float]) -> str:  # noqa: ARG001
    """One line on the method with its parameters, and what its release is made of."""
    return f"{setting}: {many(figures['records'], 'row')} in {made(figures)}"


def kept(figures: dict[str, int | float]) -> str:  # noqa: ARG001
    """Nothing is said of what stays, after a line that the table was verified."""
    return ""


def summary(data: Table, result: PublishedTable) -> dict[str, int | float]:
    """Counts of a result that commands print."""
    from cloven.storage.manifest import count

    key = result.key
    return {
        **count(result.release),
        "records_read": len(data),
        "records_left_out": data.left_out,
        "records_suppressed": len(key.suppressed),
        "cells_exchanged": 0 if key.changed is None else int(key.changed.sum()),
        "parts_of_nobody": int((key.records < 0).sum()),
    }


def cautions(figures: dict[str, int | float], method: Any, release: TableRelease) -> list[str]:
    """What an owner should know before publishing, each with what to do."""
    out, told = [], dict(method.parameters)
    if "partition" in release.parameters:  # the table may have decided
        told["partition"] = release.parameters["partition"]
    if not figures["records"]:
        out.append(
            "noise has taken every row away: the table is empty and nobody can use it, but the promise holds; to run"
            " again because of that is to choose by looking and adds the eps of the other run, so choose one that"
            " leaves rows, and count both"
        )
    if figures["records_left_out"]:
        lost, all_rows = figures["records_left_out"], figures["records_left_out"] + figures["records_read"]
        out.append(
            f"{many(lost, 'row')} of {all_rows:,} lack a value and were left out when the table was read: they are in"
            " no figure; say so to whoever uses the table"
        )
    if figures["records_suppressed"]:
        out.append(
            f"{many(figures['records_suppressed'], 'row')} not published; say so beside every utility figure;"
            f" suppressed.parquet lists {'it' if figures['records_suppressed'] == 1 else 'them'}"
        )
    if figures["cells_exchanged"]:
        out.append(
            f"{many(figures['cells_exchanged'], 'cell')} exchanged between persons: single rows are not to be believed,"
            " counts of one attribute are; say so to whoever uses the table"
        )
    elif told.get("swap_rate") is not None:
        out.append(
            f"no cell was exchanged at swap rate {100 * told['swap_rate']:g} %: this is plain slicing, as no value that"
            " could be exchanged is so rare or so common; look at `cloven cells` for a rate at which cells are"
        )
    if told.get("invented_rows"):
        out.append("rows are partly or wholly made up: use the table for counts, never for a person")
    promise = told.get("promise")
    if isinstance(promise, dict) and "holds_if" in promise:
        out.append(f"the promise ({promise.get('kind')}) holds if {promise['holds_if']}")
    if told.get("domains") == "from-data":
        out.append(
            "which values are possible was read off the rows, so ends of ranges and rare values may be one person's and"
            " eps promises nothing; state range or values of every column in the schema, or use this for experiments"
        )
    if told.get("partition", REPLAY_PROOF) != REPLAY_PROOF:
        out.append(
            f"buckets are cut by what people are like (partition {told['partition']}): whoever replays the method, or"
            " has a second release of these people, may learn more than 1/l; --partition replay-proof deals rows by lot"
            " where a cut would tell, and keeps less of what goes together"
        )
    if told.get("seeded"):
        out.append("lots were drawn with a seed: this release is for experiments; do not publish it")
    return out


# How a page speaks of a published table.


SHUFFLED = (
    "the control: the same attack with its knowledge shuffled, such as the quasi-identifiers of somebody else, so that"
    " it behaves alike and knows nothing. Only what lies above guessing and above the control comes from knowledge"
)
NOT_MODELLED = (
    (
        "What others have, or somebody does not have.",
        "Who knows the value of a neighbour in the group, or that a person does not have one, has fewer left.",
    ),
    (
        MORE,
        "Attributes that the schema does not call quasi-identifiers, better word vectors, a list that nobody thought"
        " of.",
    ),
    COMBINED,
    BEING_THERE,
    (
        "Learning from the whole release.",
        "Each attack looks at the rows that fit a person; a model of which values go together, fitted to all of them,"
        " may do better.",
    ),
    (
        "Values that are alike.",
        "Two kinds of one illness count as two values, though either tells the illness.",
    ),
    JOINED,
    ("Text inside cells.", "A value is compared letter by letter; what it says is published as it is."),
    OUTSIDE,
)


def page_words(document: Mapping[str, Any]) -> PageWords:
    """Rows, in buckets where columns were cut apart and in classes of equal rows elsewhere."""
    from cloven.kinds.tables.score.score import MEMBERSHIP_MEASURES, ROW_MEASURES, VALUE_MEASURES

    groups = "buckets" if "columns" in document["published"] else "classes"
    every = VALUE_MEASURES | ROW_MEASURES | MEMBERSHIP_MEASURES
    terms = {"shuffled": SHUFFLED}
    if document.get("parameters", {}).get("method") == AS_PUBLISHED:
        terms["members, outsiders"] = TAKEN_OUT
    return PageWords(
        records="rows",
        groups=groups,
        told="a value",
        not_there="No guess, no row of the original.",
        counts={"records": "rows", "groups": groups, "cells": "different_cells"},
        terms=terms,
        not_modelled=NOT_MODELLED,
        measures={name: {"sentence": words, "higher_is_worse": True} for name, words in every.items()},
        promise=_promise(document.get("parameters", {}), groups),
    )


def _promise(parameters: Mapping[str, Any], groups: str) -> str:
    """The promise of published parameters in a sentence; what differential privacy promises stands elsewhere."""
    k, l = parameters.get("k"), parameters.get("l")
    if not k or k < 2 or parameters.get("promise"):
        return ""
    hidden = f", and sensitive values are hidden with l = {l}" if l else ""
    return f"All {groups} hold at least k = {k} rows{hidden}."


def promised(release: TableRelease) -> list[tuple[str, ...]]:
    """Sensitive attributes whose values are promised to be hidden, jointly where several stand together."""
    told, secret = release.parameters, [domain.name for domain in release.domains if domain.sensitive]
    stated = [
        tuple(each["attributes"])
        for each in told.get("constraints", ())
        if (each.get("l") or 0) > 1 and each.get("attributes")
    ]
    if stated or (told.get("l") or 0) < 2:
        return list(dict.fromkeys(stated))
    return [tuple(secret)] if told.get("together") == "jointly" else [(name,) for name in secret]


# Groups of a published table that show a single value of a sensitive attribute which nothing promises to hide.


def single_values(data: Table, release: TableRelease, method: Any) -> list[str]:
    """Sensitive attributes of which some class or bucket shows one harmful value alone, each with what to do.

    Attributes that are promised to be hidden for themselves are left out: a check looks at them. So are tables whose
    promise is about noise, in which no row is anybody's.
    """
    if release.parameters.get("promise"):
        return []
    kept, buckets = promised(release), Buckets.of(release)
    kind = ("bucket", "buckets") if isinstance(release, Sliced) else ("class", "classes")
    out = []
    for place in buckets.sensitive:
        name = buckets.domains[place].name
        harm = next(each.harm for each in data.attributes if each.name == name)
        groups, rows = _with_one_value(buckets, place, harm)
        if (name,) in kept or not groups:
            continue
        shows = f"{groups:,} {kind[groups > 1]} ({many(rows, 'row')}) {'show' if groups > 1 else 'shows'}"
        jointly = next((names for names in kept if name in names), ())
        knows = "is told it, by rows that may be made up" if _made_up(release) else "knows it"
        why = (
            f"only the combination of {' and '.join(jointly)} is hidden, so whoever" if jointly else "whoever"
        )
        what = f"{shows} a single value of {name}: {why} finds somebody there {knows}"
        out.append(f"{what}; {_remedy(method, jointly=bool(jointly))}")
    return out


def one_harmful_value(
    data: Table, release: TableRelease, remedy: str = "give -l 2 or more"
) -> tuple[Said, ...]:
    """What speaks against publishing: classes in which everybody has one harmful value; ``remedy`` says what to do.

    Means do not see it where such classes are few. In buckets nobody is known to be; what is certain of people there is
    measured. What differential privacy promises covers every class.
    """
    if isinstance(release, Sliced) or release.parameters.get("promise"):
        return ()
    buckets, out = Buckets.of(release), []
    for place in buckets.sensitive:
        name = buckets.domains[place].name
        harm = next(each.harm for each in data.attributes if each.name == name)
        groups, rows = _with_one_value(buckets, place, harm)
        if groups:
            shows = f"{many(groups, 'class')} ({many(rows, 'row')})"
            out.append(
                Said(
                    f"Of everybody in {shows} {name} is certain; {remedy}, or name harmless values in the schema if to"
                    " be told them is no harm.",
                    "Of everybody in some class a sensitive value is certain.",
                )
            )
    return tuple(out)


def told_together(found: Together) -> tuple[Said, ...]:
    """Where one or two quasi-identifiers, published as they are beside others, are one row's alone too often.

    >>> from cloven.kinds.tables.attack.together import Together
    >>> told_together(Together(("age", "sex", "town"), 0.005))
    ()
    """
    if found.share <= MAX_TAIL:
        return ()
    return (
        Said(
            f"Quasi-identifiers are published together as they are ({', '.join(found.names)}), and"
            f" of {percent(found.share)} of the rows one or two known ones tell another for certain."
            f" More than {percent(MAX_TAIL)} is too much; make them coarser (round, a tree, or a method that does:"
            " mondrian).",
            "Quasi-identifiers are published together as they are, and one or two tell another of too many people.",
        ),
    )


def nearly_told(data: Table, release: TableRelease) -> tuple[Said, ...]:
    """What speaks against publishing numbers of which the owner does not say how nearly they may be known.

    Five different wages of one class are no secret if they lie a few pounds apart.
    """
    if release.parameters.get("promise") or _made_up(release):
        return ()
    buckets, out = Buckets.of(release), []
    for place in buckets.sensitive:
        attribute = next(each for each in data.attributes if each.name == buckets.domains[place].name)
        if attribute.numbers is None or attribute.harm.within:
            continue
        groups, rows = _with_one_value(buckets, place, replace(attribute.harm, within=NEARLY, relative=True))
        told, known = _with_one_value(buckets, place, attribute.harm)
        if rows > known:
            kind = "bucket" if isinstance(release, Sliced) else "class"
            where = f"{many(groups - told, kind)}"
            out.append(
                Said(
                    f"In {where} ({many(rows - known, 'row')}) all values of {attribute.name} lie within"
                    f" {percent(NEARLY, 0)} of each other, so that they are nearly known; say how near is too near in"
                    f' the schema (within = "{percent(NEARLY, 0)}", or a number), and l counts by it.',
                    "Some sensitive numbers are nearly known.",
                )
            )
    return tuple(out)


def _with_one_value(buckets: Buckets, place: int, harm: Harm) -> tuple[int, int]:
    """Groups with parts that look alike and have one harmful value in common, and how many such parts there are."""
    column = buckets.columns[buckets.column_of(place)]
    beside = [each for each in column if each in buckets.quasi_identifiers]
    alike = row_numbers(np.column_stack([buckets.bucket_of_row, buckets.cells[:, beside]]).astype(np.int32))
    size = int(alike.max(initial=-1)) + 1
    values, cells = buckets.domains[place].values, _codes(buckets, place)
    least, most = np.full(size, np.iinfo(np.int32).max), np.full(size, -1)
    np.minimum.at(least, alike, cells)
    np.maximum.at(most, alike, cells)
    harmful = np.zeros(size, bool)
    harmful[alike[harm.harmful(values)[cells]]] = True
    rows = ((most < harm.reach(values)[np.minimum(least, len(values) - 1)]) & harmful)[alike]
    return len(np.unique(buckets.bucket_of_row[rows])), int(rows.sum())


def _codes(buckets: Buckets, place: int) -> Longs:
    """The sensitive value of each row, as its place in the domain; sensitive cells hold one value each."""
    domain = buckets.domains[place]
    return domain.members[domain.member_offsets[:-1]][buckets.cells[:, place]].astype(np.int64)


def _made_up(release: TableRelease) -> bool:
    return bool(release.parameters.get("invented_rows"))


def _remedy(method: Any, *, jointly: bool) -> str:
    if jointly:
        return "take --together separately"
    if hasattr(method, "l"):
        return "give -l 2 or more"
    return "take mondrian or slicing with -l 2 or more"


# Ends of published ranges that are somebody's number: a range shows its ends to the digit.


def lone_ends(data: Table, release: TableRelease) -> list[str]:
    """Attributes whose ranges end at numbers that exactly one person has, each with what to do.

    Where a taxonomy or blocks of the schema say where ranges end, nobody's number decides it.
    """
    if not isinstance(release, GeneralisedTable):
        return []
    places = {attribute.name: place for place, attribute in enumerate(data.attributes)}
    out = []
    for domain in shown_release(release).domains:
        place = places[domain.name]
        attribute = data.attributes[place]
        if domain.sensitive or domain.numbers is None or _settled(attribute):
            continue
        ends = _ends(domain)
        rows = np.bincount(np.maximum(data.codes[:, place], 0), minlength=len(attribute))
        alone = {attribute.values[code] for code in np.flatnonzero(rows == 1).tolist()} & ends
        if alone:
            out.append(
                f"{many(len(alone), 'number')} of the {len(ends):,} that ranges of {domain.name} end at"
                f" {'is the number' if len(alone) == 1 else 'are numbers'} of exactly one person, to the digit; write"
                " round = 10, or another width, or cuts for it into the schema"
            )
    return out


def _settled(attribute: Attribute) -> bool:
    """Whether the owner says where ranges end."""
    return attribute.tree is not None or (attribute.blocks is not None and not attribute.blocks.single)


def _ends(domain: CellDomain) -> set[str]:
    """First and last number of each range of several."""
    edges = domain.member_offsets
    wide = np.flatnonzero(np.diff(edges) > 1)
    codes = np.concatenate([domain.members[edges[wide]], domain.members[edges[wide + 1] - 1]])
    return {domain.values[code] for code in np.unique(codes).tolist()}


# What a published table promises, and what a level of verification cannot see.


def claim(parameters: Mapping[str, Any], release: Path) -> dict[str, Any]:
    """What the manifest promises beside what all do; a manifest may hold anything."""
    promise, listed = parameters.get("promise"), parameters.get("constraints")
    entries = listed if isinstance(listed, list) else []
    return {
        "l": parameters.get("l"),
        "check": parameters.get("check"),
        "jointly": _secrets(release) if parameters.get("together") == "jointly" else [],
        "constraints": [_demand(each) for each in entries],
        "classes_show": _shown(entries),
        "persons": parameters.get("persons") is True,
        "made_up": parameters.get("invented_rows") is True,
        "promise": promise.get("kind") if isinstance(promise, dict) else None,
    }


def claimed(claim: Mapping[str, Any]) -> str:
    """The promise in a sentence, and the hash of the manifest."""
    group = "bucket" if str(claim["format"]).startswith("cloven.sliced/") else "class"
    rows = many(claim["records"], "row")
    held = f"persons in {rows}" if claim["persons"] else f"of {rows}"
    promise = f"every {group} has at least k = {claim['k']} {held}"
    if claim["made_up"]:
        promise += ", made-up ones among them"
    if claim["check"] is None and claim["constraints"]:
        promise += f" and {claim['classes_show']}"
    elif claim["l"] is not None and len(claim["jointly"]) > 1:
        names = " and ".join(visible(each, 40) for each in claim["jointly"])
        promise += f", the combination of {names} is hidden with l = {claim['l']}; single attributes are not promised"
    elif claim["l"] is not None:
        promise += f", sensitive values are hidden with l = {claim['l']}"
    promise = claim["promise"] or promise
    return f"promises: {promise} ({claim['method']})\nmanifest {claim['manifest_sha256']}"


def _secrets(release: Path) -> list[str]:
    """Names of the sensitive attributes; none if they cannot be read (a failed check says so)."""
    from cloven.errors import ReleaseError
    from cloven.kinds.tables.files import read_domains

    try:
        return [domain.name for domain in read_domains(release)[0] if domain.sensitive]
    except ReleaseError:
        return []


def _shown(entries: Sequence[Any]) -> str:
    """What classes keep to; different values are no limit on how common one of them is.

    >>> _shown([{"demand": "distinct-l", "l": 2, "attributes": ["illness"]}])
    'shows at least 2 different values of illness, with no limit on how common one is'
    >>> _shown([{"demand": "distinct-l", "l": 2, "attributes": ["wage"], "harmless": ["0"], "within": "5 %"}])[:80]
    'shows at least 2 different values of wage where one is not 0 (numbers within 5 %'
    >>> _shown([{"demand": "t-closeness", "t": 0.5, "attributes": ["illness"]}])
    'keeps to t-closeness with t = 0.5 of illness'
    """
    different = [each for each in entries if isinstance(each, dict) and each.get("demand") == "distinct-l"]
    others = [_demand(each) for each in entries if each not in different]
    out = []
    if different:
        out.append("shows at least " + " and ".join(map(_different, different)))
    if others:
        out.append(f"keeps to {', '.join(others)}")
    elif different:
        out.append("with no limit on how common one is")
    told, about = ", ".join(out), [_attributes(each) for each in entries]
    alone = {names[0] for names in about if len(names) == 1}
    if any(len(names) > 1 and not set(names) <= alone for names in about):
        told += "; single attributes are not promised"
    return told


def _different(entry: dict[str, Any]) -> str:
    names = _attributes(entry)
    what = "combinations" if len(names) > 1 else "values"
    told = f"{entry.get('l')} different {what} of {' and '.join(names) or 'something that cannot be read'}"
    harmless = entry.get("harmless")
    if isinstance(harmless, list) and harmless:
        told += f" where one is not {' or '.join(visible(str(each), 40) for each in harmless)}"
    if entry.get("within"):
        told += f" (numbers within {visible(str(entry['within']), 20)} are one)"
    return told


def _demand(entry: Any) -> str:
    """A constraint in a few words."""
    if not isinstance(entry, dict):
        return "something that cannot be read"
    values = [f"{name} = {entry[name]}" for name in ("c", "l", "t") if name in entry]
    if not values:
        return str(entry.get("demand"))
    names = " and ".join(_attributes(entry))
    return f"{entry.get('demand')} with {', '.join(values)}" + (f" of {names}" if names else "")


def _attributes(entry: Any) -> list[str]:
    names = entry.get("attributes") if isinstance(entry, dict) else None
    return [visible(str(each), 40) for each in names] if isinstance(names, list) else []


def open_questions(claim: Mapping[str, Any], level: str, checks: Collection[str]) -> list[str]:
    """What the level that was run cannot see, given the names of the checks that were made."""
    out = []
    if claim["promise"] is not None:
        out.append(
            f"at any level: {claim['promise']}, which is a property of how a table is made; a table without any noise"
            " would pass the same checks"
        )
    if level == "release":
        out.append(
            "without --original and --schema: that cells hold values of the original, and nothing is invented"
        )
    if level == "release" and not any("diversity" in name or "-l of" in name for name in checks):
        out.append("without --original and --schema: how well sensitive values are hidden")
    if level != "key":
        out.append(
            "without --original, --schema and --private: that every part comes from the person it should"
        )
    return out
