"""What parameters mean on the data at hand, in sentences: what is promised, what it costs, what cannot be met."""

from __future__ import annotations

from math import ceil, exp
from typing import TYPE_CHECKING, Any

from cloven.figures import listed, many, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

COUNTS_VALUES = ("mondrian",)
"""Methods whose l says how many different values a group has, and not how likely each is."""


def sentences(method: Any, summary: Mapping[str, Any]) -> list[str]:
    """What a method with its parameters does to this data."""
    found = _of_sets(method, summary) if summary["shape"] == "sets" else _of_table(method, summary)
    return [sentence.replace(" %", "\u00a0%") for sentence in found if sentence]  # a figure keeps its sign


def _of_sets(method: Any, summary: Mapping[str, Any]) -> list[str]:
    k, m, least = method.k, getattr(method, "m", 1), getattr(method, "min_item_support", 1)
    return [
        f"Somebody who knows any {many(m, 'item')} of a person is left with at least {k} people who could be it."
        f"{_today(m, summary)}",
        _dropped(least, summary) if least > 1 else "",
        _rare(k, method, summary) if least < k else "",
        _size(getattr(method, "max_cluster_size", 0), summary),
        "Repairing takes away what the method itself would tell, at the cost of some entries."
        if getattr(method, "safe", "no") != "no"
        else "",
    ]


def _today(m: int, summary: Mapping[str, Any]) -> str:
    known = [each for each in summary["singled_out"] if each["known_items"] <= m]
    if not known:
        return ""
    items = many(known[-1]["known_items"], "item")
    return f" As the data are now, {items} are enough to single out {percent(known[-1]['share'])} of them."


def _dropped(least: int, summary: Mapping[str, Any]) -> str:
    """What is left out for being held by few, whatever k is."""
    found = next((each for each in summary["rare"] if each["k"] == least), None)
    if found is None:
        return f"Items that fewer than {least:,} people hold are left out before all."
    lost = percent(found["entries"] / max(1, summary["occurrences"]))
    one = found["items"] == 1
    return (
        f"{many(found['items'], 'item')} of {summary['items']:,} that fewer than {least} people hold"
        f" {'is' if one else 'are'} left out before all: {lost} of all entries."
    )


def _rare(k: int, method: Any, summary: Mapping[str, Any]) -> str:
    found = next((each for each in summary["rare"] if each["k"] == k), None)
    if found is None:
        return ""
    if not found["items"]:
        return f"Every item is held by {k} people or more, so none has to be left out for being rare."
    lost = percent(found["entries"] / max(1, summary["occurrences"]))
    what = {"withhold": "withheld", "list": "listed once for all", "cluster": "named in their groups"}
    done = what.get(getattr(method, "rare_items", ""), "merged with others")
    return (
        f"{many(found['items'], 'item')} of {summary['items']:,} {'is' if found['items'] == 1 else 'are'} held by"
        f" fewer than {k} people and {done}: {lost} of all entries."
    )


def _size(size: int | None, summary: Mapping[str, Any]) -> str:
    if size == 0:
        return ""
    if size is None:
        return (
            "Groups may be as large as they like: that hides best and keeps fewest pairs of items together."
        )
    groups = ceil(summary["records"] / size)
    return (
        f"People stand in groups of at most {size:,}, so that there are {groups:,} groups or more. Larger groups hide"
        " better, smaller ones keep more pairs of items together."
    )


def _of_table(method: Any, summary: Mapping[str, Any]) -> list[str]:
    k, l, eps = (getattr(method, name, None) for name in ("k", "l", "eps"))
    secret = listed(summary["sensitive"]) or "sensitive values"
    groups = summary["records"] // k if k else 0
    return [
        f"{percent(summary['alone'])} of the rows are the only ones with their {listed(summary['known'])} now.",
        f"Rows go into groups of at least {k}, so that there are {groups:,} groups at most." if k else "",
        _values(method, secret, summary) if l else "",
        f"Counts get noise by a budget of {eps:g}: whoever is in the table changes the chance of everything that could"
        f" be published by a factor of {exp(eps):.2f} at most." if eps else "",
    ]  # fmt: skip


def _values(method: Any, secret: str, summary: Mapping[str, Any]) -> str:
    """What l promises: most methods bound how often a value stands in a group, some only count different ones."""
    l, largest = method.l, summary.get("largest_l")
    if method.parameters["method"] in COUNTS_VALUES:
        return (
            f"Every group has at least {l} different values of {secret}, though one of them may be nearly everybody's:"
            " how often a guess is right is for the attacks to tell."
        )
    beyond = f" These data allow l up to {largest}." if largest and l > largest else ""
    return (
        f"Whoever knows the group of a person, and no more, guesses {secret} and is not right more often than once in"
        f" {l}.{beyond}"
    )
