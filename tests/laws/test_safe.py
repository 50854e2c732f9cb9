"""Laws of safe disassociation: no cover is left, nothing else is lost, and the price is known."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import RARE_ITEMS, skewed_records

import cloven as cv
from cloven.kinds.disassociated.covers.covers import covers
from cloven.kinds.disassociated.covers.worlds import broken, how_many_arrangements, possible_worlds
from cloven.kinds.disassociated.methods.repair import MOST
from tests.effort import tries

FIGURE_1 = [
    {"Oncologist", "Treatment", "Cancer", "Surgery", "Side Effects"},
    {"Oncologist", "Treatment", "Cancer", "Surgery", "Side Effects", "Vomiting"},
    {"Oncologist", "Treatment", "Cancer", "Nausea"},
    {"Treatment", "Surgery", "Side Effects"},
    {"Oncologist", "Treatment", "Cancer", "Chemotherapy"},
    {"Oncologist", "Surgery"},
]
FIGURE_3 = [{"a", "b", "c"}, {"a", "b", "c", "e"}, {"a", "e"}, {"b"}]
COVERED_FOR_THOSE_WHO_KNOW_TIES = ["abcd", "b", "bcd", "ad", "ac", "b"]
BROKEN_WITHOUT_A_COVER = ["bf", "d", "c", "bdf", "adf", "c", "a"]


def data_of(rows):
    return cv.Transactions.from_records([sorted(row) for row in rows])


def found_covers(release):
    """Covers as if nothing had been repaired."""
    plain = {name: value for name, value in release.parameters.items() if name != "safe"}
    return covers(replace(release, parameters=plain))


def broken_pairs(release, limit=MOST, ties="text"):
    """Pairs that no enumerated method-level world joins k times, by cluster; ties are known, the worse case."""
    worlds = enumerated(release, limit, ties)
    return {number: broken(found, release.k) for number, found in worlds.items()}


def enumerated(release, limit=MOST, ties="text"):
    """Method-level worlds of the clusters that can be enumerated."""
    return {
        number: possible_worlds(cluster, release.k, release.m, ties=ties, limit=limit)
        for number, cluster in enumerate(release.iter_clusters())
        if len(cluster.record_chunks) > 1 and how_many_arrangements(cluster) <= limit
    }


def test_figure_1_loses_one_occurrence_or_two():
    """Dropping Oncologist from one full row clears both covers and keeps the chunk 3^2-anonymous.

    Dropping Treatment does not: it is then as frequent as Surgery and comes after it, so that a reader who knows the
    order of ties finds Cancer covered by Oncologist alone.
    """
    data = data_of(FIGURE_1)
    seen = set()
    for seed in range(12):
        made = cv.Disassociation(
            k=3, m=2, rare_items="cluster", refine=False, safe="cover", seed=seed
        ).anonymise(data)
        assert not len(found_covers(made.release))
        assert set(made.key.suppressed_reason) == {"cover"}
        seen.add(tuple(sorted(item for items in made.key.suppressed_items for item in items)))
        worlds = possible_worlds(made.release.cluster(0), 3, 2, "release")
        assert max(worlds.together("Surgery", "Cancer")) >= 3
    assert ("Oncologist",) in seen
    assert max(map(len, seen)) == 2


def test_figure_3_has_to_move_the_item():
    made = cv.Disassociation(k=2, m=2, rare_items="cluster", refine=False, safe="cover").anonymise(
        data_of(FIGURE_3)
    )
    assert made.release.cluster(0).term_chunk == ("e",)
    assert made.key.suppressed_items == ()


def test_an_item_as_frequent_as_all_of_i_is_moved():
    """Suppressing two would make them rarer than e, and leave the set that e was tried against."""
    data = data_of(map(set, ["ab", "ab", "ab", "abe", "e", "e", "e"]))
    made = cv.Disassociation(k=2, m=2, rare_items="cluster", refine=False, safe="cover").anonymise(data)
    assert made.key.suppressed_items == ()
    assert made.release.cluster(0).term_chunk == ("e",)


def broken_names(rows, safe):
    release = (
        cv.Disassociation(k=2, m=2, rare_items="cluster", refine=False, safe=safe)
        .anonymise(data_of(map(set, rows)))
        .release
    )
    assert not len(found_covers(release))
    return sorted("".join(sorted(pair)) for pairs in broken_pairs(release).values() for pair in pairs)


def test_no_cover_is_not_yet_no_broken_pair():
    """Nothing is covered in either example, but no world that the method would cut alike joins the pair twice."""
    assert broken_names(COVERED_FOR_THOSE_WHO_KNOW_TIES, "no") == ["ab"]
    assert broken_names(COVERED_FOR_THOSE_WHO_KNOW_TIES, "cover") == []
    assert broken_names(BROKEN_WITHOUT_A_COVER, "no") == ["ac", "bc"]
    assert broken_names(BROKEN_WITHOUT_A_COVER, "cover") == ["ac", "bc"]
    assert broken_names(BROKEN_WITHOUT_A_COVER, "exact") == []


def chunks_in_order(release):
    """Whether the method could have opened the record chunks in the order in which they stand."""
    for cluster in release.iter_clusters():
        counts = [Counter(item for row in chunk for item in row) for chunk in cluster.record_chunks]
        openers = [min((-count, item) for item, count in chunk.items()) for chunk in counts]
        if openers != sorted(openers):
            return False
    return True


def test_order_of_chunks_does_not_show_what_was_suppressed():
    """If b and c lost one occurrence each, a would have been tried before them: a reader could put both back."""
    data = data_of(map(set, ["abc", "bc", "bc", "bc", "a", "ad"]))
    for safe in ("cover", "exact"):
        made = cv.Disassociation(k=2, m=2, rare_items="cluster", refine=False, safe=safe, seed=1).anonymise(
            data
        )
        assert chunks_in_order(made.release)
        assert made.release.cluster(0).term_chunk == ("a", "d")
        assert made.key.suppressed_items == ()


def test_order_of_chunks_does_not_show_what_was_moved():
    """Items of the second chunk go; what is left of it is rarer than the third, and now stands after it."""
    data = data_of(map(set, ["abeg", "adef", "adfg", "d", "bg", "be", "bd"]))
    made = cv.Disassociation(k=2, m=2, rare_items="cluster", refine=False, safe="cover", seed=0).anonymise(
        data
    )
    assert len(made.release.cluster(0).term_chunk) > 0
    assert chunks_in_order(made.release)


DATA = {
    "rows": skewed_records(min_records=8, max_records=60, n_items=9),
    "k": st.integers(2, 4),
    "m": st.integers(2, 3),
}


@pytest.mark.parametrize("reading", ["occurring", "strict"])
@settings(max_examples=tries(150))
@given(**DATA, refine=st.booleans(), rare=st.sampled_from(RARE_ITEMS))
@example(rows=FIGURE_1, k=3, m=2, refine=True, rare="cluster")
@example(rows=FIGURE_1, k=3, m=2, refine=True, rare="withhold")
def test_no_cover_is_left_and_everything_verifies(reading, rows, k, m, refine, rare):
    data = data_of(rows)
    method = cv.Disassociation(
        k=k,
        m=m,
        max_cluster_size=2 * k + 3,
        refine=refine,
        reading=reading,
        rare_items=rare,
        safe="cover",
    )
    made = method.anonymise(data)
    assert not len(found_covers(made.release))
    assert chunks_in_order(made.release)
    verdict = cv.verify(made.release, original=data, key=made.key)
    assert verdict.ok, str(verdict)
    assert set(made.key.suppressed_reason) <= {"cover"} | ({"rare"} if rare == "withhold" else set())
    assert made.release.parameters["safe"] == "cover"
    assert not made.release.parameters["seeded"]


@settings(max_examples=tries(60))
@given(**DATA, rare=st.sampled_from(RARE_ITEMS))
def test_after_exact_no_enumerable_world_is_broken(rows, k, m, rare):
    data = data_of(rows)
    method = cv.Disassociation(k=k, m=m, max_cluster_size=2 * k, rare_items=rare, refine=False, safe="exact")
    made = method.anonymise(data)
    assert not len(found_covers(made.release))
    assert all(len(worlds) for worlds in enumerated(made.release).values()), "none would show the repair"
    assert not any(broken_pairs(made.release).values())
    assert not any(broken_pairs(made.release, ties="some").values())
    assert cv.verify(made.release, original=data, key=made.key).ok


@pytest.mark.parametrize("size", [6, 10, 40])
def test_exact_says_of_how_many_clusters_nothing_is_shown(size, tmp_path):
    """A number that follows from what is published: whoever reads the release back counts the same."""
    data = cv.sample("clinic")
    made = cv.Disassociation(k=3, m=2, max_cluster_size=size, safe="exact").anonymise(data)
    cv.write_release(made, tmp_path / "out", original=data)
    release = cv.read_release(tmp_path / "out")
    several = {n for n, cluster in enumerate(release.iter_clusters()) if len(cluster.record_chunks) > 1}
    left = len(several - set(enumerated(release)))
    assert release.parameters["clusters_not_enumerated"] == left
    assert (left > 0) == (size > 6)
    assert cv.verify(release, original=data).ok


@pytest.mark.parametrize(
    ("safe", "count"),
    [("exact", None), ("exact", -1), ("exact", True), ("exact", 1.0), ("exact", "3"),
     ("exact", 2), ("cover", 0), ("cover", 1)],
)  # fmt: skip
@pytest.mark.parametrize("form", ["parquet", "json"])
def test_a_count_that_cannot_be_is_refused_where_it_is_read(safe, count, form, tmp_path):
    """The release has one cluster; who says exact says the number, and nobody else does."""
    made = cv.Disassociation(k=3, m=2, safe="exact").anonymise(data_of(FIGURE_1))
    assert made.release.clusters == 1
    out = tmp_path / ("out.json" if form == "json" else "out")
    cv.write_release(made, out, format=form)
    cv.read_release(out)
    file = out if form == "json" else out / "manifest.json"
    document = json.loads(file.read_text())
    told = (document["manifest"] if form == "json" else document)["parameters"]
    told["safe"] = safe
    told["clusters_not_enumerated"] = count
    if count is None:
        del told["clusters_not_enumerated"]
    file.write_text(json.dumps(document))
    with pytest.raises(cv.ReleaseError, match="clusters_not_enumerated should be"):
        cv.read_release(out)


def test_what_cover_leaves_is_counted():
    """Random clusters: the cover test misses some broken pairs, which exact repairs."""
    rng = np.random.default_rng(5)
    left = {"no": 0, "cover": 0, "exact": 0}
    for _ in range(60):
        rows = [set(rng.choice(list("abcdef"), rng.integers(1, 5), replace=False).tolist()) for _ in range(7)]
        for safe in left:
            release = (
                cv.Disassociation(k=2, m=2, rare_items="cluster", refine=False, safe=safe)
                .anonymise(data_of(rows))
                .release
            )
            left[safe] += sum(map(len, broken_pairs(release).values()))
    assert left["no"] > left["cover"] > left["exact"] == 0


def test_a_seed_repeats_and_marks():
    data = data_of(FIGURE_1)
    made = [
        cv.Disassociation(k=3, m=2, rare_items="cluster", refine=True, safe="cover", seed=seed % 8).anonymise(
            data
        )
        for seed in range(16)
    ]
    assert [each.release for each in made[:8]] == [each.release for each in made[8:]]
    assert any(each.release != made[0].release for each in made)
    assert not cv.verify(made[0].release).ok
    assert cv.verify(made[0].release, allow_seeded=True).ok


def test_without_a_seed_lots_differ():
    data = data_of(FIGURE_1)
    seen = {
        cv.Disassociation(k=3, m=2, rare_items="cluster", refine=False, safe="cover")
        .anonymise(data)
        .key.suppressed_items
        for _ in range(40)
    }
    assert len(seen) > 1


def test_bad_values_are_refused():
    with pytest.raises(cv.ParameterError, match="safe must be one of no, cover, exact"):
        cv.Disassociation(safe="yes")
    with pytest.raises(cv.ParameterError, match="seed must be a whole number"):
        cv.Disassociation(safe="cover", seed=-1)
    data = cv.sample("clinic")
    twice = replace(data, persons=np.arange(len(data)) // 2)
    with pytest.raises(cv.ParameterError, match="several records of one person"):
        cv.Disassociation(safe="cover").anonymise(twice)


@pytest.mark.parametrize(
    ("more", "caught"),
    [
        ([["Surgery"]], {"number of records"}),
        ([["Surgery", "Rare"]], {"number of records", "items kept"}),
    ],
)
def test_repair_excuses_missing_occurrences_only(more, caught):
    """It suppresses occurrences; records and items that are not published are lost, with or without the key."""
    made = cv.Disassociation(k=3, m=2, rare_items="cluster", refine=False, safe="cover").anonymise(
        data_of(FIGURE_1)
    )
    verdict = cv.verify(made.release, original=data_of([*FIGURE_1, *more]))
    assert {check.name for check in verdict.checks if not check.passed} == caught
