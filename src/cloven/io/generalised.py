"""The tables of a set-generalised release, format ``cloven.set-generalised/1`` (docs/reference/release-format.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.io.formats import all_up_to
from cloven.io.manifest import MANIFEST, expect, parameters_of
from cloven.io.tables import (
    expect_counting,
    item_lists,
    list_column,
    number_column,
    number_lists,
    read_table,
    text_column,
)
from cloven.model.set_generalised import SetGeneralised

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from cloven.io.tables import Written

BLOCKS = {"block": "int64", "label": "string", "items": "list"}
ROWS = {"row": "int64", "blocks": "numbers"}


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
    return parameters
