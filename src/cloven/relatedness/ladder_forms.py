"""Forms under which an item may be known: other separators, base forms, spellings, synonyms, the parts of a phrase."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cloven.relatedness.ladder_spelling import spelled_by_rule, spelled_in_wordnet
from cloven.relatedness.wordnet_files import PARTS_OF_SPEECH
from cloven.relatedness.wordnet_morphy import detached

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cloven.relatedness.wordnet_files import WordNetFiles

_SEPARATOR = re.compile(r"[\s_\-\u2010-\u2015/,;:()\[\]&+]+")  # \u2010 to \u2015 are hyphens and dashes
_LITTLE_WORD = re.compile(r"an?|and|as|at|by|for|from|in|of|on|or|the|to|with(out)?", re.IGNORECASE)
_SHORTEST_SYNONYM = 4


def separated(word: str) -> list[str]:
    """A word as written, and if it is a phrase, with each kind of separator.

    >>> separated("blood vessel")
    ['blood vessel', 'blood_vessel', 'blood-vessel']
    """
    parts = [part for part in re.split(r"[\s_-]+", word) if part]
    return list(dict.fromkeys([word, *(sign.join(parts) for sign in " _-" if len(parts) > 1)]))


def parts_of(item: str) -> list[str]:
    """Parts of a phrase without little words; none if it is a single word.

    >>> parts_of("cancer of the lung"), parts_of("lung")
    (['cancer', 'lung'], [])
    """
    parts = [part for part in _SEPARATOR.split(item) if part]
    content = [part for part in parts if not _LITTLE_WORD.fullmatch(part)]
    return content if parts != [item] else []


def all_separated(words: Iterable[str]) -> list[str]:
    """All ``separated`` forms of several words, word by word."""
    return [form for word in words for form in separated(word)]


def lemmas(word: str, wordnet: WordNetFiles | None, parts: Sequence[str]) -> list[str]:
    """Base forms, the most likely first."""
    known = wordnet.morphy(word, parts) if wordnet is not None else _simple_lemma(word)
    return list(dict.fromkeys([*known, *detached(word, "noun")]))


def _simple_lemma(word: str) -> list[str]:
    """Lemma from simplemma; of a phrase its last word changes."""
    try:
        from simplemma import lemmatize
    except ImportError:
        return []
    start = max(word.rfind(sign) for sign in " _-") + 1
    return [word[:start] + lemmatize(word[start:], lang="en")] if word[start:] else []


def spellings(word: str, wordnet: WordNetFiles | None, parts: Sequence[str]) -> list[str]:
    """Other spellings of a word and of its base forms: from WordNet if it knows the word, else by rule."""
    bases = list(dict.fromkeys([word, *lemmas(word, wordnet, parts)]))
    if wordnet is not None and wordnet.morphy(word):
        return [other.lower() for base in bases for other in spelled_in_wordnet(base, wordnet, parts)]
    return [other for base in bases for other in spelled_by_rule(base)]


def synonyms(word: str, wordnet: WordNetFiles) -> list[str]:
    """Other words of the first sense; no abbreviations or names, which mean something else in lower case."""
    for base in wordnet.morphy(word):
        for part in PARTS_OF_SPEECH:
            for synset in wordnet.senses(base, part)[:1]:
                words = wordnet.synsets(part).words[synset]
                return all_separated(w for w in words if w.islower() and len(w) >= _SHORTEST_SYNONYM)
    return []
