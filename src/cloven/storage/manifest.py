"""``manifest.json``: what a release is, in one small file, and the formats that manifests tell apart.

Every kind describes its own formats (``ReleaseFormat`` in the ``files`` of its room); see
docs/reference/release-format.md.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cloven._version import __version__
from cloven.errors import ParameterError, ReleaseError, shorten
from cloven.intake.trees import tree_of
from cloven.registry import part, parts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from pathlib import Path

    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.kinds.tables.release import GeneralisedTable, Sliced
    from cloven.storage.parquet import Written

    SetRelease = Disassociated | SetGeneralised
    TableRelease = GeneralisedTable | Sliced
    Release = SetRelease | TableRelease

MANIFEST = "manifest.json"
FIELDS = frozenset(
    ("format", "method", "k", "m", "parameters", "unsafe", "seeded", "counts", "version", "files")
)
MARKS = ("unsafe", "seeded")
NAMES = {
    "method": (r"(?=.{1,40}$)[a-z][a-z0-9]*(-[a-z0-9]+)*", "a name such as apriori-km, in lower case"),
    "version": (
        r"\d{1,4}(\.\d{1,4}){1,3}((a|b|rc)\d{1,3})?(\.(dev|post)\d{1,4})?",
        "numbers with dots between them, such as 0.1.0",
    ),
}
"""How the method and its version are spelt: in longer texts there would be room for what nobody is to know."""


def build_manifest(release: Release, files: Mapping[str, str]) -> dict[str, Any]:
    """Describe a release; ``files`` gives the SHA-256 of each of its files, and is empty for JSON."""
    kind = format_of(release)
    promise = {"k": release.k, "m": kind.known_items(release)}
    return manifest_of(kind, promise, release.parameters, count(release), files)


def manifest_of(
    kind: ReleaseFormat,
    promise: Mapping[str, int | None],
    parameters: Mapping[str, Any],
    counts: Mapping[str, int],
    files: Mapping[str, str],
) -> dict[str, Any]:
    """The same of a release that is only known by what is published about it: ``promise`` is its k and m."""
    parameters = dict(parameters)
    method, (pattern, wanted) = parameters.pop("method", None), NAMES["method"]
    if not isinstance(method, str) or not re.fullmatch(pattern, method):
        message = f"parameters['method'] names the method of a release by {wanted}, got {method!r}"
        raise ParameterError(message)
    _refuse_what_json_would_change(parameters)
    for mark in MARKS:
        if not isinstance(parameters.get(mark, False), bool):
            message = f"parameter {mark!r} is {parameters[mark]!r}; use True or False"
            raise ParameterError(message)
    # Only a true mark moves up; one spelt out as false stays, so that reading gives the same mapping back.
    marks = {mark: bool(parameters.get(mark)) and parameters.pop(mark) for mark in MARKS}
    return {
        "format": kind.stamp,
        "method": method,
        **promise,
        "parameters": parameters,
        **marks,
        "counts": dict(counts),
        "version": __version__,
        "files": dict(files),
    }


def parameters_of(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The ``parameters`` of the release that a manifest describes: the inverse of ``build_manifest``."""
    marks = {mark: True for mark in MARKS if manifest[mark]}
    return {"method": manifest["method"], **manifest["parameters"], **marks}


def count(release: Release) -> dict[str, int]:
    """The numbers a manifest publishes about its release; rows may stand in any order."""
    return format_of(release).count(release)


def manifest_bytes(manifest: Mapping[str, Any]) -> bytes:
    """The one way to write a manifest: keys sorted, two spaces, one newline at the end."""
    text = json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True, allow_nan=False)
    return f"{text}\n".encode()


def parse_json(content: bytes, source: str) -> Any:
    """Parse JSON that every program reads alike; anything else is a ``ReleaseError``."""
    try:
        return tree_of(content)
    except ValueError as error:
        message = f"{source}: not valid JSON in UTF-8 ({error})"
        raise ReleaseError(message) from error


