"""What a published table promises, read once from its parameters into plain types.

Parameters come from a file that anybody may have written, so each is looked at before it is used. What cannot be
understood is kept as such: a promise that nobody can check is a fault, not a reason to stop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import shorten
from cloven.kinds.tables.release import Sliced
from cloven.verification.claims import conclude_parameters, is_flag, one_of, strange_parameters
from cloven.verification.verdict import NOT_CHECKED, Check, Fault, conclude, spot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from cloven.compiled import Flags, Floats, Longs
    from cloven.data.table import Table
    from cloven.kinds.tables.key import TableKey
    from cloven.kinds.tables.release import TableRelease
    from cloven.verification.claims import Allowed


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
    def of(cls, release: TableRelease) -> Promise:
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


def check_parameters(release: TableRelease, promise: Promise) -> Check:
    """Every parameter of a known method is known and can have its value; k and l are promises, not words."""
    given = release.parameters
    method = str(given.get("method"))
    allowed = _of_methods(release).get(method, {})
    faults = [Fault(1, told) for told in promise.unclear]
    if allowed:
        faults += [fault for fault in strange_parameters(given, allowed) if fault not in faults]
    if allowed and release.k < 2 and method != "diffgen":
        faults.append(Fault(1, f"k = {release.k} promises nothing; it must be 2 or more"))
    faults += _unchecked(release, promise) + _contradicted(given)
    return conclude_parameters(given, faults, known=bool(allowed))


def _contradicted(given: Mapping[str, Any]) -> list[Fault]:
    """An epsilon that the promise of differential privacy and the noise do not share."""
    promise, eps = given.get("promise"), given.get("eps")
    promised = promise.get("epsilon") if isinstance(promise, dict) else eps
    said = f"eps is {shorten(str(eps))}, and the promise says epsilon {shorten(str(promised))}"
    return [Fault(int(promised != eps), said)]


def _unchecked(release: TableRelease, promise: Promise) -> list[Fault]:
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
_MEASURES = ("share", "share-of-all", "largest-share", "smallest-share", "jaccard", "cosine", "phi", "own")


def _of_methods(release: TableRelease) -> dict[str, Allowed]:
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
    }


# Do the groups keep to the constraints that the parameters promise: l-diversity and t-closeness?


ROUNDING = 1e-9


def check_demands(release: TableRelease, promise: Promise) -> list[Check]:
    """One check for each promised constraint, of each group of attributes it speaks of."""
    return [_check_demand(release, demand) for demand in promise.demands]


def _check_demand(release: TableRelease, demand: Demand) -> Check:
    secret = {domain.name: place for place, domain in enumerate(release.domains) if domain.sensitive}
    listed = demand.attributes
    title = f"{demand.name} of {', '.join(listed)}" if listed else demand.name
    if not demand.clear:
        fault = Fault(1, f"the promise {demand.told} cannot be understood")
        return conclude(title, "release", 0, [fault], "")
    if not listed or not set(listed) <= set(secret):
        told = f"it speaks of {list(listed)!r}, which are not the sensitive attributes {sorted(secret)}"
        return conclude(title, "release", 0, [Fault(1, told)], "")
    places = sorted(secret[each] for each in listed)
    if not _together(release, places):
        told = f"it speaks of the combination of {list(listed)!r}, which stand in several columns: nobody can tell"
        return conclude(title, "release", 0, [Fault(1, told)], "")
    if demand.within and release.domains[places[0]].numbers is None:
        told = f"near values of {listed[0]!r} are to count as one, and they are no numbers"
        return conclude(title, "release", 0, [Fault(1, told)], "")
    counts = counted(group_of_row(release), release.cells[:, places])
    reached, wanted, falls_short = MEASURED[demand.name](counts, demand)
    if demand.harmless or demand.within:
        reached, wanted, falls_short = _by_harm(release, demand, places[0])
    fault = spot(falls_short, lambda at: f"group {at} has {reached[at]:.4g}, promised is {wanted}")
    worst = reached.max() if demand.name == "t-closeness" else reached.min()
    told = f"{worst:.4g} at the worst, promised is {wanted}"
    told = f"no group has a harmful value; promised is {wanted}" if np.isinf(worst) else told
    if len(listed) > 1:
        told += " of the combination; this says nothing of single attributes"
    return conclude(title, "release", len(counts), [fault], told)


def _together(release: TableRelease, places: list[int]) -> bool:
    """Whether the values of some attributes are published side by side; parts of columns are sorted for themselves."""
    if not isinstance(release, Sliced):
        return True
    return any(set(places) <= set(column) for column in release.columns)


def counted(group: Longs, values: NDArray[np.int32]) -> Longs:
    """How often each combination of values stands in each group; columns in the order of the values."""
    codes = number_rows(values)
    table = np.zeros((int(group.max()) + 1, int(codes.max()) + 1), np.int64)
    np.add.at(table, (group, codes), 1)
    return table


def _by_harm(release: TableRelease, demand: Demand, place: int) -> Measured:
    """Different values of each group where near numbers are one; a group without a harmful value has enough."""
    domain = release.domains[place]
    values = [
        domain.values[domain.members[domain.member_offsets[cell]]] for cell in range(len(domain.labels))
    ]
    number = [float(value) if demand.within else 0.0 for value in values]
    groups: dict[int, set[int]] = {}
    for group, cell in zip(group_of_row(release).tolist(), release.cells[:, place].tolist(), strict=True):
        groups.setdefault(group, set()).add(cell)
    reached = np.zeros(len(groups))
    for group, cells in groups.items():
        if all(values[cell] in demand.harmless for cell in cells):
            reached[group] = np.inf
        elif not demand.within:
            reached[group] = len(cells)
        else:
            reached[group] = _windows(sorted(number[cell] for cell in cells), demand)
    return reached, f"{demand.l} different values", reached < demand.l


def _windows(numbers: list[float], demand: Demand) -> int:
    """How many stretches of near numbers it takes to cover all of them; as many lie apart from each other."""
    found, start = 0, None
    for number in numbers:
        width = demand.within * max(abs(number), abs(start or 0.0)) if demand.relative else demand.within
        if start is None or number - start > width + ROUNDING * max(1.0, abs(number)):
            found, start = found + 1, number
    return found


Measured = tuple["Floats", str, "Flags"]


def _distinct(counts: Longs, demand: Demand) -> Measured:
    reached = (counts > 0).sum(axis=1).astype(np.float64)
    return reached, f"{demand.l} different values", reached < demand.l


def _entropy(counts: Longs, demand: Demand) -> Measured:
    shares = counts / counts.sum(axis=1, keepdims=True)
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    reached = np.exp(-(shares * logs).sum(axis=1))
    return reached, f"an entropy of {demand.l} values", reached < demand.l * (1 - ROUNDING)


def _recursive(counts: Longs, demand: Demand) -> Measured:
    """What is reached is c' = tail / most frequent, which must be above 1 / c."""
    ordered = -np.sort(-counts, axis=1)
    tail = ordered[:, int(demand.l) - 1 :].sum(axis=1)
    reached = tail / ordered[:, 0]
    wanted = f"above 1/{demand.c} of the most frequent from rank {demand.l} on"
    return reached, wanted, ~(ordered[:, 0] < demand.c * tail)


