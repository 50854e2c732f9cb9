"""Data of the thesis's experiments (section 5.1): corpora cut in two, and samples drawn from the first half.

The victims' half becomes transactions. The other half is the attacker's own corpus of the same domain: it stands in for
the web, which the thesis counted for NGD and which cannot be had. No document is in both halves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import ParameterError
from cloven.text.documents import DocumentOptions, read_documents
from cloven.text.samples import Topics, choose_documents, density_sample, find_topics
from cloven.text.transactions import count_terms
from experiments.public_data import PublicData

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from cloven.data.transactions import Transactions
    from cloven.text.counts import TermCounts

CORPORA: dict[str, tuple[PublicData, DocumentOptions]] = {
    "ohsumed": (PublicData("text/ohsumed_single_23.tar.gz"), DocumentOptions()),
    "MedQuAD": (PublicData("text/medquad.tar.gz"), DocumentOptions(format="medquad")),
    "Reuters": (PublicData("text/reuters21578.tar.gz"), DocumentOptions(format="reuters")),
}
SPLIT_SEED = 20210501
"""Seed of the cut in two; the same for every draw of documents."""
TOPICS, TERMS, RECORDS = 35, 20, 200
LEAST_DOCUMENTS = 8
"""Documents of the half that must hold a term of a topic sample (as ``topic_sample``)."""
LEAST_DENSITY_DOCUMENTS = 3
"""The same for samples of a wanted density: sparse ones need rare words."""
_WIDER = (1.0, 1.5, 2.5, 4.0)


@dataclass(frozen=True, eq=False)
class Halves:
    """A corpus cut in two.

    Attributes:
        name: name of the corpus.
        victims: documents that transactions are made of.
        own: documents of the attacker.
    """

    name: str
    victims: TermCounts
    own: TermCounts

    @classmethod
    def read(cls, folder: Path, name: str, limit: int | None = None) -> Halves:
        """Read a corpus, keep ``limit`` documents at random if given, and cut it in two."""
        source, options = CORPORA[name]
        documents = read_documents(source.path(folder), options).documents
        order = np.random.default_rng(SPLIT_SEED).permutation(len(documents))[:limit]
        terms = count_terms([documents[place] for place in order.tolist()]).terms
        middle = len(terms) // 2
        return cls(name, terms.take(np.arange(middle)), terms.take(np.arange(middle, len(terms))))

    @cached_property
    def own_documents(self) -> Transactions:
        """The attacker's documents as sets of lemmas."""
        return self.own.transactions()

    @cached_property
    def _of_topics(self) -> TermCounts:
        return _frequent(self.victims, LEAST_DOCUMENTS)

    @cached_property
    def _of_density(self) -> Transactions:
        return _frequent(self.victims, LEAST_DENSITY_DOCUMENTS).transactions()

    @cached_property
    def _topics(self) -> dict[int, Topics]:
        return {}

    def topic_sample(self, rng: np.random.Generator, per_topic: int, topics: int = TOPICS) -> Transactions:
        """As ``cloven.text.samples.topic_sample``, but topics are found once for all draws."""
        counts = self._of_topics
        long_enough = self._long_enough
        for wider in _WIDER:
            try:
                chosen = choose_documents(
                    self._found_topics(round(topics * wider)), topics * per_topic, topics, rng, long_enough
                )
                break
            except ParameterError:
                if wider == _WIDER[-1]:
                    raise
        return counts.where(counts.best(TERMS)).take(chosen).transactions()

    def clear_sample(self, rng: np.random.Generator, per_topic: int, topics: int = TOPICS) -> Transactions:
        """The same from documents that show their topic most clearly: the best half as many again of each topic."""
        counts, found = self._of_topics, self._found_topics(topics)
        chosen = []
        for topic in range(topics):
            here = np.flatnonzero(self._long_enough & (found.of_document == topic))
            clearest = here[np.argsort(-found.weights[here], kind="stable")][: per_topic * 3 // 2]
            chosen.append(rng.choice(clearest, min(per_topic, len(clearest)), replace=False))
        return counts.where(counts.best(TERMS)).take(np.sort(np.concatenate(chosen))).transactions()

    @cached_property
    def _long_enough(self) -> NDArray[np.bool_]:
        return np.diff(self._of_topics.offsets) >= TERMS

    def _found_topics(self, number: int) -> Topics:
        if number not in self._topics:
            self._topics[number] = find_topics(self._of_topics, number)
        return self._topics[number]

    def density_sample(self, wanted: float, rng: np.random.Generator, records: int = RECORDS) -> Transactions:
        """So many transactions of 20 terms with the wanted type-token ratio."""
        return density_sample(self._of_density, wanted, rng, records=records, mean_length=TERMS).transactions

    def plain_sample(self, rng: np.random.Generator, records: int) -> Transactions:
        """Documents drawn without regard to topics, 20 terms of highest TF-IDF of each."""
        counts = self._of_topics
        eligible = np.flatnonzero(self._long_enough)
        chosen = np.sort(rng.choice(eligible, min(records, len(eligible)), replace=False))
        return counts.where(counts.best(TERMS)).take(chosen).transactions()


def _frequent(counts: TermCounts, documents: int) -> TermCounts:
    return counts.where((counts.document_frequencies >= documents)[counts.codes])


def density(data: Transactions) -> float:
    """Type-token ratio: different items per occurrence (equation 5.1)."""
    return len(data.vocabulary) / max(1, len(data.codes))
