"""Attackers of disassociated releases, each with the attack that uses what it knows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cloven.errors import NothingLearnedError, ParameterError
from cloven.figures import many
from cloven.kinds.disassociated.release import Kind, climb
from cloven.kinds.transactions import SPLIT, about_release, risk_of
from cloven.threats import Case, Threat

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cloven.disclosure.risk import Criterion, Risk
    from cloven.kinds.disassociated.key import Anonymised
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.protocols import Attack, Relatedness
    from cloven.statistics.findings import Findings
    from cloven.threats import Effort

PUTS_BACK: tuple[Criterion, ...] = ("linkability", "inference")
"""Who puts parts of a record together has linked them, and knows what else the person has."""
MEASURE = "share of the hidden links (which part belongs to which record) that are among as many best guesses"


@dataclass(frozen=True)
class _Guessing:
    """An attack that guesses where hidden parts belong; ``prepare`` makes it, given release and effort."""

    prepare: Callable[[Disassociated, Effort], Attack]

    def __call__(self, threat: Threat, case: Case) -> Risk:
        from cloven.kinds.disassociated.score.trial import tried
        from cloven.kinds.transactions import control_of

        result: Anonymised = case.result
        if not leaves_open(result.release):
            return threat.nothing(SPLIT)
        attack = self.prepare(result.release, case.effort)
        found = tried(
            attack,
            result.release,
            result.key,
            rng=case.rng,
            control=control_of(attack),
            measures=("ranking",),
            most_candidates=case.effort.most_candidates,
            progress=case.progress,
        )
        details = {
            **_details(found.findings, result.release),
            "worst": found.worst,
            "worst_of": found.clusters,
        }
        risk = risk_of(threat, found.findings, details, "of the hidden parts back where they belong")
        return risk.saying(by_kind=True)


def word_meanings(relatedness: Relatedness, method: str = "aba") -> Threat:
    """Somebody who knows how related words are.

    >>> import cloven as cv
    >>> word_meanings(cv.relatedness.Vectors.sample()).knows
    'the release, and how related words are (vectors)'
    """
    from cloven.kinds.disassociated.attack.semantic import Semantic

    return Threat(
        "word meanings",
        f"the release, and how related words are ({relatedness.name})",
        "attribute",
        MEASURE,
        _Guessing(lambda _release, _effort: Semantic(relatedness, method, method)),
        outside=True,
        criteria=PUTS_BACK,
    ).publicly(knows="the release, and how related words are")


def release_alone(more: Disassociated | None = None) -> Threat:
    """Somebody who learns from the release itself which items go together.

    Where some of its clusters are attacked, ``more`` are those to learn from.

    >>> release_alone().name
    'release alone'
    """
    from cloven.kinds.disassociated.attack.semantic import Semantic
    from cloven.relatedness.learned import Learned

    def attempt(threat: Threat, case: Case) -> Risk:
        release = case.result.release
        if not leaves_open(release):
            return threat.nothing(SPLIT)
        try:
            learned = Learned.of_release(more or release, most_pairs=case.effort.most_pairs)
        except NothingLearnedError:  # whoever guesses nonetheless draws lots
            return threat.nothing(
                "no two items of the release meet more often than by chance, so it teaches nothing"
            )
        return _Guessing(lambda _release, _effort: Semantic(learned))(threat, case)

    return Threat(
        "release alone",
        "the release alone: what goes together in one cluster is expected in the others",
        "attribute",
        MEASURE,
        attempt,
        criteria=PUTS_BACK,
    ).publicly()


def another_release(other: Disassociated | SetGeneralised, name: str = "another release") -> Threat:
    """Somebody who has another release about the same people, and expects here what goes together there.

    That there is one is the owner's to tell, so this attacker is not public.

    >>> import cloven as cv
    >>> data = cv.sample("clinic")
    >>> another_release(cv.Disassociation(k=3, m=2).anonymise(data).release).knows
    'the release, and another one about the same people (1,000 records, k=3, m=2)'
    """
    from cloven.kinds.disassociated.attack.semantic import Semantic
    from cloven.relatedness.learned import Learned

    return Threat(
        name,
        f"the release, and another one about the same people ({about_release(other)})",
        "attribute",
        MEASURE,
        _Guessing(lambda _release, effort: Semantic(Learned.of_release(other, most_pairs=effort.most_pairs))),
        outside=True,
        criteria=PUTS_BACK,
    )


def the_method(tries: int | None = None, covered: Mapping[str, int] | None = None) -> Threat:
    """Somebody who knows how the release was cut, and rejects what would have been cut otherwise.

    ``tries`` says how many arrangements of a chunk are tried; left out, the effort does. Where some clusters of the
    release are attacked, ``covered`` are the covers of all.

    >>> the_method().name
    'method'
    """
    from cloven.kinds.disassociated.attack.vertical import VerticalPartitioning

    guessing = _Guessing(lambda _release, effort: VerticalPartitioning(tries or effort.tries))

    def attempt(threat: Threat, case: Case) -> Risk:
        from cloven.kinds.disassociated.covers.breaches import breaches
        from cloven.kinds.disassociated.covers.covers import covers

        found: Mapping[str, Any] = covered or breaches(covers(case.result.release)).to_dict()
        try:
            risk = guessing(threat, case)
        except ParameterError as error:
            # It needs what is not published (persons, groups, ties), so that nobody has it without other knowledge.
            risk = threat.risk(not_tried=str(error), outside=True)
        repairs = f"{many(found['pairs'], 'cover problem')}; --safe cover repairs them"
        words: dict[str, Any] = {
            "broken_what": "pairs of items that have fewer than k candidates",
            "sentence": f"{risk.sentence} {_covered(found)}".strip(),
            "meaning": repairs if found["pairs"] else risk.meaning,
        }
        details = {**risk.details, "covers": found}
        # Covers are read off the release, which everybody has; they count even where no link can be guessed.
        broken = found["everywhere"]
        counts = risk.counts or broken > 0
        return replace(risk, broken=broken, counts=counts, details=details, **words).saying(**words)

    return Threat(
        "method",
        "the release and the published method: records that it would have cut otherwise are ruled out",
        "attribute",
        MEASURE,
        attempt,
        criteria=PUTS_BACK,
    ).publicly()


def leaves_open(release: Disassociated) -> bool:
    """Whether some part of a record was split off inside its cluster, or shared below the root."""
    later = (release.row_kind != Kind.RECORD) | (release.row_chunk > 0)
    return bool((later & ~release.at_root).any())


def _covered(found: Mapping[str, Any]) -> str:
    """What covers tell. Only where no other cluster has candidates is the promise itself broken."""
    if not found["pairs"]:
        return "Nothing is covered."
    pairs = f"The method tells that {many(found['pairs'], 'pair')} of items meet fewer than k times in their cluster"
    if not found["everywhere"]:
        return f"{pairs}; other clusters have candidates for all of them."
    return f"{pairs}; for {found['everywhere']:,} of them no other cluster has enough candidates."


def _details(found: Findings, release: Disassociated) -> dict[str, Any]:
    """What the owner's page shows beyond the headline."""
    kinds = [(scope, found.get("hit", scope)) for scope in ("record", "shared", "term")]
    return {
        "by_kind": [
            {
                "kind": f"{scope} chunks",
                "attacker": hit.value,
                "low": hit.low,
                "high": hit.high,
                "guessing": hit.chance,
                "control": hit.control,
                "count": hit.count,
                "groups": _groups(release, scope),
            }
            for scope, hit in kinds
            if hit.value is not None
        ],
        "calibration": found.calibration["all"].to_dict(),
        "findings": found.to_dict(),
    }


def _groups(release: Disassociated, scope: str) -> int:
    """Clusters that parts of one kind are split off from."""
    if scope != "shared":
        kind = Kind.TERM if scope == "term" else Kind.RECORD
        rows = (release.row_kind == kind) & ((kind == Kind.TERM) | (release.row_chunk > 0))
        return len(np.unique(release.row_cluster[rows]))
    shares = np.zeros(release.joints + 1, bool)  # the last stands for no joint
    shares[release.row_joint[release.row_kind == Kind.SHARED]] = True
    shares[release.root] = False  # what stands at the root is not asked about
    reached = np.zeros(release.clusters, bool)
    for cluster, joint in climb(release.cluster_joint, release.joint_parent):
        reached[cluster] |= shares[joint]
    return int(reached.sum())