def _closeness(counts: Longs, demand: Demand) -> Measured:
    difference = counts / counts.sum(axis=1, keepdims=True) - counts.sum(axis=0) / counts.sum()
    if demand.ordered:
        carried = np.abs(np.cumsum(difference, axis=1)).sum(axis=1)
        reached = carried / max(1, counts.shape[1] - 1)
    else:
        reached = np.abs(difference).sum(axis=1) / 2
    return reached, f"t = {demand.t}", reached > demand.t + ROUNDING


MEASURED = {
    "distinct-l": _distinct,
    "entropy-l": _entropy,
    "recursive-l": _recursive,
    "t-closeness": _closeness,
}


# Groups of published rows that nobody can tell apart, and how large they are.


def group_of_row(release: TableRelease) -> Longs:
    """Bucket of each row, or class of rows with the same cells of quasi-identifiers."""
    if isinstance(release, Sliced):
        return np.repeat(np.arange(release.buckets), np.diff(release.bucket_offsets))
    known = [number for number, domain in enumerate(release.domains) if not domain.sensitive]
    return number_rows(release.cells[:, known])


def number_rows(rows: NDArray[np.int32]) -> Longs:
    """Equal numbers for equal rows, from 0."""
    found = np.zeros(len(rows), np.int64)
    for column in rows.T:
        values, codes = np.unique(column, return_inverse=True)
        found = np.unique(found * len(values) + codes, return_inverse=True)[1]
    return found


def check_sizes(release: TableRelease) -> Check:
    """Every group has at least k rows."""
    what = "bucket" if isinstance(release, Sliced) else "class"
    sizes = np.bincount(group_of_row(release))
    fault = spot(sizes < release.k, lambda at: f"{what} {at} has {sizes[at]} rows, k is {release.k}")
    least = int(sizes.min(initial=len(release)))  # 0 where noise has left no row
    otherwise = f"{len(sizes):,} of at least {least} rows, k is {release.k}"
    return conclude(f"{what} size", "release", len(sizes), [fault], otherwise)


# Where somebody has several rows: k distinct persons in every class, not only k rows.


NAME = "persons counted"


def check_table_persons(release: TableRelease, original: Table | None, key: TableKey | None) -> list[Check]:
    """What the release says about persons against original and key; no check where nobody speaks of persons."""
    claimed = release.parameters.get("persons") is True
    if original is None:
        told = f"{NOT_CHECKED}: that k persons, not only k rows, stand in each class; give the original and the key"
        return [Check(NAME, "release", passed=True, examined=0, detail=told, decided=False)] * claimed
    several = original.persons is not None and len(set(original.persons.tolist())) < len(original)
    if not claimed and not several:
        return []
    if not claimed or original.persons is None or not several:
        said = (
            f"the release counts rows, and the {len(original):,} rows are of {original.people:,} persons; make it with"
            " the role person in the schema"
            if several
            else "the release says that persons were counted, and the original names none that have several rows;"
            " give their column the role person in the schema"
        )
        return [Check(NAME, "original", passed=False, examined=len(original), detail=said)]
    if key is None:
        told = f"{NOT_CHECKED}: the original names {original.people:,} persons; give the key too"
        return [Check(NAME, "original", passed=True, examined=original.people, detail=told, decided=False)]
    return [_counted(release, original.source_rows, original.persons, key)]


def _counted(release: TableRelease, rows: Longs, persons: Longs, key: TableKey) -> Check:
    """Persons of each class, by the owner's key."""
    who = dict(zip(rows.tolist(), persons.tolist(), strict=True))
    groups: dict[int, set[int]] = {}
    for group, row in zip(group_of_row(release).tolist(), key.records[:, 0].tolist(), strict=True):
        groups.setdefault(group, set()).update({who[row]} if row in who else set())
    found = np.array([len(groups[group]) for group in sorted(groups)], np.int64)
    fault = spot(found < release.k, lambda at: f"class {at} has {found[at]} persons, k is {release.k}")
    return conclude(NAME, "key", len(found), [fault], f"every class has at least {release.k} persons")
