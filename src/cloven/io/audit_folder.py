"""The two folders of an audit: ``OUT`` with the release, to share; ``OUT.private`` with all that knows the truth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cloven.io.atomic import PRIVATE_FILE, staged, write_bytes

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from cloven.model.key import Anonymised
    from cloven.model.transactions import Transactions


def write_audit(
    result: Anonymised, out: str | os.PathLike[str], *, original: Transactions, documents: Mapping[str, str]
) -> None:
    """Write ``out/published`` and ``out.private`` (key, receipt and the documents), both or neither.

    The caller has verified the result; the writer verifies once more what it is about to publish.
    """
    from cloven.io.key import write_key
    from cloven.io.release import places, write_public
    from cloven.verification import verify

    public, private = places(Path(out))
    verify(result.release).raise_if_broken()
    with staged(private, public) as (private_place, public_place):
        public_place.mkdir()
        digest = write_public(result.release, public_place / "published", "parquet")
        write_key(result, private_place, manifest_sha256=digest, original=original)
        for name, text in documents.items():
            write_bytes(private_place / name, text.encode(), PRIVATE_FILE)
