"""What families have in common whose data are transactions: fingerprint, published counts, writing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.model.audience import is_differentially_private

if TYPE_CHECKING:
    from pathlib import Path

    from cloven.model.transactions import Transactions


class OfTransactions:
    """The part of a family that does not depend on the kind of release; ``cloven.io`` tells kinds apart."""

    def fingerprint(self, data: Transactions) -> str:
        """SHA-256 of the data."""
        from cloven.io.fingerprint import fingerprint

        return fingerprint(data)

    def published(self, release: Any) -> dict[str, int]:
        """Counts that anybody can read off the release."""
        from cloven.io.manifest import count

        return count(release)

    def shares_totals(self, method: Any) -> bool:
        """Whether totals over the records may be public."""
        return not is_differentially_private(method.parameters)

    def write(self, result: Any, public: Path, private: Path, original: Transactions | None) -> str:
        """Check the release once more, write it and the owner's key to two new folders."""
        from cloven.io.key import write_key
        from cloven.io.release import write_public
        from cloven.verification import verify

        policy = getattr(result, "policy", None)
        verify(result.release, policy=policy, allow_seeded=True).raise_if_broken()
        digest = write_public(result.release, public, "parquet")
        write_key(result, private, manifest_sha256=digest, original=original)
        return digest
