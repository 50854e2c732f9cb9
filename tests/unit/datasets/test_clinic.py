"""The clinic sample: the same bytes everywhere, and the facts that its page states."""

from __future__ import annotations

import doctest
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cloven import datasets
from cloven.datasets import clinic, sample
from cloven.errors import ParameterError

if TYPE_CHECKING:
    from cloven.data.transactions import Transactions

CLINIC_SHA256 = "dcffe33029a6376fd191f8475c74bead0f14b5b60f573e3d196aabef8faec6a6"
PAGE = Path(__file__).resolve().parents[3] / "docs" / "explanation" / "clinic-sample.md"


@pytest.fixture(scope="module")
def data() -> Transactions:
    return clinic()


def digest(data: Transactions) -> str:
    text = "\n".join(" ".join(sorted(record)) for record in data)
    return hashlib.sha256(text.encode()).hexdigest()


def test_the_same_bytes_everywhere(data: Transactions) -> None:
    assert digest(data) == CLINIC_SHA256


def test_another_seed_gives_other_patients(data: Transactions) -> None:
    assert clinic(seed=1) != data


def test_fewer_records_are_the_first_records(data: Transactions) -> None:
    assert list(clinic(37)) == list(data)[:37]


def test_sample_by_name(data: Transactions) -> None:
    assert sample("clinic") == data


def test_unknown_sample_lists_the_known_ones() -> None:
    with pytest.raises(ParameterError, match=r"no sample is called 'klinik'; the known samples are clinic$"):
        sample("klinik")


@pytest.mark.parametrize("records", [0, -5])
def test_at_least_one_record(records: int) -> None:
    with pytest.raises(ParameterError, match="at least 1"):
        clinic(records)


def test_public_names() -> None:
    assert datasets.__all__ == sorted(datasets.__all__)
    assert all(hasattr(datasets, name) for name in datasets.__all__)


def test_the_page_tells_the_truth() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted >= 3
    assert result.failed == 0
