"""Words of the page in a sentence each, and what no attack here has tried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

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

SHUFFLED_PERSONS = (
    "the control: the same attack with its knowledge shuffled, such as the quasi-identifiers of somebody else, so that"
    " it behaves alike and knows nothing. Only what lies above guessing and above the control comes from knowledge"
)

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

NOT_MODELLED: tuple[tuple[str, str], ...] = (
    ("Negative knowledge.", "That somebody does not have an item; one such fact can remove candidates."),
    (
        "More knowledge than was tried.",
        "More items of a person, better word vectors, a list that nobody thought of.",
    ),
    (
        "Several kinds of knowledge at once.",
        "Each attack above uses one; somebody who combines them may do better.",
    ),
    ("Being in the data.", "The release does not hide who is in it, and no attack here asks."),
    (
        "Groups.",
        "If all candidates share something, it is known of each of them. Nothing here asks for diversity.",
    ),
    (
        "Who joined or left.",
        "Two releases tell by their difference; attacks with another release do not ask for it.",
    ),
    (
        "Text inside items.",
        "An item is a name, compared letter by letter; what it says is published as it is.",
    ),
    ("Anything outside the files.", "Who was sent the key, who kept a copy of the original."),
)
NOT_MODELLED_OF_TABLES: tuple[tuple[str, str], ...] = (
    (
        "What others have, or somebody does not have.",
        "Who knows the value of a neighbour in the group, or that a person does not have one, has fewer left.",
    ),
    (
        "More knowledge than was tried.",
        "Attributes that the schema does not call quasi-identifiers, better word vectors, a list that nobody thought"
        " of.",
    ),
    (
        "Several kinds of knowledge at once.",
        "Each attack above uses one; somebody who combines them may do better.",
    ),
    ("Being in the data.", "The release does not hide who is in it, and no attack here asks."),
    (
        "Learning from the whole release.",
        "Each attack looks at the rows that fit a person; a model of which values go together, fitted to all of them,"
        " may do better.",
    ),
    (
        "Values that are alike.",
        "Two kinds of one illness count as two values, though either tells the illness.",
    ),
    (
        "Who joined or left.",
        "Two releases tell by their difference; attacks with another release do not ask for it.",
    ),
    ("Text inside cells.", "A value is compared letter by letter; what it says is published as it is."),
    ("Anything outside the files.", "Who was sent the key, who kept a copy of the original."),
)
_OF_CONFIDENCE = ("confidence", "calibrated", "Brier score", "calibration error")
_OF_OUTSIDERS = ("members, outsiders", "adds", "told at 0.95, certain")
_TRIED_BY_LINKAGE = {"Being in the data.": "table"}


def terms(document: Mapping[str, Any], *, calibrated: bool) -> Mapping[str, str]:
    """Words that the page of a document uses."""
    compared = _compared(document)
    own = {"shuffled": SHUFFLED_PERSONS} if document["family"] == "tables" else {}
    return {
        name: own.get(name, sentence)
        for name, sentence in TERMS.items()
        if (calibrated or name not in _OF_CONFIDENCE) and (compared or name not in _OF_OUTSIDERS)
    }


def not_modelled(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What no attack of this audit has tried."""
    linkages = {risk["linkage"] for risk in document["risks"] if not risk["not_tried"]}
    every = NOT_MODELLED_OF_TABLES if document["family"] == "tables" else NOT_MODELLED
    tried = {"Groups."} if _compared(document) else set()
    return [
        (name, sentence)
        for name, sentence in every
        if _TRIED_BY_LINKAGE.get(name) not in linkages and name not in tried
    ]


def _compared(document: Mapping[str, Any]) -> bool:
    """Whether somebody asked about members and about outsiders."""
    return any(risk.get("excess") or risk.get("tails") for risk in document["risks"])
