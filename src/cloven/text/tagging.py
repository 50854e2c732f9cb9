"""Parts of speech of running text with HanTa (BNC C5 tags), offline.

HanTa analyses a word that is not in its lexicon anew whenever it meets it. An analysis depends on the word alone (and
on its tag, for a lemma), so it is kept: running text is then tagged faster, with the same tags.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from cloven.text.libraries import text_library
from cloven.text.tokens import pieces

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
