"""``manifest.json``: what a release is, in one small file (docs/reference/release-format.md)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from cloven._version import __version__
from cloven.errors import ParameterError, ReleaseError, shorten
from cloven.storage.formats import format_named, format_of, is_count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.storage.formats import Release, ReleaseFormat

MANIFEST = "manifest.json"
FIELDS = frozenset(
    ("format", "method", "k", "m", "parameters", "unsafe", "seeded", "counts", "version", "files")
)
MARKS = ("unsafe", "seeded")


def build_manifest(release: Release, files: Mapping[str, str]) -> dict[str, Any]:
    """Describe a release; ``files`` gives the SHA-256 of each of its files, and is empty for JSON."""
    kind, parameters = format_of(release), dict(release.parameters)
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
        "format": kind.stamp,
        "method": method,
        "k": release.k,
        "m": kind.known_items(release),
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


def count(release: Release) -> dict[str, int]:
    """The numbers a manifest publishes about its release; rows may stand in any order."""
    return format_of(release).count(release)


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
    for field in ("method", "version"):
        plain = isinstance(manifest[field], str) and re.fullmatch(r"[\w.+-]{1,100}", manifest[field])
        expect(bool(plain), source, field, "a short name", manifest[field])
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


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        message = "a key stands there twice"
        raise ValueError(message)
    return result


def _no_constant(name: str) -> None:
    message = f"{name} is no JSON number"
    raise ValueError(message)
