"""Documents to transactions: a record is the set of items of a document (thesis 5.1.2, set-generalisation 6.1)."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

from cloven.errors import InputError, ParameterError
from cloven.text.boilerplate import Cleaning, clean, repeated_lines, without_edges
from cloven.text.counts import TermCounts
from cloven.text.items import PhraseFinder, WordFinder
from cloven.text.typos import TypoRule, suspected_typos
from cloven.text.words import STOP_WORDS, Lemmatiser, Tagger, english_words, merged_plurals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from cloven.data.transactions import Transactions
    from cloven.text.documents import Document

    Progress = Callable[[str, float], None]


class Finder(Protocol):
    """Finds the items of a text."""

    def find(self, text: str, tally: Counter[str]) -> Counter[str]:
        """Items of a text and how often they occur; ``tally`` counts tokens that became none, by rule."""
        ...


@dataclass(frozen=True)
class Counted:
    """Items of all documents before the rules that look at the whole corpus.

    Attributes:
        terms: how often each item occurs in each document.
        cleaned: what was taken out of the texts, by rule.
        dropped: tokens that became no item, by rule.
        tokens: all tokens.
        merged_plurals: terms that were merged with their singular.
    """

    terms: TermCounts
    cleaned: Mapping[str, int]
    dropped: Mapping[str, int]
    tokens: int
    merged_plurals: int


def to_transactions(
    documents: Iterable[Document], options: TextOptions | None = None, progress: Progress | None = None
) -> tuple[Transactions, TextReport]:
    """Turn documents into records, and report what happened to every token.

    ``source_rows`` of the records says which documents they are.

    >>> from cloven.text.documents import Document
    >>> texts = ("The patients had 2 biopsies.", "A biopsy of the lung.")
    >>> data, report = to_transactions([Document(str(number), text) for number, text in enumerate(texts)])
    >>> [sorted(record) for record in data], report.dropped["stop words"]
    ([['biopsy', 'patient'], ['biopsy', 'lung']], 4)
    """
    options = options or TextOptions()
    counted = count_terms(documents, options, progress)
    return _finish(counted, options)


def count_terms(
    documents: Iterable[Document], options: TextOptions | None = None, progress: Progress | None = None
) -> Counted:
    """Clean the documents and count their items; nothing is dropped yet for being rare, common or misspelt."""
    documents, options = tuple(documents), options or TextOptions()
    cleaned: Counter[str] = Counter()
    tally: Counter[str] = Counter()
    finder, lemmatiser = _finder(options)
    found = []
    for number, text in enumerate(_texts(documents, options, cleaned)):
        found.append(finder.find(text, tally))
        if progress is not None and number % 256 == 0:
            progress("reading words", number / len(documents))
    terms = TermCounts.from_counters(found)
    merged: dict[str, str] = {}
    if lemmatiser is not None and options.merge_plurals:
        merged = merged_plurals(set(terms.vocabulary), lemmatiser.known)
    tokens = tally.pop("tokens", 0)
    return Counted(terms.renamed(merged), _plain(cleaned), _plain(tally), tokens, len(merged))


def _finder(options: TextOptions) -> tuple[Finder, Lemmatiser | None]:
    stop_words, capitals = options.all_stop_words, options.keep_abbreviations
    if options.items == "words":
        lemmatiser = None if options.lemmas == "none" else Lemmatiser()
        tagger = Tagger() if options.lemmas == "tagged" else None
        return WordFinder(stop_words, capitals, lemmatiser, tagger), lemmatiser
    longest = 1 if options.items == "nouns" else options.longest_phrase
    finder = PhraseFinder(longest, stop_words, capitals, options.keep_contained)
    return finder, finder.lemmatiser


def _texts(documents: Sequence[Document], options: TextOptions, tally: Counter[str]) -> Iterable[str]:
    """The text of each document, cleaned."""
    cleaning = options.cleaning
    repeated = frozenset[str]()
    if cleaning.repeated_lines:
        repeated = repeated_lines(document.text for document in documents)
    for document in documents:
        text, lines = without_edges(document.text, repeated)
        tally["repeated lines"] += lines
        text = clean(text, cleaning, tally)
        if document.title is not None:
            if cleaning.titles:
                tally["titles"] += 1
            else:
                text = f"{document.title}\n\n{text}"
        yield text


def _finish(counted: Counted, options: TextOptions) -> tuple[Transactions, TextReport]:
    """Apply the rules that look at the whole corpus, and report."""
    terms, dropped = counted.terms, Counter(counted.dropped)
    frequencies = terms.document_frequencies
    typos = _typos(terms, frequencies, options)

    def drop(rule: str, gone: NDArray[np.bool_]) -> None:
        nonlocal terms
        dropped[rule] += int(terms.counts[gone].sum())
        terms = terms.where(~gone)

    drop("in too few documents", (frequencies < options.min_documents)[terms.codes])
    drop("in too many documents", (frequencies > options.max_document_share * len(terms))[terms.codes])
    if options.typos == "drop" and typos:
        drop("likely typos", _named(terms, typos))
    if options.top_terms is not None:
        drop("below the top terms", ~terms.best(options.top_terms))
    dropped["repeats in a document"] += int((terms.counts - 1).sum())
    data = terms.transactions()
    if not len(data):
        message = (
            f"no item is left of {len(terms):,} documents with {counted.tokens:,} tokens;"
            " loosen min_documents, max_document_share or the stop words"
        )
        raise InputError(message)
    return data, _report(data, counted, len(terms), dropped, typos)


def _typos(terms: TermCounts, frequencies: NDArray[np.int64], options: TextOptions) -> dict[str, str]:
    if options.typos == "ignore":
        return {}
    supports = dict(zip(terms.vocabulary, frequencies.tolist(), strict=True))
    return suspected_typos(supports, english_words(), options.typo_rule)


def _named(terms: TermCounts, names: Mapping[str, str]) -> NDArray[np.bool_]:
    """Which entries are one of these terms."""
    import numpy as np

    return np.array([name in names for name in terms.vocabulary], bool)[terms.codes]


def _report(
    data: Transactions, counted: Counted, documents: int, dropped: Counter[str], typos: Mapping[str, str]
) -> TextReport:
    occurrences = len(data.codes)
    return TextReport(
        documents=documents,
        empty_documents=data.empty_records,
        tokens=counted.tokens,
        cleaned=counted.cleaned,
        dropped=_plain(dropped),
        merged_plurals=counted.merged_plurals,
        records=len(data),
        items=len(data.vocabulary),
        occurrences=occurrences,
        mean_length=occurrences / len(data),
        type_token_ratio=len(data.vocabulary) / occurrences,
        suspected_typos={name: typos[name] for name in data.vocabulary if name in typos},
    )


def _plain(tally: Mapping[str, int]) -> dict[str, int]:
    """Rules that did something, by name."""
    return {str(rule): count for rule, count in sorted(tally.items()) if count}


# What makes items out of text, and what happened on the way.


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
