"""Proofs over whole releases: bounded, honest about samples, silent where nothing follows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import cloven as cv
from cloven.errors import ParameterError
from cloven.kinds.disassociated.covers.breaches import holders
from cloven.kinds.disassociated.covers.covers import covers
from cloven.kinds.disassociated.covers.proof import FEWEST, ClusterProof, prove

FIGURE_1 = [
    ["Oncologist", "Treatment", "Cancer", "Surgery", "Side Effects", "Vomiting"],
    ["Oncologist", "Treatment", "Cancer", "Surgery", "Side Effects", "Nausea"],
    ["Oncologist", "Treatment", "Cancer"],
    ["Treatment", "Surgery", "Side Effects", "Chemotherapy"],
    ["Oncologist", "Treatment", "Cancer"],
    ["Oncologist", "Surgery"],
]
FIGURE_3 = [["a", "b", "c"], ["a", "b", "c", "e"], ["a", "e"], ["b"]]


@pytest.fixture(scope="module", params=["cluster", "withhold"])
def release(request):
    method = cv.Disassociation(k=4, m=2, max_cluster_size=30, rare_items=request.param, refine=True)
    return method.anonymise(cv.sample("clinic")).release


def test_samples_agree_with_enumeration():
    """A pair that a sample clears is not broken; all that is broken stays unseen, or has a cover."""
    data = cv.Transactions.from_records(FIGURE_1)
    small = cv.Disassociation(k=3, m=2, rare_items="cluster", refine=False).anonymise(data).release
    exact = prove(small)
    assert exact.exact == 1
    sampled = prove(small, limit=FEWEST, rng=np.random.default_rng(1))
    assert (sampled.exact, sampled.sampled) == (0, 1)
    (whole,), (part,) = exact.proofs, sampled.proofs
    assert part.arrangements == whole.arrangements > FEWEST
    assert part.worlds > 0
    assert part.pairs > part.unseen + part.by_cover >= len(whole.broken) > 0
    assert part.broken == ()
    assert part.by_cover == whole.by_cover


@pytest.mark.parametrize(("worlds", "error"), [(0, 1.0), (1, 0.95), (100, 0.0295), (3000, 0.000998)])
def test_error_of_a_sample(worlds, error):
    """A pair joined in a larger share of the worlds would have been seen in 95 of 100 samples."""
    proof = ClusterProof(0, exact=False, arrangements=10**9, worlds=worlds, pairs=1)
    assert proof.error == pytest.approx(error, rel=0.01)
    if worlds:
        assert (1 - proof.error) ** worlds == pytest.approx(0.05)
    assert replace(proof, exact=True).error == 0.0


def test_work_is_bounded(release):
    several = sum(len(cluster.record_chunks) > 1 for cluster in release.iter_clusters())
    tight = prove(release, budget=30_000, rng=np.random.default_rng(1))
    assert tight.exact + tight.sampled + tight.too_large == several
    assert tight.too_large > 0
    looser = prove(release, budget=1_000_000, rng=np.random.default_rng(1))
    assert looser.too_large < tight.too_large
    assert prove(release, budget=1).too_large == several


@pytest.mark.slow
def test_a_huge_cluster_is_sampled():
    rng = np.random.default_rng(5)
    rows = [
        [f"i{item:03}" for item in np.flatnonzero(rng.random(120) < 0.06)] or ["i000"] for _ in range(3000)
    ]
    options = {"max_cluster_size": None, "rare_items": "cluster", "refine": False}
    release = cv.Disassociation(k=12, m=2, **options).anonymise(cv.Transactions.from_records(rows)).release
    assert (release.clusters, len(release.cluster(0).record_chunks) > 5) == (1, True)
    proof = prove(release, rng=rng)
    assert (proof.sampled, proof.exact) == (1, 0)
    assert proof.proofs[0].arrangements > 10**1000
    assert proof.error > 0


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"reading": "strict"}, "strict reading"),
        ({"utility_groups": [["a"]]}, "utility groups"),
        ({"persons": True}, "count persons"),
        ({"safe": "cover"}, "repaired"),
    ],
)
def test_nothing_is_proven_where_nothing_follows(release, changed, reason):
    other = replace(release, parameters={**release.parameters, **changed})
    proof = prove(other)
    (told,) = proof.undecided
    assert reason in told
    assert proof.undecided[told] > 0
    assert proof.proofs == ()
    if reason != "strict reading":  # a cover is one under this reading too
        assert (len(covers(other)), told in covers(other).undecided) == (0, True)


def test_a_cluster_that_the_method_cannot_make_is_told():
    """b and c never part and never fail: the method would not have cut between them."""
    data = cv.Transactions.from_records(FIGURE_3)
    release = cv.Disassociation(k=2, m=2, rare_items="cluster", refine=False).anonymise(data).release
    moved = replace(
        release,
        row_chunk=np.array([0, 0, 1, 1], np.int32),
        row_kind=np.zeros(4, np.int8),
        row_cluster=np.zeros(4, np.int64),
        row_joint=np.full(4, -1),
        row_offsets=np.array([0, 1, 2, 3, 4]),
        row_items=np.array([0, 0, 1, 1], np.int32),
        cluster_size=np.array([2]),
    )
    proof = prove(moved)
    assert (proof.impossible, proof.total("broken")) == (1, 0)


@pytest.mark.parametrize("wrong", [{"limit": 3}, {"budget": 0}, {"sure": 0.0}, {"sure": 1.1}])
def test_parameters_are_checked(release, wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        prove(release, **wrong)


@pytest.mark.data
def test_covers_of_a_public_data_set_are_found(data_dir):
    data = cv.read(data_dir / "transactions" / "BMS2.txt.gz")
    made = cv.Disassociation(k=3, m=2, max_cluster_size=25, rare_items="cluster", refine=True).anonymise(data)
    release = made.release
    found = covers(release)
    leaked = found.pairs()
    assert (len(found), len(leaked[0]), int(found.single.sum())) == (2827, 3105, 1458)
    # What was concluded from the release alone is true: the key says where each record is.
    cluster = np.full(len(data), -1)
    cluster[made.key.records] = made.key.record_cluster
    meetings = np.bincount(holders(found, data, cluster).leak, minlength=len(leaked[0]))
    assert 0 < meetings.max() < release.k