def check_manifest(value: object, source: str, *, in_json: bool = False) -> dict[str, Any]:
    """Return the manifest if every field is there and of its type, else raise ``ReleaseError``."""
    kind = format_named(value.get("format") if isinstance(value, dict) else value, source)
    manifest: dict[str, Any] = value  # type: ignore[assignment]  # checked: it has a format
    expect(kind.json is not None or not in_json, source, "format", "one that has a JSON form", kind.stamp)
    expect(set(manifest) == FIELDS, source, "fields", sorted(FIELDS), sorted(manifest))
    for field in ("k", "m"):
        number = manifest[field]
        listed_only = field == "m" and number is None and kind.may_list
        expect(listed_only or (is_count(number) and number > 0), source, field, "1, 2, ...", number)
    for mark in MARKS:
        expect(isinstance(manifest[mark], bool), source, mark, "true or false", manifest[mark])
    for field, (pattern, wanted) in NAMES.items():
        plain = isinstance(manifest[field], str) and re.fullmatch(pattern, manifest[field])
        expect(bool(plain), source, field, wanted, manifest[field])
    files = manifest["files"] if isinstance(manifest["files"], dict) else {}
    _check_parts(manifest, source, kind, () if in_json else kind.files(files))
    return manifest


def expect(holds: bool, source: str, field: str, wanted: object, found: object) -> None:
    """Unless it holds, raise a ``ReleaseError`` that names file, field, what it should be and what it is."""
    if not holds:
        message = f"{source}: {field} should be {wanted}; found {shorten(str(found))}; get the file again"
        raise ReleaseError(message)


def _check_parts(
    manifest: Mapping[str, Any], source: str, kind: ReleaseFormat, tables: tuple[str, ...]
) -> None:
    parameters, counts, files = manifest["parameters"], manifest["counts"], manifest["files"]
    expect(isinstance(parameters, dict), source, "parameters", "an object", parameters)
    twice = "method" in parameters or any(parameters.get(mark, False) is not False for mark in MARKS)
    expect(not twice, source, "parameters", "free of method, unsafe and seeded", parameters)
    whole = isinstance(counts, dict) and set(counts) == kind.counts and all(map(is_count, counts.values()))
    expect(whole, source, "counts", f"whole numbers for {', '.join(sorted(kind.counts))}", counts)
    named = isinstance(files, dict) and set(files) == set(tables)
    hashed = named and all(re.fullmatch("[0-9a-f]{64}", str(digest)) for digest in files.values())
    expect(hashed, source, "files", f"the SHA-256 of {', '.join(tables) or 'nothing'}", files)


def _refuse_what_json_would_change(parameters: Mapping[str, Any]) -> None:
    for name, value in parameters.items():
        try:
            same = isinstance(name, str) and json.loads(json.dumps(value, allow_nan=False)) == value
        except (TypeError, ValueError):
            same = False
        if not same:
            message = f"parameter {name!r} is no plain JSON value: {value!r}; use numbers, text or lists"
            raise ParameterError(message)


# The formats, as the kinds describe them.


@dataclass(frozen=True)
class JsonForm:
    """A release as one JSON file: the names of what stands beside the manifest, and the way there and back."""

    parts: tuple[str, ...]
    parts_of: Callable[[Any], dict[str, list[Any]]]
    of_document: Callable[[dict[str, Any], str], Any]


@dataclass(frozen=True)
class Guide:
    """What a README says of one kind of release; plain sentences and code.

    Attributes:
        what: what the release is.
        promise: what it promises, and what it does not.
        tables: a line for each kind of file.
        python: what to type after ``release = cv.read_release(".")``.
        sql: a query over the files, as DuckDB has it.
        r: the same in R.
    """

    what: str
    promise: str
    tables: tuple[str, ...]
    python: str
    sql: str
    r: str


VERSION = 1
"""Of every format."""


