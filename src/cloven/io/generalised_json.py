"""A set-generalised release as one JSON file, a line for each block and each row, without loss.

The same content and order as the folder; see docs/reference/release-format.md.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.io.formats import is_count
from cloven.io.generalised import checked_parameters
from cloven.io.manifest import expect
from cloven.model.set_generalised import SetGeneralised

if TYPE_CHECKING:
    from collections.abc import Mapping

PARTS = ("blocks", "rows")


def parts_of(release: SetGeneralised) -> dict[str, list[Any]]:
    """What stands in the file beside the manifest."""
    blocks = [
        {"label": label, "items": list(release.block(number))}
        for number, label in enumerate(release.block_labels)
    ]
    offsets, numbers = release.row_offsets.tolist(), release.row_blocks.tolist()
    rows = [numbers[start:end] for start, end in pairwise(offsets)]
    return {"blocks": blocks, "rows": rows}


def of_document(document: Mapping[str, Any], source: str) -> SetGeneralised:
    """The release of a parsed file whose manifest is sound."""
    from cloven.io.release_json import coded, objects  # which reads the file

    blocks = objects(document, "blocks", {"label", "items"}, source)
    for number, block in enumerate(blocks):
        sound = isinstance(block["label"], str) and _is_list(block["items"], str)
        expect(sound, source, f"blocks[{number}]", "a label and a list of text", block)
    rows = document["rows"]
    expect(isinstance(rows, list), source, "rows", "a list", rows)
    for number, row in enumerate(rows):
        sound = _is_list(row, int) and all(is_count(block) and block < len(blocks) for block in row)
        expect(sound, source, f"rows[{number}]", f"a list of numbers below {len(blocks)}", row)
    vocabulary, block_offsets, block_items = coded([block["items"] for block in blocks], source)
    manifest = document["manifest"]
    return SetGeneralised(
        k=manifest["k"],
        parameters=checked_parameters(manifest, source),
        vocabulary=vocabulary,
        block_labels=tuple(block["label"] for block in blocks),
        block_offsets=block_offsets,
        block_items=block_items,
        row_offsets=np.cumsum([0, *map(len, rows)], dtype=np.int64),
        row_blocks=np.array([block for row in rows for block in row], np.int32),
    )


def _is_list(value: object, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(each, kind) for each in value)
