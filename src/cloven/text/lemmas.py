"""The form under which a word is counted: "studies", "studying" and "study's" are all "study" (thesis 5.1.2).

Single words go through the dictionary and rules of simplemma. Two kinds of plural that it takes for verbs are put
right, because items are mostly nouns: "diagnoses" (diagnosis, not diagnose) and "shelves" (shelf, not shelve). Plurals
that no dictionary knows are merged with their singular if that occurs in the same corpus.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from cloven.errors import ParameterError
from cloven.text.tokens import pieces

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


# Parts of speech of running text with HanTa (BNC C5 tags), offline.
#
# HanTa analyses a word that is not in its lexicon anew whenever it meets it. An analysis depends on the word alone (and
# on its tag, for a lemma), so it is kept: running text is then tagged faster, with the same tags.


# A sentence ends at a full stop before a capital, a digit or a bullet, at a blank line, and before an indented line.
_SENTENCE_END = re.compile(
    r"(?<=[.!?])[\"')\]\u201d]*\s+(?=[\"'(\[\u201c]*[A-Z0-9\u2022*-])"
    r"|\n\s*\n|\n(?=[ \t]+\S)|\n(?=\s*[\u2022*-]\s)|[;:]\s"
)
_LONGEST_SENTENCE = 200
_WORDS_KEPT = 1 << 18


class Tagger:
    """Tags words in their sentence.

    >>> Tagger().tag("Aggressive lung tumours grow.")
    [[('Aggressive', 'AJ0'), ('lung', 'NN1'), ('tumours', 'NN2'), ('grow', 'VVB'), ('.', 'PUN')]]
    """

    def __init__(self) -> None:
        self._model: Any = text_library("HanTa.HanoverTagger").HanoverTagger("morphmodel_en.pgz")
        self._model.analyze_forward = lru_cache(_WORDS_KEPT)(self._model.analyze_forward)
        self._lemma = lru_cache(_WORDS_KEPT)(self._find_lemma)

    def tag(self, text: str) -> list[list[tuple[str, str]]]:
        """Sentences of a text, each a list of tokens (or marks of punctuation) with their tag."""
        return [list(zip(words, self._tags(words), strict=True)) for words in sentences(text)]

    def lemma(self, word: str, tag: str) -> str:
        """The lemma of a word that has this tag, in lower case.

        >>> Tagger().lemma("left", "VVD")
        'leave'
        """
        return self._lemma(word.lower(), tag)

    def _find_lemma(self, word: str, tag: str) -> str:
        return str(self._model.analyze(word, pos=tag)[0]).lower()

    def _tags(self, words: list[str]) -> list[str]:
        try:
            tags = self._model.tag_sent(words, taglevel=0)
        except (KeyError, IndexError):  # no path through the sentence: each word by itself
            tags = [self._model.tag_word(word)[0][0] for word in words]
        return [str(tag) for tag in tags]


def sentences(text: str) -> list[list[str]]:
    """Sentences of a text as tokens; very long ones are cut."""
    found = []
    for sentence in _SENTENCE_END.split(text):
        words = pieces(sentence)
        found += [words[at : at + _LONGEST_SENTENCE] for at in range(0, len(words), _LONGEST_SENTENCE)]
    return found


# The libraries of the extra ``cloven[text]``, loaded when they are first needed.


def text_library(module: str) -> Any:
    """Import a module of the extra, or say how to install it.

    >>> text_library("simplemma").__name__
    'simplemma'
    """
    try:
        return import_module(module)
    except ImportError as error:
        name = module.partition(".")[0]
        message = f'{name} is not installed, and this needs it; run pip install "cloven[text]"'
        raise ParameterError(message) from error
