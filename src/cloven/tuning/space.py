"""What is searched: for each method the parameters that vary, with their ranges, and those that stay.

A method declares its ranges by ``space(data)``. The promise is the owner's: k, m and l never fall below what was asked
for. A search may raise them, k up to fourfold, where that lowers the risk for little utility. Where groups are as large
as l and k is no parameter (Anatomy), l is not below k either.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from cloven.data.defaults import K, L, M
from cloven.errors import ParameterError
from cloven.protocols import Choice, Real, Whole
from cloven.registry import anonymiser, anonymisers_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cloven.protocols import Anonymiser, Dimension

MOST_TIMES_K = 4


@dataclass(frozen=True)
class Varied:
    """One method of a search.

    Attributes:
        name: as it is registered.
        fixed: parameters that stay.
        dimensions: parameters that vary, each with its range.
    """

    name: str
    fixed: Mapping[str, Any]
    dimensions: Mapping[str, Dimension]

    def method(self, values: Mapping[str, Any] | None = None) -> Anonymiser:
        """The method with these values; without any, its default setting."""
        return anonymiser(self.name, **{**self.fixed, **(values or {})})  # type: ignore[no-any-return]

    def values_of(self, method: Anonymiser) -> dict[str, Any] | None:
        """The values that give this very method; None if it lies outside of what is searched."""
        try:
            values = {name: getattr(method, name) for name in self.dimensions}
            inside = all(_holds(self.dimensions[name], value) for name, value in values.items())
            return values if inside and self.method(values) == method else None
        except (AttributeError, ParameterError):
            return None

    def name_of(self, values: Mapping[str, Any]) -> str:
        """A name for values that need not make a method."""
        told = {name: value for name, value in {**self.fixed, **values}.items() if not is_dataclass(value)}
        return f"{self.name}:{','.join(f'{name}={_said(value)}' for name, value in told.items())}"

    def words(self) -> str:
        """What varies, in one line."""
        return (
            ", ".join(f"{name} {_range(dimension)}" for name, dimension in self.dimensions.items())
            or "nothing"
        )


def varied(
    data: Any,
    *,
    methods: Sequence[str] | None = None,
    k: int = K,
    m: int = M,
    l: int = L,
    fix: Mapping[str, Any] | None = None,
    vary: Sequence[str] | None = None,
) -> tuple[Varied, ...]:
    """What a search on this data varies; ``methods`` None for all that need nothing else, ``vary`` None for all of it.

    >>> import cloven as cv
    >>> print(varied(cv.sample("clinic"), k=3, vary=["k", "refine"])[0].words())
    k 3 to 12, refine yes or no
    """
    chosen = _methods(methods, data)
    fixed = dict(fix or {})
    _refuse_unknown(chosen, data, fixed, vary)
    out = []
    for name, maker in chosen.items():
        accepted, declared = inspect.signature(maker).parameters, maker.space(data)
        promise = {"k": k, "m": m, "l": l if "k" in accepted else max(k, l)}
        if "l" not in declared:  # the data have nothing that l is about
            del promise["l"]
        base = {key: value for key, value in {**promise, **fixed}.items() if key in accepted}
        base |= _started(anonymiser(name, **base), declared, vary)
        default = anonymiser(name, **base)
        space = {
            key: _with(
                _promised(dimension, promise[key], key) if key in promise else dimension,
                getattr(default, key),
            )
            for key, dimension in declared.items()
            if key not in fixed and (vary is None or key in vary)
        }
        if (
            space or vary is None or methods is not None
        ):  # whoever names parameters means the methods that have them
            out.append(Varied(name, base, space))
    return tuple(out)


def _methods(names: Sequence[str] | None, data: Any) -> dict[str, Any]:
    """Methods to search, of those for this kind of data."""
    known = {name: maker for name, maker in anonymisers_of(data).items() if hasattr(maker, "space")}
    for name in names or ():
        if name not in known:
            message = f"method {name!r} cannot be searched; those that can are {', '.join(sorted(known))}"
            raise ParameterError(message)
    if names is None:
        return {name: maker for name, maker in known.items() if getattr(maker, "SEARCHED_UNASKED", True)}
    return {name: known[name] for name in dict.fromkeys(names)}


def _started(default: Any, space: Mapping[str, Dimension], vary: Sequence[str] | None) -> dict[str, Any]:
    """Numbers that are left out by default and yet searched start where their range does."""
    return {
        key: dimension.low
        for key, dimension in space.items()
        if not isinstance(dimension, Choice)
        and getattr(default, key) is None
        and (vary is None or key in vary)
    }


def _refuse_unknown(
    chosen: Mapping[str, Any], data: Any, fix: Mapping[str, Any], vary: Sequence[str] | None
) -> None:
    accepted = sorted({name for maker in chosen.values() for name in inspect.signature(maker).parameters})
    declared = sorted({name for maker in chosen.values() for name in maker.space(data)})
    for what, names, known in (("fix", fix, accepted), ("vary", vary or (), declared)):
        for name in names:
            if name not in known:
                message = (
                    f"cannot {what} {name!r}: no parameter of what is searched; there are {', '.join(known)}"
                )
                raise ParameterError(message)
    both = sorted(set(fix) & set(vary or ()))
    if both:
        message = f"{both[0]!r} cannot be fixed and varied at once; leave it out of one of them"
        raise ParameterError(message)


def _promised(dimension: Dimension, least: int, name: str) -> Dimension:
    """The part of a range that keeps what was promised."""
    if isinstance(dimension, Choice):
        return Choice(tuple(value for value in dimension.values if value >= least) or (least,))
    high = min(dimension.high, MOST_TIMES_K * least) if name == "k" else dimension.high
    return type(dimension)(least, max(least, high), dimension.log)  # type: ignore[arg-type]  # whole stays whole


def _with(dimension: Dimension, value: Any) -> Dimension:
    """The range, widened so that it holds the default: it is always part of the comparison."""
    if isinstance(dimension, Choice):
        return dimension if value in dimension.values else Choice((value, *dimension.values))
    if value is None:
        return dimension
    return replace(dimension, low=min(dimension.low, value), high=max(dimension.high, value))


def _holds(dimension: Dimension, value: Any) -> bool:
    if isinstance(dimension, Choice):
        return value in dimension.values
    return isinstance(value, int | float) and dimension.low <= value <= dimension.high


def _range(dimension: Dimension) -> str:
    if isinstance(dimension, Whole | Real):
        return (
            f"{dimension.low} to {dimension.high}" if dimension.low < dimension.high else str(dimension.low)
        )
    words = [_said(value) for value in dimension.values]
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
