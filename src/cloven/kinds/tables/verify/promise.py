"""What a published table promises, read once from its parameters into plain types.

Parameters come from a file that anybody may have written, so each is looked at before it is used. What cannot be
understood is kept as such: a promise that nobody can check is a fault, not a reason to stop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cloven.errors import shorten
from cloven.kinds.tables.release import Sliced
from cloven.verification.claims import is_flag, one_of, strange_parameters
from cloven.verification.verdict import Fault, conclude

if TYPE_CHECKING:
    from cloven.kinds.tables.release import GeneralisedTable


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


# Published parameters of a table tell the method and nothing else, and its promise is one that is checked.


if TYPE_CHECKING:
    from cloven.kinds.tables.release import GeneralisedTable
    from cloven.verification.claims import Allowed
    from cloven.verification.verdict import Check


def check_parameters(release: GeneralisedTable | Sliced, promise: Promise) -> Check:
    """Every parameter of a known method is known and can have its value; k and l are promises, not words."""
    given = release.parameters
    method = str(given.get("method"))
    allowed = _of_methods(release).get(method, {})
    faults = [Fault(1, told) for told in promise.unclear]
    if allowed:
        faults += [fault for fault in strange_parameters(given, allowed) if fault not in faults]
    if allowed and release.k < 2 and method != "diffgen":
        faults.append(Fault(1, f"k = {release.k} promises nothing; it must be 2 or more"))
    faults += _unchecked(release, promise)
    return conclude("parameters", "release", len(given), faults, f"{len(given)} parameters, all known")


def _unchecked(release: GeneralisedTable | Sliced, promise: Promise) -> list[Fault]:
    """A promised l that no check would look at: nothing is sensitive, or no constraint speaks of it."""
    promised = promise.l
    if promised is None:
        return []
    secret = {domain.name for domain in release.domains if domain.sensitive}
    if not secret:
        return [Fault(1, f"l = {promised} is promised, and no attribute is sensitive")]
    if isinstance(release, Sliced) and (promise.check is not None or not promise.demands):
        return []  # the business of ``chances``
    asked = {
        name
        for demand in promise.demands
        if demand.clear and demand.name == "distinct-l" and demand.l >= promised
        for name in demand.attributes
    }
    left = sorted(secret - asked)
    return [Fault(len(left), f"l = {promised} is promised, and no constraint asks for it of {left[:1]}")]


def _true(value: Any) -> bool:
    return value is True


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31


def _positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def _share(value: Any) -> bool:
    return _positive(value) and value <= 1


def _level(value: Any) -> bool:
    return _count(value) and value >= 2


def _constraints(value: Any) -> bool:
    """Entries of demands: what they ask for has checks of its own, here only that they say no more."""
    fields = {"demand", "l", "c", "t", "distance", "attributes", "harmless", "within"}
    return isinstance(value, list) and all(isinstance(each, dict) and set(each) <= fields for each in value)


def _names_among(names: Any, known: set[str]) -> bool:
    return isinstance(names, list) and all(isinstance(name, str) and name in known for name in names)


def _private(value: Any) -> bool:
    """The promise of differential privacy, in these words."""
    return (
        isinstance(value, dict)
        and _positive(value.get("epsilon"))
        and value | {"epsilon": None}
        == {
            "kind": "differential privacy",
            "epsilon": None,
            "neighbours": "one row more or less",
            "holds_if": "the domains that the schema states are public, not read off the data",
        }
    )


_COMMON: Allowed = {"seeded": is_flag, "unsafe": is_flag, "constraints": _constraints}
_CUT: Allowed = {
    "l": _level,
    "check": one_of("matching", "bucket"),
    "columns": lambda value: value in (None, "chosen") or _count(value),
}
_SLICING: Allowed = {
    **_COMMON,
    **_CUT,
    "companions": _count,
    "together": one_of("separately", "jointly"),
    "partition": one_of("strict", "relaxed", "stratified", "adaptive", "replay-proof"),
    "normalisation": one_of("min-1", "min"),
    "distance": one_of("1-r2", "1-r"),
    "bins": _level,
    "bins_by": one_of("width", "frequency"),
}
_NOISE: Allowed = {**_COMMON, "eps": _positive, "invented_rows": _true}
_LIKE: Allowed = {
    **_COMMON,
    "approximates": one_of("Hasan et al. 2018", "Baig et al. 2012", "Sattar et al. 2014"),
}
_MEASURES = ("share", "share-of-all", "largest-share", "smallest-share", "jaccard", "cosine", "phi", "own")


def _of_methods(release: GeneralisedTable | Sliced) -> dict[str, Allowed]:
    """Parameters of each method, and what each may be."""
    known = {domain.name for domain in release.domains if not domain.sensitive}
    stated = release.parameters.get("domains") != "from-data"
    return {
        "mondrian": {
            **_COMMON,
            "mode": one_of("strict", "relaxed"),
            "partition": one_of("replay-proof"),
            "l": lambda l: l is None or _level(l),
            "persons": _true,
        },
        "slicing": _SLICING,
        "ul": {
            **_SLICING,
            "swap_rate": _share,
            "protected": lambda names: names is None or _names_among(names, known),
            "measure": one_of(*_MEASURES),
            "rules": _count,
        },
        "anatomy": {**_COMMON, "l": _level, "check": one_of("bucket")},
        "diffgen": {
            **_NOISE,
            "specialisations": _count,
            "score": one_of("max", "gain"),
            "counts": one_of("consistent", "clip"),
            "domains": one_of("stated", "from-data"),
            "promise": _private if stated else lambda promise: promise is None,
        },
        "hybrid": {**_NOISE, "sampling_rate": _share, "noise_on": one_of("all", "present")},
        "merging-like": {**_LIKE, **_CUT, "invented_rows": _true},
        "composition-like": {**_LIKE, "sampling_rate": _share, "alpha": _share},
        "probabilistic-like": {**_LIKE, "d": _level, "alpha": _share},
    }
