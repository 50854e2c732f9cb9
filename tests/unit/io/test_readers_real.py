"""Counts of public data sets, and how fast they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cloven.reading import read

if TYPE_CHECKING:
    from pathlib import Path

COUNTS = [
    ("transactions/BMS1.dat.gz", {}, 59_602, 497),
    ("transactions/BMS2.txt.gz", {}, 77_512, 3_340),
    ("transactions/BMS1_spmf.txt.gz", {}, 59_601, 497),
    ("transactions/T10I4D100K.dat.gz", {}, 100_000, 870),
    ("transactions/mushroom.dat.gz", {}, 8_124, 119),
    ("named/groceries.csv.gz", {}, 9_835, 169),
    ("ehr/icd9_records.csv.gz", {}, 58_302, 631),
    ("named/whats_cooking_train.json.zip", {"column": "ingredients"}, 39_774, 6_714),
    ("named/synthea_conditions.csv.gz", {"id_column": "PATIENT", "item_column": "DESCRIPTION"}, 1_152, 129),
    ("named/ml-latest-small_movies.csv.gz", {"column": "genres"}, 9_742, 20),
    ("named/ml-latest-small_ratings.csv.gz", {"id_column": "userId", "item_column": "movieId"}, 610, 9_724),
]


@pytest.mark.data
@pytest.mark.parametrize(("name", "options", "records", "items"), COUNTS, ids=[case[0] for case in COUNTS])
def test_counts(data_dir: Path, name: str, options: dict[str, str], records: int, items: int) -> None:
    data = read(data_dir / name, **options)
    assert (len(data), len(data.vocabulary)) == (records, items)
    assert list(data.vocabulary) == sorted(data.vocabulary)


@pytest.mark.data
def test_visits_of_a_patient_are_records_of_one_person(data_dir: Path) -> None:
    path = data_dir / "named/synthea_conditions.csv.gz"
    data = read(path, id_column="ENCOUNTER", item_column="DESCRIPTION", person="PATIENT")
    assert data.persons is not None
    assert len(set(data.persons.tolist())) == 1_152
    assert len(data) > 1_152
