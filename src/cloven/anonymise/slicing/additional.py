"""Rows that belong to nobody: added to a table so that real ones do not stand out.

They are rows of a table like any other, but their source is -1, which is what the key then says of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.table import Table

NOBODY = -1


def with_rows(table: Table, codes: NDArray[np.int32]) -> Table:
    """The table with more rows at its end; nobody is behind them."""
    nobody = np.full(len(codes), NOBODY, np.int64)
    width = table.codes.shape[1]
    return replace(
        table,
        codes=np.vstack([table.codes, codes.reshape(-1, width)]).astype(np.int32),
        source_rows=np.concatenate([table.source_rows, nobody]),
        persons=None,
    )


def one_sensitive(table: Table, method: str) -> int:
    """Position of the only sensitive attribute, for methods that handle one."""
    from cloven.anonymise.slicing.feasible import check_counts_rows
    from cloven.errors import ParameterError

    check_counts_rows(table, values=method != "hybrid")
    found = table.positions("sensitive")
    if len(found) == 1:
        return found[0]
    names = ", ".join(table.names("sensitive"))
    what = (
        f"the table has {len(found)}: {names}; change the roles, or use slicing"
        if found
        else "the table has none; give one that role in the schema"
    )
    message = f"{method} needs exactly one sensitive attribute, {what}"
    raise ParameterError(message)
