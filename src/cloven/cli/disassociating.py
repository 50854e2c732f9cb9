"""The options of disassociation, written once for every command that anonymises."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cloven.anonymise.disassociation import Disassociation
from cloven.cli.command import Group
from cloven.cli.reading import items_in, text_of
from cloven.errors import InputError, ParameterError


def _method(
    *,
    max_cluster_size: str,
    utility: Path | None,
    sensitive: Path | None,
    **rest: Any,
) -> Disassociation:
    return Disassociation(
        max_cluster_size=_size(max_cluster_size),
        utility_groups=() if utility is None else _groups(utility),
        sensitive=frozenset() if sensitive is None else frozenset(items_in(sensitive)),
        **rest,
    )


def _size(text: str) -> int | None:
    if text == "unlimited":
        return None
    try:
        return int(text)
    except ValueError:
        message = f"--max-cluster-size must be a whole number or 'unlimited', got {text!r}"
        raise ParameterError(message) from None


def _groups(path: Path) -> tuple[tuple[str, ...], ...]:
    """Groups of items from JSON: an object of lists (name -> items), or a list of lists."""
    try:
        value = json.loads(text_of(path))
    except ValueError as error:
        message = f"is no JSON: {error}"
        raise InputError(message, source=str(path)) from error
    lists = list(value.values()) if isinstance(value, dict) else value
    fine = isinstance(lists, list) and all(
        isinstance(group, list) and all(isinstance(item, str) for item in group) for group in lists
    )
    if not fine:
        message = "must be an object or a list of lists of item names"
        raise InputError(message, source=str(path))
    return tuple(tuple(group) for group in lists)


DISASSOCIATION = Group(
    "How to anonymise",
    {
        "k": (int, 5, "Everybody keeps at least this many candidates.", ("-k",)),
        "m": (int, 2, "How many items of a record an attacker may know.", ("-m",)),
        "max_cluster_size": (str, "30", "Largest wanted cluster, inclusive; or 'unlimited'.", ()),
        "small_clusters": (
            str,
            "add",
            "Clusters below k: add, abandon, suppress, remaining; keep is unsafe.",
            (),
        ),
        "reading": (str, "occurring", "Which combinations must reach k: occurring, or strict (all).", ()),
        "refine": (bool, True, "Join clusters that share leftovers.", ("--refine/--no-refine",)),
        "horizontal": (str, "horpart", "How to cluster: horpart or hierarchical.", ()),
        "utility": (Path | None, None, "JSON file with groups of items to be kept together.", ()),
        "sensitive": (Path | None, None, "File of items that always go to the term chunk, one per line.", ()),
        "min_item_support": (int, 1, "Drop items held by fewer records.", ()),
        "join_terms": (str, "moved", "Refining weighs the terms moved, or all listed.", ()),
        "block_records": (int, 1_000_000, "Work in blocks above this number of records.", ()),
    },
    _method,
)
