"""The experiment on covers: its arithmetic, and that it runs."""

from __future__ import annotations

import pytest

from experiments.cover import Size, cover, growth, shown


def sizes(values):
    none = {"mean": 1.0, "low": 0.5, "high": 1.5}
    return [
        Size("data", size, dict.fromkeys(COUNTS, value), none, none, (0.1, 0.2, 0.3))
        for size, value in values
    ]


COUNTS = (
    "score", "score_by_chunk", "score_as_printed", "covers", "single", "pairs", "different_pairs", "everywhere",
    "clusters", "records",
)  # fmt: skip


def test_growth_knows_a_straight_line():
    straight = growth(sizes([(10, 100), (20, 200), (40, 400)]))["data, covers"]
    assert (straight["factor"], straight["sizes"]) == (4, 4)
    assert straight["linear"] == pytest.approx(1)
    bent = growth(sizes([(10, 100), (20, 400), (40, 100)]))["data, covers"]
    assert bent["linear"] < 0.5


def test_page_answers_from_the_figures():
    pytest.importorskip("altair")
    for values, answer in (
        ([(10, 100), (20, 200), (40, 400)], "Yes."),
        ([(10, 100), (20, 400), (40, 90)], "No."),
    ):
        files = shown(sizes(values), [])
        assert answer in files["cover.md"]
        assert files["cover/breaches.svg"].startswith("<svg")


def repair(safe, broken, enumerated, several):
    kept = dict.fromkeys(("items_kept", "pairs_kept", "tlost_only", "tkd", "re"), 0.5)
    counts = {"covers": 0, "broken_pairs": broken, "enumerated": enumerated, "several": several}
    return (
        {"data": "data", "size": 10, "safe": safe, "suppressed": 1, "occurrences": 100, "seconds": 0.1}
        | counts
        | kept
    )


def test_the_headline_tells_of_clusters_that_were_too_large_to_enumerate():
    pytest.importorskip("altair")
    rows = [
        repair("no", 7, 4, 12),
        repair("cover", 2, 5, 20),
        repair("cover", 1, 5, 8),
        repair("exact", 0, 3, 3),
    ]
    head = shown(sizes([(10, 100), (20, 400), (40, 90)]), rows)["cover.md"].split("## Covers against")[0]
    told = " ".join(head.split())
    assert "after `--safe cover` 3 pairs are broken in the 10 of 28 clusters" in told
    assert "the other 18 are too large, and nothing is proved of them" in told
    assert "after `--safe exact` 0 pairs are broken in the 3 of 3 clusters" in told


@pytest.mark.slow
@pytest.mark.data
def test_experiment_runs_on_small_samples(data_dir):
    files = cover(data_dir, lambda _step, _share: None, quick=True)
    assert files["cover.md"].count("| groceries |") > 3
    assert set(files) == {"cover.md", "cover.json", "cover/breaches.svg", "cover/time.svg"}


def words(text):
    return " ".join(text.split())


def test_how_many_clusters_are_touched_is_told_as_counted():
    pytest.importorskip("altair")
    falls, rises = (
        shown(sizes(values), [])["cover.md"] for values in (((10, 90), (20, 40)), ((10, 4), (20, 9)))
    )
    assert "clusters that covers touch falls on data (90 to 40)" in words(falls)
    assert "clusters that covers touch rises on data (4 to 9)" in words(rises)


@pytest.mark.parametrize(
    ("suppressed", "covers", "told"),
    [
        (1, 0, "Repair costs little: `--safe cover` removes every cover"),
        (3, 0, "Repair costs much: `--safe cover` removes every cover"),
        (1, 4, "Repair costs little: `--safe cover` leaves 4 covers"),
    ],
)
def test_the_price_of_repair_is_called_what_it_is(suppressed, covers, told):
    pytest.importorskip("altair")
    after = repair("cover", 0, 1, 1) | {"suppressed": suppressed, "covers": covers}
    page = shown(sizes([(10, 100), (20, 400), (40, 90)]), [repair("no", 1, 1, 1), after])["cover.md"]
    assert told in words(page)
