"""Documents to transactions: a record is the set of items of a document (thesis 5.1.2, set-generalisation 6.1)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from cloven.errors import InputError
from cloven.text.boilerplate import repeated_lines, without_edges
from cloven.text.clean import clean
from cloven.text.counts import TermCounts
from cloven.text.lemmas import Lemmatiser, english_words, merged_plurals
from cloven.text.options import TextOptions, TextReport
from cloven.text.phrases import PhraseFinder
from cloven.text.tagging import Tagger
from cloven.text.typos import suspected_typos
from cloven.text.words import WordFinder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from cloven.model.transactions import Transactions
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
