"""What an attack is compared with: guesswork that chooses alike, and the same attack with its words shuffled.

What the control reaches, meaning did not bring.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from cloven.kinds.disassociated.attack.guesswork import Guesswork
from cloven.kinds.disassociated.attack.named import Paired
from cloven.kinds.disassociated.attack.selection import SELECTIONS
from cloven.kinds.disassociated.attack.semantic import Semantic
from cloven.kinds.generalised.attack.elimination import Elimination
from cloven.relatedness.combination import Shuffled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloven.kinds.generalised.attack.elimination import RandomElimination
    from cloven.protocols import Attack


@overload
def control_of(attack: Attack, seed: int = 0) -> Attack | None: ...
@overload
def control_of(attack: Elimination | RandomElimination, seed: int = 0) -> Elimination | None: ...
def control_of(
    attack: Attack | Elimination | RandomElimination, seed: int = 0
) -> Attack | Elimination | None:
    """The attack with shuffled relatedness; None if it uses no relatedness.

    >>> import cloven as cv
    >>> control_of(cv.attacks.Semantic(cv.relatedness.Vectors.sample())).relatedness.name
    'shuffled-vectors'
    """
    if isinstance(attack, Elimination):
        known = attack.relatedness
        return None if known is None else replace(attack, relatedness=Shuffled(known, seed))
    if isinstance(attack, Semantic):
        return replace(attack, relatedness=Shuffled(attack.relatedness, seed))
    if isinstance(attack, Paired):
        record, term = control_of(attack.record, seed), control_of(attack.term, seed)
        return None if record is term is None else Paired(record or attack.record, term or attack.term)
    return None


def guesswork_of(attack: Mapping[str, Any]) -> Guesswork:
    """Guesswork with the selection of an attack, told by its parameters; ``best`` where they do not say.

    A pair selects like its part for sub-records, which takes part in every measure; VPA puts one to a row.

    >>> guesswork_of({"name": "paired", "record": {"name": "vpa"}, "term": {"name": "guesswork"}}).selection
    'one-per-row'
    """
    for part in (attack, attack.get("record"), attack.get("term")):
        told = part if isinstance(part, dict) else {}
        selection = "one-per-row" if told.get("name") == "vpa" else told.get("selection")
        if isinstance(selection, str) and selection in SELECTIONS:
            return Guesswork(selection)
    return Guesswork()
