"""What kinds have in common whose data are transactions: counts, writing, utility, guesses, being in it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, overload

from cloven.disclosure.audience import is_differentially_private
from cloven.disclosure.outcome import Measured, Utility
from cloven.disclosure.risk import Estimate
from cloven.errors import ParameterError
from cloven.figures import estimated, percent
from cloven.kinds.membership import membership
from cloven.registry import part
from cloven.statistics.intervals import wilson
from cloven.statistics.yardstick import Yardstick

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    import numpy as np

    from cloven.compiled import Floats, Longs
    from cloven.data.taxonomy import Taxonomy
    from cloven.data.transactions import Transactions
    from cloven.disclosure.audience import Audience
    from cloven.disclosure.risk import Risk
    from cloven.kinds.disassociated.release import Disassociated
    from cloven.kinds.disassociated.utility import UtilityReport
    from cloven.kinds.generalised.release import SetGeneralised
    from cloven.kinds.generalised.utility import GeneralisedUtility
    from cloven.kinds.people import Everybody
    from cloven.statistics.findings import Finding, Findings
    from cloven.statistics.intervals import Sampled
    from cloven.statistics.telling import People
    from cloven.threats import Case, Effort, Threat

    Score = Callable[[Any, People], Floats]


def is_of_sets(release: object) -> bool:
    """Whether something is a release made from sets of items; such releases may stand beside each other."""
    from cloven.storage.manifest import all_formats

    return any(each.of_sets and isinstance(release, each.release) for each in all_formats())


class OfTransactions:
    """The part of a family that does not depend on the kind of release."""

    def fingerprint(self, data: Transactions) -> str:
        """SHA-256 of the data."""
        from cloven.storage.fingerprint import fingerprint

        return fingerprint(data)

    def published(self, release: Any) -> dict[str, int]:
        """Counts that anybody can read off the release."""
        from cloven.storage.manifest import count

        return count(release)

    def counts(self, data: Transactions, result: Any) -> dict[str, int | float]:
        """Counts that only the owner knows."""
        shown = self.published(result.release)
        every = part(result.release, "words").summary(data, result)
        return {name: value for name, value in every.items() if name not in shown}

    def cautions(self, data: Transactions, method: Any, result: Any, figures: Any = None) -> list[str]:
        """What an owner should know before publishing, each with what to do."""
        words = part(result.release, "words")
        told: list[str] = words.cautions(words.summary(data, result) if figures is None else figures, method)
        return told

    def utility(self, data: Transactions, result: Any, effort: Effort, rng: np.random.Generator) -> Utility:
        """What is kept of the data."""
        found = utility(
            data,
            result.release,
            rng=rng,
            reconstructions=effort.reconstructions,
            top=effort.top,
            taxonomy=effort.taxonomy,
            suppressed_records=len(data) - len(result.key.records),
        )
        return Utility(HEADLINE, tuple(part(result.release, "kind").measures(found)), ANALYSES)

    def shares_totals(self, method: Any) -> bool:
        """Whether totals over the records may be public."""
        return not is_differentially_private(method.parameters)

    def write(self, result: Any, public: Path, private: Path, original: Transactions | None) -> str:
        """Check the release once more, write it and the owner's key to two new folders."""
        from cloven.storage.release import write_key, write_public
        from cloven.verification import verify

        policy = getattr(result, "policy", None)
        verify(result.release, policy=policy, allow_seeded=True).raise_if_broken()
        digest = write_public(result.release, public, "parquet")
        write_key(result, private, manifest_sha256=digest, original=original)
        return digest

    def told_of_everybody(
        self, data: Transactions, release: Any, m: int | None, sensitive: Collection[str]
    ) -> Everybody:
        """What each reader tells of every person, at worst."""
        from cloven.kinds.people import told_of_items

        return told_of_items(data, release, m, sensitive)


