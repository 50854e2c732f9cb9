"""Is the release marked as made for experiments: unsafe parameters, or random numbers from a seed?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.verification.verdict import Check

if TYPE_CHECKING:
    from cloven.model.disassociated import Disassociated
    from cloven.model.published_table import GeneralisedTable, Sliced
    from cloven.model.set_generalised import SetGeneralised


def check_mark(
    release: Disassociated | SetGeneralised | GeneralisedTable | Sliced, mark: str, *, allowed: bool
) -> Check:
    """Fail a release that carries the mark, unless the caller allows it."""
    marked = bool(release.parameters.get(mark))
    if not marked:
        detail = f"not marked {mark}"
    elif allowed:
        detail = f"information: marked {mark}, which was allowed"
    else:
        detail = f"the release is marked {mark}: for experiments only, not for publishing"
    return Check(f"not {mark}", "release", passed=allowed or not marked, examined=1, detail=detail)
