"""Rules that cut the endings of regular English words, as WordNet's manual page ``morphy(7WN)`` lists them."""

from __future__ import annotations

_ENDINGS = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}


def detached(word: str, part: str) -> list[str]:
    """Candidates for the base form of a word, in the order of the rules; most of them are no words.

    Nouns of one or two letters and those in ``-ss`` have no ending to cut; of those in ``-ful`` the part before it is
    cut (``boxesful``).

    >>> detached("biopsies", "noun")
    ['biopsie', 'biopsy']
    >>> detached("boxesful", "noun")
    ['boxeful', 'boxful']
    """
    kept = ""
    if part == "noun":
        if len(word) <= 2 or word.endswith("ss"):
            return []
        if word.endswith("ful"):
            word, kept = word[:-3], "ful"
    return [
        word.removesuffix(ending) + instead + kept
        for ending, instead in _ENDINGS[part]
        if word.endswith(ending) and len(word) > len(ending)
    ]
