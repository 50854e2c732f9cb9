"""The control of an attack: the same attack, its words shuffled. What it reaches, meaning did not bring."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cloven.attack.disassociated.paired import Paired
from cloven.attack.disassociated.semantic import Semantic
from cloven.relatedness.shuffled import Shuffled

if TYPE_CHECKING:
    from cloven.protocols import Attack


def control_of(attack: Attack, seed: int = 0) -> Attack | None:
    """The attack with shuffled relatedness; None if it uses no relatedness.

    >>> import cloven as cv
    >>> control_of(cv.Semantic(cv.Vectors.sample())).relatedness.name
    'shuffled-vectors'
    """
    if isinstance(attack, Semantic):
        return replace(attack, relatedness=Shuffled(attack.relatedness, seed))
    if isinstance(attack, Paired):
        record, term = control_of(attack.record, seed), control_of(attack.term, seed)
        return None if record is term is None else Paired(record or attack.record, term or attack.term)
    return None
