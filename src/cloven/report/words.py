"""What the page says beside its figures: names made harmless, terms, judgements, and the words of the kind.

How figures themselves are written stands in ``cloven.figures``, and what only a kind can say in its room.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from cloven import figures
from cloven.disclosure.risk import Estimate, Risk
from cloven.figures import counted, listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cloven.kinds.page_words import PageWords
    from cloven.report.rows import Sure


NOTHING = "\u2013"
"""Stands where there is no figure."""


def percent(share: float | None) -> str:
    """A share in percent; small ones with one more digit.

    >>> percent(0.412), percent(0.0004), percent(0.0)
    ('41.2 %', '0.04 %', '0.0 %')
    """
    return NOTHING if share is None else figures.percent(share)


def estimate(plain: Mapping[str, Any] | None) -> str:
    """A value with its interval.

    >>> estimate({"value": 0.412, "low": 0.384, "high": 0.44})
    '41.2 % [38.4 - 44.0]'
    """
    if plain is None:
        return NOTHING
    return figures.estimated(Estimate(plain["value"], plain["low"], plain["high"]))


def plain(name: str) -> str:
    """The name of a figure in words.

    >>> plain("record_chunks")
    'record chunks'
    """
    return name.replace("_", " ")


def figure(value: Any) -> str:
    """Any single figure.

    >>> figure(12345), figure(0.91732), figure(True), figure([]), figure(1000000.0)
    ('12,345', '0.917', 'yes', 'none', '1,000,000')
    """
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return (
            f"{value:,.0f}"
            if value.is_integer()
            else f"{value:,.3g}"
            if abs(value) < 1000
            else f"{value:,.1f}"
        )
    if isinstance(value, list | tuple | dict):
        return "none" if not value else f"{len(value):,} given"
    return str(value)


def contents(published: Mapping[str, int]) -> str:
    """Counts of a release in words; what there is none of is left out.

    >>> contents({"records": 1000, "clusters": 21, "joints": 0, "term_chunks": 1})
    '1,000 records, 21 clusters and 1 term chunk'
    """
    return listed(counted(number, plain(name)) for name, number in published.items() if number)


# Words of the page in a sentence each, and what no attack here has tried.


TERMS: Mapping[str, str] = {
    "attacker": "how often the attack is right. The bar is what was measured, the whisker its 95 % interval",
    "guessing": "how often somebody is right who draws lots, or names the commonest value of everybody where values of"
    " a table are guessed and that is better. The release gives that much away by itself",
    "shuffled": "the control: the same attack with its knowledge shuffled, so that it behaves alike and knows nothing."
    " Only what lies above guessing and above the control comes from knowledge",
    "members, outsiders": "people in a release, and people who were left out of one made by the same method. What is"
    " told of outsiders is statistics, which no release can hide",
    "adds": "members less outsiders: what being in the release costs. Where it is known, it is what is judged",
    "told at 0.95, certain": "tails: people of whom something is claimed with 0.95 or more and rightly, or follows by"
    " logic. They are judged apart from the mean, by a limit of their own",
    "limit": "the share that the owner accepts: of right guesses, or of people of whom more is told because they are in"
    " the release. An attacker whom the release promises k candidates may be right once in k at most. The upper end of"
    " the interval is compared with it",
    "not judged": "an attacker who knows more than the promise covers; shown, but without a part in the verdict",
    "beats guessing": "shown with 95 % that the attack does better than guessing and control. Where it is not shown,"
    " that does not prove the attack harmless",
    "breaks the promise": "statements about persons that an attacker can make though the release promises that"
    " nobody can",
    "risk of a setting": "the highest upper end over all attacks on this page that are judged",
    "utility": "a measure on the scale from 0 % (all is lost) to 100 % (as good as the original)",
    "front": "settings that no other one beats: nothing else that was tried has less risk for the same utility",
    "confidence": "the probability that the attacker gives to a guess",
    "calibrated": "of all guesses with a confidence of 30 %, about 30 % are right, and so for every confidence."
    " Such an attacker knows which guesses to use",
    "Brier score": "mean squared distance between confidence and truth; 0 is best, for the attacker",
    "calibration error": "mean distance between confidence and the share of right guesses",
}

LINKAGES: Mapping[str, str] = {
    "record": "which record is a person's",
    "attribute": "what else belongs to a person",
    "table": "whether a person is in the data",
    "probabilistic": "what has become more or less likely",
}

COVERS: Mapping[str, str] = {
    "pairs": "pairs of items, counted in each cluster, that can have fewer than k holders",
    "different_pairs": "the same pairs without regard to clusters",
    "everywhere": "of these, pairs that no other cluster gives enough candidates for",
    "covers": "places where one item is published only beside another (covers)",
    "single": "of these, covers by a single item",
    "clusters": "clusters that are touched",
    "records": "records of these clusters",
    "holders": "original records that hold such a pair",
    "score": "score of the paper on covers: the best item of each cluster",
    "score_by_chunk": "the same, the best chunk of each cluster",
    "score_as_printed": "the same, by the steps as they are printed",
}

_OF_CONFIDENCE = ("confidence", "calibrated", "Brier score", "calibration error")
_OF_OUTSIDERS = ("members, outsiders", "adds", "told at 0.95, certain")
_TRIED_BY_LINKAGE = {"Being in the data.": "table"}


def terms(document: Mapping[str, Any], *, calibrated: bool) -> Mapping[str, str]:
    """Words that the page of a document uses."""
    compared = _compared(document)
    own = kind_words(document)
    return {
        name: own.terms.get(name, sentence)
        for name, sentence in TERMS.items()
        if (calibrated or name not in _OF_CONFIDENCE) and (compared or name not in _OF_OUTSIDERS)
    }


def not_modelled(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What no attack of this audit has tried."""
    linkages = {risk["linkage"] for risk in document["risks"] if not risk["not_tried"]}
    tried = {"Groups."} if _compared(document) else set()
    return [
        (name, sentence)
        for name, sentence in kind_words(document).not_modelled
        if _TRIED_BY_LINKAGE.get(name) not in linkages and name not in tried
    ]


