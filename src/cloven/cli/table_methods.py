"""The options of the methods for tables, written once: parameters that a terminal can give, and how they are made."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from cloven.anonymise.slicing.association import Normalisation
from cloven.anonymise.slicing.bins import BinsBy
from cloven.anonymise.slicing.columns import Distance, Together
from cloven.anonymise.slicing.constraints import DistinctL, EntropyL, RecursiveL, TCloseness
from cloven.anonymise.slicing.diffgen import Domains
from cloven.anonymise.slicing.levels import MEASURES
from cloven.anonymise.slicing.mondrian import Mondrian
from cloven.anonymise.slicing.mondrian import Partition as Cutting
from cloven.anonymise.slicing.noisy_counts import Counts
from cloven.anonymise.slicing.slicing import Check, Partition
from cloven.anonymise.slicing.specialising import Score
from cloven.anonymise.slicing.wording import read_columns
from cloven.cli.command import Group
from cloven.cli.table_options import rules_in
from cloven.cli.values import Value, listed, number, one_of, share, text, whole
from cloven.errors import ParameterError
from cloven.registry import table_anonymisers

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.anonymise.slicing.constraints import Constraint, Sensitive

Option = tuple[Any, str, tuple[str, ...]]
TITLE = "How to anonymise"
_COLUMNS = (
    "Columns: how many for the quasi-identifiers, or which: age+sex/work/illness; default: two in each."
)


def _chosen(kind: Any, words: str) -> Option:
    """One of the words of a type, with what it is about."""
    return one_of(*get_args(kind)), f"{words}: {', '.join(get_args(kind))}.", ()


OPTIONS: dict[str, Option] = {
    "k": (whole(2), "Rows that look alike, or rows of a bucket, at least.", ("-k",)),
    "l": (whole(2), "How well sensitive values are hidden: a chance of at most 1/l, or l different ones.", ("-l",)),
    "mode": (one_of("strict", "relaxed"), "Whether equal values stay on one side of a cut: strict, relaxed.", ()),
    "columns": (Value(object, "N|NAMES", read_columns), _COLUMNS, ()),
    "companions": (whole(0), "Quasi-identifiers that stay beside each sensitive attribute.", ()),
    "together": _chosen(Together, "Several sensitive attributes are protected"),
    "check": _chosen(Check, "Where l holds: over all buckets that may be a person's, or in each bucket"),
    "partition": _chosen(Partition, "How buckets are split"),
    "normalisation": _chosen(Normalisation, "Of the contingency coefficient that tells which attributes hang together"),
    "distance": _chosen(Distance, "Of two attributes"),
    "bins": (whole(2), "Numbers are put into so many bins where attributes are compared.", ()),
    "bins_by": _chosen(BinsBy, "Bins of equal"),
    "swap_rate": (share(0.5), "Cells with a share of at most this are protected; see `cloven cells` first.", ()),
    "protected": (listed(text(), "NAMES"), "Attributes to protect; default: of columns that hang together least.", ()),
    "measure": (one_of(*MEASURES), f"How a cell is measured: {', '.join(MEASURES)}.", ()),
    "rules": (Path | None, "File of values that cannot meet: sex=m, illness=..., one rule in each line.", ()),
    "eps": (number(0, above=True), "Budget of differential privacy: less hides more.", ()),
    "specialisations": (whole(0), "How often the table is refined.", ()),
    "score": _chosen(Score, "What makes a refinement good"),
    "counts": _chosen(Counts, "What becomes of noisy counts"),
    "domains": _chosen(Domains, "Which values are possible: by the schema, or (promising nothing) by the rows"),
    "rate": (number(0, 1, above=True), "Each row is taken with this probability.", ()),
    "noise_on": (one_of("all", "present"), "Sensitive values that get noise: all, present (in the class).", ()),
    "rho": (number(0, 1), "Each row is taken with this probability.", ()),
    "alpha": (number(0, 1), "See the method: spread of a class, or chance that others hold its values.", ()),
    "d": (whole(1), "Linkable values of a class, at least.", ("-d",)),
    "seed": (whole(0), "Draw the same lots again (experiments); marks the release.", ()),
}  # fmt: skip
_HOW_TOGETHER = "Several sensitive attributes: separately, jointly, or the names of some, jointly."
_DEMANDS: dict[str, tuple[Any, Any, str, tuple[str, ...]]] = {
    "entropy_l": (number(1), None, "Sensitive values of a class as varied as so many equally frequent ones.", ()),
    "recursive_l": (text("C,L"), None, "The most frequent value below C times those from the L-th on.", ()),
    "t_closeness": (number(0, 1), None, "Values of a class are spread as in the table, up to this distance.", ()),
    "t_distance": (one_of("equal", "ordered"), None, "Of values: equal (default), or ordered by rank.", ()),
    "together": (text("NAME"), "separately", _HOW_TOGETHER, ()),
}  # fmt: skip


def options_of(name: str, only: tuple[str, ...] | None = None) -> Group:
    """The options of a method, or some of them; each parameter that a terminal can give is one."""
    maker = table_anonymisers()[name]
    usual = {field.name: field.default for field in fields(maker)}  # type: ignore[arg-type]
    if name == "ul":
        del usual["check"]  # there is no choice
    options = {
        field: (kind, None if field == "rules" else usual[field], words, flags)
        for field, (kind, words, flags) in OPTIONS.items()
        if field in usual and (only is None or field in only)
    }
    if name == "mondrian":
        if "partition" in options:
            kind, words, flags = _chosen(Cutting, "Whether sensitive values decide about cuts")
            options["partition"] = (kind, usual["partition"], words, flags)
        return Group(TITLE, options | _DEMANDS, _mondrian)
    return Group(TITLE, options, _made(maker) if "rules" in options else maker)


def _made(maker: Callable[..., Any]) -> Callable[..., Any]:
    """A maker that reads its rules from a file."""

    def made(*, rules: Path | None, **rest: Any) -> Any:
        return maker(rules=rules_in(rules), **rest)

    return made


def _mondrian(
    *,
    k: int,
    l: int | None,
    mode: Any,
    seed: int | None,
    partition: Any,
    together: str,
    t_distance: Any,
    **demands: Any,
) -> Mondrian:
    """Mondrian with all that its classes must keep to."""
    of = _about(together)
    if t_distance is not None and demands["t_closeness"] is None:
        message = "t_distance says how --t-closeness is measured; give that too, or leave it out"
        raise ParameterError(message)
    found = tuple(_demanded(of, t_distance or "equal", **demands))
    if of == "each":
        return Mondrian(k, l, found, mode, seed, partition)
    if l is not None:
        found = (DistinctL(l, of), *found)
    if not found:
        message = "--together says what sensitive values -l and the like are about; give one of these too"
        raise ParameterError(message)
    return Mondrian(k, None, found, mode, seed, partition)


def _about(together: str) -> Sensitive:
    if together in ("separately", "jointly"):
        return "each" if together == "separately" else "jointly"
    return tuple(name.strip() for name in together.split(","))


def _demanded(
    of: Sensitive,
    distance: Any,
    *,
    entropy_l: float | None,
    recursive_l: str | None,
    t_closeness: float | None,
) -> list[Constraint]:
    found: list[Constraint] = []
    if entropy_l is not None:
        found.append(EntropyL(entropy_l, of))
    if recursive_l is not None:
        c, l = _two_numbers(recursive_l)
        found.append(RecursiveL(c, l, of))
    if t_closeness is not None:
        found.append(TCloseness(t_closeness, distance, of))
    return found


def _two_numbers(given: str) -> tuple[float, int]:
    c, _, l = given.partition(",")
    try:
        return float(c), int(l)
    except ValueError:
        message = f"--recursive-l must be a number and a whole number, such as 3,2; got {given!r}"
        raise ParameterError(message) from None
