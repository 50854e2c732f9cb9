"""A method and a family of a few lines, with risk and utility by formula: searches on them take milliseconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

import cloven.registry
from cloven.data.transactions import Transactions
from cloven.disclosure.outcome import Measured, Utility
from cloven.disclosure.risk import Estimate
from cloven.errors import ParameterError
from cloven.protocols import Choice, Real, Whole
from cloven.threats import Threat

DONE: list[tuple[str, int]] = []
"""Settings that were measured, with the number of records."""


@dataclass(frozen=True)
class Toy:
    """Small groups are useful and risky; ``care`` lowers the risk for a little utility."""

    k: int = 5
    m: int = 2
    size: int = 40
    care: bool = False
    share: float = 0.5

    family = "toy"

    def __post_init__(self):
        if self.size < 2 * self.k:
            message = f"size must be at least {2 * self.k}, got {self.size}"
            raise ParameterError(message)

    @classmethod
    def space(cls, data):
        return {
            "k": Whole(2, 50),
            "m": Choice((2, 3)),
            "size": Whole(10, 100, log=True),
            "care": Choice((True, False)),
            "share": Real(0.1, 0.9),
        }

    @property
    def parameters(self):
        return {"method": "toy", "size": self.size, "care": self.care, "share": self.share}

    def anonymise(self, data, progress=None):
        return SimpleNamespace(release=self, key=None)

    @property
    def risk(self):
        return min(1.0, 2 / self.size * (0.5 if self.care else 1.0) * (1 + abs(self.share - 0.3)))

    @property
    def utility(self):
        return max(0.0, 1 - self.size / 200 - 0.01 * self.k - (0.02 if self.care else 0.0))


@dataclass(frozen=True)
class Other(Toy):
    """Another method of the same family, worse in everything, which breaks promises."""

    size: int = 30

    @property
    def parameters(self):
        return {**super().parameters, "method": "other"}

    @property
    def utility(self):
        return super().utility / 2


@dataclass(frozen=True)
class ToyFamily:
    name: str = "toy"
    fingerprints: dict = field(default_factory=dict)

    def fingerprint(self, data):
        from cloven.storage.fingerprint import fingerprint

        return fingerprint(data)

    def sizes(self, release):
        return [10] * 40

    def verify(self, data, result):
        return SimpleNamespace(raise_if_broken=lambda: None)

    def threats(self, method, knowledge):
        def attempt(threat, case):
            data, result = case.data, case.result
            DONE.append((str(result.release), len(data)))
            value = result.release.risk
            broken = int(type(result.release) is Other)
            return threat.risk(attacker=Estimate(value, value / 2, value), broken=broken)

        return (Threat("formula", "everything", "attribute", "by formula", attempt),)

    def utility(self, data, result, effort, rng):
        return Utility("kept", (Measured("kept", result.release.utility, None, None, 1.0, 0.0, ""),
                                Measured("half", result.release.utility / 2, None, None, 1.0, 0.0, "")))  # fmt: skip

    def doubts(self, data, method, result):
        return ()

    def remedies(self, method, risks, limit, data=None):
        return {"--care": type(method)(**{**method.__dict__, "care": True})}


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    """``toy`` and ``other`` are registered as a package would; gives what was measured."""
    points = {
        "cloven.anonymisers": [("toy", Toy), ("other", Other)],
        "cloven.families": [("toy", ToyFamily)],
    }

    def entry_points(group):
        return [SimpleNamespace(name=name, load=lambda made=made: made, value=name)
                for name, made in points.get(group, [])]  # fmt: skip

    monkeypatch.setattr(cloven.registry, "entry_points", entry_points)
    DONE.clear()
    return DONE


@pytest.fixture
def data():
    return Transactions.from_records([[f"i{n % 7}", f"j{n % 5}"] for n in range(400)])


@pytest.fixture
def large():
    return Transactions.from_records([[f"i{n % 7}", f"j{n % 5}"] for n in range(4_400)])