def _compared(document: Mapping[str, Any]) -> bool:
    """Whether somebody asked about members and about outsiders."""
    return any(risk.get("excess") or risk.get("tails") for risk in document["risks"])


# Judgements in words, with a sign and a colour: of the audit, of one threat, of the confidence of an attack.


CLOSE = 0.02
"""Confidence this near to truth passes for right."""
TELLING = 0.1
"""Below it confidence says nearly nothing, and there are so many such guesses that they would drown the others."""


@dataclass(frozen=True)
class Sign:
    """What colour, icon and words say together; the name of the tone is also that of the icon."""

    tone: str
    words: str


VERDICTS: Mapping[str, Sign] = {
    "publish": Sign("good", "Publish"),
    "change settings": Sign("change", "Change these settings"),
    "use another method": Sign("other", "Use that method instead"),
    "do not publish": Sign("bad", "Do not publish"),
}


def of_risk(
    plain: Mapping[str, Any],
    limit: float,
    limits: Mapping[str, float],
    *,
    withheld: bool = False,
    holds: bool = False,
) -> Sign:
    """How one threat came out against the limits.

    Of figures that are ``withheld`` only what the verdict says anyway: if all of them hold, then this one does.
    """
    if plain["not_tried"]:
        return Sign("quiet", "not tried")
    if withheld and holds and plain["counts"]:
        return Sign("good", "within the limits")
    if withheld or (plain["attacker"] is None and not plain["broken"]):
        return Sign("quiet", "withheld" if withheld else "nothing to measure")
    if plain["counts"] and plain["broken"]:
        return Sign("bad", "breaks the promise")
    risk = Risk.from_dict({name: value for name, value in plain.items() if name != "withheld"})
    if risk.exceeds(limit):
        sure = risk.judged is not None and (risk.judged.low or risk.judged.value) > limit
        return Sign("bad", "above the limit" if sure else "may be above the limit")
    if risk.tails_beyond(limits["max_tail"], limits["max_risk"]):
        return Sign("bad", "tells too much")
    if not plain["counts"]:
        return Sign("quiet", "not judged")
    if risk.gains_nothing(limit):
        return Sign("good", "no gain over chance")
    return Sign("good", "below the limit")


def of_confidence(rows: Sequence[Sure]) -> str:
    """Whether an attack knows how much it knows, in words that every group of guesses bears out."""
    telling = [row for row in rows if row.enough and row.confidence >= TELLING]
    if not telling:
        surest = max((row.confidence for row in rows), default=0.0)
        return f"Never sure enough to be tested: its highest confidence is {percent(surest)}."
    guesses = sum(row.guesses for row in telling)
    gap = sum(row.guesses * (row.confidence - row.right) for row in telling) / guesses
    last = telling[-1]
    example = (
        f"Of the {counted(last.guesses, 'guesses')} it was surest of (about {percent(last.confidence)}),"
        f" {percent(last.right)} were right."
    )
    if abs(gap) > CLOSE:
        return f"{_more_or_less(gap)}. {example}"
    if _believable(last) and all(map(_believable, telling)):
        return f"Calibrated: its confidence can be believed. {example}"
    if not _believable(last):
        return f"{_more_or_less(last.confidence - last.right)} where it is surest. {example}"
    return f"Calibrated on average only: too sure of some guesses and not sure enough of others. {example}"


def _more_or_less(gap: float) -> str:
    if gap > 0:
        return "Overconfident: it is right less often than it says"
    return "Underconfident: it is right more often than it says"


def _believable(row: Sure) -> bool:
    """Whether the share that was right is near the confidence, or no farther than chance explains."""
    variance = max(0.0, row.confidence * (1 - row.confidence))  # documents of others may say a hair above 1
    spread = (variance / max(1, row.guesses)) ** 0.5
    return bool(abs(row.confidence - row.right) <= max(CLOSE, 2 * spread))


# What only the kind of release can say: nouns for its parts, what nobody tries on it, what its measures are.


EXTREMES = ("smallest_group", "largest_group")


def kind_words(document: Mapping[str, Any]) -> PageWords:
    """How to speak of the release of a document: as its kind does, or in general where a plug-in brought the kind."""
    from cloven.kinds.page_words import PageWords
    from cloven.registry import ROOMS

    if document["family"] not in ROOMS:
        return PageWords()
    words: PageWords = import_module(f"{ROOMS[document['family']]}.words").page_words(document)
    return words


def published(document: Mapping[str, Any]) -> str:
    """Counts of a release in words; the extreme sizes of groups have a chart of their own.

    >>> counts = {"records": 200, "columns": 3, "largest_group": 20}
    >>> published({"family": "tables", "published": counts})
    '200 rows and 3 columns'
    """
    nouns = kind_words(document).counts
    shown = {name: number for name, number in document["published"].items() if name not in EXTREMES}
    return contents({nouns.get(name, name): number for name, number in shown.items()})
