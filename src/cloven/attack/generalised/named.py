"""Attacks on set-generalised releases by name: for the command line, for experiments, and for tools on top."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.attack.generalised.elimination import Elimination
from cloven.attack.generalised.methods import METHODS as BY_DISTANCE
from cloven.attack.generalised.random_attack import RandomElimination
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from cloven.protocols import Relatedness

METHODS = ("random", *BY_DISTANCE)


def elimination_named(
    method: str = "rba", relatedness: Relatedness | None = None, *, share: float | None = None, **options: Any
) -> Elimination | RandomElimination:
    """The attack of this name; ``share`` is for the random one, ``options`` are fields of ``Elimination``.

    >>> elimination_named("random").parameters["name"]
    'random-elimination'

    Raises:
        ParameterError: there is no such method, or it needs a relatedness.
    """
    if method not in METHODS:
        message = f"no method {method!r}; choose one of {', '.join(METHODS)}"
        raise ParameterError(message)
    if method == "random":
        return RandomElimination(share)
    if relatedness is None:
        message = f"method {method!r} needs to know how related words are; give a relatedness"
        raise ParameterError(message)
    return Elimination(relatedness, method, **options)
