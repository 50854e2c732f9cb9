"""Releases made by hand, with key and original: the test says which items go where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cloven.data.transactions import Transactions
from tests.unit.verify.keys import Plan, publish

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from cloven.kinds.disassociated.key import Anonymised
    from cloven.kinds.disassociated.release import Disassociated


@dataclass(frozen=True)
class Made:
    """A release with its key, and the data."""

    result: Anonymised
    original: Transactions

    @property
    def release(self) -> Disassociated:
        return self.result.release


def made_by_hand(data: Sequence[Collection[str]], plans: list[Plan], **options: Any) -> Made:
    """Publish the records as planned, with k = 2 if nothing else is said."""
    usual = {"k": 2, "method": "disassociation", "max_cluster_size": 4, "rare_items": "cluster"}
    return Made(publish(data, plans, **(usual | options)), Transactions.from_records(data))
