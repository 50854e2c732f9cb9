"""Which methods there are, by name, and which family each belongs to: for plug-ins, and for tools on top.

A package joins by an entry point of group ``cloven.anonymisers`` (``cloven.table_anonymisers`` for methods that take
tables of persons) whose value is a class with keyword parameters. Its attribute ``family`` names how its releases are
attacked and measured; a new kind of release brings its own family by an entry point of group ``cloven.families``, which
names ``KIND`` in the module ``kind`` of its room. A plug-in that cannot be loaded raises: an anonymiser that vanishes
silently would be worse than none.

>>> list(anonymisers())
['disassociation', 'coat', 'pcta', 'apriori-km']
"""

from __future__ import annotations

from functools import cache
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from cloven.protocols import Anonymiser, Family

_OF_SETS, _OF_TABLES = "cloven.anonymisers", "cloven.table_anonymisers"
_FAMILIES = "cloven.families"
_ANONYMISERS = {
    _OF_SETS: {
        "disassociation": ("cloven.kinds.disassociated.methods", "Disassociation"),
        "coat": ("cloven.kinds.generalised.methods.by_policy", "Coat"),
        "pcta": ("cloven.kinds.generalised.methods.by_policy", "Pcta"),
        "apriori-km": ("cloven.kinds.generalised.methods.apriori_km", "AprioriKm"),
    },
    _OF_TABLES: {
        "mondrian": ("cloven.kinds.tables.methods.mondrian", "Mondrian"),
        "slicing": ("cloven.kinds.tables.methods.slicing", "Slicing"),
        "ul": ("cloven.kinds.tables.methods.ul", "UL"),
        "anatomy": ("cloven.kinds.tables.methods.anatomy", "Anatomy"),
        "diffgen": ("cloven.kinds.tables.methods.diffgen", "DiffGen"),
    },
}
"""Group of entry points -> the built-in methods beside those of other packages."""
ROOMS = {
    "disassociation": "cloven.kinds.disassociated",
    "generalisation": "cloven.kinds.generalised",
    "tables": "cloven.kinds.tables",
}
"""Where everything about one kind of release is. The same names stand in every room: ``files``, ``verify``, ..."""
_OBJECTIVES = {
    "worst": ("cloven.tuning.objectives", "Worst"),
    "worst-value": ("cloven.tuning.objectives", "WorstValue"),
    "mean": ("cloven.tuning.objectives", "Mean"),
    "threat": ("cloven.tuning.objectives", "OneThreat"),
}


@cache
def entry_points(group: str) -> Iterable[metadata.EntryPoint]:
    """What other packages bring to a group; to look through the files of all of them takes longer than a command."""
    return metadata.entry_points(group=group)


def anonymisers() -> dict[str, Callable[..., Any]]:
    """All anonymisers of sets of items by name: the built-in ones and those of other packages."""
    return _all(_OF_SETS, _ANONYMISERS[_OF_SETS])


def table_anonymisers() -> dict[str, Callable[..., Any]]:
    """All anonymisers of tables by name; those of other packages are entry points ``cloven.table_anonymisers``.

    >>> list(table_anonymisers())[:3]
    ['mondrian', 'slicing', 'ul']
    """
    return _all(_OF_TABLES, _ANONYMISERS[_OF_TABLES])


def anonymisers_of(data: Any) -> dict[str, Callable[..., Any]]:
    """All anonymisers that take data of this class, which names the group of their entry points."""
    return _all(data.methods, _ANONYMISERS.get(data.methods, {}))


def anonymiser(name: str, **parameters: Any) -> Any:
    """Make the anonymiser of this name."""
    known = {**anonymisers(), **table_anonymisers()}
    if name not in known:
        message = f"unknown method {name!r}; known are {', '.join(sorted(known))}"
        raise ParameterError(message)
    try:
        return known[name](**parameters)
    except TypeError as error:
        message = f"method {name}: {str(error).split('() ')[-1]}; see `cloven anonymise {name} --help`"
        raise ParameterError(message) from error


def families() -> dict[str, Callable[[], Family]]:
    """All families by name."""
    return _all(_FAMILIES, {name: (f"{room}.kind", "KIND") for name, room in ROOMS.items()})


def family_of(method: Anonymiser) -> Family:
    """The family of a method: that of its name, or the one it brings itself.

    >>> import cloven as cv
    >>> family_of(cv.Disassociation()).name
    'disassociation'
    """
    name: Any = getattr(method, "family", None)
    if hasattr(name, "threats"):  # what a method brings itself needs no name
        return name  # type: ignore[no-any-return]
    known = families()
    if name not in known:
        message = (
            f"{type(method).__name__} says its family is {name!r}; an audit knows {', '.join(sorted(known))}:"
            " name one of them, or register a family (entry point cloven.families)"
        )
        raise ParameterError(message)
    return known[name]()


def part(release: Any, name: str) -> Any:
    """The module of this name in the room of a release's kind: what is asked of every kind is called the same.

    >>> import cloven as cv
    >>> release = cv.Disassociation().anonymise(cv.sample("clinic")).release
    >>> part(release, "files").__name__
    'cloven.kinds.disassociated.files'
    """
    room = rooms().get(getattr(release, "family", ""))
    if room is None:
        message = f"no release but {type(release).__name__}; give the release that an anonymiser made"
        raise ParameterError(message)
    return import_module(f"{room}.{name}")


def parts(name: str) -> dict[str, Any]:
    """The modules of this name by the family of their room, of all rooms that have one.

    >>> list(parts("attack.choice"))
    ['disassociation', 'generalisation']
    """
    return {
        family: import_module(f"{room}.{name}")
        for family, room in rooms().items()
        if find_spec(f"{room}.{name}") is not None
    }


def rooms() -> dict[str, str]:
    """The package of every kind by its family: the built-in ones, and those that other packages bring."""
    modules = {each.name: each.value.partition(":")[0] for each in entry_points(group=_FAMILIES)}
    return {name: module.rpartition(".")[0] for name, module in modules.items() if "." in module} | ROOMS


def objectives() -> dict[str, Callable[..., Any]]:
    """All objectives of a search by name: what of the risks of a setting it minimises."""
    return _all("cloven.objectives", _OBJECTIVES)


def _all(group: str, built_in: Mapping[str, tuple[str, str]]) -> dict[str, Callable[..., Any]]:
    found: dict[str, Callable[..., Any]] = {
        name: getattr(import_module(module), attribute) for name, (module, attribute) in built_in.items()
    }
    for point in entry_points(group=group):
        if point.name in found:
            kind = group.removeprefix("cloven.")
            message = (
                f"two {kind} are called {point.name!r}; uninstall the package {point.value!r} or rename it"
            )
            raise ParameterError(message)
        found[point.name] = point.load()
    return found
