"""How an item is looked up that a source may not know as it is written: rung by rung, until one holds.

===========  ========================================================================================
exact        as written; in a phrase, spaces, hyphens and underscores may stand for each other
lower case   the same in lower case
lemma        base form: WordNet's ``morphy`` if WordNet is given, else simplemma if it is installed (the
             extra ``cloven[text]``), else plain rules for plurals; WordNet and simplemma also fall back on these
spelling     a word of the same WordNet synset that is written nearly alike (catheterisation, catheterization),
             or, if WordNet is not given or does not know the word, rules for British and American; also of the lemma
parts        the parts of a phrase, each by the rungs above; all were found (little words such as "of" do not count)
some parts   the same, but not all were found
synonym      another word of the first sense in WordNet, of four letters or more; only if WordNet is given
===========  ========================================================================================

What no rung serves has no score. The same item always takes the same way: nothing depends on the other items.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from cloven.protocols import Coverage
from cloven.relatedness.wordnet_files import PARTS_OF_SPEECH, detached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from cloven.compiled import Longs
    from cloven.relatedness.wordnet_files import WordNetFiles

    Find = Callable[[Sequence[str]], Longs]


@dataclass(frozen=True)
class Rung:
    """One way to look a word up: the forms to try, in order."""

    name: str
    forms: Callable[[str], Iterable[str]]


@dataclass(frozen=True, eq=False)
class Found:
    """Where each of some items was found.

    Attributes:
        names: names of all rungs, in order.
        rung: number of the rung that served each item, -1 for none.
        offsets: where the rows of each item start in ``rows``.
        rows: rows of the source; several for the parts of a phrase, none for unknown items.
    """

    names: tuple[str, ...]
    rung: Longs
    offsets: Longs
    rows: Longs

    def coverage(self, items: Sequence[str], usable: NDArray[np.bool_] | None = None) -> Coverage:
        """Count the items of each rung; those that turned out not to be ``usable`` are unknown."""
        rung = self.rung if usable is None else np.where(usable, self.rung, -1)
        counts = Counter(rung.tolist())
        unknown = tuple(items[number] for number in np.flatnonzero(rung < 0).tolist())
        return Coverage({name: counts[number] for number, name in enumerate(self.names)}, unknown)


@dataclass(frozen=True)
class Ladder:
    """The whole ladder.

    Attributes:
        wordnet: WordNet, for lemmas, spelling and synonyms.
        exact_only: no rung but the first.

    >>> from cloven.relatedness.vector_files import WordIndex
    >>> index = WordIndex.of(["tumor", "lung", "biopsy"])
    >>> items = ["lung", "Tumours", "lung biopsies"]
    >>> found = Ladder().look_up(items, index.find)
    >>> [found.names[rung] for rung in found.rung], found.rows.tolist()
    (['exact', 'spelling', 'parts'], [1, 0, 1, 2])
    """

    wordnet: WordNetFiles | None = None
    exact_only: bool = False

    def look_up(self, items: Sequence[str], find: Find) -> Found:
        """Find items by any means; ``find`` gives the row of each word, or -1."""
        rungs = word_rungs(self.wordnet)[: 1 if self.exact_only else None]
        names = [step.name for step in rungs]
        rung, row = climb(items, rungs, find)
        rows = [[place] if place >= 0 else [] for place in row.tolist()]
        if not self.exact_only:
            lost = np.flatnonzero(rung < 0).tolist()
            for number, (found, every) in zip(lost, self._parts([items[n] for n in lost], find), strict=True):
                if found:
                    rung[number], rows[number] = len(names) + (not every), found
            names += ["parts", "some parts"]
        if not self.exact_only and self.wordnet is not None:
            step = Rung("synonym", partial(synonyms, wordnet=self.wordnet))
            lost = np.flatnonzero(rung < 0).tolist()
            _, other = climb([items[number] for number in lost], [step], find)
            for number, place in zip(lost, other.tolist(), strict=True):
                if place >= 0:
                    rung[number], rows[number] = len(names), [place]
            names.append(step.name)
        flat = np.array([place for places in rows for place in places], np.int64)
        return Found(tuple(names), rung, np.cumsum([0, *map(len, rows)], dtype=np.int64), flat)

    def _parts(self, items: Sequence[str], find: Find) -> Iterator[tuple[list[int], bool]]:
        """Rows of the parts of each phrase that were found, and whether these are all."""
        phrases = [parts_of(item) for item in items]
        words = sorted({part for parts in phrases for part in parts})
        row_of = dict(zip(words, climb(words, word_rungs(self.wordnet), find)[1].tolist(), strict=True))
        for parts in phrases:
            found = [row_of[part] for part in parts if row_of[part] >= 0]
            yield found, len(found) == len(parts)


def finder(known: Iterable[str]) -> Find:
    """Finds the rows of words by their place among those that are known."""
    row_of = {word: row for row, word in enumerate(known)}
    return lambda words: np.fromiter((row_of.get(word, -1) for word in words), np.int64, len(words))


def climb(words: Sequence[str], rungs: Sequence[Rung], find: Find) -> tuple[Longs, Longs]:
    """Number of the first rung that serves each word, and the row found there; -1 for none."""
    rung, row = np.full((2, len(words)), -1, np.int64)
    for number, step in enumerate(rungs):
        waiting = np.flatnonzero(rung < 0)
        forms = [list(step.forms(words[place])) for place in waiting.tolist()]
        found = find([form for some in forms for form in some])
        owners = np.repeat(waiting, [len(some) for some in forms])[found >= 0]
        served, first = np.unique(owners, return_index=True)
        rung[served], row[served] = number, found[found >= 0][first]
    return rung, row


def word_rungs(wordnet: WordNetFiles | None = None, parts: Sequence[str] = PARTS_OF_SPEECH) -> list[Rung]:
    """Rungs for one word; ``parts`` of speech limit what WordNet says."""
    return [
        Rung("exact", separated),
        Rung("lower case", lambda word: separated(word.lower())),
        Rung("lemma", lambda word: all_separated(lemmas(word.lower(), wordnet, parts))),
        Rung("spelling", lambda word: all_separated(spellings(word.lower(), wordnet, parts))),
    ]


# Forms under which an item may be known: other separators, base forms, spellings, synonyms, the parts of a phrase.


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


# Other spellings of an English word: British and American, by rule and through WordNet.


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
