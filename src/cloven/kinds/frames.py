"""Releases of any kind, and data, as PyArrow tables: ``.to_pandas()``, or ``polars.from_arrow`` of it, make others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.registry import part

if TYPE_CHECKING:
    import pyarrow as pa


def to_frame(shown: Any) -> pa.Table:
    """What a release or data shows, in a PyArrow table.

    Of a disassociated release each row is a published part: cluster, joint, chunk, kind, items. Of a set-generalised
    one each row is a record, with the items of each of its blocks. Of a published table, and of a ``Table``, each row
    is a row; of a sliced one it is a part of a ``bucket`` and a ``column``. Of ``Transactions`` each row is a record.

    >>> import cloven as cv
    >>> release = cv.Disassociation().anonymise(cv.sample("clinic")).release
    >>> to_frame(release).slice(0, 1).to_pylist()[0]["kind"], to_frame(cv.sample("clinic")).num_rows
    ('record', 1000)
    """
    if hasattr(shown, "family"):
        found: pa.Table = part(shown, "files").to_frame(shown)
        return found
    if hasattr(shown, "offsets"):
        import pyarrow as pa

        from cloven.storage.parquet import list_column

        items = list_column(shown.vocabulary, shown.offsets, shown.codes)
        return pa.table({"record": pa.array(range(len(shown)), pa.int64()), "items": items})
    from cloven.kinds.tables.files import to_frame as of_table

    return of_table(shown)
