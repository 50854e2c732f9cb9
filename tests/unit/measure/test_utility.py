"""Utility measures on small releases whose values can be worked out by hand."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from cloven.data.taxonomy import Taxonomy
from cloven.data.transactions import Transactions
from cloven.errors import ParameterError
from cloven.kinds.disassociated.utility import items_kept, pairs_kept, terms_lost
from cloven.kinds.transactions import utility
from cloven.reconstruction import reconstruct_many
from cloven.statistics.intervals import Sampled
from cloven.statistics.mining import top_itemsets
from cloven.statistics.yardstick import error_pairs, relative_error, tkd, top_k_deviation

hand = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "reconstruct" / "hand_built.py")))
RECORDS = [["a", "b", "c"]] * 2 + [["a", "b", "x"]] * 2 + [["c"], ["a", "c", "y"]]
CLUSTERS = [(6, [[["a", "b"]] * 4 + [["a"]], [["c"]] * 4], ["x", "y"], None)]


def original():
    return Transactions.from_records(RECORDS)


def measure(release=None, **options):
    return utility(
        original(), release or hand.build(CLUSTERS), rng=np.random.default_rng(5), **{"top": 20, **options}
    )


def test_a_release_that_keeps_everything_scores_perfectly():
    release = hand.build([(6, [RECORDS], [], None)])
    report = measure(release)
    assert (report.tkd.mean, report.tkd_chunks, report.re.mean, report.re_chunks) == (0, 0, 0, 0)
    assert (report.items_kept, report.pairs_kept, report.tlost_only, report.tlost_any) == (1, 1, 0, 0)


def test_items_and_pairs_kept():
    release = hand.build(CLUSTERS)
    assert items_kept(original(), release) == pytest.approx(13 / 16)
    assert pairs_kept(original(), release) == pytest.approx(4 / 15)
    shared = hand.build([(6, CLUSTERS[0][1], ["y"], 0)], [(None, [[["x"]] * 2])])
    assert items_kept(original(), shared) == pytest.approx(15 / 16)
    assert pairs_kept(Transactions.from_records([["a"]]), hand.build([(1, [[["a"]]], [], None)])) == 1


def test_terms_lost_in_both_readings():
    two = [(3, [[["a"]] * 3], ["b"], None), (3, [[["b"]] * 3], ["x"], None)]
    data = Transactions.from_records(
        [["a", "b"]] * 2 + [["a"]] + [["b", "x"]] * 2 + [["b", "gone", "rare"], ["gone"]]
    )
    lost = terms_lost(data, hand.build(two, k=2))
    # a, b, x and gone have support 2 or more; x is only in a term chunk, b in one of two, gone nowhere.
    assert lost == (2 / 4, 3 / 4, 4)
    assert terms_lost(data, hand.build(two, k=99)) == (0, 0, 0)


def test_top_k_deviation_counts_what_is_missing():
    one = Transactions.from_records([["a", "b"]] * 3 + [["c"]])
    two = Transactions.from_records([["a"]] * 3 + [["b"]] * 2 + [["c"]])
    assert tkd(one, two, 3) == pytest.approx(1 / 3)
    assert tkd(one, one, 3) == 0
    assert top_k_deviation(top_itemsets(Transactions.from_records([])), top_itemsets(one)) == 0


def test_error_pairs_come_from_the_middle_of_the_order():
    many = Transactions.from_records([[f"{item:03}" for item in range(250 - start)] for start in range(250)])
    names = {name for pair in error_pairs(many) for name in pair}
    assert names == {f"{item:03}" for item in range(199, 220)}
    assert len(error_pairs(many)) == 210
    few = Transactions.from_records([[f"{item:03}" for item in range(30 - start)] for start in range(30)])
    assert {name for pair in error_pairs(few) for name in pair} == {f"{item:03}" for item in range(5, 25)}
    assert len(error_pairs(original())) == 10


def test_relative_error_leaves_out_pairs_that_are_zero_twice():
    assert relative_error(np.array([0, 0]), np.array([0, 0])) == (None, 0)
    assert relative_error(np.array([3, 0, 0]), np.array([1, 0, 5])) == (1.5, 2)


def test_chunk_only_measures_use_certain_supports():
    report = measure()
    # Of the pairs a-b is kept (4, 4); a-c, b-c, a-x, b-x, a-y and c-y have no certain support.
    assert report.re_chunks == pytest.approx(2 * 6 / 7)
    assert report.re_pairs_chunks == 7
    # Certain are a, b, c, ab, x and y; all of them occur in the original.
    occurring = len(top_itemsets(original(), 100))
    assert report.top == occurring
    assert report.tkd_chunks == pytest.approx(1 - 6 / occurring)


def test_t_interval():
    sampled = Sampled.of([0.4, 0.5, 0.6])
    # Student's t with 2 degrees of freedom: 4.3027 standard errors.
    assert sampled.low == pytest.approx(0.5 - 4.3027 * 0.1 / 3**0.5, abs=1e-4)
    assert sampled.high == pytest.approx(0.5 + 4.3027 * 0.1 / 3**0.5, abs=1e-4)
    assert Sampled.of([0.0, 1.0]).low == 0


def test_levels_of_a_taxonomy_are_mined_together():
    taxonomy = Taxonomy.from_rows([[item, "early" if item < "m" else "late", "*"] for item in "abcxy"])
    report = measure(taxonomy=taxonomy)
    assert measure().tkd_ml2 is None

    def with_groups(records):
        return Transactions.from_records({*r, *("early" if i < "m" else "late" for i in r)} for r in records)

    worlds = reconstruct_many(hand.build(CLUSTERS), 5, np.random.default_rng(5))
    assert report.tkd_ml2.values == tuple(tkd(with_groups(RECORDS), with_groups(w), 20) for w in worlds)
    perfect = measure(hand.build([(6, [RECORDS], [], None)]), taxonomy=taxonomy)
    assert perfect.tkd_ml2.mean == 0


def test_suppressed_records_are_reported():
    report = measure(suppressed_records=3)
    assert (report.suppressed_records, report.suppressed_share) == (3, 0.5)
    with pytest.raises(ParameterError, match="between 0 and 6, got 7"):
        measure(suppressed_records=7)
