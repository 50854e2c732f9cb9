"""What does not run on Spark, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.errors import ParameterError
from cloven.kinds.disassociated.methods.horizontal import HorPart

if TYPE_CHECKING:
    from cloven.kinds.disassociated.methods.disassociation import Disassociation


def refuse(method: Disassociation) -> None:
    """Refuse what would need all records in one place, or would give something else than with all in memory."""
    reasons = {
        "refine=True joins clusters of the whole release": method.refine,
        f"safe={method.safe!r} draws lots and repairs releases one by one": method.safe != "no",
        "rare_items='list' looks at all clusters one after another": method.rare_items == "list",
        "root_chunks='several' looks at all leftovers at once": method.root_chunks == "several"
        and method.rare_items != "cluster",
        "tie_order='first-seen' follows the order of the input, which a cluster has not": method.tie_order
        == "first-seen",
        "a horizontal step of your own": not isinstance(method.horizontal, HorPart),
    }
    reason = next((reason for reason, holds in reasons.items() if holds), None)
    if reason is not None:
        message = f"{reason}, and does not run on Spark; leave it out, or work in memory"
        raise ParameterError(message)


def runs(method: Disassociation) -> bool:
    """Whether a method does."""
    try:
        refuse(method)
    except ParameterError:
        return False
    return True
