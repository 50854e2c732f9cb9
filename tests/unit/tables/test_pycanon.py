"""k, l, t and alpha of releases as pyCANON measures them. It pins what it needs: ``make`` installs it without that."""

from __future__ import annotations

import numpy as np
import pytest

from cloven.data.schema import Schema
from cloven.kinds.tables.methods.constraints import DistinctL, EntropyL, RecursiveL, TCloseness
from cloven.kinds.tables.methods.mondrian import Mondrian
from cloven.kinds.tables.release import Sliced
from cloven.kinds.tables.verify.chances import check_buckets
from cloven.kinds.tables.verify.promise import MEASURED, Demand, Promise, counted, group_of_row
from cloven.reading.tables import read_table
from cloven.registry import table_anonymisers

anonymity = pytest.importorskip("pycanon.anonymity", reason="pip install --no-deps pycanon")
pandas = pytest.importorskip("pandas")


def frame_of(release):
    """Published rows. Of a sliced table what rows of a bucket share is their bucket, so that is what is known."""
    columns = {
        domain.name: [domain.labels[cell] for cell in release.cells[:, number].tolist()]
        for number, domain in enumerate(release.domains)
    }
    if isinstance(release, Sliced):
        columns = {"bucket": group_of_row(release).tolist(), "all": 0, **columns}
    return pandas.DataFrame(columns)


def known_of(release):
    return (
        ["bucket", "all"]  # pandas warns of a single name
        if isinstance(release, Sliced)
        else [domain.name for domain in release.domains if not domain.sensitive]
    )


def reached(release, name, hidden="illness", distance="equal", **levels):
    demand = Demand(name, (hidden,), **levels, ordered=distance == "ordered", clear=True)
    place = [domain.name for domain in release.domains].index(hidden)
    return MEASURED[name](counted(group_of_row(release), release.cells[:, [place]]), demand)[0]


def agrees(release, hidden="illness"):
    """k, l, entropy-l and t are theirs."""
    frame, known = frame_of(release), known_of(release)
    assert anonymity.k_anonymity(frame, known) == np.bincount(group_of_row(release)).min() >= release.k
    assert anonymity.l_diversity(frame, known, [hidden]) == reached(release, "distinct-l", hidden, l=1).min()
    # pyCANON rounds the entropy down to a whole l; exactly 2 may come out as 1 there.
    varied = reached(release, "entropy-l", hidden, l=1).min()
    theirs = anonymity.entropy_l_diversity(frame, known, [hidden])
    assert theirs in (int(varied + 1e-9), int(varied - 1e-9))
    ours = reached(release, "t-closeness", hidden, t=1, distance="equal").max()
    assert anonymity.t_closeness(frame, known, [hidden]) == pytest.approx(ours)
    return frame, known


@pytest.mark.parametrize("mode", ["strict", "relaxed"])
@pytest.mark.parametrize(
    "constraints", [(), (DistinctL(3),), (EntropyL(2),), (RecursiveL(2, 2),), (TCloseness(0.4),)], ids=str
)
def test_pycanon_agrees(people, constraints, mode):
    release = Mondrian(k=4, constraints=constraints, mode=mode).anonymise(people).release
    frame, known = agrees(release)
    promised = next(iter(release.parameters["constraints"]), {"demand": None})
    if promised["demand"] == "distinct-l":
        assert anonymity.l_diversity(frame, known, ["illness"]) >= promised["l"]
    if promised["demand"] == "t-closeness":
        assert anonymity.t_closeness(frame, known, ["illness"]) <= promised["t"] + 1e-9


def test_pycanon_agrees_on_ordered_closeness(people):
    """Its (c, l)-diversity is not compared: it takes the rarest value for the most frequent (sorts upwards)."""
    release = Mondrian(k=6, l=3).anonymise(people).release
    frame, known = frame_of(release), ["age", "work", "sex"]
    order = {"Flu": 1, "Gout": 2, "Mumps": 3, "Ulcer": 4}
    numbered = frame.assign(illness=frame["illness"].map(order))
    ours = reached(release, "t-closeness", t=1, distance="ordered").max()
    assert anonymity.t_closeness(numbered, known, ["illness"]) == pytest.approx(ours)


ADULT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class")


@pytest.fixture(scope="module")
def adult(data_dir):
    """A thousand rows of Adult (pyCANON takes its time); the occupation is sensitive."""
    path = data_dir / "relational" / "arx_adult" / "adult.csv.gz"
    if not path.exists():
        pytest.skip(f"no {path}")
    table = read_table(path, Schema.of(ADULT, ["occupation"]))
    return table.take(np.arange(0, len(table), 30))


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", ["mondrian", "anatomy", "slicing", "ul"])
def test_pycanon_agrees_on_adult(adult, name):
    """Of buckets it also tells alpha, the largest share of a value, which is to be at most 1/l."""
    settings = {"mondrian": {"k": 6, "l": 3}, "anatomy": {"l": 6}}
    method = table_anonymisers()[name](**settings.get(name, {"k": 6, "l": 6, "check": "bucket"}))
    release = method.anonymise(adult).release
    frame, known = agrees(release, "occupation")
    if isinstance(release, Sliced):
        alpha, k = anonymity.alpha_k_anonymity(frame, known, ["occupation"])
        assert k >= 6
        assert alpha <= 1 / 6 + 1e-9
        if release.parameters.get("check"):
            assert f"above {alpha:.4g}, " in check_buckets(release, Promise.of(release)).detail
