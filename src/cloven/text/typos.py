"""Items that are likely misspelt, and what was likely meant.

The set-generalisation paper (6.1.1) does not attack items with typos, without saying how they were found. Here a word
is suspected if it is not in a reference vocabulary, occurs in few documents, and one edit (a letter left out, put in,
changed, or two neighbours swapped, but not the first letter) turns it into a word of the corpus that is much more
frequent; or, if it is long and ends alike (another ending is more often another word), into any word of the reference
vocabulary. A plural ``s``, a hyphen, an apostrophe and British or American spelling are no typos. An item is suspected
if one of its words is.

Two words that are one edit apart share a form with at most one letter left out. The forms of the few suspects are
indexed, and the vocabulary streams by: time grows with the letters of the vocabulary, not with pairs of words.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from cloven.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

_SPELLINGS = (
    ("ae", "e"),
    ("oe", "e"),
    ("our", "or"),
    ("is", "iz"),
    ("ys", "yz"),
    ("ll", "l"),
    ("tre", "ter"),
)


@dataclass(frozen=True)
class TypoRule:
    """When a word is suspected.

    Attributes:
        rare: it occurs in at most so many documents.
        ratio: the word of the corpus that was meant occurs in at least so many times as many.
        shortest: shorter words are never suspected.
        shortest_known: shorter words are not held against the reference vocabulary: chance is too close.
    """

    rare: int = 2
    ratio: int = 10
    shortest: int = 5
    shortest_known: int = 7

    def __post_init__(self) -> None:
        if self.rare < 1 or self.ratio < 2 or not 3 <= self.shortest <= self.shortest_known:
            message = "a typo rule needs rare >= 1, ratio >= 2 and 3 <= shortest <= shortest_known"
            raise ParameterError(message)


def suspected_typos(
    supports: Mapping[str, int], reference: AbstractSet[str], rule: TypoRule | None = None
) -> dict[str, str]:
    """Suspected items with what was likely meant; ``supports`` says in how many documents each item occurs.

    >>> suspected_typos({"femoral artery": 30, "right femorla": 1, "zorbium": 1}, {"femoral", "artery", "right"})
    {'right femorla': 'right femoral'}
    """
    rule = rule or TypoRule()
    counts: Counter[str] = Counter()
    for item, support in supports.items():
        counts.update(dict.fromkeys(item.split(" "), support))
    meant = _meant(counts, reference, rule)
    found = {}
    for item in sorted(supports):
        words = item.split(" ")
        if any(word in meant for word in words):
            found[item] = " ".join(meant.get(word, word) for word in words)
    return found


def _meant(counts: Mapping[str, int], reference: AbstractSet[str], rule: TypoRule) -> dict[str, str]:
    """For each suspected word the best of the words one edit away: most frequent, known, first by name."""
    suspects = [
        word
        for word, count in counts.items()
        if count <= rule.rare and len(word) >= rule.shortest and word.isalpha() and word.islower()
        if word not in reference
    ]
    index: dict[str, list[str]] = {}
    for word in suspects:
        for form in _forms(word):
            index.setdefault(form, []).append(word)
    best: dict[str, tuple[int, int, str]] = {}
    for candidate in chain(counts, (word for word in reference if word not in counts)):
        count, known = counts.get(candidate, 0), candidate in reference
        for word in _near(candidate, index):
            frequent = count >= rule.ratio * counts[word]
            if frequent or (known and len(word) >= rule.shortest_known and word[-2:] == candidate[-2:]):
                rank = (-count, -int(known), candidate)
                best[word] = min(rank, best.get(word, rank))
    return {word: rank[2] for word, rank in best.items()}


def _near(candidate: str, index: Mapping[str, list[str]]) -> Iterable[str]:
    """Suspects one edit away from a candidate."""
    if not candidate.isalpha():
        return ()
    hits = chain.from_iterable(index.get(form, ()) for form in _forms(candidate))
    return {
        word
        for word in hits
        if word[0] == candidate[0] and one_edit(word, candidate) and _american(word) != _american(candidate)
    }


def _american(word: str) -> str:
    """A form in which British and American spellings agree."""
    for british, american in _SPELLINGS:
        word = word.replace(british, american)
    return word


def _forms(word: str) -> Iterator[str]:
    """The word itself, and with each letter but the first left out."""
    yield word
    for at in range(1, len(word)):
        yield word[:at] + word[at + 1 :]


def one_edit(word: str, other: str) -> bool:
    """Whether exactly one edit leads from one word to the other; a plural ``s`` is no edit.

    >>> [one_edit("femorla", other) for other in ("femoral", "femora", "femorlas", "femorla", "tumour")]
    [True, True, False, False, False]
    """
    if len(word) > len(other):
        word, other = other, word
    if word == other or len(other) - len(word) > 1 or f"{word}s" == other:
        return False
    at = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), len(word))
    if len(word) < len(other):
        return word[at:] == other[at + 1 :]
    swapped = word[at : at + 2][::-1] == other[at : at + 2]
    return word[at + 1 :] == other[at + 1 :] or (swapped and word[at + 2 :] == other[at + 2 :])
