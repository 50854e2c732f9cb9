"""How related words are: vectors, document counts, WordNet, corpora. Higher means more related."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloven.names import homes, lazily

if TYPE_CHECKING:
    from cloven.relatedness.combination import BackFilled, Combined, Shuffled
    from cloven.relatedness.corpus import Corpus
    from cloven.relatedness.learned import Learned
    from cloven.relatedness.ngd import CentredDistance, GoogleDistance, MutualInformation
    from cloven.relatedness.vectors import Vectors
    from cloven.relatedness.wordnet import WordNet

__all__ = [
    "BackFilled",
    "CentredDistance",
    "Combined",
    "Corpus",
    "GoogleDistance",
    "Learned",
    "MutualInformation",
    "Shuffled",
    "Vectors",
    "WordNet",
]

_HOME = homes(
    {
        "cloven.relatedness.combination": "BackFilled Combined Shuffled",
        "cloven.relatedness.corpus": "Corpus",
        "cloven.relatedness.learned": "Learned",
        "cloven.relatedness.ngd": "CentredDistance GoogleDistance MutualInformation",
        "cloven.relatedness.vectors": "Vectors",
        "cloven.relatedness.wordnet": "WordNet",
    }
)
__getattr__, __dir__ = lazily(__name__, _HOME)
