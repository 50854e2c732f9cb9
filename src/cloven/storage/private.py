"""The owner's private folder of a release of any kind; what stands in it, the ``private_files`` of its room say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from cloven.registry import part

if TYPE_CHECKING:
    import os

    from cloven.kinds.disassociated.key import Anonymised, Key
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.generalised.key import Generalised, GeneralisedKey
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.kinds.tables.key import PublishedTable, TableKey
    from cloven.kinds.tables.release import GeneralisedTable, Sliced


def write_key(
    result: Anonymised | Generalised | PublishedTable,
    place: Path,
    *,
    manifest_sha256: str,
    original: Any = None,
) -> None:
    """Write the private folder of a release of any kind whose manifest has this SHA-256."""
    files = part(result.release, "private_files")
    files.write_key(result, place, manifest_sha256=manifest_sha256, original=original)


@overload
def read_key(private: str | os.PathLike[str], release: Disassociated) -> Key: ...
@overload
def read_key(private: str | os.PathLike[str], release: SetGeneralised) -> GeneralisedKey: ...
@overload
def read_key(private: str | os.PathLike[str], release: GeneralisedTable | Sliced) -> TableKey: ...


def read_key(private: str | os.PathLike[str], release: Any) -> Any:
    """Read the owner's key to a release of any kind from its private folder.

    Raises:
        ReleaseError: a file is missing, broken, or speaks of parts that the release does not have.

    >>> import tempfile
    >>> import cloven as cv
    >>> result = cv.Disassociation(k=5, m=2).anonymise(cv.Transactions.from_records([["flu", "fever"]] * 6))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cv.write_release(result, Path(folder, "clinic"))
    ...     read_key(Path(folder, "clinic.private"), result.release) == result.key
    True
    """
    return part(release, "private_files").read_key(Path(private), release)


def read_policy_kept(private: Path, release: Any) -> Any:
    """The policy that the private folder keeps, if its kind of release is made by one."""
    kept = getattr(part(release, "private_files"), "read_private_policy", None)
    return None if kept is None else kept(private)
