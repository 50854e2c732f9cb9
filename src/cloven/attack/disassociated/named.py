"""Attacks by name: for the command line, for experiments, and for tools on top.

>>> attack = attack_named("vpa", "random")
>>> attack.parameters["record"]["name"], attack.parameters["term"]["name"]
('vpa', 'guesswork')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.attack.disassociated.fitting import METHODS
from cloven.attack.disassociated.guesswork import Guesswork
from cloven.attack.disassociated.paired import Paired
from cloven.attack.disassociated.semantic import Semantic
from cloven.attack.disassociated.vertical_attack import VerticalPartitioning
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from cloven.protocols import Attack, Relatedness

RECORD_METHODS = (*METHODS, "vpa", "random")
TERM_METHODS = (*METHODS, "random")


def attack_named(
    record_method: str = "aba",
    term_method: str = "aba",
    relatedness: Relatedness | None = None,
    *,
    selection: str = "best",
    grow_anchors: bool = False,
    sharpness: float = 0.4,
    tries: int = 200,
) -> Attack:
    """The attack with this method for record and shared chunks, and that one for term chunks.

    Raises:
        ParameterError: there is no such method, or it needs a relatedness.
    """
    for what, method, known in (
        ("record", record_method, RECORD_METHODS),
        ("term", term_method, TERM_METHODS),
    ):
        if method not in known:
            message = f"no {what} method {method!r}; choose one of {', '.join(known)}"
            raise ParameterError(message)

    def semantic(record: str, term: str) -> Attack:
        if relatedness is None:
            message = f"method {record!r} needs to know how related words are; give a relatedness"
            raise ParameterError(message)
        return Semantic(relatedness, record, term, selection, grow_anchors, sharpness)

    def single(method: str) -> Attack:
        if method == "vpa":
            return VerticalPartitioning(tries, sharpness)
        return Guesswork(selection) if method == "random" else semantic(method, method)

    if record_method in METHODS and term_method in METHODS:
        return semantic(record_method, term_method)
    return Paired(single(record_method), single(term_method))
