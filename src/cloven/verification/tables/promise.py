"""What a published table promises, read once from its parameters into plain types.

Parameters come from a file that anybody may have written, so each is looked at before it is used. What cannot be
understood is kept as such: a promise that nobody can check is a fault, not a reason to stop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cloven.errors import shorten

if TYPE_CHECKING:
    from cloven.model.published_table import GeneralisedTable, Sliced

LARGEST = float(2**53)
_NEEDED = {
    "distinct-l": ("l",),
    "entropy-l": ("l",),
    "recursive-l": ("l", "c"),
    "t-closeness": ("t",),
}


@dataclass(frozen=True)
class Demand:
    """A constraint that every group keeps to.

    Attributes:
        name: what it asks for.
        attributes: sensitive attributes that it speaks of, taken jointly.
        l, c, t: its levels; 0 where it has none.
        ordered: whether distances are those of ranks.
        harmless: values that nobody has to be hidden for.
        within: numbers that lie so near to each other count as one; a share of the larger one if ``relative``.
        relative: whether it is a share.
        clear: whether it can be understood.
        told: the entry as it stands in the parameters, shortened.
    """

    name: str
    attributes: tuple[str, ...] = ()
    l: float = 0.0
    c: float = 0.0
    t: float = 0.0
    ordered: bool = False
    harmless: frozenset[str] = frozenset()
    within: float = 0.0
    relative: bool = False
    clear: bool = False
    told: str = ""


@dataclass(frozen=True)
class Promise:
    """All that the checks of a published table go by.

    Attributes:
        l: sensitive values are told with a chance of at most 1/l; None if that is not promised.
        check: how that is checked.
        jointly: whether sensitive attributes of one column are one secret.
        demands: constraints.
        invented: whether rows may belong to nobody.
        exchanged: whether values may be somebody else's.
        partly: whether only some persons are published.
        unclear: what cannot be understood, one line each.
    """

    l: float | None
    check: str | None
    jointly: bool
    demands: tuple[Demand, ...]
    invented: bool
    exchanged: bool
    partly: bool
    unclear: tuple[str, ...]

    @classmethod
    def of(cls, release: GeneralisedTable | Sliced) -> Promise:
        """Read the parameters of a release.

        >>> from types import SimpleNamespace
        >>> promise = Promise.of(SimpleNamespace(parameters={"l": 3, "constraints": "x"}))
        >>> promise.l, promise.unclear
        (3, ("constraints cannot be 'x'",))
        """
        given = release.parameters
        listed, l = given.get("constraints", []), given.get("l")
        rate: Any = given.get("sampling_rate")
        unclear = [
            f"{name} cannot be {shorten(str(given[name]))}"
            for name, sound in (
                ("l", l is None or _is_number(l, 1)),
                ("constraints", isinstance(listed, list | tuple)),
                ("sampling_rate", "sampling_rate" not in given or (_is_number(rate, 0) and 0 < rate <= 1)),
            )
            if not sound
        ]
        check = given.get("check", "bucket" if given.get("method") == "anatomy" else None)
        return cls(
            l if _is_number(l, 1) else None,
            check if isinstance(check, str) else None,
            given.get("together") == "jointly",
            tuple(map(_demand, listed if isinstance(listed, list | tuple) else ())),
            given.get("invented_rows") is True,
            given.get("swap_rate") is not None,
            bool(rate) or bool(given.get("suppressed")),
            tuple(unclear),
        )


def _is_number(value: Any, least: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= LARGEST


def _demand(entry: Any) -> Demand:
    told = shorten(str(entry))
    if not isinstance(entry, dict):
        return Demand("constraint", told=told)
    name, listed = str(entry.get("demand")), entry.get("attributes")
    names = listed if isinstance(listed, list | tuple) else ()
    attributes = tuple(each for each in names if isinstance(each, str))
    levels: dict[str, Any] = {level: entry.get(level) for level in _NEEDED.get(name, ())}
    least = {"l": 1.0, "c": 0.0, "t": 0.0}
    clear = bool(levels) and all(_is_number(value, least[level]) for level, value in levels.items())
    clear = clear and (name != "recursive-l" or entry["l"] == int(entry["l"]))
    clear = clear and (name != "t-closeness" or entry.get("distance") in ("equal", "ordered"))
    harm = _harm(entry) if name == "distinct-l" and len(attributes) == 1 else None
    if not {"harmless", "within"} & set(entry):
        harm = (frozenset(), 0.0, False)
    if not clear or len(attributes) != len(names) or harm is None:
        return Demand(name, attributes, told=told)
    ordered = entry.get("distance") == "ordered"
    return Demand(
        name,
        attributes,
        **levels,
        ordered=ordered,
        harmless=harm[0],
        within=harm[1],
        relative=harm[2],
        clear=True,
        told=told,
    )


def _harm(entry: dict[Any, Any]) -> tuple[frozenset[str], float, bool] | None:
    """Harmless values, how near numbers are one, and whether that is a share; None if it cannot be understood."""
    listed, near = entry.get("harmless", []), entry.get("within", 0.0)
    if not isinstance(listed, list | tuple) or not all(isinstance(value, str) for value in listed):
        return None
    if isinstance(near, str) and near.endswith(" %"):
        try:
            share = float(near[:-2]) / 100
        except ValueError:
            return None
        return (frozenset(listed), share, True) if 0 < share < 1 else None
    return (frozenset(listed), float(near), False) if _is_number(near, 0) else None
