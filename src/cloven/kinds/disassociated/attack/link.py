"""Who knows some items of one person: how many candidate records does a disassociated release leave?

This is the attacker of k^m-anonymity (Terrovitis, Mamoulis and Kalnis, PVLDB 2008; for disassociation: Terrovitis et
al., PVLDB 2012, section 4). The release alone is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloven.figures import many
from cloven.kinds.disassociated.evidence import evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cloven.kinds.disassociated.release import Disassociated


@dataclass(frozen=True)
class Link:
    """How far a release narrows down a person of whom these items are known.

    Attributes:
        items: the items known, ascending, without repeats.
        candidates: at most so many records hold them all, in any data set that agrees with the release.
        certain: at least so many records hold them all.
        clusters: clusters in which they can all be in one record.
        unknown: those of the items that the release does not contain; if there is one, there is no candidate.
    """

    items: tuple[str, ...]
    candidates: int
    certain: int
    clusters: int
    unknown: tuple[str, ...]


def linked(release: Disassociated, known: tuple[str, ...]) -> Link:
    """Count the candidate records of somebody who knows these items of one person; see ``candidates``.

    For each cluster: the least number of sub-records with the known items of a chunk, over the chunks that
    they fall into; a term-chunk item may be in every record, and a shared sub-record counts where it may
    belong to the cluster. The sum over clusters counts a shared sub-record once.
    """
    code_of = {name: code for code, name in enumerate(release.vocabulary)}
    unknown = tuple(item for item in known if item not in code_of)
    if unknown:
        return Link(known, 0, 0, 0, unknown)
    found = evidence(release, np.array([code_of[item] for item in known], np.int64))
    return Link(known, found.total_at_most, found.total_at_least, int((found.at_most > 0).sum()), unknown)


def told(release: Disassociated, found: Link) -> Iterator[str]:
    """What was found, in sentences."""
    if found.unknown:
        yield f"not in the release: {', '.join(found.unknown)}; so no record of it can be meant"
        return
    yield (
        f"at most {many(found.candidates, 'candidate record')} in {many(found.clusters, 'cluster')};"
        f" {found.certain:,} certainly hold all of them"
    )
    if release.parameters.get("supports") == "lower bounds":
        yield (
            "covers were repaired in this release: occurrences are missing, so there may be more candidates than that"
        )
    if not found.candidates:
        yield "nobody in the release has all of these together"
    elif len(found.items) <= release.m:
        yield f"the release promises at least k = {release.k} for up to m = {release.m} items that somebody has"
    else:
        yield f"the release promises nothing for more than m = {release.m} items"


def looker(release: Disassociated) -> Callable[[list[int]], tuple[int, float]]:
    """Looks up somebody who knows these published items: candidates, and how often the likeliest one is right.

    A cluster of so many expected records with the set, and so many candidates for them, has the person with its part of
    all expected records; each of its candidates is as likely as the others.
    """
    if release.vocabulary:
        release.rows_with(0)  # arranged here, before several ask at once

    def look(codes: list[int]) -> tuple[int, float]:
        found = evidence(release, np.array(sorted(codes), np.int64))
        each = found.expected / np.maximum(1, found.at_most)
        # Fewer than one expected record does not make the person more likely to be there.
        picked = each.max(initial=0.0) / max(1.0, float(found.expected.sum()))
        return found.total_at_most, float(picked)

    return look
