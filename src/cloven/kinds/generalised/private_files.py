"""The owner's private folder of a set-generalised release: key, what was suppressed, the policy, and the receipt.

It lies beside the release, never inside it; folder mode 0700, files 0600. See docs/reference/release-format.md.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import InputError, ReleaseError
from cloven.kinds.generalised.key import GeneralisedKey
from cloven.kinds.generalised.policy_files import policy_bytes, read_policy
from cloven.storage.atomic import PRIVATE_FILE, PRIVATE_FOLDER, write_bytes
from cloven.storage.manifest import expect
from cloven.storage.parquet import (
    in_vocabulary,
    item_lists,
    list_column,
    name_lists,
    read_table,
    whole_numbers,
    write_table,
)
from cloven.storage.receipt import write_receipt

if TYPE_CHECKING:
    from cloven.data.transactions import Transactions
    from cloven.kinds.generalised.key import Generalised
    from cloven.kinds.generalised.policy import Policy
    from cloven.kinds.generalised.release import SetGeneralised


KEY = {"record": "int64", "row": "int64", "person": "int64", "items": "list"}
SUPPRESSED = {"record": "int64", "items": "list"}
POLICY = "policy.json"


def write_key(
    result: Generalised, place: Path, *, manifest_sha256: str, original: Transactions | None = None
) -> None:
    """Write the private folder of a release whose manifest has this SHA-256."""
    key = result.key
    place.mkdir(mode=PRIVATE_FOLDER)
    write_table(place / "key.parquet", KEY, _key_columns(key, result.release), PRIVATE_FILE)
    write_table(place / "suppressed.parquet", SUPPRESSED, _suppressed_columns(key), PRIVATE_FILE)
    if result.policy is not None:
        write_bytes(place / POLICY, policy_bytes(result.policy), PRIVATE_FILE)
    write_receipt(
        place,
        result.release,
        manifest_sha256=manifest_sha256,
        original=original,
        counts={
            "published_records": len(key.records),
            "records_with_suppressed_items": len(key.suppressed_record),
            "suppressed_items": sum(map(len, key.suppressed_items)),
        },
    )


def read_key(private: str | os.PathLike[str], release: SetGeneralised) -> GeneralisedKey:
    """Read the owner's key to a release from its private folder.

    Raises:
        ReleaseError: a file is missing, broken, or speaks of rows that the release does not have.
    """
    path = Path(private) / "key.parquet"
    table = read_table(path, KEY)
    row = whole_numbers(table, "row", path, below=release.records)
    each_once = np.array_equal(row, np.arange(release.records))
    expect(each_once, str(path), "row", "every row of the release, in their order", f"{len(row)} rows")
    offsets, codes, names = item_lists(table, path)
    persons = whole_numbers(table, "person", path, null=True)
    unknown = int((persons < 0).sum())
    expect(
        unknown in (0, len(persons)), str(path), "person", "there for all rows or none", f"{unknown} nulls"
    )
    suppressed = read_table(Path(private) / "suppressed.parquet", SUPPRESSED)
    return GeneralisedKey(
        records=whole_numbers(table, "record", path),
        offsets=offsets,
        items=in_vocabulary(names, release.vocabulary, path)[codes],
        suppressed_record=whole_numbers(suppressed, "record", Path(private) / "suppressed.parquet"),
        suppressed_items=name_lists(suppressed, Path(private) / "suppressed.parquet"),
        persons=None if unknown == len(persons) else persons,
    )


def read_private_policy(private: str | os.PathLike[str]) -> Policy | None:
    """The policy that the release was made by, if the private folder holds one."""
    path = Path(private) / POLICY
    if not os.path.lexists(path):
        return None
    try:
        return read_policy(path)
    except InputError as error:
        message = f"{error}; get the private folder again"
        raise ReleaseError(message) from error


def _key_columns(key: GeneralisedKey, release: SetGeneralised) -> dict[str, Any]:
    persons = np.full(len(key.records), -1, np.int64) if key.persons is None else key.persons
    return {
        "record": key.records,
        "row": np.arange(len(key.records)),
        "person": persons,
        "items": list_column(release.vocabulary, key.offsets, key.items),
    }


def _suppressed_columns(key: GeneralisedKey) -> dict[str, Any]:
    import pyarrow as pa

    items = pa.array(map(list, key.suppressed_items), pa.list_(pa.string()))
    return {"record": key.suppressed_record, "items": items}
