"""How unknown words are looked up."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from cloven.relatedness.ladder import Ladder, spelled_by_rule
from cloven.relatedness.vector_files import WordIndex
from cloven.relatedness.wordnet_files import WordNetFiles

world = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("wordnet_world.py"))))

WORDS = ["lung", "tumor", "biopsy", "catheterization", "New_York", "x-ray", "armpit", "of", "mi", "bleed"]


@pytest.fixture
def wordnet(tmp_path):
    return WordNetFiles(world.write(tmp_path / "wordnet"))


def served(ladder, *items):
    """Rung and words that served each item."""
    found = ladder.look_up(items, WordIndex.of(WORDS).find)
    groups = [[WORDS[row] for row in rows] for rows in np.split(found.rows, found.offsets[1:-1])]
    names = [found.names[rung] if rung >= 0 else None for rung in found.rung]
    return list(zip(names, groups, strict=True))


@pytest.mark.parametrize(
    ("item", "rung", "words"),
    [
        ("lung", "exact", ["lung"]),
        ("New York", "exact", ["New_York"]),
        ("x ray", "exact", ["x-ray"]),
        ("X-Ray", "lower case", ["x-ray"]),
        ("Lung", "lower case", ["lung"]),
        ("biopsies", "lemma", ["biopsy"]),
        ("X-rays", "lemma", ["x-ray"]),
        ("tumour", "spelling", ["tumor"]),
        ("Tumours", "spelling", ["tumor"]),
        ("catheterisation", "spelling", ["catheterization"]),
        ("lung tumours", "parts", ["lung", "tumor"]),
        ("tumour-of_the_lungs", "parts", ["tumor", "lung"]),
        ("tumor (lung)", "parts", ["tumor", "lung"]),
        ("lung zzyzx", "some parts", ["lung"]),
        ("zzyzx", None, []),
        ("for the", None, []),
        ("---", None, []),
        ("", None, []),
    ],
)
@pytest.mark.parametrize("simplemma", [True, False])
def test_each_rung_without_wordnet(monkeypatch, item, rung, words, simplemma):
    if not simplemma:
        monkeypatch.setitem(sys.modules, "simplemma", None)  # importing it now raises
    assert served(Ladder(), item) == [(rung, words)]


@pytest.mark.parametrize(
    ("item", "rung", "words"),
    [
        ("bled", "lemma", ["bleed"]),
        ("catheterisation", "spelling", ["catheterization"]),
        ("catheterisations", "spelling", ["catheterization"]),
        ("tumour", "spelling", ["tumor"]),  # WordNet does not know it here: by rule
        ("axilla", "synonym", ["armpit"]),  # not "mi", which is an abbreviation in WordNet
        ("lung catheterisations", "parts", ["lung", "catheterization"]),
        ("zzyzx", None, []),
    ],
)
def test_each_rung_with_wordnet(wordnet, item, rung, words):
    assert served(Ladder(wordnet), item) == [(rung, words)]


def test_rules_leave_words_alone_that_wordnet_knows(tmp_path):
    """By rule, "honor" could be "honour"; WordNet knows it and names no other spelling."""
    index = WordIndex.of(["honour"])
    knows = WordNetFiles(world.write(tmp_path / "wordnet", {"honor": ([], "")}))
    assert Ladder().look_up(["honor"], index.find).rows.tolist() == [0]
    assert Ladder(knows).look_up(["honor"], index.find).rows.tolist() == []


def test_exact_only():
    found = served(Ladder(exact_only=True), "lung", "Lung", "lung tumor")
    assert found == [("exact", ["lung"]), (None, []), (None, [])]


def test_an_item_takes_the_same_way_in_any_company(wordnet):
    items = ["lung", "Tumours", "lung biopsies", "axilla", "zzyzx", "X ray"]
    alone = [served(Ladder(wordnet), item)[0] for item in items]
    assert served(Ladder(wordnet), *items) == alone
    assert served(Ladder(wordnet), *reversed(items)) == alone[::-1]


@pytest.mark.parametrize(
    ("one", "other"),
    [("catheterisation", "catheterization"), ("haemorrhage", "hemorrhage"), ("labelling", "labeling"),
     ("programme", "program"), ("sulphate", "sulfate"), ("fibre", "fiber")],
)  # fmt: skip
def test_spelling_rules_work_both_ways(one, other):
    assert other in spelled_by_rule(one)
    assert one in spelled_by_rule(other)
    assert one not in spelled_by_rule(one)


def test_spelling_rules_work_together_but_not_in_short_words():
    assert "anesthetize" in spelled_by_rule("anaesthetise")
    assert spelled_by_rule("for") == []
