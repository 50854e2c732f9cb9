"""k, l and t of releases as pyCANON measures them. It pins its dependencies, so it is no requirement of the tests."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.anonymise.slicing.constraints import DistinctL, EntropyL, RecursiveL, TCloseness
from cloven.anonymise.slicing.mondrian import Mondrian
from cloven.verification.tables.demands import MEASURED, counted
from cloven.verification.tables.groups import group_of_row

anonymity = pytest.importorskip(
    "pycanon.anonymity", reason="pip install pycanon, in an environment of its own"
)
pandas = pytest.importorskip("pandas")


def frame_of(release):
    return pandas.DataFrame(
        {
            domain.name: [domain.labels[cell] for cell in release.cells[:, number].tolist()]
            for number, domain in enumerate(release.domains)
        }
    )


def reached(release, name, **entry):
    place = [domain.name for domain in release.domains].index("illness")
    return MEASURED[name](counted(group_of_row(release), release.cells[:, [place]]), entry)[0]


@pytest.mark.parametrize("mode", ["strict", "relaxed"])
@pytest.mark.parametrize(
    "constraints", [(), (DistinctL(3),), (EntropyL(2),), (RecursiveL(2, 2),), (TCloseness(0.4),)], ids=str
)
def test_pycanon_agrees(people, constraints, mode):
    release = Mondrian(k=4, constraints=constraints, mode=mode).anonymise(people).release
    frame, known = frame_of(release), ["age", "work", "sex"]
    sizes = np.bincount(group_of_row(release))
    assert anonymity.k_anonymity(frame, known) == sizes.min() >= 4
    assert anonymity.l_diversity(frame, known, ["illness"]) == reached(release, "distinct-l", l=1).min()
    # pyCANON rounds the entropy down to a whole l; exactly 2 may come out as 1 there.
    varied = reached(release, "entropy-l", l=1).min()
    assert anonymity.entropy_l_diversity(frame, known, ["illness"]) in (
        int(varied + 1e-9),
        int(varied - 1e-9),
    )
    ours = reached(release, "t-closeness", t=1, distance="equal").max()
    assert anonymity.t_closeness(frame, known, ["illness"]) == pytest.approx(ours)


def test_pycanon_agrees_on_ordered_closeness(people):
    """Its (c, l)-diversity is not compared: it takes the rarest value for the most frequent (sorts upwards)."""
    release = Mondrian(k=6, l=3).anonymise(people).release
    frame, known = frame_of(release), ["age", "work", "sex"]
    order = {"Flu": 1, "Gout": 2, "Mumps": 3, "Ulcer": 4}
    numbered = frame.assign(illness=frame["illness"].map(order))
    ours = reached(release, "t-closeness", t=1, distance="ordered").max()
    assert anonymity.t_closeness(numbered, known, ["illness"]) == pytest.approx(ours)
