"""A few faults of every class; the campaign strikes hundreds of times."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from reliability import faults
from reliability.campaign import Asked
from reliability.faults import COMMANDS
from reliability.strikes import FAULTS
from reliability.trial import Sound, go_on, look

QUICK = ("kill -9",)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    place = tmp_path_factory.mktemp("faults")
    faults.data(place / "in")
    return place


@pytest.fixture(scope="module")
def undisturbed(home):
    return faults.reference(COMMANDS[0], home)


@pytest.fixture(scope="module", params=COMMANDS[1:], ids=lambda command: command.name)
def longer(request, home):
    """A command that takes longer."""
    return faults.reference(request.param, home)


@pytest.mark.parametrize(
    "fault", [pytest.param(each, marks=() if each in QUICK else pytest.mark.slow) for each in FAULTS]
)
def test_anonymise_goes_on_after(fault, undisturbed):
    if sys.platform != "linux" and fault in ("full disk", "read-only folder"):
        pytest.skip("needs Linux")
    row = faults.repeated(undisturbed, fault, FAULTS[fault], Asked(times=2, seed=5, processes=1))
    assert row.bad == []
    assert row.times >= 2


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_longer_commands_go_on_after(longer, fault):
    row = faults.repeated(longer, fault, FAULTS[fault], Asked(times=3, seed=5, processes=1))
    assert row.bad == []


@pytest.mark.slow
def test_other_figures_and_litter_are_found(undisturbed, tmp_path):
    """The judge itself: what it must not pass."""
    trial = replace(undisturbed, folder=tmp_path)
    trial.run()
    go_on(trial)
    with pytest.raises(Sound, match=r"made other .*chunks\.parquet"):
        go_on(replace(trial, wanted={**trial.wanted, "out/chunks.parquet": "another"}))
    (tmp_path / ".cloven-1.partial").mkdir()
    with pytest.raises(Sound, match=r"left \.cloven-1\.partial"):
        go_on(trial)
    (tmp_path / "out" / "chunks.parquet").write_bytes(b"spoilt")
    with pytest.raises(Sound, match="does not verify"):
        look(tmp_path, trial.wanted)