@dataclass(frozen=True)
class ReleaseFormat:
    """How one type of release lies on disk.

    Attributes:
        release: the type.
        name: first part of the entry ``format`` of its manifest.
        about: what to call such a release.
        tables: its Parquet files.
        known_items: m, how many known items it protects against, from the release; None where only listed ones are.
        counts: names of the numbers that its manifest publishes.
        count: these numbers, from the release; rows may stand in any order.
        may_list: whether there may be no m, because only listed combinations are protected, or no items at all.
        tables_of: the content of its Parquet files, from the release.
        read: the release of a folder, given its manifest.
        texts: every text that is written of a result, to be looked at before anything is.
        parts: start of the names of further Parquet files, numbered from 0; empty if there are none.
        divided: tables that may lie in numbered parts instead, as ``name-0.parquet``, ``name-1.parquet``, ...
        json: its form as one JSON file, if it has one.
        of_sets: whether it is made from sets of items; if not, from a table.
        guide: what its readers need to know, from its manifest alone; without it there is no README.
    """

    release: type
    name: str
    about: str
    tables: tuple[str, ...]
    known_items: Callable[[Any], int | None]
    counts: frozenset[str]
    count: Callable[[Any], dict[str, int]]
    tables_of: Callable[[Any], tuple[Written, ...]]
    read: Callable[[Path, Mapping[str, Any]], Any]
    texts: Callable[[Any], Iterable[str]]
    may_list: bool = False
    parts: str = ""
    divided: tuple[str, ...] = ()
    json: JsonForm | None = None
    of_sets: bool = True
    guide: Callable[[Mapping[str, Any]], Guide] | None = None

    def files(self, found: Collection[str]) -> tuple[str, ...]:
        """Its Parquet files, given the names that were found: as many numbered ones as follow each other."""
        tables = tuple(name for table in self.tables for name in self.parts_of(table, found))
        return (*tables, *_numbered(self.parts, found)) if self.parts else tables

    def parts_of(self, table: str, found: Collection[str]) -> tuple[str, ...]:
        """The files of one of its tables: its own, or its parts where they were found and it was not."""
        if table not in self.divided or table in found:
            return (table,)
        return _numbered(f"{table.removesuffix('.parquet')}-", found) or (table,)

    @property
    def stamp(self) -> str:
        """The entry ``format`` of a manifest."""
        return f"{self.name}/{VERSION}"


def _numbered(start: str, found: Collection[str]) -> tuple[str, ...]:
    many = 0
    while f"{start}{many}.parquet" in found:
        many += 1
    return tuple(f"{start}{number}.parquet" for number in range(many))


def format_of(release: Release) -> ReleaseFormat:
    """The format of a release.

    >>> from cloven.data.transactions import Transactions
    >>> format_of(Transactions.from_records([["flu"]]))
    Traceback (most recent call last):
    ...
    cloven.errors.ParameterError: no release but Transactions; give the release that an anonymiser made
    """
    formats: tuple[ReleaseFormat, ...] = part(release, "files").FORMATS
    return next(each for each in formats if isinstance(release, each.release))


def all_formats() -> tuple[ReleaseFormat, ...]:
    """Every format of every kind."""
    return tuple(each for files in parts("files").values() for each in files.FORMATS)


def format_named(found: object, source: str) -> ReleaseFormat:
    """The format that a manifest names, if it is known and not newer than this program."""
    name, _, version = str(found).rpartition("/")
    known = {each.name: each for each in all_formats()}.get(name)
    if known is None or not re.fullmatch(r"[1-9][0-9]{0,5}", version):
        *names, last = (each.name for each in all_formats())
        message = f"{source}: not a {', '.join(names)} or {last} release; its format is {shorten(str(found))}"
        raise ReleaseError(message)
    if int(version) != VERSION:
        message = f"{source}: format {found} is not known, only {known.stamp}; use the Cloven that wrote it"
        raise ReleaseError(message)
    return known


def is_count(value: object) -> bool:
    """Whether it is a whole number from 0 that fits in a table."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def all_up_to(parameters: Mapping[str, Any]) -> int | None:
    """The m of k^m-anonymity; None if no combinations but listed ones are protected."""
    found = parameters.get("all_up_to")
    return found if is_count(found) and found else None
