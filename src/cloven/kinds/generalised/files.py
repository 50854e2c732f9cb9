"""The tables of a set-generalised release, format ``cloven.set-generalised/1`` (docs/reference/release-format.md)."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.kinds.generalised.guide import guide
from cloven.kinds.generalised.release import SetGeneralised
from cloven.storage.manifest import (
    MANIFEST,
    JsonForm,
    ReleaseFormat,
    all_up_to,
    expect,
    is_count,
    parameters_of,
)
from cloven.storage.parquet import (
    expect_counting,
    item_lists,
    list_column,
    number_column,
    number_lists,
    read_table,
    text_column,
)
from cloven.storage.release import coded, objects

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import pyarrow as pa

    from cloven.kinds.generalised.key import Generalised
    from cloven.storage.parquet import Written


BLOCKS = {"block": "int64", "label": "string", "items": "list"}
ROWS = {"row": "int64", "blocks": "numbers"}


def to_frame(release: SetGeneralised) -> pa.Table:
    """The published records: of each the items of its blocks."""
    import pyarrow as pa

    blocks = [release.block(number) for number in range(release.blocks)]
    rows = np.split(release.row_blocks, release.row_offsets[1:-1])
    return pa.table(
        {
            "row": pa.array(range(release.records), pa.int64()),
            "blocks": pa.array(
                [[blocks[number] for number in row.tolist()] for row in rows][: release.records],
                pa.list_(pa.list_(pa.string())),
            ),
        }
    )


def tables_of(release: SetGeneralised) -> tuple[Written, ...]:
    """Names, columns and values of the Parquet files."""
    import pyarrow as pa

    blocks: dict[str, Any] = {
        "block": np.arange(release.blocks),
        "label": pa.array(release.block_labels, pa.string()),
        "items": list_column(release.vocabulary, release.block_offsets, release.block_items),
    }
    rows: dict[str, Any] = {
        "row": np.arange(release.records),
        "blocks": number_column(release.row_offsets, release.row_blocks),
    }
    return ("blocks.parquet", BLOCKS, blocks), ("rows.parquet", ROWS, rows)


def read_generalised(path: Path, manifest: Mapping[str, Any]) -> SetGeneralised:
    """Read the folder of a release whose manifest this is."""
    blocks, rows = (
        read_table(path / name, columns)
        for name, columns in (("blocks.parquet", BLOCKS), ("rows.parquet", ROWS))
    )
    expect_counting(blocks, "block", path / "blocks.parquet")
    expect_counting(rows, "row", path / "rows.parquet")
    block_offsets, block_items, vocabulary = item_lists(blocks, path / "blocks.parquet")
    row_offsets, row_blocks = number_lists(rows, "blocks", path / "rows.parquet", len(blocks))
    return SetGeneralised(
        k=manifest["k"],
        parameters=checked_parameters(manifest, str(path / MANIFEST)),
        vocabulary=vocabulary,
        block_labels=text_column(blocks, "label", path / "blocks.parquet"),
        block_offsets=block_offsets,
        block_items=block_items,
        row_offsets=row_offsets,
        row_blocks=row_blocks,
    )


def checked_parameters(manifest: Mapping[str, Any], source: str) -> dict[str, Any]:
    """The parameters, if they promise as much as the entry ``m`` says: ``verify`` goes by them."""
    parameters = parameters_of(manifest)
    expect(manifest["m"] == all_up_to(parameters), source, "m", "all_up_to of the parameters", manifest["m"])
    listed = parameters.get("protected", 0)
    expect(is_count(listed), source, "protected", "a number of itemsets", listed)
    return parameters


# A set-generalised release as one JSON file, a line for each block and each row, without loss.
#
# The same content and order as the folder; see docs/reference/release-format.md.


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
    blocks = objects(document, "blocks", {"label", "items"}, source)
    for number, block in enumerate(blocks):
        sound = isinstance(block["label"], str) and _is_list(block["items"], str)
        expect(sound, source, f"blocks[{number}]", "a label and a list of text", block)
    rows = document["rows"]
    expect(isinstance(rows, list), source, "rows", "a list", rows)
    for number, row in enumerate(rows):
        sound = _is_list(row, int) and all(is_count(block) and block < len(blocks) for block in row)
        expect(sound, source, f"rows[{number}]", f"a list of numbers below {len(blocks)}", row)
    vocabulary, block_offsets, block_items = coded([block["items"] for block in blocks])
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


def _count(release: SetGeneralised) -> dict[str, int]:
    return {
        "records": release.records,
        "items": len(release.vocabulary),
        "blocks": release.blocks,
        "generalised_items": int((release.block_sizes > 1).sum()),
        "largest_block": int(release.block_sizes.max(initial=0)),
        "empty_records": int((np.diff(release.row_offsets) == 0).sum()),
    }


def _written(result: Generalised) -> Iterable[str]:
    return chain(result.release.vocabulary, result.release.block_labels, *result.key.suppressed_items)


def shown(result: Any) -> Any:
    """The result as it is published: all of it."""
    return result


FORMATS = (
    ReleaseFormat(
        SetGeneralised,
        "cloven.set-generalised",
        "set-generalised",
        ("blocks.parquet", "rows.parquet"),
        lambda release: all_up_to(release.parameters),
        frozenset(("records", "items", "blocks", "generalised_items", "largest_block", "empty_records")),
        _count,
        tables_of,
        read_generalised,
        _written,
        may_list=True,
        json=JsonForm(PARTS, parts_of, of_document),
        guide=guide,
    ),
)
