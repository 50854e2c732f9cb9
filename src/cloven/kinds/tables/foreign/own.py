"""A published table of our own as plain texts, to be audited like one that others made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.errors import ParameterError
from cloven.kinds.tables.release import Sliced

if TYPE_CHECKING:
    from cloven.kinds.tables.release import TableRelease


def as_texts(release: TableRelease) -> Any:
    """An Arrow table with the labels of all cells.

    Raises:
        ParameterError: rows are cut into parts.
    """
    import pyarrow as pa

    if isinstance(release, Sliced):
        message = (
            "rows of this release are cut into parts, so without its method nothing can be tried on it; audit the table"
            " itself, cloven audit TABLE --schema FILE --methods slicing, or check it with cloven verify"
        )
        raise ParameterError(message)
    return pa.table(
        {
            domain.name: [domain.labels[cell] for cell in release.cells[:, place].tolist()]
            for place, domain in enumerate(release.domains)
        }
    )
