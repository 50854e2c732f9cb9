"""A release as one JSON file, without loss: the manifest, and a line for each of its parts.

The same content and order as the folder; see docs/reference/release-format.md. What the parts are, each kind says.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import ParameterError, ReleaseError
from cloven.storage.formats import format_named, format_of
from cloven.storage.manifest import build_manifest, check_manifest, expect, parse_json
from cloven.storage.parquet import read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from cloven.storage.formats import JsonForm, Release, ReleaseFormat, SetRelease


def json_bytes(release: Release) -> bytes:
    """A release in canonical order as JSON, a line for each of its parts; same release, same bytes."""
    parts = json_form(format_of(release)).parts_of(release)
    manifest = json.dumps(build_manifest(release, {}), ensure_ascii=False, sort_keys=True, allow_nan=False)
    lines = ",\n".join(f'"{name}": {_lines(values)}' for name, values in parts.items())
    return f'{{"manifest": {manifest},\n{lines}}}\n'.encode()


def read_json(path: Path) -> SetRelease:
    """Read a release from a JSON file; ``ReleaseError`` says what is wrong with it."""
    document = _document(path)
    form = json_form(format_named(document["manifest"]["format"], str(path)))
    release: SetRelease = form.of_document(document, str(path))
    return release


def json_form(format: ReleaseFormat) -> JsonForm:
    """How releases of a format stand in a JSON file; an error if they do not."""
    if format.json is None:
        message = f"a {format.about} is written as a folder of Parquet files; leave the format json out"
        raise ParameterError(message)
    return format.json


def read_json_manifest(path: Path) -> dict[str, Any]:
    """Read and check the manifest inside a JSON file."""
    return dict(_document(path)["manifest"])


def _document(path: Path) -> dict[str, Any]:
    document = parse_json(read_bytes(path), str(path))
    whole = isinstance(document, dict) and "manifest" in document
    expect(whole, str(path), "the file", "an object with a manifest", document)
    manifest = check_manifest(document["manifest"], str(path), in_json=True)
    parts = json_form(format_named(manifest["format"], str(path))).parts
    whole = set(document) == {"manifest", *parts}
    expect(whole, str(path), "the file", f"an object with manifest, {' and '.join(parts)}", document)
    return dict(document)


def coded(
    lists: Sequence[list[str]], source: str
) -> tuple[tuple[str, ...], NDArray[np.int64], NDArray[np.int32]]:
    """Lists of items as their vocabulary, ascending by code point, offsets and codes."""
    vocabulary = sorted({item for row in lists for item in row})
    try:
        "".join(vocabulary).encode()
    except UnicodeEncodeError as error:
        message = f"{source}: an item is no valid Unicode ({error.reason}); get the file again"
        raise ReleaseError(message) from error
    code_of = {name: code for code, name in enumerate(vocabulary)}
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    codes = np.fromiter((code_of[item] for row in lists for item in row), np.int32, int(lengths.sum()))
    return tuple(vocabulary), np.concatenate(([0], np.cumsum(lengths))), codes


def objects(document: Mapping[str, Any], name: str, fields: set[str], source: str) -> list[dict[str, Any]]:
    """A list of objects with exactly these fields."""
    found = document[name]
    expect(isinstance(found, list), source, name, "a list", found)
    for number, value in enumerate(found):
        sound = isinstance(value, dict) and set(value) == fields
        expect(sound, source, f"{name}[{number}]", f"an object with {', '.join(sorted(fields))}", value)
    return list(found)


def _lines(values: list[Any]) -> str:
    lines = (json.dumps(value, ensure_ascii=False) for value in values)
    return "[\n" + ",\n".join(lines) + "\n]" if values else "[]"
