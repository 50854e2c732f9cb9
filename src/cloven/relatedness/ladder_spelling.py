"""Other spellings of an English word: British and American, by rule and through WordNet."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cloven.relatedness.wordnet_files import WordNetFiles

# British, American, what stands before, what follows. Most applications give no word at all: whoever asks looks the
# results up and takes the first that exists.
_PAIRS = (
    ("is", "iz", "", "e|ing|ation"),
    ("ys", "yz", "", "e|ing"),
    ("our", "or", "", ""),
    ("ae", "e", "", ""),
    ("oe", "e", "", ""),
    ("re", "er", "[btv]", "$"),
    ("ogue", "og", "", "$"),
    ("ence", "ense", "", "$"),
    ("ll", "l", "", "ed|er|ing"),
    ("amme", "am", "", "$"),
    ("lph", "lf", "", ""),
)
_AMERICAN = tuple((re.compile(f"(?<={before}){b}(?={after})"), a) for b, a, before, after in _PAIRS)
_BRITISH = tuple((re.compile(f"(?<={before}){a}(?={after})"), b) for b, a, before, after in _PAIRS)
_SHORTEST = 5  # in shorter words the rules hit other words: for, four
_CLOSE = 0.75  # share of letters that two spellings of one word have in common: grey, gray


def spelled_by_rule(word: str) -> list[str]:
    """What a word may look like across the Atlantic, most direct first; most of them are no words.

    >>> spelled_by_rule("anaesthetise")[:3]
    ['anaesthetize', 'anesthetise', 'anesthetize']
    >>> "tumour" in spelled_by_rule("tumor"), "sulphur" in spelled_by_rule("sulfur")
    (True, True)
    """
    if len(word) < _SHORTEST:
        return []
    american = list(_one_place(word, _AMERICAN))
    everywhere = word
    for pattern, instead in _AMERICAN:
        everywhere = pattern.sub(instead, everywhere)
    candidates = dict.fromkeys([*american, everywhere, *_one_place(word, _BRITISH)])
    return [candidate for candidate in candidates if candidate != word]


def _one_place(word: str, rules: Sequence[tuple[re.Pattern[str], str]]) -> Iterator[str]:
    for pattern, instead in rules:
        for match in pattern.finditer(word):
            yield word[: match.start()] + instead + word[match.end() :]


def spelled_in_wordnet(word: str, wordnet: WordNetFiles, parts: Sequence[str]) -> list[str]:
    """Words of the same synsets that are written nearly alike, the closest first."""
    closeness: dict[str, float] = {}
    for part in parts:
        for synset in wordnet.senses(word, part):
            for other in wordnet.synsets(part).words[synset]:
                if other.lower() != word:
                    closeness[other] = SequenceMatcher(None, word, other.lower(), autojunk=False).ratio()
    close = [other for other, share in closeness.items() if share >= _CLOSE]
    return sorted(close, key=lambda other: -closeness[other])
