"""The public data sets of the experiments. They are not part of the package: CLOVEN_DATA says where they are."""

from __future__ import annotations

import csv
import gzip
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cloven.errors import InputError
from cloven.reading import ReadOptions, read_reported
from cloven.text.documents import DocumentOptions, read_documents
from cloven.text.transactions import count_terms

if TYPE_CHECKING:
    from cloven.data.transactions import Transactions
    from cloven.text.counts import TermCounts

SPLIT_SEED = 20210501
"""Seed of the cut in two; the same for every draw of records."""


@dataclass(frozen=True)
class PublicData:
    """One data set: file below the data folder, how to read it, and its item hierarchy if there is one.

    A ``wide`` file has a header, and an item in every cell of a row.
    """

    file: str
    options: ReadOptions = ReadOptions()  # noqa: RUF009 - frozen
    taxonomy: str | None = None
    wide: bool = False

    def path(self, folder: Path) -> Path:
        """Where the file is; a missing one is an error that says where it was looked for."""
        path = folder / self.file
        if not path.is_file():
            message = f"{path}: not there; set CLOVEN_DATA to the folder of the public data sets"
            raise InputError(message)
        return path

    def load(self, folder: Path) -> Transactions:
        """Read the data set."""
        path = self.path(folder)
        return _cells(path) if self.wide else read_reported(path, self.options)[0]


PUBLIC_DATA = {
    "BMS-WebView-1": PublicData("transactions/BMS1.dat.gz"),
    "BMS-WebView-2": PublicData("transactions/BMS2.txt.gz", taxonomy="transactions/treefile_BMS.txt.gz"),
    "T10I4D100K": PublicData("transactions/T10I4D100K.dat.gz"),
    "mushroom": PublicData("transactions/mushroom.dat.gz"),
    "groceries": PublicData("named/groceries.csv.gz"),
    "What's Cooking": PublicData("named/whats_cooking_train.json.zip", ReadOptions(column="ingredients")),
    "ICD-9": PublicData("ehr/icd9_records.csv.gz"),
}
VECTORS = PublicData("vectors/glove_6b_100d_150k.npy")
WORDNET = PublicData("text/wordnet-3.0-dict.tar.gz")

PEOPLE = {
    "Synthea": PublicData(
        "named/synthea_conditions.csv.gz", ReadOptions(id_column="PATIENT", item_column="DESCRIPTION")
    ),
    "MovieLens": PublicData(
        "named/ml-latest-small_ratings.csv.gz", ReadOptions(id_column="userId", item_column="movieId")
    ),
    "disease-symptom": PublicData("named/disease_symptom_dataset.csv.gz", wide=True),
}
"""More data sets, for what is told of known people: conditions of patients, movies of users, symptoms of illnesses."""


CORPORA: dict[str, tuple[PublicData, DocumentOptions]] = {
    "ohsumed": (PublicData("text/ohsumed_single_23.tar.gz"), DocumentOptions()),
    "MedQuAD": (PublicData("text/medquad.tar.gz"), DocumentOptions(format="medquad")),
    "Reuters": (PublicData("text/reuters21578.tar.gz"), DocumentOptions(format="reuters")),
}


def _cells(path: Path) -> Transactions:
    """A wide table: the cells of a row that are not empty are one record."""
    from cloven.data.transactions import Transactions

    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    return Transactions.from_records([[cell.strip() for cell in row if cell.strip()] for row in rows])


def data_folder(given: Path | None = None) -> Path:
    """The folder of the public data sets: given, else CLOVEN_DATA, else ``../shared/data``."""
    folder = given or Path(os.environ.get("CLOVEN_DATA", Path("..") / "shared" / "data"))
    if not folder.is_dir():
        message = f"no folder {folder}; set CLOVEN_DATA to the folder of the public data sets"
        raise InputError(message)
    return folder


def first(data: Transactions, most: int) -> Transactions:
    """The first records."""
    return data if len(data) <= most else data.take(np.arange(most))


def corpus(folder: Path, name: str, limit: int | None = None) -> tuple[TermCounts, TermCounts]:
    """A corpus cut in two by a fixed seed, ``limit`` documents of it if given: what is published, and the attacker's.

    The attacker's half is a corpus of the same domain: it stands in for the web, which the papers counted and which
    cannot be had. No document is in both halves.
    """
    source, options = CORPORA[name]
    documents = read_documents(source.path(folder), options).documents
    order = np.random.default_rng(SPLIT_SEED).permutation(len(documents))[:limit]
    terms = count_terms([documents[place] for place in order.tolist()]).terms
    middle = len(terms) // 2
    return terms.take(np.arange(middle)), terms.take(np.arange(middle, len(terms)))
