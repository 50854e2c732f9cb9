"""Single words as items (thesis 5.1.2): tokens, lemmas, then stop words, numbers and single characters out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cloven.text.lemmas import Lemmatiser
from cloven.text.phrases import STOP_WORD
from cloven.text.tokens import NoWord, abbreviation_of, is_abbreviation, quiet, tokenise, word_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from cloven.text.lemmas import Tagger


@dataclass(frozen=True)
class WordFinder:
    """Finds the words of a text.

    Attributes:
        stop_words: words that are no items, nor words whose lemma is one of them.
        keep_abbreviations: whether words in capitals stay as they are.
        lemmatiser: gives lemmas of single words; None keeps words as they are, in lower case.
        tagger: if given, the lemma is that of the word with its part of speech in its sentence.

    >>> finder = WordFinder(frozenset({"the", "was"}))
    >>> sorted(finder.find("The studies: studying 2 mice was a study.", Counter()).items())
    [('mouse', 1), ('study', 3)]
    """

    stop_words: Collection[str] = frozenset()
    keep_abbreviations: bool = False
    lemmatiser: Lemmatiser | None = field(default_factory=Lemmatiser, repr=False, compare=False)
    tagger: Tagger | None = field(default=None, repr=False, compare=False)
    # What each token with its tag became: an item, or None and the rule that took it out.
    _settled: dict[tuple[str, str], tuple[str | None, str]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def find(self, text: str, tally: Counter[str]) -> Counter[str]:
        """Items of a text and how often they occur; ``tally`` counts tokens that became none, by rule."""
        if self.keep_abbreviations:
            text = quiet(text)
        items: Counter[str] = Counter()
        for token, times in self._tokens(text).items():
            settled = self._settled.get(token)
            if settled is None:
                settled = self._settled[token] = self._settle(*token)
            tally["tokens"] += times
            item, rule = settled
            if item is None:
                tally[rule] += times
            else:
                items[item] += times
        return items

    def _tokens(self, text: str) -> dict[tuple[str, str], int]:
        """How often each token occurs with each tag; the tag is blank without a tagger."""
        if self.tagger is None:
            return {(token, ""): times for token, times in Counter(tokenise(text)).items()}
        return Counter(
            piece for sentence in self.tagger.tag(text) for piece in sentence if piece[0][0].isalnum()
        )

    def _settle(self, token: str, tag: str) -> tuple[str | None, str]:
        word = word_of(token)
        if isinstance(word, NoWord):
            return None, str(word)
        if self.keep_abbreviations and is_abbreviation(word):
            return abbreviation_of(word), ""
        word = word.lower()
        if word in self.stop_words:
            return None, STOP_WORD
        lemma = self._lemma_of(tag)(word)
        if len(lemma) < 2:
            return None, str(NoWord.SINGLE)
        return (None, STOP_WORD) if lemma in self.stop_words else (lemma, "")

    def _lemma_of(self, tag: str) -> Callable[[str], str]:
        """HanTa guesses lemmas of rare nouns badly ("metastase"), so nouns go to the dictionary in any case."""
        if self.lemmatiser is None:
            return str
        if not tag:
            return self.lemmatiser.lemma
        if tag.startswith("N") or self.tagger is None:
            return self.lemmatiser.singular
        tagger = self.tagger
        return lambda word: tagger.lemma(word, tag)
