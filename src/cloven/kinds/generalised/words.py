"""What a set-generalised release is made of, and what its owner should know before publishing it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.figures import many, percent
from cloven.kinds.page_words import PageWords
from cloven.kinds.words import PERSONS, open_of_sets, promise_of_sets, promised, sampled
from cloven.statistics.findings import Definition
from cloven.statistics.intervals import Sampled

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from cloven.data.transactions import Transactions
    from cloven.kinds.generalised.key import Generalised
    from cloven.kinds.generalised.utility import GeneralisedUtility


PARTS = {"blocks": "block", "generalised_items": "generalised item"}


def headline(method: Any, setting: str, figures: dict[str, int | float]) -> str:  # noqa: ARG001
    """One line on the method and what it protects, and what its release is made of."""
    name, policy = method.parameters["method"], getattr(method, "policy", None)
    if policy is None:
        named = f"{name}  k={method.k} m={method.m}"
    else:
        listed = [many(len(policy.protected), "listed itemset")] if policy.protected else []
        combined = [f"m={policy.all_up_to}"] if policy.all_up_to else []
        groups = [] if policy.groups is None else [many(len(policy.groups), "utility group")]
        named = f"{name}  k={method.k} " + ", ".join([*combined, *listed, *groups])
    merged = many(figures["generalised_items"], "generalised item")
    largest = f", the largest of {figures['largest_block']:,}" if figures["generalised_items"] else ""
    return (
        f"{named}: {many(figures['items'], 'item')} in {many(figures['blocks'], 'block')}, {merged}{largest}"
    )


def kept(figures: dict[str, int | float]) -> str:
    """What stays, after a line that the release was verified."""
    share = percent(figures["items_kept"])
    return f"; {share} of the items are published as they are, NCP {figures['ncp']:.4f}"


def summary(data: Transactions, result: Generalised) -> dict[str, int | float]:
    """Counts of a result that commands print."""
    from cloven.kinds.generalised.utility import ncp
    from cloven.storage.manifest import count

    release, holders = result.release, dict(zip(data.vocabulary, data.holders.tolist(), strict=True))
    single = release.block_sizes[release.row_blocks] == 1
    alone = [release.block(block)[0] for block in np.flatnonzero(release.block_sizes == 1).tolist()]
    return {
        **count(release),
        "records_read": len(data),
        "items_suppressed": len(data.vocabulary) - len(release.vocabulary),
        "occurrences_suppressed": sum(map(len, result.key.suppressed_items)),
        "rare_items_published": sum(holders[name] < release.k for name in alone),
        "items_kept": float(single.sum() / len(data.codes)) if len(data.codes) else 1.0,
        "ncp": ncp(release, data),
        "unchanged_alone": unchanged_alone(data, result),
    }


def unchanged_alone(data: Transactions, result: Generalised) -> float:
    """Share of the people of whom a row shows the whole record unchanged, and no other row is equal."""
    release, key = result.release, result.key
    rows = [release.row_blocks[a:b].tobytes() for a, b in pairwise(release.row_offsets.tolist())]
    times = Counter(rows)
    merged = np.bincount(release.row_of_entry, release.block_sizes[release.row_blocks] > 1, release.records)
    lost = set(key.suppressed_record.tolist())
    alone = [
        row != b"" and times[row] == 1 and source not in lost
        for row, source in zip(rows, key.records.tolist(), strict=True)
    ]
    whole = key.records[np.array(alone, bool) & (merged == 0)]
    if data.persons is None:
        return len(whole) / max(1, len(data))
    told = data.persons[np.isin(data.source_rows, whole)]
    return len(np.unique(told)) / max(1, len(np.unique(data.persons)))


def cautions(figures: dict[str, int | float], method: Any) -> list[str]:
    """What an owner should know before publishing, each with what to do."""
    out, policy = [], getattr(method, "policy", None)
    if policy is not None and not policy.all_up_to:
        out.append(
            f"only {many(len(policy.protected), 'listed itemset')} protected: whoever knows anything else of a person"
            " may find the record; with -m 2 any two items are protected"
        )
    if getattr(method, "reading", "") == "empty-is-enough":
        out.append(
            "parts of protected itemsets may single somebody out (--constraint-reading empty-is-enough);"
            " subsets-too protects them as well"
        )
    if figures["items_suppressed"]:
        out.append(
            f"{many(figures['items_suppressed'], 'item')} suppressed,"
            f" {many(figures['occurrences_suppressed'], 'occurrence')}; say so beside every utility figure;"
            " suppressed.parquet lists them"
        )
    if figures["empty_records"]:
        out.append(
            f"{many(figures['empty_records'], 'record')} published without any item: all they had is suppressed"
        )
    if figures["unchanged_alone"]:
        out.append(
            f"of {percent(figures['unchanged_alone'])} of the people the whole record is published as it is, in a row"
            " like no other; a larger k or m merges more, and disassociation publishes no whole records"
        )
    if figures["rare_items_published"]:
        out.append(
            f"{many(figures['rare_items_published'], 'item')} held by fewer than k = {method.k} and published by name,"
            " because no itemset of the policy protects them; see them with `cloven describe`"
        )
    if getattr(method, "seeded", False):
        out.append("the policy was drawn with a seed: this release is for experiments; do not publish it")
    return out


def page_words(document: Mapping[str, Any]) -> PageWords:
    """How a page speaks of such a release."""
    return PageWords(measures=MEASURES, promise=promise_of_sets(document["parameters"]))


# Every measure of eliminations in one sentence. Documentation, command line and reports quote these.


BESIDE = "_all_but_one"
"""Ending of the measures that stand beside the second baseline: keep one random item of each generalised item."""

BY_FREQUENCY = "_by_frequency"
"""Ending of the measures that stand beside the third baseline: common items first, which no row tells anything of."""

DETECTED: Mapping[str, str] = {
    "recall": "share of the added items that are eliminated",
    "precision": "share of the eliminated items that were added",
    "f": "harmonic mean of precision and recall",
}
RECORDS: Mapping[str, str] = {
    "rebuilt": "share of the records with a generalised item that are exactly the original again",
    "unique": "share of the records with a generalised item that were unique that are rebuilt exactly and unique",
    "unique_again": "the same among those that the release made equal to others",
}
RANKED: Mapping[str, str] = {
    "auc": "link AUC: probability that an added item of a table has a higher confidence than an original one",
    "auc_row": "link AUC inside the rows: the same for two items of one record",
    "hit": "share of the items that a record really has among as many best guesses for each of its generalised items",
}
MEASURES: Mapping[str, Definition] = {
    **{name: Definition("detection", sentence) for name, sentence in DETECTED.items()},
    **{
        f"{name}_per_item": Definition("detection", f"{sentence}; mean over generalised items")
        for name, sentence in DETECTED.items()
    },
    **{name: Definition("ranking", sentence) for name, sentence in RANKED.items()},
    **{
        name + BY_FREQUENCY: Definition(
            "ranking", f"{sentence}; chance names the commonest items of each generalised item"
        )
        for name, sentence in RANKED.items()
    },
    "brier": Definition(
        "ranking", "mean squared distance between confidence and truth", higher_is_worse=False
    ),
    **{name: Definition("rows", sentence) for name, sentence in RECORDS.items()},
    **{
        name + BESIDE: Definition(
            "detection" if name in DETECTED else "rows",
            f"{sentence}; chance keeps one random item of each generalised item of a record",
        )
        for name, sentence in {**DETECTED, **RECORDS}.items()
    },
}


def utility_rows(found: GeneralisedUtility) -> list[tuple[str, str, str]]:
    """The lines of the table: measure, value, what it means."""
    from cloven.kinds.generalised.kind import measures

    rows = [
        (
            each.name,
            "-"
            if each.value is None
            else sampled(Sampled(each.value, each.low, each.high, ()))
            if each.best == 0
            else percent(each.value),
            each.sentence,
        )
        for each in measures(found)
    ]
    loss = "-" if found.log2_utility_loss is None else f"2^{found.log2_utility_loss:.1f}"
    density = "-" if found.density is None else percent(found.density)
    rows.insert(4, ("utility loss", loss, "of COAT: sets that generalised items could stand for"))
    rows.append(("density", density, "items of a generalised item that a record really has, on average"))
    return rows


def claim(parameters: Mapping[str, Any], release: Path) -> dict[str, Any]:  # noqa: ARG001
    """What the manifest promises beside what all do."""
    return {}


def claimed(claim: Mapping[str, Any]) -> str:
    """The promise in a sentence, and the hash of the manifest."""
    return promised(claim, claim["method"])


def open_questions(claim: Mapping[str, Any], level: str, checks: Collection[str]) -> list[str]:
    """What the level that was run cannot see, given the names of the checks that were made."""
    out = open_of_sets(claim, level, checks)
    if level == "release":
        out.append("without --original: that rows show what records have")
        out += [f"without --original: {PERSONS}"] if claim["persons"] else []
    return out
