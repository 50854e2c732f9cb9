"""Who is in another release too: found in the table that it was made from, or by its receipt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.errors import ClovenError
from cloven.families.tables_other import shared_rows
from cloven.io.fingerprint import fingerprint
from cloven.io.receipt import read_receipt
from cloven.io.release import places
from cloven.io.schema_file import read_schema
from cloven.io.table_reader import read_table
from cloven.threats import Knowledge, OtherRelease

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from cloven.model.table import Table


def with_shared(
    knowledge: Knowledge, data: Table, schema: Path, other_release: Path | None, other_data: Path | None
) -> Knowledge:
    """What attackers of a table have, where each other release says who is in both."""
    if other_release is None:
        return knowledge
    if other_data is not None:
        shared: NDArray[np.int64] | None = shared_rows(data, read_table(other_data, read_schema(schema)))
    else:
        shared = data.source_rows if _same_data(data, other_release) else None
    releases = tuple(OtherRelease(release, shared) for release in knowledge.releases)
    return Knowledge(knowledge.relatedness, releases)


def _same_data(data: Table, release: Path) -> bool:
    """Whether the owner's folder beside a release says that it was made from the same table."""
    audited = release.parent if release.name == "published" else release
    for place in {places(release)[1], places(audited)[1]}:
        try:
            if read_receipt(place)["input_sha256"] == fingerprint(data):
                return True
        except (ClovenError, OSError):  # no receipt of ours
            continue
    return False
