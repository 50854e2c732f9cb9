"""The experiment on covers: its arithmetic, and that it runs."""

from __future__ import annotations

import pytest

from cloven.reproduce.cover import cover, growth, shown
from cloven.reproduce.cover_runs import Size


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


@pytest.mark.slow
@pytest.mark.data
def test_experiment_runs_on_small_samples(data_dir):
    files = cover(data_dir, lambda _step, _share: None, quick=True)
    assert files["cover.md"].count("| groceries |") > 3
    assert set(files) == {"cover.md", "cover.json", "cover/breaches.svg", "cover/time.svg"}
