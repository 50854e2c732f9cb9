"""The experiment on covers: its arithmetic, and that it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.cover import Size, cover, growth, shown

NONE = {"mean": 1.0, "low": 0.5, "high": 1.5}


def sizes(values, **others):
    """A value for every count at each size; some counts may have values of their own."""
    return [
        Size(
            "data", size, dict.fromkeys(COUNTS, value) | {name: own[place] for name, own in others.items()},
            NONE, NONE, (0.1, 0.2, 0.3),
        )
        for place, (size, value) in enumerate(values)
    ]  # fmt: skip


COUNTS = (
    "score", "score_by_chunk", "score_as_printed", "covers", "single", "pairs", "different_pairs", "everywhere",
    "clusters", "records",
)  # fmt: skip
PAGE = Path(__file__).parents[3].joinpath("docs", "results", "cover.md").read_text(encoding="utf-8")


def words(text):
    return " ".join(text.split())


def test_growth_knows_a_straight_line():
    straight = growth(sizes([(10, 100), (20, 200), (40, 400)]))["data, covers"]
    assert (straight["factor"], straight["sizes"]) == (4, 4)
    assert straight["linear"] == pytest.approx(1)
    bent = growth(sizes([(10, 100), (20, 400), (40, 100)]))["data, covers"]
    assert bent["linear"] < 0.5


def test_page_answers_from_the_figures():
    pytest.importorskip("altair")
    for values, answer in (
        ([(10, 100), (20, 200), (40, 400)], "Counted in records, yes; in covers, score and pairs, yes."),
        ([(10, 100), (20, 400), (40, 90)], "Counted in records, no; in covers, score and pairs, no."),
    ):
        files = shown(sizes(values), [])
        assert answer in files["cover.md"]
        assert files["cover/breaches.svg"].startswith("<svg")


def test_the_answer_looks_at_records_in_which_the_paper_counts():
    pytest.importorskip("altair")
    bent = [(10, 100), (20, 400), (40, 90)]
    records = words(shown(sizes(bent, records=(100, 210, 390)), [])["cover.md"])
    assert "Counted in records, yes; in covers, score and pairs, no." in records
    assert "of the records in 1 of 1 series, and 1 of 1 grow" in records
    assert "They grow almost by construction" in records
    score = words(shown(sizes(bent, score=(100, 210, 390)), [])["cover.md"])
    assert "Counted in records, no; in covers, score and pairs, in part." in score


def published():
    """What the page in docs/results says of each maximum size; its table rounds nothing that is counted."""
    columns = ("covers", "single", "pairs", "everywhere", "clusters", "records", "score")
    table = PAGE.split("## Covers against")[1].split("## The price")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if "|" in line]
    return [
        Size(
            row[0], int(row[1]),
            dict(zip(columns, (int(cell.replace(",", "")) for cell in row[2:9]), strict=True)),
            NONE, NONE, (0.1, 0.2, 0.3),
        )
        for row in rows[2:]
    ]  # fmt: skip


def test_the_published_answer_is_what_the_published_table_gives():
    pytest.importorskip("altair")
    found = published()
    assert len({one.data for one in found}) == 4
    fresh = shown(found, [])["cover.md"].split("## Do breaches")[1].split("## Covers against")[0]
    assert PAGE.split("## Do breaches")[1].startswith(fresh.rstrip())


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


def test_how_many_clusters_are_touched_is_told_as_counted():
    pytest.importorskip("altair")
    falls, rises = (
        shown(sizes(values), [])["cover.md"] for values in (((10, 90), (20, 40)), ((10, 4), (20, 9)))
    )
    assert "clusters that covers touch falls on data (90 to 40, at most 90)" in words(falls)
    assert "clusters that covers touch rises on data (4 to 9, at most 9)" in words(rises)


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
