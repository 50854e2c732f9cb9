"""Items of a text: its words, its nouns or its noun phrases."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cloven.text.words import (
    Lemmatiser,
    NoWord,
    Tagger,
    abbreviation_of,
    is_abbreviation,
    quiet,
    tokenise,
    word_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

NOT_NOUN = "not a noun or part of its phrase"
STOP_WORD = "stop words"
JOINED = "joined into phrases"
CONTAINED = "contained in a longer item"


# Single words as items (thesis 5.1.2): tokens, lemmas, then stop words, numbers and single characters out.


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


# Nouns and noun phrases as items (set-generalisation paper, 6.1.1).
#
# A noun phrase is a run of adjectives and nouns that ends in a noun. Stop words, numbers and single characters end a
# run. A run longer than allowed is cut from the left into pieces that end in a noun; with two words this gives the
# items that the paper prints ("body mass", "index" for *body mass index*). Plural nouns become singular;
# abbreviations, that is words in capitals, are nouns and stay as they are. An item contained in a longer one of the
# same document goes: not "history" beside "long history".


@dataclass(frozen=True)
class _Part:
    """A word that may be part of a phrase."""

    word: str
    noun: bool


@dataclass(frozen=True)
class PhraseFinder:
    """Finds the nouns or noun phrases of a text.

    Attributes:
        longest: most words of an item; 1 gives single nouns.
        stop_words: words that are never part of an item.
        keep_abbreviations: whether words in capitals stay as they are.
        keep_contained: whether an item stays that is contained in a longer one of its document.

    >>> finder = PhraseFinder()
    >>> sorted(finder.find("Patients with a long history of HIV infections; his history.", Counter()))
    ['HIV infection', 'long history', 'patient']
    """

    longest: int = 3
    stop_words: Collection[str] = frozenset()
    keep_abbreviations: bool = True
    keep_contained: bool = False
    tagger: Tagger = field(default_factory=Tagger, repr=False, compare=False)
    lemmatiser: Lemmatiser = field(default_factory=Lemmatiser, repr=False, compare=False)

    def find(self, text: str, tally: Counter[str]) -> Counter[str]:
        """Items of a text and how often they occur; ``tally`` counts tokens that became none, by rule."""
        items: Counter[str] = Counter()
        for sentence in self.tagger.tag(quiet(text)):
            for run in self._runs(sentence, tally):
                for phrase in _pieces(run, self.longest, tally):
                    items[" ".join(part.word for part in phrase)] += 1
                    tally[JOINED] += len(phrase) - 1
        if not self.keep_contained:
            for item in contained(items):
                tally[CONTAINED] += items.pop(item)
        return items

    def _runs(self, sentence: list[tuple[str, str]], tally: Counter[str]) -> Iterator[list[_Part]]:
        """Runs of nouns and adjectives; tokens that break a run are counted."""
        run: list[_Part] = []
        for token, tag in sentence:
            part = self._part(token, tag)
            if isinstance(part, _Part):
                run.append(part)
                continue
            if token[0].isalnum():
                tally["tokens"] += 1
                tally[part] += 1
            if run:
                tally["tokens"] += len(run)
                yield run
                run = []
        if run:
            tally["tokens"] += len(run)
            yield run

    def _part(self, token: str, tag: str) -> _Part | str:
        if not token[0].isalnum():
            return NOT_NOUN
        word = word_of(token)
        if isinstance(word, NoWord):
            return word
        if is_abbreviation(word) and self.keep_abbreviations:
            return _Part(abbreviation_of(word), noun=True)
        noun, low = tag.startswith("N"), word.lower()
        if low in self.stop_words:
            return STOP_WORD
        if noun:
            return _Part(self.lemmatiser.singular(low), noun=True)
        return _Part(low, noun=False) if tag.startswith("AJ") else NOT_NOUN


def _pieces(run: list[_Part], longest: int, tally: Counter[str]) -> Iterator[list[_Part]]:
    """Cut a run from the left into pieces of at most ``longest`` words that end in a noun."""
    at = 0
    while at < len(run):
        end = min(at + longest, len(run))
        while end > at and not run[end - 1].noun:
            end -= 1
        if end > at:
            yield run[at:end]
        else:
            tally[NOT_NOUN] += 1
            end = at + 1
        at = end


def contained(items: Collection[str]) -> set[str]:
    """Items that stand, word by word, inside a longer one.

    >>> sorted(contained({"long history", "history", "long", "story"}))
    ['history', 'long']
    """
    inside: set[str] = set()
    for item in items:
        words = item.split(" ")
        for size in range(1, len(words)):
            inside.update(" ".join(words[at : at + size]) for at in range(len(words) - size + 1))
    return inside.intersection(items)
