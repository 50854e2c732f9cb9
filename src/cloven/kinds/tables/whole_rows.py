"""A published table of our own as plain rows of texts, to be audited like one that others made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.errors import ParameterError
from cloven.kinds.tables.files import to_frame
from cloven.kinds.tables.release import Sliced

if TYPE_CHECKING:
    import pyarrow as pa

    from cloven.kinds.tables.release import TableRelease


def whole_rows(release: TableRelease) -> pa.Table:
    """The rows of a release.

    Raises:
        ParameterError: its rows are cut into parts.
    """
    if isinstance(release, Sliced):
        message = (
            "rows of this release are cut into parts, so without its method nothing can be tried on it; audit the table"
            " itself, cloven audit TABLE --schema FILE --methods slicing, or check it with cloven verify"
        )
        raise ParameterError(message)
    return to_frame(release)