@overload
def utility(
    original: Transactions,
    release: Disassociated,
    *,
    rng: np.random.Generator,
    reconstructions: int = 5,
    top: int = 1000,
    taxonomy: Taxonomy | None = None,
    suppressed_records: int = 0,
) -> UtilityReport: ...
@overload
def utility(
    original: Transactions,
    release: SetGeneralised,
    *,
    rng: np.random.Generator,
    reconstructions: int = 5,
    top: int = 1000,
    taxonomy: Taxonomy | None = None,
    suppressed_records: int = 0,
) -> GeneralisedUtility: ...


def utility(
    original: Transactions,
    release: Disassociated | SetGeneralised,
    *,
    rng: np.random.Generator,
    reconstructions: int = 5,
    top: int = 1000,
    taxonomy: Taxonomy | None = None,
    suppressed_records: int = 0,
) -> UtilityReport | GeneralisedUtility:
    """Measure what a release keeps of the original.

    Records that are all equal lose nothing:

    >>> import cloven as cv
    >>> import numpy as np
    >>> data = cv.Transactions.from_records([["flu", "fever"]] * 6)
    >>> release = cv.Disassociation(k=5, m=2).anonymise(data).release
    >>> found = utility(data, release, rng=np.random.default_rng(1))
    >>> found.pairs_kept, found.tkd.mean
    (1.0, 0.0)
    """
    from cloven.reconstruction import reconstruct_many

    if not 0 <= suppressed_records <= len(original):
        message = f"suppressed_records must be between 0 and {len(original)}, got {suppressed_records}"
        raise ParameterError(message)
    yardstick = Yardstick.of(original, top, taxonomy)
    compared = yardstick.compare_all(reconstruct_many(release, reconstructions, rng))
    found: UtilityReport | GeneralisedUtility = part(release, "utility").measured(
        original, release, yardstick, compared, suppressed_records
    )
    return found


def about_release(release: Disassociated | SetGeneralised) -> str:
    """What another release promises, in a few words."""
    m = getattr(release, "m", None) or release.parameters.get("all_up_to")
    return f"{release.records:,} records, k={release.k}" + (f", m={m}" if m else "")


AnyAttack = TypeVar("AnyAttack")


def control_of(attack: AnyAttack, seed: int = 0) -> AnyAttack | None:
    """The attack with shuffled relatedness, which it makes by ``control``; None if it uses no relatedness.

    What the control reaches, meaning did not bring.

    >>> import cloven as cv
    >>> control_of(cv.attacks.Semantic(cv.relatedness.Vectors.sample())).relatedness.name
    'shuffled-vectors'
    """
    control = getattr(attack, "control", None)
    found: AnyAttack | None = None if control is None else control(seed)
    return found


# Figures of utility as measures on one scale; and the one that all families have, so that they can be compared.
#
# They are totals over all records, for everybody to see, unless a family says otherwise.


HEADLINE = "frequent combinations kept"
ANALYSES = ("item counts", "pair counts", "rules", "models")


def plain(
    name: str, value: float | None, best: float, worst: float, sentence: str, audience: Audience = "public"
) -> Measured:
    """A figure that does not vary."""
    return Measured(name, value, None, None, best, worst, sentence, audience)


def drawn(name: str, value: Sampled | None, worst: float, sentence: str) -> Measured:
    """A loss that was measured on reconstructions; 0 is best."""
    if value is None:
        return plain(name, None, 0.0, worst, sentence)
    return Measured(name, value.mean, value.low, value.high, 0.0, worst, sentence, "public")


def itemsets(found: UtilityReport | GeneralisedUtility) -> tuple[list[Measured], Measured]:
    """The headline and what analyses keep, and tKd of the paper: all on reconstructed data.

    Single items are easily kept, and nobody publishes sets for their sake: the headline is about two or more.
    """
    about = f"the {found.top:,} most frequent sets"
    lost = found.several
    kept = Measured(
        HEADLINE,
        1 - lost.mean,
        None if lost.high is None else 1 - lost.high,
        None if lost.low is None else 1 - lost.low,
        1.0,
        0.0,
        f"{about} of two or more items that are still among the most frequent",
        "public",
    )
    again = [
        _again("item counts", found.item_counts, "how often the 100 most frequent items occur"),
        _again("pair counts", found.pair_counts, "how often the 100 most frequent pairs occur"),
        _again("rules", found.rules, "how sure one item of such a pair makes the other"),
        _again("models", found.models, "what naive Bayes models of ten items learn above chance"),
    ]
    return [kept, *again], drawn("tKd", found.tkd, 1.0, f"{about} of any size lost, on reconstructed data")


