"""A release as CSV for eyes and spreadsheets, one line per published row; not meant to be read back."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

from cloven.figures import escape_formula
from cloven.kinds.disassociated.release import Kind
from cloven.storage.atomic import staged, write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cloven.kinds.disassociated.release import Disassociated


HEADER = ("cluster", "joint", "chunk", "kind", "items")


def write_csv(release: Disassociated, path: Path) -> None:
    """Write cluster, joint, chunk, kind and the items joined by ``" | "``; all of it or no file."""
    with staged(Path(path)) as (place,):
        write_bytes(place, csv_bytes(release))


def csv_bytes(release: Disassociated) -> bytes:
    """Content of the file that ``write_csv`` writes."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(HEADER)
    writer.writerows(_lines(release))
    return text.getvalue().encode("utf-8", "backslashreplace")


def _lines(release: Disassociated) -> Iterator[tuple[str | int, ...]]:
    places = zip(
        release.row_cluster.tolist(),
        release.row_joint.tolist(),
        release.row_chunk.tolist(),
        release.row_kind.tolist(),
        strict=True,
    )
    for row, (cluster, joint, chunk, kind) in enumerate(places):
        items = escape_formula(" | ".join(release.row(row)))
        yield (
            "" if cluster < 0 else cluster,
            "" if joint < 0 else joint,
            chunk,
            Kind(kind).name.lower(),
            items,
        )
