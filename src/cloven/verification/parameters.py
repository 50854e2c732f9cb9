"""Published parameters of disassociation tell the method and nothing else: no path, note, seed or unpublished name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.errors import shorten
from cloven.verification.verdict import Check

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloven.model.disassociated import Disassociated


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _one_of(*words: str) -> Callable[[Any], bool]:
    return lambda value: value in words


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def check_parameters(release: Disassociated) -> Check:
    """Every parameter is known and has a value that it can have; k is at least 2 and m at least 1."""
    vocabulary = set(release.vocabulary)
    allowed: dict[str, Callable[[Any], bool]] = {
        "method": _one_of("disassociation"),
        "unsafe": _is_flag,
        "seeded": _is_flag,
        "persons": _is_flag,
        "refine": _is_flag,
        "max_cluster_size": lambda value: value is None or _is_count(value),
        "small_clusters": _one_of("add", "abandon", "suppress", "remaining", "keep"),
        "safe": _one_of("cover", "exact"),
        "supports": _one_of("lower bounds"),
        "rare_items": _one_of("withhold", "list", "cluster"),
        "root_chunks": _one_of("single", "several"),
        "reading": _one_of("occurring", "strict"),
        "join_terms": _one_of("moved", "listed"),
        "tie_order": _one_of("text", "first-seen", "explicit"),
        "horizontal": lambda value: isinstance(value, str) and value.isidentifier(),
        "sensitive": _is_count,
        "min_item_support": _is_count,
        "block_records": _is_count,
        "utility_groups": lambda value: (
            isinstance(value, list)
            and all(isinstance(group, list) and vocabulary.issuperset(group) for group in value)
        ),
    }
    faults = []
    if release.parameters.get("method") == "disassociation":
        for name, value in release.parameters.items():
            if name not in allowed:
                faults.append(f"{shorten(name)} is no parameter of disassociation")
            elif not allowed[name](value):
                faults.append(f"{name} cannot be {shorten(str(value))}")
        if release.k < 2 or release.m < 1:
            faults.append(
                f"k = {release.k} and m = {release.m} promise nothing; k must be 2 or more, m 1 or more"
            )
    more = f"; {len(faults):,} such faults" if len(faults) > 1 else ""
    detail = faults[0] + more if faults else f"{len(release.parameters)} parameters, all known"
    return Check("parameters", "release", passed=not faults, examined=len(release.parameters), detail=detail)
