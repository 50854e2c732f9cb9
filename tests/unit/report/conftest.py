"""Documents to make pages from: a small real audit, and variants of it."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest

import cloven as cv
from cloven.audit.loop import Audit
from cloven.threats import Effort, Knowledge


@pytest.fixture(scope="session")
def report():
    """An audit of the sample in small clusters, compared with one other setting."""
    audit = Audit(
        cv.Disassociation(k=5, m=2, max_cluster_size=30),
        knowledge=Knowledge(cv.relatedness.Vectors.sample()),
        rivals=(cv.Disassociation(k=5, m=2, max_cluster_size=30, safe="cover"),),
        effort=Effort().quick(),
        seed=1,
        title="sample clinic",
    )
    return audit.run(cv.sample("clinic"))


@pytest.fixture(scope="session")
def _owner(report):
    return report.to_dict()


@pytest.fixture
def owner(_owner):
    """The owner's document; a test may change it."""
    return copy.deepcopy(_owner)


@pytest.fixture
def withheld(report):
    """The public document; 57 clusters are too few for totals."""
    return report.to_dict("public")


@pytest.fixture
def enough():
    """Makes an audit as it would be with a hundred clusters behind every figure, or some other number."""

    def made(found, groups=100, kinds=100):
        def large(risk):
            parts = [part | {"groups": kinds} for part in risk.details.get("by_kind", ())]
            return replace(risk, details={**risk.details, "by_kind": parts})

        def of_many(outcome):
            return replace(outcome, groups=groups, risks=tuple(map(large, outcome.risks)))

        return replace(found, outcome=of_many(found.outcome), others=tuple(map(of_many, found.others)))

    return made


@pytest.fixture
def shared(report, enough):
    """The public document as it would be with enough clusters for totals."""
    return enough(report).to_dict("public")
