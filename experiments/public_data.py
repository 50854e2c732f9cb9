"""The public data sets of the experiments. They are not part of the package: CLOVEN_DATA says where they are."""

from __future__ import annotations

import csv
import gzip
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cloven.errors import InputError
from cloven.reading import ReadOptions, read_reported

if TYPE_CHECKING:
    from cloven.data.transactions import Transactions


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

OF_PEOPLE = {
    "Synthea": PublicData(
        "named/synthea_conditions.csv.gz", ReadOptions(id_column="PATIENT", item_column="DESCRIPTION")
    ),
    "MovieLens": PublicData(
        "named/ml-latest-small_ratings.csv.gz", ReadOptions(id_column="userId", item_column="movieId")
    ),
    "disease-symptom": PublicData("named/disease_symptom_dataset.csv.gz", wide=True),
}
"""More data sets, for what is told of known people: conditions of patients, movies of users, symptoms of illnesses."""


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
