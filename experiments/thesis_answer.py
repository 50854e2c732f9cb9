"""The plain answer at the head of the page: every number is filled in from the figures."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from experiments.page_parts import WIDTH
from experiments.thesis_judging import most_at, printed_places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.thesis_figures import Estimate, Figures
    from experiments.thesis_judging import Claim

_SIDES = ("value", "chance", "control")
WE, NGD, SVD = "aba/aba WE", "aba/aba NGD", "aba/aba SVD"


def answer(figures: Figures, claims: Sequence[Claim]) -> str:
    """Does meaning help, where, by how much, and what remains of the headline numbers."""
    parts = [
        _helps(figures),
        _headlines(figures),
        _where(figures),
        _what_counts(figures),
        _thinly(figures),
        _tally(claims),
    ]
    return (
        "\n".join(fill(f"- {part}", WIDTH, subsequent_indent="  ", break_on_hyphens=False) for part in parts)
        + "\n"
    )


def _at(
    figures: Figures, place: tuple[str, float], attack: str, measure: str, side: str = "value"
) -> Estimate:
    return figures.at(*place, attack, measure, side=side).estimate


def _helps(figures: Figures) -> str:
    """The thesis's own setting."""
    here = ("k", 2.0)
    auc = {name: _at(figures, here, name, "auc") for name in (WE, NGD)}
    hit = {name: _at(figures, here, name, "hit") for name in (WE, NGD, "random")}
    control = _at(figures, here, NGD, "auc", "control")
    return (
        f"**Does meaning help? {_verdict(auc[WE], auc[NGD])}** At the thesis's setting (k=2, at most 25 records in a"
        f" cluster, type-token ratio 0.30) a row that holds an item outranks one that does not with probability"
        f" {auc[WE].short} by general word vectors and {auc[NGD].short} by document counts of the same domain; 0.5 is"
        f" no information, and shuffled counts give {control.mean:.3f}. Of the best guesses {hit[WE].percent} and"
        f" {hit[NGD].percent} are right; of blind ones {hit['random'].percent}."
    )


def _verdict(vectors: Estimate, counts: Estimate) -> str:
    if counts.low <= 0.5:
        return "Not that these figures could tell."
    if vectors.low <= 0.5:
        return "Only knowledge of the domain does."
    return "Yes, but little."


def _headlines(figures: Figures) -> str:
    return "**What remains of the headlines?** " + " ".join(
        _headline(figures, measure, words)
        for measure, words in (("accuracy", '"60 % of the items"'), ("km_any", '"70 % of the itemsets"'))
    )


def _headline(figures: Figures, measure: str, words: str) -> str:
    main, best = most_at(figures, measure, [("k", 2)]), most_at(figures, measure, printed_places(figures))
    here, most = (
        [figures.at(*place, measure, side=side).estimate for side in _SIDES] for place in (main, best)
    )
    text = (
        f"Of {words}, at that setting and counted as printed, the best attack ({main[2]}) gets {here[0].percent},"
        f" guessing {here[1].percent} and the same attack with shuffled words {here[2].percent}: meaning adds"
        f" {100 * (here[0].mean - here[2].mean):.1f} points. The most at any setting of the thesis ({best[2]},"
        f" {best[0]} {best[1]:g}) is {most[0].percent}, guessing {most[1].percent}, shuffled {most[2].percent}."
    )
    if measure == "km_any":
        own = [figures.at(*main, "km_own", side=side).estimate for side in _SIDES]
        text += (
            f" This counts an itemset that shows up in any rebuilt record of its cluster, and piling items on few rows"
            f" makes most sets meet; in the record that really holds it, it is {own[0].percent}, {own[1].percent} and"
            f" {own[2].percent} at the first setting."
        )
    return text


def _where(figures: Figures) -> str:
    """Which settings make it better or worse."""
    largest = figures.places["size"][-1]
    small, large = ("size", 4.0), ("size", largest)
    first, last = (_at(figures, place, NGD, "auc") for place in (small, large))
    hits = [_at(figures, place, NGD, "hit") for place in (small, large)]
    blind = [_at(figures, place, "random", "hit") for place in (small, large)]
    return (
        f"**Where?** With counts of the domain, link AUC goes from {first.mean:.3f} in clusters of at most 4 to"
        f" {last.mean:.3f} when all {largest:g} records are one cluster, while the share of right guesses goes from"
        f" {hits[0].percent} (guessing {blind[0].percent}) to {hits[1].percent} (guessing {blind[1].percent}), that"
        f" is from {hits[0].mean / blind[0].mean:.2f} to {hits[1].mean / blind[1].mean:.2f} times guessing. Large"
        f" clusters give meaning more to say, and any one guess less chance to be right. From k=2 to k=5 AUC goes from"
        f" {_at(figures, ('k', 2.0), NGD, 'auc').mean:.3f} to {_at(figures, ('k', 5.0), NGD, 'auc').mean:.3f}, from"
        f" type-token ratio 0.2 to 0.7 from {_at(figures, ('density', 0.2), NGD, 'auc').mean:.3f} to"
        f" {_at(figures, ('density', 0.7), NGD, 'auc').mean:.3f}."
    )


def _what_counts(figures: Figures) -> str:
    """Knowledge, selection."""
    here = ("helped", 0.0)
    values = {
        name: _at(figures, here, f"aba/aba {name}", "auc") for name in ("WE", "learned", "NGD", "NPMI", "SVD")
    }
    plain, best = (_at(figures, here, name, "broken") for name in (SVD, f"{SVD}, optimal"))
    blind = _at(figures, here, SVD, "broken", "chance")
    words = ", ".join(f"{name} {value.mean:.3f}" for name, value in values.items())
    return (
        f"**What helped?** A corpus of the right domain, more than any method: link AUC {words} (topic samples, k=2,"
        f" max 25). Assigning a whole chunk at once (`optimal`) breaks {best.percent} of the transactions instead of"
        f" {plain.percent}; guessing breaks {blind.percent}."
    )


def _thinly(figures: Figures) -> str:
    """Transaction breakage as printed."""
    here = ("k", 2.0)
    values = [_at(figures, here, name, "broken") for name in (WE, NGD, "random")]
    return (
        f"**Beware of transaction breakage.** One right item breaks a record, so guessing evenly breaks"
        f" {values[2].percent} of them; the attacks as printed put most items on the best rows and break"
        f" {values[0].percent} (vectors) and {values[1].percent} (counts)."
    )


def _tally(claims: Sequence[Claim]) -> str:
    number = {
        word: sum(claim.verdict == word for claim in claims) for word in ("confirmed", "refuted", "chance")
    }
    trends = [claim for claim in claims if claim.guessing and claim.verdict == "confirmed"]
    same = sum(claim.guessing == "confirmed" for claim in trends)
    return (
        f"**Claims.** Of {len(claims)} claims of the thesis {number['confirmed']} are confirmed, {number['refuted']}"
        f" refuted, and {number['chance']} cannot be told from chance. Of {len(trends)} confirmed trends"
        f" {same} are trends of guessing as well: they say more about the measure than about the attack."
    )
