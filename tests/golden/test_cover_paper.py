"""The examples of Barakat et al. 2016 (Figs. 1 and 3) and the readings of their Algorithm 1."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import cloven as cv
from cloven.kinds.disassociated.covers.breaches import (
    Moderate,
    Strong,
    WeakWords,
    breaches,
    holders,
    simulate,
)
from cloven.kinds.disassociated.covers.covers import covers
from cloven.kinds.disassociated.covers.proof import prove
from cloven.kinds.disassociated.covers.worlds import broken, possible_worlds
from tests.laws.plain_breach import pair

FIGURE_1 = [
    ["Oncologist", "Treatment", "Cancer", "Surgery", "Side Effects", "Vomiting"],
    ["Oncologist", "Treatment", "Cancer", "Surgery", "Side Effects", "Nausea"],
    ["Oncologist", "Treatment", "Cancer"],
    ["Treatment", "Surgery", "Side Effects", "Chemotherapy"],
    ["Oncologist", "Treatment", "Cancer"],
    ["Oncologist", "Surgery"],
]
# The picture of Fig. 3 is not printed as text; these four records are all that its text fixes.
FIGURE_3 = [["a", "b", "c"], ["a", "b", "c", "e"], ["a", "e"], ["b"]]


def released(records, k):
    return (
        cv.Disassociation(k=k, m=2, rare_items="cluster", refine=False)
        .anonymise(cv.Transactions.from_records(records))
        .release
    )


@pytest.fixture(scope="module")
def figure_1():
    return released(FIGURE_1, 3)


@pytest.fixture(scope="module")
def figure_3():
    return released(FIGURE_3, 2)


def test_figure_1b_is_what_the_method_makes(figure_1):
    cluster = figure_1.cluster(0)
    full = ("Cancer", "Oncologist", "Treatment")
    assert Counter(cluster.record_chunks[0]) == {full: 4, ("Treatment",): 1, ("Oncologist",): 1}
    assert Counter(cluster.record_chunks[1]) == {("Side Effects", "Surgery"): 3, ("Surgery",): 1}
    assert cluster.term_chunk == ("Chemotherapy", "Nausea", "Vomiting")


def test_figure_1_has_two_covers_not_one(figure_1):
    """The paper mentions that of Side Effects only."""
    found = list(covers(figure_1))
    assert {cover.item for cover in found} == {"Surgery", "Side Effects"}
    for cover in found:
        assert (cover.cluster, cover.chunk, cover.earlier) == (0, 1, 0)
        assert cover.covered == ("Cancer",)
        assert set(cover.covering) == {"Oncologist", "Treatment"}
    assert not covers(figure_1).single.any()


def test_figure_1_worlds(figure_1):
    cluster = figure_1.cluster(0)
    assert len(possible_worlds(cluster, 3, 2, "release")) == 60
    worlds = possible_worlds(cluster, 3, 2, "method")
    assert (len(worlds), worlds.exact, worlds.arrangements) == (24, True, 60)
    assert set(worlds.together("Surgery", "Cancer")) == {2}
    assert set(worlds.together("Side Effects", "Cancer")) == {1, 2}
    # Nothing excludes three of them at release level: the promise itself is kept.
    assert max(possible_worlds(cluster, 3, 2, "release").together("Surgery", "Cancer")) == 4


def test_figure_1_conclusions(figure_1):
    worlds = possible_worlds(figure_1.cluster(0), 3, 2)
    assert set(broken(worlds, 3)) == {("Cancer", "Surgery"), ("Cancer", "Side Effects")}
    told = pair(worlds, "Cancer", "Side Effects")
    # Whoever knows Cancer and Side Effects of somebody knows all that the record chunks hold of this person.
    assert told.certain == told.possible == {"Cancer", "Oncologist", "Side Effects", "Surgery", "Treatment"}
    told = pair(worlds, "Cancer", "Surgery")
    assert set(worlds.together("Cancer", "Surgery")) == {told.most} == {2}
    assert told.certain == {"Cancer", "Oncologist", "Surgery", "Treatment"} < told.possible


def test_figure_1_whole_release(figure_1):
    proof = prove(figure_1)
    assert (proof.exact, proof.sampled, proof.too_large, proof.alone) == (1, 0, 0, 0)
    (cluster,) = proof.proofs
    assert set(cluster.broken) == {("Cancer", "Surgery"), ("Cancer", "Side Effects")}
    assert (cluster.worlds, cluster.pairs, cluster.by_cover) == (24, 6, 2)
    assert (cluster.linked, cluster.linked_records) == (2, 2)
    assert (cluster.found, cluster.found_records) == (1, 1)


def test_figure_3(figure_3):
    (cover,) = covers(figure_3)
    assert (cover.item, cover.covered, set(cover.covering)) == ("e", ("c",), {"a", "b"})
    cluster = figure_3.cluster(0)
    every, valid = possible_worlds(cluster, 2, 2, "release"), possible_worlds(cluster, 2, 2, "method")
    assert (len(every), len(valid)) == (6, 5)
    # The paper says "c and b"; it must be c and e, as its own sentence before says.
    assert max(valid.together("c", "e")) == 1
    assert broken(valid, 2) == [("c", "e")]
    (excluded,) = [world for world in every.worlds if world not in valid.worlds]
    assert excluded["e"] == excluded["c"]


def test_readings_of_algorithm_1(figure_1, figure_3):
    found = breaches(covers(figure_1))
    assert (found.score_as_printed, found.score, found.score_by_chunk) == (1, 1, 2)
    assert (found.covers, found.pairs, found.everywhere, found.clusters, found.records) == (2, 2, 2, 1, 6)
    found = breaches(covers(figure_3))
    assert (found.score_as_printed, found.score, found.score_by_chunk, found.covers) == (1, 1, 1, 1)


def test_records_that_hold_a_leaked_pair(figure_1):
    data = cv.Transactions.from_records(FIGURE_1)
    found = covers(figure_1)
    assert breaches(found, holders=holders(found, data)).holders == 2  # r1 and r2


def test_attackers_of_the_paper(figure_1):
    data, found, rng = cv.Transactions.from_records(FIGURE_1), covers(figure_1), np.random.default_rng(1)
    assert simulate(found, Strong(), data, rng)["score"].mean == 1
    moderate = simulate(found, Moderate(0.5), data, rng, draws=300)
    # r1 and r2 are each known in half of the draws, by one of 15 pairs, of which two are leaked: 0.13 on average.
    assert 0.06 < moderate["covers"].mean < 0.21
    assert moderate["covers"].low < moderate["covers"].mean < moderate["covers"].high
    weak = WeakWords([f"word {number}" for number in range(50)], items=4)
    known = weak.draw(figure_1, data, rng)
    assert len(known) <= 6  # of the 91 pairs of 4 items and 10 words, only those of items can ever match
    assert len(WeakWords(["x"] * 3, words=1).dictionary) == 1
