"""What makes items out of text, and what happened on the way."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from cloven.errors import ParameterError
from cloven.text.clean import Cleaning
from cloven.text.stopwords import STOP_WORDS
from cloven.text.typos import TypoRule

if TYPE_CHECKING:
    from collections.abc import Mapping

Items = Literal["words", "nouns", "phrases"]
Lemmas = Literal["dictionary", "tagged", "none"]
Typos = Literal["ignore", "flag", "drop"]


@dataclass(frozen=True)
class TextOptions:
    """What becomes an item. The defaults are the steps of the thesis (5.1.2).

    Attributes:
        items: single words, single nouns, or noun phrases.
        lemmas: of words: by the dictionary, by the part of speech in the sentence, or words as they are.
        cleaning: what to take out before.
        stop_words: words that are no items.
        extra_stop_words: more of them.
        keep_abbreviations: whether words in capitals stay so; else everything is in lower case.
        merge_plurals: whether a plural unknown to the dictionary is merged with its singular.
        longest_phrase: most words of a noun phrase.
        keep_contained: whether an item stays that is contained in a longer one of its document.
        min_documents: an item of fewer documents goes.
        max_document_share: an item of a larger share of the documents goes.
        top_terms: keep only so many items of each document, those of highest TF-IDF.
        typos: ignore likely typos, flag them in the report, or drop them.
        typo_rule: when an item is a likely typo.
    """

    items: Items = "words"
    lemmas: Lemmas = "dictionary"
    cleaning: Cleaning = field(default_factory=Cleaning)
    stop_words: frozenset[str] = field(default=STOP_WORDS, repr=False)
    extra_stop_words: frozenset[str] = frozenset()
    keep_abbreviations: bool = False
    merge_plurals: bool = True
    longest_phrase: int = 3
    keep_contained: bool = False
    min_documents: int = 1
    max_document_share: float = 1.0
    top_terms: int | None = None
    typos: Typos = "ignore"
    typo_rule: TypoRule = field(default_factory=TypoRule)

    @classmethod
    def noun_phrases(cls, **changes: Any) -> TextOptions:
        """The steps of the set-generalisation paper (6.1.1): noun phrases, abbreviations kept, typos flagged.

        >>> TextOptions.noun_phrases(longest_phrase=2).items
        'phrases'
        """
        return cls(**{"items": "phrases", "keep_abbreviations": True, "typos": "flag", **changes})

    def __post_init__(self) -> None:
        for name, allowed in (("items", Items), ("lemmas", Lemmas), ("typos", Typos)):
            if getattr(self, name) not in get_args(allowed):
                message = (
                    f"{name} must be one of {', '.join(get_args(allowed))} (got {getattr(self, name)!r})"
                )
                raise ParameterError(message)
        if min(self.min_documents, self.longest_phrase) < 1 or (self.top_terms or 1) < 1:
            message = "min_documents, longest_phrase and top_terms must be at least 1"
            raise ParameterError(message)
        if not 0 < self.max_document_share <= 1:
            message = f"max_document_share must be above 0 and at most 1 (got {self.max_document_share})"
            raise ParameterError(message)

    @property
    def all_stop_words(self) -> frozenset[str]:
        """Stop words, the extra ones among them, in lower case."""
        return self.stop_words | {word.lower() for word in self.extra_stop_words}


@dataclass(frozen=True)
class TextReport:
    """What happened to the text; private to the owner, like the data.

    Every token is accounted for: ``tokens`` is the sum of ``dropped`` and ``occurrences``.

    Attributes:
        documents: documents read.
        empty_documents: documents of which nothing is left; they are no records.
        tokens: words and numbers after cleaning.
        cleaned: titles, links, lines and so on that were taken out, by rule.
        dropped: tokens that are not in the data, by rule.
        merged_plurals: terms that were merged with their singular.
        records: records of the data.
        items: different items.
        occurrences: items over all records.
        mean_length: mean number of items of a record.
        type_token_ratio: different items per occurrence (thesis 5.1.1: the higher, the sparser the data).
        suspected_typos: items of the data that are likely misspelt, and what was likely meant.
    """

    documents: int
    empty_documents: int
    tokens: int
    cleaned: Mapping[str, int]
    dropped: Mapping[str, int]
    merged_plurals: int
    records: int
    items: int
    occurrences: int
    mean_length: float
    type_token_ratio: float
    suspected_typos: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)
