"""One attack tried out: its guesses, guesswork and the control beside it, scored against the key.

Where a release leaves more candidates open than there is time for, a random sample of the targets is drawn once, and
attack, guesswork and control are asked the same. The attack is then also asked about all targets of a few random
clusters, which no measure counts: they are there to be shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cloven.errors import ParameterError
from cloven.kinds.disassociated.attack.named import guesswork_of
from cloven.kinds.disassociated.attack.questions import Candidates, drawn, given_or_all, published_only
from cloven.kinds.disassociated.key import Key
from cloven.kinds.disassociated.release import Kind
from cloven.kinds.disassociated.score.score import answerable, score
from cloven.kinds.disassociated.score.truth import check_asked, check_guesses, check_sample, truth
from cloven.statistics.findings import find_links

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cloven.compiled import Floats, Longs
    from cloven.kinds.disassociated.guesses import Guesses, Questions
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.score.truth import Truth
    from cloven.protocols import Attack
    from cloven.statistics.findings import Findings


# The clusters in which an attack was right most convincingly, as tables for the owner's eyes.
#
# For each true link the attack either ranks its slot among as many best slots as hold the target, or not (as in the
# measure ``hit``; ties count in part). Guessing gets a link with the share of the candidates that hold the target. With
# h links found in a cluster where guessing expects e, the *evidence* is h ln(h / e) - h + e: the bound, in natural
# logarithms, on how unlikely so many are by luck (Chernoff's, for a Poisson number with mean e). Links that no guess
# can miss count neither way. Clusters with fewer than ``LEAST`` other links come after all that have as many.


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
    >>> guesses = cv.attacks.Semantic(cv.relatedness.Vectors.sample()).guess(made.release)
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
    by = Measured.of(links, release.clusters)
    order = np.lexsort((-by.evidence, by.links < LEAST))
    worst = order[by.evidence[order] > 0][:limit]
    return [_shown(cluster, by, links, guesses, answers, release, rows) for cluster in worst.tolist()]


def measured(guesses: Guesses, answers: Truth, clusters: int) -> Measured:
    """How much of each cluster an attack got right; for whoever puts clusters in order.

    Raises:
        ReleaseError: guesses and answers do not belong together.
    """
    check_guesses(guesses)
    check_asked(guesses.questions, answers.questions)
    return Measured.of(_Links.of(guesses, answers), clusters)


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


class Measured(NamedTuple):
    """For each cluster: links that a guess can miss, how many were found, how many guessing expects, evidence."""

    links: Longs
    found: Floats
    expected: Floats
    evidence: Floats

    @classmethod
    def of(cls, links: _Links, clusters: int) -> Measured:
        """Add up the links of each cluster."""
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
    measured: Measured,
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


STEADY = 10_000_000
"""Candidates above which one run of guesswork is as good as five."""
SHOWN = 500
"""Clusters looked at for the worst of them, beside a sample."""
SHOWN_CANDIDATES = 500_000


@dataclass(frozen=True)
class Trial:
    """What came of an attack.

    Attributes:
        findings: all measures.
        worst: the clusters in which it was right most convincingly, as plain JSON values; see ``worst_clusters``. For
            the owner's eyes alone.
        clusters: how many clusters they are the worst of.
    """

    findings: Findings
    worst: list[dict[str, Any]]
    clusters: int


def trial(
    attack: Attack,
    release: Disassociated,
    key: Key,
    *,
    rng: np.random.Generator,
    control: Attack | None = None,
    chance_runs: int | None = None,
    measures: Sequence[str] | None = None,
    most_candidates: int | None = None,
    most_targets: int | None = None,
    asked: Questions | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Findings:
    """Attack a release, and measure what came of it.

    Args:
        attack: sees the release alone.
        release: what is attacked.
        key: the owner's, for the measures.
        rng: random numbers for guesswork, samples and intervals.
        control: the same attack without its knowledge; see ``control_of``.
        chance_runs: runs of guesswork; left out, five, or one where many candidates make one run steady enough, or
            none where all of chance is known by formula.
        measures: groups of measures; see ``score``.
        most_candidates: above so many, a random sample of the targets is attacked; see ``questions``.
        most_targets: targets at most, likewise.
        asked: what to ask instead, such as a sample that several attacks share.
        progress: called with the step and the share done.

    >>> import cloven as cv, numpy as np
    >>> from cloven.kinds.disassociated.attack.named import Guesswork
    >>> made = cv.Disassociation(k=5, m=2).anonymise(cv.sample("clinic"))
    >>> found = trial(Guesswork(), made.release, made.key, rng=np.random.default_rng(1), measures=["ranking"])
    >>> abs(found.get("auc").value - 0.5) < 0.03
    True
    """
    return tried(
        attack,
        release,
        key,
        rng=rng,
        control=control,
        chance_runs=chance_runs,
        measures=measures,
        most_candidates=most_candidates,
        most_targets=most_targets,
        asked=asked,
        progress=progress,
        worst=0,
    ).findings


def tried(
    attack: Attack,
    release: Disassociated,
    key: Key,
    *,
    rng: np.random.Generator,
    control: Attack | None = None,
    chance_runs: int | None = None,
    measures: Sequence[str] | None = None,
    most_candidates: int | None = None,
    most_targets: int | None = None,
    asked: Questions | None = None,
    progress: Callable[[str, float], None] | None = None,
    worst: int = 3,
    rows: int = ROWS,
) -> Trial:
    """``trial``, and the worst clusters with it: the attack guesses once.

    ``worst`` says how many clusters to show, ``rows`` how many rows of each at most.
    """
    plan = _Plan.of(release, most_candidates, most_targets, asked, rng, shown=worst > 0)
    every = attack.guess(release, rng, progress, asked=plan.every)
    check_asked(every.questions, plan.every)
    answers = truth(plan.every, release, key)
    guesses = every.only(plan.asked)
    if chance_runs is None:
        chance_runs = _runs(guesses.questions, measures)
    baseline = guesswork_of(guesses.attack)
    findings = score(
        guesses,
        release,
        answers.only(guesses.questions, plan.asked),
        # One after the other: the guesses of a large release fill memory.
        chance=(baseline.among(guesses.questions, release, rng) for _ in range(chance_runs)),
        control=None if control is None else control.guess(release, rng, progress, asked=guesses.questions),
        rng=rng,
        measures=measures,
        asked=guesses.questions,
        progress=progress,
    )
    if not worst:
        return Trial(findings, [], 0)
    shown = every.only(plan.shown)
    found = worst_clusters(shown, release, answers.only(shown.questions, plan.shown), worst, rows)
    return Trial(findings, found, plan.clusters)


@dataclass(frozen=True)
class _Plan:
    """What to ask.

    Attributes:
        every: all questions that the attack gets.
        asked: those of its targets that are measured.
        shown: those of its targets that belong to the clusters to be shown.
        clusters: how many clusters these are.
    """

    every: Questions
    asked: Longs
    shown: Longs
    clusters: int

    @classmethod
    def of(
        cls,
        release: Disassociated,
        most: int | None,
        most_targets: int | None,
        asked: Questions | None,
        rng: np.random.Generator,
        *,
        shown: bool,
    ) -> _Plan:
        """All targets, or a sample with a few clusters beside it."""
        published_only(release)
        if asked is not None:
            questions = given_or_all(release, asked)
            if asked.is_sample:
                check_sample(asked, release)
            return cls._as_one(questions, release)
        candidates = Candidates.of(release)
        targets = drawn(candidates, most, rng, most_targets=most_targets)
        if len(targets) == len(candidates) or not shown:
            return cls._as_one(candidates.questions(targets), release)
        picked = _picked_clusters(release, candidates, rng)
        cluster = release.row_cluster[candidates.row]
        beside = np.flatnonzero(np.isin(cluster, picked) & (cluster >= 0))
        union = np.union1d(targets, beside)
        return cls(
            candidates.questions(union),
            np.searchsorted(union, targets),
            np.searchsorted(union, beside),
            len(picked),
        )

    @classmethod
    def _as_one(cls, questions: Questions, release: Disassociated) -> _Plan:
        targets = np.arange(len(questions))
        return cls(questions, targets, targets, release.clusters)


def _picked_clusters(release: Disassociated, candidates: Candidates, rng: np.random.Generator) -> Longs:
    """Random clusters, as many as have few enough candidates together."""
    cluster = release.row_cluster[candidates.row]
    own = cluster >= 0
    size = np.bincount(cluster[own], candidates.many[own], release.clusters)
    order = rng.permutation(release.clusters)
    few = np.cumsum(size[order]) <= SHOWN_CANDIDATES
    return np.sort(order[few][:SHOWN])


def _runs(questions: Questions, measures: Sequence[str] | None) -> int:
    """Runs of guesswork that are worth their time."""
    if questions.is_sample or (measures is not None and set(measures) <= {"ranking"}):
        return 0
    return 5 if len(questions.slots) <= STEADY else 1
