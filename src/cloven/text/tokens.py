"""Words out of text (thesis 5.1.2: numbers, punctuation and single characters are not wanted).

A token is a run of letters and digits with hyphens and apostrophes inside. Punctuation never becomes a token. A token
that starts with a digit is a number ("12", "3rd", "155,221"), but a number in front of a hyphen is only left off
("5-fluorouracil" gives "fluorouracil"). A word may hold digits ("b12"). A possessive loses its ``'s``.
"""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum

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
