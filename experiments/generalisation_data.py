"""Data of the experiments on set-based generalisation, each cut in two: records to publish, and the attacker's own.

The paper asked a search engine how often words are together on the web. That cannot be had, so its place is taken by
other records of the same kind: the attacker's half. No record is in both halves.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

import numpy as np

from cloven.data.transactions import Transactions
from cloven.reading import ReadOptions
from experiments.public_data import PUBLIC_DATA, PublicData
from experiments.thesis_data import SPLIT_SEED, Halves

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TERMS, LEAST_TERMS, LEAST_DOCUMENTS = 60, 40, 8
"""A text becomes its terms of highest TF-IDF, among those in enough documents; shorter texts are left out."""
SYNTHEA = PublicData(
    "named/synthea_conditions.csv.gz", ReadOptions(id_column="PATIENT", item_column="DESCRIPTION")
)
LINKS = PublicData("named/wikispeedia_links.tsv.gz")
COOKING, WIKI, OHSUMED, MEDQUAD, PATIENTS = "What's Cooking", "wikispeedia", "ohsumed", "MedQuAD", "Synthea"


@dataclass(frozen=True, eq=False)
class Source:
    """One data set.

    Attributes:
        name: what tables call it.
        format: of what it is made, as in Table I of the paper.
        quality: whether there are many typing errors and abbreviations (T&A).
        domain: its field, or several.
        victims: records that samples are drawn from.
        own: the attacker's records.
        records: records of a sample.
        protected: share of the items that are protected.
    """

    name: str
    format: str
    quality: str
    domain: str
    victims: Transactions
    own: Transactions
    records: int
    protected: float = 0.1

    def sample(self, rng: np.random.Generator) -> Transactions:
        """Records at random."""
        many = min(self.records, len(self.victims))
        return self.victims.take(np.sort(rng.choice(len(self.victims), many, replace=False)))


def sources(folder: Path, *, quick: bool = False) -> Iterator[Source]:
    """All data sets, one after the other; the sizes of three are those of the paper's."""
    part = 4 if quick else 1
    cooking = PUBLIC_DATA[COOKING].load(folder)
    yield Source(COOKING, "transaction", "few T&A", "food", *_halves(cooking), 758 // part)
    yield Source(WIKI, "transaction", "few T&A", "multiple", *_halves(_links(folder)), 758 // part)
    limit = 2_000 if quick else None
    yield Source(OHSUMED, "text", "few T&A", "healthcare", *_texts(folder, OHSUMED, limit), 643 // part)
    yield Source(MEDQUAD, "text", "few T&A", "healthcare", *_texts(folder, MEDQUAD, limit), 263 // part)
    patients = SYNTHEA.load(folder)
    yield Source(PATIENTS, "transaction", "few T&A", "healthcare", *_halves(patients), 263, protected=1.0)


def _halves(data: Transactions) -> tuple[Transactions, Transactions]:
    order = np.random.default_rng(SPLIT_SEED).permutation(len(data))
    middle = len(data) // 2
    return data.take(np.sort(order[:middle])), data.take(np.sort(order[middle:]))


def _links(folder: Path) -> Transactions:
    """Articles of an encyclopaedia as the sets of articles that they link to."""
    linked: defaultdict[str, set[str]] = defaultdict(set)
    with gzip.open(LINKS.path(folder), "rt", encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("#") and "\t" in line:
                article, other = line.rstrip("\n").split("\t")
                linked[article].add(unquote(other).replace("_", " ").lower())
    return Transactions.from_records(linked.values())


def _texts(folder: Path, name: str, limit: int | None) -> tuple[Transactions, Transactions]:
    halves = Halves.read(folder, name, limit)
    known = halves.victims.where(
        (halves.victims.document_frequencies >= LEAST_DOCUMENTS)[halves.victims.codes]
    )
    long_enough = np.flatnonzero(np.diff(known.offsets) >= LEAST_TERMS)
    return known.where(known.best(TERMS)).take(long_enough).transactions(), halves.own_documents
