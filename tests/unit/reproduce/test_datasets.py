"""The page on public data says how its releases were made."""

from __future__ import annotations

from pathlib import Path

from experiments.datasets import _HEAD, AS_PAPERS, in_words

RESULTS = Path(__file__).parents[3] / "docs" / "results"


def test_the_page_of_public_data_says_that_its_settings_are_not_the_defaults():
    page = (RESULTS / "datasets.md").read_text(encoding="utf-8")
    assert page.startswith(_HEAD)
    assert f"## The releases ({in_words(AS_PAPERS)})\n" in page
