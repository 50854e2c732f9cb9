"""A number with what it counts, in words that agree with it."""

from __future__ import annotations

_SINGULAR = {"have": "has", "are": "is", "were": "was", "their": "its", "those": "the one"}
_OWN = {"persons": "person", "people": "person", "classes": "class", "entries": "entry"}


def counted(number: int, words: str) -> str:
    """A number and a phrase in the plural, whose first noun and verb follow the number.

    >>> counted(2, "pairs of items that have fewer candidates")
    '2 pairs of items that have fewer candidates'
    >>> counted(1, "pairs of items that have fewer candidates"), counted(1, "records are left empty")
    ('1 pair of items that has fewer candidates', '1 record is left empty')
    >>> counted(1200, "classes"), counted(1, "classes"), counted(0, "entries")
    ('1,200 classes', '1 class', '0 entries')
    """
    if number != 1:
        return f"{number:,} {words}"
    said, found, verb = [], False, False
    for word in words.split(" "):
        if not found and word.endswith("s"):
            word, found = _OWN.get(word, word.removesuffix("s")), True
        elif found and not verb and word in _SINGULAR:
            word, verb = _SINGULAR[word], True
        said.append(word)
    return f"1 {' '.join(said)}"
