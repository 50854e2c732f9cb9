"""Meaning carries information in the clinic sample: words of one record are nearer than words of two."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import numpy as np
import pytest

from cloven.datasets import clinic
from cloven.datasets.clinic import CIRCUMSTANCES, COMPLAINTS, PROFILES, VISIT

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def vector_rows(data_dir: Path) -> dict[str, int]:
    path = data_dir / "vectors" / "glove_6b_100d_150k.words.txt.gz"
    if not path.is_file():
        pytest.skip(f"no word vectors at {path}")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return {line.rstrip("\n"): row for row, line in enumerate(lines)}


@pytest.fixture(scope="module")
def cosines(data_dir: Path, vector_rows: dict[str, int]) -> NDArray[np.float64]:
    """Cosine of every two items of the sample."""
    vectors = np.load(data_dir / "vectors" / "glove_6b_100d_150k.npy", mmap_mode="r")
    chosen = vectors[[vector_rows[word] for word in clinic().vocabulary]].astype(np.float64)
    chosen /= np.linalg.norm(chosen, axis=1, keepdims=True)
    return chosen @ chosen.T


def test_every_word_has_a_vector(vector_rows: dict[str, int]) -> None:
    outside = " ".join([*CIRCUMSTANCES.values(), VISIT, COMPLAINTS]).split()
    words = frozenset(outside).union(*(profile.words() for profile in PROFILES))
    assert sorted(words - vector_rows.keys()) == []


def test_items_of_one_record_are_nearer_than_items_of_two(cosines: NDArray[np.float64]) -> None:
    """The page gives these figures: 0.32 inside a record, 0.27 across records."""
    data = clinic()
    table = np.zeros((len(data), len(data.vocabulary)))
    table[np.repeat(np.arange(len(data)), data.lengths), data.codes] = 1
    together = table.T @ table
    anyhow = np.outer(data.supports, data.supports) - together
    np.fill_diagonal(together, 0)
    np.fill_diagonal(anyhow, 0)
    inside = (together * cosines).sum() / together.sum()
    across = (anyhow * cosines).sum() / anyhow.sum()
    assert inside == pytest.approx(0.32, abs=0.01)
    assert across == pytest.approx(0.27, abs=0.01)


def test_an_item_is_nearer_to_the_rest_of_its_record_than_to_another_record(
    cosines: NDArray[np.float64],
) -> None:
    """The page says: in about seven cases of ten, where a coin would give five."""
    data = clinic()
    rng = np.random.default_rng(1)
    records = np.split(data.codes, data.offsets[1:-1])
    wins = []
    for own in records:
        other = records[rng.integers(len(records))]
        item = own[rng.integers(len(own))]
        if item not in other:
            wins.append(cosines[item, own[own != item]].mean() > cosines[item, other].mean())
    assert len(wins) > 900
    assert np.mean(wins) == pytest.approx(0.72, abs=0.04)
