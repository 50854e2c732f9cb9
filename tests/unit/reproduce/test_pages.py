"""Every page is made from the figures that are kept beside its experiment, and from nothing else."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from cloven.cli.reproduce import EXPERIMENTS
from experiments.harness.claims import (
    FAILS,
    HOLDS,
    OPEN,
    PARTLY,
    Claim,
    above,
    between,
    each,
    judged,
    measured,
)
from experiments.harness.figures import Estimate, as_csv, parse_csv
from experiments.harness.page import FIGURES, PAGES

ROOT = Path(__file__).parents[3]
NAMES = [
    name
    for name in EXPERIMENTS
    if hasattr(import_module(f"experiments.{name.replace('-', '_')}"), "EXPERIMENT")
]


def experiment(name):
    return import_module(f"experiments.{name.replace('-', '_')}").EXPERIMENT


@pytest.mark.parametrize("name", NAMES)
def test_page_follows_from_the_kept_figures(name):
    one = experiment(name)
    kept = one.kept(ROOT)
    assert kept
    assert one.page(kept).text(name) == (ROOT / PAGES / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_figures_are_read_as_they_were_written(name):
    for file in (ROOT / FIGURES / name).glob("*.csv"):
        text = file.read_text(encoding="utf-8")
        assert as_csv(parse_csv(text)) == text


@pytest.mark.parametrize("name", NAMES)
def test_a_page_shows_its_picture_and_no_other(name):
    pytest.importorskip("altair")
    one = experiment(name)
    shown = [f"{name}.svg"] if one.picture else []
    folder = ROOT / PAGES / name
    assert sorted(file.name for file in folder.glob("*")) == shown
    assert all(one.files(one.kept(ROOT))[f"{PAGES}/{name}/{file}"].startswith("<svg") for file in shown)


def test_a_claim_is_judged_by_its_kept_figures():
    claims = [
        Claim("up", "Fig. 1", "it grows", lambda found: {"slope": found}, each(above(0))),
        Claim(
            "both", "Fig. 2", "both grow", lambda found: {"one": found, "other": Estimate(-0.2, -0.3, -0.1, 9)},
            each(above(0)), beside=lambda _: {"guessing": Estimate.exact(0.1)},
        ),
    ]  # fmt: skip
    for found, verdicts in (
        (Estimate(0.2, 0.1, 0.3, 9), [HOLDS, PARTLY]),
        (Estimate(0.0, -0.1, 0.1, 9), [OPEN, FAILS]),
        (Estimate(-0.2, -0.3, -0.1, 9), [FAILS, FAILS]),
    ):
        kept = parse_csv(as_csv(measured(claims, found)))
        assert [one.verdict for one in judged(claims, kept)] == verdicts
    assert judged(claims, kept)[1].beside == {"guessing": Estimate.exact(0.1)}
    assert judged(claims, [])[0].verdict == OPEN


def test_an_interval_that_covers_the_border_decides_nothing():
    assert between(Estimate(0.2, 0.1, 0.3, 9), 0, 0.25) == OPEN
    assert between(Estimate(0.2, 0.1, 0.3, 9), 0.35, 1) == FAILS
    assert between(Estimate.exact(0.2), 0.1, 0.25) == HOLDS
