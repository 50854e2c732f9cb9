"""Attackers of disassociated releases, each with the attack that uses what it knows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cloven.errors import ParameterError
from cloven.families.words import many, share
from cloven.model.risk import Estimate, Risk
from cloven.threats import Effort, Progress, Threat

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from cloven.breach.breaches import Breach
    from cloven.model.disassociated import Disassociated
    from cloven.model.key import Anonymised
    from cloven.model.transactions import Transactions
    from cloven.protocols import Attack, Relatedness
    from cloven.scoring.findings import Finding, Findings

MEASURE = "share of the hidden links (which part belongs to which record) that are among as many best guesses"


@dataclass(frozen=True)
class _Guessing:
    """An attack that guesses where hidden parts belong; ``prepare`` makes it, given release and effort."""

    prepare: Callable[[Disassociated, Effort], Attack]

    def __call__(
        self,
        threat: Threat,
        data: Transactions,  # noqa: ARG002 - the key tells what is right
        result: Anonymised,
        effort: Effort,
        rng: np.random.Generator,
        progress: Progress | None,
    ) -> Risk:
        from cloven.scoring.control import control_of
        from cloven.scoring.trial import tried

        attack = self.prepare(result.release, effort)
        found = tried(
            attack,
            result.release,
            result.key,
            rng=rng,
            control=control_of(attack),
            most_candidates=effort.most_candidates,
            progress=progress,
        )
        details = {**_details(found.findings), "worst": found.worst, "worst_of": found.clusters}
        return _risk(threat, found.findings, details)


def word_meanings(relatedness: Relatedness, method: str = "aba") -> Threat:
    """Somebody who knows how related words are.

    >>> import cloven as cv
    >>> word_meanings(cv.Vectors.sample()).knows
    'the release, and how related words are (vectors)'
    """
    from cloven.attack.disassociated.semantic import Semantic

    return Threat(
        "word meanings",
        f"the release, and how related words are ({relatedness.name})",
        "attribute",
        MEASURE,
        _Guessing(lambda _release, _effort: Semantic(relatedness, method, method)),
    )


def release_alone() -> Threat:
    """Somebody who learns from the release itself which items go together.

    >>> release_alone().name
    'release alone'
    """
    from cloven.attack.disassociated.semantic import Semantic
    from cloven.relatedness.learned import Learned

    return Threat(
        "release alone",
        "the release alone: what goes together in one cluster is expected in the others",
        "attribute",
        MEASURE,
        _Guessing(
            lambda release, effort: Semantic(Learned.of_release(release, most_pairs=effort.most_pairs))
        ),
    )


def another_release(other: Disassociated, name: str = "another release") -> Threat:
    """Somebody who has another release about the same people, and expects here what goes together there.

    >>> import cloven as cv
    >>> data = cv.sample("clinic")
    >>> another_release(cv.Disassociation(k=3, m=2).anonymise(data).release).knows
    'the release, and another one about the same people (1,000 records, k=3, m=2)'
    """
    from cloven.attack.disassociated.semantic import Semantic
    from cloven.relatedness.learned import Learned

    about = f"{other.records:,} records, k={other.k}, m={other.m}"
    return Threat(
        name,
        f"the release, and another one about the same people ({about})",
        "attribute",
        MEASURE,
        _Guessing(lambda _release, effort: Semantic(Learned.of_release(other, most_pairs=effort.most_pairs))),
    )


def the_method(tries: int = 200) -> Threat:
    """Somebody who knows how the release was cut, and rejects what would have been cut otherwise.

    >>> the_method().name
    'method'
    """
    from cloven.attack.disassociated.vertical_attack import VerticalPartitioning

    guessing = _Guessing(lambda _release, _effort: VerticalPartitioning(tries))

    def attempt(threat: Threat, *given: Any) -> Risk:
        from cloven.breach.breaches import breaches
        from cloven.breach.covers import covers

        found = breaches(covers(given[1].release))
        try:
            risk = guessing(threat, *given)
        except ParameterError as error:
            risk = threat.risk(not_tried=str(error))
        return replace(
            risk,
            broken=found.everywhere,
            broken_what="pairs of items that have fewer than k candidates",
            sentence=f"{risk.sentence} {_covered(found)}".strip(),
            meaning=f"{many(found.pairs, 'cover problem')}; --safe cover repairs them"
            if found.pairs
            else risk.meaning,
            details={**risk.details, "covers": found.to_dict()},
        )

    return Threat(
        "method",
        "the release and the published method: records that it would have cut otherwise are ruled out",
        "attribute",
        MEASURE,
        attempt,
    )


def _covered(found: Breach) -> str:
    """What covers tell. Only where no other cluster has candidates is the promise itself broken."""
    if not found.pairs:
        return "Nothing is covered."
    pairs = (
        f"The method tells that {many(found.pairs, 'pair')} of items meet fewer than k times in their cluster"
    )
    if not found.everywhere:
        return f"{pairs}; other clusters have candidates for all of them."
    return f"{pairs}; for {found.everywhere:,} of them no other cluster has enough candidates."


def _risk(threat: Threat, found: Findings, details: dict[str, Any]) -> Risk:
    hit, auc = found.get("hit"), found.get("auc")
    attacker = _estimate(hit.value, hit.low, hit.high)
    guessing = _estimate(hit.chance, hit.chance_low, hit.chance_high)
    if attacker is None or guessing is None:
        return threat.risk(not_tried="nothing is hidden, so there is nothing to guess", details=details)
    return threat.risk(
        attacker=attacker,
        guessing=guessing,
        control=_estimate(hit.control, hit.control_low, hit.control_high),
        beats=beats(auc),
        count=int(hit.count),
        units=hit.units,
        sentence=f"An attacker ({threat.name}) puts {share(attacker)} of the hidden parts back where they belong;"
        f" guessing gets {share(guessing)}.",
        meaning=meaning(attacker, beats=beats(auc)),
        details=details,
    )


def meaning(attacker: Estimate, *, beats: bool) -> str:
    """One sentence: how often the attacker is right, and whether knowledge had any part in it.

    An interval that reaches down to guessing is no proof that there is no danger, so it is not called one.

    >>> meaning(Estimate(0.125), beats=True)
    '1 in 8 guessed links is right; better than guessing'
    """
    value = attacker.value
    often = (
        f"1 in {1 / value:.0f} guessed links is right"
        if 0 < value < 0.4
        else f"{100 * value:.0f} % of guessed links are right"
    )
    return f"{often if value else 'no guessed link is right'}; " + (
        "better than guessing" if beats else "not shown to beat guessing"
    )


def _details(found: Findings) -> dict[str, Any]:
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
            }
            for scope, hit in kinds
            if hit.value is not None
        ],
        "calibration": found.calibration["all"].to_dict(),
        "findings": found.to_dict(),
    }


def _estimate(value: float | None, low: float | None, high: float | None) -> Estimate | None:
    return None if value is None else Estimate(value, low, high)


def beats(auc: Finding) -> bool:
    """Better than guessing and than the control, shown with 95 %. Ranking tells it apart best, so the AUC decides."""
    lows = [auc.over_chance_low] + ([] if auc.control is None else [auc.over_control_low])
    return all(low is not None and low > 0 for low in lows)
