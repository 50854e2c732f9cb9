"""What cannot be done block by block, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from cloven.kinds.disassociated.methods.disassociation import Disassociation


def refuse_whole_data(method: Disassociation, said: str) -> None:
    """Refuse what would need all records in one place, or would give something else than with all in memory.

    ``said`` goes on after the reason: where it does not run, and what to do.
    """
    reasons = {
        "refine=True joins clusters of the whole release": method.refine,
        f"safe={method.safe!r} draws lots and repairs releases one by one": method.safe != "no",
        "rare_items='list' looks at all clusters one after another": method.rare_items == "list",
        "root_chunks='several' looks at all leftovers at once": method.root_chunks == "several"
        and method.rare_items != "cluster",
        "min_item_support above 1": method.min_item_support > 1,
        "tie_order='first-seen' follows the order of the input, which a cluster has not": method.tie_order
        == "first-seen",
        "a horizontal step of your own": not isinstance(method.horizontal, str),
    }
    reason = next((reason for reason, holds in reasons.items() if holds), None)
    if reason is not None:
        message = f"{reason}, and {said}"
        raise ParameterError(message)
