"""Words that several kinds of release share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.generalised.release import SetGeneralised


def about_release(release: Disassociated | SetGeneralised) -> str:
    """What another release promises, in a few words."""
    m = getattr(release, "m", None) or release.parameters.get("all_up_to")
    return f"{release.records:,} records, k={release.k}" + (f", m={m}" if m else "")
