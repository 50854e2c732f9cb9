"""The form under which a word is counted: "studies", "studying" and "study's" are all "study" (thesis 5.1.2).

Single words go through the dictionary and rules of simplemma. Two kinds of plural that it takes for verbs are put
right, because items are mostly nouns: "diagnoses" (diagnosis, not diagnose) and "shelves" (shelf, not shelve). Plurals
that no dictionary knows are merged with their singular if that occurs in the same corpus.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.text.libraries import text_library

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

_GREEK = ("oses", "yses", "eses", "stases")
# Endings of plurals; where the word is none ("specimen", "diabetes"), its lemma is the word itself.
_PLURAL = ("s", "men", "children", "feet", "teeth", "mice", "lice", "geese", "ae", "eria", "omena", "i")
_NO_PLURAL = ("ss", "us", "is", "as", "os")


class Lemmatiser:
    """Lemmas of single words in lower case; every word is looked up once.

    >>> lemmatiser = Lemmatiser()
    >>> [lemmatiser.lemma(word) for word in ("studying", "mice", "diagnoses", "shelves")]
    ['study', 'mouse', 'diagnosis', 'shelf']
    >>> lemmatiser.singular("running shoes"), lemmatiser.singular("running")
    ('running shoe', 'running')
    """

    def __init__(self) -> None:
        simplemma = text_library("simplemma")
        self._look_up: Callable[..., str] = simplemma.Lemmatizer().lemmatize
        self._known: Callable[..., bool] = simplemma.is_known
        self._cache: dict[str, str] = {}

    def lemma(self, word: str) -> str:
        """The dictionary form of a word in lower case."""
        found = self._cache.get(word)
        if found is None:
            found = self._cache[word] = self._find(word)
        return found

    def known(self, word: str) -> bool:
        """Whether the dictionary holds this form."""
        return self._known(word, lang="en")

    def singular(self, phrase: str) -> str:
        """The phrase with its last word in the singular; a word that is no plural stays as it is."""
        before, space, last = phrase.rpartition(" ")
        return f"{before}{space}{self.lemma(last)}" if last.endswith(_PLURAL) else phrase

    def _find(self, word: str) -> str:
        if word.endswith(_GREEK) and self.known(f"{word[:-2]}is"):
            return f"{word[:-2]}is"
        if word.endswith("lves") and self.known(f"{word[:-3]}f"):
            return f"{word[:-3]}f"
        return self._look_up(word, lang="en").lower()


def merged_plurals(words: Collection[str], known: Callable[[str], bool]) -> dict[str, str]:
    """Plurals that the dictionary does not know, with their singular where that is among the words too.

    >>> merged_plurals({"zorbs", "zorb", "glias", "lens", "len"}, {"lens"}.__contains__)
    {'zorbs': 'zorb'}
    """
    merged = {}
    for word in words:
        if len(word) > 3 and word.endswith("s") and not word.endswith(_NO_PLURAL):
            singular = next((form for form in _singulars(word) if form in words), None)
            if singular is not None and not known(word):
                merged[word] = singular
    return merged


def _singulars(word: str) -> list[str]:
    forms = [word[:-1]]
    if word.endswith("ies"):
        forms.append(f"{word[:-3]}y")
    if word.endswith(("ses", "xes", "zes", "ches", "shes")):
        forms.append(word[:-2])
    return forms


def english_words() -> frozenset[str]:
    """Every form that simplemma's English dictionary holds, in lower case: about 180,000."""
    library = text_library("simplemma.strategies.dictionaries.dictionary_factory")
    found = library.DefaultDictionaryFactory().get_dictionary("en")
    return frozenset((word.decode() if isinstance(word, bytes) else word).lower() for word in found)
