"""What a standard asks, as data: one TOML file for each, in our words. Nothing of it is quoted."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, get_args

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from cloven.disclosure.risk import Criterion
    from cloven.standards.context import Judged

Name = Literal["wp29", "ema", "hipaa", "iso27559"]
NAMES: tuple[str, ...] = get_args(Name)


@dataclass(frozen=True)
class Clause:
    """One thing that a standard asks.

    Attributes:
        asks: what, in our words.
        number: where it stands there; empty where that is not certain enough to be cited.
        answer: name of what an audit can say of it (``answers.ANSWERS``); empty if nothing.
        person: what somebody has to do or to write; empty if nothing is left to do.
    """

    asks: str
    number: str = ""
    answer: str = ""
    person: str = ""


@dataclass(frozen=True)
class Standard:
    """A standard.

    Attributes:
        name: one word, for commands.
        title: what it is called.
        about: what it wants, in a sentence or two.
        clauses: what it asks.
        beyond: what it asks that no tool can give, each in a sentence.
        signatures: who signs, each with what is signed.
        threshold: largest probability that a person is found; None if it names none.
        needs_threshold: whether somebody has to name one where it does not.
        judged: which risk is held against it; None where the context chooses.
        criteria: what attackers must be shown to fail at.
    """

    name: str
    title: str
    about: str
    clauses: tuple[Clause, ...]
    beyond: tuple[str, ...]
    signatures: tuple[tuple[str, str], ...]
    threshold: float | None = None
    needs_threshold: bool = False
    judged: Judged | None = None
    criteria: tuple[Criterion, ...] = ()


def standard(name: str) -> Standard:
    """A standard by name.

    >>> standard("ema").threshold
    0.09
    """
    if name not in NAMES:
        message = f"the standard must be one of {', '.join(NAMES)} (got {name!r})"
        raise ParameterError(message)
    text = files("cloven.standards").joinpath("data", f"{name}.toml").read_text(encoding="utf-8")
    plain: dict[str, Any] = tomllib.loads(text)
    return Standard(
        **plain
        | {
            "name": name,
            "clauses": tuple(Clause(**each) for each in plain["clauses"]),
            "beyond": tuple(plain["beyond"]),
            "signatures": tuple((each["who"], each["what"]) for each in plain["signatures"]),
            "criteria": tuple(plain.get("criteria", ())),
        }
    )
