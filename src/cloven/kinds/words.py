"""Words that several kinds of release share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloven.figures import many, mean

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from cloven.statistics.intervals import Sampled


def parts(counts: Mapping[str, int | float], words: Mapping[str, str]) -> str:
    """What a release is made of, by the words for its counts."""
    return ", ".join(many(counts[name], word) for name, word in words.items())


def sampled(value: Sampled | None) -> str:
    """A mean with its interval."""
    return "-" if value is None else mean(value.mean, value.low, value.high)


# What a release of sets promises, and what a level of verification cannot see.


def promised(claim: Mapping[str, Any], how: str) -> str:
    """The promise in a sentence, and the hash of the manifest."""
    known = [] if claim["m"] is None else [f"up to m = {claim['m']} items"]
    if claim["listed"]:
        known.append(
            "the listed itemset" if claim["listed"] == 1 else f"one of {claim['listed']:,} listed itemsets"
        )
    return (
        f"promises: who knows {' or '.join(known) or 'nothing'} of a record has at least k = {claim['k']} candidates"
        f" among {many(claim['records'], 'record')} ({how})\n"
        f"manifest {claim['manifest_sha256']}"
    )


def promise_of_sets(parameters: Mapping[str, Any]) -> str:
    """The promise of published parameters in a sentence; empty if they promise nothing.

    >>> promise_of_sets({"k": 5, "m": 2})
    'Whoever knows up to m = 2 items of a person is left with at least k = 5 candidates.'
    """
    k, m = parameters.get("k"), parameters.get("m") or parameters.get("all_up_to")
    known = [f"up to m = {m} items of a person"] if m else []
    if parameters.get("protected"):
        known.append(f"one of {many(parameters['protected'], 'listed itemset')} of a person")
    if not k or not known or parameters.get("unsafe"):
        return ""
    return f"Whoever knows {' or '.join(known)} is left with at least k = {k} candidates."


PERSONS = "that k persons, not only k records, stand behind each count"


def open_of_sets(claim: Mapping[str, Any] | None, level: str, checks: Collection[str]) -> list[str]:
    """What a level cannot see of any release of sets, given the names of the checks that were made."""
    out = []
    if level == "release":
        out.append("without --original: that no item was lost or invented")
    if claim and claim["listed"] and "itemsets" not in checks:
        out.append("without --policy or --private: that the listed itemsets are protected")
    return out


def open_questions(claim: Mapping[str, Any] | None, level: str, checks: Collection[str]) -> list[str]:
    """What the level that was run cannot see of records that were taken apart, or of what cannot be read."""
    out = open_of_sets(claim, level, checks)
    if level != "key":
        out.append("without --original and --private: that every part comes from a record of its cluster")
        if claim and claim["persons"]:
            out.append(f"without --original and --private: {PERSONS}")
    return out
