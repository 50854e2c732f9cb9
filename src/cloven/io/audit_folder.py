"""The two folders of an audit: ``OUT`` (release, page) to share; ``OUT.private`` with all that knows the truth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloven.io.atomic import PRIVATE_FILE, PRIVATE_FOLDER, staged, write_bytes

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from cloven.protocols import Family

    Documents = Callable[[str | None], dict[str, str]]


def write_audit(
    out: str | os.PathLike[str],
    *,
    family: Family,
    result: Any,
    original: Any,
    public: Documents,
    private: Documents,
    ledger: str | os.PathLike[str] | None = None,
) -> str | None:
    """Write ``out`` and ``out.private``, both or neither, note the release in the ledger; gives the manifest's SHA-256.

    Args:
        out: the folder to share.
        family: writes the release to ``out/published`` and the key to ``out.private``.
        result: release and key, verified by the caller; None if there is nothing to publish.
        original: the data, for the receipt.
        public: names and texts of the pages to share, given the SHA-256 of the manifest.
        private: the same for the owner.
        ledger: folder of a ledger, if there is one besides the private folders.
    """
    from cloven.io.ledger_file import check_ledger, remember
    from cloven.io.release import places

    shared, kept = places(Path(out))
    check_ledger(ledger)
    with staged(kept, shared) as (kept_place, shared_place):
        shared_place.mkdir()
        if result is None:
            kept_place.mkdir(PRIVATE_FOLDER)
            digest = None
        else:
            digest = family.write(result, shared_place / "published", kept_place, original)
        for name, text in public(digest).items():
            write_bytes(shared_place / name, text.encode())
        for name, text in private(digest).items():
            write_bytes(kept_place / name, text.encode(), PRIVATE_FILE)
    if result is not None:
        remember(kept, ledger)
    return digest
