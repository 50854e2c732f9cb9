"""Words out of text (thesis 5.1.2: numbers, punctuation and single characters are not wanted).

A token is a run of letters and digits with hyphens and apostrophes inside. Punctuation never becomes a token. A token
that starts with a digit is a number ("12", "3rd", "155,221"), but a number in front of a hyphen is only left off
("5-fluorouracil" gives "fluorouracil"). A word may hold digits ("b12"). A possessive loses its ``'s``.
"""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

_TOKEN = re.compile(r"\d+(?:[.,:/]\d+)+|[^\W_]+(?:[-'\u2019\u2010\u2011][^\W_]+)*")
_PIECE = re.compile(rf"{_TOKEN.pattern}|[^\w\s]")
_LEADING_NUMBERS = re.compile(r"(?:\d[^\W_]*[-\u2010\u2011])+(?=[^\W\d])")
_LOUD_WORDS = 4
_ABBREVIATION = re.compile(r"(?=.{2,8}$)[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*s?")
_PLAIN = str.maketrans({"\u2019": "'", "\u2010": "-", "\u2011": "-"})


class NoWord(StrEnum):
    """Why a token is no word."""

    NUMBER = "numbers"
    SINGLE = "single characters"


def tokenise(text: str) -> list[str]:
    """All tokens of a text as they stand, numbers included.

    >>> tokenise("The patient's 5-fluorouracil: 2.5 mg (vitamin B12).")
    ['The', "patient's", '5-fluorouracil', '2.5', 'mg', 'vitamin', 'B12']
    """
    return _TOKEN.findall(_normal(text))


def pieces(text: str) -> list[str]:
    """Tokens and single marks of punctuation, in order: what a tagger reads.

    >>> pieces("Fever, chills.")
    ['Fever', ',', 'chills', '.']
    """
    return _PIECE.findall(_normal(text))


def _normal(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def word_of(token: str) -> str | NoWord:
    """The word that a token stands for, case kept, or why it is none.

    >>> [str(word_of(token)) for token in ("study's", "5-fluorouracil", "3rd", "x", "B12")]
    ['study', 'fluorouracil', 'numbers', 'single characters', 'B12']
    """
    word = token.translate(_PLAIN)
    if word[0].isdigit():
        word = _LEADING_NUMBERS.sub("", word, count=1)
        if word[0].isdigit() or not any(letter.isalpha() for letter in word):
            return NoWord.NUMBER
    if word[-2:] in ("'s", "'S"):
        word = word[:-2]
    return word if len(word) > 1 else NoWord.SINGLE


def is_abbreviation(word: str) -> bool:
    """Whether a word is written like an abbreviation: two to eight capitals and digits, at least two capitals.

    >>> [is_abbreviation(word) for word in ("HIV", "DNAs", "HIV-1", "B12", "Fever")]
    [True, True, True, False, False]
    """
    return _ABBREVIATION.fullmatch(word) is not None and sum(letter.isupper() for letter in word) > 1


def abbreviation_of(word: str) -> str:
    """The abbreviation in the singular: DNA for DNAs."""
    return word.removesuffix("s")


def quiet(text: str) -> str:
    r"""The text with shouted lines in lower case, so that what is left in capitals is an abbreviation.

    A line is shouted if it has at least four words and more than half of its letters are capitals.

    >>> quiet("BAHIA COCOA REVIEW FOR MARCH\nHIV is a virus")
    'bahia cocoa review for march\nHIV is a virus'
    """
    return "\n".join(line.lower() if _shouted(line) else line for line in text.split("\n"))


def _shouted(line: str) -> bool:
    capitals = sum(map(str.isupper, line))
    return 2 * capitals > sum(map(str.isalpha, line)) and len(line.split()) >= _LOUD_WORDS


# The form under which a word is counted: "studies", "studying" and "study's" are all "study" (thesis 5.1.2).
#
# Single words go through the dictionary and rules of simplemma. Two kinds of plural that it takes for verbs are put
# right, because items are mostly nouns: "diagnoses" (diagnosis, not diagnose) and "shelves" (shelf, not shelve).
# Plurals that no dictionary knows are merged with their singular if that occurs in the same corpus.


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


# English words that say nothing about what a text is about: about 300, our own list.
#
# Function words (articles, pronouns, prepositions, conjunctions, auxiliaries and their short forms), words of degree
# and order, numbers in words up to ten, and a few verbs and nouns that go with any topic. Words of a topic are left in,
# however frequent they are; a maximum document frequency takes those out.


_LISTS = (
    # articles, determiners, quantities
    "a an the this that these those each every either neither some any no none all both half such another other others "
    "much many more most few fewer little less least several enough own same certain various",
    # pronouns
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers "
    "herself it its itself they them their theirs themselves one ones who whom whose which what anybody "
    "anyone anything everybody everyone everything nobody nothing somebody someone something",
    # prepositions and particles
    "about above across after against along among around at before behind below beside besides "
    "between beyond by down during except for from in inside into like near of off on onto out outside over past per "
    "regarding since through throughout till to toward towards under until up upon versus via with within "
    "without",
    # conjunctions
    "and but or nor so yet if unless whether because although though while whereas than as once",
    # auxiliaries
    "am is are was were be been being do does did doing done have has had having can could may might must shall should "
    "will would ought cannot let get gets got",
    # short forms
    "aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't mustn't shouldn't wasn't weren't won't "
    "wouldn't i'm i've i'd i'll you're you've you'd you'll it'll we're we've we'd we'll "
    "they're they've they'd they'll let's",
    # question words, place, time
    "when where why how whenever wherever however here there whereby wherein now then again ago "
    "already always ever never often sometimes soon still today later",
    # degree, order, manner
    "also almost even indeed instead just maybe moreover furthermore nearly nevertheless not only otherwise "
    "perhaps quite rather really therefore thus hence too very well respectively especially particularly usually "
    "generally approximately simply yes",
    "first second third last next former latter",
    "zero two three four five six seven eight nine ten",
    # verbs and nouns of any topic
    "say says said make makes made go goes went gone come came take takes took taken give given see seen use used "
    "using seem seems seemed become became include includes included including etc et al ie eg thing things way ways",
)  # fmt: skip

STOP_WORDS: frozenset[str] = frozenset(" ".join(_LISTS).split())
