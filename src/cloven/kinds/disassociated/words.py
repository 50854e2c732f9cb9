"""What a disassociated release is made of, and what its owner should know before publishing it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from cloven.data.arrays import run_starts
from cloven.figures import many, percent
from cloven.kinds.disassociated.release import NOT_ENUMERATED
from cloven.kinds.page_words import PageWords
from cloven.kinds.words import open_questions as open_questions
from cloven.kinds.words import parts, promise_of_sets, promised, sampled

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from cloven.data.transactions import Transactions
    from cloven.kinds.disassociated.key import Anonymised
    from cloven.kinds.disassociated.methods import Disassociation
    from cloven.kinds.disassociated.utility import UtilityReport


WITHHOLD = "withhold them (--rare-items withhold)"
PARTS = {"clusters": "cluster", "record_chunks": "record chunk", "shared_chunks": "shared chunk"}


def headline(method: Disassociation, setting: str, figures: dict[str, int | float]) -> str:  # noqa: ARG001
    """One line on the method with its main parameters, and what its release is made of."""
    size = "unlimited" if method.max_cluster_size is None else method.max_cluster_size
    safe = "" if method.safe == "no" else f" safe={method.safe}"
    named = f"disassociation  k={method.k} m={method.m} max={size} {method.small_clusters}{safe}"
    return f"{named}: {parts(figures, PARTS)}"


def kept(figures: dict[str, int | float]) -> str:
    """What stays, after a line that the release was verified."""
    return f"; {percent(figures['items_kept'])} of the items stay in chunks"


def summary(data: Transactions, result: Anonymised) -> dict[str, int | float]:
    """Counts of a result that commands print."""
    from cloven.kinds.disassociated.utility import items_kept
    from cloven.storage.manifest import count

    release, key = result.release, result.key
    supports = dict(zip(data.vocabulary, data.holders.tolist(), strict=True))
    left_out: Counter[str] = Counter()
    for items, reason in zip(key.suppressed_items, key.suppressed_reason, strict=True):
        left_out[reason] += len(items)
    return {
        **count(release),
        "records_read": len(data),
        "records_suppressed": len(data) - len(key.records),
        "occurrences_suppressed": left_out["cover"],
        "occurrences_withheld": left_out["rare"],
        "records_with_nothing": len(key.records) - len(run_starts(key.record)),
        NOT_ENUMERATED: release.parameters.get(NOT_ENUMERATED, 0),
        "items_left_out": len(data.vocabulary) - len(release.vocabulary),
        "rare_items_published": sum(supports[name] < release.k for name in release.vocabulary),
        "items_kept": items_kept(data, release),
    }


def cautions(figures: dict[str, int | float], method: Disassociation) -> list[str]:
    """What an owner should know before publishing, each with what to do."""
    out = []
    if method.small_clusters == "keep":
        out.append("clusters below k were kept: this release gives its promise up; do not publish it")
    if figures["oversize_clusters"]:
        out.append(
            f"{many(figures['oversize_clusters'], 'cluster')} above --max-cluster-size {method.max_cluster_size}:"
            " the records cannot be split further; this is safe, and the manifest counts them"
        )
    if figures["records_suppressed"]:
        out.append(
            f"{many(figures['records_suppressed'], 'record')} not published; say so beside every utility figure"
        )
    if method.safe != "no" and figures["occurrences_suppressed"]:
        out.append(
            f"{many(figures['occurrences_suppressed'], 'occurrence')} suppressed so that nothing is covered:"
            " published supports are lower bounds, and the manifest says so"
        )
    if method.safe == "exact" and figures[NOT_ENUMERATED]:
        out.append(
            f"{many(figures[NOT_ENUMERATED], 'cluster')} too large to enumerate: pairs that only exact worlds break"
            " may be left there, and the manifest counts them; a smaller --max-cluster-size leaves fewer such clusters"
        )
    if figures["occurrences_withheld"]:
        out.append(
            f"{many(figures['occurrences_withheld'], 'occurrence')} of items that fewer than k = {method.k} hold"
            " withheld; suppressed.parquet lists them, and the release says only that there may be some"
        )
    if figures["records_with_nothing"]:
        out.append(
            f"{many(figures['records_with_nothing'], 'record')} with nothing but withheld items, published empty"
        )
    if figures["items_left_out"]:
        out.append(
            f"{many(figures['items_left_out'], 'item')} left out of every record; suppressed.parquet lists them"
        )
    if figures["rare_items_published"]:
        out.append(
            f"{many(figures['rare_items_published'], 'item')} held by fewer than k = {method.k} and published by name"
            f" in {'one list' if method.rare_items == 'list' else 'term chunks'}; see them with `cloven describe`,"
            " leave them out with --rare-items withhold"
        )
    return out


def page_words(document: Mapping[str, Any]) -> PageWords:
    """How a page speaks of such a release."""
    from cloven.kinds.disassociated.score.definitions import MEASURES

    ranking = {name: each for name, each in MEASURES.items() if each.group == "ranking"}
    return PageWords(measures=ranking, promise=promise_of_sets(document["parameters"]))


def utility_rows(found: UtilityReport) -> list[tuple[str, str, str]]:
    """The lines of the table: measure, value, what it means."""
    rows = [
        ("items kept", percent(found.items_kept), "item occurrences that stay in record or shared chunks"),
        ("pairs kept", percent(found.pairs_kept), "pairs of items of a record that stay together"),
        ("tlost only", percent(found.tlost_only), "frequent items found only in term chunks"),
        ("tlost any", percent(found.tlost_any), "frequent items found in some term chunk"),
        ("tKd", sampled(found.tkd), f"top {found.top:,} itemsets lost, on reconstructed data"),
        ("tKd chunks", f"{found.tkd_chunks:.3f}", "the same from what is certain"),
        (
            "re",
            sampled(found.re),
            f"relative error of {found.re_pairs:.0f} pair supports, 0 to 2, reconstructed",
        ),
        (
            "re chunks",
            "-" if found.re_chunks is None else f"{found.re_chunks:.3f}",
            "the same from what is certain",
        ),
    ]
    if found.tkd_ml2 is not None:
        rows.insert(6, ("tKd-ML2", sampled(found.tkd_ml2), "the same on all levels of the taxonomy"))
    if found.suppressed_records:
        share = percent(found.suppressed_share)
        rows.append(
            ("suppressed", f"{found.suppressed_records:,} ({share})", "records that are not published")
        )
    return rows


def claim(parameters: Mapping[str, Any], release: Path) -> dict[str, Any]:  # noqa: ARG001
    """What the manifest promises beside what all do."""
    return {}


def claimed(claim: Mapping[str, Any]) -> str:
    """The promise in a sentence, and the hash of the manifest."""
    return promised(claim, f"{claim['method']}, {claim['reading']} combinations")