def _again(name: str, kept: Sampled | None, sentence: str) -> Measured:
    """An analysis that was done again on reconstructed data; 1 is best."""
    if kept is None:
        return plain(name, None, 1.0, 0.0, sentence)
    return Measured(name, kept.mean, kept.low, kept.high, 1.0, 0.0, sentence, "public")


def pair_error(error: Sampled | None, pairs: float) -> Measured:
    """re: relative error of the supports of pairs, on reconstructed data.

    Its pairs are of items in the middle of all, withheld ones too, so that it tells how many these are: the owner's.
    """
    sentence = f"relative error of {pairs:.0f} pair supports, 0 to 2, reconstructed"
    return replace(drawn("re", error, 2.0, sentence), audience="owner")


# From what an attack guessed to a risk: the same figures and words for every family.


SPLIT = "nothing is split off, so there is nothing to put back"
"""What whole parts tell is measured on known persons."""


def risk_of(
    threat: Threat,
    found: Findings,
    details: dict[str, Any],
    puts: str,
    beside: str = "",
    guess: str = "guessing",
) -> Risk:
    """The risk by the measure "hit"; ``puts`` says of what the attacker puts a share where.

    ``beside`` is the ending of measures with another baseline than lots, and ``guess`` says what that is called.
    """
    hit, auc = found.get(f"hit{beside}"), found.get(f"auc{beside}")
    attacker = _estimate(hit.value, hit.low, hit.high)
    guessing = _estimate(hit.chance, hit.chance_low, hit.chance_high)
    if attacker is None or guessing is None:
        return threat.nothing(SPLIT, details=details)
    gain = _estimate(hit.over_chance, hit.over_chance_low, hit.over_chance_high)
    if hit.units == 1:  # no interval can be built over groups
        attacker = _over_parts(attacker.value, int(hit.count))
        gain = attacker.over(guessing.value)
    sentence = (
        f"An attacker ({threat.name}) puts {estimated(attacker)} {puts}; {guess} gets {estimated(guessing)}."
    )
    meant = meaning(attacker, beats=beats(auc))
    return threat.risk(
        attacker=attacker,
        guessing=guessing,
        gain=gain,
        control=_estimate(hit.control, hit.control_low, hit.control_high),
        beats=beats(auc),
        count=int(hit.count),
        units=hit.units,
        sentence=sentence,
        meaning=meant,
        details=details,
    ).saying(sentence=sentence, meaning=meant)


def _over_parts(value: float, parts: int) -> Estimate:
    """A share with its interval over hidden parts.

    >>> _over_parts(0.5, 100)
    Estimate(value=0.5, low=0.40383153, high=0.59616847)
    """
    low, high = wilson(round(value * parts), parts)
    return Estimate(value, round(min(low, value), 8), round(max(high, value), 8))


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
        else f"{percent(value, 0)} of guessed links are right"
    )
    return f"{often if value else 'no guessed link is right'}; " + (
        "better than guessing" if beats else "not shown to beat guessing"
    )


def beats(auc: Finding) -> bool:
    """Better than guessing and than the control, shown with 95 %. Ranking tells it apart best, so the AUC decides."""
    lows = [auc.over_chance_low] + ([] if auc.control is None else [auc.over_control_low])
    return all(low is not None and low > 0 for low in lows)


def _estimate(value: float | None, low: float | None, high: float | None) -> Estimate | None:
    return None if value is None else Estimate(value, low, high)


def being_in_it(score: Score) -> Threat:
    """Somebody who knows all items of a person; ``score`` says how well all that people hold fits a release."""

    def fit(case: Case, release: Any, asked: Longs) -> Floats:
        from cloven.statistics.telling import People

        return score(release, People.of(case.data, asked, release.vocabulary, case.data.holders))

    return membership("being in it", "the release, and all items of one person", fit)
