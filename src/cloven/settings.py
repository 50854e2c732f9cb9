"""A method with its parameters as a few words, and back: ``disassociation:k=5,safe=cover``.

Names in tables, specifications on the command line and trials of a search are all written in this form. Only what
differs from the default is named, beside what is promised (k, m, l, eps).
"""

from __future__ import annotations

from dataclasses import MISSING, Field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from cloven.errors import ParameterError
from cloven.registry import anonymiser, anonymisers, table_anonymisers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from cloven.protocols import Anonymiser

PROMISES = ("k", "m", "l", "eps")
"""What is always told: how far a method goes."""
_TRUTH = {"yes": True, "true": True, "no": False, "false": False}


def setting(method: Any) -> str:
    """Name of a method and its parameters.

    >>> import cloven as cv
    >>> setting(cv.Disassociation(k=3, safe="cover"))
    'disassociation:k=3,m=2,safe=cover'
    """
    return _named(method, lambda _field: True)


def published_setting(method: Any) -> str:
    """The same with no parameter but those that a manifest publishes: a seed, say, is the owner's.

    >>> import cloven as cv
    >>> published_setting(cv.Slicing(k=4, l=2, seed=7)), published_setting(cv.Disassociation(k=3, safe="cover"))
    ('slicing:k=4,l=2', 'disassociation:k=3,m=2,safe=cover')
    """
    published = told(method)
    return _named(method, published.__contains__)


def _named(method: Any, shown: Callable[[str], bool]) -> str:
    """Name of a method and of those parameters that are to be shown."""
    name = str(method.parameters.get("method", type(method).__name__))
    words = []
    for field in fields(method) if is_dataclass(method) else ():
        value = getattr(method, field.name)
        promise = field.name in PROMISES and value is not None
        usual = not promise and (value == field.default or _implied(method, field))
        if usual or not field.init or not field.repr or not shown(field.name):
            continue
        worded = _worded(type(method)).get(field.name)
        words.append(f"{field.name}={_word(value) if worded is None else worded.write(value)}")
    return f"{name}:{','.join(words) or f'k={method.k}'}"


def named(methods: Iterable[Any]) -> dict[str, Any]:
    """Methods by the name of their setting; two of one name cannot be told apart, and are refused."""
    found: dict[str, Any] = {}
    for method in methods:
        name = setting(method)
        if name in found:
            message = f"two of the methods to compare are called {name}; compare them in two audits"
            raise ParameterError(message)
        found[name] = method
    return found


def _implied(method: Any, field: Field[Any]) -> bool:
    """Whether the method is the same without this parameter: others say what it is."""
    if field.default is MISSING:
        return False
    try:
        return bool(replace(method, **{field.name: field.default}) == method)
    except ParameterError:
        return False


def told(method: Anonymiser) -> dict[str, Any]:
    """All parameters as plain JSON values; an anonymiser for which m has no meaning has none."""
    promise = {name: getattr(method, name) for name in ("k", "m") if hasattr(method, name)}
    return {**promise, **method.parameters}


def parse_setting(text: str, **shared: Any) -> Anonymiser:
    """The method that a setting names; ``shared`` holds parameters for those it does not name itself.

    >>> parse_setting("disassociation:max_cluster_size=30", k=3).k
    3
    """
    name, _, rest = text.strip().partition(":")
    known = {**anonymisers(), **table_anonymisers()}
    if name not in known:
        message = f"unknown method {name!r} in {text!r}; known are {', '.join(sorted(known))}"
        raise ParameterError(message)
    accepted = _parameters(known[name])
    values = {key: value for key, value in shared.items() if accepted is None or key in accepted}
    for part in filter(None, (each.strip() for each in rest.split(","))):
        key, sign, value = part.partition("=")
        key = key.strip().replace("-", "_")
        if not sign or (accepted is not None and key not in accepted):
            names = ", ".join(sorted(accepted or ()))
            message = f"{part!r} in {text!r} is no parameter of {name}; write name=value, with one of {names}"
            raise ParameterError(message)
        worded = _worded(known[name]).get(key)
        plain = value.strip()
        values[key] = _value(plain, (accepted or {}).get(key)) if worded is None else worded.read(plain)
    return anonymiser(name, **values)  # type: ignore[no-any-return]


def _worded(method: Any) -> Mapping[str, Any]:
    """Parameters that a method reads from words, and writes as such, in its own way."""
    found: Mapping[str, Any] = getattr(method, "WORDED", {})
    return found


def _parameters(method: Any) -> dict[str, Any] | None:
    """Parameters of a method with their defaults; None if it does not tell them."""
    return {field.name: field.default for field in fields(method)} if is_dataclass(method) else None


def split_settings(text: str) -> list[str]:
    """Settings in one text, separated by semicolons or spaces.

    >>> split_settings("disassociation:k=3,m=2; disassociation:k=4")
    ['disassociation:k=3,m=2', 'disassociation:k=4']
    """
    return text.replace(";", " ").split()


def _word(value: Any) -> str:
    if isinstance(value, frozenset | tuple | list | dict):
        return f"[{len(value)}]"
    if is_dataclass(value):
        return f"[{type(value).__name__}]"
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    return str(value)


def _value(text: str, usual: Any) -> Any:
    """A value from its word; what is usually true or false is one of both."""
    word = text.lower()
    if isinstance(usual, bool) and word in _TRUTH:
        return _TRUTH[word]
    if word in ("none", "unlimited"):
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
