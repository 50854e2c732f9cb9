"""Every public data set: anonymised, verified at all levels, and known facts of the data."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cloven.kinds.disassociated.counts import told
from cloven.kinds.disassociated.likely import Tails, spread
from cloven.kinds.disassociated.measured_tails import by_support, from_records, tails_on, truth
from cloven.kinds.disassociated.methods import Disassociation
from cloven.kinds.disassociated.release import Kind
from cloven.kinds.known_items import candidates
from cloven.kinds.person_items import person_items
from cloven.kinds.transactions import utility
from cloven.verification import verify
from experiments.harness.data import PUBLIC_DATA

pytestmark = [pytest.mark.data, pytest.mark.slow]


@pytest.mark.slow
@pytest.mark.parametrize("rare", ["cluster", "withhold", "list"])
@pytest.mark.parametrize("name", PUBLIC_DATA)
def test_release_holds_and_is_worth_something(name, rare, data_dir):
    data = PUBLIC_DATA[name].load(data_dir)
    result = Disassociation(rare_items=rare, refine=rare == "cluster").anonymise(data)
    verdict = verify(result.release, original=data, key=result.key)
    assert verdict.ok, str(verdict)
    assert result.release.records == len(data)
    measured = utility(data, result.release, rng=np.random.default_rng(1), reconstructions=1)
    assert measured.items_kept > 0.7
    assert measured.tkd.mean < 0.4


@pytest.mark.parametrize("name", PUBLIC_DATA)
def test_no_item_of_public_data_is_taken_for_a_name_of_persons(name, data_dir):
    assert not person_items(PUBLIC_DATA[name].load(data_dir))


@pytest.mark.parametrize("small", ["add", "abandon", "suppress", "remaining"])
@pytest.mark.parametrize("rare", ["cluster", "withhold", "list"])
def test_strategies_on_a_click_stream(small, rare, data_dir):
    data = PUBLIC_DATA["BMS-WebView-1"].load(data_dir)
    result = Disassociation(small_clusters=small, max_cluster_size=30, rare_items=rare).anonymise(data)
    verdict = verify(result.release, original=data, key=result.key)
    assert verdict.ok, str(verdict)
    sizes = result.release.cluster_size
    if small == "abandon":
        # Giving splits up leaves three quarters of the records in oversize clusters, the largest of 1,652.
        assert sizes.max() == 1_652
        assert 0.7 < sizes[sizes > 30].sum() / len(data) < 0.8


@pytest.mark.parametrize("rare", ["cluster", "withhold", "list"])
def test_whoever_knows_two_items_keeps_k_candidates(rare, data_dir):
    data = PUBLIC_DATA["groceries"].load(data_dir)
    release = Disassociation(k=5, m=2, rare_items=rare).anonymise(data).release
    rng = np.random.default_rng(2)
    for record in rng.choice(np.flatnonzero(data.lengths >= 2), 300):
        known = rng.choice(sorted(data[int(record)]), 2, replace=False).tolist()
        assert candidates(release, known).candidates >= 5


@pytest.mark.parametrize("rare", ["cluster", "withhold", "list"])
def test_utility_groups_of_the_health_records(rare, data_dir):
    data = PUBLIC_DATA["ICD-9"].load(data_dir)
    groups = json.loads((data_dir / "ehr" / "icd9_utility_constraints.json").read_text())
    of = {code: name for name, codes in groups.items() for code in codes}
    method = Disassociation(utility_groups=tuple(map(tuple, groups.values())), rare_items=rare)
    result = method.anonymise(data)
    assert verify(result.release, original=data, key=result.key).ok
    for cluster in result.release.iter_clusters():
        for chunk in cluster.record_chunks:
            assert len({of.get(item) for row in chunk for item in row}) == 1


@pytest.mark.parametrize("rare", ["cluster", "withhold", "list"])
def test_one_cluster_of_everything(rare, data_dir):
    """Bitsets and row walks as wide as the data."""
    data = PUBLIC_DATA["BMS-WebView-2"].load(data_dir)
    result = Disassociation(max_cluster_size=None, rare_items=rare).anonymise(data)
    assert result.release.clusters == 1
    assert verify(result.release, original=data, key=result.key).ok


@pytest.mark.parametrize("name", ["groceries", "BMS-WebView-1"])
@pytest.mark.parametrize("size", [2, 3])
def test_likely_counts_that_an_owner_measured_hold_what_they_say(name, size, data_dir):
    """A quick look at what docs/results/likely-counts.md shows of seven data sets."""
    data = PUBLIC_DATA[name].load(data_dir)
    release = Disassociation().anonymise(data).release
    tails = Tails(size, *tails_on(data, release, size, np.random.default_rng(1), 4_000), measured=True)
    rng = np.random.default_rng(2)
    sets = np.concatenate([draw(data, release, size, 2_000, rng) for draw in (from_records, by_support)])
    true = truth(data, release, sets)
    _, low, high = spread(told(release, sets), tails)
    assert 0.93 <= np.mean((low <= true) & (true <= high)) <= 0.97


@pytest.mark.parametrize(
    ("most", "fewer_items", "fewer_pairs"), [(20_000, 0.004, 0.009), (5_000, 0.010, 0.026)]
)
@pytest.mark.parametrize("name", PUBLIC_DATA)
def test_blocks_cost_what_the_page_says(name, most, fewer_items, fewer_pairs, data_dir):
    """docs/explanation/disassociation.md, of items and pairs in record chunks."""
    data = PUBLIC_DATA[name].load(data_dir)
    kept = []
    for block_records in (1_000_000, most):
        release = Disassociation(block_records=block_records).anonymise(data).release
        lengths = np.diff(release.row_offsets)[release.row_kind == Kind.RECORD]
        kept.append(np.array([lengths.sum(), (lengths * (lengths - 1) // 2).sum()]))
    whole, cut = kept
    assert (cut >= whole * (1 - np.array([fewer_items, fewer_pairs]))).all()
