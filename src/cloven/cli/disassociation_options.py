"""The options of disassociation, written once for every command that anonymises."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from cloven.cli.options import Group
from cloven.cli.reading import items_in, json_of
from cloven.cli.values import MOST, one_of, whole
from cloven.data.defaults import CLUSTER, K, M
from cloven.errors import InputError, ParameterError
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.disassociated.methods.horizontal import SmallClusters
from cloven.kinds.disassociated.release import RareItems

if TYPE_CHECKING:
    from cloven.data.transactions import Transactions


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
        ignore_unknown=True,  # the command warns of them instead
        **rest,
    )


def _size(text: str) -> int | None:
    if text == "unlimited":
        return None
    message = f"--max-cluster-size must be a whole number up to {MOST:,} or 'unlimited', got {text!r}"
    try:
        size = int(text)
    except ValueError:
        raise ParameterError(message) from None
    if size > MOST:
        raise ParameterError(message)
    return size


def _groups(path: Path) -> tuple[tuple[str, ...], ...]:
    """Groups of items from JSON: an object of lists (name -> items), or a list of lists."""
    value = json_of(path)
    lists = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(lists, list):
        message = "must be an object or a list of lists of item names"
        raise InputError(message, source=str(path), value=json.dumps(value))
    for number, group in enumerate(lists, 1):
        if not isinstance(group, list) or not all(isinstance(item, str) for item in group):
            message = f"group {number} must be a list of item names"
            raise InputError(message, source=str(path), value=json.dumps(group))
    return tuple(tuple(group) for group in lists)


@dataclass(frozen=True)
class Chosen:
    """The options that were given; the data decides about those that were not."""

    given: dict[str, Any]

    def method(self, data: Transactions) -> tuple[Disassociation, list[str]]:
        """The method for this data, and why it is what it is."""
        from cloven.kinds.disassociated.kind import suggested

        wanted = {name: self.given[name] for name in OPEN if self.given[name] is not None}
        if "max_cluster_size" in wanted:
            wanted["max_cluster_size"] = _size(wanted["max_cluster_size"])
        values, reasons = suggested(data, wanted)
        rest = {name: value for name, value in self.given.items() if name not in OPEN}
        size = values.pop("max_cluster_size")
        return _method(max_cluster_size="unlimited" if size is None else str(size), **values, **rest), reasons


_READING = "Combinations to protect: occurring, or strict: all."
_SMALL_CLUSTERS = "Groups below k: add, abandon, suppress, remaining; keep is unsafe."
_RARE_ITEMS = "What fewer than k hold: withhold, list once, or cluster (the papers' way, which tells most)."
_ROOT_CHUNKS = "Leftovers above all groups: a single item a chunk, or several."

DISASSOCIATION = Group(
    "How to anonymise",
    {
        "k": (whole(), K, "Everybody keeps at least this many candidates.", ("-k",)),
        "m": (whole(), M, "How many items of one record an attacker may know.", ("-m",)),
        "max_cluster_size": (str, str(CLUSTER), "Largest wanted group of records, or 'unlimited'.", ()),
        "small_clusters": (one_of(*get_args(SmallClusters)), "add", _SMALL_CLUSTERS, ()),
        "reading": (one_of("occurring", "strict"), "occurring", _READING, ()),
        "refine": (bool, False, "Share what is left over between groups.", ("--refine/--no-refine",)),
        "rare_items": (one_of(*get_args(RareItems)), "withhold", _RARE_ITEMS, ()),
        "root_chunks": (one_of("single", "several"), "single", _ROOT_CHUNKS, ()),
        "horizontal": (one_of("horpart", "hierarchical"), "horpart", "How to group: horpart or hierarchical.", ()),
        "safe": (one_of("no", "cover", "exact"), "no", "Repair what the method gives away: no, cover or exact.", ()),
        "utility": (Path | None, None, "JSON file: groups of items to keep together.", ()),
        "sensitive": (Path | None, None, "Items to cut from all others: one per line, or .json.", ()),
        "min_item_support": (whole(), 1, "Leave out items that fewer people have.", ()),
        "join_terms": (one_of("moved", "listed"), "moved", "Refining weighs the items moved, or all listed.", ()),
        "block_records": (whole(), 1_000_000, "Work in blocks of at most this many records.", ()),
    },
    _method,
)  # fmt: skip

OPEN = ("k", "m", "max_cluster_size")
CHOSEN = Group(
    DISASSOCIATION.title,
    {
        name: (
            kind if name != "max_cluster_size" else str | None,
            None,
            f"{text[:-1]}; default: by the data.",
            flags,
        )
        if name in OPEN
        else (kind, default, text, flags)
        for name, (kind, default, text, flags) in DISASSOCIATION.options.items()
    },
    lambda **given: Chosen(given),
)
