"""``manifest.json``: what a release is, in one small file (docs/reference/release-format.md)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven._version import __version__
from cloven.errors import ParameterError, ReleaseError, shorten
from cloven.model.arrays import distinct
from cloven.model.disassociated import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.model.disassociated import Disassociated

FORMAT, FORMAT_VERSION = "cloven.disassociated", 1
MANIFEST = "manifest.json"
TABLES = ("chunks.parquet", "clusters.parquet", "joints.parquet")
FIELDS = frozenset(
    ("format", "method", "k", "m", "parameters", "unsafe", "seeded", "counts", "version", "files")
)
MARKS = ("unsafe", "seeded")
COUNTS = frozenset(
    (
        "records",
        "clusters",
        "joints",
        "items",
        "rows",
        "record_chunks",
        "term_chunks",
        "shared_chunks",
        "oversize_clusters",
    )
)


def build_manifest(release: Disassociated, files: Mapping[str, str]) -> dict[str, Any]:
    """Describe a release; ``files`` gives the SHA-256 of each of its files, and is empty for JSON."""
    parameters = dict(release.parameters)
    if not isinstance(parameters.get("method"), str):
        message = "a release needs the name of its method in parameters['method']"
        raise ParameterError(message)
    _refuse_what_json_would_change(parameters)
    for mark in MARKS:
        if not isinstance(parameters.get(mark, False), bool):
            message = f"parameter {mark!r} is {parameters[mark]!r}; use True or False"
            raise ParameterError(message)
    method = parameters.pop("method")
    # Only a true mark moves up; one spelt out as false stays, so that reading gives the same mapping back.
    marks = {mark: bool(parameters.get(mark)) and parameters.pop(mark) for mark in MARKS}
    return {
        "format": f"{FORMAT}/{FORMAT_VERSION}",
        "method": method,
        "k": release.k,
        "m": release.m,
        "parameters": parameters,
        **marks,
        "counts": count(release),
        "version": __version__,
        "files": dict(files),
    }


def parameters_of(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The ``parameters`` of the release that a manifest describes: the inverse of ``build_manifest``."""
    marks = {mark: True for mark in MARKS if manifest[mark]}
    return {"method": manifest["method"], **manifest["parameters"], **marks}


def count(release: Disassociated) -> dict[str, int]:
    """The numbers a manifest publishes about its release; rows may stand in any order."""
    maximum = release.parameters.get("max_cluster_size")
    kind = release.row_kind
    oversize = release.cluster_size > maximum if isinstance(maximum, int) else np.zeros(0, bool)
    return {
        "records": release.records,
        "clusters": release.clusters,
        "joints": release.joints,
        "items": len(release.vocabulary),
        "rows": release.rows,
        "record_chunks": _chunks(release, kind == Kind.RECORD),
        "term_chunks": _chunks(release, kind == Kind.TERM),
        "shared_chunks": _chunks(release, kind == Kind.SHARED),
        "oversize_clusters": int(oversize.sum()),
    }


def manifest_bytes(manifest: Mapping[str, Any]) -> bytes:
    """The one way to write a manifest: keys sorted, two spaces, one newline at the end."""
    text = json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True, allow_nan=False)
    return f"{text}\n".encode()


def parse_json(content: bytes, source: str) -> Any:
    """Parse JSON that is UTF-8 and names no key twice; anything else is a ``ReleaseError``."""
    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant)
    except RecursionError:
        message = f"{source}: nested too deeply to be a release"
        raise ReleaseError(message) from None
    except ValueError as error:
        message = f"{source}: not valid JSON in UTF-8 ({error})"
        raise ReleaseError(message) from error


def check_manifest(value: object, source: str, tables: tuple[str, ...] = TABLES) -> dict[str, Any]:
    """Return the manifest if every field is there and of its type, else raise ``ReleaseError``."""
    found = value.get("format") if isinstance(value, dict) else value
    version = re.fullmatch(rf"{re.escape(FORMAT)}/([1-9][0-9]{{0,5}})", str(found))
    if version is None:
        message = f"{source}: not a {FORMAT} release; its format is {shorten(str(found))}"
        raise ReleaseError(message)
    if int(version[1]) > FORMAT_VERSION:
        message = f"{source}: format {found} is newer than {FORMAT}/{FORMAT_VERSION}; use a newer Cloven"
        raise ReleaseError(message)
    manifest: dict[str, Any] = value  # type: ignore[assignment]  # checked: it has a format
    expect(set(manifest) == FIELDS, source, "fields", sorted(FIELDS), sorted(manifest))
    for field in ("k", "m"):
        expect(
            _is_count(manifest[field]) and manifest[field] > 0, source, field, "1, 2, ...", manifest[field]
        )
    for mark in MARKS:
        expect(isinstance(manifest[mark], bool), source, mark, "true or false", manifest[mark])
    for field in ("method", "version"):
        plain = isinstance(manifest[field], str) and re.fullmatch(r"[\w.+-]{1,100}", manifest[field])
        expect(bool(plain), source, field, "a short name", manifest[field])
    _check_parts(manifest, source, tables)
    return manifest


def expect(holds: bool, source: str, field: str, wanted: object, found: object) -> None:
    """Unless it holds, raise a ``ReleaseError`` that names file, field, what it should be and what it is."""
    if not holds:
        message = f"{source}: {field} should be {wanted}; found {shorten(str(found))}; get the file again"
        raise ReleaseError(message)


def _check_parts(manifest: Mapping[str, Any], source: str, tables: tuple[str, ...]) -> None:
    parameters, counts, files = manifest["parameters"], manifest["counts"], manifest["files"]
    expect(isinstance(parameters, dict), source, "parameters", "an object", parameters)
    twice = "method" in parameters or any(parameters.get(mark, False) is not False for mark in MARKS)
    expect(not twice, source, "parameters", "free of method, unsafe and seeded", parameters)
    whole = isinstance(counts, dict) and set(counts) == COUNTS and all(map(_is_count, counts.values()))
    expect(whole, source, "counts", f"whole numbers for {', '.join(sorted(COUNTS))}", counts)
    named = isinstance(files, dict) and set(files) == set(tables)
    hashed = named and all(re.fullmatch("[0-9a-f]{64}", str(digest)) for digest in files.values())
    expect(hashed, source, "files", f"the SHA-256 of {', '.join(tables) or 'nothing'}", files)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def _chunks(release: Disassociated, rows: np.ndarray[Any, np.dtype[np.bool_]]) -> int:
    owner = np.maximum(release.row_cluster[rows], release.row_joint[rows])  # one of them is -1
    chunk = release.row_chunk[rows]
    return len(distinct(owner * (int(chunk.max(initial=0)) + 1) + chunk))


def _refuse_what_json_would_change(parameters: Mapping[str, Any]) -> None:
    for name, value in parameters.items():
        try:
            same = isinstance(name, str) and json.loads(json.dumps(value, allow_nan=False)) == value
        except (TypeError, ValueError):
            same = False
        if not same:
            message = f"parameter {name!r} is no plain JSON value: {value!r}; use numbers, text or lists"
            raise ParameterError(message)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        message = "a key stands there twice"
        raise ValueError(message)
    return result


def _no_constant(name: str) -> None:
    message = f"{name} is no JSON number"
    raise ValueError(message)
