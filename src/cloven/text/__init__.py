"""Documents to transactions: reading, cleaning, tokens, lemmas, noun phrases, topics, density, query logs.

``read_documents`` reads a corpus; ``to_transactions`` makes one record of each document and reports what happened to
every token; ``topic_sample`` and ``density_sample`` choose records for experiments; ``queries_to_transactions`` reads
query logs. Most of it needs the extra ``cloven[text]``.
"""

from cloven.text.boilerplate import Cleaning
from cloven.text.counts import TermCounts
from cloven.text.documents import Corpus, Document, DocumentOptions, read_documents
from cloven.text.queries import QueryOptions, QueryReport, queries_to_transactions
from cloven.text.samples import (
    DensitySample,
    Topics,
    TopicSample,
    choose_documents,
    density_sample,
    find_topics,
    topic_sample,
)
from cloven.text.transactions import TextOptions, TextReport, count_terms, to_transactions
from cloven.text.typos import TypoRule, suspected_typos
from cloven.text.words import STOP_WORDS

__all__ = [
    "STOP_WORDS",
    "Cleaning",
    "Corpus",
    "DensitySample",
    "Document",
    "DocumentOptions",
    "QueryOptions",
    "QueryReport",
    "TermCounts",
    "TextOptions",
    "TextReport",
    "TopicSample",
    "Topics",
    "TypoRule",
    "choose_documents",
    "count_terms",
    "density_sample",
    "find_topics",
    "queries_to_transactions",
    "read_documents",
    "suspected_typos",
    "to_transactions",
    "topic_sample",
]
