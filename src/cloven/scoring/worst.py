"""The clusters in which an attack was right most convincingly, as tables for the owner's eyes.

For each true link the attack either ranks its slot among as many best slots as hold the target, or not (as in the
measure ``hit``; ties count in part). Guessing gets a link with the share of the candidates that hold the target. With h
links found in a cluster where guessing expects e, the *evidence* is h ln(h / e) - h + e: the bound, in natural
logarithms, on how unlikely so many are by luck (Chernoff's, for a Poisson number with mean e). Links that no guess can
miss count neither way. Clusters with fewer than ``LEAST`` other links come after all that have as many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.errors import ParameterError
from cloven.model.disassociated import Kind
from cloven.model.key import Key
from cloven.scoring.belonging import check_asked, check_guesses
from cloven.scoring.ranking import answerable
from cloven.scoring.ranking_kernel import find_links
from cloven.scoring.truth import truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Guesses
    from cloven.scoring.truth import Truth

    Longs = NDArray[np.int64]
    Floats = NDArray[np.float64]

LEAST = 5
ROWS = 12


def worst_clusters(
    guesses: Guesses, release: Disassociated, key: Key | Truth, limit: int = 3, rows: int = ROWS
) -> list[dict[str, Any]]:
    """The worst clusters first, as plain JSON values; only those in which more was right than guessing expects.

    Targets of a cluster are its own, and shared ones that one of its records holds.

    Each has ``cluster`` and ``size``; ``links``, ``found``, ``expected`` and ``evidence``; ``rows``, anchoring rows as
    ``slot`` (position in the cluster) and ``items`` (none where nothing is shown); and ``targets``, each with ``kind``,
    ``items``, ``guesses`` (``slot``, ``confidence``, ``right``), ``true`` slots, and how many guesses and true slots of
    a shared one lie in other clusters. Of rows and targets the telling ones are given, ``rows`` at most;
    ``targets_in_all`` says how many were asked about. Names of items are plain strings, as they were published.

    Raises:
        ReleaseError: guesses, release and key do not belong together.

    >>> import cloven as cv
    >>> made = cv.Disassociation(k=5, m=2).anonymise(cv.sample("clinic"))
    >>> guesses = cv.Semantic(cv.Vectors.sample()).guess(made.release)
    >>> worst = worst_clusters(guesses, made.release, made.key, limit=1)[0]
    >>> worst["found"] > worst["expected"]
    True
    """
    for name, value in (("limit", limit), ("rows", rows)):
        if value < 1:
            message = f"{name} must be at least 1 (got {value})"
            raise ParameterError(message)
    check_guesses(guesses)
    answers = truth(guesses.questions, release, key) if isinstance(key, Key) else key
    check_asked(guesses.questions, answers.questions)
    links = _Links.of(guesses, answers)
    measured = _Measured.of(links, release.clusters)
    order = np.lexsort((-measured.evidence, measured.links < LEAST))
    worst = order[measured.evidence[order] > 0][:limit]
    return [_shown(cluster, measured, links, guesses, answers, release, rows) for cluster in worst.tolist()]


class _Links(NamedTuple):
    """True links of answerable targets: candidate, target, cluster, probability to be found, and that of guessing."""

    pair: Longs
    target: Longs
    cluster: Longs
    found: Floats
    chance: Floats

    @classmethod
    def of(cls, guesses: Guesses, answers: Truth) -> _Links:
        asked = guesses.questions
        found = find_links(asked.offsets, guesses.score, answers.holds)
        pair, target = np.flatnonzero(answers.holds), answers.link_target
        chance = answers.copies[target] / np.diff(asked.offsets)[target]
        near = answerable(asked)[target]
        pair, target = pair[near], target[near]
        cluster = np.searchsorted(asked.slot_offsets, asked.slots[pair], "right") - 1
        return cls(pair, target, cluster, found[near], chance[near])


class _Measured(NamedTuple):
    """For each cluster: links that a guess can miss, how many were found, how many guessing expects, evidence."""

    links: Longs
    found: Floats
    expected: Floats
    evidence: Floats

    @classmethod
    def of(cls, links: _Links, clusters: int) -> _Measured:
        open_ = links.chance < 1
        cluster = links.cluster[open_]
        found, expected = (
            np.bincount(cluster, values[open_], clusters).astype(float)
            for values in (links.found, links.chance)
        )
        more = found > expected + 1e-9
        ratio = np.divide(found, expected, out=np.ones(clusters), where=more)
        evidence = np.where(more, found * np.log(ratio) - found + expected, 0.0)
        return cls(np.bincount(cluster, minlength=clusters), found, expected, evidence)


def _shown(
    cluster: int,
    measured: _Measured,
    links: _Links,
    guesses: Guesses,
    answers: Truth,
    release: Disassociated,
    rows: int,
) -> dict[str, Any]:
    """One cluster as plain values."""
    asked = guesses.questions
    here = np.flatnonzero(links.cluster == cluster)
    targets = np.union1d(links.target[here], np.flatnonzero(asked.target_cluster == cluster))
    # The more of a target was found against the odds, the earlier it stands.
    gain = np.bincount(
        np.searchsorted(targets, links.target[here]), (links.found - links.chance)[here], len(targets)
    )
    telling = targets[np.argsort(-gain, kind="stable")][:rows]
    told = [_target(target, cluster, guesses, answers, release) for target in telling.tolist()]
    return {
        "cluster": cluster,
        "size": int(release.cluster_size[cluster]),
        "links": int(measured.links[cluster]),
        "found": float(measured.found[cluster]),
        "expected": float(measured.expected[cluster]),
        "evidence": float(measured.evidence[cluster]),
        "rows": _rows(cluster, told, guesses, release, rows),
        "targets": told,
        "targets_in_all": len(targets),
    }


def _target(
    target: int, cluster: int, guesses: Guesses, answers: Truth, release: Disassociated
) -> dict[str, Any]:
    """One target: what was guessed about it, and what is true."""
    asked = guesses.questions
    first, end = asked.slot_offsets[cluster : cluster + 2].tolist()
    pairs = np.arange(asked.offsets[target], asked.offsets[target + 1])
    chosen, true = pairs[guesses.chosen[pairs]], pairs[answers.holds[pairs]]
    near = [each[(asked.slots[each] >= first) & (asked.slots[each] < end)] for each in (chosen, true)]
    item = int(asked.target_item[target])
    return {
        "kind": Kind(asked.target_kind[target]).name.lower(),
        "items": [release.vocabulary[item]]
        if item >= 0
        else list(release.row(int(asked.target_row[target]))),
        "guesses": [
            {
                "slot": int(asked.slots[pair]) - first,
                "confidence": round(float(guesses.confidence[pair]), 4),
                "right": bool(answers.holds[pair]),
            }
            for pair in near[0].tolist()
        ],
        "true": (asked.slots[near[1]] - first).tolist(),
        "guesses_elsewhere": len(chosen) - len(near[0]),
        "true_elsewhere": len(true) - len(near[1]),
    }


def _rows(
    cluster: int, told: list[dict[str, Any]], guesses: Guesses, release: Disassociated, rows: int
) -> list[dict[str, Any]]:
    """Anchoring rows that these targets are about: first those of right guesses, then of true slots, then others."""
    first, end = guesses.questions.slot_offsets[cluster : cluster + 2].tolist()
    guessed = [(guess["slot"], guess["right"]) for target in told for guess in target["guesses"]]
    order = [
        *(slot for slot, right in guessed if right),
        *(slot for target in told for slot in target["true"]),
        *(slot for slot, _ in guessed),
        *range(end - first),
    ]
    anchor = guesses.questions.slot_anchor
    return [
        {"slot": slot, "items": list(release.row(int(row))) if (row := anchor[first + slot]) >= 0 else []}
        for slot in sorted(list(dict.fromkeys(order))[:rows])
    ]
