"""One attack tried out: its guesses, guesswork and the control beside it, scored against the key.

Where a release leaves more candidates open than there is time for, a random sample of the targets is drawn once, and
attack, guesswork and control are asked the same. The attack is then also asked about all targets of a few random
clusters, which no measure counts: they are there to be shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.attack.disassociated.candidates import Candidates
from cloven.attack.disassociated.questions import drawn, given_or_all, published_only
from cloven.scoring.belonging import check_asked, check_sample
from cloven.scoring.control import guesswork_of
from cloven.scoring.score import score
from cloven.scoring.truth import truth
from cloven.scoring.worst import ROWS, worst_clusters

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from cloven.model.disassociated import Disassociated
    from cloven.model.guesses import Questions
    from cloven.model.key import Key
    from cloven.protocols import Attack
    from cloven.scoring.findings import Findings

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
    vectors: Any = None,
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
        control: the same attack without its knowledge; see ``scoring.control``.
        chance_runs: runs of guesswork; left out, five, or one where many candidates make one run steady enough, or
            none where all of chance is known by formula.
        vectors: for word mover's distance; see ``score``.
        measures: groups of measures; see ``score``.
        most_candidates: above so many, a random sample of the targets is attacked; see ``questions``.
        most_targets: targets at most, likewise.
        asked: what to ask instead, such as a sample that several attacks share.
        progress: called with the step and the share done.

    >>> import cloven as cv, numpy as np
    >>> from cloven.attack.disassociated.guesswork import Guesswork
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
        vectors=vectors,
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
    vectors: Any = None,
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
        vectors=vectors,
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
    asked: NDArray[np.int64]
    shown: NDArray[np.int64]
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


def _picked_clusters(
    release: Disassociated, candidates: Candidates, rng: np.random.Generator
) -> NDArray[np.int64]:
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
