"""What ``cloven breach`` found, in sentences, tables and plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.breach.breaches import breaches
from cloven.cli.console import many, names, percent, table
from cloven.errors import shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloven.breach.covers import Cover, Covers
    from cloven.breach.proof import Proof
    from cloven.breach.simulation import Simulated
    from cloven.measure.sampled import Sampled
    from cloven.model.disassociated import Disassociated


def cover_words(found: Covers, top: int) -> list[str]:
    """How many covers there are, what they mean, and some of them."""
    k = found.release.k
    if not len(found):
        if any(reason.startswith("clusters") for reason in found.undecided):
            return ["not decidable: no cluster of this release could be asked; see below why"]
        asked = "where it can be told" if found.undecided else "in any cluster"
        return [f"no cover {asked}: nothing follows from the method alone by this argument"]
    all_of_it = breaches(found)
    lines = [
        f"{many(len(found), 'cover')} in {many(all_of_it.clusters, 'cluster')} of {many(all_of_it.records, 'record')},"
        f" {all_of_it.single:,} of them with a single covering item",
        f"whoever knows the method can tell of {many(all_of_it.pairs, 'pair')} of items that fewer than k = {k}"
        f" records of their cluster hold both",
        f"over the whole release {all_of_it.everywhere:,} of {many(all_of_it.different_pairs, 'different pair')} have"
        f" fewer than k candidates; for the others another cluster may have them",
    ]
    return lines + [_example(found, number) for number in shown(found, top)]


def shown(found: Covers, top: int) -> list[int]:
    """Covers to show: first those that hold over the whole release, then those with most covering items."""
    everywhere = np.zeros(len(found), bool)
    everywhere[found.leaks[0][found.everywhere]] = True
    first: list[int] = np.lexsort((-found.covering, ~everywhere))[:top].tolist()
    return first


def _example(found: Covers, number: int) -> str:
    cover = found[number]
    item, k = shorten(cover.item), found.release.k
    return (
        f"such as, in cluster {cover.cluster}: {item} meets {' or '.join(map(shorten, cover.covered))} in fewer than"
        f" {k} records. {_reason(cover)}, so with {k} such records {item} would stand in the same chunk"
    )


def _reason(cover: Cover) -> str:
    if len(cover.covered) > 1:
        others = f" with {names(cover.covering)}" if cover.covering else ""
        return f"They always come together{others}"
    if cover.covering:
        return f"All rows with {shorten(cover.covered[0])} hold {names(cover.covering)} too"
    return f"Nothing else of its chunk is as frequent as {shorten(cover.item)}"


def undecided_words(found: Covers) -> list[str]:
    """Where nothing can be concluded."""
    return [f"not decidable: {many_of:,} {reason}" for reason, many_of in found.undecided.items()]


def attacker_rows(results: Sequence[Simulated]) -> list[tuple[str, ...]]:
    """One line for each attacker."""
    return [
        (
            result.attacker,
            "all pairs" if result.attacker == "strong" else _pairs(result.known),
            *(figure(result[name]) for name in ("covers", "pairs", "clusters", "everywhere", "score")),
            figure(result["holders"]) if "holders" in result.counts else "-",
        )
        for result in results
    ]


def _pairs(known: Sampled) -> str:
    return f"{figure(known)} {'pair' if known.mean == 1 else 'pairs'}"


def figure(value: Sampled) -> str:
    """A count, or the mean of a random one with its interval."""
    if value.low is None or value.high is None or value.low == value.high:
        return f"{value.mean:,.0f}"
    digits = 2 if value.mean < 10 else 1
    return f"{value.mean:,.{digits}f} [{value.low:,.{digits}f} - {value.high:,.{digits}f}]"


def proof_words(proof: Proof, release: Disassociated) -> list[str]:
    """What possible worlds prove."""
    if proof.undecided:
        return [f"possible worlds: not decidable, {n:,} {reason}" for reason, n in proof.undecided.items()]
    lines = [
        f"possible worlds: {many(proof.exact, 'cluster')} enumerated, {proof.sampled:,} sampled,"
        f" {proof.too_large:,} too large; {proof.alone:,} with at most one record chunk"
    ]
    if proof.impossible:
        lines.append(
            f"{many(proof.impossible, 'cluster')} that no original explains: another method made them"
        )
    if proof.exact:
        lines.append(table(_proven(proof, release)))
    return lines + _sampled(proof)


def _sampled(proof: Proof) -> list[str]:
    if not proof.sampled:
        return []
    pairs, by_cover, unseen = (proof.total(name, exact=False) for name in ("pairs", "by_cover", "unseen"))
    return [
        f"sampled: {by_cover:,} of {many(pairs, 'pair')} broken by a cover; {unseen:,} others were joined in no world"
        " drawn, and may be broken or not",
        f"at 95 % such a pair is joined in at most {percent(proof.error)} of the worlds (median cluster);"
        f" in {many(proof.blank, 'cluster')} no arrangement drawn was a world",
    ]


def _proven(proof: Proof, release: Disassociated) -> list[tuple[str, str, str]]:
    broken, by_cover = proof.total("broken"), proof.total("by_cover")
    linked, found = (many(proof.total(name), "record") for name in ("linked_records", "found_records"))
    return [
        (
            "broken pairs",
            f"{broken:,} of {proof.total('pairs'):,}",
            f"no world joins them in k = {release.k} records: {by_cover:,} by a cover, {broken - by_cover:,} otherwise",
        ),
        (
            "linked",
            f"{proof.total('linked'):,}",
            f"of them make more than m = {release.m} items certain, of {linked} or more",
        ),
        (
            "found",
            f"{proof.total('found'):,}",
            f"of them leave a single content of the record chunks, of {found} or more",
        ),
        (
            "links",
            f"{proof.total('links'):,}",
            f"records and items that belong together with probability {proof.sure} or more",
        ),
    ]


def facts(found: Covers, results: Sequence[Simulated], proof: Proof | None, top: int) -> dict[str, Any]:
    """All of it as plain values."""
    examples = [found[number] for number in shown(found, top)] if len(found) else []
    return {
        "k": found.release.k,
        "m": found.release.m,
        "covers": breaches(found).to_dict(),
        "undecided": dict(found.undecided),
        "shown": [{name: getattr(one, name) for name in one.__dataclass_fields__} for one in examples],
        "attackers": [result.to_dict() for result in results],
        "proof": None if proof is None else proof.to_dict(),
    }
