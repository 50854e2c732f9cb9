"""A small release made by hand, its key and its original."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.unit.io.by_hand import Made, made_by_hand
from tests.unit.verify.keys import group, join

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def clinic() -> Made:
    """Three clusters, two of them joined by a shared chunk."""
    cough = [{"cough", "flu", "naïve 🦊"}, {"cough", "flu", "rash"}, {"cough", "salt"}]
    knee = [{"knee", "pain", "salt"}, {"knee", "pain", 'fox, "red"'}, {"knee", "=1+1", "salt"}]
    eyes = [{"eyes"}] * 4 + [{"eyes", "שלום", "a\nb"}]
    below = [
        group([0, 1, 2], [{"cough", "flu"}], {"naïve 🦊", "rash"}),
        group([3, 4, 5], [{"knee", "pain"}], {'fox, "red"', "=1+1"}),
    ]
    plans = [join([{"salt"}], below), group([6, 7, 8, 9, 10], [{"eyes"}], {"שלום", "a\nb"})]
    return made_by_hand([*cough, *knee, *eyes], plans)


@pytest.fixture(scope="session")
def golden() -> Path:
    return Path(__file__).resolve().parents[2] / "golden" / "disassociated"
