"""Published parameters of a generalisation tell the method and nothing else: no path, note, seed or item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.errors import shorten
from cloven.verification.faults import Fault, conclude

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.model.set_generalised import SetGeneralised
    from cloven.verification.verdict import Check


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _count_or_none(value: Any) -> bool:
    return value is None or _count(value)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _one_of(*words: str) -> Callable[[Any], bool]:
    return lambda value: value in words


def _of_methods() -> dict[str, dict[str, Callable[[Any], bool]]]:
    by_policy: dict[str, Callable[[Any], bool]] = {
        "reading": _one_of("empty-is-enough", "subsets-too"),
        "max_suppressed": _share,
        "all_up_to": _count,
        "protected": _count,
        "largest": _count,
        "groups": _count_or_none,
        "weighted": _flag,
        "persons": _flag,
        "unsafe": _flag,
        "seeded": _flag,
    }
    return {
        "coat": by_policy,
        "pcta": by_policy | {"variant": _one_of("pcta", "upcta")},
        "apriori-km": {"all_up_to": _count, "persons": _flag, "search": _word},
    }


def _word(value: Any) -> bool:
    return isinstance(value, str) and value.isascii() and value.replace("-", "").isalpha()


def check_parameters(release: SetGeneralised) -> Check:
    """Every parameter of a known method is known and has a value that it can have; k is at least 2."""
    given = release.parameters
    allowed = _of_methods().get(str(given.get("method")), {})
    faults = []
    for name, value in given.items() if allowed else ():
        if name != "method" and name not in allowed:
            faults.append(Fault(1, f"{shorten(name)} is no parameter of {given['method']}"))
        elif name != "method" and not allowed[name](value):
            faults.append(Fault(1, f"{name} cannot be {shorten(str(value))}"))
    if allowed and release.k < 2:
        faults.append(Fault(1, f"k = {release.k} promises nothing; it must be 2 or more"))
    if "largest" in allowed and not faults and given.get("largest", 0) < given.get("all_up_to", 0):
        said = f"all up to {given['all_up_to']} are protected, but the largest itemset has {given['largest']}"
        faults.append(Fault(1, said))
    return conclude("parameters", "release", len(given), faults, f"{len(given)} parameters, all known")
